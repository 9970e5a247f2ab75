// Lowering of an array that a measure chases: its layout at every point, where its elements lie.
// Covered by tests/codegen/chase_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/lower/context.h"

namespace gpx::codegen {

class ArrayLowering {
 public:
  ArrayLowering(LowerContext& context, const Array& array);

  /// Its contents at a point, remembered for first() and contents(). False after blame.
  bool point(const SweepCursor& at);
  const ChaseContents& contents() const { return contents_; }
  /// The byte offset where a chase begins at this point.
  std::uint64_t first() const;

  const Array& array() const { return array_; }
  /// Of the buffer, and of the kernel's array.
  std::string buffer() const { return "array_" + array_.name; }
  std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  bool fits(std::uint64_t bytes);
  bool steps(const SweepCursor& at);
  bool list();
  std::uint64_t most_in_space() const;

  LowerContext& context_;
  const Array& array_;
  PointExpr bytes_, width_;
  std::vector<PointExpr> args_;
  ChaseContents contents_;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace gpx::codegen
