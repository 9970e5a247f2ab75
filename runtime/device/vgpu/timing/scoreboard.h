// Scoreboard: when each register of an SM's warps can be read, and how many loads a warp has in
// flight.
//
// The end of a memory access is not known before a load/store pipeline has taken it. Until then its
// registers hold a token, which is later than any clock; resolve() replaces it.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

class Scoreboard {
 public:
  /// Values from here on are tokens.
  static constexpr Clk kToken = Clk{1} << 62;

  /// `loads`: how many a warp may have in flight; 0: no limit.
  Scoreboard(unsigned slots, unsigned loads) : slots_(slots), loads_(loads) {
    in_flight_.resize(std::size_t{slots} * loads);
    issued_.resize(slots);
    copied_.resize(slots);
  }

  void start_launch(unsigned registers) {
    registers_ = std::max(1u, registers);
    ready_.resize(std::max(ready_.size(), std::size_t{slots_} * registers_));
    tokens_ = 0;
  }
  void start_warp(unsigned slot) {
    std::fill_n(ready_.begin() + std::size_t{slot} * registers_, registers_, 0);
    std::fill_n(in_flight_.begin() + std::size_t{slot} * loads_, loads_, 0);
    issued_[slot] = 0;
    copied_[slot] = 0;
  }

  /// Registers of the frame that begins with register `base`.
  struct Registers {
    const std::uint16_t *first = nullptr, *end = nullptr;
    unsigned base = 0;
  };

  [[gnu::always_inline]] void expect(unsigned slot) const {
    constexpr std::size_t kLine = 64 / sizeof(Clk);
    const Clk* const row = row_of(slot);
    __builtin_prefetch(row);
    __builtin_prefetch(row + kLine);
  }
  /// When all of them are ready; a token: not known yet.
  [[gnu::always_inline]] Clk latest(unsigned slot, const Registers& registers) const {
    const Clk* const row = row_of(slot);
    Clk at = 0;
    for_places(registers, [&](unsigned place) { at = std::max(at, row[place]); });
    return at;
  }
  void write(unsigned slot, const Registers& registers, Clk at) {
    Clk* const row = row_of(slot);
    for_places(registers, [&](unsigned place) { row[place] = at; });
  }
  /// The same of an instruction that hands on what it reads: of a token there is one more.
  void copy(unsigned slot, const Registers& registers, Clk at) {
    write(slot, registers, at);
    if (at >= kToken) copied_[slot] = std::max(copied_[slot], at);
  }

  Clk new_token() { return kToken + tokens_++; }

  /// When the warp may issue its next load: the oldest of the last `loads` must have returned.
  Clk load_slot(unsigned slot) const { return loads_ == 0 ? 0 : in_flight_[place(slot)]; }
  /// The warp issued a load that returns at `at`, or is known by that token.
  void issue_load(unsigned slot, Clk at) {
    if (loads_ != 0) in_flight_[place(slot)] = at;
    ++issued_[slot];
  }

  /// What the token stands for is now known to be ready at `at`. `registers`: that were written
  /// with it.
  void resolve(unsigned slot, Clk token, Clk at, const Registers& registers) {
    Clk* const row = row_of(slot);
    if (token <= copied_[slot])
      std::replace(row, row + registers_, token, at);
    else
      for_places(registers, [&](unsigned place) {
        if (row[place] == token) row[place] = at;
      });
    const auto first = in_flight_.begin() + std::size_t{slot} * loads_;
    std::replace(first, first + loads_, token, at);
  }

 private:
  const Clk* row_of(unsigned slot) const { return &ready_[std::size_t{slot} * registers_]; }
  Clk* row_of(unsigned slot) { return &ready_[std::size_t{slot} * registers_]; }
  // The entry's frame has a place for each register. Frames of a recursion share what is beyond the
  // last one.
  template <class Use>
  [[gnu::always_inline]] void for_places(const Registers& registers, Use use) const {
    if (registers.base == 0) [[likely]]
      for (const std::uint16_t* each = registers.first; each != registers.end; ++each) use(*each);
    else
      for (const std::uint16_t* each = registers.first; each != registers.end; ++each)
        use(std::min(registers.base + *each, registers_ - 1));
  }
  std::size_t place(unsigned slot) const {
    return std::size_t{slot} * loads_ + issued_[slot] % loads_;
  }

  unsigned slots_, loads_;
  unsigned registers_ = 0;
  std::vector<Clk> ready_;      // by warp slot and register
  std::vector<Clk> in_flight_;  // by warp slot: a ring of its last loads
  std::vector<std::uint64_t> issued_;
  std::vector<Clk> copied_;  // by warp slot: the last token that copy() wrote
  Clk tokens_ = 0;
};

}  // namespace gpx::vgpu::timing
