// EventQueue: what happens next, over all SMs and warps.
//
// Events at the same clock come in a fixed order: by SM, then by warp slot, the load/store unit of
// an SM after its warps, its engine of bulk copies between them. That order is part of the model:
// it makes a launch deterministic.
#pragma once

#include <algorithm>
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
};

class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  void clear() { heap_.clear(); }
  Event top() const { return decode(heap_.front()); }

  void push(const Event& event) {
    std::size_t at = heap_.size();
    const std::uint64_t key = encode(event);
    heap_.push_back(key);
    for (; at != 0 && heap_[(at - 1) / 2] > key; at = (at - 1) / 2) heap_[at] = heap_[(at - 1) / 2];
    heap_[at] = key;
  }

  /// True: it would be the first one behind top().
  bool is_next(const Event& event) const {
    const std::uint64_t key = encode(event);
    return (heap_.size() < 2 || key < heap_[1]) && (heap_.size() < 3 || key < heap_[2]);
  }

  /// One of these comes next, unless what top() causes does.
  template <class Use>
  void behind_top(Use use) const {
    for (std::size_t k = 1; k < std::min<std::size_t>(heap_.size(), 3); ++k) use(decode(heap_[k]));
  }

  /// pop(), then push(event).
  void replace_top(const Event& event) { sink(encode(event)); }

  void pop() {
    const std::uint64_t key = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(key);
  }

 private:
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
  // Puts `key` at the root and lets it sink to its place. Which child is less cannot be foreseen,
  // so it is computed rather than branched on.
  void sink(std::uint64_t key) {
    std::uint64_t* heap = heap_.data();
    const std::size_t size = heap_.size();
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

  std::vector<std::uint64_t> heap_;  // min-heap of encoded events
};

}  // namespace gpx::vgpu::timing
