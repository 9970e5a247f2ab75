// The reference that `gpx devices --fields` prints, made of the table of fields. Interface:
// fields.h. Covered by tests/vgpu/device_test.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "runtime/device/vgpu/description/fields.h"
#include "runtime/device/vgpu/policy/policy.h"

namespace gpx::vgpu::timing {
namespace {

using Kind = FieldKind;

const std::string kTableHead =
    "| field | type | range | if absent | meaning |\n|---|---|---|---|---|\n";

std::string_view type_name(FieldKind kind) {
  switch (kind) {
    case Kind::count: return "whole number";
    case Kind::real: return "number";
    case Kind::bytes: return "bytes";
    case Kind::frequency: return "frequency";
    case Kind::time: return "time";
    case Kind::text: return "text";
    case Kind::word: return "word";
    case Kind::counts: return "list of whole numbers";
    case Kind::reals: return "list of numbers";
    case Kind::bits: return "list of bits";
    case Kind::rows: return "list of lists of numbers";
  }
  return "";
}

std::string row_of(const Field& field) {
  const std::string name = field.path.substr(field.path.find('.') + 1);
  std::string range;
  if (field.path.ends_with(".policy")) {
    range = "a replacement policy";
  } else if (field.kind == Kind::word) {
    range = fmt::format("{}", fmt::join(words_of(field), " or "));
  } else if (field.kind != Kind::text) {
    range = format_value(field.kind, field.low) + " to " + format_value(field.kind, field.high);
  }
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", name, type_name(field.kind), range,
                     field.need == Need::optional ? field.fallback : "required", field.help);
}

bool in_section(const Field& field, std::string_view section) {
  const std::size_t dot = field.path.find('.');
  return section.empty() ? dot == std::string::npos
                         : dot == section.size() && field.path.substr(0, dot) == section;
}

// The fields of a policy are those of every cache: they are shown once, as those of L1.
std::string policy_reference() {
  std::string out =
      "\n### Replacement policies\n\n"
      "The field `policy` of any cache or TLB. A free way is taken first.\n\n"
      "| policy | which line of a full set is replaced | fields of its own |\n|---|---|---|\n";
  const auto name = [](const PolicyField& field) { return fmt::format("`{}`", field.name); };
  for (const Policy* policy : policies()) {
    std::vector<std::string> names;
    std::ranges::transform(policy->fields, std::back_inserter(names), name);
    out += fmt::format("| `{}` | {} | {} |\n", policy->name, policy->help,
                       names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  }
  out += fmt::format("\n{}", kTableHead);
  for (const Field& field : fields())
    if (field.of_policy && field.path.starts_with("l1.")) out += row_of(field);
  return out;
}

// The text in lines of at most 100 columns, broken at spaces.
std::string paragraph(std::string text) {
  constexpr std::size_t kColumns = 100;
  for (std::size_t line = 0; text.size() - line > kColumns;) {
    const std::size_t space = text.rfind(' ', line + kColumns);
    if (space == std::string::npos || space <= line) break;
    text[space] = '\n';
    line = space + 1;
  }
  return text;
}

std::string capitalized(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string rows_of(std::string_view section) {
  std::string rows;
  for (const Field& field : fields())
    if (in_section(field, section) && !field.of_policy) rows += row_of(field);
  return rows;
}

std::vector<std::string> names_of(const std::vector<const Section*>& sections) {
  std::vector<std::string> names;
  for (const Section* section : sections) names.push_back("`" + section->name + "`");
  return names;
}

// Rows, and the sections that have exactly these.
using Table = std::pair<std::string, std::vector<const Section*>>;

// In order of the first section. The rows of instructions have a form of their own.
std::vector<Table> sections_by_table() {
  std::vector<Table> tables;
  for (const Section& section : sections()) {
    std::string rows = section.name == "op" ? "" : rows_of(section.name);
    auto same = std::ranges::find(tables, rows, &Table::first);
    if (same == tables.end()) same = tables.insert(same, {std::move(rows), {}});
    same->second.push_back(&section);
  }
  return tables;
}

}  // namespace

std::string field_reference() {
  std::string out = "### The device\n\n";
  out += kTableHead + rows_of("");
  for (const auto& [table, alike] : sections_by_table()) {
    out += fmt::format("\n### {}{}\n\n", fmt::join(names_of(alike), ", "),
                       alike.front()->make ? " (optional)" : "");
    for (const Section* section : alike)
      out += alike.size() == 1 ? paragraph(capitalized(section->help) + ".") + "\n"
                               : fmt::format("- `{}`: {}.\n", section->name, section->help);
    if (!table.empty()) out += "\n" + kTableHead + table;
  }
  return out + policy_reference();
}

}  // namespace gpx::vgpu::timing
