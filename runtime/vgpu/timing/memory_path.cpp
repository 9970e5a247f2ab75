// The formulae of docs/vgpu.md, "Memory". Interface: memory_path.h.
// Covered by tests/vgpu/timing_test.cpp.
#include "runtime/vgpu/timing/memory_path.h"

#include <bit>

namespace gpx::vgpu::timing {
namespace {

Clk issue_clocks(const Description::LoadStore& lsu, unsigned lanes) {
  return whole(lsu.clocks_per_load + lsu.clocks_per_lane * lanes);
}

/// A latency is given as a load of one lane sees it: what remains without the load/store unit.
Clk travel(const Description& device, double latency) {
  return whole(latency) - issue_clocks(device.lsu, 1) - whole(device.lsu.writeback_per_lane);
}

}  // namespace

MemorySystem::MemorySystem(const Description& device)
    : l2_(device.l2),
      dram_(device.dram),
      noise_(device.noise),
      l2_shift_(std::countr_zero(device.l2.line) - std::countr_zero(device.coalescer_line)),
      to_l2_(travel(device, device.l2.latency)),
      to_dram_(travel(device, device.dram.latency)) {}

Clk MemorySystem::load(std::uint64_t line, Clk clk) {
  CacheLine* found = nullptr;
  return fetch(l2_line(line), clk, found);
}

Clk MemorySystem::fetch(std::uint64_t line, Clk clk, CacheLine*& found) {
  found = l2_.find(line);
  if (found) return std::max(clk + to_l2_, found->arrived) + noise_.next();
  const Cache::Inserted inserted = l2_.insert(line);
  if (inserted.wrote_back) dram_.queue(clk);
  inserted.line.arrived = clk + to_dram_ + dram_.queue(clk);
  found = &inserted.line;
  return found->arrived + noise_.next();
}

// A store allocates its line in L2 without reading it from DRAM: L2 keeps track of the bytes.
Clk MemorySystem::store(std::uint64_t line, Clk clk) {
  Clk queued = 0;
  CacheLine* found = l2_.find(l2_line(line));
  if (!found) {
    const Cache::Inserted inserted = l2_.insert(l2_line(line));
    if (inserted.wrote_back) queued = dram_.queue(clk);
    found = &inserted.line;
    found->arrived = clk + to_l2_;
  }
  found->set_dirty();
  return clk + to_l2_ + queued;
}

// L2 does the lanes of one line one after another, a clock each.
Clk MemorySystem::atomic(std::uint64_t line, unsigned lanes, Clk clk) {
  CacheLine* found = nullptr;
  const Clk returned = fetch(l2_line(line), clk, found) + lanes - 1;
  found->set_dirty();
  found->arrived = std::max(found->arrived, clk + lanes - 1);
  return returned;
}

MemoryPath::MemoryPath(const Description& device, MemorySystem& system)
    : system_(system), writeback_per_lane_(device.lsu.writeback_per_lane) {
  if (device.l1) {
    l1_.emplace(*device.l1);
    to_l1_ = travel(device, device.l1->latency);
  }
  if (device.mshr) mshr_.emplace(*device.mshr);
  if (device.prt) prt_.emplace(*device.prt);
  for (unsigned lanes = 0; lanes <= exec::kWarpSize; ++lanes)
    issue_[lanes] = issue_clocks(device.lsu, lanes);
}

void MemoryPath::start_launch() {
  if (l1_) l1_->invalidate();
  if (mshr_) mshr_->clear();
  if (prt_) prt_->clear();
}

Done MemoryPath::load(const Requests& requests, Clk clk, bool bypass_l1) {
  const bool table = prt_ && (bypass_l1 || !all_in_l1(requests, clk));
  const Clk begin = table ? prt_->admit(clk, requests.count) : clk;
  Clk sent = begin;
  double written = 0;
  for (unsigned i = 0; i < requests.count; ++i) {
    const Clk at = std::max(sent, begin + issue_[requests.complete_after[i]]);
    const Reply reply = request(requests.line[i], requests.lanes_of[i], at, bypass_l1);
    sent = reply.sent;
    written = std::max(written, static_cast<double>(reply.returned)) +
              writeback_per_lane_ * requests.lanes_of[i];
  }
  const Clk complete = whole(written);
  if (table) prt_->book(complete);
  return {std::max(sent, begin + issue_[requests.lanes]), complete};
}

Done MemoryPath::store(const Requests& requests, Clk clk) {
  Done done;
  for (unsigned i = 0; i < requests.count; ++i) {
    const Clk at = clk + issue_[requests.complete_after[i]];
    if (l1_) l1_->drop(requests.line[i]);
    done.complete = std::max(done.complete, system_.store(requests.line[i], at));
  }
  done.pipeline_free = clk + issue_[requests.lanes];
  return done;
}

Done MemoryPath::atomic(const Requests& requests, Clk clk) {
  double written = 0;
  for (unsigned i = 0; i < requests.count; ++i) {
    const unsigned lanes = requests.lanes_of[i];
    const Clk returned =
        system_.atomic(requests.line[i], lanes, clk + issue_[requests.complete_after[i]]);
    written = std::max(written, static_cast<double>(returned)) + writeback_per_lane_ * lanes;
  }
  return {clk + issue_[requests.lanes], whole(written)};
}

CacheLine* MemoryPath::in_l1(std::uint64_t line, Clk clk) {
  CacheLine* found = l1_ ? l1_->find(line) : nullptr;
  return found && found->arrived <= clk ? found : nullptr;
}

bool MemoryPath::all_in_l1(const Requests& requests, Clk clk) {
  if (!l1_) return false;
  for (unsigned i = 0; i < requests.count; ++i)
    if (!in_l1(requests.line[i], clk)) return false;
  return true;
}

MemoryPath::Reply MemoryPath::request(std::uint64_t line, unsigned lanes, Clk clk, bool bypass_l1) {
  if (!l1_ || bypass_l1)
    return mshr_ ? through_mshr(line, lanes, clk) : Reply{clk, system_.load(line, clk)};
  if (CacheLine* found = l1_->find(line)) {
    if (found->arrived <= clk) return {clk, clk + to_l1_ + system_.noise().next()};
    if (!mshr_) return {clk, found->arrived};  // on its way: wait for it
    return through_mshr(line, lanes, clk);
  }
  const Reply reply = mshr_ ? through_mshr(line, lanes, clk) : Reply{clk, system_.load(line, clk)};
  l1_->insert(line).line.arrived = reply.returned;
  return reply;
}

MemoryPath::Reply MemoryPath::through_mshr(std::uint64_t line, unsigned lanes, Clk clk) {
  Reply reply{clk, 0};
  lanes -= mshr_->merge(line, lanes, clk, reply.returned);
  reply.returned = std::max(reply.returned, clk);
  while (lanes != 0) {
    const unsigned booked = std::min(lanes, mshr_->merges());
    reply.sent = mshr_->admit(reply.sent);
    const Clk returned = system_.load(line, reply.sent);
    mshr_->book(line, booked, reply.sent, returned, returned + whole(writeback_per_lane_ * booked));
    reply.returned = std::max(reply.returned, returned);
    lanes -= booked;
  }
  return reply;
}

}  // namespace gpx::vgpu::timing
