// The whole grammar in one file: PEGTL is slow to compile.
//
// White space is not significant but for the end of a line, which ends a statement. `gap` is what
// may stand between two words; inside (), [] and after a comma it includes ends of lines and
// comments. `must<R>` is a commitment: if R does not follow, its row of the message table is the
// error. docs/language.md has the same grammar for people.
#include "lang/grammar.h"

#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/analyze.hpp>
#include <tao/pegtl/contrib/limit_depth.hpp>
#include <tao/pegtl/contrib/parse_tree.hpp>

#include "lang/recovery.h"

namespace gpx::grammar {
namespace {

using namespace tao::pegtl;

constexpr std::size_t max_errors = 1000;

/// The text, with what the rules below must remember.
struct Input : memory_input<tracking_mode::eager, eol::lf, const char*> {
  using memory_input::memory_input;
  int nesting = 0;  ///< Brackets that are open: lines may end inside.
  int open = 0;     ///< Brackets, braces and regions that are open.
  bool ends_in_comma = false;
  mutable int open_at_error = 0;
  std::vector<SyntaxError> errors;
  std::size_t more_errors = 0;

  std::string_view rest() const { return {current(), size()}; }
};

// ---- Rules that look at the text themselves ---------------------------------------------------

template <typename Name>
struct plain_rule {
  using rule_t = Name;
  using subs_t = type_list<>;
};

/// Blanks between two words; ends of lines and comments too, inside brackets.
struct gap : plain_rule<gap> {
  static bool match(Input& in) {
    in.bump(skip_gap(in.rest(), in.nesting > 0));
    return true;
  }
};
struct wide_gap : plain_rule<wide_gap> {
  static bool match(Input& in) {
    in.bump(skip_gap(in.rest(), true));
    return true;
  }
};
/// What separates statements: ends of lines, `;` and comments.
struct separators : plain_rule<separators> {
  static bool match(Input& in) {
    in.bump(skip_separators(in.rest()));
    return true;
  }
};
struct any_word : plain_rule<any_word> {
  static bool match(Input& in) {
    const std::size_t length = identifier_length(in.rest());
    in.bump_in_this_line(length);
    return length > 0;
  }
};
/// An identifier that is no reserved word.
struct free_word : plain_rule<free_word> {
  static bool match(Input& in) {
    const std::size_t length = name_length(in.rest());
    in.bump_in_this_line(length);
    return length > 0;
  }
};
/// A word that begins a statement comes next. Consumes nothing.
struct statement_ahead : plain_rule<statement_ahead> {
  static bool match(Input& in) { return starts_statement(in.rest()); }
};

/// `(A, B)`: two values in parentheses come next. Consumes nothing.
struct pair_ahead : plain_rule<pair_ahead> {
  static bool match(Input& in) { return opens_pair(in.rest()); }
};

/// After a `<`: what follows is timed, not compared with. Consumes nothing.
struct region_ahead : plain_rule<region_ahead> {
  static bool match(Input& in) { return opens_region(in.rest(), in.nesting > 0); }
};

/// An operation with its options comes next. Consumes nothing.
struct operation_ahead : plain_rule<operation_ahead> {
  static bool match(Input& in) { return starts_operation(in.rest()); }
};

/// Counts what is open around Rule; inside brackets `gap` goes across lines.
template <bool Brackets, typename Rule>
struct enclosed {
  using rule_t = enclosed;
  using subs_t = type_list<Rule>;
  template <apply_mode A, rewind_mode M, template <typename...> class Action,
            template <typename...> class Control, typename In, typename... States>
  static bool match(In& in, States&&... states) {
    struct Guard {
      explicit Guard(In& input) : in(input) { in.nesting += Brackets, ++in.open; }
      ~Guard() { in.nesting -= Brackets, --in.open; }
      In& in;
    } guard(in);
    return Control<Rule>::template match<A, M, Action, Control>(in, states...);
  }
};
template <typename Rule>
using bracketed = enclosed<true, Rule>;
template <typename Rule>
using braced = enclosed<false, Rule>;

/// Rule, or else an error that is recorded and stepped over.
template <Resume resume, typename Rule>
struct recovering {
  using rule_t = recovering;
  using subs_t = type_list<Rule>;
  template <apply_mode A, rewind_mode M, template <typename...> class Action,
            template <typename...> class Control, typename In, typename... States>
  static bool match(In& in, States&&... states) {
    const auto begin = in.iterator();
    const std::string_view text(in.begin(), in.end() - in.begin());
    try {
      return Control<Rule>::template match<A, M, Action, Control>(in, states...);
    } catch (const parse_error& error) {
      const std::size_t at = error.positions().front().byte;
      const auto next = resume_at(resume, text, begin.byte, at);
      if (!next) throw;
      const bool deep = error.message().substr(0, 7) == "maximum";  // limit_depth's own message.
      if (in.errors.size() < max_errors) {
        in.errors.push_back(describe_error(deep ? too_deep() : error.message(), text, at));
        in.errors.back().begin = static_cast<std::uint32_t>(begin.byte);
        in.errors.back().open_at_end = at >= text.size() && in.open_at_error > 0;
      } else {
        ++in.more_errors;
      }
      in.iterator() = begin;
      in.bump(*next - begin.byte);
      return true;
    }
  }
};

// ---- Words and literals -----------------------------------------------------------------------

/// After a comma the next line goes on: the end of the text leaves something open.
struct comma_end : plain_rule<comma_end> {
  static bool match(Input& in) {
    in.ends_in_comma = in.empty();
    return true;
  }
};
struct comma : seq<gap, one<','>, wide_gap, comma_end> {};
template <typename Rule>
struct listed : seq<Rule, star<seq<comma, must<Rule>>>> {};

struct word : any_word {};
struct ident : free_word {};
/// A word with dots, such as add.u32 (where any word may stand) or and.b32 (a reserved one).
struct dotted : seq<identifier, plus<seq<one<'.'>, identifier>>> {};
struct dotted_head : seq<any_word, at<seq<one<'.'>, identifier_first>>> {};
struct digits : plus<digit> {};
struct number : seq<digits, opt<seq<one<'.'>, digits>>,
                    opt<seq<one<'e', 'E'>, opt<one<'+', '-'>>, digits>>, star<identifier_other>> {};
struct quote_close : one<'"'> {};
struct text_literal
    : seq<one<'"'>, star<sor<seq<one<'\\'>, one<'"', '\\'>>, not_one<'"', '\n', '\\'>>>,
          must<quote_close>> {};
struct truth : sor<TAO_PEGTL_KEYWORD("true"), TAO_PEGTL_KEYWORD("false")> {};

struct kw_and : TAO_PEGTL_KEYWORD("and") {};
struct kw_or : TAO_PEGTL_KEYWORD("or") {};
struct kw_in : TAO_PEGTL_KEYWORD("in") {};
struct kw_step : TAO_PEGTL_KEYWORD("step") {};
struct kw_reduce : TAO_PEGTL_KEYWORD("reduce") {};
struct kw_if : TAO_PEGTL_KEYWORD("if") {};
struct kw_over : TAO_PEGTL_KEYWORD("over") {};
struct kw_by : TAO_PEGTL_KEYWORD("by") {};
struct kw_of : TAO_PEGTL_KEYWORD("of") {};
struct kw_else : TAO_PEGTL_KEYWORD("else") {};
struct kw_experiment : TAO_PEGTL_KEYWORD("experiment") {};

// ---- Expressions ------------------------------------------------------------------------------

struct unary;
struct negation;
struct expression;

struct close_paren : one<')'> {};
struct close_bracket : one<']'> {};
struct operand_paren : bracketed<seq<one<'('>, gap, must<expression>, gap, must<close_paren>>> {};
struct arguments : bracketed<seq<one<'('>, gap, opt<listed<expression>>, gap, must<close_paren>>> {
};

struct equals : seq<one<'='>, not_at<one<'='>>> {};
struct sign : one<'-'> {};
struct negative : seq<sign, number> {};
struct key_name : seq<word> {};
struct key_value : sor<number, negative, text_literal, dotted, truth, word> {};
struct key : seq<key_name, gap, must<equals>, gap, must<key_value>> {};
struct position : seq<digits> {};
struct close_position : one<']'> {};
struct keys
    : bracketed<seq<one<'['>, gap,
                    sor<seq<position, gap, must<close_position>>,
                        seq<must<key>, star<seq<comma, must<key>>>, gap, must<close_bracket>>>>> {};
struct reference
    : seq<sor<dotted_head, ident>, star<seq<one<'.'>, word>>, opt<sor<seq<gap, arguments>, keys>>> {
};
struct primary : sor<number, text_literal, truth, operand_paren, reference> {};

struct access_word
    : sor<TAO_PEGTL_KEYWORD("load"), TAO_PEGTL_KEYWORD("store"), TAO_PEGTL_KEYWORD("copy")> {};
struct product_op : one<'*', '/', '%'> {};
struct sum_op : one<'+', '-'> {};
// `flush if cold < load ... >`: a `<` before what can be timed opens the region.
struct less : seq<one<'<'>, not_at<region_ahead>> {};
struct compare_op
    : sor<string<'=', '='>, string<'!', '='>, string<'<', '='>, string<'>', '='>, less, one<'>'>> {
};
struct within_op : TAO_PEGTL_KEYWORD("within") {};
struct is_op : TAO_PEGTL_KEYWORD("is") {};
struct not_word : TAO_PEGTL_KEYWORD("not") {};
struct not_op : seq<not_word, not_at<one<'.'>>> {};
struct verdict : sor<TAO_PEGTL_KEYWORD("measured"), TAO_PEGTL_KEYWORD("not_observed"),
                     TAO_PEGTL_KEYWORD("inconclusive")> {};

struct power : seq<primary, opt<seq<gap, one<'^'>, gap, must<unary>>>> {};
struct unary : sor<seq<sign, gap, must<unary>>, power> {};
struct product : seq<unary, star<seq<gap, product_op, gap, must<unary>>>> {};
struct sum : seq<product, star<seq<gap, sum_op, gap, must<product>>>> {};
struct dots : two<'.'> {};
struct bounds : seq<sum, gap, must<dots>, gap, must<sum>> {};
struct comparison
    : seq<sum, opt<seq<gap, sor<seq<compare_op, gap, must<sum>>, seq<within_op, gap, must<bounds>>,
                                seq<is_op, gap, must<verdict>>>>>> {};
struct negation : sor<seq<not_op, gap, must<negation>>, comparison> {};
struct conjunction : seq<negation, star<seq<gap, kw_and, gap, must<negation>>>> {};
struct disjunction : seq<conjunction, star<seq<gap, kw_or, gap, must<conjunction>>>> {};
struct expression : seq<disjunction> {};

// ---- Statements -------------------------------------------------------------------------------

/// A statement is over; each has its own message, which says what else could have followed.
struct end_ahead : at<sor<eof, one<'\n', ';', '}', '#', '<'>, statement_ahead>> {};
template <typename Statement>
struct end_of : end_ahead {};

template <typename... Rules>
struct then : seq<gap, must<Rules>...> {};
template <typename Keyword, typename... Rules>
struct clause : seq<Keyword, Rules...> {};

struct cite_work : seq<ident> {};
struct cite_id : seq<not_at<statement_ahead>, ident> {};
struct cite
    : seq<TAO_PEGTL_KEYWORD("cite"), then<cite_work>, star<seq<gap, cite_id>>, then<end_of<cite>>> {
};

struct device_name : plus<sor<identifier_other, one<'-', '.'>>> {};
struct device : seq<TAO_PEGTL_KEYWORD("device"), then<device_name>, then<end_of<device>>> {};

struct param_name : seq<ident> {};
struct param : seq<TAO_PEGTL_KEYWORD("param"), then<param_name>, then<equals>, then<expression>,
                   then<end_of<param>>> {};

// The x of `x3`, `x n`, `x (2 * n)`: alone, or right before a number.
struct times : seq<one<'x'>, sor<at<digit>, not_at<identifier_other>>> {};
struct step : sor<seq<times, gap, sum>, sum> {};
struct range_dots : two<'.'> {};
struct axis_range
    : seq<sum, gap, must<range_dots>, gap, must<sum>, opt<seq<gap, kw_step, then<step>>>> {};
struct open_bracket : one<'['> {};
struct value_list
    : bracketed<seq<open_bracket, gap, opt<listed<expression>>, gap, must<close_bracket>>> {};
struct axis_name : seq<ident> {};
struct axis : seq<axis_name, gap, sor<seq<kw_in, then<value_list>>, must<axis_range>>> {};
struct open_paren : one<'('> {};
struct zip : seq<TAO_PEGTL_KEYWORD("zip"), gap,
                 bracketed<seq<must<open_paren>, gap, must<axis>, star<seq<comma, must<axis>>>, gap,
                               must<close_paren>>>> {};
struct group : sor<zip, axis> {};
struct sweep : seq<TAO_PEGTL_KEYWORD("sweep"), then<group>, star<seq<comma, must<group>>>,
                   then<end_of<sweep>>> {};

// `threads (16, 8)`: across and down. What is no pair in parentheses is an expression.
struct extent_pair : bracketed<seq<pair_ahead, one<'('>, gap, must<sum>, gap, one<','>, wide_gap,
                                   must<sum>, gap, must<close_paren>>> {};
struct extent : sor<extent_pair, sum> {};
struct threads : seq<TAO_PEGTL_KEYWORD("threads"), then<extent>, then<end_of<threads>>> {};
struct blocks : seq<TAO_PEGTL_KEYWORD("blocks"), then<extent>, then<end_of<blocks>>> {};
struct shared_bytes
    : seq<TAO_PEGTL_KEYWORD("shared_bytes"), then<sum>, then<end_of<shared_bytes>>> {};
struct warmup : seq<TAO_PEGTL_KEYWORD("warmup"), then<sum>, then<end_of<warmup>>> {};

struct reduction : seq<word> {};
struct repeat : seq<TAO_PEGTL_KEYWORD("repeat"), then<sum>,
                    opt<seq<gap, kw_reduce, then<reduction>>>, then<end_of<repeat>>> {};

struct condition : seq<kw_if, then<expression>> {};
struct flush : seq<TAO_PEGTL_KEYWORD("flush"), opt<seq<gap, not_at<statement_ahead>, sum>>,
                   opt<seq<gap, condition>>, then<end_of<flush>>> {};

struct rehearse : seq<TAO_PEGTL_KEYWORD("rehearse"), then<sum>, then<end_of<rehearse>>> {};
struct registers : seq<TAO_PEGTL_KEYWORD("registers"), then<sum>, then<end_of<registers>>> {};
struct watchdog : seq<TAO_PEGTL_KEYWORD("watchdog"), then<sum>, then<end_of<watchdog>>> {};

struct bank_width : seq<TAO_PEGTL_KEYWORD("bank_width"), then<sum>, then<end_of<bank_width>>> {};
struct carveout : seq<TAO_PEGTL_KEYWORD("carveout"), then<sum>, then<end_of<carveout>>> {};
struct l1_state : seq<word> {};
struct l1_cache : seq<TAO_PEGTL_KEYWORD("l1_cache"), then<l1_state>, then<end_of<l1_cache>>> {};
struct kw_sm : TAO_PEGTL_KEYWORD("sm") {};
struct place : seq<TAO_PEGTL_KEYWORD("place"), then<kw_sm>, then<sum>, then<end_of<place>>> {};

struct variable_name : seq<ident> {};
struct shared : seq<TAO_PEGTL_KEYWORD("shared"), then<variable_name>, then<equals>, then<sum>,
                    then<end_of<shared>>> {};

struct observed_name : seq<word> {};
struct observe : seq<TAO_PEGTL_KEYWORD("observe"), then<observed_name>, then<end_of<observe>>> {};

struct method : sor<text_literal, ident> {};
struct argument_name : seq<word> {};
struct argument : seq<argument_name, then<equals>, then<expression>> {};
struct named_arguments
    : bracketed<seq<open_paren, gap, opt<seq<argument, star<seq<comma, must<argument>>>>>, gap,
                    must<close_paren>>> {};
struct analyze_call
    : sor<seq<text_literal, opt<seq<gap, named_arguments>>>, seq<ident, then<named_arguments>>> {};
struct analyze : seq<TAO_PEGTL_KEYWORD("analyze"), then<analyze_call>, then<end_of<analyze>>> {};

struct column_name : seq<ident> {};
struct columns : listed<column_name> {};
struct by_columns : listed<column_name> {};
struct over_column : seq<column_name> {};
struct log_x : TAO_PEGTL_KEYWORD("logx") {};
struct log_y : TAO_PEGTL_KEYWORD("logy") {};
struct plot : seq<TAO_PEGTL_KEYWORD("plot"), then<columns>, then<kw_over>, then<over_column>,
                  opt<seq<gap, kw_by, then<by_columns>>>, star<seq<gap, sor<log_x, log_y>>>,
                  then<end_of<plot>>> {};

struct expect : seq<TAO_PEGTL_KEYWORD("expect"), then<expression>, then<end_of<expect>>> {};

struct finding_name : seq<sor<dotted_head, ident>, star<seq<one<'.'>, word>>, opt<keys>> {};
struct row_id : seq<ident> {};
struct paper_value : seq<sum, opt<seq<gap, dots, then<sum>>>> {};
struct paper : seq<TAO_PEGTL_KEYWORD("paper"), then<finding_name>, then<equals>, then<paper_value>,
                   then<row_id>, then<end_of<paper>>> {};

struct sentence : seq<text_literal> {};
struct claim : seq<TAO_PEGTL_KEYWORD("claim"), then<sentence>, then<expression>, then<row_id>,
                   then<end_of<claim>>> {};

struct stride_word : TAO_PEGTL_KEYWORD("stride") {};
struct random_word : TAO_PEGTL_KEYWORD("random") {};
struct list_word : TAO_PEGTL_KEYWORD("list") {};
struct steps_word : TAO_PEGTL_KEYWORD("steps") {};
struct chase_step : seq<sum, then<kw_of>, then<sum>> {};
struct chase_steps : bracketed<seq<one<'['>, gap, must<chase_step>,
                                   star<seq<comma, must<chase_step>>>, gap, must<close_bracket>>> {
};
struct chase_order
    : sor<seq<stride_word, then<sum>>, seq<random_word, then<sum>, opt<seq<comma, must<sum>>>>,
          seq<list_word, then<value_list>>, seq<steps_word, then<chase_steps>>> {};
struct chase
    : seq<TAO_PEGTL_KEYWORD("chase"), gap,
          bracketed<seq<must<open_paren>, gap, must<chase_order>, gap, must<close_paren>>>> {};
struct width_word : TAO_PEGTL_KEYWORD("width") {};
struct width : seq<width_word, then<sum>> {};
struct array_name : seq<ident> {};
struct colon : one<':'> {};
struct array_space : seq<word> {};
struct close_size : one<']'> {};
struct array_size : bracketed<seq<one<'['>, gap, must<sum>, gap, must<close_size>>> {};
struct array : seq<TAO_PEGTL_KEYWORD("array"), then<array_name>, then<colon>, then<array_space>,
                   then<array_size>, star<seq<gap, sor<chase, width>>>, then<end_of<array>>> {};

struct kernel_name : seq<ident> {};
struct kernel_file : seq<text_literal> {};
struct from_word : TAO_PEGTL_KEYWORD("from") {};
struct entry_word : TAO_PEGTL_KEYWORD("entry") {};
struct entry_name : seq<word> {};
struct kernel_arguments : seq<named_arguments> {};
struct kernel
    : seq<TAO_PEGTL_KEYWORD("kernel"), then<kernel_name>, then<from_word>, then<kernel_file>,
          then<entry_word>, then<entry_name>, then<kernel_arguments>, then<end_of<kernel>>> {};

// ---- The timed region -------------------------------------------------------------------------

struct cache_word : TAO_PEGTL_KEYWORD("cache") {};
struct each : TAO_PEGTL_KEYWORD("each") {};
struct chain : TAO_PEGTL_KEYWORD("chain") {};
struct streams_word : TAO_PEGTL_KEYWORD("streams") {};
struct option_ahead : sor<width_word, cache_word, each, chain, from_word, times> {};
struct timed_end : at<sor<eof, one<'\n', ';', '>', '#', '}'>>> {};
template <typename Timed>
struct done : timed_end {};

struct space_name : seq<word, at<seq<plus<blank>, not_at<option_ahead>, identifier_first>>> {};
struct pattern_name : seq<word> {};
struct cache_name : seq<word> {};
struct cache : seq<cache_word, then<cache_name>> {};
struct count : seq<times, then<sum>> {};
struct from : seq<from_word, then<sum>> {};
struct access
    : seq<access_word, opt<seq<gap, space_name>>, then<pattern_name>, opt<seq<gap, arguments>>,
          star<seq<gap, sor<width, cache, count, each, chain, from>>>, then<done<access>>> {};

struct streams : seq<streams_word, then<sum>> {};
struct operation_name : sor<dotted, free_word> {};
struct operate : seq<operation_ahead, operation_name, star<seq<gap, sor<count, chain, streams>>>,
                     then<done<operate>>> {};

struct code : seq<TAO_PEGTL_KEYWORD("code"), then<sum>, then<done<code>>> {};
struct sync : seq<TAO_PEGTL_KEYWORD("sync"), then<done<sync>>> {};
struct stamp : seq<TAO_PEGTL_KEYWORD("stamp"), opt<seq<gap, ident>>, then<done<stamp>>> {};
struct kept_name : seq<ident> {};
struct keep
    : seq<TAO_PEGTL_KEYWORD("keep"), then<kept_name>, then<equals>, then<sum>, then<done<keep>>> {};
struct run_name : seq<ident> {};
struct run : seq<TAO_PEGTL_KEYWORD("run"), then<run_name>, then<done<run>>> {};
struct assign : seq<ident, gap, equals, then<sum>, then<done<assign>>> {};

struct timed;
struct open_block : one<'{'> {};
struct close_block : one<'}'> {};
struct close_angle : one<'>'> {};
struct timed_stop : sor<eof, one<'>', '}'>, statement_ahead> {};
struct timed_list
    : seq<separators,
          star<seq<not_at<timed_stop>, recovering<Resume::timed, must<timed>>, separators>>> {};
struct block : braced<seq<open_block, timed_list, must<close_block>>> {};
struct test : seq<expression> {};
struct when;
struct else_part : seq<wide_gap, kw_else, gap, sor<when, must<block>>> {};
struct when
    : seq<TAO_PEGTL_KEYWORD("when"), then<test>, then<block>, opt<else_part>, then<done<when>>> {};
struct while_ : seq<TAO_PEGTL_KEYWORD("while"), then<test>, then<block>, then<done<while_>>> {};
struct tested_over : TAO_PEGTL_KEYWORD("over") {};
struct tested_values : sor<value_list, bounds> {};
struct diverge : seq<TAO_PEGTL_KEYWORD("diverge"), then<sum>, then<tested_over>,
                     then<tested_values>, then<block>, then<done<diverge>>> {};

struct timed : sor<when, while_, diverge, code, sync, stamp, keep, run, access, assign, operate> {};
struct region : seq<one<'<'>, braced<seq<timed_list, must<close_angle>>>, then<end_of<region>>> {};

struct beside : seq<TAO_PEGTL_KEYWORD("beside"), then<kw_sm>, then<sum>, opt<seq<gap, condition>>,
                    then<block>, then<end_of<beside>>> {};

// ---- The file ---------------------------------------------------------------------------------

struct measure;
struct statement
    : sor<sweep, region, device, cite, param, threads, blocks, repeat, warmup, flush, rehearse,
          registers, watchdog, bank_width, carveout, l1_cache, place, beside, shared_bytes, shared,
          array, kernel, observe, measure, analyze, plot, expect, paper, claim> {};
struct measure_statement
    : sor<region, threads, blocks, warmup, flush, rehearse, registers, watchdog, bank_width,
          carveout, l1_cache, place, beside, shared_bytes, shared, observe> {};

struct experiment_name : seq<ident> {};
struct measure_name : seq<ident> {};
struct open_brace : one<'{'> {};
struct brace_ahead : at<one<'{'>> {};
struct close_brace : one<'}'> {};
struct line_end : at<sor<eof, one<'\n', ';', '#'>>> {};
struct header : seq<then<experiment_name>, gap, opt<text_literal>, then<brace_ahead>> {};
struct block_stop : sor<eof, close_brace, kw_experiment> {};
struct block_body
    : seq<separators, star<seq<not_at<block_stop>, recovering<Resume::statement, must<statement>>,
                               separators>>> {};
struct close_measure : one<'}'> {};
struct measure_body
    : seq<separators,
          star<seq<not_at<block_stop>, recovering<Resume::statement, must<measure_statement>>,
                   separators>>> {};
struct measure : seq<TAO_PEGTL_KEYWORD("measure"), then<measure_name>, then<open_brace>,
                     braced<seq<measure_body, must<close_measure>>>, then<end_of<measure>>> {};
struct experiment : seq<kw_experiment, recovering<Resume::header, header>, then<open_brace>,
                        braced<seq<block_body, must<close_brace>>>, then<line_end>> {};

struct line : seq<plus<seq<statement, gap>>, must<line_end>> {};
struct item : sor<experiment, line> {};
struct file : seq<opt<utf8::bom>, separators,
                  star<seq<not_at<eof>, recovering<Resume::item, must<item>>, separators>>, eof> {};

struct value_range : seq<sum, gap, dots, then<sum>, opt<seq<gap, kw_step, then<step>>>> {};
struct value : sor<value_list, value_range, expression> {};
struct value_file : seq<gap, recovering<Resume::item, seq<must<value>, gap, must<eof>>>> {};

// ---- Messages ---------------------------------------------------------------------------------

template <typename Rule>
inline constexpr const char* error_message = nullptr;

#define GPX_MESSAGE(rule, text) \
  template <>                   \
  inline constexpr const char* error_message<rule> = text
GPX_MESSAGE(quote_close, "expected the closing '\"' of the text on the same line");
GPX_MESSAGE(expression, "expected a value");
GPX_MESSAGE(negation, "expected a condition");
GPX_MESSAGE(conjunction, "expected a condition");
GPX_MESSAGE(sum, "expected a value");
GPX_MESSAGE(product, "expected a value");
GPX_MESSAGE(unary, "expected a value");
GPX_MESSAGE(bounds, "expected a range such as 42..45");
GPX_MESSAGE(dots, "expected '..' and the end of the range");
GPX_MESSAGE(verdict, "expected 'measured', 'not_observed' or 'inconclusive'");
GPX_MESSAGE(close_paren, "expected ',' or ')'");
GPX_MESSAGE(close_bracket, "expected ',' or ']'");
GPX_MESSAGE(open_paren, "expected '('");
GPX_MESSAGE(equals, "expected '='");
GPX_MESSAGE(close_position, "expected ']'");
GPX_MESSAGE(key, "expected a key such as n=2, or a number");
GPX_MESSAGE(key_value, "expected the key's value");
GPX_MESSAGE(cite_work, "expected the name of a work, such as lashgar2015");
GPX_MESSAGE(end_of<cite>, "expected a catalogue id such as LA8, or the end of the clause");
GPX_MESSAGE(device_name, "expected the name of a device, such as k20");
GPX_MESSAGE(end_of<device>, "expected the end of the clause");
GPX_MESSAGE(param_name, "expected the name of a parameter");
GPX_MESSAGE(end_of<param>, "expected an operator or the end of the clause");
GPX_MESSAGE(group, "expected the name of an axis, or 'zip'");
GPX_MESSAGE(axis, "expected the name of an axis");
GPX_MESSAGE(axis_range, "expected a range such as 1..8, or 'in' and a list");
GPX_MESSAGE(range_dots, "expected a range such as 1..8, or 'in' and a list");
GPX_MESSAGE(value_list, "expected a list such as [1, 2, 4]");
GPX_MESSAGE(step, "expected the step: a value, or a factor such as x2");
GPX_MESSAGE(end_of<sweep>, "expected 'step', ',' or the end of the clause");
GPX_MESSAGE(end_of<threads>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<blocks>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<warmup>, "expected an operator or the end of the clause");
GPX_MESSAGE(reduction, "expected 'harmonic_mean', 'mean', 'median', 'min' or 'max'");
GPX_MESSAGE(end_of<repeat>, "expected 'reduce' or the end of the clause");
GPX_MESSAGE(end_of<flush>, "expected an amount such as 76MB, 'if' or the end of the clause");
GPX_MESSAGE(observed_name, "expected 'latency', 'time', 'each', 'average' or 'timeline'");
GPX_MESSAGE(end_of<rehearse>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<registers>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<watchdog>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<bank_width>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<carveout>, "expected an operator or the end of the clause");
GPX_MESSAGE(l1_state, "expected 'on' or 'off'");
GPX_MESSAGE(end_of<l1_cache>, "expected the end of the clause");
GPX_MESSAGE(kw_sm, "expected 'sm' and the number of an SM, such as sm 0");
GPX_MESSAGE(end_of<place>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<beside>, "expected another clause or the end of the line");
GPX_MESSAGE(variable_name, "expected the name of a shared variable");
GPX_MESSAGE(end_of<shared>, "expected an operator or the end of the clause");
GPX_MESSAGE(array_name, "expected the name of an array");
GPX_MESSAGE(colon, "expected ':' and the space of the array, such as : global[16KB]");
GPX_MESSAGE(array_space, "expected 'global', 'shared', 'constant', 'texture' or 'local'");
GPX_MESSAGE(array_size, "expected '[' and the size of the array, such as [16KB]");
GPX_MESSAGE(close_size, "expected an operator or ']'");
GPX_MESSAGE(chase_order, "expected 'stride', 'random', 'list' or 'steps'");
GPX_MESSAGE(chase_steps, "expected steps such as [32 of 1MB, 31 of 128B]");
GPX_MESSAGE(chase_step, "expected steps such as 32 of 1MB");
GPX_MESSAGE(kw_of, "expected 'of' and the distance of the steps, such as 32 of 1MB");
GPX_MESSAGE(end_of<array>, "expected 'chase', 'width' or the end of the clause");
GPX_MESSAGE(end_of<observe>, "expected the end of the clause");
GPX_MESSAGE(analyze_call, "expected the name of an analysis, or the path of a script in quotes");
GPX_MESSAGE(named_arguments, "expected '(' and the analysis's arguments");
GPX_MESSAGE(argument, "expected an argument such as x = threads");
GPX_MESSAGE(end_of<analyze>, "expected the end of the clause");
GPX_MESSAGE(columns, "expected what to plot: 'latency', 'variance', 'time' or an axis");
GPX_MESSAGE(column_name, "expected the name of a column or an axis");
GPX_MESSAGE(kw_over, "expected ',' or 'over' and the axis across");
GPX_MESSAGE(over_column, "expected the name of the axis across");
GPX_MESSAGE(by_columns, "expected the name of an axis");
GPX_MESSAGE(end_of<plot>, "expected 'by', 'logx', 'logy' or the end of the clause");
GPX_MESSAGE(end_of<expect>, "expected an operator or the end of the clause");
GPX_MESSAGE(finding_name, "expected the name of a finding, such as outstanding.entries");
GPX_MESSAGE(paper_value, "expected the value that the paper reports");
GPX_MESSAGE(extent, "expected a value, or two: (16, 8)");
GPX_MESSAGE(end_of<shared_bytes>, "expected an operator, another clause or the end of the line");
GPX_MESSAGE(kernel_name, "expected the name of the kernel");
GPX_MESSAGE(from_word, "expected 'from' and the path of the kernel's file");
GPX_MESSAGE(kernel_file, "expected the path of the kernel's file in quotes, such as \"mul.cu\"");
GPX_MESSAGE(entry_word, "expected 'entry' and the name of the kernel's function");
GPX_MESSAGE(entry_name, "expected the name of the kernel's function");
GPX_MESSAGE(kernel_arguments, "expected '(' and the kernel's arguments");
GPX_MESSAGE(end_of<kernel>, "expected the end of the clause");
GPX_MESSAGE(run_name, "expected the name of a kernel");
GPX_MESSAGE(done<run>, "expected the end of the line, ';' or '>'");
GPX_MESSAGE(row_id, "expected the id of a cited row, such as LA8");
GPX_MESSAGE(end_of<paper>, "expected the end of the clause");
GPX_MESSAGE(sentence, "expected the paper's sentence in quotes");
GPX_MESSAGE(end_of<claim>, "expected the end of the clause");
GPX_MESSAGE(timed,
            "expected 'load', 'store', 'copy', an operation such as add.u32, 'code', 'sync', "
            "'stamp', 'keep', 'when', 'while', 'diverge' or 'run'");
GPX_MESSAGE(pattern_name,
            "expected an array, or a pattern: 'unique', 'merge', 'stride', 'broadcast' or "
            "'random'");
GPX_MESSAGE(cache_name, "expected 'ca', 'cg', 'cs', 'cv', 'lu' or 'nc'");
GPX_MESSAGE(done<access>, "expected 'width', 'cache', a count such as x3, 'chain', 'from', or '>'");
GPX_MESSAGE(done<operate>, "expected a count such as x256, 'chain', 'streams', or '>'");
GPX_MESSAGE(done<code>, "expected an operator, the end of the line, ';' or '>'");
GPX_MESSAGE(done<sync>, "expected the end of the line, ';' or '>'");
GPX_MESSAGE(done<stamp>, "expected the end of the line, ';' or '>'");
GPX_MESSAGE(kept_name, "expected the name of a column");
GPX_MESSAGE(done<keep>, "expected an operator, the end of the line, ';' or '>'");
GPX_MESSAGE(done<assign>, "expected an operator, the end of the line, ';' or '>'");
GPX_MESSAGE(test, "expected a condition");
GPX_MESSAGE(block, "expected an operator or '{'");
GPX_MESSAGE(close_block, "expected '}' at the end of the block");
GPX_MESSAGE(done<when>, "expected 'else', the end of the line, ';' or '>'");
GPX_MESSAGE(done<while_>, "expected the end of the line, ';' or '>'");
GPX_MESSAGE(tested_over, "expected an operator or 'over' and the values that are tested");
GPX_MESSAGE(tested_values, "expected a range such as 31..0, or a list such as [3, 1, 2]");
GPX_MESSAGE(done<diverge>, "expected the end of the line, ';' or '>'");
GPX_MESSAGE(close_angle, "expected '>' at the end of the timed region");
GPX_MESSAGE(end_of<region>, "expected another clause or the end of the line");
GPX_MESSAGE(statement, "expected a clause of the experiment");
GPX_MESSAGE(measure_statement,
            "expected a clause of the measure: 'threads', 'blocks', 'warmup', 'flush', "
            "'rehearse', 'registers', 'watchdog', 'bank_width', 'carveout', 'l1_cache', 'place', "
            "'beside', 'shared', 'shared_bytes', 'observe' or '<'");
GPX_MESSAGE(measure_name, "expected the name of the measure");
GPX_MESSAGE(close_measure, "expected '}' at the end of the measure");
GPX_MESSAGE(end_of<measure>, "expected another clause or the end of the line");
GPX_MESSAGE(experiment_name, "expected the experiment's name");
GPX_MESSAGE(brace_ahead, "expected the title in quotes or '{'");
GPX_MESSAGE(open_brace, "expected '{'");
GPX_MESSAGE(close_brace, "expected '}' at the end of the experiment");
GPX_MESSAGE(line_end, "expected another clause or the end of the line");
GPX_MESSAGE(item, "expected an experiment, a parameter or a line with '<' and '>'");
GPX_MESSAGE(value, "expected a value, a range or a list");
GPX_MESSAGE(eof, "expected the end of the value");
#undef GPX_MESSAGE

template <typename Rule>
struct control : normal<Rule> {
  template <typename In, typename... States>
  [[noreturn]] static void raise(const In& in, States&&...) {
    static_assert(error_message<Rule> != nullptr, "a must<> rule needs a row in the table");
    in.open_at_error = in.open + (in.ends_in_comma ? 1 : 0);
    throw parse_error(error_message<Rule>, in);
  }
};

// ---- The parse tree ---------------------------------------------------------------------------

template <typename Rule>
inline constexpr Node node_of = Node::none;

#define GPX_NODE(rule, node) \
  template <>                \
  inline constexpr Node node_of<rule> = Node::node
GPX_NODE(word, ident);
GPX_NODE(ident, ident);
GPX_NODE(dotted, ident);
GPX_NODE(dotted_head, ident);
GPX_NODE(stride_word, ident);
GPX_NODE(random_word, ident);
GPX_NODE(list_word, ident);
GPX_NODE(steps_word, ident);
GPX_NODE(verdict, ident);
GPX_NODE(device_name, ident);
GPX_NODE(access_word, ident);
GPX_NODE(number, number);
GPX_NODE(position, number);
GPX_NODE(text_literal, string);
GPX_NODE(truth, truth);
GPX_NODE(sign, sign);
GPX_NODE(product_op, product_op);
GPX_NODE(sum_op, sum_op);
GPX_NODE(compare_op, compare_op);
GPX_NODE(within_op, within_op);
GPX_NODE(is_op, is_op);
GPX_NODE(not_op, not_op);
GPX_NODE(power, power);
GPX_NODE(unary, unary);
GPX_NODE(negative, unary);
GPX_NODE(product, product);
GPX_NODE(sum, sum);
GPX_NODE(comparison, comparison);
GPX_NODE(negation, negation);
GPX_NODE(conjunction, conjunction);
GPX_NODE(disjunction, disjunction);
GPX_NODE(bounds, bounds);
GPX_NODE(reference, reference);
GPX_NODE(finding_name, reference);
GPX_NODE(arguments, arguments);
GPX_NODE(keys, keys);
GPX_NODE(cite, cite);
GPX_NODE(device, device);
GPX_NODE(param, param);
GPX_NODE(sweep, sweep);
GPX_NODE(zip, zip);
GPX_NODE(axis, axis);
GPX_NODE(value_list, values);
GPX_NODE(axis_range, range);
GPX_NODE(value_range, range);
GPX_NODE(step, step);
GPX_NODE(times, times);
GPX_NODE(threads, threads);
GPX_NODE(blocks, blocks);
GPX_NODE(extent_pair, extents);
GPX_NODE(shared_bytes, shared_bytes);
GPX_NODE(kernel, kernel);
GPX_NODE(run, run);
GPX_NODE(warmup, warmup);
GPX_NODE(repeat, repeat);
GPX_NODE(flush, flush);
GPX_NODE(condition, condition);
GPX_NODE(rehearse, rehearse);
GPX_NODE(registers, registers);
GPX_NODE(watchdog, watchdog);
GPX_NODE(bank_width, bank_width);
GPX_NODE(carveout, carveout);
GPX_NODE(l1_cache, l1_cache);
GPX_NODE(place, place);
GPX_NODE(beside, beside);
GPX_NODE(shared, shared);
GPX_NODE(array, array);
GPX_NODE(chase, chase);
GPX_NODE(observe, observe);
GPX_NODE(measure, measure);
GPX_NODE(region, region);
GPX_NODE(access, access);
GPX_NODE(space_name, space);
GPX_NODE(width, width);
GPX_NODE(cache, cache);
GPX_NODE(count, count);
GPX_NODE(each, each);
GPX_NODE(chain, chain);
GPX_NODE(from, from);
GPX_NODE(code, code);
GPX_NODE(streams, streams);
GPX_NODE(operation_name, ident);
GPX_NODE(operate, operate);
GPX_NODE(sync, sync);
GPX_NODE(stamp, stamp);
GPX_NODE(keep, keep);
GPX_NODE(assign, assign);
GPX_NODE(when, when);
GPX_NODE(while_, while_);
GPX_NODE(diverge, diverge);
GPX_NODE(open_block, open);
GPX_NODE(block, block);
GPX_NODE(analyze, analyze);
GPX_NODE(argument, argument);
GPX_NODE(plot, plot);
GPX_NODE(columns, columns);
GPX_NODE(by_columns, by);
GPX_NODE(log_x, logx);
GPX_NODE(log_y, logy);
GPX_NODE(expect, expect);
GPX_NODE(paper, paper);
GPX_NODE(claim, claim);
GPX_NODE(experiment, experiment);
GPX_NODE(open_brace, open);
GPX_NODE(line, line);
#undef GPX_NODE

/// Levels of precedence leave no node where they hold a single operand.
constexpr bool is_level(Node node) {
  return node >= Node::power && node <= Node::disjunction;
}

template <typename Rule>
struct selector : std::bool_constant<node_of<Rule> != Node::none> {
  template <typename TreeNode>
  static void transform(std::unique_ptr<TreeNode>& node) {
    if constexpr (is_level(node_of<Rule>))
      if (node->children.size() == 1) node = std::move(node->children.front());
  }
};

struct TreeNode : parse_tree::basic_node<TreeNode, const char*> {
  Node kind = Node::none;
  template <typename Rule, typename In, typename... States>
  void start(const In& in, States&&... states) {
    basic_node::template start<Rule>(in, states...);
    kind = node_of<Rule>;
  }
};

// Each parenthesis passes `negation` and `unary` once. The limit is far beyond any experiment and
// far below the end of the stack.
template <typename Rule>
struct action : nothing<Rule> {};
template <>
struct action<negation> : limit_depth<2 * max_depth> {};
template <>
struct action<unary> : limit_depth<2 * max_depth> {};
template <>
struct action<block> : limit_depth<max_depth> {};
template <>
struct action<else_part> : limit_depth<max_depth> {};

Tree plain_tree(const TreeNode& node) {
  const char* end = node.m_end.data;  // Statements look past blanks for their end.
  while (end > node.m_begin.data && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) --end;
  const auto begin = static_cast<std::uint32_t>(node.m_begin.byte);
  Tree tree{node.kind, {begin, begin + static_cast<std::uint32_t>(end - node.m_begin.data)}, {}};
  tree.children.reserve(node.children.size());
  for (const auto& child : node.children) tree.children.push_back(plain_tree(*child));
  return tree;
}

template <typename Rule>
Parsed parse_as(const std::string& text) {
  Input in(text.data(), text.data() + text.size(), "");
  Parsed parsed;
  const auto root = parse_tree::parse<Rule, TreeNode, selector, action, control>(in);
  for (const auto& child : root->children) parsed.tree.children.push_back(plain_tree(*child));
  parsed.tree.node = Node::file;
  parsed.errors = std::move(in.errors);
  parsed.more_errors = in.more_errors;
  return parsed;
}

}  // namespace

Parsed parse_file(const std::string& text) {
  return parse_as<file>(text);
}

Parsed parse_value(const std::string& text) {
  return parse_as<value_file>(text);
}

}  // namespace gpx::grammar

namespace tao::pegtl {

template <typename Name>
struct analyze_traits<Name, gpx::grammar::gap> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, gpx::grammar::wide_gap> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, gpx::grammar::comma_end> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, gpx::grammar::separators> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, gpx::grammar::statement_ahead> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, gpx::grammar::region_ahead> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, gpx::grammar::pair_ahead> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, gpx::grammar::operation_ahead> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, gpx::grammar::any_word> : analyze_any_traits<> {};
template <typename Name>
struct analyze_traits<Name, gpx::grammar::free_word> : analyze_any_traits<> {};
template <typename Name, bool Brackets, typename Rule>
struct analyze_traits<Name, gpx::grammar::enclosed<Brackets, Rule>>
    : analyze_traits<Name, typename seq<Rule>::rule_t> {};
template <typename Name, gpx::grammar::Resume resume, typename Rule>
struct analyze_traits<Name, gpx::grammar::recovering<resume, Rule>>
    : analyze_traits<Name, typename seq<Rule>::rule_t> {};

}  // namespace tao::pegtl

std::size_t gpx::grammar::analyze_grammar() {
  return tao::pegtl::analyze<file>() + tao::pegtl::analyze<value_file>();
}
