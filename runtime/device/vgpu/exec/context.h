// What a handler sees of the machine, and the loop over lanes. Interface of exec/*.cpp among
// themselves. Covered by tests/vgpu/exec_control_test.cpp.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>

#include "runtime/device/vgpu/exec/decode.h"

namespace gpx::vgpu::exec {

namespace sass {
struct Step;
}

inline constexpr Mask kFull = 0xffffffffu;

/// Windows of the generic address space. Global memory has its own addresses there, all above.
/// Behind that of shared memory one for each rank of a cluster follows.
inline constexpr std::uint64_t kWindowBytes = 1ull << kRankShift;
inline constexpr std::uint64_t kSharedWindow = kWindowBytes;
inline constexpr std::uint64_t kLocalWindow = (2 + kMostClusterBlocks) * kWindowBytes;
inline constexpr std::uint64_t kConstantWindow = kLocalWindow + kWindowBytes;
inline constexpr std::uint64_t kParamWindow = kConstantWindow + kWindowBytes;

/// A launch: what all its warps share.
struct Machine {
  std::shared_ptr<const Program> program;
  Grid grid;
  std::vector<std::uint8_t> parameters;
  GlobalMemory* memory = nullptr;
  std::uint64_t module_base = 0;  ///< Of the module's .global variables.
  std::uint64_t workspace = 0;    ///< Of a cooperative grid; 0: it is none.
  std::uint64_t shared_bytes = 0;
  std::uint64_t shared_begin = 0;     ///< Lowest address of them; nothing may touch those below.
  std::uint64_t reserved_shared = 0;  ///< Bytes behind those that headers keep for themselves.
  std::uint64_t threads = 0;          ///< Of a block.
  std::shared_ptr<const std::vector<std::uint8_t>> constants;
  const Lanes* rows = nullptr;        ///< Of constants: Context::k.
  const sass::Step* steps = nullptr;  ///< Of machine code, by instruction.
  std::vector<Lanes> launch_rows;     ///< Those of machine code, some of which a launch fills in.
  std::vector<std::uint8_t> bank0;    ///< Of machine code: sizes, windows and parameters.
  std::map<unsigned, std::vector<std::uint8_t>> banks;  ///< The others but 0 and 3.
  Model model = Model::stack;
  std::uint32_t turn = 1;     ///< Model::independent: instructions of a group's turn.
  std::uint64_t changes = 0;  ///< Executor::changes()
  bool deadlock = false;      ///< What failed is no fault: Trap::deadlock.
  Lanes addresses{};          ///< Effect::addresses points here.
  std::vector<Range> ranges;  ///< Effect::ranges points here.
  DeviceOutput output;
};

struct Context {
  Machine& machine;
  Warp& warp;
  const Env& env;
  Lanes* r;        ///< The frame's registers.
  const Lanes* k;  ///< Constant rows.
  Mask mask;
  Effect& effect;
  std::string& trap;  ///< Not empty: the instruction failed.

  const Lanes& in(std::int32_t source) const { return source >= 0 ? r[source] : k[~source]; }
  Block& block() const { return *warp.block; }
  Path& path() const { return warp.stack.back(); }
};

/// A register's bits as a value, and back. Bits above the type's width are never read.
template <class T>
inline T get(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return __builtin_bit_cast(double, bits);
  } else {
    return static_cast<T>(bits);
  }
}
template <class T>
inline std::uint64_t put(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_bit_cast(std::uint32_t, value);
  } else if constexpr (std::is_same_v<T, double>) {
    return __builtin_bit_cast(std::uint64_t, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

/// f(lane) for each lane of the mask, in ascending order. A full warp is a plain loop that the
/// compiler vectorises: sources and destination are equal or disjoint rows, never shifted.
template <class F>
inline void for_lanes(Mask mask, F f) {
  if (mask == kFull) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (unsigned lane = 0; lane < kWarpSize; ++lane) f(lane);
    return;
  }
  for (; mask; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

/// d = f(a), d = f(a, b), d = f(a, b, c): sources read as T, the result written as R.
template <class R, class T, class F>
void unary(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) { d[i] = put<R>(F{}(get<T>(a[i]))); });
}
template <class R, class T, class F>
void binary(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b);
  for_lanes(c.mask, [&](unsigned i) { d[i] = put<R>(F{}(get<T>(a[i]), get<T>(b[i]))); });
}
template <class R, class T, class U, class V, class F>
void ternary(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b), &z = c.in(op.c);
  for_lanes(c.mask,
            [&](unsigned i) { d[i] = put<R>(F{}(get<T>(x[i]), get<U>(y[i]), get<V>(z[i]))); });
}

/// The handler that f gives for an integer of the PTX type; nullptr: it is none of 16, 32 or 64
/// bits. Bits without a type are those of an unsigned number.
template <class F>
Handler of_integer(ptx::Type type, F f) {
  switch (type) {
    case ptx::Type::s16: return f(std::int16_t{});
    case ptx::Type::s32: return f(std::int32_t{});
    case ptx::Type::s64: return f(std::int64_t{});
    case ptx::Type::u16:
    case ptx::Type::b16: return f(std::uint16_t{});
    case ptx::Type::u32:
    case ptx::Type::b32: return f(std::uint32_t{});
    case ptx::Type::u64:
    case ptx::Type::b64: return f(std::uint64_t{});
    default: return nullptr;
  }
}

/// The same for the unsigned number that has as many bits as the type.
template <class F>
Handler of_bits(ptx::Type type, F f) {
  switch (ptx::bytes_of(type)) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

/// The lanes of a warp that have not exited.
Mask alive(const Warp& warp);
/// All lanes of the warp are here; else a trap, or another try when the others come. Of matrix
/// products.
bool whole_warp(Context& c);

/// Bit i of element i: a vector's lanes cannot be shifted by different counts.
inline constexpr Lanes kLaneBits = [] {
  Lanes bits{};
  for (unsigned i = 0; i < kWarpSize; ++i) bits[i] = std::uint64_t{1} << i;
  return bits;
}();

/// The lanes among `mask` whose predicate (or its opposite) holds.
inline Mask predicate_mask(Mask mask, const Lanes& row, bool negated) {
  std::uint64_t trues = 0;
  for_lanes(mask, [&](unsigned i) { trues |= (0 - (row[i] & 1)) & kLaneBits[i]; });
  return mask & static_cast<Mask>(negated ? ~trues : trues);
}

}  // namespace gpx::vgpu::exec
