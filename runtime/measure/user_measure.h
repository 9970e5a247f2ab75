// A measure that runs a kernel from a file: found, compiled, lowered, counted.
//
// Beside `time` its samples have columns that describe each launch, the parameters of hong2009's
// Table 1: properties of the kernel and of what a driver reports, never of a device description.
// Covered by tests/runtime/user_measure_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/user/user_kernel.h"
#include "lang/experiment.h"
#include "runtime/device/backend.h"
#include "runtime/device/vgpu/counts/kernel_counts.h"
#include "runtime/device/vgpu/counts/static_counts.h"
#include "runtime/measure/kernel_place.h"
#include "runtime/measure/occupancy.h"
#include "runtime/measure/sample_table.h"
#include "runtime/paths.h"

namespace gpx {

constexpr std::uintmax_t kMostKernelBytes = 4 << 20;  ///< Of a kernel's file.

/// The text of `kept` that stands for the file of that name; nullptr: there is none.
const Source* kept_file(std::span<const Source> kept, const std::string& name);

/// Where the file that a text names for a kernel lies. `kept`: texts that stand for the files of
/// their names, which need not be there any more. Error: where it was looked for.
tl::expected<std::string, std::string> find_kernel_file(const std::string& name,
                                                        const Source& source, const Paths& paths,
                                                        std::span<const Source> kept = {});

/// Compiles the kernel of `measure.run()` for the backend and lowers its launches. The file is
/// looked for beside the experiment's, then in stdlib/kernels. Errors point at the experiment's
/// text or into the kernel's file.
Result<LoweredMeasure> lower_user_measure(const Experiment& experiment, const Measure& measure,
                                          const Source& source, const Backend& backend,
                                          const Paths& paths, std::span<const Source> kept,
                                          const codegen::Limits& limits,
                                          std::vector<std::string>& warnings);

/// The error with places in the PTX of its kernels moved to the kernel's file, where that is known.
Error in_kernel_file(Error error, const LoweredMeasure& lowered);

/// One launch, described.
struct LaunchFacts {
  vgpu::KernelCounts counts;
  bool counted = false;  ///< False: the kernel could not be executed here.
  /// The same without executing it; where it cannot be followed, why.
  std::optional<vgpu::StaticCounts> followed;
  vgpu::Unfollowed unfollowed;
  Occupancy occupancy;
  std::uint32_t device_blocks = 0;  ///< Resident on an SM as the device says; 0: it does not.
  std::uint32_t registers = 0;
  std::uint64_t shared_bytes = 0;  ///< Static and dynamic.
  std::uint64_t argument_bytes = 0;
  std::string problem;  ///< Why it could not be counted.
  std::optional<KernelPlace> problem_place = std::nullopt;
  /// Blocks depend on each other, and are too many to be counted: no sample stands for them.
  bool unsampled = false;

  /// Resident blocks: the device's word, else the calculation.
  std::uint32_t resident_blocks() const { return device_blocks ? device_blocks : occupancy.blocks; }
};

/// Loads the program and describes each of its launches. What cannot be counted is a warning, and
/// an error where a model would have to run a sample of it. `whole`: from all blocks of each grid,
/// not from a sample of them. `brief`: from fewer of them, which a virtual GPU simulates anyway.
Result<std::vector<LaunchFacts>> launch_facts(const LoweredMeasure& lowered, Backend& backend,
                                              std::vector<std::string>& warnings,
                                              bool whole = false, bool brief = false);
/// Whether it is the warning of a launch whose instructions could not be counted.
bool is_uncounted(const std::string& warning);

/// LoweredMeasure::facts from these.
void add_fact_columns(LoweredMeasure& lowered, const std::vector<LaunchFacts>& facts,
                      const DeviceInfo& device);

/// SMs that a grid keeps busy, and the blocks of it that each holds at a time.
std::uint32_t active_sms(const codegen::Launch& launch, const DeviceInfo& device);
std::uint32_t active_blocks(const codegen::Launch& launch, const LaunchFacts& facts,
                            const DeviceInfo& device);

}  // namespace gpx
