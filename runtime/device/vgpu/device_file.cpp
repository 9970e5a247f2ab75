// A device file's values with what they are from. Interface: device_file.h.
// Covered by tests/vgpu/device_file_test.cpp.
#include "runtime/device/vgpu/device_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/files/files.h"
#include "lang/try.h"
#include "runtime/device/vgpu/description/base_file.h"
#include "runtime/device/vgpu/description/costs.h"
#include "runtime/device/vgpu/description/fields.h"
#include "runtime/device/vgpu/description/lua_table.h"

namespace gpx::vgpu {
namespace {

using timing::LuaValue;
using From = FileValue::From;

constexpr std::uintmax_t kMostContents = 1 << 20;

std::string text_of(const LuaValue& value) {
  if (value.kind == LuaValue::Kind::number) return fmt::format("{:.12g}", value.number);
  if (value.kind == LuaValue::Kind::text) return value.text;
  std::string list;
  for (const LuaValue& item : value.items)
    list +=
        fmt::format("{}{}", list.empty() ? "" : ", ",
                    item.kind == LuaValue::Kind::table ? "{" + text_of(item) + "}" : text_of(item));
  return list;
}

/// "source" or "assumed" of a table, which holds for all that has none of its own.
struct Note {
  From from = From::none;
  std::string why;

  Note inner(const LuaValue& table) const {
    for (const auto& [key, kind] : {std::pair{"source", From::source}, {"assumed", From::assumed}})
      if (const LuaValue* note = table.find(key); note && note->kind == LuaValue::Kind::text)
        return {kind, note->text};
    return *this;
  }
};

class Contents {
 public:
  explicit Contents(const LuaValue& file) : file_(file) {}

  FileContents read() {
    read_number(clock_hz_, "clock");
    read_section("", file_, {});
    for (const timing::Section& section : timing::sections())
      if (const LuaValue* table = file_.find(std::string(section.name)))
        section.name == "op" ? read_operations(*table)
                             : read_section(std::string(section.name), *table, {});
    made_.name = text_at(file_, "name");
    made_.title = text_at(file_, "title");
    read_records();
    read_missing();
    return std::move(made_);
  }

 private:
  static std::string text_at(const LuaValue& table, const std::string& key) {
    const LuaValue* value = table.find(key);
    return value ? text_of(*value) : std::string();
  }
  static double number_at(const LuaValue& table, const std::string& key) {
    const LuaValue* value = table.find(key);
    return value && value->kind == LuaValue::Kind::number ? value->number : 0;
  }
  static std::vector<std::string> lines_at(const LuaValue& table, const std::string& key) {
    std::vector<std::string> lines;
    if (const LuaValue* list = table.find(key))
      for (const LuaValue& item : list->items) lines.push_back(text_of(item));
    return lines;
  }

  void read_number(double& number, const std::string& name) {
    const LuaValue* value = file_.find(name);
    if (value && value->kind == LuaValue::Kind::table && !value->items.empty())
      value = &value->items.front();
    if (!value || value->kind != LuaValue::Kind::text) return;
    if (const auto hz = timing::parse_quantity(timing::Measure::frequency, value->text, 0))
      number = *hz;
  }

  void add(const std::string& path, timing::FieldKind kind, const LuaValue& value, Note note) {
    const LuaValue* content = &value;
    if (value.kind == LuaValue::Kind::table) {
      note = note.inner(value);
      const bool list = kind == timing::FieldKind::counts || kind == timing::FieldKind::reals ||
                        kind == timing::FieldKind::bits || kind == timing::FieldKind::rows;
      if (!list && !value.items.empty()) content = &value.items.front();
    }
    FileValue one{path, text_of(*content), {}, {}, note.from, note.why};
    if (content->kind == LuaValue::Kind::number) one.number = content->number;
    if (const auto measure = timing::measure_of(kind)) {
      one.unit = *measure == timing::Measure::bytes       ? "B"
                 : *measure == timing::Measure::frequency ? "Hz"
                                                          : "clocks";
      if (const auto number = timing::parse_quantity(*measure, one.text, clock_hz_))
        one.number = *number;
    }
    made_.values.push_back(std::move(one));
  }

  /// The fields of a section ("": of the device) in the order of the table of fields.
  void read_section(const std::string& section, const LuaValue& table, const Note& outer) {
    const Note note = section.empty() ? outer : outer.inner(table);
    for (const timing::Field& field : timing::fields()) {
      const std::string path(field.path);
      const std::size_t dot = path.find('.');
      if ((dot == path.npos ? "" : path.substr(0, dot)) != section) continue;
      if (path == "name" || path == "title") continue;
      const LuaValue* value = table.find(dot == path.npos ? path : path.substr(dot + 1));
      if (value) add(path, field.kind, *value, note);
    }
  }

  void read_operations(const LuaValue& table) {
    const Note note = Note{}.inner(table);
    for (const auto& [name, row] : table.named) {
      if (row.kind != LuaValue::Kind::table) continue;
      for (const char* what : {"latency", "interval"})
        if (const LuaValue* value = row.find(what))
          add(fmt::format("op.{}.{}", name, what), timing::FieldKind::time, *value,
              note.inner(row));
    }
  }

  void read_records() {
    const LuaValue* all = file_.find("record");
    if (!all) return;
    for (const LuaValue& one : all->items)
      made_.records.push_back({text_at(one, "device"), text_at(one, "date"), text_at(one, "exam"),
                               number_at(one, "points"), number_at(one, "mean"),
                               number_at(one, "median"), number_at(one, "p90"),
                               number_at(one, "within"), lines_at(one, "families"),
                               lines_at(one, "worst"), lines_at(one, "causes")});
  }

  void read_missing() {
    const LuaValue* all = file_.find("missing");
    if (!all) return;
    for (const LuaValue& one : all->items)
      made_.missing.push_back(
          {text_at(one, "finding"), text_at(one, "why"), lines_at(one, "fields")});
  }

  const LuaValue& file_;
  double clock_hz_ = 1e9;
  FileContents made_;
};

}  // namespace

Result<FileContents> read_device_file(const std::string& path) {
  const auto text = read_file_at(path, kMostContents);
  if (!text)
    return fail(Fault::input,
                fmt::format("cannot read the device file '{}': {}", path, text.error().reason));
  // Its mistakes are those of a device that is opened.
  GPX_TRY(timing::parse_description_file(path, *text));
  std::string base_text;
  const auto data =
      GPX_TRY(timing::read_with_base(Source(path, *text), timing::read_lua_file, base_text));
  return Contents(data.value).read();
}

std::string field_reference() {
  return timing::field_reference();
}

const std::vector<std::string>& costed_names() {
  return timing::costed_instructions();
}

}  // namespace gpx::vgpu
