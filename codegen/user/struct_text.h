// A struct that a kernel takes by value, as its file declares it: what lies where.
//
// Covered by tests/codegen/struct_text_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpx::codegen {

struct StructMember {
  enum class Kind { pointer, integer, real };
  std::string text;  ///< "int rounds"; of an element of an array "float w[4]".
  Kind kind = Kind::integer;
  std::uint32_t bytes = 0, offset = 0;
};

struct DeclaredStruct {
  std::string text;                   ///< "struct Params { int n; float scale; }"
  std::vector<StructMember> members;  ///< Of an array one for each element.
};

/// The struct that `type` names, from code without comments. Without members where the code has
/// none or several of the name, where it holds more than plain numbers, pointers and arrays of
/// them, or where these do not make `bytes` bytes.
DeclaredStruct declared_struct(std::string_view code, std::string_view type, std::uint32_t bytes);

/// The member that lies where `given` does and is of another kind, size or offset; nullptr: it
/// fits, or lies in padding.
const StructMember* misfit(const DeclaredStruct& declared, const StructMember& given);

}  // namespace gpx::codegen
