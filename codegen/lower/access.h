// Lowering of one access statement: its addresses at every point, and what they reach.
// Covered by tests/codegen/lower_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/lower/context.h"
#include "codegen/lower/patterns.h"
#include "codegen/lower/structure.h"

namespace gpx::codegen {

constexpr std::uint64_t kSpanUnit = 256;  ///< Spans and buffers are multiples of it.
std::uint64_t round_up(std::uint64_t value, std::uint64_t unit);

class AccessLowering {
 public:
  AccessLowering(LowerContext& context, const Access& access);

  /// Appends the numbers that decide the code (width, count) and the arguments of a point where
  /// the grid has `threads` threads. False after blame.
  bool point(const SweepCursor& at, std::uint64_t threads, std::vector<std::uint64_t>& shape,
             std::vector<std::uint64_t>& scalars);

  /// Of the scalars, without the access's number.
  std::vector<const char*> scalar_names() const;
  const Access& access() const { return access_; }
  Span count_span() const { return count_.span(); }
  /// Of the whole sweep: bytes from a buffer's start. 0 after blame.
  std::uint64_t reach();
  /// After the walk: the code of a point whose numbers these are.
  AccessShape shape(std::uint64_t width, std::uint64_t count) const;

 private:
  bool arguments(const SweepCursor& at, AccessPoint& made);
  void extend(const AccessPoint& point);
  void scalars(const AccessPoint& point, std::vector<std::uint64_t>& out) const;
  std::uint64_t span() const { return round_up(reach_, kSpanUnit); }
  std::uint64_t only() const;

  LowerContext& context_;
  const Access& access_;
  const PatternRow& row_;
  const PatternCode& code_;
  PointExpr width_, count_;
  std::vector<PointExpr> args_;
  std::uint64_t reach_ = 0;  // The largest of PatternCode::reach.
  std::uint64_t max_count_ = 1;
  bool folded_ = false;
};

}  // namespace gpx::codegen
