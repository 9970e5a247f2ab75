// What all SMs share: L2, DRAM, and the levels of the other hierarchies. Interface: memory_path.h.
// Covered by tests/vgpu/timing_test.cpp and hierarchy_test.cpp.
#include <algorithm>
#include <bit>
#include <span>

#include "runtime/device/vgpu/memory/memory_path.h"

namespace gpx::vgpu::timing {
namespace {

/// A latency is given as a load of one lane sees it: what remains without the load/store unit.
Clk travel(const Description& device, double latency) {
  const auto& lsu = device.lsu;
  return whole(latency) - whole(lsu.clocks_per_load + lsu.clocks_per_lane) -
         whole(lsu.writeback_per_lane);
}

template <std::size_t levels>
std::array<Placed, levels> placed(const Description::Levels<levels>& caches,
                                  const Description::Sm& sm) {
  std::array<Placed, levels> result;
  for (std::size_t k = 0; k < levels; ++k) result[k] = Placed(caches[k], sm);
  return result;
}

}  // namespace

MemorySystem::MemorySystem(const Description& device)
    : device_(device),
      crossings_{Port(device.partitions ? device.partitions->bandwidth : 0),
                 Port(device.partitions ? device.partitions->bandwidth : 0)},
      fill_(device.fill_bytes()),
      dram_(device.dram, fill_),
      bulk_loads_(device.bulk_copy ? device.bulk_copy->l2_bandwidth : 0),
      bulk_stores_(device.bulk_copy ? device.bulk_copy->l2_store_bandwidth : 0),
      noise_(device.noise),
      plan_(device),
      line_shift_(static_cast<unsigned>(std::countr_zero(device.coalescer_line))),
      window_(device.page_window),
      texture_window_(device.page_window),
      constant_(placed(device.constant.level, device.sm)),
      tlb_(placed(device.translation.tlb, device.sm)),
      texture_tlb_(placed(device.texture_translation.tlb, device.sm)) {
  if (device.instruction) instruction_ = placed(device.instruction->level, device.sm);
  if (device.texture) texture_ = placed(device.texture->level, device.sm);
  global_ = {0, travel(device, device.dram.latency)};
  if (!device.l2) return;
  l2_.emplace(*device.l2);
  if (device.slices) slices_.emplace(*device.slices, device.coalescer_line);
  global_.to_l2 = travel(device, device.l2->latency);
  const int line = std::countr_zero(device.l2->line),
            request = std::countr_zero(device.coalescer_line);
  l2_shift_ = static_cast<unsigned>(line - request);
  if (device.atomics)
    atomic_units_.emplace(*device.atomics, device.slices ? device.slices->count : 1,
                          device.coalescer_line, l2_shift_);
  if (device.l2->sector == 0) return;
  sector_shift_ = static_cast<unsigned>(std::countr_zero(device.l2->sector) - request);
  sector_mask_ = static_cast<unsigned>(device.l2->line / device.l2->sector) - 1;
}

template <class Use>
void MemorySystem::for_levels(Use use) {
  const auto each = [&](auto&& levels) {
    for (Placed& level : levels) use(level);
  };
  each(constant_);
  each(instruction_);
  // Third levels last: the random choices of the others stay as they were without them.
  constexpr std::size_t kFirst = 2;
  each(std::span(tlb_).first(kFirst));
  each(std::span(texture_tlb_).first(kFirst));
  each(texture_);
  each(std::span(tlb_).subspan(kFirst));
  each(std::span(texture_tlb_).subspan(kFirst));
}

void MemorySystem::start_job() {
  dram_.clear();
  bulk_loads_.clear();
  bulk_stores_.clear();
  if (l2_) l2_->invalidate();
  if (slices_) slices_->clear();
  if (atomic_units_) atomic_units_->clear();
  for (Port& crossing : crossings_) crossing.clear();
  for_levels([](Placed& level) { level.clear(); });
}

void MemorySystem::forget() {
  for_levels([](Placed& level) { level.clear(); });
}

// What kernels may write to between two launches is not in a cache that no store goes through.
void MemorySystem::start_launch(std::uint64_t job_seed, std::uint64_t launch, double share) {
  dram_.start_launch(share);
  if (l2_ && share_l2_) l2_->share(share);
  if (slices_) slices_->start_launch(share);
  if (atomic_units_) atomic_units_->start_launch(share);
  bulk_loads_.start_launch(share);
  bulk_stores_.start_launch(share);
  for (Port& crossing : crossings_) crossing.start_launch(share);
  noise_.seed(job_seed, launch);
  seed_ = job_seed * 0x9e3779b97f4a7c15ull + launch * 0x632be59bd9b4e019ull;
  window_.start_launch();
  texture_window_.start_launch();
  for (Placed& level : texture_) level.clear();
  if (device_.constant.lost)
    for (Placed& level : constant_) level.clear();
  if (l2_) l2_->seed(seed_);
  std::uint64_t seed = seed_;
  for_levels([&](Placed& level) { level.seed(seed += 0x2545f4914f6cdd1dull); });
}

const Placed& MemorySystem::instruction(std::size_t level) const {
  const int constant = device_.instruction->same_as[level];
  return constant < 0 ? instruction_[level] : constant_[static_cast<std::size_t>(constant)];
}

Clk MemorySystem::interconnect_offset(unsigned sm) const {
  const auto& offsets = device_.interconnect_offsets;
  return offsets.empty() ? 0 : whole(offsets[device_.sm.tpc_of(sm)]);
}

Tlb::Levels MemorySystem::levels_of(const Tlbs& tlbs, unsigned sm) {
  Tlb::Levels levels;
  std::ranges::transform(tlbs, levels.begin(), [&](const Placed& tlb) { return tlb.of(sm); });
  return levels;
}

Tlb MemorySystem::tlb(unsigned sm) {
  return {"tlb", device_.translation, device_.page_window, levels_of(tlb_, sm), window_};
}

Tlb MemorySystem::texture_tlb(unsigned sm) {
  return {"texture_tlb", device_.texture_translation, device_.page_window,
          levels_of(texture_tlb_, sm), texture_window_};
}

// What waits for the slice of its line arrives that much later.
MemorySystem::Sent MemorySystem::at_slice(const Sent& sent) {
  if (!slices_) return sent;
  return {sent.sm, sent.line, slices_->serve(l2_line(sent.line), sent.clk, sent.kind), sent.kind,
          sent.bytes};
}

MemorySystem::Served MemorySystem::load(const Sent& asked) {
  const Sent sent = at_slice(asked);
  if (!plan_.flat() || slices_) [[unlikely]]
    return read(sent, global_);
  CacheLine* found = nullptr;
  return fetch(sent, global_, found);
}

Clk MemorySystem::extra(const Sent& sent) const {
  const Clk slice = slices_ ? slices_->distance(l2_line(sent.line)) : 0;
  if (plan_.flat()) return slice;
  const unsigned side = l2_ && plan_.has_sides() ? l2_->side(l2_line(sent.line)) : 0;
  return slice + plan_.extra(sent.sm, sent.line << line_shift_, side);
}

MemorySystem::Served MemorySystem::read(const Sent& sent, Latency latency) {
  if (l2_ && plan_.copies()) [[unlikely]] {
    const unsigned side = plan_.side(sent.sm);
    if (side != l2_->side(l2_line(sent.line))) return read_copy(sent, latency, side);
  }
  CacheLine* found = nullptr;
  const Clk more = extra(sent) + crossing(sent);
  return fetch(sent, {latency.to_l2 + more, latency.to_dram + more}, found);
}

// What a request waits for those before it between the partitions. For a copy its sector comes.
Clk MemorySystem::crossing(const Sent& sent) {
  if (!l2_ || !plan_.has_sides()) return 0;
  const unsigned side = l2_->side(l2_line(sent.line));
  if (side == plan_.side(sent.sm)) return 0;
  if (listener_) [[unlikely]]
    listener_->crosses(sent.clk, sent.sm, plan_.copies() ? 1u << sector_shift_ : 1u);
  return crossings_[side].wait(std::uint64_t{1} << line_shift_, sent.clk);
}

// A store or an atomic goes to the partition that the line belongs to.
void MemorySystem::cross(const Sent& sent) const {
  if (!listener_ || !l2_ || !plan_.has_sides()) return;
  if (l2_->side(l2_line(sent.line)) != plan_.side(sent.sm))
    listener_->crosses(sent.clk, sent.sm, 1);
}

// A line of the other partition: its copy in the SM's own, which it leaves there.
MemorySystem::Served MemorySystem::read_copy(const Sent& sent, Latency latency, unsigned side) {
  const std::uint64_t line = l2_line(sent.line);
  const unsigned sector = sector_of(sent.line);
  CacheLine* copy = l2_->find_copy(line, side);
  const bool there = copy && copy->has(sector);
  tell(sent, "l2_copy", there ? Lookup::hit : Lookup::miss);
  if (there) {
    const Clk near = plan_.extra(sent.sm, sent.line << line_shift_, side) +
                     (slices_ ? slices_->distance(line) : 0);
    return {std::max(sent.clk + latency.to_l2 + near, copy->arrival(sector)) + noise_.next(),
            false};
  }
  CacheLine* home = nullptr;
  const Clk more = extra(sent) + crossing(sent);
  const Served served = fetch(sent, {latency.to_l2 + more, latency.to_dram + more}, home);
  if (copy) {
    copy->fetch_more(sector, sent.clk, served.clk);
    return served;
  }
  const Cache::Inserted inserted = l2_->insert_copy(line, side);
  ++entered_.lines;
  write_back(sent, inserted);
  inserted.line.arrived = served.clk;
  if (sector_mask_ != 0) inserted.line.fetch_first(sector, served.clk);
  return served;
}

// The line changes: a copy in the partition that is not its own is no longer true.
void MemorySystem::drop_copies(const Sent& sent) {
  if (!l2_ || !plan_.copies()) return;
  const std::uint64_t line = l2_line(sent.line);
  const unsigned other = 1 - l2_->side(line);
  const bool stores = sent.kind == Slices::Kind::store || sent.kind == Slices::Kind::partial_store;
  if (stores && plan_.keeps_copies() && plan_.side(sent.sm) == other) return;
  l2_->drop_copy(line, other);
}

Clk MemorySystem::dram_queue(const Sent& sent, const Transfer& transfer) {
  if (listener_) [[unlikely]]
    listener_->transfers(sent.clk, sent.sm, transfer.write,
                         static_cast<double>(transfer.bytes == 0 ? fill_ : transfer.bytes));
  return dram_.queue(
      l2_ ? transfer.line << (line_shift_ + l2_shift_) : transfer.line << line_shift_, sent.clk,
      transfer.write, transfer.fills, transfer.banks);
}

// Lines that come by the sector leave by the parts that were stored to, for which DRAM takes what
// their sectors take; what of these is not whole is read before. Others leave whole.
Clk MemorySystem::write_back(const Sent& sent, const Cache::Inserted& inserted) {
  if (!inserted.wrote_back()) return 0;
  const CacheLine& left = inserted.left;
  if (sector_mask_ == 0) return dram_queue(sent, {left.number(), true});
  if (const unsigned lacking = left.dirty_parts() & left.lacking_parts(); lacking != 0)
    dram_queue(sent, transfer_of(left, lacking, false));
  return dram_queue(sent, transfer_of(left, left.dirty_parts(), true));
}

MemorySystem::Transfer MemorySystem::transfer_of(const CacheLine& line, unsigned parts,
                                                 bool write) const {
  const std::uint64_t bytes =
      static_cast<unsigned>(std::popcount(parts)) * device_.l2->line / CacheLine::kParts;
  double fills = 0;
  if (device_.dram.least > 0)
    fills = std::max(static_cast<double>(bytes) / static_cast<double>(fill_), device_.dram.least);
  else
    for (unsigned sector = 0; sector <= sector_mask_; ++sector)
      fills += (parts & parts_of_sector(sector)) != 0 ? 1 : 0;
  return {line.number(), write, fills, bytes};
}

// A load of a sector that only stores have brought, and not whole.
Clk MemorySystem::fill(const Sent& sent, CacheLine& line, unsigned sector) {
  entered_.lacking -= unfinished(line);
  line.set_lacking(parts_of_sector(sector), 0);
  entered_.lacking += unfinished(line);
  return dram_queue(sent, {l2_line(sent.line)});
}

MemorySystem::Served MemorySystem::fetch(const Sent& sent, Latency latency, CacheLine*& found) {
  const Clk clk = sent.clk;
  if (!l2_) {
    const Clk refresh = dram_.refresh(sent.line, clk);
    return {clk + latency.to_dram + refresh + dram_queue(sent, {sent.line}) + noise_.next(), true};
  }
  const std::uint64_t line = l2_line(sent.line);
  const unsigned sector = sector_of(sent.line);
  found = l2_->find(line);
  if (found && (found->lacking_parts() & parts_of(sent)) != 0) [[unlikely]] {
    tell(sent, "l2", Lookup::miss);
    const Clk arrived =
        clk + latency.to_dram + dram_.refresh(line, clk) + fill(sent, *found, sector);
    found->answer(sector, arrived);
    return {arrived + noise_.next(), true};
  }
  if (found && found->has(sector)) {
    const Clk arrival = found->arrival(sector);
    tell(sent, "l2", arrival > clk ? Lookup::merged : Lookup::hit);
    return {std::max(clk + latency.to_l2, arrival) + noise_.next(), false};
  }
  if (!shared_lines_.empty()) [[unlikely]]
    if (shared_lines_.brought(sent.line, line)) return brought(sent, latency.to_l2, found);
  tell(sent, "l2", Lookup::miss);
  ++entered_.fetched;
  const Clk refresh = dram_.refresh(line, clk);
  if (found) {
    const Clk arrived = clk + latency.to_dram + refresh + dram_queue(sent, {line});
    found->fetch_more(sector, clk, arrived);
    return {arrived + noise_.next(), true};
  }
  const Cache::Inserted inserted = l2_->insert(line);
  ++entered_.lines;
  const Clk leaves = inserted.wrote_back() ? whole(device_.dram.dirty) : 0;
  write_back(sent, inserted);
  found = &inserted.line;
  const Clk arrived = clk + latency.to_dram + refresh + leaves + dram_queue(sent, {line});
  found->arrived = arrived;
  if (sector_mask_ != 0) found->fetch_first(sector, arrived);
  return {arrived + noise_.next(), true};
}

// What a block that does not run has brought: a hit, which this L2 has to take in.
MemorySystem::Served MemorySystem::brought(const Sent& sent, Clk to_l2, CacheLine*& found) {
  tell(sent, "l2", Lookup::hit);
  const Clk there = sent.clk + to_l2;
  const unsigned sector = sector_of(sent.line);
  if (found) {
    found->fetch_more(sector, sent.clk, sent.clk);
    return {there + noise_.next(), false};
  }
  const Cache::Inserted inserted = l2_->insert(l2_line(sent.line));
  ++entered_.lines;  // what it drives out, the other block's line has driven out...
  if (share_l2_) write_back(sent, inserted);  // ...of a whole L2
  found = &inserted.line;
  found->arrived = sent.clk;
  if (sector_mask_ != 0) found->fetch_first(sector, sent.clk);
  return {there + noise_.next(), false};
}

MemorySystem::Served MemorySystem::read_only(unsigned sm, std::uint64_t address, Clk clk,
                                             std::optional<Clk> to_l2, Clk to_dram) {
  const Sent sent{sm, address >> std::countr_zero(device_.coalescer_line), clk};
  if (!l2_ || !to_l2)
    return {clk + to_dram + extra(sent) +
                dram_queue(sent, {.line = l2_ ? l2_line(sent.line) : sent.line, .banks = false}) +
                noise_.next(),
            true};
  return read(sent, {*to_l2, to_dram});
}

/// Of the line of L2, what a request is for: all, where lines have no sectors.
unsigned MemorySystem::parts_of(const Sent& sent) const {
  constexpr unsigned kAll = (1u << CacheLine::kParts) - 1;
  if (sector_mask_ == 0) return kAll;
  const unsigned requests = 1u << l2_shift_, at = static_cast<unsigned>(sent.line) & (requests - 1);
  if (requests >= CacheLine::kParts) return 1u << at * CacheLine::kParts / requests;
  const unsigned each = CacheLine::kParts / requests;
  return ((1u << each) - 1) << at * each;
}

unsigned MemorySystem::parts_of_sector(unsigned sector) const {
  const unsigned sectors = sector_mask_ + 1;
  if (sectors >= CacheLine::kParts) return 1u << sector * CacheLine::kParts / sectors;
  const unsigned each = CacheLine::kParts / sectors;
  return ((1u << each) - 1) << sector * each;
}

// A line that was loaded before it is stored to leaves as one that was stored to at once.
void MemorySystem::stored_to(const Sent& sent, CacheLine& line) {
  make_dirty(line, parts_of(sent));
}

void MemorySystem::make_dirty(CacheLine& line, unsigned parts) {
  if (!line.dirty()) ++entered_.dirty;
  entered_.parts += static_cast<std::uint64_t>(std::popcount(parts & ~line.dirty_parts()));
  line.set_dirty(parts);
}

/// Of the line's dirty parts, how many are not whole.
std::uint64_t MemorySystem::unfinished(const CacheLine& line) {
  return static_cast<std::uint64_t>(std::popcount(line.dirty_parts() & line.lacking_parts()));
}

// What a store brings of a part that memory has not: what no store has brought is lacking.
void MemorySystem::take_part(const Sent& sent, CacheLine& line, bool sector_is_new) {
  if (!device_.l2_fills || sector_mask_ == 0) return;
  constexpr unsigned kEighths = CacheLine::kWhole;
  const unsigned parts = parts_of(sent);
  const auto part_bytes = static_cast<unsigned>(device_.l2->line / CacheLine::kParts);
  if (sector_is_new) line.set_lacking(parts_of_sector(sector_of(sent.line)), kEighths);
  const unsigned lacks = line.lacks(static_cast<unsigned>(std::countr_zero(parts)));
  const unsigned brought =
      sent.bytes == 0 ? kEighths : (sent.bytes * kEighths + part_bytes - 1) / part_bytes;
  line.set_lacking(parts, lacks - std::min(lacks, brought));
}

// A store allocates its line in L2 without reading it from DRAM: L2 keeps track of the bytes.
MemorySystem::Served MemorySystem::store(const Sent& asked) {
  const Sent sent = at_slice(asked);
  const Clk clk = sent.clk, more = extra(sent), to_l2 = global_.to_l2 + more;
  if (!l2_) return {clk + global_.to_dram + more + dram_queue(sent, {sent.line, true}), true};
  cross(sent);
  drop_copies(sent);
  if (atomic_units_) atomic_units_->store(sent.line, clk);
  Clk queued = 0;
  const unsigned sector = sector_of(sent.line);
  CacheLine* found = l2_->find(l2_line(sent.line));
  const bool there = found && found->has(sector);
  tell(sent, "l2", there ? Lookup::hit : Lookup::miss);
  SharedLines::Stored others;
  if (!found) {
    if (!shared_lines_.empty()) [[unlikely]]
      others = shared_lines_.stored(sent.line, l2_line(sent.line));
    if (others.elsewhere) return {clk + to_l2, false};
    const Cache::Inserted inserted = l2_->insert(l2_line(sent.line));
    ++entered_.lines;
    queued = write_back(sent, inserted);
    found = &inserted.line;
    found->arrived = clk + to_l2;
    if (sector_mask_ != 0) found->fetch_first(sector, found->arrived);
  } else if (!there) {
    found->fetch_more(sector, clk, clk + to_l2);
  }
  entered_.lacking -= unfinished(*found);
  take_part(sent, *found, !there);
  stored_to(sent, *found);
  if (others.of_others) [[unlikely]] {
    make_dirty(*found, others.of_others->stored_mask());
    if (device_.l2_fills) found->set_lacking(others.of_others->lacking_mask(), 1);
  }
  entered_.lacking += unfinished(*found);
  return {clk + to_l2 + queued, false};
}

void MemorySystem::add_to_store(const Sent& sent) {
  CacheLine* const found = l2_ ? l2_->find(l2_line(sent.line)) : nullptr;
  if (!found) return;
  entered_.lacking -= unfinished(*found);
  take_part(sent, *found, false);
  entered_.lacking += unfinished(*found);
}

// L2 does the lanes of one line one after another, a clock each; without L2 the memory does. Where
// the device says what atomics take of L2's units, they wait for each other, whoever sent them.
MemorySystem::Served MemorySystem::atomic(const Sent& asked, const AtomicUnits::Lanes& lanes) {
  const Sent sent = at_slice(asked);
  CacheLine* found = nullptr;
  const Clk more = extra(sent);
  cross(sent);
  if (listener_ && lanes.same > 1) listener_->replays(sent.clk, sent.sm, "atomics", lanes.same - 1);
  drop_copies(sent);
  Served served = fetch(sent, {global_.to_l2 + more, global_.to_dram + more}, found);
  if (found) stored_to(sent, *found);
  if (atomic_units_ && found) {
    served.clk += atomic_units_->wait(sent.line, sent.clk, lanes);
    return served;
  }
  served.clk += lanes.all - 1;
  if (found) found->arrived = std::max(found->arrived, sent.clk + lanes.all - 1);
  return served;
}

}  // namespace gpx::vgpu::timing
