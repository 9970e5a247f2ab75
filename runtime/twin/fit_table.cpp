// Interface: fit_table.h. Covered by tests/twin/fit_test.cpp.
#include "runtime/twin/fit_table.h"

#include <fmt/format.h>

#include <cstdlib>

#include "codegen/files/files.h"
#include "lang/try.h"
#include "runtime/analysis/lua/sandbox.h"
#include "runtime/twin/lua_fields.h"

namespace gpx::twin {
namespace {

/// A number in the field's unit, a word, or "=section.field".
std::string try_at(lua_State* state, const std::string& unit) {
  if (lua_isnumber(state, -1)) return value_text(unit, lua_tonumber(state, -1));
  const std::string text = lua_tostring(state, -1);
  return text.starts_with('=') ? text : fmt::format("\"{}\"", text);
}

FitField field_at(lua_State* state) {
  FitField field;
  field.path = text_field(state, "path");
  field.unit = text_field(state, "unit");
  field.least = number_field(state, "least");
  field.most = number_field(state, "most");
  field.step = number_field(state, "step");
  field.grain = number_field(state, "grain");
  lua_getfield(state, -1, "within");
  field.within = lua_toboolean(state, -1) != 0;
  lua_pop(state, 1);
  lua_getfield(state, -1, "tries");
  if (lua_istable(state, -1))
    for (lua_Integer i = 1; lua_rawgeti(state, -1, i) != LUA_TNIL || (lua_pop(state, 1), false);
         ++i) {
      field.tries.push_back(try_at(state, field.unit));
      lua_pop(state, 1);
    }
  lua_pop(state, 1);
  return field;
}

/// What `each` makes of the tables of the list `name`.
template <typename Each>
void for_tables(lua_State* state, const char* name, Each each) {
  lua_getfield(state, -1, name);
  const lua_Integer count = lua_istable(state, -1) ? luaL_len(state, -1) : 0;
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(state, -1, i);
    each();
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
}

FitRow row_at(lua_State* state) {
  FitRow row;
  row.name = text_field(state, "name");
  for_tables(state, "runs", [&] {
    row.runs.push_back({text_field(state, "file"), texts_field(state, "experiments"),
                        texts_field(state, "measures"), texts_field(state, "without")});
  });
  for_tables(state, "fields", [&] { row.fields.push_back(field_at(state)); });
  return row;
}

/// Where the line of a field is in a draft: its section's begin, and the line's.
struct Place {
  std::size_t section = std::string::npos, section_end = std::string::npos;
  std::size_t line = std::string::npos, line_end = std::string::npos;
};

struct Path {
  std::string section, field;
};

Path split(const std::string& path) {
  const std::size_t dot = path.find('.');
  return {path.substr(0, dot), path.substr(dot + 1)};
}

Place place_of_field(const std::string& text, const std::string& path) {
  const Path parts = split(path);
  Place place;
  if (path.find('.') == path.npos) {  // of the device itself
    const std::size_t line = text.find("\n  " + path + " = { ");
    if (line == text.npos) return place;
    place.line = line + 1;
    place.line_end = text.find('\n', place.line);
    return place;
  }
  place.section = text.find("\n  " + parts.section + " = {\n");
  if (place.section == text.npos) return place;
  place.section_end = text.find("\n  },", place.section);
  const std::size_t line = text.find("\n    " + parts.field + " = { ", place.section);
  if (line == text.npos || line > place.section_end) return place;
  place.line = line + 1;
  place.line_end = text.find('\n', place.line);
  return place;
}

/// Where the note of a field's line begins.
std::size_t note_at(const std::string& line) {
  return std::min(line.find(", source = "), line.find(", assumed = "));
}

}  // namespace

Result<std::vector<FitRow>> fit_rows(const Paths& paths) {
  const std::string path = paths.stdlib + "/twin/fits.lua";
  const auto text = file_text(path);
  if (!text) return fail(Fault::input, fmt::format("the library has no '{}'", path));
  std::vector<FitRow> rows;
  LuaSandbox sandbox;
  GPX_TRY(sandbox.protect([&](lua_State* state) {
    sandbox.load(state, path, *text);
    lua_call(state, 0, 1);
    const int table = lua_gettop(state);
    for (lua_Integer i = 1; lua_rawgeti(state, table, i) == LUA_TTABLE; ++i) {
      rows.push_back(row_at(state));
      lua_settop(state, table);
    }
  }));
  return rows;
}

std::string value_text(const std::string& unit, double value) {
  if (unit == "count") return fmt::format("{:.0f}", value);
  if (unit == "B") return fmt::format("\"{:.0f} B\"", value);
  if (unit.empty()) return fmt::format("{:.6g}", value);
  return fmt::format("\"{:.6g} {}\"", value, unit);
}

std::optional<double> number_of(const std::string& value) {
  const char* const begin = value.c_str() + (value.starts_with('"') ? 1 : 0);
  char* end = nullptr;
  const double number = std::strtod(begin, &end);
  if (end == begin) return std::nullopt;
  const std::string_view rest(end);
  for (const auto& [unit, bytes] : {std::pair(" KB", 0x1p10), {" MB", 0x1p20}, {" GB", 0x1p30}})
    if (rest.starts_with(unit)) return number * bytes;
  return number;
}

std::optional<std::pair<double, double>> interval_in(const std::string& note) {
  const std::size_t at = note.find(" (");
  if (at == note.npos) return std::nullopt;
  char* end = nullptr;
  const double low = std::strtod(note.c_str() + at + 2, &end);
  if (std::string_view(end).substr(0, 4) != " to ") return std::nullopt;
  const char* const second = end + 4;
  const double high = std::strtod(second, &end);
  return end == second || *end != ')' ? std::nullopt : std::optional(std::pair(low, high));
}

std::optional<std::string> value_in(const std::string& text, const std::string& path) {
  const Place place = place_of_field(text, path);
  if (place.line == text.npos) return std::nullopt;
  const std::string line = text.substr(place.line, place.line_end - place.line);
  const std::size_t begin = line.find("= { ") + 4;
  return line.substr(begin, note_at(line) - begin);
}

std::optional<std::string> note_in(const std::string& text, const std::string& path) {
  const Place place = place_of_field(text, path);
  if (place.line == text.npos) return std::nullopt;
  const std::string line = text.substr(place.line, place.line_end - place.line);
  const std::size_t begin = note_at(line);
  return begin == line.npos ? "" : line.substr(begin + 2);
}

std::string with_value(const std::string& text, const std::string& path, const std::string& value,
                       const std::string& note) {
  const Path parts = split(path);
  const std::string line = fmt::format("    {} = {{ {}, {} }},", parts.field, value, note);
  const Place place = place_of_field(text, path);
  std::string changed = text;
  if (place.line != text.npos)
    changed.replace(place.line, place.line_end - place.line, line);
  else if (place.section != text.npos)
    changed.insert(place.section_end, "\n" + line);
  else
    changed.insert(text.find("\n}"), fmt::format("\n\n  {} = {{\n{}\n  }},", parts.section, line));
  return changed;
}

}  // namespace gpx::twin
