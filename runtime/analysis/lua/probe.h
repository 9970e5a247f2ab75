// `probe` for analysis scripts: chases that an analysis asks for beyond the samples that it got.
// docs/analysis.md documents it. Covered by tests/runtime/cache_inference_test.cpp.
#pragma once

#include <cstdint>
#include <lua.hpp>
#include <string>

#include "runtime/analysis/prober.h"

namespace gpx {

/// What a script may use from its first request on: a method that asks as it learns runs for as
/// long as the device takes to answer.
constexpr std::uint64_t kProbingInstructions = 20'000'000'000;
constexpr double kProbingSeconds = 1800;

/// What `probe` asks through: both must outlive the state.
struct ProbeHost {
  Prober& prober;
  const std::string& stdlib;  ///< Holds probes/*.cu.
  std::uint64_t& asked;       ///< Counts requests.
};
/// Defines the global `probe`; the host must outlive the state.
void open_probe(lua_State* state, ProbeHost& host);
/// The error that ended a script is a probe's refusal: a limit of gpx or of the device, no mistake
/// of the script.
bool probe_refused(lua_State* state, const std::string& message);

}  // namespace gpx
