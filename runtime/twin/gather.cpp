// One characterization of many files. Interface: gather.h. Covered by tests/twin/draft_test.cpp.
#include "runtime/twin/gather.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "codegen/files/files.h"
#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/analysis/lua/sandbox.h"
#include "runtime/operation_table.h"
#include "runtime/twin/lua_fields.h"

namespace gpx::twin {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGroups = "characterize";
constexpr const char* kOperations = "operations";

/// A row of stdlib/twin/runs.lua.
struct Listed {
  std::string part, file;
  int least = 0;                         ///< 90: compute capability 9.0.
  std::vector<std::string> experiments;  ///< Of the file; empty: all.
  std::vector<Setting> settings;         ///< Of parameters, on any device.
  std::vector<Setting> of_virtual;       ///< And on a virtual GPU.
};

std::vector<Setting> settings_field(lua_State* state, const char* name) {
  std::vector<Setting> settings;
  lua_getfield(state, -1, name);
  if (lua_istable(state, -1))
    for (lua_pushnil(state); lua_next(state, -2) != 0; lua_pop(state, 1))
      settings.push_back({lua_tostring(state, -2), lua_tostring(state, -1)});
  lua_pop(state, 1);
  std::ranges::sort(settings, {}, &Setting::name);
  return settings;
}

Listed listed_at(lua_State* state) {
  Listed one{text_field(state, "part"), text_field(state, "file"), 0, {}, {}, {}};
  one.least = static_cast<int>(number_field(state, "least"));
  one.settings = settings_field(state, "settings");
  one.of_virtual = settings_field(state, "virtual");
  one.experiments = texts_field(state, "experiments");
  return one;
}

Result<std::vector<Listed>> listed(const Paths& paths) {
  const std::string path = paths.stdlib + "/twin/runs.lua";
  const auto text = file_text(path);
  if (!text) return fail(Fault::input, fmt::format("the library has no '{}'", path));
  std::vector<Listed> all;
  LuaSandbox sandbox;
  GPX_TRY(sandbox.protect([&](lua_State* state) {
    sandbox.load(state, path, *text);
    lua_call(state, 0, 1);
    const int rows = lua_gettop(state);
    for (lua_Integer i = 1; lua_rawgeti(state, rows, i) == LUA_TTABLE; ++i) {
      all.push_back(listed_at(state));
      lua_settop(state, rows);
    }
  }));
  return all;
}

/// `param NAME = VALUE` with another value.
void set_parameter(std::string& text, const Setting& setting) {
  const std::string begin = "\nparam " + setting.name + " = ";
  const std::size_t at = text.find(begin);
  if (at == text.npos) return;
  const std::size_t value = at + begin.size();
  text.replace(value, text.find('\n', value) - value, setting.text);
}

bool wants(const std::vector<std::string>& only, const std::string& part) {
  return only.empty() || contains(only, part);
}

/// Names in `only` that are no parts: groups of gpx characterize.
std::vector<std::string> groups_of(const std::vector<std::string>& only) {
  const std::vector<std::string> known = parts();
  std::vector<std::string> groups;
  for (const std::string& name : only)
    if (!contains(known, name)) groups.push_back(name);
  return groups;
}

/// Findings of the operations that ran, as one experiment.
ExperimentResult as_experiment(const OperationTable& table, std::uint64_t seed) {
  ExperimentResult result;
  result.experiment.name = kOperations;
  result.experiment.title = "Latency and throughput of every operation";
  result.file = kOperations;
  result.device = table.device;
  result.seed = seed;
  result.interrupted = table.interrupted;
  result.warnings = table.warnings;
  result.group = GroupNote{kOperations, table.seconds, table.interrupted ? "interrupted" : ""};
  for (const OperationLine& line : table.lines)
    for (const auto& finding : {line.latency, line.throughput})
      if (finding) result.findings.push_back(*finding);
  return result;
}

class Gathering {
 public:
  Gathering(Session& session, const GatherOptions& options)
      : session_(session), options_(options) {}

  Result<RunResult> run() {
    const auto backend = GPX_TRY(session_.open(options_.device));
    device_ = backend->info();
    GPX_TRY(add_groups());
    GPX_TRY(add_files());
    Result<RunResult> result = characterize(session_, task_, options_.run);
    if (!result) return result;
    result->settings = settings_;
    if (wants(options_.only, kOperations) && !stopped()) return with_operations(*result);
    return result;
  }

 private:
  Result<void> add_groups() {
    const std::vector<std::string> groups = groups_of(options_.only);
    if (groups.empty() && !wants(options_.only, kGroups)) {
      task_.device = options_.device;
      task_.info = device_;
      return {};
    }
    auto task =
        characterize_task(session_, options_.device,
                          wants(options_.only, kGroups) ? std::vector<std::string>{} : groups);
    if (!task) return tl::unexpected(of_parts(task.error(), groups));
    task_ = std::move(*task);
    return {};
  }

  /// An unknown group may be a part that is misspelt.
  static Error of_parts(Error error, const std::vector<std::string>& groups) {
    Diagnostic& first = error.diagnostics.front();
    if (groups.empty() || error.fault != Fault::input || first.hint.starts_with("did you mean"))
      return error;
    for (const std::string& name : groups)
      if (const auto near = nearest(name, parts())) {
        first.hint = fmt::format("did you mean '{}'?", *near);
        return error;
      }
    first.hint = fmt::format("parts are {}; gpx characterize --list shows the groups",
                             fmt::join(parts(), ", "));
    return error;
  }

  Result<void> add_files() {
    const auto all = GPX_TRY(listed(session_.paths()));
    const int has = 10 * device_.sm_major + device_.sm_minor;
    for (const Listed& each : all)
      if (wants(options_.only, each.part) && has >= each.least) GPX_TRY(add_file(each));
    return {};
  }

  Result<void> add_file(const Listed& each) {
    const std::string path = session_.paths().experiments + "/" + each.file;
    auto text = read_file_at(path);
    if (!text)
      return fail(Fault::input, fmt::format("cannot read '{}': {}", path, text.error().reason));
    set_parameters(*text, each.settings);
    if (!device_.measured) set_parameters(*text, each.of_virtual);
    auto task =
        GPX_TRY(characterize_task(session_, options_.device, {Source(path, std::move(*text))}));
    std::ranges::move(task.sources, std::back_inserter(task_.sources));
    for (CharacterizeGroup& group : task.groups)
      if (each.experiments.empty() || contains(each.experiments, group.name))
        task_.groups.push_back(std::move(group));
    return {};
  }

  void set_parameters(std::string& text, const std::vector<Setting>& settings) {
    for (const Setting& setting : settings) {
      set_parameter(text, setting);
      settings_.push_back(setting);
    }
  }

  bool stopped() const { return options_.run.stop && options_.run.stop->load(); }

  Result<RunResult> with_operations(RunResult& result) {
    OperationTableOptions options;
    options.device = options_.device;
    options.seed = options_.run.seed;
    options.stop = options_.run.stop;
    const auto table = GPX_TRY(measure_operations(session_.paths(), options));
    result.experiments.push_back(as_experiment(table, options.seed));
    result.interrupted = result.interrupted || table.interrupted;
    return std::move(result);
  }

  Session& session_;
  const GatherOptions& options_;
  DeviceInfo device_;
  CharacterizeTask task_;
  std::vector<Setting> settings_;
};

}  // namespace

std::vector<std::string> parts() {
  return {kGroups, "rates", "training", "bandwidth", "hopper", kOperations};
}

Result<RunResult> gather(Session& session, const GatherOptions& options) {
  return Gathering(session, options).run();
}

Result<RunResult> run_each(Session& session, const std::string& device, const Source& source,
                           const CharacterizeOptions& options) {
  const auto task = GPX_TRY(characterize_task(session, device, {source}));
  return characterize(session, task, options);
}

}  // namespace gpx::twin
