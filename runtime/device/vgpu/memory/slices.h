// Slices: the queues of L2, one of each slice. Neighbouring lines go to the slices in turn, which
// begins elsewhere every 32 lines. A slice has tags, which a line of an access takes for `request`
// clocks, and a port of loads and one of stores, which its sectors take. Loads and atomics go
// before stores that are still in the queue, and take a `shared` part of their time from the port
// of these, atomics all of it (docs/results/h200/l2_mix.csv).
// Covered by tests/vgpu/load_path_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class Slices {
 public:
  enum class Kind { load, store, partial_store, atomic };

  /// Sectors of `bytes` each.
  Slices(const Description::Slices& slices, std::uint64_t bytes)
      : count_(slices.count), slices_(slices.count) {
    const double load = static_cast<double>(bytes) / slices.bandwidth;
    const double store = std::max(load, slices.store), partial = std::max(store, slices.partial);
    of_all_ = {{{slices.request, load, slices.shared * load},
                {slices.store_request, 0, store},
                {slices.store_request, 0, partial},
                {slices.request, partial, partial}}};
    for (const double distance : slices.distances) distances_.push_back(whole(distance));
    start_launch(1);
  }

  void clear() { std::fill(slices_.begin(), slices_.end(), Queue{}); }
  /// `share`: of the requests, the part that is seen here. As many slices serve it: the others are
  /// as busy with what is not seen.
  void start_launch(double share) {
    const double seen = share * count_;
    queues_ = std::clamp<std::uint32_t>(static_cast<std::uint32_t>(seen + 0.5), 1, count_);
    const double scale = queues_ / seen;
    for (std::size_t k = 0; k < of_all_.size(); ++k)
      times_[k] = {of_all_[k].request * scale, of_all_[k].sector * scale,
                   of_all_[k].stored * scale};
    start_access();
  }
  /// What follows is of another access of a warp.
  void start_access() { request_line_ = UINT64_MAX; }

  /// When a sector of that line of L2 is served that is asked for at `clk`.
  Clk serve(std::uint64_t line, Clk clk, Kind kind = Kind::load) {
    const auto [request, sector, stored] = times_[static_cast<std::size_t>(kind)];
    const bool first = line != request_line_;  // its tags have not been looked up
    request_line_ = line;
    Queue& queue = slices_[place_of(line) % queues_];
    const bool stores = kind == Kind::store || kind == Kind::partial_store;
    const double asked = static_cast<double>(clk);
    double at = std::max(stores ? queue.stores : queue.loads, asked);
    if (first) {
      at = std::max(at, stores ? queue.all_tags : queue.tags);
      if (!stores) queue.tags = at + request;
      queue.all_tags = std::max(queue.all_tags, at) + request;
    }
    if (!stores) queue.loads = at + sector;
    queue.stores = std::max(queue.stores, at) + stored;
    return whole(at);
  }

  /// Extra clocks of an access to that line.
  Clk distance(std::uint64_t line) const {
    return distances_.empty() ? 0 : distances_[slice(line)];
  }

  /// The last answer is kept: who serves a line also asks for its distance.
  std::size_t slice(std::uint64_t line) const {
    if (line == line_) return slice_;
    line_ = line;
    slice_ = place_of(line) % count_;
    return slice_;
  }

 private:
  static constexpr unsigned kRunBits = 5;
  static std::uint32_t place_of(std::uint64_t line) {
    const std::uint64_t turn = (line >> kRunBits) * 0x9e3779b97f4a7c15ull >> 40;
    return static_cast<std::uint32_t>(line + turn);
  }

  /// Clocks of a slice: of its tags for a line of an access, and of either port for a sector.
  struct Times {
    double request = 0, sector = 0, stored = 0;
  };

  /// When what was asked of tags and ports is done: of loads, and of all.
  struct Queue {
    double tags = 0, loads = 0, all_tags = 0, stores = 0;  // fractions carry over
  };

  std::uint32_t count_;
  std::array<Times, 4> of_all_, times_;  // by kind
  std::uint32_t queues_ = 1;
  std::uint64_t request_line_ = UINT64_MAX;  // of the access under way
  std::vector<Queue> slices_;
  std::vector<Clk> distances_;  // by slice; empty: none
  mutable std::uint64_t line_ = UINT64_MAX;
  mutable std::size_t slice_ = 0;
};

}  // namespace gpx::vgpu::timing
