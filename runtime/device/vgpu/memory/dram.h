// Dram: a queue whose fills depart `departure` clocks apart, those that are written
// `write_departure`; between the two kinds it takes `turn` more. Where the device has rows, a fill
// whose row is not open takes `activate` more, which `departure` contains of whole rows.
// Covered by tests/vgpu/timing_test.cpp and load_path_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class Dram {
 public:
  /// `fill`: bytes that departure is of.
  explicit Dram(const Description::Dram& dram, std::uint64_t fill = 0)
      : dram_(dram), open_(dram.row > 0 ? kRows : 0, kNone) {
    if (dram.row > 0) opening_ = dram.activate * static_cast<double>(fill) / dram.row;
    start_launch(1);
  }

  void clear() {
    free_ = 0;
    wrote_ = false;
    std::fill(open_.begin(), open_.end(), kNone);
  }
  /// `share`: 1 over how many times the lines that are seen here load it.
  void start_launch(double share) {
    const double write = dram_.write_departure < 0 ? dram_.departure : dram_.write_departure;
    read_ = std::max(dram_.departure - opening_, 0.0) / share;
    write_ = std::max(write - opening_, 0.0) / share;
    turn_ = dram_.turn / share;
    activate_ = dram_.activate / share;
  }

  /// Clocks that so many fills at `address` which arrive at `clk` wait for those before them.
  /// Writes are gathered: they open a row that reads have open once more.
  Clk queue(std::uint64_t address, Clk clk, bool write = false, double fills = 1) {
    double start = std::max(free_, static_cast<double>(clk));
    if (write != wrote_) start += turn_;
    wrote_ = write;
    free_ = start + fills * (write ? write_ : read_) + (opens(address, write) ? activate_ : 0);
    return whole(start) - clk;
  }

  /// Clocks that a line asked for at `clk` takes more than `latency`, which is the mean, or less:
  /// one that meets a refresh waits for its end. Refreshes of lines do not fall together.
  Clk refresh(std::uint64_t line, Clk clk) const {
    if (dram_.refresh == 0) return 0;
    const double every = dram_.refresh_every;
    const double part = static_cast<double>(line * 0x9e3779b97f4a7c15ull >> 40) / (1u << 24);
    const double since = std::fmod(static_cast<double>(clk) + part * every, every);
    return static_cast<Clk>(std::max(dram_.refresh - since, 0.0) - dram_.mean_wait());
  }

  /// When the queue is empty.
  Clk drained() const { return whole(free_); }

 private:
  /// Rows that are open, or for which requests are gathered: a few for each bank of several stacks.
  static constexpr std::size_t kRows = 16384;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  bool opens(std::uint64_t address, bool write) {
    if (open_.empty()) return false;
    const std::uint64_t row = address / dram_.row * 2 + (write ? 1 : 0);
    std::uint32_t& open = open_[row * 0x9e3779b97f4a7c15ull >> 50];
    if (open == static_cast<std::uint32_t>(row)) return false;
    open = static_cast<std::uint32_t>(row);
    return true;
  }

  Description::Dram dram_;
  std::vector<std::uint32_t> open_;  // rows, by the bits of their numbers
  double opening_ = 0;               // of a fill in a row that is filled whole
  double read_ = 0, write_ = 0, turn_ = 0, activate_ = 0;
  double free_ = 0;
  bool wrote_ = false;
};

}  // namespace gpx::vgpu::timing
