// Asynchronous copies and the mbarriers that tell of their end. Interface: copy_handler in
// decode.h. Covered by tests/vgpu/exec_copy_test.cpp.
//
// A copy is done where it is issued: a program that reads its data without a wait reads them too
// early on a GPU only. When a wait lets go, the timing model says (timing/sm_copy.cpp).
//
// An mbarrier is a word of 64 bits that only these instructions understand: from bit 0 on 20 bits
// of arrivals that the phase still expects, 20 of those that each phase expects, the phase's
// parity, and 22 of bytes that were announced and have not come, a number with a sign. (PTX ISA,
// "mbarrier": a phase is over where both are 0. A state is what the word was at the arrival.)
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/device/vgpu/exec/access.h"
#include "runtime/device/vgpu/exec/tensor_map.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::Operand;
using ptx::OpId;

constexpr std::uint64_t kMostArrivals = (1u << 20) - 1, kPhase = std::uint64_t{1} << 40;
constexpr std::int64_t kMostBytes = (1 << 20) - 1;

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
std::uint64_t address_in(const Context& c, const Operand& operand, unsigned lane) {
  if (operand.index == Operand::kNoRegister) return operand.bits;
  const std::uint64_t base = c.r[operand.index][lane];
  const std::uint64_t sum = base + static_cast<std::uint64_t>(std::int64_t{operand.offset});
  return operand.count == 8 ? sum : static_cast<std::uint32_t>(sum);
}

std::uint64_t number_in(const Context& c, const Operand& operand, unsigned lane) {
  return operand.kind == Operand::Kind::reg ? c.r[operand.index][lane] & 0xffffffffu : operand.bits;
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

void copy_bytes(Context& c, std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes) {
  c.machine.changes += std::memcmp(to, from, bytes) != 0;
  std::memcpy(to, from, bytes);
}

/// Changes the mbarrier at an address. False after a trap.
template <class Change>
bool change_mbarrier(Context& c, std::uint64_t address, unsigned lane, Change&& by) {
  SharedAccess shared(c, false);
  std::uint8_t* data = host_bytes(c, shared, address, 8, 8, lane);
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

// Of each thread: [shared], [global], bytes.
void copy_of_threads(Context& c, const Op& op) {
  const auto& operands = op.source->operands;
  c.effect.is_load = true;
  c.effect.space = ptx::Space::global;
  c.effect.addresses = &c.machine.addresses;
  const std::uint64_t bytes = operands[2].bits;
  c.effect.bytes = static_cast<std::uint8_t>(bytes);
  GlobalAccess global(c);
  SharedAccess shared(c, false);
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t from = address_in(c, operands[1], lane);
    c.machine.addresses[lane] = from;
    const std::uint8_t* source = host_bytes(c, global, from, bytes, bytes, lane);
    if (!source) return;
    std::uint8_t* to = host_bytes(c, shared, address_in(c, operands[0], lane), bytes, bytes, lane);
    if (!to) return;
    copy_bytes(c, to, source, bytes);
  }
}

constexpr std::uint64_t kBulkUnit = 16;

// Between shared memory, which lies together, and global memory, which may not.
bool move_bytes(Context& c, std::uint64_t global, std::uint8_t* shared, std::uint64_t bytes,
                bool store) {
  auto& memory = *c.machine.memory;
  const auto count = static_cast<unsigned>(bytes);
  ++c.machine.changes;
  c.machine.ranges.push_back({global, bytes});
  if (store ? memory.write(global, shared, count) : memory.read(global, shared, count)) return true;
  c.trap = fmt::format("global addresses from 0x{:x} to 0x{:x} are not all inside one buffer",
                       global, global + bytes - 1);
  return false;
}

void begin_copies(Context& c, bool store) {
  c.machine.ranges.clear();
  c.effect.ranges = &c.machine.ranges;
  c.effect.is_store = store;
}

/// nullptr after a trap.
std::uint8_t* bulk_shared(Context& c, const Operand& operand, std::uint64_t bytes,
                          std::uint64_t unit, unsigned lane) {
  SharedAccess shared(c, false);
  return host_bytes(c, shared, address_in(c, operand, lane), bytes, unit, lane);
}

/// The bytes have come: the mbarrier is told. False after a trap.
bool arrived(Context& c, const Operand& mbarrier, std::uint64_t bytes, unsigned lane) {
  c.effect.mbarrier = address_in(c, mbarrier, lane);
  return change_mbarrier(c, c.effect.mbarrier, lane, [&](Mbarrier& barrier) {
    barrier.bytes -= static_cast<std::int64_t>(bytes);
  });
}

// load: [shared], [global], bytes, [mbarrier]; store: [global], [shared], bytes
template <bool store>
void copy_bulk(Context& c, const Op& op) {
  const auto& operands = op.source->operands;
  begin_copies(c, store);
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t bytes = number_in(c, operands[2], lane);
    const std::uint64_t global = address_in(c, operands[store ? 0 : 1], lane);
    if (bytes == 0 || bytes % kBulkUnit != 0)
      c.trap = fmt::format("a bulk copy of {} bytes: they must be a multiple of 16", bytes);
    else if (global % kBulkUnit != 0)
      c.trap =
          fmt::format("address 0x{:x} is not a multiple of 16 bytes, as a copy's must be", global);
    if (!c.trap.empty()) return;
    std::uint8_t* shared = bulk_shared(c, operands[store ? 1 : 0], bytes, kBulkUnit, lane);
    if (!shared || !move_bytes(c, global, shared, bytes, store)) return;
    c.effect.copied += static_cast<std::uint32_t>(bytes);
    if (!store && !arrived(c, operands[3], bytes, lane)) return;
  }
}

/// One row of a box: what lies outside of the tensor reads as 0 and is not written.
bool move_row(Context& c, const TensorWords& map, const std::array<std::int64_t, 5>& at,
              std::uint8_t* shared, bool store) {
  const std::uint64_t row = std::uint64_t{map.box[0]} * map.element;
  bool inside = true;
  std::uint64_t stride = map.element, address = map.address;
  for (std::size_t side = 0; side < map.sides; ++side) {
    if (side > 0) {
      inside &= at[side] >= 0 && static_cast<std::uint64_t>(at[side]) < map.extents[side];
      address += static_cast<std::uint64_t>(at[side]) * stride;
    }
    stride *= map.extents[side];
  }
  const auto extent = static_cast<std::int64_t>(map.extents[0]);
  const std::int64_t first = std::clamp<std::int64_t>(at[0], 0, extent);
  const std::int64_t last = std::clamp<std::int64_t>(at[0] + map.box[0], 0, extent);
  if (!store) std::memset(shared, 0, row);
  if (!inside || first >= last) return true;
  return move_bytes(c, address + static_cast<std::uint64_t>(first) * map.element,
                    shared + static_cast<std::uint64_t>(first - at[0]) * map.element,
                    static_cast<std::uint64_t>(last - first) * map.element, store);
}

// shared, map, of a load its mbarrier, then the box's coordinates
template <bool store>
void copy_tensor(Context& c, const Op& op) {
  const auto& operands = op.source->operands;
  constexpr std::size_t kFirst = store ? 2 : 3;
  constexpr std::uint64_t kTensorUnit = 128;
  begin_copies(c, store);
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    TensorWords map;
    const std::uint64_t place =
        operands[1].kind == Operand::Kind::reg ? c.r[operands[1].index][lane] : operands[1].bits;
    const bool known = c.machine.memory->read(place, &map, sizeof map);
    const unsigned sides = ptx::tensor_sides(ptx::id_of(*op.source));
    if (!known || map.mark != TensorWords::kMark || map.sides != sides) {
      c.trap = fmt::format("0x{:x} is no map of a tensor of {} dimensions", place, sides);
      return;
    }
    std::uint64_t bytes = map.element, rows = 1;
    for (std::size_t side = 0; side < sides; ++side) {
      bytes *= map.box[side];
      if (side > 0) rows *= map.box[side];
    }
    std::uint8_t* shared = bulk_shared(c, operands[0], bytes, kTensorUnit, lane);
    if (!shared) return;
    for (std::uint64_t row = 0; row < rows; ++row) {
      std::array<std::int64_t, 5> at = {};
      std::uint64_t left = row;
      for (std::size_t side = 0; side < sides; ++side) {
        at[side] = static_cast<std::int32_t>(number_in(c, operands[kFirst + side], lane));
        if (side == 0) continue;
        at[side] += static_cast<std::int64_t>(left % map.box[side]);
        left /= map.box[side];
      }
      if (!move_row(c, map, at, shared + row * (bytes / rows), store)) return;
    }
    c.effect.copied += static_cast<std::uint32_t>(bytes);
    c.effect.rows += static_cast<std::uint32_t>(rows);
    if (!store && !arrived(c, operands[2], bytes, lane)) return;
  }
}

// [mbarrier], arrivals of a phase
void init_mbarrier(Context& c, const Op& op) {
  const auto& operands = op.source->operands;
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t count = number_in(c, operands[1], lane);
    if (count == 0 || count > kMostArrivals) {
      c.trap = fmt::format("an mbarrier of {} arrivals: 1 to {}", count, kMostArrivals);
      return;
    }
    if (!change_mbarrier(c, address_in(c, operands[0], lane), lane, [&](Mbarrier& barrier) {
          barrier = Mbarrier(0);
          barrier.pending = barrier.expected = count;
        }))
      return;
  }
}

// state, [mbarrier], and what comes: arrivals, or the bytes that are announced
void arrive_at_mbarrier(Context& c, const Op& op) {
  const auto& operands = op.source->operands;
  const bool announces = ptx::id_of(*op.source) == OpId::mbarrier_arrive_tx;
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const bool given = operands.size() > 2 && operands[2].kind != Operand::Kind::none;
    const std::uint64_t number = given ? number_in(c, operands[2], lane) : 1;
    const std::uint64_t arrivals = announces ? 1 : number;
    const std::uint64_t address = address_in(c, operands[1], lane);
    if (!change_mbarrier(c, address, lane, [&](Mbarrier& barrier) {
          c.r[op.d][lane] = barrier.word();
          if (arrivals > barrier.pending)
            c.trap = fmt::format("{} arrivals at the mbarrier 0x{:x}, which expects {}", arrivals,
                                 address, barrier.pending);
          barrier.pending -= std::min(arrivals, barrier.pending);
          if (announces) barrier.bytes += static_cast<std::int64_t>(number);
        }))
      return;
    ++c.machine.changes;
  }
}

// predicate, [mbarrier], a state or a parity: whether that phase is over
void test_mbarrier(Context& c, const Op& op) {
  const auto& operands = op.source->operands;
  const OpId id = ptx::id_of(*op.source);
  const bool by_parity = id == OpId::mbarrier_test_parity || id == OpId::mbarrier_try_parity;
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t asked =
        operands[2].kind == Operand::Kind::reg ? c.r[operands[2].index][lane] : operands[2].bits;
    const bool parity = by_parity ? asked & 1 : asked & kPhase;
    bool over = false;
    c.effect.mbarrier = address_in(c, operands[1], lane);
    SharedAccess shared(c, false);
    const std::uint8_t* data = host_bytes(c, shared, c.effect.mbarrier, 8, 8, lane);
    if (!data) return;
    std::uint64_t word = 0;
    std::memcpy(&word, data, sizeof word);
    over = Mbarrier(word).parity != parity;
    c.r[op.d][lane] = over;
    c.effect.phase_over |= over;
  }
}

void copy_order(Context&, const Op&) {}

}  // namespace

Handler copy_handler(const ptx::Instruction& i) {
  if (ptx::tensor_sides(ptx::id_of(i)) > 0)
    return i.operands.size() == 2 + ptx::tensor_sides(ptx::id_of(i)) ? &copy_tensor<true>
                                                                     : &copy_tensor<false>;
  switch (ptx::id_of(i)) {
    case OpId::cp_async:
      return &copy_of_threads;
    case OpId::cp_bulk_load:
      return &copy_bulk<false>;
    case OpId::cp_bulk_store:
      return &copy_bulk<true>;
    case OpId::cp_async_wait:
    case OpId::cp_bulk_commit:
    case OpId::cp_bulk_wait:
      return &copy_order;
    case OpId::mbarrier_init:
      return &init_mbarrier;
    case OpId::mbarrier_arrive:
    case OpId::mbarrier_arrive_tx:
      return &arrive_at_mbarrier;
    case OpId::mbarrier_test:
    case OpId::mbarrier_test_parity:
    case OpId::mbarrier_try:
    case OpId::mbarrier_try_parity:
      return &test_mbarrier;
    default:
      return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
