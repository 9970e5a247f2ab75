// What copies and mbarriers share: operands of a lane, bytes behind addresses, the mbarrier itself.
//
// An mbarrier is a word of 64 bits that only these instructions understand: from bit 0 on 20 bits
// of arrivals that the phase still expects, 20 of those that each phase expects, the phase's
// parity, and 22 of bytes that were announced and have not come, a number with a sign. (PTX ISA,
// "mbarrier": a phase is over where both are 0. A state is what the word was at the arrival.)
// Covered by tests/vgpu/exec_copy_test.cpp.
#pragma once

#include <fmt/format.h>

#include "runtime/device/vgpu/exec/access.h"

namespace gpx::vgpu::exec {

inline constexpr std::uint64_t kMostArrivals = (1u << 20) - 1, kPhase = std::uint64_t{1} << 40;
inline constexpr std::int64_t kMostBytes = (1 << 20) - 1;

struct Mbarrier {
  std::uint64_t pending = 0, expected = 0;
  bool parity = false;
  std::int64_t bytes = 0;

  explicit Mbarrier(std::uint64_t word)
      : pending(word & kMostArrivals),
        expected(word >> 20 & kMostArrivals),
        parity(word & kPhase),
        bytes(static_cast<std::int64_t>(word) >> 41) {}
  std::uint64_t word() const {
    return pending | expected << 20 | (parity ? kPhase : 0) |
           static_cast<std::uint64_t>(bytes) << 41;
  }
  void settle() {
    if (pending != 0 || bytes != 0) return;
    pending = expected;
    parity = !parity;
  }
};

/// Of an operand [register + offset] in a lane.
inline std::uint64_t address_in(const Context& c, const ptx::Operand& operand, unsigned lane) {
  if (operand.index == ptx::Operand::kNoRegister) return operand.bits;
  const std::uint64_t base = c.r[operand.index][lane];
  const std::uint64_t sum = base + static_cast<std::uint64_t>(std::int64_t{operand.offset});
  return operand.count == 8 ? sum : static_cast<std::uint32_t>(sum);
}

inline std::uint64_t number_in(const Context& c, const ptx::Operand& operand, unsigned lane) {
  return operand.kind == ptx::Operand::Kind::reg ? c.r[operand.index][lane] & 0xffffffffu
                                                 : operand.bits;
}

/// nullptr after a trap.
template <class Access>
std::uint8_t* host_bytes(Context& c, Access& access, std::uint64_t address, std::uint64_t bytes,
                         std::uint64_t unit, unsigned lane) {
  if (address % unit != 0) {
    c.trap = fmt::format("address 0x{:x} is not a multiple of {} bytes, as a copy's must be",
                         address, unit);
    return nullptr;
  }
  std::uint8_t* data = access(address, static_cast<unsigned>(bytes), lane);
  if (!data) c.trap = access.error(address);
  return data;
}

/// The word of an mbarrier; nullptr after a trap.
inline std::uint8_t* mbarrier_bytes(Context& c, std::uint64_t address, unsigned lane,
                                    bool cluster) {
  SharedAccess shared(c, cluster);
  return host_bytes(c, shared, address, 8, 8, lane);
}

/// Changes the mbarrier at an address. False after a trap. `cluster`: of any
/// block of the cluster.
template <class Change>
bool change_mbarrier(Context& c, std::uint64_t address, unsigned lane, Change&& by,
                     bool cluster = false) {
  std::uint8_t* data = mbarrier_bytes(c, address, lane, cluster);
  if (!data) return false;
  std::uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  Mbarrier barrier(word);
  by(barrier);
  barrier.settle();
  if (barrier.bytes > kMostBytes || barrier.bytes < -kMostBytes) {
    c.trap = fmt::format("the mbarrier 0x{:x} expects {} bytes: at most {}", address, barrier.bytes,
                         kMostBytes);
    return false;
  }
  write_element(c, data, barrier.word());
  return true;
}

}  // namespace gpx::vgpu::exec
