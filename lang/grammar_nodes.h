// Which rules leave a node in the parse tree, and which one: lang/grammar.h lists their children.
// Covered by the goldens of the tree (tests/lang).
#pragma once

#include "lang/grammar_rules.h"

namespace gpx::grammar::rules {

template <typename Rule>
inline constexpr Node node_of = Node::none;

#define GPX_NODE(rule, node) \
  template <>                \
  inline constexpr Node node_of<rule> = Node::node
GPX_NODE(word, ident);
GPX_NODE(ident, ident);
GPX_NODE(cxx_name, ident);
GPX_NODE(dotted, ident);
GPX_NODE(dotted_head, ident);
GPX_NODE(stride_word, ident);
GPX_NODE(random_word, ident);
GPX_NODE(list_word, ident);
GPX_NODE(steps_word, ident);
GPX_NODE(verdict, ident);
GPX_NODE(device_name, ident);
GPX_NODE(access_word, ident);
GPX_NODE(access_name, ident);
GPX_NODE(shared_word, ident);
GPX_NODE(language_word, reference);
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
GPX_NODE(extent_list, extents);
GPX_NODE(tuple, arguments);
GPX_NODE(result_word, ident);
GPX_NODE(result_name, ident);
GPX_NODE(result_of, result_of);
GPX_NODE(tolerance, tolerance);
GPX_NODE(expect_result, expect_result);
GPX_NODE(cluster, cluster);
GPX_NODE(shared_bytes, shared_bytes);
GPX_NODE(kernel, kernel);
GPX_NODE(run, run);
GPX_NODE(warmup, warmup);
GPX_NODE(repeat, repeat);
GPX_NODE(until, until);
GPX_NODE(flush, flush);
GPX_NODE(condition, condition);
GPX_NODE(offset, offset);
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
GPX_NODE(async, async);
GPX_NODE(wait, wait);
GPX_NODE(space_name, space);
GPX_NODE(width, width);
GPX_NODE(cache, cache);
GPX_NODE(count, count);
GPX_NODE(each, each);
GPX_NODE(chain, chain);
GPX_NODE(from, from);
GPX_NODE(on_rank, on_rank);
GPX_NODE(code, code);
GPX_NODE(streams, streams);
GPX_NODE(operation_name, ident);
GPX_NODE(source_name, ident);
GPX_NODE(data, data);
GPX_NODE(data_name, ident);
GPX_NODE(operate, operate);
GPX_NODE(inline_ptx, operate);
GPX_NODE(sync, sync);
GPX_NODE(of_cluster, of_cluster);
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
GPX_NODE(derive, derive);
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

}  // namespace gpx::grammar::rules
