// Findings and facts into Lua, a text out. Interface: draft.h. Covered by
// tests/twin/draft_test.cpp.
#include "runtime/twin/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "codegen/files/files.h"
#include "codegen/ir/operation.h"
#include "lang/operations.h"
#include "lang/try.h"
#include "runtime/analysis/lua/api.h"
#include "runtime/device/vgpu/device_file.h"
#include "runtime/twin/exam.h"
#include "runtime/twin/lua_fields.h"

namespace gpx::twin {
namespace {

void set_text(lua_State* state, const char* field, const std::string& text) {
  lua_pushlstring(state, text.data(), text.size());
  lua_setfield(state, -2, field);
}

void set_number(lua_State* state, const char* field, const std::optional<double>& number) {
  if (!number) return;
  lua_pushnumber(state, *number);
  lua_setfield(state, -2, field);
}

/// use "caches": a table of stdlib/twin, run once.
int use_table(lua_State* state) {
  constexpr char kLoaded[] = "gpx.twin.tables";
  const std::string name = luaL_checkstring(state, 1);
  const auto& folder = *static_cast<const std::string*>(lua_touserdata(state, lua_upvalueindex(1)));
  luaL_getsubtable(state, LUA_REGISTRYINDEX, kLoaded);
  const int loaded = lua_gettop(state);
  if (lua_getfield(state, loaded, name.c_str()) != LUA_TNIL) return 1;
  const std::string path = folder + "/" + name + ".lua";
  const auto text = file_text(path);
  if (!text) return luaL_error(state, "there is no '%s'", path.c_str());
  LuaSandbox::of(state).load(state, path, *text);
  lua_call(state, 0, 1);
  lua_pushvalue(state, -1);
  lua_setfield(state, loaded, name.c_str());
  return 1;
}

/// "NVIDIA H200, 2026-01-31"
std::string place_of(const DeviceInfo& device, const std::string& date) {
  return fmt::format("{}{}{}{}", device.name, device.measured ? "" : " (virtual)",
                     date.empty() ? "" : ", ", date);
}

void push_value(lua_State* state, const Finding& finding) {
  if (const auto* number = std::get_if<double>(&finding.value)) {
    lua_pushnumber(state, *number);
  } else if (const auto* text = std::get_if<std::string>(&finding.value)) {
    lua_pushlstring(state, text->data(), text->size());
  } else if (const auto* truth = std::get_if<bool>(&finding.value)) {
    lua_pushboolean(state, *truth);
  } else if (const auto* list = std::get_if<std::vector<double>>(&finding.value)) {
    lua_createtable(state, static_cast<int>(list->size()), 0);
    for (std::size_t i = 0; i < list->size(); ++i) {
      lua_pushnumber(state, (*list)[i]);
      lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
    }
  } else {
    lua_pushnil(state);
  }
}

void push_finding(lua_State* state, const Finding& finding, const std::string& experiment,
                  const std::string& place) {
  lua_newtable(state);
  set_text(state, "name", finding.name);
  set_text(state, "experiment", experiment);
  set_text(state, "unit", finding.unit);
  set_text(state, "note", finding.note);
  set_text(state, "place", place);
  set_text(state, "verdict", std::string(to_string(finding.verdict)));
  set_number(state, "low", finding.low);
  set_number(state, "high", finding.high);
  push_value(state, finding);
  lua_setfield(state, -2, "value");
}

constexpr std::size_t kFewRows = 1000;  ///< Of an experiment whose points stand for themselves.

/// "train_barriers[n=1, threads=64]": a point as a finding, its interval that of the repetitions.
Finding finding_of(const std::string& experiment, const RunPoint& point) {
  Finding finding;
  finding.name = fmt::format("{}[{}]", experiment, key_of(point.place));
  finding.unit = point.is_time ? "s" : "clocks";
  finding.value = point.value;
  finding.low = point.low;
  finding.high = point.high;
  finding.verdict = Verdict::measured;
  return finding;
}

/// Findings of the experiments, and their points.
void push_findings(lua_State* state, const std::vector<Measured>& measured) {
  lua_newtable(state);
  lua_Integer count = 0;
  for (const Measured& each : measured)
    for (const ExperimentResult& experiment : each.run.experiments) {
      if (!experiment.whole() || experiment.samples.rows() > kFewRows) continue;
      const std::string& name = experiment.experiment.name;
      for (const RunPoint& point : points_of(experiment.samples)) {
        push_finding(state, finding_of(name, point), name, place_of(experiment.device, each.date));
        lua_rawseti(state, -2, ++count);
      }
    }
  for (const Measured& each : measured)
    for (const ExperimentResult& experiment : each.run.experiments)
      for (const Finding& finding : experiment.findings) {
        push_finding(state, finding, experiment.experiment.name,
                     place_of(experiment.device, each.date));
        lua_rawseti(state, -2, ++count);
      }
}

void push_settings(lua_State* state, const std::vector<Measured>& measured) {
  lua_newtable(state);
  for (const Measured& each : measured)
    for (const Setting& setting : each.run.settings)
      set_text(state, setting.name.c_str(), setting.text);
}

/// What an operation's PTX is: the tables find the row of a device file from it.
void push_operations(lua_State* state) {
  lua_newtable(state);
  lua_Integer count = 0;
  for (const OperationName& name : operation_names()) {
    const codegen::Operation* row = codegen::find_operation(name.name);
    lua_newtable(state);
    set_text(state, "name", std::string(row->name));
    set_text(state, "ptx", std::string(row->ptx));
    set_text(state, "unit", std::string(row->pipe));
    lua_rawseti(state, -2, ++count);
  }
}

void push_costed(lua_State* state) {
  lua_newtable(state);
  for (const std::string& name : vgpu::costed_names()) {
    lua_pushboolean(state, 1);
    lua_setfield(state, -2, name.c_str());
  }
}

/// The facts of every experiment: documents of earlier versions have fewer, which the tables join.
void push_devices(lua_State* state, const std::vector<Measured>& measured) {
  lua_newtable(state);
  lua_Integer count = 0;
  for (const Measured& each : measured)
    for (const ExperimentResult& experiment : each.run.experiments) {
      push_device(state, experiment.device, FactsFor::results);
      lua_rawseti(state, -2, ++count);
    }
}

/// A value of a device file as Lua's source: "32 clocks" in quotes; a number, and a list without
/// its braces, bare.
std::string literal(const vgpu::FileValue& value) {
  const bool bare =
      value.unit.empty() && (value.number || value.text.find_first_of("0123456789-{") == 0);
  return bare ? value.text : fmt::format("\"{}\"", value.text);
}

void push_file_values(lua_State* state, const vgpu::FileContents& file) {
  lua_newtable(state);
  lua_Integer count = 0;
  for (const vgpu::FileValue& value : file.values) {
    lua_newtable(state);
    set_text(state, "path", value.path);
    set_text(state, "text", literal(value));
    value.number ? set_number(state, "value", value.number) : set_text(state, "value", value.text);
    set_text(state, "why", value.why);
    lua_pushboolean(state, value.from != vgpu::FileValue::From::source);
    lua_setfield(state, -2, "assumed");
    lua_rawseti(state, -2, ++count);
  }
}

void push_like(lua_State* state, const Like& like) {
  lua_newtable(state);
  set_text(state, "name", like.file.name);
  push_file_values(state, like.file);
  lua_setfield(state, -2, "values");
  push_findings(state, like.runs);
  lua_setfield(state, -2, "findings");
  push_devices(state, like.runs);
  lua_setfield(state, -2, "devices");
}

void push_input(lua_State* state, const std::vector<Measured>& measured, const DeviceInfo& device,
                const std::string& name, const std::optional<Like>& like) {
  lua_newtable(state);
  set_text(state, "name", name);
  set_text(state, "title", device.name);
  set_text(state, "place", place_of(device, measured.back().date));
  push_findings(state, measured);
  lua_setfield(state, -2, "findings");
  push_devices(state, measured);
  lua_setfield(state, -2, "devices");
  push_settings(state, measured);
  lua_setfield(state, -2, "settings");
  push_operations(state);
  lua_setfield(state, -2, "operations");
  push_costed(state);
  lua_setfield(state, -2, "costed");
  if (!like) return;
  push_like(state, *like);
  lua_setfield(state, -2, "like");
}

/// The table on top of the stack, as make() returns it.
Draft draft_at(lua_State* state) {
  Draft draft;
  draft.text = text_field(state, "text");
  draft.measured = static_cast<unsigned>(number_field(state, "measured"));
  draft.assumed = static_cast<unsigned>(number_field(state, "assumed"));
  lua_getfield(state, -1, "unknown");
  for (lua_Integer i = 1; lua_rawgeti(state, -1, i) == LUA_TTABLE; ++i) {
    draft.unknown.push_back({text_field(state, "path"), text_field(state, "why")});
    lua_pop(state, 1);
  }
  lua_pop(state, 2);
  lua_getfield(state, -1, "missing");
  for (lua_Integer i = 1; lua_rawgeti(state, -1, i) == LUA_TTABLE; ++i) {
    draft.missing.push_back(
        {text_field(state, "finding"), text_field(state, "why"), texts_field(state, "fields")});
    lua_pop(state, 1);
  }
  lua_pop(state, 2);
  return draft;
}

/// The device of all runs; a board of another model cannot be joined with it.
Result<DeviceInfo> one_device(const std::vector<Measured>& measured) {
  std::optional<DeviceInfo> device;
  for (const Measured& each : measured)
    for (const ExperimentResult& experiment : each.run.experiments) {
      if (experiment.device.name.empty()) continue;
      if (device && device->name != experiment.device.name)
        return fail(
            Fault::input,
            fmt::format("these are runs of '{}' and of '{}'", device->name, experiment.device.name),
            "a twin is of one model of GPU");
      device = experiment.device;
    }
  if (!device) return fail(Fault::input, "the runs hold no experiment that a device has run");
  return *device;
}

/// The other GPU's runs are of one model, and its file is of the device's compute capability.
Result<void> of_one_chip(const Like& like, const DeviceInfo& device) {
  if (!like.runs.empty()) GPX_TRY(one_device(like.runs));
  const std::string own = fmt::format("{}.{}", device.sm_major, device.sm_minor);
  const auto has =
      std::ranges::find(like.file.values, "compute_capability", &vgpu::FileValue::path);
  const std::string other = has == like.file.values.end() ? "none" : has->text;
  if (other == own) return {};
  return fail(Fault::input,
              fmt::format("'{}' is of compute capability {}, '{}' of {}", like.file.name, other,
                          device.name, own),
              "--like is for two GPUs of one chip");
}

}  // namespace

Result<Draft> draft(const Paths& paths, const std::vector<Measured>& measured,
                    const std::string& name, const std::optional<Like>& like) {
  const auto device = GPX_TRY(one_device(measured));
  if (like) GPX_TRY(of_one_chip(*like, device));
  const std::string folder = paths.stdlib + "/twin", path = folder + "/make.lua";
  const auto text = file_text(path);
  if (!text)
    return fail(Fault::input, fmt::format("the library has no '{}', which makes twins", path));
  Draft made;
  LuaSandbox sandbox;
  GPX_TRY(sandbox.protect([&](lua_State* state) {
    lua_pushlightuserdata(state, const_cast<std::string*>(&folder));
    lua_pushcclosure(state, &lua_guarded<use_table>, 1);
    lua_setglobal(state, "use");
    sandbox.load(state, path, *text);
    lua_call(state, 0, 1);
    lua_getfield(state, -1, "make");
    push_input(state, measured, device, name, like);
    lua_call(state, 1, 1);
    made = draft_at(state);
    made.place = place_of(device, measured.back().date);
  }));
  return made;
}

std::string name_of_file(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  for (char& c : name)
    if (std::string_view(" \t\n\"'\\").find(c) != std::string_view::npos) c = '_';
  return name.empty() ? "twin" : name;
}

}  // namespace gpx::twin
