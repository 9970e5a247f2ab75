// Prediction: how long a user's kernel takes, why, and what would change it.
// Covered by tests/runtime/predict_test.cpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/analysis/mwp_cwp.h"
#include "runtime/measure/sampled.h"
#include "runtime/measure/user_measure.h"
#include "runtime/pipeline.h"
#include "runtime/predict/interval.h"
#include "runtime/predict/machine_fit.h"
#include "runtime/predict/simulation.h"

namespace gpx {

struct PredictRequest {
  std::string file, entry;
  std::vector<std::string> grid, block;  ///< One to three extents.
  std::vector<std::string> arguments;    ///< "n=2000"
  std::vector<std::string> buffers;      ///< "a=4MB", "a=4MB:uniform(0, 1)"
  std::vector<std::string> defines;      ///< Macros: "TILE=16"
  std::vector<std::string> includes;     ///< Folders that the file may include from, too.
  /// Launches before it, as CUDA writes them: "fill<<<64, 256>>>(x, 1024)".
  std::vector<std::string> after;
  std::string shared_bytes, registers;  ///< Empty: none, as it comes.
  std::vector<std::string> machine;     ///< "Mem_LD=420": in place of what is fitted.
  std::string device = "auto";
  std::string model;  ///< "mwp_cwp", "simulation"; "": as the device has caches or not.
  std::string twin;   ///< The device file that stands for a real GPU; "": one of the library.
  bool what_if = false;
  std::vector<std::string> expects;  ///< "buffer(out) == \"reference.npy\" within 1e-5"
  /// "naive.cu:multiply": a kernel that is given the same; all buffers are compared after both.
  std::string reference;
  std::string within;              ///< The tolerance of `reference`; empty: none.
  std::vector<SavedBuffer> saved;  ///< --save
  bool measure = false;
  bool all_blocks = false;  ///< All of them are counted and measured, not a sample.
  bool fit_anew = false;
  std::function<void()> on_fit;
};

/// What no launch goes below, whatever the equations say.
enum class Floor { none, bandwidth, shared, launch };
const char* to_string(Floor floor);

/// The model of a launch, raised to what no launch goes below.
struct ModelResult {
  MwpCwp model;
  std::string why;  ///< That case; its equation.
  /// Where what the transactions move, the accesses of shared memory or the launch of the blocks
  /// takes longer than the equations say: that is the result then.
  Floor floor = Floor::none;
  double least = 0;      ///< Clocks of the floor.
  double equations = 0;  ///< Theirs, where there is such a floor.

  double cycles() const { return floor == Floor::none ? model.exec_cycles : least; }
  /// The bandwidth is of the model; of the others a kernel takes longer where it waits for memory.
  bool at_least() const { return floor == Floor::shared || floor == Floor::launch; }
};

/// What a change would give.
struct Variant {
  std::string kind;    ///< "block", "registers", "coalescing"
  std::string change;  ///< "128 threads a block"
  Occupancy occupancy;
  ModelResult model;
};

/// What a change of the machine or of the launch would give, by the simulation.
struct ChangedTime {
  std::string change;  ///< "twice the bandwidth of DRAM", "128 threads a block"
  double seconds = 0;
};

/// What the model leaves out and this kernel has.
struct Limit {
  std::string kind;  ///< "caches", "atomics", "bandwidth", "transactions", "rounds", "barriers",
                     ///< "few_warps", "overlap", "slow", "shared", "conflicts",
                     ///< "launch"
  std::string text;
  double clocks = 0;  ///< Of the launch with it; 0: that cannot be said.
};

struct Prediction {
  DeviceInfo device;
  std::string file, entry;
  std::string source;              ///< The file's text; "" of a cubin.
  std::vector<std::string> after;  ///< Launches before it, as they were given.
  codegen::Launch launch;
  LaunchFacts facts;
  std::string registers_of;  ///< What the number of registers was taken from.
  std::string coalescing;    ///< The rule.
  std::uint32_t active_blocks = 0, active_sms = 0;
  std::vector<int> loop_lines;  ///< Of the file, for facts.followed->loops.
  /// Why there is no prediction, only a measurement; empty: there is one.
  std::string uncounted;
  std::string predictor;  ///< "mwp_cwp", "simulation"
  std::optional<Simulation> simulation;
  std::optional<PredictionInterval> interval;  ///< Of the simulation; nullopt: not known.
  std::vector<ChangedTime> changes;
  MachineParameters machine;
  ModelResult model;
  /// From the start of the grid to its end, as `time` of gpx run and --measure have it. A
  /// simulation counts the launch's overhead with it, the model of 2009 does not.
  double seconds = 0;
  std::string bound;  ///< One sentence: what bounds it.
  /// How its instructions are unlike all of the micro-benchmarks', whose error then says nothing of
  /// this kernel; empty: they are not.
  std::string extrapolation;
  std::vector<Limit> limits;
  std::vector<Variant> variants;
  std::optional<double> measured_seconds;
  int measured_launches = 0;                    ///< Whose median it is, after an untimed one.
  std::optional<SampledTimes> measured_sample;  ///< Where they are of one.
  std::uint64_t measured_blocks = 0;            ///< That were run.
  /// The prediction over what was measured, minus 1; nothing where a launch took no time.
  std::optional<double> off() const {
    if (!measured_seconds || *measured_seconds <= 0) return std::nullopt;
    return seconds / *measured_seconds - 1;
  }
  std::vector<ExpectationResult> expectations;  ///< Of the results.
  std::string values_digest;                    ///< Of the buffers that were read; "": none was.
  std::vector<std::string> notes;
  std::vector<std::string> table;  ///< The model's own, as lines.
};

/// Errors: those of an experiment that runs the kernel; one that cannot be counted, at its line; a
/// block that does not fit; a machine that cannot be fitted.
Result<Prediction> predict(Session& session, const PredictRequest& request);

}  // namespace gpx
