// The way of a request from an SM to memory and back: L1, MSHR or PRT, translation, L2, DRAM.
//
// MemorySystem is what all SMs share, with the levels of the read-only hierarchies and the TLBs
// wherever they are; MemoryPath is what each SM has. A component is passed the clock and answers
// with a clock; none waits. Covered by tests/vgpu/timing_test.cpp and hierarchy_test.cpp.
#pragma once

#include <array>
#include <optional>

#include "runtime/device/vgpu/events.h"
#include "runtime/device/vgpu/exec/coalescing.h"
#include "runtime/device/vgpu/memory/atomic_units.h"
#include "runtime/device/vgpu/memory/cache.h"
#include "runtime/device/vgpu/memory/dram.h"
#include "runtime/device/vgpu/memory/entered.h"
#include "runtime/device/vgpu/memory/floorplan.h"
#include "runtime/device/vgpu/memory/l1.h"
#include "runtime/device/vgpu/memory/level.h"
#include "runtime/device/vgpu/memory/memory_queue.h"
#include "runtime/device/vgpu/memory/mshr.h"
#include "runtime/device/vgpu/memory/noise.h"
#include "runtime/device/vgpu/memory/prt.h"
#include "runtime/device/vgpu/memory/shared_lines.h"
#include "runtime/device/vgpu/memory/slices.h"
#include "runtime/device/vgpu/memory/store_buffer.h"
#include "runtime/device/vgpu/memory/sweep.h"
#include "runtime/device/vgpu/memory/tlb.h"

namespace gpx::vgpu::timing {

/// L2 and DRAM, and all other caches but the L1s of data.
class MemorySystem {
 public:
  explicit MemorySystem(const Description& device);

  /// Told of what happens here and in what is built on it; nullptr: nobody is.
  void set_listener(Listener* listener) { listener_ = listener; }
  Listener* listener() const { return listener_; }

  /// All is empty.
  void start_job();
  /// Another process has run: all caches but L2 are empty.
  void forget();
  /// The texture caches are empty, and no page table is active. What is said here fixes the noise
  /// and the caches' random choices.
  /// `share`: of all SMs that have blocks, the part that is simulated.
  void start_launch(std::uint64_t job_seed, std::uint64_t launch, double share = 1);
  /// From the next launch on those who are simulated have a part of L2, too, or all of it. It is
  /// empty then, if that is another one.
  void share_l2(bool shared) { share_l2_ = shared; }
  /// What some SMs share of the constants' levels: of those that have blocks, some are simulated.
  void share_constants(std::span<const unsigned> simulated, std::span<const unsigned> active) {
    for (Placed& level : constant_) level.share(simulated, active);
  }
  std::uint64_t seed() const { return seed_; }

  struct Served {
    Clk clk = 0;  ///< When the reply reaches the SM.
    bool dram = false;
  };
  /// What an SM sends at `clk`. `line`: of the coalescer.
  struct Sent {
    unsigned sm;
    std::uint64_t line;
    Clk clk;
    Slices::Kind kind = Slices::Kind::load;
    unsigned bytes = 0;  ///< That a store has for it, of a line that it does not fill.
  };
  /// What follows is of another access of a warp.
  void start_access() {
    if (slices_) slices_->start_access();
  }
  Served load(const Sent& sent);
  /// load() follows.
  [[gnu::always_inline]] void expect(std::uint64_t line, unsigned sm) const {
    if (!l2_) return;
    l2_->expect(l2_line(line));
    if (plan_.copies()) l2_->expect_copy(l2_line(line), plan_.side(sm));
  }
  /// When a store or an atomic is done in L2 (and in DRAM, where a line must leave).
  Served store(const Sent& sent);
  /// More bytes of a store that has been sent and departs later.
  void add_to_store(const Sent& sent);
  Served atomic(const Sent& sent, const AtomicUnits::Lanes& lanes);
  /// Clocks that so many bytes of a bulk copy wait for those of other SMs, between them and L2.
  Clk bulk_queue(std::uint64_t bytes, Clk clk, bool store) {
    return (store ? bulk_stores_ : bulk_loads_).wait(bytes, clk);
  }
  /// From the SM to L2 and back where that is nearest, as load() and store() count it; to DRAM,
  /// where there is no L2.
  Clk nearest() const { return l2_ ? global_.to_l2 : global_.to_dram; }
  /// Extra clocks of where the SM is and where the address is served.
  Clk extra(const Sent& sent) const;
  /// What a read-only cache asks for: from L2, where `to_l2` is given, else from DRAM.
  Served read_only(unsigned sm, std::uint64_t address, Clk clk, std::optional<Clk> to_l2,
                   Clk to_dram);

  Cache* l2() { return l2_ ? &*l2_ : nullptr; }
  /// A launch that is not simulated has touched these lines; what had to leave took no time.
  void sweep(const std::vector<Sweep>& sweeps);
  /// Of L2, which a device has that this is asked of: others have asked for that many lines, and
  /// stored to `dirty` of them as the kernels that run here do.
  void pass(std::uint64_t lines, std::uint64_t dirty) {
    l2_->pass(lines, dirty, entered_.of_dirty());
  }
  /// Lines that have entered L2, and those in it that a store has made dirty.
  Entered entered_l2() const { return entered_; }
  Dram& dram() { return dram_; }
  SharedLines& shared_lines() { return shared_lines_; }
  Noise& noise() { return noise_; }

  Tlb tlb(unsigned sm);
  Tlb texture_tlb(unsigned sm);
  const Placed& constant(std::size_t level) const { return constant_[level]; }
  const Placed& instruction(std::size_t level) const;
  const Placed& texture(std::size_t level) const { return texture_[level]; }
  /// Extra clocks of what leaves the SM's TPC, there and back.
  Clk interconnect_offset(unsigned sm) const;

 private:
  struct Latency {
    Clk to_l2, to_dram;
  };
  Served read(const Sent& sent, Latency latency);
  Served read_copy(const Sent& sent, Latency latency, unsigned side);
  Served fetch(const Sent& sent, Latency latency, CacheLine*& found);
  void drop_copies(const Sent& sent);
  void stored_to(const Sent& sent, CacheLine& line);
  unsigned parts_of(const Sent& sent) const;
  unsigned parts_of_sector(unsigned sector) const;
  void cross(const Sent& sent) const;
  /// What departs in the queue of DRAM for a line of L2.
  struct Transfer {
    std::uint64_t line;
    bool write = false;
    double fills = 1;         // whose time it takes
    std::uint64_t bytes = 0;  // that are counted; 0: `fill_`
    bool banks = true;        // it waits for banks of DRAM, where the device has them
  };
  Transfer transfer_of(const CacheLine& line, unsigned parts, bool write) const;
  Clk dram_queue(const Sent& sent, const Transfer& transfer);
  Clk fill(const Sent& sent, CacheLine& line, unsigned sector);
  void take_part(const Sent& sent, CacheLine& line, bool sector_is_new);
  void make_dirty(CacheLine& line, unsigned parts);
  static std::uint64_t unfinished(const CacheLine& line);
  Sent at_slice(const Sent& sent);
  Clk crossing(const Sent& sent);
  Clk write_back(const Sent& sent, const Cache::Inserted& inserted);
  Served brought(const Sent& sent, Clk to_l2, CacheLine*& found);
  void touch(std::uint64_t line, std::optional<DirtyParts> written);
  void tell(const Sent& sent, std::string_view level, Lookup outcome) const {
    if (listener_) [[unlikely]]
      listener_->looks_up(sent.clk, sent.sm, level, outcome);
  }
  using Tlbs = std::array<Placed, std::tuple_size_v<Tlb::Levels>>;
  static Tlb::Levels levels_of(const Tlbs& tlbs, unsigned sm);
  template <class Use>
  void for_levels(Use use);
  std::uint64_t l2_line(std::uint64_t line) const { return line >> l2_shift_; }
  unsigned sector_of(std::uint64_t line) const {
    return static_cast<unsigned>(line >> sector_shift_) & sector_mask_;
  }

  const Description& device_;
  Listener* listener_ = nullptr;
  Entered entered_;
  SharedLines shared_lines_;
  std::optional<Cache> l2_;
  std::optional<Slices> slices_;
  std::optional<AtomicUnits> atomic_units_;
  std::array<Port, 2> crossings_;  // from each partition to the SMs of the other one
  std::uint64_t fill_;             // bytes that DRAM reads at once
  Dram dram_;
  Port bulk_loads_, bulk_stores_;
  Noise noise_;
  Floorplan plan_;
  unsigned line_shift_;  // from a line of the coalescer to an address
  PageWindow window_, texture_window_;
  std::array<Placed, 3> constant_, instruction_;
  std::array<Placed, 2> texture_;
  Tlbs tlb_, texture_tlb_;
  unsigned l2_shift_ = 0;  // from a line of the coalescer to one of L2
  unsigned sector_shift_ = 0, sector_mask_ = 0;
  Latency global_{};  // there and back, without what the load/store unit adds
  std::uint64_t seed_ = 0;
  bool share_l2_ = false;
  bool copied_ = false;  // the last line of a sweep
};

/// What a load/store pipeline did with one access.
struct Done {
  Clk pipeline_free = 0;  ///< When the pipeline can start the next access.
  Clk complete = 0;       ///< Load, atomic: registers ready. Store: the memory has it.
};

class MemoryPath {
 public:
  MemoryPath(const Description& device, MemorySystem& system, unsigned sm = 0);

  /// L1 is empty and nothing is in flight: so every launch begins. `sms`: how many have blocks.
  /// `l1_data`: bytes of data that L1 has, of those that it divides with shared memory; 0: it
  /// divides none.
  void start_launch(unsigned sms = 1, std::uint64_t l1_data = 0);
  void empty_l1() {
    if (l1_) l1_->invalidate();
  }

  /// When a load that a pipeline has at `clk` may begin: at `clk`, or when it is to be asked again.
  Clk load_from(const Requests& requests, Clk clk, bool bypass_l1);
  /// A load that may begin now. What is asked of L2 and DRAM is asked in the order of time: a load
  /// that waited for an entry of the PRT would else keep the requests behind it from DRAM.
  Done load(const Requests& requests, Clk begin, bool bypass_l1);
  /// `keeps`: L1 has what is stored, as it is in local memory.
  Done store(const Requests& requests, Clk clk, bool keeps = false);
  /// Of a store that is issued at `clk`, which then waits for a pipeline.
  StoreBuffer::Admitted admit_store(const Requests& requests, Clk clk, unsigned partition = 0) {
    if (!stores_) return {clk, clk};
    return stores_->admit(clk, partial_lines(requests), requests.count, partition);
  }
  /// The same of a store that keeps the banks of shared memory for so long.
  StoreBuffer::Admitted admit_shared_store(double busy, Clk clk, unsigned partition) {
    if (!stores_) return {clk, clk};
    return stores_->admit_shared(clk, busy, partition);
  }
  bool queues_shared_stores() const { return stores_ && stores_->has_queue(); }
  Done atomic(const Requests& requests, Clk clk);
  /// When the registers can be read of a reduction, of which nothing returns, that is issued at
  /// `clk`.
  Clk admit_reduction(const Requests& requests, Clk clk);
  /// Clocks that the bytes of a part of a bulk copy, sent at `clk`, are later than those of the
  /// nearest L2. They pass by L1 and by what spaces the requests of the load/store pipelines.
  /// `reduces`: a store that is added to what is there, so many elements of a request at once.
  Clk bulk(const exec::Range& part, Clk clk, bool store,
           const std::optional<AtomicUnits::Lanes>& reduces = std::nullopt);
  /// What a lane reads of L1 or what is behind it, past the load/store pipelines: a unified
  /// texture.
  Clk read(std::uint64_t address, Clk clk);

 private:
  struct Reply {
    Clk sent = 0;  // when the request left the pipeline
    Clk returned = 0;
    bool dram = false;
    bool missed = false;  // L1 did not have it yet
  };
  /// Request `i` of an access, sent at `clk`.
  Reply request(const Requests& requests, unsigned i, Clk clk, bool bypass_l1);
  Reply beyond_l1(const Requests& requests, unsigned i, Clk clk);
  Reply through_mshr(const Requests& requests, unsigned i, Clk clk);
  MemorySystem::Served send(const Requests& requests, unsigned i, Clk clk);
  Clk departure(const Requests& requests, unsigned i, Clk clk);
  Clk atomic_turn(const Requests& requests, unsigned i, Clk clk, bool new_line);
  double atomic_clocks(const Requests& requests, unsigned i, double lane) const;
  // Translation comes first, but what it takes is known only with what serves the data.
  Clk translated(const MemorySystem::Sent& sent, MemorySystem::Served served) {
    if (!tlb_) return served.clk + offset_;
    const Extra extra = tlb_->look_up(sent.line << line_shift_, sent.clk, sm_, system_.listener());
    return served.clk + offset_ + (served.dram ? extra.dram : extra.l2);
  }
  void tell(Clk clk, std::string_view level, Lookup outcome) const {
    if (Listener* listener = system_.listener()) [[unlikely]]
      listener->looks_up(clk, sm_, level, outcome);
  }
  void tell_replays(Clk clk, const Requests& requests) const {
    if (Listener* listener = system_.listener()) [[unlikely]]
      listener->replays(clk, sm_, "global", requests.count - 1);
  }
  bool joins_store(const Requests& requests, Clk clk);
  void store_in_l1(const Requests& requests, unsigned i, Clk clk, bool keeps);
  void keep_part_in_l1(const Requests& requests, unsigned i, Clk clk);
  void keep_in_l1(const Requests& requests, unsigned i, Clk clk);
  bool all_in_l1(const Requests& requests, Clk clk) const;
  bool is_partial(const Requests& requests, unsigned i) const {
    return requests.bytes_of[i] >> line_shift_ == 0;
  }
  unsigned partial_lines(const Requests& requests) const;
  std::uint64_t l1_line(std::uint64_t line) const { return line >> l1_shift_; }
  unsigned sector_of(std::uint64_t line) const {
    return static_cast<unsigned>(line >> sector_shift_) & sector_mask_;
  }

  MemorySystem& system_;
  std::optional<L1> l1_;
  std::optional<MemoryQueue> queue_;
  std::optional<StoreBuffer> stores_;
  std::optional<Mshr> mshr_;
  std::optional<Prt> prt_;
  std::optional<Tlb> tlb_;
  unsigned sm_;
  unsigned line_shift_;    // from a line of the coalescer to an address
  unsigned l1_shift_ = 0;  // from a line of the coalescer to one of L1
  unsigned sector_shift_ = 0, sector_mask_ = 0;
  Clk to_l1_ = 0;
  Extra l1_miss_;
  Clk offset_;  // of the interconnect
  std::optional<Description::Atomics> atomics_;
  double atomic_free_ = 0;   // when the SM has done the atomics before; fractions carry over
  double atomic_burst_ = 0;  // the same at double rate
  double reduced_ = 0;       // when those without a result are done that were issued
  Room reductions_;
  double lookup_ = 0;  // of a line in L1
  unsigned tag_banks_ = 1;
  double missed_ = 0;          // of one that is not there
  bool keeps_stores_ = false;  // L1, of global memory
  double per_byte_ = 0;        // clocks in which L1 hands over a byte
  double split_;               // more clocks to the result of a load for each further line
  double writeback_per_lane_;
  std::array<Clk, exec::kWarpSize + 1> issue_;  // clocks until that many lanes are coalesced
};

}  // namespace gpx::vgpu::timing
