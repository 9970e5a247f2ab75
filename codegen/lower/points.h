// Points: the values of an experiment's expressions at every point of its sweep.
//
// A sweep may have a million points, while an expression mentions one or two of its axes: each is
// evaluated once for each combination of the axes that it mentions, and looked up after that.
// Covered by tests/codegen/lower_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/experiment.h"

namespace gpx::codegen {

/// Where a sweep stands: one index for each of its groups.
class SweepCursor {
 public:
  explicit SweepCursor(const Sweep& sweep);
  void next();
  const std::vector<std::uint32_t>& index() const { return index_; }
  const std::vector<std::uint32_t>& sizes() const { return sizes_; }

 private:
  std::vector<std::uint32_t> sizes_, index_;
};

/// One expression over a sweep. Besides axes and parameters it may name `threads` and `blocks`,
/// which are the measure's own where no axis has that name.
class PointExpr {
 public:
  PointExpr(const Experiment& experiment, const Measure& measure, const Expr& expr);

  /// The place to blame: the axis where the expression is an axis's bare name.
  Span span() const { return span_; }
  /// True where every point has the same value.
  bool constant() const { return groups_.empty(); }
  /// nullptr where the evaluation fails; `error()` then says why.
  const Value* at(const SweepCursor& cursor);
  const EvalError& error() const { return error_; }

 private:
  void collect(const Expr& expr, int depth);
  std::optional<Value> evaluate_at(const SweepCursor& cursor);

  const Experiment& experiment_;
  const Measure& measure_;
  const Expr& expr_;
  Span span_;
  std::vector<std::uint32_t> groups_;       ///< Whose axes the expression mentions, ascending.
  std::vector<std::optional<Value>> memo_;  ///< One for each combination of them.
  EvalError error_;
};

}  // namespace gpx::codegen
