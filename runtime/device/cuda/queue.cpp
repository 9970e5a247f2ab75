// Launches on a stream. Interface: runtime/device/cuda/queue.h. Covered by
// tests/runtime/cuda_queue_test.cpp.
#include "runtime/device/cuda/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "lang/try.h"

namespace gpx::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kScratchBytes = 4096;
constexpr auto kGatePatience = std::chrono::seconds(2);
/// A wait shorter than this lets the queue grow, a longer one makes it shrink.
constexpr double kShortWait_s = 0.1, kLongWait_s = 0.5;

double waited_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

QueueLimits limits_from_environment() {
  QueueLimits limits;
  if (const char* text = std::getenv("GPX_WATCHDOG")) {
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (end != text && *end == '\0' && value > 0) limits.watchdog_s = value;
  }
  return limits;
}

void Gate::close() {
  std::lock_guard lock(mutex_);
  open_ = false;
  gave_up_ = false;
}

void Gate::open() {
  {
    std::lock_guard lock(mutex_);
    open_ = true;
  }
  changed_.notify_all();
}

void Gate::wait(void* gate) {
  auto& self = *static_cast<Gate*>(gate);
  std::unique_lock lock(self.mutex_);
  if (!self.changed_.wait_for(lock, kGatePatience, [&] { return self.open_; })) {
    self.gave_up_ = true;
  }
}

bool Gate::gave_up() const {
  std::lock_guard lock(mutex_);
  return gave_up_;
}

Queue::~Queue() {
  gate_.open();
  if (context_.hung() || !context_.use()) return;
  (void)wait();
  if (context_.hung()) return;
  for (const Timed& timed : pool_) {
    if (timed.start) context_.driver().event_destroy(timed.start);
    if (timed.stop) context_.driver().event_destroy(timed.stop);
  }
  for (CUevent event : ahead_) context_.driver().event_destroy(event);
  for (CUevent event : spare_) context_.driver().event_destroy(event);
}

Result<void> Queue::begin(bool timed) {
  timed_ = timed;
  bound_ = 1;
  return timed ? prepare_times() : Result<void>();
}

/// All that could make the driver wait for the stream is done before the stream is ever held:
/// creating the events, and the first memset, which may load its code.
Result<void> Queue::prepare_times() {
  if (!pool_.empty()) return {};
  GPX_TRY(scratch_.reserve(context_, kScratchBytes, "a scratch page"));
  GPX_TRY(fill(scratch_.pointer(), kScratchBytes));
  for (std::uint32_t i = 0; i < limits_.held; ++i) {
    Timed& fresh = pool_.emplace_back();
    for (CUevent* event : {&fresh.start, &fresh.stop}) {
      auto ok = context_.check(context_.driver().event_create(event, CU_EVENT_DEFAULT),
                               "an event cannot be created");
      if (!ok) return ok;
    }
  }
  return {};
}

Result<void> Queue::hold() {
  if (held_) return {};
  gate_.close();
  const CUresult result =
      context_.driver().launch_host_func(context_.stream(), &Gate::wait, &gate_);
  if (result != CUDA_SUCCESS) gate_.open();
  held_ = result == CUDA_SUCCESS;
  return context_.check(result, "the stream cannot be held");
}

Result<void> Queue::start_timing(Timed& timed) {
  GPX_TRY(hold());
  GPX_TRY(fill(scratch_.pointer(), kScratchBytes));
  return context_.check(context_.driver().event_record(timed.start, context_.stream()),
                        "an event cannot be recorded");
}

Result<void> Queue::launch(const Grid& grid, double* seconds) {
  const Driver& d = context_.driver();
  Timed* timed = nullptr;
  if (seconds) {
    if (used_ == pool_.size()) return fail(Fault::device, "more timed launches than were prepared");
    timed = &pool_[used_++];
    timed->seconds = seconds;
    GPX_TRY(start_timing(*timed));
  }
  if ((grid.cluster > 0 || grid.cooperative) && !d.launch_kernel_ex)
    return fail(Fault::device,
                fmt::format("the driver launches no {}: it has no cuLaunchKernelEx",
                            grid.cluster > 0 ? "clusters" : "cooperative grids"),
                "drivers since CUDA 11.8 have it");
  const CUresult result = launch(grid);
  ++queued_;
  refused_ = lacks_resources(result, grid);
  if (refused_ && timed) --used_;  // it has no end
  if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    return fail(Fault::device,
                "the kernel waits for its whole grid, whose blocks are not resident at once",
                "fewer or smaller blocks");
  const std::string what =
      grid.cluster > 0 ? fmt::format("the launch in clusters of {} blocks failed", grid.cluster)
                       : std::string("the launch failed");
  GPX_TRY(context_.check(result, what));
  if (!timed) return {};
  return context_.check(d.event_record(timed->stop, context_.stream()),
                        "an event cannot be recorded");
}

CUresult Queue::launch(const Grid& grid) {
  const Driver& d = context_.driver();
  if (grid.cluster == 0 && !grid.cooperative)
    return d.launch_kernel(grid.function, grid.blocks, grid.blocks_down, grid.blocks_deep,
                           grid.threads, grid.threads_down, grid.threads_deep, grid.shared_bytes,
                           context_.stream(), grid.arguments, nullptr);
  CUlaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (grid.cooperative) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[count++].value.cooperative = 1;
  }
  if (grid.cluster > 0) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[count++].value.clusterDim = {grid.cluster, 1, 1};
  }
  const CUlaunchConfig config{
      grid.blocks,       grid.blocks_down,  grid.blocks_deep,  grid.threads, grid.threads_down,
      grid.threads_deep, grid.shared_bytes, context_.stream(), attributes,   count};
  return d.launch_kernel_ex(&config, grid.function, grid.arguments, nullptr);
}

/// A block larger than the kernel's registers allow is an invalid value to some drivers.
bool Queue::lacks_resources(CUresult result, const Grid& grid) const {
  if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES || result == CUDA_ERROR_OUT_OF_MEMORY ||
      result == CUDA_ERROR_INVALID_CLUSTER_SIZE)
    return true;
  int most = 0;
  return result == CUDA_ERROR_INVALID_VALUE &&
         context_.driver().func_get_attribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                              grid.function) == CUDA_SUCCESS &&
         std::uint64_t{grid.threads} * grid.threads_down * grid.threads_deep >
             static_cast<std::uint64_t>(most);
}

Result<void> Queue::copy(CUdeviceptr target, const void* source, std::uint64_t bytes) {
  const CUresult result =
      context_.driver().memcpy_htod_async(target, source, bytes, context_.stream());
  ++queued_;
  return context_.check(result, "a copy to the GPU failed");
}

Result<void> Queue::fill(CUdeviceptr target, std::uint64_t bytes) {
  return context_.check(context_.driver().memset_d32_async(target, 0, bytes / 4, context_.stream()),
                        "a memset on the GPU failed");
}

Result<void> Queue::wait() {
  if (context_.hung()) return fail(Fault::device, "the GPU still runs a kernel that does not end");
  const auto start = Clock::now();
  for (;;) {
    const CUresult result = context_.driver().stream_query(context_.stream());
    if (result != CUDA_ERROR_NOT_READY) return context_.check(result, "a launch failed");
    const double waited = waited_since(start);
    if (waited > limits_.watchdog_s) {
      const std::string text =
          fmt::format("the kernel did not end within {} s", limits_.watchdog_s);
      context_.mark_hung(text);
      return fail(Fault::device, text,
                  "it may never end; GPX_WATCHDOG=SECONDS in the environment allows more");
    }
    // Short waits are spun through, long ones leave the core to others.
    if (waited > 1e-3) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

Result<void> Queue::read_times(std::size_t used) {
  for (std::size_t i = 0; i < used; ++i) {
    float milliseconds = 0;
    const CUresult result =
        context_.driver().event_elapsed_time(&milliseconds, pool_[i].start, pool_[i].stop);
    GPX_TRY(context_.check(result, "a time cannot be read"));
    *pool_[i].seconds = milliseconds * 1e-3;
  }
  return {};
}

Result<void> Queue::drain() {
  const auto start = Clock::now();
  gate_.open();
  const bool was_held = std::exchange(held_, false);
  const bool any = std::exchange(queued_, 0) > 0;
  Result<void> ok = wait();
  const std::size_t used = std::exchange(used_, 0);
  if (ok && was_held && gate_.gave_up()) {
    ok = fail(Fault::device, "the launches could not be queued before they ran",
              "their times would count work of the host");
  }
  if (ok) ok = read_times(used);
  const double waited = waited_since(start);
  const std::uint32_t most = timed_ ? limits_.held : limits_.launches;
  if (any && waited < kShortWait_s) bound_ = std::min(bound_ * 2, most);
  if (waited > kLongWait_s) bound_ = std::max(bound_ / 2, 1u);
  return ok;
}

Result<void> Queue::mark() {
  const Driver& d = context_.driver();
  CUevent event = nullptr;
  if (!spare_.empty()) {
    event = spare_.back();
    spare_.pop_back();
  } else if (auto ok = context_.check(d.event_create(&event, CU_EVENT_DEFAULT),
                                      "an event cannot be created");
             !ok) {
    return ok;
  }
  ahead_.push_back(event);
  return context_.check(d.event_record(event, context_.stream()), "an event cannot be recorded");
}

Result<std::uint32_t> Queue::marks_ahead() {
  while (!ahead_.empty()) {
    const CUresult result = context_.driver().event_query(ahead_.front());
    if (result == CUDA_ERROR_NOT_READY) break;
    GPX_TRY(context_.check(result, "a launch failed"));
    spare_.push_back(ahead_.front());
    ahead_.pop_front();
  }
  return static_cast<std::uint32_t>(ahead_.size());
}

}  // namespace gpx::cuda
