#include "runtime/script/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>

#include "codegen/files/files.h"
#include "codegen/ir/text.h"
#include "lang/language.h"
#include "lang/read.h"
#include "lang/try.h"
#include "runtime/analysis/lua/api.h"
#include "runtime/analysis/lua/fields.h"
#include "runtime/script/confine.h"
#include "runtime/script/lua_plot.h"
#include "runtime/script/lua_result.h"
#include "runtime/script/lua_show.h"

namespace gpx::script {
namespace {

namespace fs = std::filesystem;

constexpr double kRunInstructions = 1e6;  ///< So that no loop of short runs is endless.
constexpr std::uintmax_t kMostFileBytes = 16u << 20;
const std::string kReturn = "return ";  ///< Makes a typed expression a piece that gives its value.

/// What the functions of `gpx` share.
struct Context {
  Host& host;
  const Paths& paths;
  const Options& options;
  std::string folder;
  Confine confine;
  ResultPool pool;
  std::string device_failure = {};  ///< What a script was last told that is no fault of its own.
};

Context& context_of(lua_State* state) {
  return *static_cast<Context*>(lua_touserdata(state, lua_upvalueindex(1)));
}

/// "line 1:7: there is no word 'laod' (did you mean 'load'?)"; each on a line.
std::string text_of(const Error& error) {
  std::string text;
  for (const Diagnostic& each : error.diagnostics) {
    if (!text.empty()) text += '\n';
    if (each.location && each.location->line > 0)
      text += fmt::format("{}:{}:{}: ", fs::path(each.location->file).filename().string(),
                          each.location->line, each.location->column);
    text += each.message;
    if (!each.hint.empty()) text += " (" + each.hint + ")";
  }
  return text;
}

int raise(lua_State* state, const Error& error) {
  if (error.fault == Fault::device) context_of(state).device_failure = text_of(error);
  luaL_where(state, 1);
  lua_pushstring(state, text_of(error).c_str());
  lua_concat(state, 2);
  return lua_error(state);
}

std::string setting_text(lua_State* state, int index) {
  if (lua_type(state, index) == LUA_TBOOLEAN) return lua_toboolean(state, index) ? "true" : "false";
  if (lua_type(state, index) != LUA_TNUMBER && lua_type(state, index) != LUA_TSTRING)
    luaL_error(state, "a value of 'set' must be a number, a text or a truth value");
  if (lua_type(state, index) == LUA_TSTRING) return lua_tostring(state, index);
  if (lua_isinteger(state, index)) return fmt::format("{}", lua_tointeger(state, index));
  return fmt::format("{}", lua_tonumber(state, index));
}

std::vector<Setting> read_settings(lua_State* state, int index) {
  std::vector<Setting> settings;
  lua_pushnil(state);
  while (lua_next(state, index) != 0) {
    if (lua_type(state, -2) != LUA_TSTRING) luaL_error(state, "'set' must have names as its keys");
    settings.push_back({lua_tostring(state, -2), setting_text(state, lua_gettop(state))});
    lua_pop(state, 1);
  }
  // A table's order is none: the store and the messages get one.
  std::ranges::sort(settings, {}, &Setting::name);
  return settings;
}

/// {device = "k20", seed = 2, set = {repeat = 5}} at argument 2, or nothing.
RunOptions read_options(lua_State* state, const Options& defaults) {
  RunOptions run;
  run.device = defaults.device;
  run.seed = defaults.seed;
  if (lua_isnoneornil(state, 2)) return run;
  luaL_checktype(state, 2, LUA_TTABLE);
  only_fields(state, 2, "options of a run", {"device", "seed", "set"});
  lua_pushnil(state);
  while (lua_next(state, 2) != 0) {
    const std::string key = lua_type(state, -2) == LUA_TSTRING ? lua_tostring(state, -2) : "";
    if (key == "device" && lua_type(state, -1) == LUA_TSTRING) {
      run.device = lua_tostring(state, -1);
    } else if (key == "seed" && lua_isinteger(state, -1) && lua_tointeger(state, -1) >= 0) {
      run.seed = static_cast<std::uint64_t>(lua_tointeger(state, -1));
    } else if (key == "set" && lua_istable(state, -1)) {
      run.settings = read_settings(state, lua_gettop(state));
    } else {
      luaL_error(state,
                 "options of a run are device (a text), seed (a whole number) and set (a table)");
    }
    lua_pop(state, 1);
  }
  return run;
}

int run_source(lua_State* state, const Source& source) {
  Context& context = context_of(state);
  LuaSandbox& sandbox = LuaSandbox::of(state);
  const RunOptions options = read_options(state, context.options);
  sandbox.charge(state, kRunInstructions);
  if (!context.options.trusted)
    if (auto ok = check_confined(context.confine, source, options); !ok)
      return raise(state, ok.error());
  const double begin = LuaSandbox::processor_seconds();
  Result<RunResult> result = context.host.run(source, options);
  sandbox.excuse(LuaSandbox::processor_seconds() - begin);
  if (!result) return raise(state, result.error());
  if (result->experiments.empty()) return luaL_error(state, "there is no experiment in the text");
  if (result->interrupted) return luaL_error(state, "interrupted");
  if (const Error* failure = result->failure()) return raise(state, *failure);
  push_run(state, context.pool, std::move(*result));
  return 1;
}

/// gpx.run [[ text ]]
int run_text(lua_State* state) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(state, 1, &size);
  const fs::path folder = context_of(state).folder;
  return run_source(state, Source((folder / "gpx.run").string(), std::string(text, size)));
}

/// gpx.run_file "name.gpx": relative to the script.
int run_file(lua_State* state) {
  const Context& context = context_of(state);
  const std::string path = (fs::path(context.folder) / luaL_checkstring(state, 1)).string();
  if (!context.options.trusted) {
    if (const auto allowed = context.confine.file(path, ".gpx"); !allowed)
      return raise(state, allowed.error());
  }
  auto text = file_text(path, kMostFileBytes);
  if (!text) return raise(state, make_error(Fault::input, fmt::format("cannot read '{}'", path)));
  return run_source(state, Source(path, std::move(*text)));
}

store::Filter read_filter(lua_State* state) {
  store::Filter filter;
  if (lua_isnoneornil(state, 1)) return filter;
  luaL_checktype(state, 1, LUA_TTABLE);
  only_fields(state, 1, "runs", {"limit", "device", "experiment"});
  lua_getfield(state, 1, "limit");
  const lua_Integer limit = luaL_optinteger(state, -1, 20);
  luaL_argcheck(state, limit >= 0, 1, "'limit' is negative");
  filter.limit = static_cast<std::uint64_t>(limit);
  lua_getfield(state, 1, "device");
  filter.device = luaL_optstring(state, -1, "");
  lua_getfield(state, 1, "experiment");
  filter.experiment = luaL_optstring(state, -1, "");
  lua_pop(state, 3);
  return filter;
}

/// gpx.runs{limit = 20, device = "k20", experiment = "prt"}
int runs(lua_State* state) {
  const auto entries = context_of(state).host.runs(read_filter(state));
  if (!entries) return raise(state, entries.error());
  LuaSandbox::of(state).charge(state, 100.0 * static_cast<double>(entries->size()));
  lua_createtable(state, static_cast<int>(entries->size()), 0);
  lua_Integer count = 0;
  for (const store::RunEntry& entry : *entries) {
    push_entry(state, entry);
    lua_rawseti(state, -2, ++count);
  }
  return 1;
}

/// gpx.load "last"
int load(lua_State* state) {
  Context& context = context_of(state);
  LuaSandbox::of(state).charge(state, kRunInstructions);
  Result<RunResult> run = context.host.load(luaL_checkstring(state, 1));
  if (!run) return raise(state, run.error());
  push_run(state, context.pool, std::move(*run));
  return 1;
}

void open_gpx(lua_State* state, Context& context) {
  static constexpr luaL_Reg functions[] = {
      {"run", &lua_guarded<run_text>}, {"run_file", &lua_guarded<run_file>},
      {"runs", &lua_guarded<runs>},    {"load", &lua_guarded<load>},
      {"plot", &lua_guarded<plot>},    {nullptr, nullptr}};
  luaL_newlibtable(state, functions);
  lua_pushlightuserdata(state, &context);
  luaL_setfuncs(state, functions, 1);
  lua_pushliteral(state, GPX_VERSION);
  lua_setfield(state, -2, "version");
  lua_setglobal(state, "gpx");
}

/// A script that ends with what it was told of a device fails as the device does.
void explain(const Context& context, Error& error) {
  Diagnostic& why = error.diagnostics.front();
  if (!context.device_failure.empty() && why.message.ends_with(context.device_failure))
    error.fault = Fault::device;
  if (!context.options.trusted && why.hint.empty() && missing_library(why.message))
    why.hint = "gpx lua --trust gives a script files, processes and all of Lua";
}

}  // namespace

Result<void> check_confined(const Confine& confine, const Source& source, const RunOptions& run) {
  GPX_TRY(confine.device(run.device));
  const auto experiments = GPX_TRY(read_experiments(source, run.settings));
  const std::string folder = fs::path(source.name()).parent_path().string();
  for (const Experiment& each : experiments) {
    GPX_TRY(confine.experiment(each, folder));
  }
  return {};
}

Result<void> run_script_here(const Source& script, Host& host, const Paths& paths,
                             const Options& options) {
  const std::string folder = fs::path(script.name()).parent_path().string();
  Context context{host, paths, options, folder, Confine(folder, paths), {}};
  SamplesPool samples;
  LuaSandbox sandbox(options.budget);
  Result<void> ran = sandbox.protect([&](lua_State* state) {
    if (options.trusted) open_all_libraries(state);
    open_analysis_libraries(state, samples, paths.stdlib);
    open_gpx(state, context);
    sandbox.load(state, script.name(), script.text());
    lua_call(state, 0, 0);
  });
  if (!ran) explain(context, ran.error());
  return ran;
}

namespace {

bool is_identifier(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text, codegen::in_word);
}

/// Of the value on top of the stack, and of what it looks its fields up in.
void add_fields(lua_State* state, std::set<std::string>& names) {
  if (lua_istable(state, -1)) {
    for (lua_pushnil(state); lua_next(state, -2); lua_pop(state, 1))
      if (lua_type(state, -2) == LUA_TSTRING)
        if (const std::string name = lua_tostring(state, -2);
            is_identifier(name) && !name.starts_with("__"))
          names.insert(name);
  }
  if (luaL_getmetafield(state, -1, "__index") == LUA_TTABLE) {
    if (!lua_rawequal(state, -1, -2)) add_fields(state, names);
    lua_pop(state, 1);
  }
}

}  // namespace

struct TypedScript::Impl {
  Impl(Host& host, const Paths& paths, const Options& options)
      : context{host, paths, options, "", Confine("", paths), {}}, sandbox(options.budget) {}
  /// Whether it is Lua at all: nothing runs.
  Result<void> load(const std::string& name, const std::string& text);

  Context context;
  SamplesPool samples;
  LuaSandbox sandbox;
};

TypedScript::TypedScript(Host& host, const Paths& paths, const Options& options)
    : impl_(std::make_unique<Impl>(host, paths, options)) {
  // What cannot be opened is missing: the piece that names it says so.
  (void)impl_->sandbox.protect([&](lua_State* state) {
    if (options.trusted) open_all_libraries(state);
    open_analysis_libraries(state, impl_->samples, paths.stdlib);
    open_gpx(state, impl_->context);
  });
}

TypedScript::~TypedScript() = default;

Result<void> TypedScript::Impl::load(const std::string& name, const std::string& text) {
  return sandbox.protect([&](lua_State* state) {
    sandbox.load(state, name, text);
    lua_settop(state, 0);
  });
}

bool TypedScript::is_unfinished(const std::string& text) {
  impl_->sandbox.renew();
  if (impl_->load("typed", kReturn + text)) return false;
  const auto loaded = impl_->load("typed", text);
  return !loaded && loaded.error().diagnostics.front().message.ends_with("near <eof>");
}

Result<void> TypedScript::run(const Source& piece) {
  LuaSandbox& sandbox = impl_->sandbox;
  sandbox.renew();
  const bool is_expression = impl_->load(piece.name(), kReturn + piece.text()).has_value();
  Result<void> ran = sandbox.protect([&](lua_State* state) {
    sandbox.load(state, piece.name(), is_expression ? kReturn + piece.text() : piece.text());
    lua_call(state, 0, LUA_MULTRET);
    const int values = lua_gettop(state);
    for (int i = 1; i <= values; ++i)
      for (std::string& line : shown(state, i)) sandbox.print(state, std::move(line));
    lua_settop(state, 0);
  });
  if (!ran && is_expression)
    for (Diagnostic& each : ran.error().diagnostics) {
      if (!each.location || !each.location->line_text.starts_with(kReturn)) continue;
      each.location->line_text.erase(0, kReturn.size());
      each.location->length -= static_cast<int>(kReturn.size());
    }
  return ran;
}

std::vector<std::string> TypedScript::names(const std::string& path) {
  std::set<std::string> names;
  (void)impl_->sandbox.protect([&](lua_State* state) {
    lua_pushglobaltable(state);
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, '.');) {
      if (!lua_istable(state, -1)) return lua_settop(state, 0);
      lua_getfield(state, -1, part.c_str());
    }
    add_fields(state, names);
    lua_settop(state, 0);
  });
  return {names.begin(), names.end()};
}

Result<void> TypedScript::set(const std::string& name, RunResult run) {
  impl_->sandbox.renew();
  return impl_->sandbox.protect([&](lua_State* state) {
    push_run(state, impl_->context.pool, std::move(run));
    lua_setglobal(state, name.c_str());
  });
}

}  // namespace gpx::script
