// Pipelines and the queue before them. Interface: load_store.h. Covered by
// tests/vgpu/timing_test.cpp.
#include "runtime/device/vgpu/timing/load_store.h"

#include <algorithm>
#include <functional>

namespace gpx::vgpu::timing {

LoadStoreUnit::LoadStoreUnit(const Description::LoadStore& lsu, MemoryPath& path, NearMemory& near,
                             unsigned line_shift)
    : path_(path),
      near_(near),
      banks_line_(lsu.banks_line),
      line_shift_(line_shift),
      free_(lsu.pipelines, 0) {}

void LoadStoreUnit::start_launch() {
  std::fill(free_.begin(), free_.end(), 0);
  queue_.clear();
  held_.clear();
  unused_.clear();
  for (std::uint32_t i = 0; i < pool_.size(); ++i) unused_.push_back(i);
  arrivals_ = 0;
}

MemoryAccess& LoadStoreUnit::make() {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(pool_.size()));
    pool_.emplace_back();
  }
  made_ = unused_.back();
  unused_.pop_back();
  return pool_[made_];
}

void LoadStoreUnit::enqueue() {
  const std::uint64_t age = std::uint64_t{pool_[made_].slot} << 32 | arrivals_++;
  queue_.push_back({age, made_});
  std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
}

std::size_t LoadStoreUnit::earliest() const {
  if (free_.size() == 1) return 0;
  return static_cast<std::size_t>(std::min_element(free_.begin(), free_.end()) - free_.begin());
}

Clk LoadStoreUnit::next_start(Clk clk) const {
  const Clk held = held_.empty() ? kNever : held_.front().until;
  return std::max(clk, std::min(held, queue_.empty() ? kNever : free_[earliest()]));
}

const MemoryAccess* LoadStoreUnit::start(Clk clk, Clk& complete) {
  if (!held_.empty() && held_.front().until <= clk) {
    Held& held = held_.front();
    const MemoryAccess& access = pool_[held.access];
    held.until = path_.load_from(access.requests, clk, access.bypass_l1);
    if (held.until > clk) return nullptr;
    const Held ready = held;
    held_.pop_front();
    return run(ready.access, ready.pipeline, clk, complete);
  }
  std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
  const std::uint32_t index = queue_.back().access;
  queue_.pop_back();
  return begin(index, clk, complete);
}

const MemoryAccess* LoadStoreUnit::begin(std::uint32_t index, Clk clk, Clk& complete) {
  const MemoryAccess& access = pool_[index];
  const std::size_t pipeline = earliest();
  const bool load = access.kind == MemoryAccess::Kind::load;
  const Clk from = load ? path_.load_from(access.requests, clk, access.bypass_l1) : clk;
  if (from == clk) return run(index, pipeline, clk, complete);
  free_[pipeline] = kNever;
  held_.push_back({index, pipeline, from});
  return nullptr;
}

// What a load takes of L1's banks, it takes of those of shared memory: they are the same.
Clk LoadStoreUnit::with_banks(const MemoryAccess& access, Clk clk) {
  if (banks_line_ == 0) return clk;
  const Requests& requests = access.requests;
  unsigned lines = 0;
  for (unsigned i = 0; i < requests.count; ++i)
    lines += i == 0 || requests.line[i] >> line_shift_ != requests.line[i - 1] >> line_shift_;
  const unsigned passes = requests.passes > 0 ? requests.passes : lines;
  return near_.take_banks(clk, banks_line_ * passes);
}

const MemoryAccess* LoadStoreUnit::run(std::uint32_t index, std::size_t pipeline, Clk clk,
                                       Clk& complete) {
  const MemoryAccess& access = pool_[index];
  Done done;
  switch (access.kind) {
    case MemoryAccess::Kind::load:
      done = path_.load(access.requests, with_banks(access, clk), access.bypass_l1);
      break;
    case MemoryAccess::Kind::store: done = path_.store(access.requests, clk, access.local); break;
    case MemoryAccess::Kind::atomic: done = path_.atomic(access.requests, clk); break;
  }
  unused_.push_back(index);
  free_[pipeline] = done.pipeline_free;
  complete = done.complete;
  return &access;
}

}  // namespace gpx::vgpu::timing
