// Asynchronous copies; mbarriers: mbarrier.cpp. Interface: copy_handler in decode.h. Covered by
// tests/vgpu/exec_copy_test.cpp.
//
// A copy is done where it is issued: a program that reads its data without a wait reads them too
// early on a GPU only. When a wait lets go, the timing model says (timing/sm_copy.cpp).
#include "runtime/device/vgpu/exec/copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/device/vgpu/exec/reduction.h"
#include "runtime/device/vgpu/exec/tensor_map.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::Operand;
using ptx::OpId;

void copy_bytes(Context& c, std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes) {
  c.machine.changes += std::memcmp(to, from, bytes) != 0;
  std::memcpy(to, from, bytes);
}

/// How many of `bytes` a lane reads; the rest of what it writes is zeros.
std::uint64_t bytes_read(Context& c, const Op& op, std::uint64_t bytes, unsigned lane) {
  constexpr std::size_t kRead = 3;
  const auto& operands = op.source->operands;
  if (operands.size() <= kRead || operands[kRead].kind == Operand::Kind::none) return bytes;
  const std::uint64_t number = number_in(c, operands[kRead], lane);
  if (op.source->type == ptx::Type::pred)
    return ((number & 1) != 0) != operands[kRead].negated ? 0 : bytes;
  if (number > bytes) c.trap = fmt::format("cp.async reads {} bytes and writes {}", number, bytes);
  return number;
}

// Of each thread: [shared], [global], bytes, and how many of them are read.
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
    const std::uint64_t read = bytes_read(c, op, bytes, lane);
    if (!c.trap.empty()) return;
    std::array<std::uint8_t, 16> there{};
    if (read > 0) {
      const std::uint8_t* source = host_bytes(c, global, from, read, bytes, lane);
      if (!source) return;
      std::memcpy(there.data(), source, read);
      c.machine.addresses[lane] = from;
    } else {
      c.effect.active &= ~(Mask{1} << lane);
    }
    std::uint8_t* to = host_bytes(c, shared, address_in(c, operands[0], lane), bytes, bytes, lane);
    if (!to) return;
    copy_bytes(c, to, there.data(), bytes);
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

bool reduces(const Op& op) {
  const OpId id = ptx::id_of(*op.source);
  return id >= OpId::cp_bulk_add && id <= OpId::cp_bulk_xor;
}

/// Each element of global memory with that of shared memory. Its old value does not leave L2.
bool reduce_bytes(Context& c, const Op& op, std::uint64_t global, const std::uint8_t* shared,
                  std::uint64_t bytes) {
  c.effect.is_atomic = true;
  c.effect.bytes = static_cast<std::uint8_t>(ptx::bytes_of(op.source->type));
  std::vector<std::uint8_t> made(bytes);
  if (c.machine.memory->read(global, made.data(), static_cast<unsigned>(bytes)))
    reduce_elements(reduction_of(op.source->name), op.source->type, made.data(), shared, bytes);
  return move_bytes(c, global, made.data(), bytes, true);
}

// load: [shared], [global], bytes, [mbarrier]; store and reduction: [global], [shared], bytes
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
    if (!shared) return;
    const bool moved = store && reduces(op) ? reduce_bytes(c, op, global, shared, bytes)
                                            : move_bytes(c, global, shared, bytes, store);
    if (!moved) return;
    c.effect.copied += static_cast<std::uint32_t>(bytes);
    if (!store && !arrived(c, operands[3], bytes, lane)) return;
  }
}

// [global], bytes: what it brings to L2 changes no value, and costs what its issue costs.
void prefetch_bulk(Context& c, const Op& op) {
  const auto& operands = op.source->operands;
  for (Mask rest = c.mask; rest != 0 && c.trap.empty(); rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t bytes = number_in(c, operands[1], lane);
    const std::uint64_t global = address_in(c, operands[0], lane);
    if (bytes % kBulkUnit != 0 || global % kBulkUnit != 0)
      c.trap = fmt::format("a bulk prefetch of {} bytes at 0x{:x}: multiples of 16", bytes, global);
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

void copy_order(Context&, const Op&) {}

}  // namespace

Handler copy_handler(const ptx::Instruction& i) {
  if (ptx::tensor_sides(ptx::id_of(i)) > 0)
    return i.operands.size() == 2 + ptx::tensor_sides(ptx::id_of(i)) ? &copy_tensor<true>
                                                                     : &copy_tensor<false>;
  switch (ptx::id_of(i)) {
    case OpId::cp_async: return &copy_of_threads;
    case OpId::cp_bulk_load: return &copy_bulk<false>;
    case OpId::cp_bulk_store:
    case OpId::cp_bulk_add:
    case OpId::cp_bulk_min:
    case OpId::cp_bulk_max:
    case OpId::cp_bulk_inc:
    case OpId::cp_bulk_dec:
    case OpId::cp_bulk_and:
    case OpId::cp_bulk_or:
    case OpId::cp_bulk_xor: return &copy_bulk<true>;
    case OpId::cp_bulk_prefetch: return &prefetch_bulk;
    case OpId::cp_async_wait:
    case OpId::cp_async_commit:
    case OpId::cp_async_wait_group:
    case OpId::cp_bulk_wait_read:
    case OpId::cp_bulk_commit:
    case OpId::cp_bulk_wait: return &copy_order;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
