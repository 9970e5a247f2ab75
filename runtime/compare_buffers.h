// Two buffers element by element: how many differ, where first, and by how much at most.
// Covered by tests/runtime/results_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "codegen/ir/program.h"

namespace gpx {

/// What a buffer's bytes are.
struct ElementType {
  codegen::Element element = codegen::Element::i32;
  bool is_signed = true;  ///< Of integers.
};

struct Difference {
  std::uint64_t index = 0;      ///< Of the first element that differs.
  std::string value, expected;  ///< Of that element.
  std::uint64_t count = 0, elements = 0;
  double largest =
      0;  ///< |value - expected| over all that differ; infinite where one is no number.
};

/// Nothing where all elements agree. With a tolerance |value - expected| is at most `within` plus
/// `within` times |expected|. Two NaN agree. Both spans have as many bytes.
std::optional<Difference> compare_buffers(std::span<const std::uint8_t> values,
                                          std::span<const std::uint8_t> expected, ElementType type,
                                          double within);

/// "element 1 is 0, not 3.5: 1023 of 1024 elements differ, by up to 7.25"
std::string to_string(const Difference& difference);

}  // namespace gpx
