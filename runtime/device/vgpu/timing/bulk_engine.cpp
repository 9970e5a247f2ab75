// Copies, part by part. Interface: bulk_engine.h. Covered by
// tests/experiments/async_planted_test.cpp.
#include "runtime/device/vgpu/timing/bulk_engine.h"

#include <algorithm>

namespace gpx::vgpu::timing {

void BulkEngine::start_launch() {
  queue_.clear();
  free_ = 0;
  issued_ = sent_ = 0;
  has_map_ = false;
}

std::uint64_t BulkEngine::issue(const exec::Effect& effect, ptx::Type type, Clk clk) {
  const Description::BulkCopy& rule = *device_.bulk_copy;
  Copy& copy = queue_.emplace_back();
  copy.ranges = *effect.ranges;
  copy.store = effect.is_store;
  if (effect.is_atomic)
    copy.reduces =
        AtomicUnits::Lanes{static_cast<unsigned>(device_.coalescer_line / effect.bytes), 1,
                           ptx::is_float(type) || ptx::is_half(type), type == ptx::Type::f64};
  copy.issued = static_cast<double>(clk);
  copy.bytes = effect.copied;
  const double rate = copy.store ? rule.store_bandwidth : rule.bandwidth;
  copy.moved = std::max(rate > 0 ? copy.bytes / rate : 0, copy.store ? 0 : effect.rows * rule.row);
  copy.latency = copy.store        ? rule.store_latency
                 : effect.rows > 0 ? rule.tensor_latency.value_or(rule.latency)
                                   : rule.latency;
  if (effect.rows > 0 && !has_map_) copy.latency += rule.map;
  has_map_ = has_map_ || effect.rows > 0;
  return ++issued_;
}

Clk BulkEngine::next() const {
  return static_cast<Clk>(std::max(queue_.front().issued, free_));
}

// No more than a line of 128 bytes.
void BulkEngine::send_part(Copy& copy, double start) {
  constexpr std::uint64_t kPart = 128;
  const exec::Range& range = copy.ranges[copy.range];
  const std::uint64_t begin = range.begin + copy.at;
  const std::uint64_t bytes = std::min(kPart - begin % kPart, range.bytes - copy.at);
  const Clk clk = static_cast<Clk>(start);
  const Clk waits = system_.bulk_queue(bytes, clk, copy.store);
  copy.base += static_cast<double>(waits);
  const Clk late = path_.bulk({begin, bytes}, clk + waits, copy.store, copy.reduces);
  copy.done += static_cast<double>(bytes);
  free_ = copy.base + copy.moved * copy.done / copy.bytes;
  copy.there = std::max(copy.there, free_ + static_cast<double>(late));
  copy.at += bytes;
  if (copy.at < range.bytes) return;
  copy.at = 0;
  ++copy.range;
}

std::optional<Clk> BulkEngine::send() {
  Copy& copy = queue_.front();
  const double start = std::max(copy.issued, free_);
  if (!copy.began) copy.base = copy.began.emplace(start);
  if (copy.range < copy.ranges.size()) send_part(copy, start);
  if (copy.range < copy.ranges.size()) return std::nullopt;
  const double end = copy.base + copy.moved;
  free_ = std::max(end, *copy.began + device_.bulk_copy->interval);
  const Clk there = whole(std::max(copy.there, end) + copy.latency);
  queue_.pop_front();
  ++sent_;
  return there;
}

}  // namespace gpx::vgpu::timing
