// Program: an experiment lowered to kernels and launches, nothing left to decide but the device.
//
// The kernels' calling convention, the same for every generated kernel: first `result` (a pointer),
// then a pointer for each buffer, then the scalars (64 bits each), in the order of Launch::scalars.
// A kernel writes its results into 64-bit slots at `result`, which start as ResultSlot::initial.
// Covered by tests/codegen/lower_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "lang/diagnostic.h"
#include "lang/experiment.h"

namespace gpx::codegen {

/// A buffer in global memory. Word i (32 bits) starts as mix(i), a fixed hash, so that every load
/// returns a value that depends on its address and a checksum over loads proves what was read.
struct Buffer {
  std::string name;
  std::uint64_t bytes = 0;
  bool written = false;  ///< Kernels store to it: its contents do not survive a launch.
};

/// The initial 32-bit word `i` of every buffer.
constexpr std::uint32_t initial_word(std::uint64_t i) {
  std::uint64_t x = i + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<std::uint32_t>(x ^ (x >> 31));
}

/// One 64-bit result of a launch.
struct ResultSlot {
  enum class Role {
    sample,    ///< A column of the samples.
    checksum,  ///< Of the values read: the same in every repetition and on every device.
    scratch,   ///< Target of a store that is there to be waited for. It happens where a sum of
               ///< loaded values equals the kernel's `never`: once in 2^32 threads.
  };
  std::string name;  ///< "latency", "checksum", "sink".
  std::uint64_t initial = 0;
  Role role = Role::scratch;
};

/// One point of the sweep, ready to launch.
struct Launch {
  std::uint32_t kernel = 0;  ///< Index into Program::kernels.
  std::uint32_t blocks = 1;
  std::uint32_t threads = 1;
  std::vector<std::uint64_t> scalars;
  std::uint32_t warmup = 0;  ///< Untimed launches before the first repetition.
  bool flush = false;
  std::uint64_t flush_bytes = 0;  ///< 0: the device decides.
};

struct Program {
  std::vector<Kernel> kernels;  ///< As few as the sweep allows.
  std::vector<Buffer> buffers;
  std::vector<ResultSlot> results;
  std::vector<Launch> launches;  ///< One for each point of the sweep, in its order.
  std::uint32_t repetitions = 1;
};

/// What lowering must know of a device: what any driver reports.
struct Limits {
  std::uint32_t threads_per_block = 1024;
  std::uint64_t blocks = 2147483647;
  std::uint64_t memory_bytes = 0;  ///< 0: not known.
};

/// Errors point at the experiment's text: too many threads for the device, more memory than it
/// has, a width that the space cannot load.
Result<Program> lower(const Experiment& experiment, const Source& source, const Limits& limits);

}  // namespace gpx::codegen
