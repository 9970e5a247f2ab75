// Interface: missing.h. Covered by tests/twin/missing_test.cpp.
#include "runtime/twin/missing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/twin/fit_table.h"
#include "runtime/twin/lua_text.h"

namespace gpx::twin {
namespace {

/// "assumed", "fitted", "as on the h200" or "from other findings", by the note of a value.
std::string origin_of(const std::string& note) {
  constexpr std::string_view kLike = "; as on the ";
  if (const std::size_t at = note.rfind(kLike); at != note.npos) {
    const std::size_t name = at + kLike.size();
    return "as on the " + note.substr(name, note.find('"', name) - name);
  }
  if (note.starts_with("assumed")) return "assumed";
  return note.starts_with("source = \"fitted: ") ? "fitted" : "from other findings";
}

std::string instead(const std::string& text, const std::string& path) {
  const auto value = value_in(text, path);
  if (!value && text.find("\n  " + path + " = {\n") != text.npos)
    return path + (path == "op" ? ": as others of its unit" : ": from other findings");
  if (!value) return path + ": not modelled";
  std::string shown = *value;
  std::erase(shown, '"');
  return fmt::format("{}: {}, {}", path, shown, origin_of(note_in(text, path).value_or("")));
}

}  // namespace

std::vector<vgpu::FileMissing> missing_of(const Draft& draft) {
  std::vector<vgpu::FileMissing> all;
  for (const Missing& one : draft.missing) {
    vgpu::FileMissing& row = all.emplace_back(vgpu::FileMissing{one.finding, one.why, {}});
    for (const std::string& path : one.fields) row.fields.push_back(instead(draft.text, path));
  }
  return all;
}

std::string with_missing(const Draft& draft) {
  std::string lines;
  for (const vgpu::FileMissing& one : missing_of(draft)) {
    std::vector<std::string> fields;
    for (const std::string& field : one.fields) fields.push_back(lua_quoted(field));
    lines += fmt::format("    {{ finding = {}, why = {}, fields = {{ {} }} }},\n",
                         lua_quoted(one.finding), lua_quoted(one.why), fmt::join(fields, ", "));
  }
  std::string text = draft.text;
  if (!lines.empty())
    text.insert(text.rfind("\n}") + 1, fmt::format("\n  missing = {{\n{}  }},\n", lines));
  return text;
}

}  // namespace gpx::twin
