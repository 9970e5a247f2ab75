// The timed region, blocks and the file, as PEGTL rules: what clauses are put together to.
// docs/language.md has the same grammar for people. Covered by tests/lang/grammar_test.cpp.
#pragma once

#include "lang/grammar_clause.h"

namespace gpx::grammar::rules {

// ---- The timed region -------------------------------------------------------------------------

struct cache_word : keyword<"cache"> {};
struct each : keyword<"each"> {};
struct chain : keyword<"chain"> {};
struct streams_word : keyword<"streams"> {};
struct on_word : keyword<"on"> {};
struct option_ahead : sor<width_word, cache_word, each, chain, from_word, on_word, times> {};
struct timed_end : at<sor<eof, one<'\n', ';', '>', '#', '}'>>> {};
template <typename Timed>
struct done : timed_end {
  static constexpr bool ends_timed = true;
};

struct space_name : seq<word, at<seq<plus<blank>, not_at<option_ahead>, identifier_first>>> {};
struct pattern_name : seq<word> {};
struct cache_name : seq<word> {};
struct cache : seq<cache_word, then<cache_name>> {};
struct count : seq<times, then<sum>> {};
struct from : seq<from_word, then<sum>> {};
struct kw_rank : keyword<"rank"> {};
struct on_rank : seq<on_word, then<kw_rank>, then<sum>> {};
struct access_name : sor<dotted, free_word> {};
struct access : seq<sor<access_word, seq<access_ahead, access_name>>, opt<seq<gap, space_name>>,
                    then<pattern_name>, opt<seq<gap, arguments>>,
                    star<seq<gap, sor<width, cache, count, each, chain, from, on_rank>>>,
                    then<done<access>>> {};

struct async : seq<keyword<"async">, then<access>> {};
/// A shared variable may have that name.
struct wait : seq<keyword<"wait">, gap, timed_end> {};

struct streams : seq<streams_word, then<sum>> {};
struct operation_name : sor<dotted, free_word> {};
struct data_word : keyword<"data"> {};
struct data_name : seq<word> {};
struct data : seq<data_word, then<data_name>> {};
struct data_ahead : seq<data_word, plus<blank>, identifier_first> {};
struct source_name : seq<not_at<sor<times, chain, streams_word, data_ahead>>, free_word> {};
struct chain_through : seq<chain, opt<seq<gap, source_name>>> {};
struct operate
    : seq<operation_ahead, operation_name, star<seq<gap, sor<count, chain_through, streams, data>>>,
          then<done<operate>>> {};

struct ptx_text : seq<text_literal> {};
struct inline_ptx
    : seq<keyword<"ptx">, then<ptx_text>, star<seq<gap, sor<count, chain_through, streams>>>,
          then<done<inline_ptx>>> {};

struct code : seq<keyword<"code">, then<sum>, then<done<code>>> {};
struct of_cluster : keyword<"cluster"> {};
struct sync : seq<keyword<"sync">, opt<seq<gap, of_cluster>>, then<done<sync>>> {};
struct stamp : seq<keyword<"stamp">, opt<seq<gap, ident>>, then<done<stamp>>> {};
struct kept_name : seq<ident> {};
struct keep : seq<keyword<"keep">, then<kept_name>, then<equals>, then<sum>, then<done<keep>>> {};
struct run_name : seq<ident> {};
struct run : seq<keyword<"run">, then<run_name>, then<done<run>>> {};
struct assign : seq<ident, gap, equals, then<sum>, then<done<assign>>> {};

struct timed;
struct open_block : one<'{'> {};
struct close_block : closing<'}'> {};
struct close_angle : closing<'>'> {};
/// In a region `offset` is a name, of an axis of operations or a shared variable.
struct timed_stop : sor<eof, one<'>', '}'>, seq<not_at<keyword<"offset">>, statement_ahead>> {};
struct timed_list
    : seq<separators,
          star<seq<not_at<timed_stop>, recovering<Resume::timed, must<timed>>, separators>>> {};
struct block : braced<seq<open_block, timed_list, must<close_block>>> {};
struct test : seq<expression> {};
struct when;
struct else_part : seq<wide_gap, kw_else, gap, sor<when, must<block>>> {};
struct when : seq<keyword<"when">, then<test>, then<block>, opt<else_part>, then<done<when>>> {};
struct while_ : seq<keyword<"while">, then<test>, then<block>, then<done<while_>>> {};
struct tested_over : keyword<"over"> {};
struct tested_values : sor<value_list, bounds> {};
struct diverge : seq<keyword<"diverge">, then<sum>, then<tested_over>, then<tested_values>,
                     then<block>, then<done<diverge>>> {};

struct timed : sor<when, while_, diverge, code, sync, stamp, keep, run, inline_ptx, async, wait,
                   access, assign, operate> {};
struct region : seq<braced<seq<one<'<'>, timed_list, must<close_angle>>>, then<end_of<region>>> {};

struct beside : seq<keyword<"beside">, then<kw_sm>, then<sum>, opt<seq<gap, condition>>,
                    then<block>, then<end_of<beside>>> {};

// ---- The file ---------------------------------------------------------------------------------

struct measure;
struct statement : sor<sweep, region, device, cite, param, threads, blocks, cluster, repeat, warmup,
                       flush, offset, rehearse, registers, watchdog, bank_width, carveout, l1_cache,
                       place, beside, shared_bytes, shared, array, kernel, observe, measure, derive,
                       analyze, plot, expect, paper, claim> {};
struct measure_statement
    : sor<region, threads, blocks, cluster, warmup, flush, offset, rehearse, registers, watchdog,
          bank_width, carveout, l1_cache, place, beside, shared_bytes, shared, observe> {};

struct experiment_name : seq<ident> {};
struct measure_name : seq<ident> {};
struct open_brace : one<'{'> {};
struct brace_ahead : at<one<'{'>> {};
struct close_brace : closing<'}'> {};
struct line_end : at<sor<eof, one<'\n', ';', '#'>>> {};
struct header : seq<then<experiment_name>, gap, opt<text_literal>, then<brace_ahead>> {};
struct block_stop : sor<eof, close_brace, kw_experiment> {};
struct block_body
    : seq<separators, star<seq<not_at<block_stop>, recovering<Resume::statement, must<statement>>,
                               separators>>> {};
struct close_measure : closing<'}'> {};
struct measure_body
    : seq<separators,
          star<seq<not_at<block_stop>, recovering<Resume::statement, must<measure_statement>>,
                   separators>>> {};
struct measure_ahead : at<open_brace> {};
struct measure
    : seq<keyword<"measure">, then<measure_name>, then<measure_ahead>,
          braced<seq<open_brace, measure_body, must<close_measure>>>, then<end_of<measure>>> {};
struct experiment : seq<kw_experiment, recovering<Resume::header, header>, gap,
                        braced<seq<open_brace, block_body, must<close_brace>>>, then<line_end>> {};

struct line : seq<plus<seq<statement, gap>>, must<line_end>> {};
struct item : sor<experiment, line> {};
struct file : seq<opt<utf8::bom>, separators,
                  star<seq<not_at<eof>, recovering<Resume::item, must<item>>, separators>>, eof> {};

struct value_range : seq<sum, gap, dots, then<sum>, opt<seq<gap, kw_step, then<step>>>> {};
struct value : sor<value_list, value_range, expression> {};
struct value_file : seq<gap, recovering<Resume::item, seq<must<value>, gap, must<eof>>>> {};

}  // namespace gpx::grammar::rules
