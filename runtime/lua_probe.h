// `probe` for analysis scripts: chases that an analysis asks for beyond the samples that it got.
// docs/analysis.md documents it. Covered by tests/runtime/cache_inference_test.cpp.
#pragma once

#include <cstdint>
#include <lua.hpp>

#include "runtime/prober.h"

namespace gpx {

/// What a script has spent; shown with its findings.
struct ProbeCount {
  std::uint64_t requests = 0;
  std::uint64_t accesses = 0;
};

/// Defines the global `probe`; both must outlive the state.
void open_probe(lua_State* state, Prober& prober, ProbeCount& count);

}  // namespace gpx
