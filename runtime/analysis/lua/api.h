// What analysis scripts can call beside Lua's own libraries. docs/analysis.md documents each
// function. Covered by tests/runtime/analysis_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

#include "runtime/analysis/finding.h"
#include "runtime/analysis/lua/sandbox.h"
#include "runtime/device/info.h"
#include "runtime/measure/samples.h"

namespace gpx {

/// `stats` (runtime/analysis/lua/stats.cpp).
void open_stats(lua_State* state);
/// `equations` (runtime/analysis/lua/equations.cpp).
void open_equations(lua_State* state);
/// `fit_line` and `stats.levels` (runtime/analysis/lua/fit.cpp); after open_stats.
void open_fit(lua_State* state);

/// The argument at `index`, a list of at least `least` numbers, none of them NaN.
std::vector<double> numbers_at(lua_State* state, int index, std::size_t least);

/// Tables made by `samples:reduce`; they live as long as the analysis.
struct SamplesPool {
  std::deque<Samples> made;
};

/// Registers the samples methods; `pool` must outlive the state (runtime/analysis/lua/samples.cpp).
void open_samples(lua_State* state, SamplesPool& pool);
/// Leaves on the stack an object that shows all rows of `samples`, which must outlive the state.
void push_samples(lua_State* state, const Samples& samples);

/// `stats`, `fit_line`, the samples methods and `use`: what both analyses and users' scripts have.
/// Both must outlive the state (runtime/analysis/analysis.cpp).
void open_analysis_libraries(lua_State* state, SamplesPool& pool, const std::string& stdlib);

/// Where `finding{…}` puts what it makes.
struct FindingSink {
  const Samples* samples = nullptr;  ///< Whose columns `evidence` may name.
  std::vector<Finding> findings;
  std::unordered_set<std::string> names;  ///< Of these findings: none is made twice.
  std::uint64_t asked = 0;                ///< Probes that were made so far, by all statements...
  std::uint64_t began = 0;                ///< ...and before the one that runs.
};

/// Defines `finding` (runtime/analysis/lua/finding.cpp).
void open_finding(lua_State* state, FindingSink& sink);

/// Who reads a device's facts: an analysis, which sees those that facts.def lets it see, or who
/// reads results, which have all.
enum class FactsFor { analysis, results };

/// Leaves a table on the stack with what a driver reports: `device`
/// (runtime/analysis/lua/device.cpp).
void push_device(lua_State* state, const DeviceInfo& device, FactsFor reader);

/// The script's spelling of a reduction: "harmonic_mean", "mean", "median", "min", "max".
const char* reduce_name(Reduce how);

}  // namespace gpx
