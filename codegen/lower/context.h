// What the parts of lowering share: the experiment, the device's limits, and the errors so far.
// Covered by tests/codegen/lower_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "codegen/ir/program.h"
#include "codegen/lower/points.h"
#include "lang/rules.h"

namespace gpx::codegen {

constexpr std::uint64_t kMaxExtent = 1ull << 48;  ///< Bytes that any GPU so far can address.
constexpr std::uint64_t kWord = 0xffff'ffffull;   ///< The largest 32-bit word.
constexpr std::uint64_t kMaxWarmup = 1'000'000;
constexpr std::uint64_t kMostRegisters = 255;  ///< Of a thread.

class LowerContext {
 public:
  LowerContext(const Experiment& of, const Measure& one, const Source& text, const Limits& device)
      : experiment(of), measure(one), source(text), limits(device) {}
  LowerContext(const LowerContext&) = delete;
  LowerContext& operator=(const LowerContext&) = delete;

  PointExpr expr(const Expr& expression) const { return {experiment, measure, expression}; }
  std::uint32_t line(Span span) const {
    return static_cast<std::uint32_t>(source.locate(span).line);
  }

  /// Each place is blamed once, whatever the number of points.
  void blame(Span span, std::string message, std::string hint = {});
  bool failed() const { return !error.diagnostics.empty(); }

  /// The value at a point; blame and nullptr where there is none.
  const Value* value(PointExpr& expr, const SweepCursor& at);
  /// A whole number within [low, high], or blame and nothing.
  std::optional<std::uint64_t> whole(PointExpr& expr, const SweepCursor& at, const char* what,
                                     std::uint64_t low, std::uint64_t high);
  std::optional<std::uint64_t> whole(PointExpr& expr, const SweepCursor& at,
                                     const NumberRule& rule);
  /// At least 1 and at most `limit`, which is the device's.
  std::optional<std::uint64_t> limited(PointExpr& expr, const SweepCursor& at, const char* what,
                                       const char* where, std::uint64_t limit);

  const Experiment& experiment;
  const Measure& measure;
  const Source& source;
  const Limits& limits;
  Error error;

 private:
  std::set<std::pair<std::uint32_t, std::uint32_t>> blamed_;
};

}  // namespace gpx::codegen
