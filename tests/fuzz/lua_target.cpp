// Any text as an analysis script, with samples and a device: findings that another process can be
// sent, or an error that says where; the same ones the second time.
#include <algorithm>
#include <limits>

#include "runtime/analysis/analysis_wire.h"
#include "runtime/analysis/lua/api.h"
#include "targets.h"

namespace gpx::fuzz {
namespace {

constexpr std::size_t kPrinted = 1 << 16;

LuaBudget small_budget() {
  LuaBudget budget;
  budget.instructions = 6'000;  // Of an endless loop each of them costs time.
  budget.memory_bytes = std::size_t{8} << 20;
  budget.seconds = 20;  // far above what so many instructions take under sanitizers
  budget.printed_bytes = kPrinted;
  return budget;
}

/// Two repetitions of twelve points on a line with a bend, a word, a value that is missing.
const Samples& samples() {
  static const Samples made = [] {
    Samples all;
    all.columns = {{"kind", Unit::none, Column::Role::axis, true, {}, {}},
                   {"threads", Unit::none, Column::Role::axis, false, {}, {}},
                   {"repetition", Unit::none, Column::Role::repetition, false, {}, {}},
                   {"latency", Unit::clock, Column::Role::observed, false, {}, {}}};
    for (int point = 0; point < 12; ++point)
      for (int repetition = 0; repetition < 2; ++repetition) {
        all.columns[0].texts.push_back(point % 2 == 0 ? "even" : "odd");
        all.columns[1].numbers.push_back(32.0 * (point + 1));
        all.columns[2].numbers.push_back(repetition);
        all.columns[3].numbers.push_back(point == 7 ? std::numeric_limits<double>::quiet_NaN()
                                                    : 400 + std::max(0, point - 6) * 10.0);
      }
    return all;
  }();
  return made;
}

/// What a statement of an experiment hands to the script.
void push_input(lua_State* state, const DeviceInfo& device) {
  lua_newtable(state);
  push_samples(state, samples());
  lua_setfield(state, -2, "samples");
  push_device(state, device, FactsFor::analysis);
  lua_setfield(state, -2, "device");
  lua_newtable(state);
  lua_pushstring(state, "threads");
  lua_setfield(state, -2, "x");
  lua_setfield(state, -2, "args");
}

struct Ran {
  AnalysisResult result;
  std::vector<std::string> printed;
  std::string error;
  bool placed = true;  ///< Where there is an error: it has a place or says what was used up.
  bool loaded = false;
};

Ran run(const std::string& input) {
  DeviceInfo device;
  device.name = "k20";
  device.sm_count = 13;
  device.warp_size = 32;
  static const std::string stdlib = GPX_SOURCE_DIR "/stdlib";
  SamplesPool pool;
  FindingSink sink{&samples(), {}, {}};
  LuaSandbox sandbox(small_budget());
  Ran ran;
  const auto done = sandbox.protect([&](lua_State* state) {
    open_analysis_libraries(state, pool, stdlib);
    open_finding(state, sink);
    push_input(state, device);
    lua_setglobal(state, "input");
    sandbox.load(state, "input.lua", input);
    ran.loaded = true;
    lua_call(state, 0, 1);
    if (lua_istable(state, -1)) lua_getfield(state, -1, "run");
    if (!lua_isfunction(state, -1)) return lua_settop(state, 0);
    lua_getglobal(state, "input");
    lua_call(state, 1, 0);
  });
  ran.result.findings = std::move(sink.findings);
  ran.printed = sandbox.printed();
  if (!done) {
    ran.placed = !done.error().diagnostics.empty();
    ran.error = render(done.error());
  }
  return ran;
}

}  // namespace

std::string lua(const std::string& input) {
  const Ran first = run(input);
  if (!first.placed) return "an error without a diagnostic";
  if (!first.loaded) return "";
  taken = first.error.empty();
  const wire::Bytes bytes = to_bytes(Result<AnalysisResult>(first.result));
  const auto sent = analysis_from(bytes);
  if (!sent) return "findings that cannot be sent: " + render(sent.error());
  if (to_bytes(sent) != bytes) return "findings change when they are sent";
  std::size_t printed = 0;
  for (const std::string& line : first.printed) printed += line.size();
  if (printed > kPrinted) return "more is printed than the budget has";
  const Ran second = run(input);
  if (to_bytes(Result<AnalysisResult>(second.result)) != bytes || second.error != first.error)
    return "a script gives something else the second time";
  return "";
}

}  // namespace gpx::fuzz
