// EventQueue: what happens next, over all SMs and warps.
//
// Events at the same clock come in a fixed order: by SM, then by warp slot, the load/store unit of
// an SM after its warps, its engine of bulk copies between them. That order is part of the model:
// it makes a launch deterministic.
//
// The SMs of a group have a heap of their own, and the groups are the leaves of a tree that knows
// the first event of all. One group has the turn: its events can be taken one after another while
// they are the first, or do nothing that others see (Machine::runs_ahead), which keeps what it
// works with in the host's caches.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

struct Event {
  Clk clk = 0;
  std::uint32_t sm = 0;
  std::uint32_t slot = 0;  ///< Of a warp; or one of those below.

  static constexpr unsigned kBits = 10;  ///< Of an SM's number and of a warp slot's.
  static constexpr std::uint32_t kLoadStore = (1u << kBits) - 1;
  static constexpr std::uint32_t kBulk = kLoadStore - 1;  ///< The engine of bulk copies.
  static constexpr std::uint32_t kTenant = kBulk - 1;     ///< Another process, of no SM.
  static constexpr std::uint32_t kMostSchedulers = 16;
  static constexpr std::uint32_t kScheduler = kTenant - kMostSchedulers;  ///< The first of an SM.
};

class EventQueue {
 public:
  /// So many SMs, of which `group` neighbours have a heap.
  explicit EventQueue(unsigned sms, unsigned group = 1)
      : group_(group),
        heaps_((sms + group - 1) / group),
        leaves_(std::bit_ceil(heaps_.size())),
        least_(2 * leaves_, kNone) {}

  void clear() {
    for (auto& heap : heaps_) heap.clear();
    std::ranges::fill(least_, kNone);
    turn_ = 0, others_ = kNone;
  }
  bool empty() const { return heap().empty() && others_ == kNone; }

  void push(const Event& event) {
    const std::size_t group = event.sm / group_;
    const std::uint64_t key = encode(event);
    std::vector<std::uint64_t>& heap = heaps_[group];
    std::size_t at = heap.size();
    heap.push_back(key);
    for (; at != 0 && heap[(at - 1) / 2] > key; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = key;
    if (group == turn_) return;
    others_ = std::min(others_, key);
    settle(group);
  }

  /// Gives the turn to the group of the first event of all. False: there is none.
  bool take_turn() {
    settle(turn_);
    if (least_[1] == kNone) return false;
    std::size_t at = 1;
    others_ = kNone;
    while (at < leaves_) {
      at *= 2;
      if (least_[at] != least_[1]) ++at;
      others_ = std::min(others_, least_[at ^ 1]);
    }
    turn_ = at - leaves_;
    return true;
  }

  // What follows is of the group that has the turn.

  bool has_top() const { return !heap().empty(); }
  Event top() const { return decode(heap().front()); }
  /// It is the first event of all.
  bool is_first() const { return has_top() && heap().front() < others_; }
  /// That of the others is not before so many clocks from then on.
  Clk others() const { return decode(others_).clk; }

  /// True: it would be the group's first one behind top().
  bool is_next_here(const Event& event) const {
    const std::uint64_t key = encode(event);
    const std::vector<std::uint64_t>& of = heap();
    return (of.size() < 2 || key < of[1]) && (of.size() < 3 || key < of[2]);
  }
  /// The same, of all groups.
  bool is_next(const Event& event) const { return encode(event) < others_ && is_next_here(event); }

  /// One of these comes next, unless what top() causes does.
  template <class Use>
  void behind_top(Use use) const {
    for (std::size_t k = 1; k < std::min<std::size_t>(heap().size(), 3); ++k)
      use(decode(heap()[k]));
  }

  /// pop(), then push(event).
  void replace_top(const Event& event) { sink(encode(event)); }

  void pop() {
    std::vector<std::uint64_t>& of = heaps_[turn_];
    const std::uint64_t key = of.back();
    of.pop_back();
    if (!of.empty()) sink(key);
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  static std::uint64_t encode(const Event& event) {
    return static_cast<std::uint64_t>(event.clk) << 2 * Event::kBits |
           static_cast<std::uint64_t>(event.sm) << Event::kBits | event.slot;
  }
  static Event decode(std::uint64_t key) {
    constexpr std::uint32_t mask = (1u << Event::kBits) - 1;
    return {static_cast<Clk>(key >> 2 * Event::kBits),
            static_cast<std::uint32_t>(key >> Event::kBits) & mask,
            static_cast<std::uint32_t>(key) & mask};
  }
  const std::vector<std::uint64_t>& heap() const { return heaps_[turn_]; }

  /// The tree knows the group's first event.
  void settle(std::size_t group) {
    std::size_t at = leaves_ + group;
    const std::uint64_t first = heaps_[group].empty() ? kNone : heaps_[group].front();
    if (least_[at] == first) return;
    least_[at] = first;
    for (at /= 2; at != 0; at /= 2) least_[at] = std::min(least_[2 * at], least_[2 * at + 1]);
  }

  // Puts `key` at the root and lets it sink to its place. Which child is less cannot be foreseen,
  // so it is computed rather than branched on.
  void sink(std::uint64_t key) {
    std::vector<std::uint64_t>& of = heaps_[turn_];
    std::uint64_t* heap = of.data();
    const std::size_t size = of.size();
    std::size_t at = 0, child = 1;
    for (; child + 1 < size; child = 2 * at + 1) {
      child += static_cast<std::size_t>(heap[child + 1] < heap[child]);
      if (heap[child] >= key) break;
      heap[at] = heap[child];
      at = child;
    }
    if (child + 1 == size && heap[child] < key) {  // it has no other one beside it
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = key;
  }

  unsigned group_;
  std::vector<std::vector<std::uint64_t>> heaps_;  // of encoded events, by group: the least first
  std::size_t leaves_;
  std::vector<std::uint64_t> least_;  // a tree from [1] on; not up to date for whose turn it is
  std::size_t turn_ = 0;
  std::uint64_t others_ = kNone;  // the first event of the groups that do not have the turn
};

}  // namespace gpx::vgpu::timing
