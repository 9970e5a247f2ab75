// The clauses of an experiment but for its timed region, as PEGTL rules: one rule for each keyword.
// Covered by tests/lang/grammar_test.cpp and the goldens of the language.
#pragma once

#include "lang/grammar_expression.h"

namespace gpx::grammar::rules {

// ---- Statements -------------------------------------------------------------------------------

/// A statement is over; each has its own message, which says what else could have followed.
struct end_ahead : at<sor<eof, one<'\n', ';', '}', '#', '<'>, statement_ahead>> {};
template <typename Statement>
struct end_of : end_ahead {};

template <typename... Rules>
struct then : seq<gap, must<Rules>...> {};
struct cite_work : seq<ident> {};
struct cite_id : seq<not_at<statement_ahead>, ident> {};
struct cite : seq<keyword<"cite">, then<cite_work>, star<seq<gap, cite_id>>, then<end_of<cite>>> {};

struct device_name : plus<sor<identifier_other, one<'-', '.'>>> {};
struct device : seq<keyword<"device">, then<device_name>, then<end_of<device>>> {};

struct param_name : seq<ident> {};
struct param
    : seq<keyword<"param">, then<param_name>, then<equals>, then<expression>, then<end_of<param>>> {
};

// The x of `x3`, `x n`, `x (2 * n)`: alone, or right before a number.
struct times : seq<one<'x'>, sor<at<digit>, not_at<identifier_other>>> {};
struct step : sor<seq<times, gap, sum>, sum> {};
struct range_dots : two<'.'> {};
struct axis_range
    : seq<sum, gap, must<range_dots>, gap, must<sum>, opt<seq<gap, kw_step, then<step>>>> {};
struct open_bracket : one<'['> {};
// An axis of spaces or of accesses has words of the language among its values.
struct shared_word : keyword<"shared"> {};
struct language_word : sor<shared_word, access_word> {};
struct list_item : sor<expression, language_word> {};
struct value_list
    : bracketed<seq<open_bracket, gap, opt<listed<list_item>>, gap, must<close_bracket>>> {};
struct axis_name : seq<ident> {};
struct axis : seq<axis_name, gap, sor<seq<kw_in, then<value_list>>, must<axis_range>>> {};
struct paren_ahead : at<one<'('>> {};
struct zip : seq<keyword<"zip">, then<paren_ahead>,
                 bracketed<seq<one<'('>, gap, must<axis>, star<seq<comma, must<axis>>>, gap,
                               must<close_paren>>>> {};
struct group : sor<zip, axis> {};
struct sweep
    : seq<keyword<"sweep">, then<group>, star<seq<comma, must<group>>>, then<end_of<sweep>>> {};

// `threads (16, 8)`, `threads (8, 8, 4)`: in x, y and z. What is no list in parentheses is an
// expression.
struct third_extent : seq<comma, must<sum>> {};
struct extent_list : bracketed<seq<pair_ahead, one<'('>, gap, must<sum>, gap, one<','>, wide_gap,
                                   must<sum>, opt<third_extent>, gap, must<close_paren>>> {};
struct extent : sor<extent_list, sum> {};
struct threads : seq<keyword<"threads">, then<extent>, then<end_of<threads>>> {};
struct blocks : seq<keyword<"blocks">, then<extent>, then<end_of<blocks>>> {};
struct cluster : seq<keyword<"cluster">, then<sum>, then<end_of<cluster>>> {};
struct shared_bytes : seq<keyword<"shared_bytes">, then<sum>, then<end_of<shared_bytes>>> {};
struct warmup : seq<keyword<"warmup">, then<sum>, then<end_of<warmup>>> {};

struct reduction : seq<word> {};
// `1%`: no modulo, whatever follows it.
struct percent_sign : one<'%'> {};
struct percentage : seq<primary, gap, must<percent_sign>> {};
struct until : seq<kw_until, then<percentage>, opt<seq<gap, kw_at, then<kw_most>, then<sum>>>> {};
struct reduced : opt<seq<gap, kw_reduce, then<reduction>>> {};
struct repeat : seq<keyword<"repeat">, gap,
                    sor<seq<until, reduced, then<end_of<until>>>,
                        seq<must<sum>, reduced, then<end_of<repeat>>>>> {};

struct condition : seq<kw_if, then<expression>> {};
struct flush : seq<keyword<"flush">, opt<seq<gap, not_at<statement_ahead>, sum>>,
                   opt<seq<gap, condition>>, then<end_of<flush>>> {};

struct rehearse : seq<keyword<"rehearse">, then<sum>, then<end_of<rehearse>>> {};
struct offset : seq<keyword<"offset">, then<sum>, then<end_of<offset>>> {};
struct registers : seq<keyword<"registers">, then<sum>, then<end_of<registers>>> {};
struct watchdog : seq<keyword<"watchdog">, then<sum>, then<end_of<watchdog>>> {};

struct bank_width : seq<keyword<"bank_width">, then<sum>, then<end_of<bank_width>>> {};
struct carveout : seq<keyword<"carveout">, then<sum>, then<end_of<carveout>>> {};
struct l1_state : seq<word> {};
struct l1_cache : seq<keyword<"l1_cache">, then<l1_state>, then<end_of<l1_cache>>> {};
struct kw_sm : keyword<"sm"> {};
struct place : seq<keyword<"place">, then<kw_sm>, then<sum>, then<end_of<place>>> {};

struct variable_name : seq<ident> {};
struct shared
    : seq<keyword<"shared">, then<variable_name>, then<equals>, then<sum>, then<end_of<shared>>> {};

struct observed_name : seq<word> {};
struct observe : seq<keyword<"observe">, then<observed_name>, then<end_of<observe>>> {};

struct method : sor<text_literal, ident> {};
struct argument_name : seq<word> {};
// `v = (1, 2, 3, 4)`: the components of a vector.
struct tuple
    : bracketed<seq<pair_ahead, one<'('>, gap, listed<expression>, gap, must<close_paren>>> {};
struct argument_value : sor<tuple, expression> {};
struct argument : seq<argument_name, then<equals>, then<argument_value>> {};
struct named_arguments
    : bracketed<seq<one<'('>, gap, opt<seq<argument, star<seq<comma, must<argument>>>>>, gap,
                    must<close_paren>>> {};
struct analyze_call
    : sor<seq<text_literal, opt<seq<gap, named_arguments>>>, seq<ident, then<named_arguments>>> {};
struct analyze : seq<keyword<"analyze">, then<analyze_call>, then<end_of<analyze>>> {};

struct column_name : seq<ident> {};
struct columns : listed<column_name> {};
struct by_columns : listed<column_name> {};
struct over_column : seq<column_name> {};
struct log_x : keyword<"logx"> {};
struct log_y : keyword<"logy"> {};
struct plot : seq<keyword<"plot">, then<columns>, then<kw_over>, then<over_column>,
                  opt<seq<gap, kw_by, then<by_columns>>>, star<seq<gap, sor<log_x, log_y>>>,
                  then<end_of<plot>>> {};

struct derived_name : seq<ident> {};
struct derive
    : seq<keyword<"derive">, then<derived_name>, then<equals>, then<sum>, then<end_of<derive>>> {};

// `expect buffer(out) == "reference.npy" within 1e-5`
struct result_word : sor<keyword<"buffer">, keyword<"checksum">> {};
struct result_name : seq<word> {};
struct result_of
    : seq<result_word, gap,
          bracketed<seq<one<'('>, gap, must<result_name>, opt<seq<one<'.'>, must<result_name>>>,
                        gap, must<close_paren>>>> {};
struct result_ahead : at<seq<result_word, gap, one<'('>>> {};
struct double_equals : string<'=', '='> {};
struct within_word : keyword<"within"> {};
struct tolerance : seq<gap, within_word, then<sum>> {};
struct reference_result : sor<seq<result_ahead, result_of>, text_literal, sum> {};
struct expect_result
    : seq<result_ahead, result_of, then<double_equals>, then<reference_result>, opt<tolerance>> {};
struct expect
    : seq<keyword<"expect">, gap, sor<expect_result, must<expression>>, then<end_of<expect>>> {};

struct finding_name : seq<sor<dotted_head, ident>, star<seq<one<'.'>, word>>, opt<keys>> {};
struct row_id : seq<ident> {};
struct paper_value : seq<sum, opt<seq<gap, dots, then<sum>>>> {};
struct paper : seq<keyword<"paper">, then<finding_name>, then<equals>, then<paper_value>,
                   then<row_id>, then<end_of<paper>>> {};

struct sentence : seq<text_literal> {};
struct claim
    : seq<keyword<"claim">, then<sentence>, then<expression>, then<row_id>, then<end_of<claim>>> {};

struct stride_word : keyword<"stride"> {};
struct random_word : keyword<"random"> {};
struct list_word : keyword<"list"> {};
struct steps_word : keyword<"steps"> {};
struct chase_step : seq<sum, then<kw_of>, then<sum>> {};
struct chase_steps : bracketed<seq<one<'['>, gap, must<chase_step>,
                                   star<seq<comma, must<chase_step>>>, gap, must<close_bracket>>> {
};
struct chase_order
    : sor<seq<stride_word, then<sum>>, seq<random_word, then<sum>, opt<seq<comma, must<sum>>>>,
          seq<list_word, then<value_list>>, seq<steps_word, then<chase_steps>>> {};
struct chase : seq<keyword<"chase">, then<paren_ahead>,
                   bracketed<seq<one<'('>, gap, must<chase_order>, gap, must<close_paren>>>> {};
struct width_word : keyword<"width"> {};
struct width : seq<width_word, then<sum>> {};
struct array_name : seq<ident> {};
struct colon : one<':'> {};
struct array_space : seq<word> {};
struct close_size : closing<']'> {};
struct array_size : bracketed<seq<one<'['>, gap, must<sum>, gap, must<close_size>>> {};
struct array : seq<keyword<"array">, then<array_name>, then<colon>, then<array_space>,
                   then<array_size>, star<seq<gap, sor<chase, width>>>, then<end_of<array>>> {};

struct kernel_name : seq<ident> {};
struct kernel_file : seq<text_literal> {};
struct from_word : keyword<"from"> {};
struct entry_word : keyword<"entry"> {};
struct entry_name : seq<cxx_name> {};
struct kernel_arguments : seq<named_arguments> {};
struct macro : seq<argument> {};
struct kernel_defines : seq<gap, keyword<"define">, then<macro>, star<seq<comma, must<macro>>>> {};
struct kernel : seq<keyword<"kernel">, then<kernel_name>, then<from_word>, then<kernel_file>,
                    opt<kernel_defines>, then<entry_word>, then<entry_name>, then<kernel_arguments>,
                    then<end_of<kernel>>> {};

}  // namespace gpx::grammar::rules
