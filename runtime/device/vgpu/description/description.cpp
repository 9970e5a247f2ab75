// From a device file to a Description, with every mistake of the file. Interface: description.h.
// Covered by tests/vgpu/device_test.cpp.
#include "runtime/device/vgpu/description/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/device/vgpu/description/base_file.h"
#include "runtime/device/vgpu/description/costs.h"
#include "runtime/device/vgpu/description/fields.h"
#include "runtime/device/vgpu/description/lua_table.h"
#include "runtime/device/vgpu/description/memory_checks.h"
#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu::timing {
namespace {

// Reads the whole tree and collects every mistake; each has the place of the field at fault.
class Reader {
 public:
  Reader(const Source& source, const LuaData& data) : source_(source), data_(data) {}

  Result<Description> read() {
    device_.watchdog_instructions = 1'000'000'000;
    check_names();
    for (const Field& field : fields()) read_field(field);
    read_ops();
    check_device();
    finish_memory(device_,
                  MemoryCheck{[&](const std::string& path) { return wrong_.count(path) == 0; },
                              [&](const std::string& path) { return given(path); },
                              [&](const std::string& path, std::string message) {
                                mistake(path, std::move(message));
                              }});
    if (!mistakes_.empty()) return tl::unexpected(in_order());
    return std::move(device_);
  }

 private:
  void mistake(const std::string& path, std::string message, std::string hint = {}) {
    const auto place = data_.places.find(path);
    const Span span = place == data_.places.end() ? Span{} : place->second;
    mistakes_.push_back({span.begin, {std::move(message), source_.locate(span), std::move(hint)}});
    wrong_.insert(path);
  }

  Error in_order() {
    std::stable_sort(mistakes_.begin(), mistakes_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Error error{Fault::input, {}};
    for (auto& [begin, diagnostic] : mistakes_) error.diagnostics.push_back(std::move(diagnostic));
    return error;
  }

  /// Section and name of a field.
  static std::pair<std::string_view, std::string_view> halves(std::string_view path) {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return {{}, path};
    return {path.substr(0, dot), path.substr(dot + 1)};
  }
  static std::pair<std::string, std::string> split(std::string_view path) {
    return std::pair<std::string, std::string>(halves(path));
  }

  void unknown(const std::string& path, const std::string& name,
               const std::vector<std::string>& known, std::string_view what) {
    const auto near = nearest(name, known);
    mistake(path, fmt::format("{} \"{}\" is not known", what, path),
            near ? fmt::format("did you mean \"{}\"?", *near) : "");
  }

  // Every name must be one that the table of fields has.
  void check_names() {
    std::vector<std::string> top;
    for (const Field& field : fields())
      if (halves(field.path).first.empty()) top.emplace_back(field.path);
    for (const Section& section : sections()) top.emplace_back(section.name);
    for (const auto& [name, who] : {std::pair("record", "gpx twin --validate writes it"),
                                    std::pair("missing", "gpx twin writes it")}) {
      top.emplace_back(name);
      check_record(name, who);
    }
    check_positional("", data_.value);
    for (const auto& [name, value] : data_.value.named)
      if (!contains(top, name)) unknown(name, name, top, "field");
    for (const Section& section : sections()) check_section(section);
  }

  // What a twin's exams found, and what it lacks: they describe no device (device_file.h reads
  // them).
  void check_record(const std::string& name, const char* who) {
    const LuaValue* record = data_.value.find(name);
    if (!record) return;
    const bool list = record->kind == LuaValue::Kind::table && record->named.empty() &&
                      std::ranges::all_of(record->items, [](const LuaValue& one) {
                        return one.kind == LuaValue::Kind::table && one.items.empty();
                      });
    if (!list)
      mistake(name,
              fmt::format("\"{}\" is a list of tables, not {}", name,
                          record->kind == LuaValue::Kind::table ? "that table" : describe(*record)),
              who);
  }

  void check_section(const Section& section) {
    const std::string name(section.name);
    const LuaValue* value = data_.value.find(name);
    if (!value) return;
    if (value->kind != LuaValue::Kind::table) {
      mistake(name, fmt::format("\"{}\" is a table of fields, not {}", name, describe(*value)));
      return;
    }
    check_positional(name, *value);
    if (section.make) section.make(device_);
    if (name == "op") return;
    std::vector<std::string> known = {"source", "assumed"};
    for (const Field& field : fields())
      if (halves(field.path).first == name) known.emplace_back(halves(field.path).second);
    for (const auto& [key, inner] : value->named)
      if (!contains(known, key)) unknown(name + "." + key, key, known, "field");
  }

  void check_positional(const std::string& path, const LuaValue& table) {
    if (table.items.empty() && !table.odd_keys) return;
    mistake(path, path.empty() ? std::string("a device file has named fields only")
                               : fmt::format("\"{}\" has named fields only", path));
  }

  // `128` or `{ 128, source = "..." }` or `{ 128, assumed = "..." }`.
  const LuaValue* plain(const std::string& path, const LuaValue& value, bool& has_source) {
    if (value.kind != LuaValue::Kind::table) return &value;
    for (const auto& [key, note] : value.named) {
      if ((key == "source" || key == "assumed") && note.kind == LuaValue::Kind::text) {
        has_source = true;
      } else {
        mistake(path, fmt::format("next to its value, \"{}\" can have source = \"...\" or "
                                  "assumed = \"...\", not \"{}\"",
                                  path, key));
        return nullptr;
      }
    }
    if (value.items.size() == 1 && value.items[0].kind != LuaValue::Kind::table)
      return &value.items[0];
    mistake(path, fmt::format("\"{}\" is one value, not a table", path),
            fmt::format("{} = {{ VALUE, source = \"...\" }}", split(path).second));
    return nullptr;
  }

  static bool has_note(const LuaValue& table) {
    const LuaValue* source = table.find("source");
    const LuaValue* assumed = table.find("assumed");
    return (source && source->kind == LuaValue::Kind::text) ||
           (assumed && assumed->kind == LuaValue::Kind::text);
  }

  void read_field(const Field& field) {
    const std::string path(field.path);
    const auto [section, name] = split(path);
    const LuaValue* table = section.empty() ? &data_.value : data_.value.find(section);
    const bool has_section = table && table->kind == LuaValue::Kind::table;
    const LuaValue* value = has_section ? table->find(name) : nullptr;
    if (!value) {
      if (field.need == Need::always || (field.need == Need::section && has_section))
        missing(path, section, has_section, field.kind);
      return;
    }
    bool has_source = !section.empty() && has_note(*table);
    if (field.list)
      set_list(field, path, *value, has_source);
    else if (const LuaValue* content = plain(path, *value, has_source))
      set(field, path, *content);
    if (!has_source && field.kind != FieldKind::text) device_.without_source.push_back(path);
  }

  void missing(const std::string& path, const std::string& section, bool has_section,
               FieldKind kind) {
    const std::string where = has_section && data_.places.count(section) ? section : "";
    mistake(where, fmt::format("\"{}\" is missing", path), fmt::format("it is {}", expected(kind)));
    wrong_.insert(path);
  }

  void set(const Field& field, const std::string& path, const LuaValue& value) {
    if (field.string) {
      set_text(field, path, value);
      return;
    }
    if (const auto number = number_of(field.kind, path, value)) {
      if (*number < field.low || *number > field.high)
        mistake(
            path,
            fmt::format("\"{}\" is {}, outside {} to {}", path, format_value(field.kind, *number),
                        format_value(field.kind, field.low), format_value(field.kind, field.high)));
      else
        field.number(device_, *number);
    }
  }

  void set_text(const Field& field, const std::string& path, const LuaValue& value) {
    if (value.kind != LuaValue::Kind::text || value.text.empty()) {
      mistake(path,
              fmt::format("\"{}\" is {}, not {}", path, expected(field.kind), describe(value)));
      return;
    }
    if (field.kind == FieldKind::word) {
      const std::vector<std::string> words = words_of(field);
      if (!contains(words, value.text)) {
        mistake(path, fmt::format("\"{}\" is \"{}\", not \"{}\"", path,
                                  fmt::join(words, "\" or \""), value.text));
        return;
      }
    }
    field.string(device_, value.text);
  }

  // `{ 17, 8, 8, source = "..." }`; of bits also `{ {7, 13}, {8, 14} }`.
  void set_list(const Field& field, const std::string& path, const LuaValue& value,
                bool& has_source) {
    const bool nested = field.kind == FieldKind::bits || field.kind == FieldKind::rows;
    const bool whole = field.kind == FieldKind::counts || field.kind == FieldKind::bits;
    std::vector<std::vector<double>> lists;
    bool good = value.kind == LuaValue::Kind::table && !value.items.empty() && !value.odd_keys;
    for (std::size_t i = 0; good && i < value.items.size(); ++i) {
      const LuaValue& item = value.items[i];
      const bool list = nested && item.kind == LuaValue::Kind::table && !item.items.empty();
      auto& numbers = lists.emplace_back();
      for (const LuaValue& each : list ? item.items : std::vector<LuaValue>{item}) {
        good = good && each.kind == LuaValue::Kind::number && std::isfinite(each.number) &&
               (!whole || each.number == std::floor(each.number));
        numbers.push_back(each.number);
      }
    }
    if (!good) {
      mistake(path,
              fmt::format("\"{}\" is {}, not {}", path, expected(field.kind),
                          value.kind == LuaValue::Kind::table ? "that table" : describe(value)));
      return;
    }
    for (const auto& [key, note] : value.named) {
      if ((key == "source" || key == "assumed") && note.kind == LuaValue::Kind::text)
        has_source = true;
      else
        mistake(path, fmt::format("next to its values, \"{}\" can have source = \"...\" or "
                                  "assumed = \"...\", not \"{}\"",
                                  path, key));
    }
    for (const auto& numbers : lists)
      for (const double number : numbers)
        if (number < field.low || number > field.high) {
          mistake(path, fmt::format("\"{}\" has {:g}, outside {:g} to {:g}", path, number,
                                    field.low, field.high));
          return;
        }
    field.list(device_, lists);
  }

  std::optional<double> number_of(FieldKind kind, const std::string& path, const LuaValue& value) {
    if (const auto measure = measure_of(kind)) {
      if (value.kind != LuaValue::Kind::text) {
        mistake(path, fmt::format("\"{}\" is {}, not {}", path, expected(kind), describe(value)));
        return std::nullopt;
      }
      const double clock_hz = device_.clock_hz != 0 ? device_.clock_hz : 1e9;
      const auto number = parse_quantity(*measure, value.text, clock_hz);
      if (!number) mistake(path, fmt::format("\"{}\": {}", path, number.error()));
      if (number && kind == FieldKind::bytes && *number != std::floor(*number)) {
        mistake(path, fmt::format("\"{}\" is {}, not a whole number of bytes", path, value.text));
        return std::nullopt;
      }
      return number ? std::optional(*number) : std::nullopt;
    }
    if (value.kind != LuaValue::Kind::number || !std::isfinite(value.number) ||
        (kind == FieldKind::count && value.number != std::floor(value.number))) {
      mistake(path, fmt::format("\"{}\" is {}, not {}", path, expected(kind), describe(value)));
      return std::nullopt;
    }
    return value.number;
  }

  // The section `op` has rows of its own: units, and instructions by name.
  void read_ops() {
    const LuaValue* ops = data_.value.find("op");
    if (!ops) {
      mistake("", "\"op\" is missing", "it is a table of what instructions cost");
      return;
    }
    if (ops->kind != LuaValue::Kind::table) return;  // check_section has said so
    for (const std::string& unit : costed_units())
      if (!ops->find(unit) && !is_optional(unit))
        mistake("op", fmt::format("\"op.{}\" is missing", unit));
    // Listing them all takes longer than the rest of most files, which cost none by its name.
    const auto is_instruction = [](const std::string& name) {
      const auto& all = costed_instructions();
      return std::binary_search(all.begin(), all.end(), name);
    };
    for (const auto& [name, row] : ops->named) {
      if (name == "source" || name == "assumed") continue;
      const bool is_unit = contains(costed_units(), name);
      if (!is_unit && !is_instruction(name))
        unknown_op(name);
      else
        read_op(name, row, has_note(*ops));
    }
  }

  void unknown_op(const std::string& name) {
    std::vector<std::string> known = costed_units();
    known.insert(known.end(), costed_instructions().begin(), costed_instructions().end());
    unknown("op." + name, name, known, "unit or instruction");
  }

  void read_op(const std::string& name, const LuaValue& row, bool noted) {
    const std::string path = "op." + name;
    if (row.kind != LuaValue::Kind::table) {
      mistake(path, fmt::format("\"{}\" is a table with latency and interval, not {}", path,
                                describe(row)));
      return;
    }
    check_positional(path, row);
    OpCost& cost = device_.ops[name];
    const std::vector<std::string> known = {"latency", "interval", "source", "assumed"};
    for (const auto& [key, value] : row.named)
      if (!contains(known, key)) unknown(path + "." + key, key, known, "field");
    noted = noted || has_note(row);
    read_op_time(path + ".latency", row.find("latency"), path, noted, 1, cost.latency);
    read_op_time(path + ".interval", row.find("interval"), path, noted, 0, cost.interval);
  }

  void read_op_time(const std::string& path, const LuaValue* value, const std::string& row,
                    bool noted, double low, double& out) {
    if (!value) {
      mistake(row, fmt::format("\"{}\" is missing", path),
              fmt::format("it is {}", expected(FieldKind::time)));
      return;
    }
    if (const LuaValue* content = plain(path, *value, noted)) {
      const auto number = number_of(FieldKind::time, path, *content);
      if (number && (*number < low || *number > 1e6))
        mistake(path, fmt::format("\"{}\" is {}, outside {} to 1000000 clocks", path,
                                  format_value(FieldKind::time, *number),
                                  format_value(FieldKind::time, low)));
      else if (number)
        out = *number;
    }
    if (!noted) device_.without_source.push_back(path);
  }

  // The file has that section, or that field of it.
  bool given(const std::string& path) const {
    const auto [section, name] = split(path);
    const LuaValue* value = data_.value.find(section.empty() ? name : section);
    if (!value || value->kind != LuaValue::Kind::table) return false;
    return section.empty() || value->find(name) != nullptr;
  }

  // The fields that a rule speaks of were read without a mistake.
  bool sound(std::initializer_list<const char*> paths) const {
    return std::none_of(paths.begin(), paths.end(),
                        [&](const char* path) { return wrong_.count(path) != 0; });
  }

  void check_device() {
    if (sound({"name"}) && device_.name.find_first_of("/\\ \t\n\"'") != std::string::npos)
      mistake("name", "\"name\" is a word: no spaces, quotes or slashes");
    if (sound({"compute_capability"})) {
      const std::string& version = device_.compute_capability;
      const std::size_t dot = version.find('.');
      const auto digits = [](std::string_view text) {
        return !text.empty() && text.size() <= 3 &&
               text.find_first_not_of("0123456789") == std::string_view::npos;
      };
      if (dot == std::string::npos || !digits(version.substr(0, dot)) ||
          !digits(version.substr(dot + 1)))
        mistake("compute_capability",
                fmt::format("\"compute_capability\" is \"{}\", not two numbers such as \"3.5\"",
                            version));
    }
    const auto& sm = device_.sm;
    if (sound({"sm.max_threads_per_block", "sm.warp_slots"}) &&
        sm.max_threads_per_block > sm.warp_slots * exec::kWarpSize)
      mistake("sm.max_threads_per_block",
              fmt::format("a block of {} threads does not fit into {} warp slots of {} threads",
                          sm.max_threads_per_block, sm.warp_slots, exec::kWarpSize));
    const auto clocks = [](double value) { return format_value(FieldKind::time, value); };
    if (sound({"launch.after_accesses", "launch.overhead"}) && device_.launch_drain() < 0)
      mistake("launch.after_accesses",
              fmt::format("\"launch.after_accesses\" is {}, more than launch.overhead ({})",
                          clocks(*device_.launch_after_accesses), clocks(device_.launch_overhead)));
  }

  const Source& source_;
  const LuaData& data_;
  Description device_;
  std::vector<std::pair<std::uint32_t, Diagnostic>> mistakes_;  // with where they begin
  std::set<std::string> wrong_;                                 // paths that have a mistake
};

}  // namespace

namespace {

Result<Description> parse_with(LuaReader* read, const std::string& name, const std::string& text) {
  const Source source(name, text);
  std::string base_text;
  const auto data = GPX_TRY(read_with_base(source, read, base_text));
  auto device = Reader(source, data).read();
  if (device) device->base_text = std::move(base_text);
  return device;
}

}  // namespace

Result<Description> parse_description(const std::string& name, const std::string& text) {
  return parse_with(read_lua_data, name, text);
}

Result<Description> parse_description_file(const std::string& name, const std::string& text) {
  return parse_with(read_lua_file, name, text);
}

}  // namespace gpx::vgpu::timing
