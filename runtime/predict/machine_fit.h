// The machine's parameters of the MWP/CWP model, measured on a device and kept for the next time.
//
// They come from the micro-benchmarks of stdlib/kernels/micro.cu, judged by the analysis
// mwp_cwp_fit, from a copy or a read for the bandwidth, from loads of shared memory
// (stdlib/kernels/shared.cu) and from empty blocks (launch.cu); never from a device description.
// Covered by tests/runtime/predict_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/pipeline.h"

namespace gpx {

/// Clocks from one empty block of so many threads to the next, all SMs together.
struct LaunchInterval {
  std::uint32_t threads = 0;
  double clocks = 0;
};

struct MachineParameters {
  double mem_ld = 0;                   ///< Clocks.
  double departure_uncoal = 0;         ///< Clocks.
  double departure_coal = 0;           ///< Clocks.
  double issue_cycles = 0;             ///< Clocks.
  double instruction_latency = 0;      ///< Clocks of an instruction of a warp alone; 0: not known.
  double shared_access = 0;            ///< Clocks of an SM for a warp's access of shared memory;
                                       ///< 0: not known.
  double shared_conflict = 0;          ///< Clocks more for each pass after its first.
  double bandwidth = 0;                ///< B/s.
  std::vector<LaunchInterval> launch;  ///< By threads, ascending; empty: not known.
  double error = 0;                    ///< Of the model on the micro-benchmarks; 0: not known.
  double worst_error = 0;              ///< On one of them, signed; 0: not known.
  std::string origin;                  ///< "fitted now", "fitted earlier", "given"
  std::vector<std::string> notes;      ///< What the fit could not find.
};

/// Of a block of `threads`: as fitted, and between two fitted sizes on the line through them. 0:
/// not known.
double launch_interval(const MachineParameters& machine, std::uint64_t threads);

/// `device` as for Session::open. Stored under a key of the device and of what it was measured
/// with; `anew` measures in any case. `on_fit` is called before something is measured.
Result<MachineParameters> machine_parameters(Session& session, const std::string& device, bool anew,
                                             const std::function<void()>& on_fit);

}  // namespace gpx
