// Merging of two files' tables. Interface: base_file.h. Covered by tests/vgpu/base_file_test.cpp.
#include "runtime/device/vgpu/description/base_file.h"

#include <fmt/format.h>

#include "codegen/files/files.h"
#include "lang/try.h"

namespace gpx::vgpu::timing {
namespace {

constexpr const char* kBase = "base";
constexpr std::uintmax_t kMostBaseBytes = 1 << 20;
constexpr std::string_view kBaseFollows = "\n-- The base of this device file:\n";

Span place_of_base(const LuaData& data) {
  const auto place = data.places.find(kBase);
  return place == data.places.end() ? Span{} : place->second;
}

bool is_section(const LuaValue& value) {
  return value.kind == LuaValue::Kind::table && value.items.empty() && !value.odd_keys;
}

bool has_note(const LuaValue& value) {
  return value.find("source") || value.find("assumed");
}

// A field as it stands under its section's note.
LuaValue noted(LuaValue field, const LuaValue& section) {
  if (!has_note(section) || (field.kind == LuaValue::Kind::table && has_note(field))) return field;
  LuaValue result = std::move(field);
  if (result.kind != LuaValue::Kind::table) {
    LuaValue table;
    table.kind = LuaValue::Kind::table;
    table.items.push_back(std::move(result));
    result = std::move(table);
  }
  for (const char* key : {"source", "assumed"})
    if (const LuaValue* note = section.find(key)) result.named[key] = *note;
  return result;
}

Result<std::string> base_file(const Source& source, const LuaData& data, const std::string& path) {
  auto text = read_file_at(path, kMostBaseBytes);
  if (text) return std::move(*text);
  return fail(Fault::input, source, place_of_base(data),
              fmt::format("cannot read the device file '{}': {}", path, text.error().reason));
}

void merge_section(const LuaValue& own, LuaValue& merged) {
  for (const auto& [name, field] : own.named)
    if (name != "source" && name != "assumed") merged.named[name] = noted(field, own);
}

}  // namespace

Result<std::optional<std::string>> base_of(const Source& source, const LuaData& data) {
  const LuaValue* base = data.value.find(kBase);
  if (!base) return std::nullopt;
  if (base->kind != LuaValue::Kind::text || base->text.empty() ||
      base->text.find_first_of("/\\") != std::string::npos || base->text.front() == '.')
    return fail(Fault::input, source, place_of_base(data),
                fmt::format("\"{}\" is the name of a device file of the same folder, not {}", kBase,
                            describe(*base)),
                "base = \"h100\"");
  const std::string& name = source.name();
  const std::size_t slash = name.rfind('/');
  return (slash == std::string::npos ? "" : name.substr(0, slash + 1)) + base->text + ".lua";
}

Result<LuaData> over_base(const Source& source, LuaData data, const LuaData& base) {
  if (base.value.find(kBase))
    return fail(Fault::input, source, place_of_base(data),
                fmt::format("the base of a device file has no base itself, as \"{}\" does",
                            data.value.find(kBase)->text));
  LuaValue merged = base.value;
  for (auto& [name, value] : data.value.named) {
    if (name == kBase) continue;
    const auto found = merged.named.find(name);
    if (found != merged.named.end() && is_section(value) && is_section(found->second))
      merge_section(value, found->second);
    else
      merged.named[name] = std::move(value);
  }
  merged.items = std::move(data.value.items);
  merged.odd_keys = data.value.odd_keys;
  data.value = std::move(merged);
  return data;
}

Result<LuaData> read_with_base(const Source& source, LuaReader* read, std::string& base_text) {
  const std::string& all = source.text();
  const std::size_t end = all.find(kBaseFollows);
  auto data =
      end == std::string::npos ? read(source) : read(Source(source.name(), all.substr(0, end)));
  if (!data) return data;
  const auto base = GPX_TRY(base_of(source, *data));
  if (!base) return data;
  auto text = GPX_TRY(end == std::string::npos
                          ? base_file(source, *data, *base)
                          : Result<std::string>(all.substr(end + kBaseFollows.size())));
  const auto base_data = GPX_TRY(read(Source(*base, text)));
  base_text = std::move(text);
  return over_base(source, std::move(*data), base_data);
}

std::string with_base(const std::string& text, const std::string& base_text) {
  return base_text.empty() ? text : text + std::string(kBaseFollows) + base_text;
}

}  // namespace gpx::vgpu::timing
