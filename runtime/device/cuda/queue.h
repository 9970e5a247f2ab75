// Launches queued on a stream and waited for together, with a bound on how many, a watchdog on how
// long, and exact times of single grids where they are asked for.
//
// How a grid is timed: an event before and one after it. The first is only worth something if the
// grid follows it at once, so while times are wanted the stream is held by a host function until
// everything that is to run back to back has been queued (nvbench's "blocking kernel" serves the
// same end). Before the first event a small memset runs: an event after a copy from the host would
// be taken by the copy engine, and the hand-over to the compute engine would count as the grid's.
// Covered by tests/runtime/cuda_queue_test.cpp.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "runtime/device/cuda/context.h"

namespace gpx::cuda {

struct QueueLimits {
  double watchdog_s = 30;        ///< For what is waited for at once.
  std::uint32_t launches = 256;  ///< And copies: queued at most, then waited for.
  std::uint32_t held = 64;       ///< The same while the stream is held: the driver blocks when its
                                 ///< queue of about 1024 entries is full; a timed launch takes 4.
  double spin_up_s = 0.05;       ///< A GPU that has rested is kept busy for so long before it is
                                 ///< measured: its clocks rise only under load.
};

/// The limits, with the watchdog from the environment variable GPX_WATCHDOG (seconds) if it is set.
QueueLimits limits_from_environment();

/// What a stream waits for until it may go on.
class Gate {
 public:
  void close();
  void open();
  /// Called on a thread of the driver. Gives up after a while: a driver that itself waits for the
  /// stream before it can queue a launch would never come back.
  static void wait(void* gate);
  bool gave_up() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  bool gave_up_ = false;
};

/// A kernel, its grid, and pointers to its arguments.
struct Grid {
  CUfunction function = nullptr;
  std::uint32_t blocks = 1;
  std::uint32_t threads = 1;
  void** arguments = nullptr;
  std::uint32_t blocks_down = 1, threads_down = 1;  ///< Second extents.
  std::uint32_t blocks_deep = 1, threads_deep = 1;  ///< Third ones.
  std::uint32_t shared_bytes = 0;                   ///< Dynamic, of a block.
  std::uint32_t cluster = 0;                        ///< Blocks of a cluster; 0: none.
  bool cooperative = false;                         ///< All blocks are resident at once.
};

class Queue {
 public:
  Queue(Context& context, QueueLimits limits) : context_(context), limits_(limits) {}
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Starts a run: nothing queued, one launch before the first wait. `timed`: launches may ask for
  /// seconds.
  Result<void> begin(bool timed);

  /// Queues a launch. `seconds`, if given, is written by the next drain(); it needs begin(true),
  /// and that the same function has been launched before: its first launch may load code, for which
  /// the driver waits for the stream, which would be held.
  Result<void> launch(const Grid& grid, double* seconds);

  /// Whether the launch that failed last did so because the GPU lacks the registers, threads or
  /// memory that it needs: nothing was queued, and the GPU is as before.
  bool refused() const { return refused_; }

  /// Queues a copy from page-locked `source`.
  Result<void> copy(CUdeviceptr target, const void* source, std::uint64_t bytes);
  Result<void> fill(CUdeviceptr target, std::uint64_t bytes);

  /// True when as much is queued as may wait at once. Starts at one launch and doubles while the
  /// launches are short, so that a long kernel does not run into the watchdog by company.
  bool full() const { return queued_ >= bound_; }

  /// Waits for all that is queued.
  Result<void> drain();

  /// Puts a mark behind what is queued.
  Result<void> mark();
  /// Marks that the GPU has not reached yet.
  Result<std::uint32_t> marks_ahead();

 private:
  struct Timed {
    CUevent start = nullptr;
    CUevent stop = nullptr;
    double* seconds = nullptr;
  };

  Result<void> prepare_times();
  Result<void> hold();
  Result<void> start_timing(Timed& timed);
  Result<void> wait();
  Result<void> read_times(std::size_t used);
  CUresult launch(const Grid& grid);
  bool lacks_resources(CUresult result, const Grid& grid) const;

  Context& context_;
  QueueLimits limits_;
  Gate gate_;
  bool timed_ = false;
  bool held_ = false;
  bool refused_ = false;
  std::uint32_t queued_ = 0;
  std::uint32_t bound_ = 1;
  std::vector<Timed> pool_;  ///< Events, reused after each drain.
  std::size_t used_ = 0;
  std::deque<CUevent> ahead_;   ///< Marks, in their order.
  std::vector<CUevent> spare_;  ///< Events of marks that were reached.
  DeviceMemory scratch_;        ///< Target of the small memset.
};

}  // namespace gpx::cuda
