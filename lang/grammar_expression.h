// Words, literals and expressions, as PEGTL rules: levels of precedence from a number to `or`.
// Covered by tests/lang/grammar_test.cpp and the goldens of expressions.
#pragma once

#include "lang/grammar_input.h"

namespace gpx::grammar::rules {

// ---- Words and literals -----------------------------------------------------------------------

struct comma : seq<gap, one<','>, wide_gap, comma_end> {};
template <typename Rule>
struct listed : seq<Rule, star<seq<comma, must<Rule>>>> {};

struct word : any_word {};
struct ident : free_word {};
/// A word with dots, such as add.u32 (where any word may stand) or and.b32 (a reserved one).
struct dotted : seq<identifier, plus<seq<one<'.'>, identifier>>> {};
struct dotted_head : seq<any_word, at<seq<one<'.'>, identifier_first>>> {};
struct digits : plus<digit> {};
/// 0x7f, 0x1.8p-3: as in C.
struct hexadecimal : seq<one<'0'>, one<'x', 'X'>, plus<xdigit>, opt<seq<one<'.'>, plus<xdigit>>>,
                         opt<seq<one<'p', 'P'>, opt<one<'+', '-'>>, digits>>> {};
struct decimal
    : seq<digits, opt<seq<one<'.'>, digits>>, opt<seq<one<'e', 'E'>, opt<one<'+', '-'>>, digits>>> {
};
struct number : seq<sor<hexadecimal, decimal>, star<identifier_other>> {};
struct quote_close : one<'"'> {};
struct text_literal
    : seq<one<'"'>, star<sor<seq<one<'\\'>, one<'"', '\\'>>, not_one<'"', '\n', '\\'>>>,
          must<quote_close>> {};
struct truth : sor<keyword<"true">, keyword<"false">> {};

struct kw_and : keyword<"and"> {};
struct kw_or : keyword<"or"> {};
struct kw_in : keyword<"in"> {};
struct kw_step : keyword<"step"> {};
struct kw_reduce : keyword<"reduce"> {};
struct kw_until : keyword<"until"> {};
struct kw_at : keyword<"at"> {};
struct kw_most : keyword<"most"> {};
struct kw_if : keyword<"if"> {};
struct kw_over : keyword<"over"> {};
struct kw_by : keyword<"by"> {};
struct kw_of : keyword<"of"> {};
struct kw_else : keyword<"else"> {};
struct kw_experiment : keyword<"experiment"> {};

// ---- Expressions ------------------------------------------------------------------------------

struct unary;
struct negation;
struct expression;

struct close_paren : closing<')'> {};
struct close_bracket : closing<']'> {};
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
struct close_position : closing<']'> {};
struct keys
    : bracketed<seq<one<'['>, gap,
                    sor<seq<position, gap, must<close_position>>,
                        seq<must<key>, star<seq<comma, must<key>>>, gap, must<close_bracket>>>>> {};
struct reference
    : seq<sor<dotted_head, ident>, star<seq<one<'.'>, word>>, opt<sor<seq<gap, arguments>, keys>>> {
};
struct primary : sor<number, text_literal, truth, operand_paren, reference> {};

struct access_word : sor<keyword<"load">, keyword<"store">, keyword<"copy">> {};
struct product_op : one<'*', '/', '%'> {};
struct sum_op : one<'+', '-'> {};
// `flush if cold < load ... >`: a `<` before what can be timed opens the region.
struct less : seq<one<'<'>, not_at<region_ahead>> {};
struct compare_op
    : sor<string<'=', '='>, string<'!', '='>, string<'<', '='>, string<'>', '='>, less, one<'>'>> {
};
struct within_op : keyword<"within"> {};
struct is_op : keyword<"is"> {};
struct not_word : keyword<"not"> {};
struct not_op : seq<not_word, not_at<one<'.'>>> {};
struct verdict : sor<keyword<"measured">, keyword<"not_observed">, keyword<"inconclusive">> {};

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

}  // namespace gpx::grammar::rules
