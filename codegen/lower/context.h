// What the parts of lowering share: the experiment, the device's limits, the values of expressions
// at the point that is being lowered, the arguments of its launch, and the errors so far.
// Covered by tests/codegen/lower_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "codegen/ir/program.h"
#include "codegen/lower/points.h"
#include "lang/assert.h"
#include "lang/rules.h"

namespace gpx::codegen {

constexpr std::uint64_t kMaxExtent = 1ull << 48;  ///< Bytes that any GPU so far can address.
constexpr std::uint64_t kSpanUnit = 256;          ///< Spans and buffers are multiples of it.
std::uint64_t round_up(std::uint64_t value, std::uint64_t unit);

/// The arguments of a launch: every point of a sweep adds the same names in the same order.
class Scalars {
 public:
  void add(std::string_view name, std::uint64_t value);
  /// "first2"
  void add(std::string_view name, std::size_t number, std::uint64_t value);
  const std::vector<std::string>& names() const { return names_; }
  /// The values so far; what is added after this is another launch's.
  std::vector<std::uint64_t> take();

 private:
  std::vector<std::string> names_;  // As the first launch added them.
  std::vector<std::uint64_t> values_;
  bool named_ = false;
};

class LowerContext {
 public:
  LowerContext(const Experiment& of, const Measure& one, const Source& text, const Limits& device)
      : experiment(of), measure(one), source(text), limits(device), at(of.sweep) {}
  LowerContext(const LowerContext&) = delete;
  LowerContext& operator=(const LowerContext&) = delete;

  /// Each place is blamed once, whatever the number of points.
  void blame(Span span, std::string message, std::string hint = {});
  /// Blames the place where the device has no peer.
  void need_peer(Span span);
  bool failed() const { return !error.diagnostics.empty(); }

  // The value of an expression at the point `at`. The checker has looked at a small sweep's points
  // and at a large one's ends: a value that breaks the rule is blamed here, and the walk goes on
  // with the rule's lowest.
  std::uint64_t whole(const Expr& expr, const NumberRule& rule);
  /// A whole number or a time.
  double number(const Expr& expr, const NumberRule& rule);
  /// At most `limit`, which is the device's; `where` says what of.
  std::uint32_t limited(const Expr& expr, const NumberRule& rule, const char* where,
                        std::uint64_t limit);
  /// A truth value; true where there is no expression.
  bool holds(const std::optional<Expr>& condition);
  /// nullptr and blame where the evaluation fails.
  const Value* value(const Expr& expr);
  /// The place to blame, and whether every point has the same value.
  const PointExpr& of(const Expr& expr) { return memo(expr); }
  /// What to give in place of a name whose value the device has not: "" of other expressions.
  std::string setting_hint(const Expr& expr, std::uint64_t most) const;

  const Experiment& experiment;
  const Measure& measure;
  const Source& source;
  const Limits& limits;
  SweepCursor at;
  Scalars scalars;
  Error error;

 private:
  PointExpr& memo(const Expr& expr);

  std::unordered_map<const Expr*, PointExpr> values_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> blamed_;
};

// What generated kernels and kernels from files have in common.

/// Sets threads, blocks and warmup.
void set_extents(LowerContext& context, Launch& launch);
/// Sets flush, offset and watchdog.
void set_options(LowerContext& context, Launch& launch);
/// Exactly so many registers a thread; 0: as it comes.
std::uint32_t registers_at(LowerContext& context);

}  // namespace gpx::codegen
