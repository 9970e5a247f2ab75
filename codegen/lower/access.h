// Lowering of one access statement: its addresses at every point, and what they reach.
// Covered by tests/codegen/lower_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/lower/context.h"
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

  const Access& access() const { return access_; }
  Span count_span() const { return count_.span(); }
  /// Of the whole sweep: bytes from a buffer's start. 0 after blame.
  std::uint64_t reach();
  /// After the walk: the code of a point whose numbers these are.
  AccessShape shape(std::uint64_t width, std::uint64_t count) const;

 private:
  // What a statement is at one point.
  struct Point {
    std::uint32_t width = 4, count = 1;
    std::uint64_t a = 0, b = 0;  // The pattern's arguments; b is merge's B and random's seed.
  };
  bool arguments(const SweepCursor& at, Point& made);
  bool aligned(const PointExpr& expr, std::uint64_t bytes, std::uint32_t width);
  void extend(const Point& point, std::uint64_t threads);
  void scalars(const Point& point, std::vector<std::uint64_t>& out) const;
  std::uint64_t span() const { return round_up(layer_, kSpanUnit); }
  std::uint64_t pitch() const;

  LowerContext& context_;
  const Access& access_;
  PointExpr width_, count_;
  std::vector<PointExpr> args_;
  std::uint64_t layer_ = 0;   // Largest extent of the accesses of one index i, in bytes.
  std::uint64_t extent_ = 0;  // Largest extent of all; unique and merge add their spans later.
  std::uint64_t max_count_ = 1;
  bool fixed_pitch_ = false;  // broadcast: the whole sweep has one B.
};

}  // namespace gpx::codegen
