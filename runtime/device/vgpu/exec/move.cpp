// mov (registers, vectors, special registers, addresses), cvta, isspacep. Interface: move_handler
// in decode.h. Covered by tests/vgpu/exec_hardware_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::Operand;
using ptx::OpId;
using ptx::Space;
using ptx::SpecialRegister;
using ptx::Type;

std::uint64_t low_bits(std::uint64_t value, unsigned bytes) {
  return bytes >= 8 ? value : value & ((1ull << (8 * bytes)) - 1);
}

void fill(Context& c, const Op& op, std::uint64_t value) {
  Lanes& d = c.r[op.d];
  value = low_bits(value, ptx::bytes_of(op.source->type));
  for_lanes(c.mask, [&](unsigned i) { d[i] = value; });
}

template <class T>
void move(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) { d[i] = get<T>(a[i]); });
}

// mov.b64 d, {a, b}: the first element is the lowest.
void pack(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const std::int32_t* list = c.machine.program->lists.data() + op.list;
  unsigned bytes = ptx::bytes_of(op.source->type) / op.count;
  for_lanes(c.mask, [&](unsigned i) {
    std::uint64_t value = 0;
    for (unsigned k = 0; k < op.count; ++k) {
      value |= low_bits(c.in(list[k])[i], bytes) << (8 * bytes * k);
    }
    d[i] = value;
  });
}
void unpack(Context& c, const Op& op) {
  const Lanes& a = c.in(op.a);
  const std::int32_t* list = c.machine.program->lists.data() + op.list;
  unsigned bytes = ptx::bytes_of(op.source->type) / op.count;
  for_lanes(c.mask, [&](unsigned i) {
    std::uint64_t value = a[i];
    for (unsigned k = 0; k < op.count; ++k) {
      c.r[list[k]][i] = low_bits(value >> (8 * bytes * k), bytes);
    }
  });
}

// %cluster_ctaid, %cluster_nctaid, %clusterid, %nclusterid, of x, y and z each. Without clusters a
// block is one of its own.
std::uint64_t cluster_special(const Context& c, SpecialRegister id) {
  const auto number =
      static_cast<std::size_t>(id) - static_cast<std::size_t>(SpecialRegister::cluster_ctaid_x);
  const std::size_t axis = number % 3;
  const Grid& grid = c.machine.grid;
  const std::uint32_t size = std::max(grid.cluster[axis], 1u), block = c.block().index[axis];
  const std::uint32_t values[] = {block % size, size, block / size, grid.blocks[axis] / size};
  return values[number / 3];
}

std::uint64_t uniform_special(const Context& c, SpecialRegister id) {
  const Machine& m = c.machine;
  const auto& block = c.block().index;
  using S = SpecialRegister;
  switch (id) {
    case S::ntid_x: return m.grid.threads[0];
    case S::ntid_y: return m.grid.threads[1];
    case S::ntid_z: return m.grid.threads[2];
    case S::ctaid_x: return block[0];
    case S::ctaid_y: return block[1];
    case S::ctaid_z: return block[2];
    case S::nctaid_x: return m.grid.blocks[0];
    case S::nctaid_y: return m.grid.blocks[1];
    case S::nctaid_z: return m.grid.blocks[2];
    case S::warpid: return c.warp.id;
    case S::nwarpid: return (m.threads + kWarpSize - 1) / kWarpSize;
    case S::smid: return c.env.sm;
    case S::nsmid: return c.env.sm_count;
    case S::clock:
    case S::clock64: return c.env.clock;
    case S::clock_hi: return c.env.clock >> 32;
    case S::globaltimer:
    case S::globaltimer_lo: return c.env.nanoseconds;
    case S::globaltimer_hi: return c.env.nanoseconds >> 32;
    case S::dynamic_smem_size: return m.grid.dynamic_shared_bytes;
    case S::total_smem_size:
    case S::aggr_smem_size: return m.shared_bytes;
    case S::cluster_ctarank: return c.block().rank;
    case S::reserved_shared: return m.shared_begin + (m.shared_bytes + 15) / 16 * 16;
    case S::is_explicit_cluster: return m.grid.clustered();
    case S::envreg1: return m.workspace >> 32;
    case S::envreg2: return m.workspace & 0xffffffffu;
    case S::cluster_nctarank: return std::max(m.grid.cluster_blocks(), 1u);
    default:
      if (id >= S::cluster_ctaid_x) return cluster_special(c, id);
      return 0;  // gridid: one grid at a time
  }
}

std::uint64_t lane_special(const Context& c, SpecialRegister id, unsigned lane) {
  const auto& size = c.machine.grid.threads;
  std::uint64_t thread = std::uint64_t{c.warp.id} * kWarpSize + lane;
  Mask bit = 1u << lane;
  using S = SpecialRegister;
  switch (id) {
    case S::tid_x: return thread % size[0];
    case S::tid_y: return thread / size[0] % size[1];
    case S::tid_z: return thread / (std::uint64_t{size[0]} * size[1]);
    case S::laneid: return lane;
    case S::lanemask_eq: return bit;
    case S::lanemask_lt: return bit - 1;
    case S::lanemask_le: return (bit - 1) | bit;
    case S::lanemask_gt: return ~((bit - 1) | bit);
    default: return ~(bit - 1);  // lanemask_ge
  }
}

bool varies(SpecialRegister id) {
  using S = SpecialRegister;
  return id <= S::tid_z || id == S::laneid || (id >= S::lanemask_eq && id <= S::lanemask_gt);
}

void special(Context& c, const Op& op) {
  auto id = static_cast<SpecialRegister>(op.value);
  if (id >= SpecialRegister::clock && id <= SpecialRegister::globaltimer_hi) ++c.machine.changes;
  if (!varies(id)) return fill(c, op, uniform_special(c, id));
  Lanes& d = c.r[op.d];
  unsigned bytes = ptx::bytes_of(op.source->type);
  for_lanes(c.mask, [&](unsigned i) { d[i] = low_bits(lane_special(c, id, i), bytes); });
}

// The address of a variable within its space.
void symbol(Context& c, const Op& op) {
  auto address = static_cast<std::uint64_t>(op.value);
  if (op.module_address) address += c.machine.module_base;
  auto space = static_cast<Space>(op.source->operands[1].index);
  bool in_frame = space == Space::local || ptx::modifiers_of(*op.source).frame_param();
  fill(c, op, in_frame ? address + c.path().local_base : address);
}

std::uint64_t window_of(Space space) {
  switch (space) {
    case Space::shared: return kSharedWindow;
    case Space::local: return kLocalWindow;
    case Space::constant: return kConstantWindow;
    case Space::param: return kParamWindow;
    default: return 0;  // global: generic addresses are its own
  }
}

void cvta(Context& c, const Op& op) {
  std::uint64_t window = window_of(op.source->space);
  if (ptx::id_of(*op.source) == OpId::cvta_to) window = 0 - window;
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) { d[i] = a[i] + window; });
}

void isspacep(Context& c, const Op& op) {
  Space space = op.source->space;
  std::uint64_t window = window_of(space);
  const bool cluster = ptx::modifiers_of(*op.source).cluster();
  const std::uint64_t bytes = cluster ? (1 + kMostClusterBlocks) * kWindowBytes : kWindowBytes;
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) {
    d[i] = space == Space::global ? a[i] >= kParamWindow + kWindowBytes : a[i] - window < bytes;
  });
}

// The same place in the shared memory of the block of a rank. Without a space addresses are
// generic.
void mapa(Context& c, const Op& op) {
  const std::uint64_t window = op.source->space == Space::none ? kSharedWindow : 0;
  const Lanes &a = c.in(op.a), &rank = c.in(op.b);
  const std::size_t ranks = c.block().cluster ? c.block().cluster->blocks.size() : 1;
  Lanes& d = c.r[op.d];
  for (Mask m = c.mask; m; m &= m - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(m));
    const std::uint64_t address = a[i] - window, wanted = get<std::uint32_t>(rank[i]);
    if (address >= (1 + kMostClusterBlocks) * kWindowBytes || wanted >= ranks) {
      c.trap = wanted >= ranks
                   ? fmt::format("mapa: there is no rank {} in a cluster of {}", wanted, ranks)
                   : fmt::format("mapa: 0x{:x} is no address of shared memory", a[i]);
      return;
    }
    const std::uint64_t of_rank = c.block().cluster ? (wanted + 1) * kWindowBytes : 0;
    d[i] = window + of_rank + address % kWindowBytes;
  }
}

void getctarank(Context& c, const Op& op) {
  const std::uint64_t window = op.source->space == Space::none ? kSharedWindow : 0;
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) {
    const std::uint64_t above = (a[i] - window) / kWindowBytes;
    d[i] = above == 0 ? c.block().rank : above - 1;
  });
}

Handler pick_move(const ptx::Instruction& i) {
  const Operand &to = i.operands[0], &from = i.operands[1];
  if (to.kind == Operand::Kind::vector) return &unpack;
  if (from.kind == Operand::Kind::vector) return &pack;
  if (from.kind == Operand::Kind::special) return &special;
  if (from.kind == Operand::Kind::symbol) return &symbol;
  return of_bits(i.type, []<class T>(T) -> Handler { return &move<T>; });
}

}  // namespace

Handler move_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::mov: return pick_move(i);
    case OpId::cvta:
    case OpId::cvta_to: return &cvta;
    case OpId::isspacep: return &isspacep;
    case OpId::mapa: return &mapa;
    case OpId::getctarank: return &getctarank;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
