// Scoreboard: when each register of an SM's warps can be read, and how many loads a warp has in
// flight.
//
// The end of a memory access is not known before a load/store pipeline has taken it. Until then its
// registers hold a token, which is later than any clock; resolve() replaces it.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/exec/sass/step.h"

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

  /// `boards`: of machine code, whose registers are their places.
  void start_launch(unsigned registers, std::span<const exec::sass::Board> boards = {}) {
    registers_ = std::max(1u, registers);
    ready_.resize(std::max(ready_.size(), std::size_t{slots_} * registers_));
    boards_.assign(boards.begin(), boards.end());
    board_of_.assign(boards_.empty() ? 0 : registers_, 0);
    for (std::size_t k = 0; k < boards_.size(); ++k)
      std::fill_n(board_of_.begin() + boards_[k].first, boards_[k].places,
                  static_cast<std::uint8_t>(k));
    latest_.resize(boards_.empty() ? 0 : std::size_t{slots_} * kBoards);
    tokens_ = 0;
  }
  void start_warp(unsigned slot) {
    std::fill_n(ready_.begin() + std::size_t{slot} * registers_, registers_, 0);
    if (!boards_.empty()) std::fill_n(latest_.begin() + slot * kBoards, kBoards, 0);
    std::fill_n(in_flight_.begin() + std::size_t{slot} * loads_, loads_, 0);
    issued_[slot] = 0;
    copied_[slot] = 0;
  }

  /// Registers of the frame that begins with register `base`.
  struct Registers {
    const std::uint16_t *first = nullptr, *end = nullptr;
    unsigned base = 0;
  };

  /// `written`: the first place that the warp's next instruction writes; nullptr: not known, or
  /// none.
  [[gnu::always_inline]] void expect(unsigned slot, const std::uint16_t* written) const {
    constexpr std::size_t kLine = 64 / sizeof(Clk);
    const Clk* const row = row_of(slot);
    if (boards_.empty()) {
      __builtin_prefetch(row);
      __builtin_prefetch(row + kLine);
      return;
    }
    __builtin_prefetch(&latest_[slot * kBoards]);
    if (written) __builtin_prefetch(row + *written);
  }
  /// When all of them are ready; a token: not known yet.
  [[gnu::always_inline]] Clk latest(unsigned slot, const Registers& registers) const {
    const Clk* const row = row_of(slot);
    Clk at = 0;
    for_places(registers, [&](unsigned place) { at = std::max(at, row[place]); });
    return at;
  }
  /// Of places of scoreboards; `least`, where none of them is later: they are not looked at then.
  [[gnu::always_inline]] Clk latest_behind(unsigned slot, const Registers& places,
                                           Clk least) const {
    Clk at = least;
    for (const std::uint16_t* each = places.first; each != places.end; ++each)
      if (latest_[slot * kBoards + board_of_[*each]] > at) at = std::max(at, row_of(slot)[*each]);
    return at;
  }
  /// The same of all places of these scoreboards, a bit each.
  [[gnu::always_inline]] Clk latest_of(unsigned slot, unsigned boards) const {
    const Clk* const row = latest_.data() + slot * kBoards;
    Clk at = 0;
    for (; boards != 0; boards &= boards - 1) at = std::max(at, row[std::countr_zero(boards)]);
    return at;
  }
  void write(unsigned slot, const Registers& registers, Clk at) {
    Clk* const row = row_of(slot);
    for_places(registers, [&](unsigned place) { set(slot, row, place, at); });
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
    if (token <= copied_[slot]) {
      std::replace(row, row + registers_, token, at);
      for (std::size_t k = 0; k < boards_.size(); ++k) look_at_places(slot, row, k);
    } else {
      for_places(registers, [&](unsigned place) {
        if (row[place] == token) set(slot, row, place, at);
      });
    }
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
  // A scoreboard is as late as the latest of its places: where that one comes earlier now, all are
  // looked at. Else no place is read, which the host's caches may not have.
  [[gnu::always_inline]] void set(unsigned slot, Clk* row, unsigned place, Clk at) {
    if (boards_.empty()) {
      row[place] = at;
      return;
    }
    const unsigned k = board_of_[place];
    Clk& latest = latest_[slot * kBoards + k];
    if (at >= latest) {
      row[place] = latest = at;
    } else if (std::exchange(row[place], at) == latest) {
      look_at_places(slot, row, k);
    }
  }
  void look_at_places(unsigned slot, const Clk* row, std::size_t k) {
    const Clk* const first = row + boards_[k].first;
    Clk& latest = latest_[slot * kBoards + k] = 0;
    for (unsigned i = 0; i < boards_[k].places; ++i) latest = std::max(latest, first[i]);
  }
  std::size_t place(unsigned slot) const {
    return std::size_t{slot} * loads_ + issued_[slot] % loads_;
  }

  static constexpr std::size_t kBoards = 8;  // six, in one line of the host's caches

  unsigned slots_, loads_;
  unsigned registers_ = 0;
  std::vector<Clk> ready_;      // by warp slot and register
  std::vector<Clk> in_flight_;  // by warp slot: a ring of its last loads
  std::vector<std::uint64_t> issued_;
  std::vector<exec::sass::Board> boards_;
  std::vector<std::uint8_t> board_of_;  // by place
  std::vector<Clk> latest_;             // by warp slot and scoreboard
  std::vector<Clk> copied_;             // by warp slot: the last token that copy() wrote
  Clk tokens_ = 0;
};

}  // namespace gpx::vgpu::timing
