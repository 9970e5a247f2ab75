// LuaTable: a file of Lua data as a tree, with the place of each field in the text.
//
// The chunk runs in a bare state: no library, 16 MiB, a million instructions. What it returns is
// copied; places are found by reading the table constructors of the text, so a field that the chunk
// computes elsewhere has none. Covered by tests/vgpu/device_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lang/diagnostic.h"

namespace gpx::vgpu::timing {

struct LuaValue {
  enum class Kind { nil, truth, number, text, table, other };
  Kind kind = Kind::nil;
  bool truth = false;
  double number = 0;
  std::string text;                       ///< text; other: the type's name.
  std::map<std::string, LuaValue> named;  ///< table: fields with string keys.
  std::vector<LuaValue> items;            ///< table: [1], [2], ...
  bool odd_keys = false;                  ///< table: it has keys of another kind.

  const LuaValue* find(const std::string& key) const;
};

/// "a table", "a number", ...
std::string describe(const LuaValue& value);

struct LuaData {
  LuaValue value;
  std::map<std::string, Span> places;  ///< By path: "sm.count" is the place of `count = 13`.
};

/// Errors: a syntax error or a run-time error with its line, an exceeded budget, a result that is
/// not a table, nesting deeper than 8.
Result<LuaData> read_lua_data(const Source& source);
/// The same in a process of its own, whose time and memory the kernel counts.
Result<LuaData> read_lua_file(const Source& source);

}  // namespace gpx::vgpu::timing
