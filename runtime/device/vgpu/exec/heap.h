// The heap of malloc and free within kernels: 8 MB, as a driver reserves unless it is told
// otherwise.
//
// What is taken and what is free is kept on the host; addresses are a function of the calls alone.
// Covered by tests/vgpu/device_library_test.cpp.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace gpx::vgpu::exec {

class Heap {
 public:
  static constexpr std::uint64_t kBytes = 8ull << 20;
  static constexpr std::uint64_t kAlignment = 16;

  /// Offset of the first gap that is large enough; kBytes: there is none.
  std::uint64_t take(std::uint64_t bytes) {
    if (bytes > kBytes) return kBytes;
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes == 0) bytes = kAlignment;
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second < bytes) continue;
      const auto [offset, length] = *gap;
      gaps_.erase(gap);
      if (length > bytes) gaps_[offset + bytes] = length - bytes;
      taken_[offset] = bytes;
      return offset;
    }
    return kBytes;
  }

  /// False: nothing was taken there.
  bool give_back(std::uint64_t offset) {
    const auto found = taken_.find(offset);
    if (found == taken_.end()) return false;
    std::uint64_t bytes = found->second;
    taken_.erase(found);
    auto next = gaps_.lower_bound(offset);
    if (next != gaps_.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = gaps_.erase(next);
    }
    if (next != gaps_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return true;
      }
    }
    gaps_[offset] = bytes;
    return true;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> gaps_{{0, kBytes}}, taken_;  ///< Offset to bytes.
};

}  // namespace gpx::vgpu::exec
