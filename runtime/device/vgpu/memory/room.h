// Room: places of a queue whose entries begin in order. Covered by tests/vgpu/load_path_test.cpp.
#pragma once

#include <utility>
#include <vector>

namespace gpx::vgpu::timing {

class Room {
 public:
  /// 0 places: an entry waits until it begins.
  explicit Room(std::size_t places) : begun_(places, 0) {}

  void clear() { std::fill(begun_.begin(), begun_.end(), 0); }
  bool has_places() const { return !begun_.empty(); }
  /// When an entry that begins at `begin` has a place: when the one begins that is as many before
  /// it as there are places.
  double enter(double begin) {
    if (begun_.empty()) return begin;
    std::swap(begun_[next_], begin);
    next_ = (next_ + 1) % begun_.size();
    return begin;
  }

 private:
  std::vector<double> begun_;  // when the last entries began, in a ring
  std::size_t next_ = 0;
};

}  // namespace gpx::vgpu::timing
