// What kernels do by way of the driver: printf, assert, malloc, free.
//
// Covered by tests/vgpu/device_library_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gpx::vgpu::exec {

/// What the calls of the driver's functions left behind, bounded.
struct DeviceOutput {
  struct Line {
    std::array<std::uint32_t, 3> block, thread;
    std::string text;
  };
  static constexpr std::size_t kMostLines = 32;
  static constexpr std::size_t kMostText = 512;  ///< Bytes of a line.
  std::vector<Line> lines;                       ///< Of printf, a line a call: the first of them.
  std::uint64_t prints = 0;                      ///< Calls of printf by a thread.
  std::uint64_t allocations = 0;                 ///< Of malloc and free.

  /// The lines, each with its thread where several printed, and how many more there were.
  std::string text() const;
};

}  // namespace gpx::vgpu::exec
