// atom and red: lanes one after another, in ascending order. Interface: atomic_handler in decode.h.
// Covered by tests/vgpu/exec_hardware_test.cpp.
#include <cstring>
#include <type_traits>

#include "codegen/ptx/half.h"
#include "runtime/device/vgpu/exec/access.h"
#include "runtime/device/vgpu/exec/reduction.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Type;

// Each rule: the new value from the old one and the operands.
template <Reduction kBy>
struct Reduced {
  template <class T>
  T operator()(T old, T b, T) const {
    return reduced_element(kBy, old, b);
  }
};
struct AddShared {
  template <class T>
  T operator()(T old, T b, T) const {
    return with_nan(old + b, b, old);
  }
};
// Atomic additions in global memory flush subnormal floats (PTX ISA, atom: "atom.add.f32 on global
// memory flushes subnormal inputs and results to sign-preserving zero").
struct AddFlushed {
  float operator()(float old, float b, float) const {
    return canonical(flushed(flushed(old) + flushed(b)));
  }
};
// The memory system's adder for doubles passes a NaN on as it is.
struct AddDouble {
  double operator()(double old, double b, double) const {
    return b != b ? b : old != old ? old : with_nan(old + b, old, b);
  }
};
struct AddHalf {
  std::uint16_t operator()(std::uint16_t old, std::uint16_t b, std::uint16_t) const {
    return ptx::float_to_half(ptx::half_to_float(old) + ptx::half_to_float(b));
  }
};
struct AddBfloat {
  std::uint16_t operator()(std::uint16_t old, std::uint16_t b, std::uint16_t) const {
    return ptx::float_to_bf16(ptx::bf16_to_float(old) + ptx::bf16_to_float(b));
  }
};
/// The smaller or the larger of two halves; a number where the other is none.
template <bool kMax, float (*kRead)(std::uint16_t)>
struct ExtremeHalf {
  std::uint16_t operator()(std::uint16_t old, std::uint16_t b, std::uint16_t) const {
    const float x = kRead(old), y = kRead(b);
    if (x != x || y != y) return x == x ? old : y == y ? b : ptx::kHalfNan;
    if (x == y) return ((old & 0x8000) != 0) != kMax ? old : b;
    return (x < y) != kMax ? old : b;
  }
};
template <bool kMax>
using ExtremeBinary16 = ExtremeHalf<kMax, &ptx::half_to_float>;
template <bool kMax>
using ExtremeBfloat16 = ExtremeHalf<kMax, &ptx::bf16_to_float>;
template <class Half>
struct InPairs16 {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t b, std::uint32_t) const {
    auto part = [](std::uint32_t v, unsigned k) { return static_cast<std::uint16_t>(v >> k); };
    std::uint32_t high = Half{}(part(old, 16), part(b, 16), 0);
    return high << 16 | Half{}(part(old, 0), part(b, 0), 0);
  }
};
struct Exchange {
  template <class T>
  T operator()(T, T b, T) const {
    return b;
  }
};
struct CompareSwap {
  template <class T>
  T operator()(T old, T b, T c) const {
    return old == b ? c : old;
  }
};
template <class T, class F, bool kReturns>
void run(Context& c, const Op& op) {
  c.effect.is_atomic = c.effect.is_store = true;
  c.effect.compares = std::is_same_v<F, CompareSwap>;
  c.effect.is_load = kReturns;
  const Lanes &b = c.in(op.b), &z = c.in(op.c);
  Lanes& d = c.r[op.d];
  access_memory(c, op, sizeof(T), [&](std::uint8_t* data, unsigned lane) {
    T old;
    std::memcpy(&old, data, sizeof(T));
    T next = F{}(old, get<T>(b[lane]), get<T>(z[lane]));
    write_element(c, data, next);
    if (kReturns) d[lane] = put<T>(old);
  });
}

// A float's sum follows the space that its lane hits, whatever the instruction names.
template <class T, class InGlobal, bool kReturns>
void run_add(Context& c, const Op& op) {
  c.effect.is_atomic = c.effect.is_store = true;
  c.effect.is_load = kReturns;
  const bool generic = op.source->space == ptx::Space::none;
  const Lanes& b = c.in(op.b);
  Lanes& d = c.r[op.d];
  access_memory(c, op, sizeof(T), [&](std::uint8_t* data, unsigned lane) {
    std::uint64_t address = c.machine.addresses[lane];
    const ptx::Space hit = generic ? resolve_generic(address) : op.source->space;
    T old;
    std::memcpy(&old, data, sizeof(T));
    const T more = get<T>(b[lane]);
    write_element(
        c, data,
        hit == ptx::Space::global ? InGlobal{}(old, more, T{}) : AddShared{}(old, more, T{}));
    if (kReturns) d[lane] = put<T>(old);
  });
}
/// Each element by itself: of what the destinations and, behind them, the sources of the list are.
template <class T, class F, bool kReturns>
void run_vector(Context& c, const Op& op) {
  c.effect.is_atomic = c.effect.is_store = true;
  c.effect.is_load = kReturns;
  const std::int32_t* const to = c.machine.program->lists.data() + op.list;
  const std::int32_t* const from = kReturns ? to + op.count : to;
  access_memory(c, op, sizeof(T) * op.count, [&](std::uint8_t* data, unsigned lane) {
    for (unsigned k = 0; k < op.count; ++k) {
      T old;
      std::memcpy(&old, data + k * sizeof(T), sizeof(T));
      const T next = F{}(old, get<T>(c.in(from[k])[lane]), old);
      write_element(c, data + k * sizeof(T), next);
      if (kReturns) c.r[to[k]][lane] = put<T>(old);
    }
  });
}
template <class Binary16, class Bfloat16, bool kReturns>
Handler pick_vector(Type type) {
  using u16 = std::uint16_t;
  using u32 = std::uint32_t;
  switch (type) {
    case Type::f32: return &run_vector<float, AddFlushed, kReturns>;
    case Type::f16: return &run_vector<u16, Binary16, kReturns>;
    case Type::bf16: return &run_vector<u16, Bfloat16, kReturns>;
    case Type::f16x2: return &run_vector<u32, InPairs16<Binary16>, kReturns>;
    default: return &run_vector<u32, InPairs16<Bfloat16>, kReturns>;
  }
}

template <class F, bool kReturns>
Handler pick_integer(Type type) {
  return of_integer(type, []<class T>(T) -> Handler { return &run<T, F, kReturns>; });
}
template <Reduction kBy, bool kReturns>
Handler pick_reduced(Type type) {
  return pick_integer<Reduced<kBy>, kReturns>(type);
}
template <bool kReturns>
Handler pick_add(const ptx::Instruction& i) {
  switch (i.type) {
    case Type::f32: return &run_add<float, AddFlushed, kReturns>;
    case Type::f64: return &run_add<double, AddDouble, kReturns>;
    case Type::f16: return &run<std::uint16_t, AddHalf, kReturns>;
    case Type::f16x2: return &run<std::uint32_t, InPairs16<AddHalf>, kReturns>;
    case Type::bf16: return &run<std::uint16_t, AddBfloat, kReturns>;
    case Type::bf16x2: return &run<std::uint32_t, InPairs16<AddBfloat>, kReturns>;
    default: return pick_reduced<Reduction::add, kReturns>(i.type);
  }
}

}  // namespace

Handler atomic_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::atom_add: return pick_add<true>(i);
    case OpId::atom_add_vector: return pick_vector<AddHalf, AddBfloat, true>(i.type);
    case OpId::atom_min_vector:
      return pick_vector<ExtremeBinary16<false>, ExtremeBfloat16<false>, true>(i.type);
    case OpId::atom_max_vector:
      return pick_vector<ExtremeBinary16<true>, ExtremeBfloat16<true>, true>(i.type);
    case OpId::red_add_vector: return pick_vector<AddHalf, AddBfloat, false>(i.type);
    case OpId::red_min_vector:
      return pick_vector<ExtremeBinary16<false>, ExtremeBfloat16<false>, false>(i.type);
    case OpId::red_max_vector:
      return pick_vector<ExtremeBinary16<true>, ExtremeBfloat16<true>, false>(i.type);
    case OpId::atom_min: return pick_reduced<Reduction::min, true>(i.type);
    case OpId::atom_max: return pick_reduced<Reduction::max, true>(i.type);
    case OpId::atom_and: return pick_reduced<Reduction::and_bits, true>(i.type);
    case OpId::atom_or: return pick_reduced<Reduction::or_bits, true>(i.type);
    case OpId::atom_xor: return pick_reduced<Reduction::xor_bits, true>(i.type);
    case OpId::atom_exch: return pick_integer<Exchange, true>(i.type);
    case OpId::atom_cas: return pick_integer<CompareSwap, true>(i.type);
    case OpId::atom_inc: return pick_reduced<Reduction::inc, true>(i.type);
    case OpId::atom_dec: return pick_reduced<Reduction::dec, true>(i.type);
    case OpId::red_add: return pick_add<false>(i);
    case OpId::red_min: return pick_reduced<Reduction::min, false>(i.type);
    case OpId::red_max: return pick_reduced<Reduction::max, false>(i.type);
    case OpId::red_and: return pick_reduced<Reduction::and_bits, false>(i.type);
    case OpId::red_or: return pick_reduced<Reduction::or_bits, false>(i.type);
    case OpId::red_xor: return pick_reduced<Reduction::xor_bits, false>(i.type);
    case OpId::red_inc: return pick_reduced<Reduction::inc, false>(i.type);
    case OpId::red_dec: return pick_reduced<Reduction::dec, false>(i.type);
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
