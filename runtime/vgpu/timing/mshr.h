// Mshr: the miss status holding registers of an SM.
//
// An entry follows one line on its way from L2 and remembers up to `merges` lanes that wait for it.
// Lanes beyond that take further entries. Without a free entry a request waits for the earliest
// release. Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/vgpu/timing/description.h"
#include "runtime/vgpu/timing/releases.h"

namespace gpx::vgpu::timing {

class Mshr {
 public:
  explicit Mshr(const Description::Mshr& mshr) : merges_(mshr.merges), table_(mshr.entries) {
    std::size_t slots = 16;
    while (slots < 4 * std::size_t{mshr.entries}) slots *= 2;
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

  /// Books the entry that admit() gave.
  void book(std::uint64_t line, unsigned lanes, Clk returned, Clk release) {
    table_.take(release);
    if (merges_ > 1) insert({line, returned, release, lanes, epoch_});
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
  // A line that is not among the few slots after its home is not found: it is then fetched again,
  // as if its entry could not be merged with.
  static constexpr std::size_t kProbes = 8;

  Pending* find(std::uint64_t line) {
    for (std::size_t i = 0; i < kProbes; ++i) {
      Pending& slot = pending_[(home(line) + i) & (pending_.size() - 1)];
      if (slot.epoch == epoch_ && slot.line == line) return &slot;
    }
    return nullptr;
  }

  void insert(const Pending& entry) {
    Pending* victim = nullptr;
    for (std::size_t i = 0; i < kProbes; ++i) {
      Pending& slot = pending_[(home(entry.line) + i) & (pending_.size() - 1)];
      if (slot.epoch != epoch_ || slot.line == entry.line) {
        slot = entry;
        return;
      }
      if (!victim || slot.release < victim->release) victim = &slot;
    }
    *victim = entry;
  }

  unsigned merges_;
  Releases table_;
  std::vector<Pending> pending_;
  std::uint32_t epoch_ = 1;
};

}  // namespace gpx::vgpu::timing
