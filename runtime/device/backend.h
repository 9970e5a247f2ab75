// Backend: the one small interface behind which a real and a virtual GPU differ.
//
// The pipeline opens a backend, compiles and proves with its toolchain, loads the program's buffers
// and artifacts once, then runs jobs in batches. Covered by tests/runtime/pipeline_test.cpp and by
// the tests of both backends.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "codegen/ir/program.h"
#include "codegen/toolchain/toolchain.h"
#include "lang/diagnostic.h"
#include "runtime/device/co_runner.h"
#include "runtime/device/info.h"
#include "runtime/device/model_parts.h"
#include "runtime/device/telemetry.h"

namespace gpx {

/// One point of a sweep: warm-up launches, then `repetitions` timed ones, back to back.
struct Job {
  const codegen::Launch* launch = nullptr;
  std::uint32_t repetitions = 1;
  std::uint64_t seed = 0;  ///< For a virtual GPU's noise; fixes a job's samples to the last bit.
  /// Buffers with a fill, by index into Program::buffers, whose bytes are read back after the
  /// first launch. Such a job has one repetition and no warm-up, and its launch is not sampled.
  std::vector<std::uint32_t> read = {};
};

/// How a launch ended. Where the program does not ask for outcomes, any but `completed` is an
/// error.
enum class Outcome {
  completed,
  deadlock,        ///< It had not ended when its watchdog expired, or can be shown never to end.
  launch_failure,  ///< The device does not have the registers, threads or memory that it needs.
};

/// What launches in a row took (Launch::metered).
struct Metered {
  double joules = 0;      ///< Of a launch, by the whole device.
  double seconds = 0;     ///< From the start of a launch to that of the next.
  double idle_watts = 0;  ///< Of the device with nothing to do, a moment after.
  double clock_hz = 0;    ///< Of the SMs meanwhile, on average; 0: not known.
};

struct Repetition {
  Outcome outcome = Outcome::completed;
  /// One for each Program::results, then the records' words (Program::records). Empty unless
  /// completed.
  std::vector<std::uint64_t> results;
  double seconds = 0;  ///< From the start of the grid to its end.
  /// Blocks that a virtual GPU ran where it ran a sample (Launch::sampled); 0: all.
  std::uint64_t blocks_run = 0;
  /// Of a sample: half the 95 % interval of `seconds` over it; infinite where that is not known.
  double sample_error = 0;
  std::optional<Metered> metered = {};
};

/// Counts of a sample that are known no better say nothing: they are refused.
constexpr double kMostSampleError = 0.1;
/// And times, whose least error is larger.
constexpr double kMostTimeError = 0.15;

struct JobResult {
  std::vector<Repetition> repetitions;
  /// One for each Job::read: as many bytes as the launch gives the buffer. Empty where the launch
  /// did not complete.
  std::vector<std::vector<std::uint8_t>> buffers = {};
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const DeviceInfo& info() const = 0;

  /// What compiles kernels for this device and proves them. Valid as long as the backend.
  virtual const codegen::Toolchain& toolchain() const = 0;

  /// The text that a modelled device is made from; "" for a real one.
  virtual std::string definition() const { return {}; }

  /// What a model has and what it leaves out; of a real device nothing.
  virtual std::vector<ModelPart> model_parts() const { return {}; }
  /// What a model's memory, schedulers and operations were made with; of a real device nothing.
  virtual std::vector<ModelValue> model_values() const { return {}; }

  /// The device's state at this moment, as far as it tells.
  virtual Telemetry telemetry() const { return {}; }

  /// Another instance on the same device, which holds a program of its own; nullptr: no other
  /// process can use the device.
  virtual std::unique_ptr<Backend> beside() const { return nullptr; }
  /// Seconds since some time in the past, by a clock that also runs between launches.
  virtual double now() const;
  /// Lets time pass without a launch.
  virtual void rest(double seconds);
  /// Bytes of memory that can be allocated now.
  virtual std::uint64_t free_memory() const { return info().memory_bytes; }
  /// What another process did to measurements so far, where the backend watches for it.
  virtual CoRunner co_runner() const { return {}; }

  /// Allocates and fills the buffers, loads the artifacts (one for each kernel of the program).
  /// Replaces what was loaded before.
  virtual Result<void> load(const codegen::Program& program,
                            std::span<const codegen::Artifact> artifacts) = 0;

  /// Blocks of a launch of the loaded program that an SM holds at a time, as the device itself
  /// says; 0: it does not say.
  virtual Result<std::uint32_t> resident_blocks(const codegen::Launch&) { return 0; }

  /// From now on records what happens inside the device while it runs jobs: "stats" or "trace",
  /// each a text. Errors: the device does not tell, or there is no such text.
  virtual Result<void> record(const std::string& what) {
    return fail(Fault::input, "'" + info().name + "' does not tell what happens inside it: " +
                                  what + " needs a virtual GPU");
  }
  /// What was recorded since; ends it.
  virtual std::string recorded(const std::string&) { return {}; }

  /// Runs the jobs and returns their results in the same order. Launches are queued and read back
  /// together. When `stop` becomes true it returns early with the jobs that are complete (a
  /// prefix). An error says which launch failed; what earlier calls returned stays valid.
  virtual Result<std::vector<JobResult>> run(std::span<const Job> jobs,
                                             const std::atomic<bool>& stop) = 0;
};

}  // namespace gpx
