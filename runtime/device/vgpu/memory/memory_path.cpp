// The formulae of docs/vgpu.md, "Memory". Interface: memory_path.h.
// Covered by tests/vgpu/timing_test.cpp and hierarchy_test.cpp.
#include "runtime/device/vgpu/memory/memory_path.h"

#include <bit>

namespace gpx::vgpu::timing {
namespace {

Clk issue_clocks(const Description::LoadStore& lsu, unsigned lanes) {
  return whole(lsu.clocks_per_load + lsu.clocks_per_lane * lanes);
}

}  // namespace

MemoryPath::MemoryPath(const Description& device, MemorySystem& system, unsigned sm)
    : system_(system),
      sm_(sm),
      line_shift_(static_cast<unsigned>(std::countr_zero(device.coalescer_line))),
      offset_(system.interconnect_offset(sm)),
      reductions_(device.atomics ? device.atomics->queue : 0),
      split_(device.lsu.split),
      writeback_per_lane_(device.lsu.writeback_per_lane) {
  for (unsigned lanes = 0; lanes <= exec::kWarpSize; ++lanes)
    issue_[lanes] = issue_clocks(device.lsu, lanes);
  atomics_ = device.atomics;
  if (device.memory_queue) queue_.emplace(*device.memory_queue, device.coalescer_line);
  if (device.store_buffer) stores_.emplace(*device.store_buffer, device.sm.partitions);
  if (device.mshr) mshr_.emplace(*device.mshr);
  if (device.prt) prt_.emplace(*device.prt);
  if (device.translation.tlb[0]) tlb_.emplace(system.tlb(sm));
  if (!device.l1) return;
  const Description::Cache& l1 = *device.l1;
  l1_.emplace(l1);
  keeps_stores_ = device.l1_stores;
  // A latency is given as a load of one lane sees it: what remains without the load/store unit.
  to_l1_ = whole(l1.latency) - issue_[1] - whole(writeback_per_lane_);
  l1_miss_ = {whole(l1.miss), whole(l1.miss_dram < 0 ? l1.miss : l1.miss_dram)};
  lookup_ = l1.lookup;
  tag_banks_ = l1.tag_banks;
  missed_ = std::max(l1.lookup, l1.missed);
  if (l1.bandwidth > 0) per_byte_ = 1 / l1.bandwidth;
  l1_shift_ = static_cast<unsigned>(std::countr_zero(l1.line)) - line_shift_;
  if (l1.sector == 0) return;
  sector_shift_ = static_cast<unsigned>(std::countr_zero(l1.sector)) - line_shift_;
  sector_mask_ = static_cast<unsigned>(l1.line / l1.sector) - 1;
}

void MemoryPath::start_launch(unsigned sms, std::uint64_t l1_data) {
  atomic_free_ = atomic_burst_ = reduced_ = 0;
  reductions_.clear();
  if (queue_) queue_->start_launch(sms);
  if (stores_) stores_->start_launch();
  if (l1_) l1_->start_launch(system_.seed() ^ (sm_ + 1) * 0x9e3779b97f4a7c15ull, l1_data);
  if (mshr_) mshr_->clear();
  if (prt_) prt_->clear();
}

namespace {

/// Different numbers, of which most are higher than those before.
class Distinct {
 public:
  bool add(std::uint64_t number) {
    const auto end = number_.begin() + count_;
    const bool is_new =
        count_ == 0 || number > highest_ || std::find(number_.begin(), end, number) == end;
    if (is_new) number_[count_++] = number;
    highest_ = std::max(highest_, number);
    return is_new;
  }
  unsigned count() const { return count_; }

 private:
  std::array<std::uint64_t, exec::kWarpSize> number_;
  std::uint64_t highest_ = 0;
  unsigned count_ = 0;
};

/// What a load takes of L1's pipeline: its lines, each once, and what L1 hands over: its lanes'
/// bytes, in as many passes as they conflict.
class L1Use {
 public:
  L1Use(double lookup, unsigned banks, double missed, double per_byte, unsigned passes)
      : banks_(banks), lookup_(lookup), missed_(missed), per_byte_(per_byte), passes_(passes) {}

  void look_up(std::uint64_t line) {
    if (lookup_ == 0) return;
    new_line_ = lines_.add(line);
    if (new_line_) busiest_ = std::max<unsigned>(busiest_, ++lines_of_[line % banks_]);
  }
  /// What the lookup of that line's request found.
  void found(bool missed, unsigned bytes) {
    handed_over_ += per_byte_ * bytes;
    hits_ += !missed;
    ++requests_;
    if (missed && new_line_) ++missed_lines_;
    new_line_ = false;
  }
  /// By which the last line is looked up after the first; the whole clocks that have passed.
  Clk further_clocks() const {
    return lines_.count() == 0 ? 0 : static_cast<Clk>(lookup_ * banks_ * (busiest_ - 1));
  }
  Clk clocks() const {
    const unsigned lines = std::max(1u, lines_.count());
    const double turns = static_cast<double>(busiest_ * banks_ * (lines - missed_lines_)) / lines;
    const double tags = lookup_ * turns + missed_ * missed_lines_;
    const double passes = requests_ == 0 ? 0 : static_cast<double>(passes_) * hits_ / requests_;
    return whole(std::max({tags, handed_over_, passes}));
  }

 private:
  Distinct lines_;
  std::array<std::uint8_t, kMostBanks> lines_of_{};  // by bank of tags
  unsigned busiest_ = 0;
  bool new_line_ = false;
  unsigned missed_lines_ = 0, hits_ = 0, requests_ = 0;
  unsigned banks_;
  double lookup_, missed_, per_byte_, handed_over_ = 0;
  unsigned passes_;
};

}  // namespace

Clk MemoryPath::load_from(const Requests& requests, Clk clk, bool bypass_l1) {
  const bool table = prt_ && (bypass_l1 || !all_in_l1(requests, clk));
  return table ? prt_->next(clk, requests.count) : clk;
}

Done MemoryPath::load(const Requests& requests, Clk begin, bool bypass_l1) {
  const bool table = prt_ && (bypass_l1 || !all_in_l1(requests, begin));
  if (table) prt_->admit(begin, requests.count);
  if (queue_) queue_->start_access();
  system_.start_access();
  const bool used = !bypass_l1 && (lookup_ > 0 || per_byte_ > 0);
  L1Use use(lookup_, tag_banks_, missed_, per_byte_, requests.passes);
  for (unsigned i = 0; bypass_l1 && i < requests.count; ++i) system_.expect(requests.line[i], sm_);
  Clk sent = begin;
  double written = 0;
  Distinct lines;
  bool missed = bypass_l1;
  for (unsigned i = 0; i < requests.count; ++i) {
    Clk at = begin + issue_[requests.complete_after[i]];
    if (used) {
      use.look_up(l1_line(requests.line[i]));
      at += use.further_clocks();
    }
    const Reply reply = request(requests, i, std::max(sent, at), bypass_l1);
    if (used) use.found(reply.missed, requests.bytes_of[i]);
    if (split_ > 0) lines.add(l1_line(requests.line[i]));
    missed = missed || reply.missed;
    sent = reply.sent;
    written = std::max(written, static_cast<double>(reply.returned)) +
              writeback_per_lane_ * requests.lanes_of[i];
  }
  tell_replays(begin, requests);
  if (missed && lines.count() > 1) written += split_ * (lines.count() - 1);
  const Clk complete = whole(missed ? written : written - requests.sooner);
  if (table) prt_->book(complete);
  const Clk free = std::max({sent, begin + issue_[requests.lanes], begin + whole(requests.clocks)});
  return {used ? std::max(free, begin + use.clocks()) : free, complete};
}

Done MemoryPath::store(const Requests& requests, Clk clk, bool keeps) {
  Done done;
  done.pipeline_free = clk + issue_[requests.lanes];
  if (queue_) queue_->start_access();
  system_.start_access();
  if (stores_ && joins_store(requests, clk)) {
    done.complete = done.pipeline_free;
    return done;
  }
  Distinct lines;
  for (unsigned i = 0; i < requests.count; ++i) {
    const Clk there = clk + issue_[requests.complete_after[i]],
              at = stores_ ? stores_->depart(there, is_partial(requests, i) &&
                                                        lines.add(l1_line(requests.line[i])))
                           : departure(requests, i, there);
    const MemorySystem::Sent sent{
        sm_, requests.line[i], at,
        is_partial(requests, i) ? Slices::Kind::partial_store : Slices::Kind::store,
        is_partial(requests, i) ? requests.bytes_of[i] : 0u};
    store_in_l1(requests, i, at, keeps);
    done.complete = std::max(done.complete, translated(sent, system_.store(sent)));
  }
  tell_replays(clk, requests);
  return done;
}

// What it stores leaves with a store that waits; of L1 no more than that one has left.
bool MemoryPath::joins_store(const Requests& requests, Clk clk) {
  const unsigned partial = partial_lines(requests);
  if (partial == 0 || !stores_->joins_any()) return false;
  std::array<std::uint64_t, exec::kWarpSize> sectors;
  std::copy_n(requests.line.begin(), requests.count, sectors.begin());
  std::sort(sectors.begin(), sectors.begin() + requests.count);
  Distinct lines;
  for (unsigned i = 0; i < requests.count; ++i) lines.add(l1_line(requests.line[i]));
  if (!stores_->joins({sectors.data(), requests.count}, lines.count(), partial,
                      clk + issue_[requests.complete_after[0]]))
    return false;
  for (unsigned i = 0; i < requests.count; ++i) {
    store_in_l1(requests, i, clk, false);
    system_.add_to_store({sm_, requests.line[i], clk, Slices::Kind::partial_store,
                          is_partial(requests, i) ? requests.bytes_of[i] : 0u});
  }
  return true;
}

Done MemoryPath::atomic(const Requests& requests, Clk clk) {
  double written = 0;
  if (queue_) queue_->start_access();
  system_.start_access();
  Distinct lines;
  for (unsigned i = 0; i < requests.count; ++i) {
    const unsigned lanes = requests.lanes_of[i], same = atomics_ ? requests.same_of[i] : 1;
    const bool new_line = lines.add(l1_line(requests.line[i]));
    const Clk turn = atomic_turn(requests, i, clk + issue_[requests.complete_after[i]], new_line);
    const MemorySystem::Sent sent{sm_, requests.line[i], departure(requests, i, turn),
                                  Slices::Kind::atomic};
    const Clk returned =
        translated(sent, system_.atomic(sent, {lanes, same, requests.real, requests.twice}));
    written = std::max(written, static_cast<double>(returned)) + writeback_per_lane_ * lanes;
  }
  tell_replays(clk, requests);
  return {clk + issue_[requests.lanes], whole(written)};
}

void MemoryPath::store_in_l1(const Requests& requests, unsigned i, Clk clk, bool keeps) {
  if (!l1_) return;
  if (keeps || (keeps_stores_ && !is_partial(requests, i))) return keep_in_l1(requests, i, clk);
  if (!keeps_stores_) return l1_->drop(l1_line(requests.line[i]));
  keep_part_in_l1(requests, i, clk);
}

// L1 has the words that were stored. Of a sector that it has not, a load finds them when stores
// have brought all (docs/results/h200/store_load.csv).
void MemoryPath::keep_part_in_l1(const Requests& requests, unsigned i, Clk clk) {
  constexpr unsigned kEighths = CacheLine::kWhole;
  if (sector_mask_ + 1 != CacheLine::kParts) return;
  const unsigned sector = sector_of(requests.line[i]), part = 1u << sector;
  const CacheLine* found = l1_->find(l1_line(requests.line[i]));
  const unsigned lacks = found && found->has(sector) ? found->lacks(sector) : kEighths,
                 brought = requests.bytes_of[i] * kEighths >> line_shift_;
  if (lacks == 0) return;
  keep_in_l1(requests, i, clk);
  l1_->find(l1_line(requests.line[i]))->set_lacking(part, lacks - std::min(lacks, brought));
}

// A lane reads no other words of its local memory than those that it has stored: a sector is there
// from when some of it has been.
void MemoryPath::keep_in_l1(const Requests& requests, unsigned i, Clk clk) {
  const std::uint64_t line = l1_line(requests.line[i]);
  const unsigned sector = sector_of(requests.line[i]);
  const Clk there = clk + to_l1_;
  CacheLine* found = l1_->find(line);
  if (found && found->has(sector)) {
    if (sector < CacheLine::kParts) found->set_lacking(1u << sector, 0);
    return;
  }
  if (found) {
    found->fetch_more(sector, clk, there);
    return;
  }
  CacheLine& entered = l1_->insert(line);
  entered.arrived = there;
  if (sector_mask_ != 0) entered.fetch_first(sector, there);
}

// A store is done before its bytes could be in L2: how far that is does not count.
Clk MemoryPath::bulk(const exec::Range& part, Clk clk, bool store,
                     const std::optional<AtomicUnits::Lanes>& reduces) {
  Clk late = 0;
  const std::uint64_t last = (part.begin + part.bytes - 1) >> line_shift_;
  for (std::uint64_t line = part.begin >> line_shift_; line <= last; ++line) {
    const MemorySystem::Sent sent{sm_, line, clk,
                                  reduces ? Slices::Kind::atomic : Slices::Kind::load};
    if (store && l1_) l1_->drop(l1_line(line));
    const MemorySystem::Served served = reduces ? system_.atomic(sent, *reduces)
                                        : store ? system_.store(sent)
                                                : system_.load(sent);
    const Clk distance = store ? offset_ + system_.extra(sent) : 0;
    late = std::max(late, translated(sent, served) - clk - system_.nearest() - distance);
  }
  return late;
}

Clk MemoryPath::read(std::uint64_t address, Clk clk) {
  Requests one;
  one.count = one.lanes = 1;
  one.line[0] = address >> line_shift_;
  one.lanes_of[0] = 1;
  one.bytes_of[0] = 4;
  return request(one, 0, clk, false).returned;
}

unsigned MemoryPath::partial_lines(const Requests& requests) const {
  Distinct lines;
  for (unsigned i = 0; i < requests.count; ++i)
    if (is_partial(requests, i)) lines.add(l1_line(requests.line[i]));
  return lines.count();
}

bool MemoryPath::all_in_l1(const Requests& requests, Clk clk) const {
  if (!l1_) return false;
  for (unsigned i = 0; i < requests.count; ++i) {
    const CacheLine* found = l1_->peek(l1_line(requests.line[i]));
    const unsigned sector = sector_of(requests.line[i]);
    if (!found || !found->has(sector) || found->arrival(sector) > clk) return false;
  }
  return true;
}

MemoryPath::Reply MemoryPath::request(const Requests& requests, unsigned i, Clk clk,
                                      bool bypass_l1) {
  if (!l1_ || bypass_l1) return beyond_l1(requests, i, clk);
  const std::uint64_t line = requests.line[i];
  const unsigned sector = sector_of(line);
  CacheLine* found = l1_->find(l1_line(line));
  if (found && found->has(sector) && found->lacks(sector) == 0) {
    const Clk arrived = found->arrival(sector);
    tell(clk, "l1", arrived <= clk ? Lookup::hit : Lookup::merged);
    if (arrived <= clk) return {clk, clk + to_l1_ + system_.noise().next()};
    if (!mshr_) return {clk, arrived};  // on its way: wait for it
    return through_mshr(requests, i, clk);
  }
  tell(clk, "l1", Lookup::miss);
  Reply reply = beyond_l1(requests, i, clk);
  reply.missed = true;
  reply.returned += reply.dram ? l1_miss_.dram : l1_miss_.l2;
  if (found && found->has(sector)) {  // in part
    found->set_lacking(1u << sector, 0);
    found->answer(sector, reply.returned);
    return reply;
  }
  if (found) {
    found->fetch_more(sector, clk, reply.returned);
    return reply;
  }
  CacheLine& entered = l1_->insert(l1_line(line));
  entered.arrived = reply.returned;
  if (sector_mask_ != 0) entered.fetch_first(sector, reply.returned);
  return reply;
}

MemoryPath::Reply MemoryPath::beyond_l1(const Requests& requests, unsigned i, Clk clk) {
  if (mshr_) return through_mshr(requests, i, clk);
  const MemorySystem::Served served = send(requests, i, clk);
  return {clk, served.clk, served.dram};
}

// Clocks of the SM for a request, `lane` for each further lane of one address, without its line.
double MemoryPath::atomic_clocks(const Requests& requests, unsigned i, double lane) const {
  return atomics_->request + lane * (requests.same_of[i] - 1) + (i == 0 ? atomics_->access : 0);
}

// The SM hands on the lanes of one address one by one, and at double rate where nothing has to come
// back, or not for as long as `burst`.
Clk MemoryPath::atomic_turn(const Requests& requests, unsigned i, Clk clk, bool new_line) {
  if (!atomics_) return clk;
  const double there = static_cast<double>(clk), line = new_line ? atomics_->line : 0;
  if (atomics_->burst == 0) {
    const double begin = std::max(atomic_free_, there);
    atomic_free_ = begin + atomic_clocks(requests, i, atomics_->lane) + line;
    return whole(begin);
  }
  const double late = requests.returns ? atomic_free_ - atomics_->burst : 0,
               begin = std::max({atomic_burst_, there, late});
  atomic_burst_ = begin + atomic_clocks(requests, i, atomics_->lane / 2);
  if (requests.returns)
    atomic_free_ =
        std::max(atomic_free_, there) + atomic_clocks(requests, i, atomics_->lane) + line;
  return whole(begin);
}

Clk MemoryPath::admit_reduction(const Requests& requests, Clk clk) {
  if (!reductions_.has_places()) return clk;
  const double begin = std::max(reduced_, static_cast<double>(clk));
  reduced_ = begin;
  for (unsigned i = 0; i < requests.count; ++i)
    reduced_ += atomic_clocks(requests, i, atomics_->lane / 2);
  return std::max(clk, whole(reductions_.enter(begin)));
}

Clk MemoryPath::departure(const Requests& requests, unsigned i, Clk clk) {
  if (!queue_) return clk;
  if (stores_) clk = std::max(clk, stores_->sent());
  return queue_->depart(clk, requests.coalesced, requests.bytes_of[i], requests.line[i],
                        requests.line_clocks);
}

MemorySystem::Served MemoryPath::send(const Requests& requests, unsigned i, Clk clk) {
  const MemorySystem::Sent sent{sm_, requests.line[i], departure(requests, i, clk)};
  MemorySystem::Served served = system_.load(sent);
  served.clk = translated(sent, served);
  return served;
}

MemoryPath::Reply MemoryPath::through_mshr(const Requests& requests, unsigned i, Clk clk) {
  const std::uint64_t line = requests.line[i];
  unsigned lanes = requests.lanes_of[i];
  Reply reply{clk, 0};
  const unsigned merged = mshr_->merge(line, lanes, clk, reply.returned);
  if (merged != 0) tell(clk, "mshr", Lookup::merged);
  lanes -= merged;
  reply.returned = std::max(reply.returned, clk);
  while (lanes != 0) {
    const unsigned booked = std::min(lanes, mshr_->merges());
    reply.sent = mshr_->admit(reply.sent);
    tell(reply.sent, "mshr", Lookup::miss);
    const MemorySystem::Served served = send(requests, i, reply.sent);
    mshr_->book(line, booked, reply.sent, served.clk,
                served.clk + whole(writeback_per_lane_ * booked));
    reply.returned = std::max(reply.returned, served.clk);
    reply.dram |= served.dram;
    lanes -= booked;
  }
  return reply;
}

}  // namespace gpx::vgpu::timing
