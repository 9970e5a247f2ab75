// Dram: a queue whose fills depart `departure` clocks apart, those that are written
// `write_departure`; between the two kinds it takes `turn` more. Where the device has rows, a fill
// whose row is not open takes `activate` more, which `departure` contains of whole rows. Where it
// has banks, to which lines are hashed, a read waits for earlier reads of its bank, `bank` clocks a
// fill, and for the end of the bank's refresh; the rest of a line that its bank has open is read
// along with it. No write waits for its bank: a bank gathers writes and performs `gather` fills of
// them at once.
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
    all_banks_.resize(dram.banks);
    start_launch(1);
  }

  void clear() {
    free_ = 0;
    wrote_ = false;
    std::fill(open_.begin(), open_.end(), kNone);
    std::fill(all_banks_.begin(), all_banks_.end(), Bank{});
  }
  /// `share`: 1 over how many times the lines that are seen here load it.
  void start_launch(double share) {
    const double write = dram_.write_departure < 0 ? dram_.departure : dram_.write_departure;
    read_ = std::max(dram_.departure - opening_, 0.0) / share;
    write_ = std::max(write - opening_, 0.0) / share;
    turn_ = dram_.turn / share;
    activate_ = dram_.activate / share;
    banks_ = all_banks_.empty() ? 0 : std::max(1u, static_cast<unsigned>(dram_.banks * share));
  }

  /// Clocks that so many fills at `address` which arrive at `clk` wait for those before them.
  /// Writes are gathered: they open a row that reads have open once more. `banks`: whether it waits
  /// for them, too.
  Clk queue(std::uint64_t address, Clk clk, bool write = false, double fills = 1,
            bool banks = true) {
    double start = std::max(free_, static_cast<double>(clk));
    if (write != wrote_) start += turn_;
    wrote_ = write;
    free_ = start + fills * (write ? write_ : read_) + (opens(address, write) ? activate_ : 0);
    if (banks_ > 0 && banks) {
      if (write)
        gather(address, start, fills);
      else
        start = from_bank(address, start, fills);
    }
    return whole(start) - clk;
  }

  /// Clocks that a line asked for at `clk` takes more than `latency`, which is the mean, or less:
  /// one that meets a refresh waits for its end. Refreshes of lines do not fall together.
  Clk refresh(std::uint64_t line, Clk clk) const {
    if (dram_.refresh == 0) return 0;
    if (banks_ > 0) return -whole(dram_.mean_wait());  // queue() adds the wait itself
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
  static constexpr std::uint64_t kLine = 128;  // bytes of one bank
  static constexpr std::uint64_t kNoLine = UINT64_MAX;

  struct Bank {
    double free = 0;   // when it has served all it was asked for
    double began = 0;  // when it opened the line that it has open until then
    std::uint64_t line = kNoLine;
    double gathered = 0;  // fills of writes that it has not performed yet
  };

  unsigned bank_of(std::uint64_t address) const {
    return static_cast<unsigned>((address / kLine * 0x9e3779b97f4a7c15ull >> 32) * banks_ >> 32);
  }

  // When the bank of `address` starts to serve fills that departed at `clk`.
  double from_bank(std::uint64_t address, double clk, double fills) {
    const unsigned index = bank_of(address);
    Bank& bank = all_banks_[index];
    const std::uint64_t line = address / kLine;
    if (bank.line == line && clk < bank.free) {
      bank.free += fills * dram_.bank;
      return std::max(bank.began, clk);
    }
    double start = std::max(bank.free, clk);
    if (dram_.refresh > 0) {
      const double part = static_cast<double>(index * 0x9e3779b97f4a7c15ull >> 40) * 0x1p-24;
      const double since = std::fmod(start + part * dram_.refresh_every, dram_.refresh_every);
      start += std::max(dram_.refresh - since, 0.0);
    }
    bank.free = start + fills * dram_.bank;
    bank.began = start;
    bank.line = line;
    return start;
  }

  // Counts fills of writes, and occupies the bank once there are enough of them.
  void gather(std::uint64_t address, double clk, double fills) {
    Bank& bank = all_banks_[bank_of(address)];
    bank.gathered += fills;
    if (dram_.gather == 0 || bank.gathered < dram_.gather) return;
    bank.free = std::max(bank.free, clk) + bank.gathered * dram_.bank;
    bank.gathered = 0;
    bank.line = kNoLine;
  }

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
  std::vector<Bank> all_banks_;
  unsigned banks_ = 0;  // of the SMs that are seen here
  double opening_ = 0;  // of a fill in a row that is filled whole
  double read_ = 0, write_ = 0, turn_ = 0, activate_ = 0;
  double free_ = 0;
  bool wrote_ = false;
};

}  // namespace gpx::vgpu::timing
