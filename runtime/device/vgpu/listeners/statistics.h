// Statistics: counts what happened over all jobs that it listened to, as a text.
// Covered by tests/vgpu/listeners_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/device/vgpu/events.h"

namespace gpx::vgpu {

class Statistics : public timing::Listener {
 public:
  using Clk = timing::Clk;

  void launch_starts(Clk clk, unsigned sms) override;
  void launch_ends(Clk clk) override;
  void block_starts(Clk, unsigned, std::uint64_t) override { ++blocks_; }
  void warp_starts(Clk clk, unsigned sm, unsigned) override { change_.push_back({clk, sm, 1}); }
  void warp_ends(Clk clk, unsigned sm, unsigned) override { change_.push_back({clk + 1, sm, -1}); }
  void issues(Clk clk, unsigned sm, unsigned slot, std::string_view unit,
              std::string_view instruction) override;
  void stalls(Clk from, Clk to, unsigned, unsigned, timing::Stall reason) override {
    stalled_[static_cast<std::size_t>(reason)] += to - from;
  }
  void looks_up(Clk, unsigned, std::string_view level, timing::Lookup outcome) override {
    ++at(levels_, level)[static_cast<std::size_t>(outcome)];
  }
  void transfers(Clk, unsigned, bool, double) override { ++transfers_; }
  void replays(Clk, unsigned, std::string_view space, unsigned passes) override;

  /// Tables: instructions by unit, stalls by reason, levels, replays, occupancy.
  std::string text() const;

 private:
  struct Replays {
    std::uint64_t accesses = 0, passes = 0;
  };
  struct Change {  // of the warps that an SM holds
    Clk clk;
    unsigned sm;
    int warps;
  };
  /// An SM held so many warps in [from, to) of a launch that ends at `end`.
  void holds(Clk from, Clk to, std::size_t warps, Clk end);
  std::string occupancy() const;

  std::uint64_t launches_ = 0, blocks_ = 0, instructions_ = 0, transfers_ = 0;
  Clk clocks_ = 0, launch_began_ = 0;
  unsigned sms_ = 0;
  std::array<Clk, timing::kStallNames.size()> stalled_{};
  // By names of their own: those of the events end with the machine.
  template <class T>
  using ByName = std::map<std::string, T, std::less<>>;
  template <class T>
  static T& at(ByName<T>& map, std::string_view name) {
    const auto found = map.find(name);
    return found != map.end() ? found->second : map[std::string(name)];
  }
  ByName<std::uint64_t> units_;
  ByName<std::array<std::uint64_t, 3>> levels_;
  ByName<Replays> replays_;
  std::vector<Change> change_;         // of the launch under way
  std::vector<Clk> resident_;          // by number of warps: clocks of SMs that held so many
  std::array<double, 10> by_tenth_{};  // of a launch's time: warps of an SM, summed over launches
};

}  // namespace gpx::vgpu
