// Types of kernel parameters that are passed by value: numbers, truth values, half precision and
// CUDA's vectors; and a value of the language as the bits of one.
// Covered by tests/codegen/value_types_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/ir/program.h"
#include "lang/value.h"

namespace gpx::codegen {

/// `float4` is 4 lanes of f32; a number is 1 lane.
struct ValueType {
  Element element = Element::i32;
  bool is_signed = true;  ///< Of integers.
  bool is_truth = false;  ///< bool: 0 or 1.
  std::uint32_t lanes = 1;
  std::uint32_t align = 4;  ///< Bytes.

  std::uint32_t bytes() const { return lanes * bytes_of(element); }
};

/// "const float4", "unsigned long long", "__half", "i32"; nothing of a type that is not built in.
std::optional<ValueType> value_type(std::string_view type);

/// Names of an enumeration with their values.
using Enumerators = std::vector<std::pair<std::string, Int128>>;
/// The enumerations of code without comments, as it writes them, each with its semicolon.
std::string enumerations_in(std::string_view code);
/// Those of the enumeration that `type` names, from code without comments. Empty where the code has
/// none of that name, or where a value is more than a number.
Enumerators enumerators_of(std::string_view code, std::string_view type);

/// The bits of one lane in the low bytes. Words: "inf", "nan", a character of a `char`, an
/// enumerator. Error: why it is no value of the type, such as "which holds 0 to 255".
tl::expected<std::uint64_t, std::string> value_bits(const ValueType& type, const Value& value,
                                                    const Enumerators& enumerators = {});

/// "0 to 255": the integers that an element holds.
std::string range_text(Element element, bool is_signed);
/// Whether an integer element holds it.
bool holds(Element element, bool is_signed, Int128 integer);

}  // namespace gpx::codegen
