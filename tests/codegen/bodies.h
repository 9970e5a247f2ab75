// Bodies for tests, written in C++: statements, and experiments of one measure around them.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "codegen/ir/program.h"

namespace gpx::codegen::test {

inline Expr number(double value, Unit unit = Unit::none) {
  return Expr::number(value, unit);
}
inline Expr bytes(double value) {
  return Expr::number(value, Unit::byte);
}
inline Expr named(const char* name) {
  return Expr::name_of(name);
}
inline Expr binary(Expr left, Expr::Op op, Expr right) {
  Expr made;
  made.kind = Expr::Kind::binary;
  made.op = op;
  made.args = {std::move(left), std::move(right)};
  return made;
}
inline Expr is(const char* name, double value) {
  return binary(named(name), Expr::Op::eq, number(value));
}
inline Expr quoted(const char* text) {
  Expr made;
  made.kind = Expr::Kind::word;
  made.text = text;
  return made;
}

using Body = std::vector<gpx::Statement>;

/// A statement that stands in line 1.
inline gpx::Statement statement(decltype(gpx::Statement::node) node) {
  return {std::move(node), {0, 1}};
}
inline gpx::Statement add_u32(double count, double streams = 1) {
  return statement(Operate{quoted("add.u32"), number(count), number(streams)});
}
inline gpx::Statement barrier() {
  return statement(Sync{});
}
inline gpx::Statement stamp(const char* label = "") {
  return statement(Stamp{label});
}
inline gpx::Statement assign(const char* variable, Expr value) {
  return statement(Assign{variable, std::move(value)});
}
inline gpx::Statement keep(const char* column, Expr value) {
  return statement(Keep{column, std::move(value)});
}
inline gpx::Statement when(Expr condition, Body then, Body otherwise = {}) {
  return statement(When{std::move(condition), std::move(then), std::move(otherwise)});
}
inline gpx::Statement repeat_while(Expr condition, Body body) {
  return statement(While{std::move(condition), std::move(body)});
}
inline gpx::Statement diverge(const char* selector, const std::vector<int>& values, Body body) {
  Diverge made{named(selector), {}, std::move(body)};
  for (int value : values) made.values.push_back(number(value));
  return statement(std::move(made));
}
inline gpx::Statement chase(const char* array, double count, CacheOp cache = CacheOp::unspecified) {
  return statement(Chase{array, cache, number(count)});
}

/// An experiment of one measure: `observe` of `body`, a warp unless told otherwise.
inline Experiment experiment_of(Body body, Observe observe = Observe::latency,
                                double threads = 32) {
  Experiment made;
  made.name = "built";
  Measure& measure = made.measures[0];
  measure.threads = number(threads);
  measure.observe = observe;
  measure.body = std::move(body);
  return made;
}

inline Array array_of(const char* name, Space space, double size, Array::Layout layout,
                      double width = 4) {
  Array made;
  made.name = name;
  made.space = space;
  made.bytes = bytes(size);
  made.width = bytes(width);
  made.layout = std::move(layout);
  return made;
}
inline Array::Layout stride(double step) {
  return {Array::Layout::Kind::stride, {bytes(step)}};
}

inline Source built_source() {
  return Source("built.gpx", "experiment built { }\n");
}

inline Program lowered(const Experiment& experiment, const Limits& limits = {}) {
  auto program = lower(experiment, experiment.measures[0], built_source(), limits);
  if (!program) FAIL(render(program.error()));
  return *program;
}

/// What lowering says; empty if nothing.
inline std::string complaint_of(const Experiment& experiment, const Limits& limits = {}) {
  const auto program = lower(experiment, experiment.measures[0], built_source(), limits);
  return program ? std::string() : render(program.error());
}

}  // namespace gpx::codegen::test
