// Mshr: the miss status holding registers of an SM.
//
// An entry follows one line on its way from L2 and remembers up to `merges` lanes that wait for it.
// Lanes beyond that take further entries. Without a free entry a request waits for the earliest
// release. Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/memory/releases.h"

namespace gpx::vgpu::timing {

class Mshr {
 public:
  explicit Mshr(const Description::Mshr& mshr) : merges_(mshr.merges), table_(mshr.entries) {
    std::size_t slots = 16;
    while (slots < 8 * std::size_t{mshr.entries}) slots *= 2;
    pending_.resize(slots);
  }

  /// A new launch: nothing is pending.
  void clear() {
    table_.clear();
    ++epoch_;
  }

  /// How many of `lanes` join the entry that already waits for `line` at `clk`; `returned` becomes
  /// the clock at which that line returns.
  unsigned merge(std::uint64_t line, unsigned lanes, Clk clk, Clk& returned) {
    Pending* pending = find(line);
    if (!pending || pending->release <= clk) return 0;
    const unsigned joined = std::min<unsigned>(lanes, merges_ - pending->lanes);
    pending->lanes += joined;
    if (joined != 0) returned = pending->returned;
    return joined;
  }

  /// When a request that is ready at `clk` gets an entry.
  Clk admit(Clk clk) { return table_.wait(clk); }

  /// Lanes that one entry can hold.
  unsigned merges() const { return merges_; }

  /// Books the entry that admit() gave at `clk`.
  void book(std::uint64_t line, unsigned lanes, Clk clk, Clk returned, Clk release) {
    table_.take(release);
    if (merges_ > 1) insert({line, returned, release, lanes, epoch_}, clk);
  }

 private:
  struct Pending {
    std::uint64_t line = 0;
    Clk returned = 0, release = 0;
    unsigned lanes = 0;
    std::uint32_t epoch = 0;
  };

  std::size_t home(std::uint64_t line) const {
    return (line * 0x9e3779b97f4a7c15ull >> 32) & (pending_.size() - 1);
  }
  // A line that is not among the few slots after its home is fetched again, as if its entry could
  // not be merged with. At most one slot in eight is pending, so that is rare.
  static constexpr std::size_t kProbes = 4;

  Pending& probe(std::uint64_t line, std::size_t i) {
    return pending_[(home(line) + i) & (pending_.size() - 1)];
  }

  Pending* find(std::uint64_t line) {
    for (std::size_t i = 0; i < kProbes; ++i) {
      Pending& slot = probe(line, i);
      if (slot.line == line && slot.epoch == epoch_) return &slot;
    }
    return nullptr;
  }

  void insert(const Pending& entry, Clk clk) {
    Pending* chosen = find(entry.line);
    for (std::size_t i = 0; !chosen && i < kProbes; ++i) {
      Pending& slot = probe(entry.line, i);
      if (slot.epoch != epoch_ || slot.release <= clk) chosen = &slot;
    }
    if (!chosen) chosen = &probe(entry.line, 0);
    *chosen = entry;
  }

  unsigned merges_;
  Releases table_;
  std::vector<Pending> pending_;
  std::uint32_t epoch_ = 1;
};

}  // namespace gpx::vgpu::timing
