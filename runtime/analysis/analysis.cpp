// Runs the `analyze` statements of an experiment, each in a sandbox of its own.
// Interface: analysis.h. Covered by tests/runtime/analysis_test.cpp.
#include "runtime/analysis/analysis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "codegen/files/files.h"
#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/analysis/analysis_head.h"
#include "runtime/analysis/lua/api.h"
#include "runtime/analysis/lua/probe.h"

namespace gpx {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxScriptBytes = 4 << 20;

struct Script {
  std::string path;
  std::string text;
};

struct Fail {
  const Source* source;
  Span span;

  tl::unexpected<Error> operator()(std::string message, std::string hint = {}) const {
    if (!source) return fail(Fault::input, std::move(message), std::move(hint));
    return fail(Fault::input, *source, span, std::move(message), std::move(hint));
  }
};

std::string module_path(const std::string& stdlib, const std::string& name) {
  return (fs::path(stdlib) / "analysis" / (name + ".lua")).string();
}

bool is_module_name(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

/// What modules share lies in stdlib/analysis/parts/: for `use`, not for `analyze`.
bool is_part_name(const std::string& name) {
  return name.starts_with("parts/") && is_module_name(name.substr(6));
}

struct Missing {
  std::string message;
  std::string hint;
};

/// The text of a module, or what to say about a name that is none.
tl::expected<Script, Missing> find_module(const std::string& stdlib, const std::string& name) {
  if (is_module_name(name) || is_part_name(name)) {
    Script script{module_path(stdlib, name), {}};
    if (auto text = read_file_at(script.path, kMaxScriptBytes)) {
      script.text = std::move(*text);
      return script;
    } else if (!text.error().missing()) {
      return tl::unexpected<Missing>(
          {fmt::format("cannot read '{}': {}", script.path, text.error().reason), {}});
    }
  }
  const std::vector<std::string> known = analysis_methods(stdlib);
  const auto near = nearest(name, known);
  std::string list;
  for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
  Missing missing{fmt::format("no analysis is named '{}'", name), {}};
  if (near) missing.hint = fmt::format("did you mean '{}'? ", *near);
  missing.hint += known.empty() ? fmt::format("'{}/analysis' holds no modules", stdlib)
                                : fmt::format("there are: {}", list);
  return tl::unexpected<Missing>(std::move(missing));
}

Result<Script> read_script(const std::string& path) {
  auto text = read_file_at(path, kMaxScriptBytes);
  if (!text)
    return fail(Fault::input,
                fmt::format("cannot read the analysis script '{}': {}", path, text.error().reason));
  return Script{path, std::move(*text)};
}

Result<Script> find_script(const Analyze& analyze, const AnalysisPaths& paths, const Fail& failed) {
  if (!analyze.is_file) {
    if (!is_module_name(analyze.method)) return failed("the name of an analysis is one word");
    auto module = find_module(paths.stdlib, analyze.method);
    if (!module) return failed(module.error().message, module.error().hint);
    return std::move(*module);
  }
  const std::string path = (fs::path(paths.experiment_folder) / analyze.method).string();
  auto script = read_script(path);
  if (!script) return failed(script.error().diagnostics.front().message);
  return script;
}

constexpr char kModules[] = "gpx.modules";

/// use "name": runs a module of the standard library once and returns what it returned.
int use(lua_State* state) {
  const std::string name = luaL_checkstring(state, 1);
  const auto& stdlib = *static_cast<const std::string*>(lua_touserdata(state, lua_upvalueindex(1)));
  luaL_getsubtable(state, LUA_REGISTRYINDEX, kModules);
  const int loaded = lua_gettop(state);
  if (lua_getfield(state, loaded, name.c_str()) == LUA_TBOOLEAN) {
    return luaL_error(state, "the module '%s' uses itself", name.c_str());
  }
  if (!lua_isnil(state, -1)) return 1;
  const auto script = find_module(stdlib, name);
  if (!script) {
    return luaL_error(state, "%s; %s", script.error().message.c_str(), script.error().hint.c_str());
  }
  lua_pushboolean(state, 1);
  lua_setfield(state, loaded, name.c_str());
  LuaSandbox::of(state).load(state, script->path, script->text);
  lua_call(state, 0, 1);
  if (lua_isnil(state, -1))
    return luaL_error(state, "the module '%s' returns nothing", name.c_str());
  lua_pushvalue(state, -1);
  lua_setfield(state, loaded, name.c_str());
  return 1;
}

void push_value(lua_State* state, const Value& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value)) {
    // A whole number is an integer of Lua's: "12", not "12.0", in a finding's name.
    lua_Integer whole = 0;
    if (lua_numbertointeger(quantity->value, &whole) &&
        static_cast<double>(whole) == quantity->value)
      lua_pushinteger(state, whole);
    else
      lua_pushnumber(state, quantity->value);
  } else if (const auto* truth = std::get_if<bool>(&value)) {
    lua_pushboolean(state, *truth);
  } else {
    lua_pushstring(state, std::get<std::string>(value).c_str());
  }
}

void set_text(lua_State* state, const char* field, const std::string& text) {
  lua_pushstring(state, text.c_str());
  lua_setfield(state, -2, field);
}

/// What a script reads of its arguments and its statement does not give.
using Absent = std::set<std::string>;
constexpr std::size_t kMostAbsent = 64;

/// __index of the arguments: they read as nil, and are noted.
int note_absent(lua_State* state) {
  auto& absent = *static_cast<Absent*>(lua_touserdata(state, lua_upvalueindex(1)));
  if (lua_type(state, 2) == LUA_TSTRING && absent.size() < kMostAbsent)
    absent.insert(lua_tostring(state, 2));
  return 0;
}

/// On the table on top of the stack.
void note_what_is_absent(lua_State* state, Absent& absent) {
  lua_newtable(state);
  lua_pushlightuserdata(state, &absent);
  lua_pushcclosure(state, &lua_guarded<note_absent>, 1);
  lua_setfield(state, -2, "__index");
  lua_setmetatable(state, -2);
}

void push_input(lua_State* state, const Analyze& analyze, Reduce how, const Samples& samples,
                const DeviceInfo& device, Absent& absent) {
  lua_newtable(state);
  push_samples(state, samples);
  lua_setfield(state, -2, "samples");
  lua_newtable(state);
  for (const AnalyzeArg& arg : analyze.args) {
    push_value(state, arg.value);
    lua_setfield(state, -2, arg.name.c_str());
  }
  note_what_is_absent(state, absent);
  lua_setfield(state, -2, "args");
  push_device(state, device, FactsFor::analysis);
  lua_setfield(state, -2, "device");
  set_text(state, "reduce", reduce_name(how));
}

/// Leaves the function to call on the stack: the script's result, or the field `run` of it.
void take_run(lua_State* state) {
  if (lua_istable(state, -1)) {
    lua_getfield(state, -1, "run");
    lua_remove(state, -2);
  }
  if (!lua_isfunction(state, -1)) {
    luaL_error(state,
               "an analysis script must return a function, or a table with a function 'run'");
  }
}

bool names_argument(const std::string& message, const std::string& argument) {
  for (const char* how : {"'{}'", "argument {}", "{} = "})
    if (message.find(fmt::format(fmt::runtime(how), argument)) != message.npos) return true;
  return false;
}

/// Of a script that fails for want of an argument: how its statement gives it.
std::string absent_hint(const Script& script, const Analyze& analyze, const Absent& absent,
                        const std::string& message) {
  std::vector<std::string> wanted;
  for (const std::string& name : absent)
    if (names_argument(message, name)) wanted.push_back(name);
  if (wanted.empty() && message.find("a nil value") != message.npos)
    wanted.assign(absent.begin(), absent.end());
  if (wanted.empty()) return {};
  const AnalysisHead head = read_head(analyze.method, script.path, script.text);
  std::string given;
  for (const std::string& name : wanted) {
    const auto row = std::ranges::find(head.parameters, name, &AnalysisHead::Parameter::name);
    const bool known = row != head.parameters.end() && !row->example.empty();
    given +=
        fmt::format("{}{} = {}", given.empty() ? "" : ", ", name, known ? row->example : "VALUE");
  }
  const char* quote = analyze.is_file ? "\"" : "";
  return fmt::format("the clause does not give {0}: analyze {1}{2}{1}({3})",
                     fmt::join(wanted, ", "), quote, analyze.method, given);
}

/// `row.latencyy`: what a row has in place of a field that is nil; "" where nothing is near.
std::string column_hint(const Samples& samples, const std::string& message) {
  constexpr std::string_view kBefore = "(field '", kAfter = "')";
  const std::size_t at = message.rfind(kBefore);
  if (at == std::string::npos || !message.ends_with(kAfter)) return {};
  const std::size_t begin = at + kBefore.size();
  const std::string name = message.substr(begin, message.size() - kAfter.size() - begin);
  std::vector<std::string> columns;
  for (const Column& column : samples.columns) columns.push_back(column.name);
  if (contains(columns, name)) return {};
  const auto near = nearest(name, columns);
  return near ? fmt::format("the samples have no column '{}': did you mean '{}'?", name, *near)
              : std::string();
}

/// What is probably meant by a script that failed so.
std::string failure_hint(const Script& script, const Analyze& analyze, const Absent& absent,
                         const Samples& samples, const std::string& message) {
  if (std::string hint = column_hint(samples, message); !hint.empty()) return hint;
  if (const auto library = missing_library(message))
    return fmt::format(
        "an analysis has no '{}': it reads input.samples, input.args and "
        "input.device; gpx lua --trust runs a script with all of Lua",
        *library);
  return absent_hint(script, analyze, absent, message);
}

/// Of a script that did not fail: a probe's refusal, which it did not expect.
using Refusal = std::optional<std::string>;

Result<Refusal> run_script(const Script& script, const Analyze& analyze, Reduce how,
                           const Samples& samples, const DeviceInfo& device,
                           const std::string& stdlib, Prober* prober, const OnPrint& on_print,
                           FindingSink& sink) {
  LuaBudget budget;
  budget.on_print = on_print;
  budget.counted = analyze.is_file;  // the library is trusted to end; its process has a time limit
  budget.memory_bytes += samples.rows() * samples.columns.size() * 64;
  SamplesPool pool;
  LuaSandbox sandbox(budget);
  Absent absent;
  std::optional<ProbeHost> host;
  if (prober) host.emplace(ProbeHost{*prober, stdlib, sink.asked});
  auto done = sandbox.protect([&](lua_State* state) {
    open_analysis_libraries(state, pool, stdlib);
    open_finding(state, sink);
    if (host) open_probe(state, *host);
    sandbox.load(state, script.path, script.text);
    lua_call(state, 0, 1);
    take_run(state);
    push_input(state, analyze, how, samples, device, absent);
    lua_call(state, 1, 0);
  });
  if (done) return Refusal{};
  Diagnostic& first = done.error().diagnostics.front();
  const std::string& why = first.message;
  if (first.hint.empty()) first.hint = failure_hint(script, analyze, absent, samples, why);
  if (prober && probe_refused(sandbox.state(), why)) return Refusal{why};
  return tl::unexpected<Error>(std::move(done.error()));
}

/// What a module of the standard library complains of is what its statement asked for; a script of
/// the user's own is pointed at itself.
Error at_statement(Error error, const Analyze& statement, const Source& source) {
  Diagnostic& first = error.diagnostics.front();
  if (first.location && statement.is_file) return error;
  if (first.location && first.hint.empty())
    first.hint = fmt::format("raised at {}:{}", first.location->file, first.location->line);
  first.location = source.locate(statement.span);
  return error;
}

}  // namespace

void open_analysis_libraries(lua_State* state, SamplesPool& pool, const std::string& stdlib) {
  open_stats(state);
  open_equations(state);
  open_fit(state);
  open_samples(state, pool);
  lua_pushlightuserdata(state, const_cast<std::string*>(&stdlib));
  lua_pushcclosure(state, &lua_guarded<use>, 1);
  lua_setglobal(state, "use");
}

std::vector<std::string> analysis_methods(const std::string& stdlib) {
  std::vector<std::string> names;
  for (const std::string& file : files_in(stdlib + "/analysis", ".lua")) {
    const std::string name = fs::path(file).stem().string();
    if (is_module_name(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> parse_analysis(const std::string& path) {
  const auto script = GPX_TRY(read_script(path));
  LuaSandbox sandbox;
  return sandbox.protect([&](lua_State* state) {
    sandbox.load(state, script.path, script.text);
    lua_settop(state, 0);
  });
}

Result<AnalysisResult> analyze_here(const Experiment& experiment, const Samples& samples,
                                    const DeviceInfo& device, const AnalysisPaths& paths,
                                    const Source* source, Prober* prober, const OnPrint& on_print) {
  AnalysisResult result;
  FindingSink sink{&samples, {}, {}};
  for (const Analyze& statement : experiment.analyses) {
    const Fail failed{source, statement.span};
    sink.began = sink.asked;
    auto script = GPX_TRY(find_script(statement, paths, failed));
    auto refusal = run_script(script, statement, experiment.reduce, samples, device, paths.stdlib,
                              prober, on_print, sink);
    if (!refusal) {
      return tl::unexpected<Error>(
          source ? at_statement(std::move(refusal.error()), statement, *source)
                 : std::move(refusal.error()));
    }
    if (*refusal)
      result.refusals.push_back(
          fmt::format("{} is inconclusive in part: {}", statement.method, **refusal));
  }
  result.findings = std::move(sink.findings);
  return result;
}

}  // namespace gpx
