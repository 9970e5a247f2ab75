// What is said where a rule that must follow does not: one row for each rule in a must<>.
// The words in quotes are what a hint is chosen from. Covered by the bad-* goldens.
#pragma once

#include <array>
#include <string_view>

#include "lang/grammar_rules.h"
#include "lang/observe.h"
#include "lang/patterns.h"

namespace gpx::grammar::rules {

template <typename Rule>
inline constexpr const char* error_message = nullptr;
/// Whether a rule has one: under sanitizers an address is no constant that could be compared.
template <typename Rule>
inline constexpr bool has_message = false;

/// "expected 'latency', 'time' or 'each'" of the rows of a table.
template <typename Rows, typename Name>
constexpr auto expecting(std::string_view before, const Rows& rows, Name name) {
  std::array<char, 512> text{};
  std::size_t size = 0;
  const auto add = [&](std::string_view part) {
    for (const char c : part) text[size++] = c;
  };
  add(before);
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    add(i == 0 ? "'" : i + 1 < std::size(rows) ? "', '" : "' or '");
    add(name(rows[i]));
  }
  add("'");
  return text;
}
inline constexpr auto expected_pattern =
    expecting("expected an array, or a pattern: ", kPatterns,
              [](const auto& row) -> std::string_view { return row.name; });
inline constexpr auto expected_observation =
    expecting("expected ", kObserveNames, [](std::string_view name) { return name; });

#define GPX_MESSAGE(rule, text)                   \
  template <>                                     \
  inline constexpr bool has_message<rule> = true; \
  template <>                                     \
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
GPX_MESSAGE(paren_ahead, "expected '('");
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
GPX_MESSAGE(list_item, "expected a value");
GPX_MESSAGE(value_list, "expected a list such as [1, 2, 4]");
GPX_MESSAGE(step, "expected the step: a value, or a factor such as x2");
GPX_MESSAGE(end_of<sweep>, "expected 'step', ',' or the end of the clause");
GPX_MESSAGE(end_of<threads>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<blocks>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<cluster>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<warmup>, "expected an operator or the end of the clause");
GPX_MESSAGE(reduction, "expected 'harmonic_mean', 'mean', 'median', 'min' or 'max'");
GPX_MESSAGE(percentage, "expected a share such as 1%");
GPX_MESSAGE(percent_sign, "expected '%': a share such as 1%");
GPX_MESSAGE(kw_most, "expected 'most' and a number of repetitions, such as at most 200");
GPX_MESSAGE(end_of<until>, "expected 'at most', 'reduce' or the end of the clause");
GPX_MESSAGE(end_of<repeat>, "expected 'reduce' or the end of the clause");
GPX_MESSAGE(end_of<flush>, "expected an amount such as 76MB, 'if' or the end of the clause");
GPX_MESSAGE(observed_name, expected_observation.data());
GPX_MESSAGE(end_of<rehearse>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<offset>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<registers>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<watchdog>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<bank_width>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<carveout>, "expected an operator or the end of the clause");
GPX_MESSAGE(l1_state, "expected 'on' or 'off'");
GPX_MESSAGE(end_of<l1_cache>, "expected the end of the clause");
GPX_MESSAGE(kw_sm, "expected 'sm' and the number of an SM, such as sm 0");
GPX_MESSAGE(end_of<place>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<beside>, "expected another clause or the end of the line");
GPX_MESSAGE(
    variable_name,
    "expected the name of a shared variable (bytes for a kernel from a file: shared_bytes)");
GPX_MESSAGE(end_of<shared>, "expected an operator or the end of the clause");
GPX_MESSAGE(array_name, "expected the name of an array");
GPX_MESSAGE(colon, "expected ':' and the space of the array, such as : global[16KB]");
GPX_MESSAGE(array_space, "expected 'global', 'shared', 'constant', 'texture', 'local' or 'peer'");
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
GPX_MESSAGE(macro, "expected a macro's name and its value, such as UNROLL = 8");
GPX_MESSAGE(end_of<analyze>, "expected the end of the clause");
GPX_MESSAGE(columns, "expected what to plot: 'latency', 'time', another column or an axis");
GPX_MESSAGE(column_name, "expected the name of a column or an axis");
GPX_MESSAGE(kw_over, "expected ',' or 'over' and the axis across");
GPX_MESSAGE(over_column, "expected the name of the axis across");
GPX_MESSAGE(by_columns, "expected the name of an axis");
GPX_MESSAGE(end_of<plot>, "expected 'by', 'logx', 'logy' or the end of the clause");
GPX_MESSAGE(derived_name, "expected the name of the column");
GPX_MESSAGE(end_of<derive>, "expected an operator or the end of the clause");
GPX_MESSAGE(end_of<expect>, "expected an operator or the end of the clause");
GPX_MESSAGE(finding_name, "expected the name of a finding, such as outstanding.entries");
GPX_MESSAGE(paper_value, "expected the value that the paper reports");
GPX_MESSAGE(result_name, "expected a buffer of the kernel, such as buffer(out)");
GPX_MESSAGE(double_equals, "expected '=='");
GPX_MESSAGE(reference_result,
            "expected a file such as \"reference.npy\", a buffer of another kernel such as "
            "buffer(ref.out), or a number");
GPX_MESSAGE(argument_value, "expected a value");
GPX_MESSAGE(extent, "expected a value, or two or three: (16, 8)");
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
            "expected 'load', 'store', 'copy', 'async', an operation such as add.u32, 'ptx', "
            "'code', 'sync', 'wait', 'stamp', 'keep', 'when', 'while', 'diverge' or 'run'");
GPX_MESSAGE(access, "expected 'load' or 'store'");
GPX_MESSAGE(pattern_name, expected_pattern.data());
GPX_MESSAGE(cache_name, "expected 'ca', 'cg', 'cs', 'cv', 'lu' or 'nc'");
GPX_MESSAGE(kw_rank, "expected 'rank' and the rank of a block in its cluster, such as rank 0");
GPX_MESSAGE(done<access>,
            "expected 'width', 'cache', a count such as x3, 'chain', 'from', 'on', or '>'");
GPX_MESSAGE(data_name, "expected 'zeros' or 'random'");
GPX_MESSAGE(done<operate>, "expected a count such as x256, 'chain', 'streams', 'data', or '>'");
GPX_MESSAGE(ptx_text, "expected PTX in quotes, such as \"fma.rn.f32 %d, %a, %b, %c\"");
GPX_MESSAGE(done<inline_ptx>, "expected a count such as x256, 'chain', 'streams', or '>'");
GPX_MESSAGE(done<code>, "expected an operator, the end of the line, ';' or '>'");
GPX_MESSAGE(done<sync>, "expected 'cluster', the end of the line, ';' or '>'");
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
            "expected a clause of the measure: 'threads', 'blocks', 'cluster', 'warmup', "
            "'flush', 'offset', 'rehearse', 'registers', 'watchdog', 'bank_width', 'carveout', "
            "'l1_cache', 'place', 'beside', 'shared', 'shared_bytes', 'observe' or '<'");
GPX_MESSAGE(measure_name, "expected the name of the measure");
GPX_MESSAGE(close_measure, "expected '}' at the end of the measure");
GPX_MESSAGE(end_of<measure>, "expected another clause or the end of the line");
GPX_MESSAGE(experiment_name, "expected the experiment's name");
GPX_MESSAGE(brace_ahead, "expected the title in quotes or '{'");
GPX_MESSAGE(measure_ahead, "expected '{'");
GPX_MESSAGE(close_brace, "expected '}' at the end of the experiment");
GPX_MESSAGE(line_end, "expected another clause or the end of the line");
GPX_MESSAGE(item, "expected an experiment, a parameter or a line with '<' and '>'");
GPX_MESSAGE(value, "expected a value, a range or a list");
GPX_MESSAGE(eof, "expected the end of the value");
#undef GPX_MESSAGE

}  // namespace gpx::grammar::rules
