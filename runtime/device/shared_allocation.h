// What an SM takes of its shared memory for a block, beyond what the kernel declares: by the rules
// of NVIDIA's occupancy calculator (sheet "GPU Data"), of real and of virtual GPUs alike. Covered
// by tests/runtime/occupancy_test.cpp.
#pragma once

#include <cstdint>

namespace gpx {

struct SharedAllocation {
  int sm_major = 0;            ///< Compute capability.
  std::uint64_t reserved = 0;  ///< That the system takes of each block, as the driver reports it.

  std::uint64_t unit() const {
    return sm_major == 1 ? 512 : sm_major == 2 || sm_major >= 8 ? 128 : 256;
  }

  /// Bytes of a block beside its arrays. GPUs of compute capability 1.x pass the place in the grid,
  /// 16 bytes, and the kernel's arguments there.
  std::uint64_t besides(std::uint64_t arguments) const {
    constexpr std::uint64_t kPlace = 16;
    return reserved + (sm_major == 1 ? kPlace + arguments : 0);
  }

  /// Of a block with arrays of so many bytes, static and dynamic.
  std::uint64_t of_block(std::uint64_t arrays, std::uint64_t arguments) const {
    return (arrays + besides(arguments) + unit() - 1) / unit() * unit();
  }
};

}  // namespace gpx
