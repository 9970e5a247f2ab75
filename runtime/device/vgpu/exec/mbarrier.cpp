// mbarriers: init, inval, arrivals, announced bytes, tests. Interface: mbarrier_handler in
// decode.h. Covered by tests/vgpu/exec_copy_test.cpp.
#include <algorithm>
#include <cstring>

#include "runtime/device/vgpu/exec/copy.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::Operand;
using ptx::OpId;

/// Where the mbarrier of an operand lies in shared memory. A generic address elsewhere is a trap.
bool mbarrier_address(Context& c, const Op& op, const Operand& operand, unsigned lane,
                      std::uint64_t& out) {
  out = address_in(c, operand, lane);
  if (op.source->space != ptx::Space::none) return true;
  const std::uint64_t generic = out;
  if (resolve_generic(out) == ptx::Space::shared) return true;
  c.trap = fmt::format("the mbarrier 0x{:x} is not in shared memory", generic);
  return false;
}

bool in_cluster(const Op& op) {
  return op.source->space == ptx::Space::none || ptx::modifiers_of(*op.source).cluster();
}

/// by(lane, address) for each lane, until it returns false. `which`: the operand of the mbarrier.
template <class By>
void for_mbarriers(Context& c, const Op& op, std::size_t which, By by) {
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::uint64_t address = 0;
    if (!mbarrier_address(c, op, op.source->operands[which], lane, address)) return;
    if (!by(lane, address)) return;
  }
}

// [mbarrier], arrivals of a phase
void init_mbarrier(Context& c, const Op& op) {
  for_mbarriers(c, op, 0, [&](unsigned lane, std::uint64_t address) {
    const std::uint64_t count = number_in(c, op.source->operands[1], lane);
    if (count == 0 || count > kMostArrivals) {
      c.trap = fmt::format("an mbarrier of {} arrivals: 1 to {}", count, kMostArrivals);
      return false;
    }
    return change_mbarrier(c, address, lane, [&](Mbarrier& barrier) {
      barrier = Mbarrier(0);
      barrier.pending = barrier.expected = count;
    });
  });
}

// Its memory is free for anything: the word stays as it is.
void inval_mbarrier(Context& c, const Op& op) {
  for_mbarriers(c, op, 0, [&](unsigned lane, std::uint64_t address) {
    return mbarrier_bytes(c, address, lane, in_cluster(op)) != nullptr;
  });
}

// [mbarrier], bytes that are announced, or that have come
template <bool announces>
void count_bytes(Context& c, const Op& op) {
  for_mbarriers(c, op, 0, [&](unsigned lane, std::uint64_t address) {
    const auto bytes = static_cast<std::int64_t>(number_in(c, op.source->operands[1], lane));
    const auto by = [&](Mbarrier& barrier) { barrier.bytes += announces ? bytes : -bytes; };
    return change_mbarrier(c, address, lane, by, in_cluster(op));
  });
}

/// The forms of an arrival.
struct Arrival {
  bool announces = false;  ///< The last operand is a number of bytes; one thread arrives.
  bool drops = false;      ///< Later phases expect fewer.
  bool completes = true;   ///< It may end the phase.
};
Arrival arrival_of(OpId id) {
  switch (id) {
    case OpId::mbarrier_arrive_nc: return {false, false, false};
    case OpId::mbarrier_arrive_tx: return {true};
    case OpId::mbarrier_drop: return {false, true};
    case OpId::mbarrier_drop_nc: return {false, true, false};
    case OpId::mbarrier_drop_tx: return {true, true};
    default: return {};
  }
}

// state, [mbarrier], and what comes: arrivals, or the bytes that are announced
void arrive_at_mbarrier(Context& c, const Op& op) {
  const auto& operands = op.source->operands;
  const Arrival form = arrival_of(ptx::id_of(*op.source));
  const bool given = operands.size() > 2 && operands[2].kind != Operand::Kind::none;
  for_mbarriers(c, op, 1, [&](unsigned lane, std::uint64_t address) {
    const std::uint64_t number = given ? number_in(c, operands[2], lane) : 1;
    const std::uint64_t arrivals = form.announces ? 1 : number;
    const auto by = [&](Mbarrier& barrier) {
      c.r[op.d][lane] = barrier.word();
      if (arrivals > barrier.pending)
        c.trap = fmt::format("{} arrivals at the mbarrier 0x{:x}, which expects {}", arrivals,
                             address, barrier.pending);
      else if (!form.completes && arrivals == barrier.pending)
        c.trap = fmt::format("an arrival without completion ends the phase of the mbarrier 0x{:x}",
                             address);
      const std::uint64_t taken = std::min(arrivals, barrier.pending);
      barrier.pending -= taken;
      if (form.drops) barrier.expected -= std::min(taken, barrier.expected);
      if (form.announces) barrier.bytes += static_cast<std::int64_t>(number);
    };
    ++c.machine.changes;
    return change_mbarrier(c, address, lane, by, in_cluster(op)) && c.trap.empty();
  });
}

// predicate, [mbarrier], a state or a parity: whether that phase is over
void test_mbarrier(Context& c, const Op& op) {
  const Operand& state = op.source->operands[2];
  const OpId id = ptx::id_of(*op.source);
  const bool by_parity = id == OpId::mbarrier_test_parity || id == OpId::mbarrier_try_parity;
  for_mbarriers(c, op, 1, [&](unsigned lane, std::uint64_t address) {
    const std::uint64_t wanted =
        state.kind == Operand::Kind::reg ? c.r[state.index][lane] : state.bits;
    const bool parity = by_parity ? wanted & 1 : wanted & kPhase;
    c.effect.mbarrier = address;
    const std::uint8_t* data = mbarrier_bytes(c, address, lane, false);
    if (!data) return false;
    std::uint64_t word = 0;
    std::memcpy(&word, data, sizeof word);
    const bool over = Mbarrier(word).parity != parity;
    c.r[op.d][lane] = over;
    c.effect.phase_over |= over;
    return true;
  });
}

struct PendingCount {
  std::uint32_t operator()(std::uint64_t state) const {
    return static_cast<std::uint32_t>(state & kMostArrivals);
  }
};

// [mbarrier]: the thread arrives when its copies are there, which they are. Without .noinc the
// phase expects that arrival in addition.
void arrive_behind_copies(Context& c, const Op& op) {
  const bool counted = ptx::id_of(*op.source) == OpId::cp_async_arrive_noinc;
  for_mbarriers(c, op, 0, [&](unsigned lane, std::uint64_t address) {
    c.effect.mbarrier = address;
    ++c.machine.changes;
    return change_mbarrier(c, address, lane, [&](Mbarrier& barrier) {
      if (counted && barrier.pending == 0)
        c.trap = fmt::format("an arrival at the mbarrier 0x{:x}, which expects none", address);
      else if (counted)
        --barrier.pending;
    });
  });
}

}  // namespace

Handler mbarrier_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::mbarrier_init: return &init_mbarrier;
    case OpId::mbarrier_inval: return &inval_mbarrier;
    case OpId::mbarrier_expect: return &count_bytes<true>;
    case OpId::mbarrier_complete: return &count_bytes<false>;
    case OpId::mbarrier_arrive:
    case OpId::mbarrier_arrive_nc:
    case OpId::mbarrier_arrive_tx:
    case OpId::mbarrier_drop:
    case OpId::mbarrier_drop_nc:
    case OpId::mbarrier_drop_tx: return &arrive_at_mbarrier;
    case OpId::mbarrier_test:
    case OpId::mbarrier_test_parity:
    case OpId::mbarrier_try:
    case OpId::mbarrier_try_parity: return &test_mbarrier;
    case OpId::mbarrier_pending: return &unary<std::uint32_t, std::uint64_t, PendingCount>;
    case OpId::cp_async_arrive:
    case OpId::cp_async_arrive_noinc: return &arrive_behind_copies;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
