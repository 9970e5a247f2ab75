// Lowering of an array that a measure chases: its layout at every point, where its elements lie.
// Covered by tests/codegen/chase_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/lower/context.h"

namespace gpx::codegen {

class ArrayLowering {
 public:
  ArrayLowering(LowerContext& context, const Array& array);

  /// Its contents at the point, remembered for contents() and first(). Adds its scalar.
  void point();
  const ChaseContents& contents() const { return contents_; }
  /// The byte offset where a chase begins at this point.
  std::uint64_t first() const;

  const Array& array() const { return array_; }
  /// Of the buffer, and of the kernel's array.
  const std::string& buffer() const { return buffer_; }
  std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  void check();
  std::uint64_t most_in_space() const;

  LowerContext& context_;
  const Array& array_;
  std::string buffer_, bytes_scalar_;
  ChaseContents contents_, checked_;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace gpx::codegen
