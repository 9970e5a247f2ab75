// BaseFile: a device file that begins with another one's fields. `base = "h100"` is h100.lua of the
// same folder; what the file gives itself, field by field of a section, replaces the base's.
// Covered by tests/vgpu/base_file_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "runtime/device/vgpu/description/lua_table.h"

namespace gpx::vgpu::timing {

/// The path of the file that `data`, read from the file `name`, is based on; nullopt: on none.
/// Errors: the field is no name of a file of the folder.
Result<std::optional<std::string>> base_of(const Source& source, const LuaData& data);

/// `data` over the fields of `base`. A note of a section of `data` goes to its own fields. Errors:
/// the base has one itself.
Result<LuaData> over_base(const Source& source, LuaData data, const LuaData& base);

/// read_lua_data() or read_lua_file().
using LuaReader = Result<LuaData>(const Source& source);
/// A device file over its base, if it has one: then `base_text` is the base's text, of the file in
/// the same folder or as with_base() put it behind the device file.
Result<LuaData> read_with_base(const Source& source, LuaReader* read, std::string& base_text);

/// A device file and its base as one text, which read_with_base() reads without the folder. With
/// an empty `base_text`: the device file.
std::string with_base(const std::string& text, const std::string& base_text);

}  // namespace gpx::vgpu::timing
