// A real GPU as a Backend. Interface: runtime/device/cuda/cuda_backend.h. Covered by
// tests/runtime/cuda_backend_test.cpp.
#include "runtime/device/cuda/cuda_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <thread>

#include "codegen/toolchain/nvrtc_toolchain.h"
#include "lang/try.h"
#include "runtime/device/cuda/context.h"
#include "runtime/device/cuda/driver.h"
#include "runtime/device/cuda/meter.h"
#include "runtime/device/cuda/program.h"
#include "runtime/device/cuda/queue.h"

namespace gpx::cuda {
namespace {

/// A GPU that had nothing to do for longer may have lowered its clocks.
constexpr double kRest_s = 0.25;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The results of a run in one array of 64-bit words: first those of all warm-up launches, which
/// nobody reads, then those of each timed launch, in the order of the jobs.
struct Slots {
  std::vector<std::uint64_t> width;  ///< Of one launch of each job, in words.
  std::vector<std::uint64_t> first;  ///< Of each job's results; one more at the end.

  Slots(std::span<const Job> jobs, const LoadedProgram& program) {
    std::uint64_t widest = 1, next = 0;
    for (const Job& job : jobs) {
      width.push_back(program.words(*job.launch));
      widest = std::max(widest, width.back());
    }
    next = widest;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      first.push_back(next);
      next += width[i] * jobs[i].repetitions;
    }
    first.push_back(next);
  }
  std::uint64_t total() const { return first.back(); }
  static constexpr std::uint64_t bytes(std::uint64_t words) {
    return words * sizeof(std::uint64_t);
  }
};

class CudaBackend final : public Backend {
 public:
  CudaBackend(Device device, std::unique_ptr<Context> context, const QueueLimits& limits)
      : device_(std::move(device)),
        context_(std::move(context)),
        toolchain_(
            {codegen::Target::Form::cubin, device_.info.sm_major * 10 + device_.info.sm_minor}),
        queue_(*context_, limits),
        limits_(limits) {}
  ~CudaBackend() override { (void)context_->use(); }  // the members free what is in it

  const DeviceInfo& info() const override { return device_.info; }
  const codegen::Toolchain& toolchain() const override { return toolchain_; }
  Telemetry telemetry() const override { return read_telemetry(device_.info.uuid); }
  std::unique_ptr<Backend> beside() const override;
  std::uint64_t free_memory() const override;
  Result<void> load(const codegen::Program& program,
                    std::span<const codegen::Artifact> artifacts) override;
  Result<std::vector<JobResult>> run(std::span<const Job> jobs,
                                     const std::atomic<bool>& stop) override;
  Result<std::uint32_t> resident_blocks(const codegen::Launch& launch) override;

 private:
  Result<void> check_jobs(std::span<const Job> jobs) const;
  Result<void> prepare_flush(std::span<const Job> jobs);
  Result<void> upload(std::span<const Job> jobs, const Slots& slots);
  Result<std::size_t> queue_jobs(std::span<const Job> jobs, const Slots& slots,
                                 std::vector<JobResult>& results, const std::atomic<bool>& stop);
  Result<bool> queue_job(std::span<const Job> jobs, std::size_t index, const Slots& slots,
                         JobResult& result, const std::atomic<bool>& stop);
  /// Whether the launch that just failed is a result.
  bool is_outcome() const { return program_->outcomes() && queue_.refused(); }
  Result<void> configure(const codegen::Launch& launch);
  Result<void> spin_up(const codegen::Launch& launch, const std::atomic<bool>& stop);
  Result<void> restore(const codegen::Launch& launch);
  Result<void> flush(const codegen::Launch& launch);
  Result<void> read_buffers(const Job& job, JobResult& result);
  Result<void> read_back(const Slots& slots, std::vector<JobResult>& results);
  Result<std::size_t> run_metered(std::span<const Job> jobs, const Slots& slots,
                                  std::vector<JobResult>& results, const std::atomic<bool>& stop);
  MeterPorts ports(const codegen::Launch& launch, const std::atomic<bool>& stop);
  Grid grid_of(const codegen::Launch& launch) {
    return {program_->kernel(launch.kernel).function,
            launch.blocks,
            launch.threads,
            arguments_.data(),
            launch.blocks_down,
            launch.threads_down,
            launch.blocks_deep,
            launch.threads_deep,
            static_cast<std::uint32_t>(launch.shared_bytes),
            launch.cluster,
            program_->kernel(launch.kernel).cooperative};
  }
  std::uint64_t flush_size(const codegen::Launch& launch) const;
  tl::unexpected<Error> name_launch(Error error, std::size_t job, const codegen::Launch& launch);
  tl::unexpected<Error> name_wait(Error error, std::size_t job);

  // In the order of construction: what comes later is destroyed first.
  Device device_;
  std::unique_ptr<Context> context_;
  codegen::NvrtcToolchain toolchain_;
  Queue queue_;
  std::unique_ptr<LoadedProgram> program_;
  DeviceMemory slots_;
  PinnedMemory host_slots_;
  DeviceMemory flush_target_;
  std::vector<std::uint64_t> packed_;
  std::vector<void*> arguments_;
  std::size_t waited_job_ = 0;  ///< The first job that has not been waited for.
  std::vector<bool> awake_;     ///< Kernels that have been launched since they were loaded.
  QueueLimits limits_;
  std::optional<Clock::time_point> last_busy_;
};

std::unique_ptr<Backend> CudaBackend::beside() const {
  auto context = Context::open(context_->driver(), device_.ordinal, context_->ordinal());
  if (!context) return nullptr;
  return std::make_unique<CudaBackend>(device_, std::move(*context), limits_);
}

std::uint64_t CudaBackend::free_memory() const {
  if (context_->use()) context_->free_spares();
  std::size_t free = 0, total = 0;
  if (!context_->use() || context_->driver().mem_get_info(&free, &total) != CUDA_SUCCESS)
    return device_.info.memory_bytes;
  return free;
}

Result<void> CudaBackend::load(const codegen::Program& program,
                               std::span<const codegen::Artifact> artifacts) {
  GPX_TRY(context_->use());
  program_.reset();  // before the new one is loaded: both may not fit
  if (!program.uses(codegen::Buffer::Place::peer)) context_->release_peer();
  program_ = GPX_TRY(LoadedProgram::load(*context_, program, artifacts, queue_));
  awake_.assign(program.kernels.size(), false);
  return {};
}

Result<std::vector<JobResult>> CudaBackend::run(std::span<const Job> jobs,
                                                const std::atomic<bool>& stop) {
  GPX_TRY(context_->use());
  GPX_TRY(check_jobs(jobs));
  const Slots slots(jobs, *program_);
  GPX_TRY(queue_.begin(program_->timed()));
  GPX_TRY(prepare_flush(jobs));
  GPX_TRY(upload(jobs, slots));

  std::vector<JobResult> results(jobs.size());
  const bool metered = !jobs.empty() && jobs.front().launch->metered > 0;
  auto complete =
      metered ? run_metered(jobs, slots, results, stop) : queue_jobs(jobs, slots, results, stop);
  if (!complete) {
    (void)queue_
        .drain();  // `results` must outlive what is queued; the first error is the one to tell
    return tl::unexpected(complete.error());
  }
  if (auto ok = queue_.drain(); !ok) return name_wait(ok.error(), *complete);
  results.resize(*complete);
  for (std::size_t i = 0; i < results.size(); ++i) GPX_TRY(read_buffers(jobs[i], results[i]));
  GPX_TRY(read_back(slots, results));
  return results;
}

/// Once more on fresh contents: launches of the same kernel before it, to wake the GPU, wrote into
/// the buffers and into the variables of its module.
Result<void> CudaBackend::read_buffers(const Job& job, JobResult& result) {
  if (job.read.empty() || result.repetitions.front().outcome != Outcome::completed) return {};
  const codegen::Launch& launch = *job.launch;
  GPX_TRY(program_->reload(launch.kernel));
  if (auto ok = configure(launch); !ok) return name_launch(ok.error(), 0, launch);
  CUdeviceptr slot = slots_.pointer();
  program_->arguments(launch, slot, packed_, arguments_);
  if (auto ok = program_->prepare(launch, queue_); !ok) return name_wait(ok.error(), 1);
  if (auto ok = queue_.launch(grid_of(launch), nullptr); !ok)
    return name_launch(ok.error(), 0, launch);
  if (auto ok = queue_.drain(); !ok) return name_wait(ok.error(), 1);
  for (const std::uint32_t buffer : job.read) {
    std::vector<std::uint8_t>& bytes = result.buffers.emplace_back(launch.fills[buffer].bytes);
    if (bytes.empty()) continue;
    const CUresult copied = context_->driver().memcpy_dtoh_async(
        bytes.data(), program_->address(buffer, launch), bytes.size(), context_->stream());
    GPX_TRY(context_->check(copied, "a buffer cannot be read"));
    GPX_TRY(queue_.drain());
  }
  return {};
}

Result<std::uint32_t> CudaBackend::resident_blocks(const codegen::Launch& launch) {
  GPX_TRY(context_->use());
  if (!program_ || launch.kernel >= program_->kernels())
    return fail(Fault::device, "no such kernel is loaded on the GPU");
  int blocks = 0;
  const CUresult result = context_->driver().occupancy_blocks(
      &blocks, program_->kernel(launch.kernel).function, static_cast<int>(launch.all_threads()),
      launch.shared_bytes);
  GPX_TRY(context_->check(result, "the occupancy cannot be queried"));
  return static_cast<std::uint32_t>(std::max(blocks, 0));
}

Result<void> CudaBackend::check_jobs(std::span<const Job> jobs) const {
  if (!program_) return fail(Fault::device, "no program is loaded on the GPU");
  for (const Job& job : jobs) {
    if (!job.launch || job.launch->kernel >= program_->kernels()) {
      return fail(Fault::device, "a job names no kernel of the loaded program");
    }
    const LoadedKernel& kernel = program_->kernel(job.launch->kernel);
    const codegen::Launch& launch = *job.launch;
    if (program_->user() && launch.fills.size() != program_->buffers()) {
      return fail(Fault::device, fmt::format("kernel '{}': {} fills for {} buffers", kernel.name,
                                             launch.fills.size(), program_->buffers()));
    }
    for (const codegen::Argument& argument : launch.arguments) {
      if (std::ranges::all_of(argument.parts, [&](const codegen::Argument::Part& part) {
            return part.buffer < 0 || static_cast<std::size_t>(part.buffer) < program_->buffers();
          }))
        continue;
      return fail(Fault::device, fmt::format("kernel '{}' is given a buffer that the program does "
                                             "not have",
                                             kernel.name));
    }
    if (job.launch->scalars.size() != kernel.scalars) {
      return fail(Fault::device,
                  fmt::format("kernel '{}' takes {} scalars, the launch has {}", kernel.name,
                              kernel.scalars, job.launch->scalars.size()));
    }
  }
  return {};
}

/// At least twice the L2, whatever the experiment names: that is what leaves nothing of it in L2.
std::uint64_t CudaBackend::flush_size(const codegen::Launch& launch) const {
  return launch.flush ? std::max(launch.flush_bytes, 2 * device_.info.l2_bytes) : 0;
}

Result<void> CudaBackend::prepare_flush(std::span<const Job> jobs) {
  std::uint64_t target = 0;
  for (const Job& job : jobs) target = std::max(target, flush_size(*job.launch));
  if (target == 0) return {};
  return flush_target_.reserve(*context_, target, "the target of the flush");
}

Result<void> CudaBackend::upload(std::span<const Job> jobs, const Slots& slots) {
  const std::uint64_t bytes = Slots::bytes(slots.total());
  GPX_TRY(slots_.reserve(*context_, bytes, "the results"));
  GPX_TRY(host_slots_.reserve(*context_, bytes, "the results"));
  auto* out = static_cast<std::uint64_t*>(host_slots_.data());
  std::fill_n(out, slots.total(), 0);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    program_->initial(*jobs[i].launch, out);  // the warm-up's: any job's will do
    for (std::uint32_t r = 0; r < jobs[i].repetitions; ++r)
      program_->initial(*jobs[i].launch, out + slots.first[i] + r * slots.width[i]);
  }
  const CUresult result = context_->driver().memcpy_htod_async(slots_.pointer(), host_slots_.data(),
                                                               bytes, context_->stream());
  return context_->check(result, "the results' initial values cannot be copied to the GPU");
}

/// What the launch wants of an SM's memories. A kernel keeps it until it is told something else.
Result<void> CudaBackend::configure(const codegen::Launch& launch) {
  const Driver& d = context_->driver();
  const CUfunction function = program_->kernel(launch.kernel).function;
  if (launch.carveout && device_.info.shared_split > 0) {
    const std::uint64_t most = device_.info.shared_split;
    const auto percent = static_cast<int>((*launch.carveout * 100 + most - 1) / most);
    auto ok = context_->check(
        d.func_set_attribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent),
        "the split between L1 and shared memory cannot be set");
    if (!ok) return ok;
  }
  constexpr std::uint32_t kPortable = 8;
  if (launch.cluster > kPortable) {
    auto ok = context_->check(
        d.func_set_attribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
        "clusters of more than 8 blocks cannot be allowed");
    if (!ok) return ok;
  }
  if (launch.bank_width == 0 || device_.info.bank_widths.size() < 2) return {};
  return context_->check(d.func_set_shared_config(function, launch.bank_width == 8 ? 2 : 1),
                         "the width of shared memory's banks cannot be set");
}

/// After a launch that nobody asked for: a user's kernel may work in place, or count what comes.
Result<void> CudaBackend::restore(const codegen::Launch& launch) {
  if (!program_->user()) return {};
  GPX_TRY(queue_.drain());
  return program_->prepare(launch, queue_);
}

/// Runs the kernel of a launch without looking at its results until the GPU is awake.
Result<void> CudaBackend::spin_up(const codegen::Launch& launch, const std::atomic<bool>& stop) {
  if (last_busy_ && seconds_since(*last_busy_) < kRest_s) return {};
  // What may not end is launched no more often than it is asked for.
  if (program_->may_hang()) return {};
  CUdeviceptr slot = slots_.pointer();
  program_->arguments(launch, slot, packed_, arguments_);
  const Grid grid = grid_of(launch);
  const auto start = Clock::now();
  // One launch may take longer than all of it should: no more are queued than have been seen to
  // end, nor than fit into what is left.
  std::size_t launches = 0;
  std::size_t batch = limits_.spin_up_s > 0 ? 1 : 0;
  while (batch > 0 && !stop.load(std::memory_order_relaxed)) {
    for (std::size_t i = 0; i < batch && !queue_.full(); ++i) {
      if (auto ok = queue_.launch(grid, nullptr); !ok) {
        if (is_outcome()) return {};
        return name_launch(ok.error(), 0, launch);
      }
      if (auto ok = restore(launch); !ok) return name_wait(ok.error(), 1);
    }
    if (auto ok = queue_.drain(); !ok) return name_wait(ok.error(), 1);
    launches += batch;
    const double spent = std::max(seconds_since(start), 1e-9), left = limits_.spin_up_s - spent;
    const double fit = left / spent * static_cast<double>(launches);
    batch = fit < 1 ? 0 : std::min(launches, static_cast<std::size_t>(fit));
  }
  return {};
}

/// Returns how many jobs are queued whole, from the first on.
Result<std::size_t> CudaBackend::queue_jobs(std::span<const Job> jobs, const Slots& slots,
                                            std::vector<JobResult>& results,
                                            const std::atomic<bool>& stop) {
  waited_job_ = 0;
  if (jobs.empty()) return 0;
  GPX_TRY(configure(*jobs[0].launch));
  // A user's kernel may run out of bounds on what is not in its buffers yet.
  if (auto ok = program_->prepare(*jobs[0].launch, queue_); !ok) return name_wait(ok.error(), 1);
  GPX_TRY(spin_up(*jobs[0].launch, stop));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (stop.load(std::memory_order_relaxed)) return i;
    auto whole = GPX_TRY(queue_job(jobs, i, slots, results[i], stop));
    if (!whole) return i;
    if (queue_.full()) {
      if (auto ok = queue_.drain(); !ok) return name_wait(ok.error(), i + 1);
      waited_job_ = i + 1;
    }
  }
  return jobs.size();
}

/// False: told to stop in the middle.
Result<bool> CudaBackend::queue_job(std::span<const Job> jobs, std::size_t index,
                                    const Slots& slots, JobResult& result,
                                    const std::atomic<bool>& stop) {
  const std::uint32_t repetitions = jobs[index].repetitions;
  const codegen::Launch& launch = *jobs[index].launch;
  const LoadedKernel& kernel = program_->kernel(launch.kernel);
  CUdeviceptr slot = slots_.pointer();  // the warm-up's
  program_->arguments(launch, slot, packed_, arguments_);
  const Grid grid = grid_of(launch);
  Repetition unknown;
  unknown.seconds = std::numeric_limits<double>::quiet_NaN();
  result.repetitions.assign(repetitions, unknown);
  if (auto ok = configure(launch); !ok) return name_launch(ok.error(), index, launch);
  if (auto ok = program_->prepare(launch, queue_); !ok) return name_wait(ok.error(), index + 1);
  if (kernel.timed && !awake_[launch.kernel]) {
    // The stream must not be held at a kernel's first launch (see Queue::launch).
    if (auto ok = queue_.drain(); !ok) return name_wait(ok.error(), index);
    waited_job_ = index;
    if (launch.warmup == 0) {
      auto ok = queue_.launch(grid, nullptr);
      if (!ok && !is_outcome()) return name_launch(ok.error(), index, launch);
      ok = restore(launch);
      if (!ok) return name_wait(ok.error(), index + 1);
    }
    awake_[launch.kernel] = true;
  }
  for (std::uint32_t i = 0; i < launch.warmup + repetitions; ++i) {
    if (i > 0 && queue_.full()) {
      if (auto ok = queue_.drain(); !ok) return name_wait(ok.error(), index + 1);
      waited_job_ = index;
      if (stop.load(std::memory_order_relaxed)) return false;
    }
    double* seconds = nullptr;
    if (i >= launch.warmup) {
      const std::uint32_t repetition = i - launch.warmup;
      slot = slots_.pointer() + Slots::bytes(slots.first[index] + repetition * slots.width[index]);
      if (kernel.timed) seconds = &result.repetitions[repetition].seconds;
      if (auto ok = flush(launch); !ok) return name_launch(ok.error(), index, launch);
    }
    if (auto ok = queue_.launch(grid, seconds); !ok) {
      if (!is_outcome()) return name_launch(ok.error(), index, launch);
      if (i >= launch.warmup)
        result.repetitions[i - launch.warmup].outcome = Outcome::launch_failure;
    }
  }
  return true;
}

MeterPorts CudaBackend::ports(const codegen::Launch& launch, const std::atomic<bool>& stop) {
  const auto start = [this, &launch](std::uint32_t count) -> Result<void> {
    const Grid grid = grid_of(launch);
    for (std::uint32_t i = 0; i < count; ++i)
      if (auto ok = queue_.launch(grid, nullptr); !ok) return name_launch(ok.error(), 0, launch);
    return queue_.mark();
  };
  return {.now = [begin = Clock::now()] { return seconds_since(begin); },
          .rest = [](double s) { std::this_thread::sleep_for(std::chrono::duration<double>(s)); },
          .joules = [this] { return read_energy(device_.info.uuid); },
          .clock = [this]() -> std::optional<double> {
            const auto mhz = telemetry().sm_clock_mhz;
            return mhz ? std::optional(1e6 * *mhz) : std::nullopt;
          },
          .start = start,
          .ahead = [this] { return queue_.marks_ahead(); },
          .stop = [&stop] { return stop.load(std::memory_order_relaxed); }};
}

/// Each repetition is launches in a row, and one more into its own results.
Result<std::size_t> CudaBackend::run_metered(std::span<const Job> jobs, const Slots& slots,
                                             std::vector<JobResult>& results,
                                             const std::atomic<bool>& stop) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const codegen::Launch& launch = *jobs[i].launch;
    if (auto ok = configure(launch); !ok) return name_launch(ok.error(), i, launch);
    if (auto ok = program_->prepare(launch, queue_); !ok) return name_wait(ok.error(), i + 1);
    if (auto ok = queue_.drain(); !ok) return name_wait(ok.error(), i + 1);
    const MeterPorts meters = ports(launch, stop);
    for (std::uint32_t r = 0; r < jobs[i].repetitions; ++r) {
      CUdeviceptr slot = slots_.pointer();  // the warm-up's
      program_->arguments(launch, slot, packed_, arguments_);
      auto metered = meter(meters, launch.metered);
      if (stop.load()) return i;
      if (!metered) return name_launch(metered.error(), i, launch);
      slot = slots_.pointer() + Slots::bytes(slots.first[i] + r * slots.width[i]);
      if (auto ok = queue_.launch(grid_of(launch), nullptr); !ok)
        return name_launch(ok.error(), i, launch);
      if (auto ok = queue_.drain(); !ok) return name_wait(ok.error(), i + 1);
      Repetition& made = results[i].repetitions.emplace_back();
      made.seconds = metered->seconds;
      made.metered = *metered;
    }
    const auto idle = idle_watts(meters);
    if (stop.load()) return i;
    if (!idle) return name_launch(idle.error(), i, launch);
    for (Repetition& each : results[i].repetitions) each.metered->idle_watts = *idle;
  }
  return jobs.size();
}

/// A memset, which the GPU writes through L2. A copy from the host, as lashgar2015 does, leaves L2
/// as it is on an H100: docs/architecture.md has the measurement.
Result<void> CudaBackend::flush(const codegen::Launch& launch) {
  const std::uint64_t bytes = flush_size(launch);
  return bytes > 0 ? queue_.fill(flush_target_.pointer(), bytes) : Result<void>();
}

Result<void> CudaBackend::read_back(const Slots& slots, std::vector<JobResult>& results) {
  if (results.empty()) return {};
  const std::uint64_t bytes = Slots::bytes(slots.first[results.size()]);
  if (bytes > 0) {
    const CUresult result = context_->driver().memcpy_dtoh_async(
        host_slots_.data(), slots_.pointer(), bytes, context_->stream());
    GPX_TRY(context_->check(result, "the results cannot be read"));
    GPX_TRY(queue_.drain());
  }
  last_busy_ = Clock::now();
  const auto* values = static_cast<const std::uint64_t*>(host_slots_.data());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::uint64_t* words = values + slots.first[i];
    for (Repetition& repetition : results[i].repetitions) {
      if (repetition.outcome == Outcome::completed)
        repetition.results.assign(words, words + slots.width[i]);
      words += slots.width[i];
    }
  }
  return {};
}

/// Says which launch an error of queueing it belongs to, and what the kernel needs where that is
/// why.
tl::unexpected<Error> CudaBackend::name_launch(Error error, std::size_t job,
                                               const codegen::Launch& launch) {
  const LoadedKernel& kernel = program_->kernel(launch.kernel);
  Diagnostic& diagnostic = error.diagnostics.front();
  diagnostic.message =
      fmt::format("point {} of this batch (kernel '{}', {} x {} threads): {}", job + 1, kernel.name,
                  launch.all_blocks(), launch.all_threads(), diagnostic.message);
  int most = 0, registers = 0;
  const Driver& d = context_->driver();
  if (diagnostic.hint.empty() &&
      d.func_get_attribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel.function) ==
          CUDA_SUCCESS &&
      d.func_get_attribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel.function) ==
          CUDA_SUCCESS &&
      launch.all_threads() > static_cast<std::uint32_t>(most)) {
    diagnostic.hint =
        fmt::format("it uses {} registers a thread: at most {} threads a block", registers, most);
  }
  return tl::unexpected(std::move(error));
}

/// A failure while the GPU runs is reported for all that was waited for together: jobs
/// [waited_job_, end).
tl::unexpected<Error> CudaBackend::name_wait(Error error, std::size_t end) {
  Diagnostic& diagnostic = error.diagnostics.front();
  const std::size_t first = waited_job_ + 1, last = std::max(end, first);
  diagnostic.message =
      (first == last ? fmt::format("point {} of this batch: ", first)
                     : fmt::format("one of the points {} to {} of this batch: ", first, last)) +
      diagnostic.message;
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<std::unique_ptr<Backend>> open(const DriverState& state, int index,
                                      const QueueLimits& limits) {
  auto device = GPX_TRY(query_device(state, index));
  auto context = GPX_TRY(Context::open(*state.driver, device.ordinal, index, device.peer));
  std::size_t free = 0, total = 0;
  if (state.driver->mem_get_info(&free, &total) == CUDA_SUCCESS)
    device.info.free_memory_bytes = free;
  return std::make_unique<CudaBackend>(std::move(device), std::move(context), limits);
}

Result<std::unique_ptr<Backend>> open(int index) {
  return open(driver(), index, limits_from_environment());
}

}  // namespace gpx::cuda
