// st.async and red.async: what is written into the shared memory of a cluster's block, with its
// bytes counted by an mbarrier there. Interface: async_store_handler in decode.h. Covered by
// tests/vgpu/exec_headers_test.cpp.
#include <cstring>

#include "runtime/device/vgpu/exec/copy.h"
#include "runtime/device/vgpu/exec/reduction.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Type;

/// [address], value, [mbarrier]. write(data, lane) each, then their bytes have come. To a GPU it is
/// an illegal instruction where the launch has no clusters, of one block at least.
template <class Write>
void write_and_count(Context& c, const Op& op, unsigned bytes, Write write) {
  const auto& operands = op.source->operands;
  if (!c.block().cluster) {
    c.trap = fmt::format(
        "{}: the launch has no clusters (__cluster_dims__(1, 1, 1) makes one of each block)",
        ptx::id_of(*op.source) == OpId::st_async ? "st.async" : "red.async");
    return;
  }
  c.effect.is_store = true;
  for_lanes(c.mask, [&](unsigned i) { c.machine.addresses[i] = address_in(c, operands[0], i); });
  access_computed(c, op, bytes, write);
  for (Mask rest = c.mask; rest != 0 && c.trap.empty(); rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::uint64_t address = address_in(c, operands[2], lane);
    if (op.source->space == ptx::Space::none && resolve_generic(address) != ptx::Space::shared) {
      c.trap = fmt::format("the mbarrier 0x{:x} is not in shared memory", address);
      return;
    }
    const auto by = [&](Mbarrier& barrier) { barrier.bytes -= static_cast<std::int64_t>(bytes); };
    ++c.machine.changes;
    change_mbarrier(c, address, lane, by, true);
  }
}

template <class T>
void store_async(Context& c, const Op& op) {
  const bool vector = op.source->operands[1].kind == ptx::Operand::Kind::vector;
  const std::int32_t* const list = vector ? c.machine.program->lists.data() + op.list : &op.b;
  const unsigned count = vector ? op.count : 1;
  write_and_count(c, op, sizeof(T) * count, [&](std::uint8_t* data, unsigned lane) {
    for (unsigned k = 0; k < count; ++k)
      write_element(c, data + k * sizeof(T), static_cast<T>(c.in(list[k])[lane]));
  });
}

template <class T>
void reduce_async(Context& c, const Op& op) {
  c.effect.is_atomic = true;
  const Reduction by = reduction_of(op.source->name);
  write_and_count(c, op, sizeof(T), [&](std::uint8_t* data, unsigned lane) {
    T old;
    std::memcpy(&old, data, sizeof old);
    write_element(c, data, reduced_element(by, old, get<T>(c.in(op.b)[lane])));
  });
}

}  // namespace

Handler async_store_handler(const ptx::Instruction& i) {
  const OpId id = ptx::id_of(i);
  const bool wide = ptx::bytes_of(i.type) == 8;
  if (id == OpId::st_async) return wide ? &store_async<std::uint64_t> : &store_async<std::uint32_t>;
  if (id < OpId::red_async_add || id > OpId::red_async_xor) return nullptr;
  if (i.type == Type::s32) return &reduce_async<std::int32_t>;
  return wide ? &reduce_async<std::uint64_t> : &reduce_async<std::uint32_t>;
}

}  // namespace gpx::vgpu::exec
