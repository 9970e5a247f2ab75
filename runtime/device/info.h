// What a driver reports about a device. It is all that an analysis may know of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpx {

struct DeviceInfo {
  enum class Kind { virtual_gpu, cuda };
  std::string name;  ///< "k20", "NVIDIA H100 80GB HBM3".
  Kind kind = Kind::virtual_gpu;
  int sm_major = 0, sm_minor = 0;  ///< Compute capability of the (modelled) device.
  std::uint32_t sm_count = 0;
  std::uint32_t warp_size = 32;
  std::uint32_t max_threads_per_block = 0;
  std::uint32_t max_threads_per_sm = 0;
  // What an SM has for its blocks; 0: not reported.
  std::uint32_t max_blocks_per_sm = 0;
  std::uint64_t registers_per_sm = 0;           ///< Of 32 bits.
  std::uint64_t shared_per_sm = 0;              ///< Bytes.
  std::uint64_t reserved_shared_per_block = 0;  ///< Bytes that the system takes of each block.
  std::uint64_t memory_bytes = 0;
  std::uint64_t shared_per_block =
      0;  ///< Bytes of shared memory that a kernel may declare; 0: 48 KB.
  /// The most that shared memory can have of the memory that it divides with L1; 0: they have their
  /// own.
  std::uint64_t shared_split = 0;
  std::vector<std::uint32_t> bank_widths = {4};  ///< Bytes; what shared memory can be set to.
  std::uint32_t instruction_bytes = 16;          ///< Of a machine instruction.
  double clock_hz = 0;                           ///< SM clock.
  std::string driver;                            ///< "13.0 (580.159.04)"; "" for a virtual GPU.
  std::string uuid;                              ///< "" for a virtual GPU.
};

}  // namespace gpx
