// The op table of the virtual GPU and the meaning of Instruction::modifiers.
//
// `find_op` maps a mnemonic's words to a row of ops.def; the accessors read a modifier word.
// Covered by tests/vgpu/ptx_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ptx/module.h"

namespace gpx::ptx {

using TypeSet = std::uint32_t;
constexpr TypeSet bit(Type type) {
  return 1u << static_cast<unsigned>(type);
}

/// The interpreter's key of an instruction: Instruction::op.
enum class OpId : std::uint16_t {
#define OP(id, name, shape, unit, types, types2, groups) id,
#include "codegen/ptx/ops.def"
#undef OP
  count
};

struct OpRow {
  OpId id;
  std::string_view name;   ///< "mad.lo.cc"
  std::string_view shape;  ///< See ops.def.
  Unit unit;
  TypeSet types, types2;
  std::uint64_t groups;
};
const OpRow& op_row(OpId id);
/// `word`: "rn", "rz", ...
bool takes_rounding(const OpRow& row, std::string_view word);
/// Of a copy of a tensor's box; 0 of anything else.
unsigned tensor_sides(OpId id);
inline OpId id_of(const Instruction& instruction) {
  return static_cast<OpId>(instruction.op);
}

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi };
enum class Compare : std::uint8_t {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  lo,
  ls,
  hi,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan,
};
enum class Bool : std::uint8_t { none, and_, or_, xor_ };
/// Cache operators of ld and st. Functionally equal; the timing model may tell them apart.
enum class Cache : std::uint8_t { none, ca, cg, cs, cv, lu, wb, wt };
/// What a video instruction does with its result and its third source, but for .add (kUni).
enum class Second : std::uint8_t { none, min, max };
enum class Permute : std::uint8_t { none, f4e, b4e, rc8, ecl, ecr, rc16 };
enum class Scope : std::uint8_t { none, cta, gpu, sys };

/// Of a video instruction's operand: Operand::offset.
enum class VideoPart : std::uint8_t { all, b0, b1, b2, b3, h0, h1 };

/// Instruction::modifiers, read field by field.
struct Modifiers {
  std::uint32_t bits = 0;

  static constexpr unsigned kRounding = 0, kCompare = 4, kBool = 9, kCache = 11, kPermute = 14,
                            kScope = 17, kVector = 19;
  static constexpr std::uint32_t kFtz = 1u << 21, kSat = 1u << 22, kNan = 1u << 23, kUni = 1u << 24,
                                 kNonCoherent = 1u << 25, kVolatile = 1u << 26, kWrap = 1u << 27,
                                 kRelu = 1u << 28,
                                 /// ld, st, mov: a .param variable of a call, kept in the frame.
      kFrameParam = 1u << 29,
                                 /// Beyond the largest number: that one.
      kSatFinite = 1u << 30,
                                 kCluster = 1u << 31;  ///< .shared::cluster
  /// Of video instructions, which know neither caches nor permutations nor NaNs: .min or .max of
  /// the third source, .shr7 (1) or .shr15 (2), .po.
  static constexpr unsigned kSecond = kPermute, kScale = kCache;
  static constexpr std::uint32_t kPlusOne = kNan;

  Rounding rounding() const { return static_cast<Rounding>(bits >> kRounding & 15); }
  Compare compare() const { return static_cast<Compare>(bits >> kCompare & 31); }
  Bool boolean() const { return static_cast<Bool>(bits >> kBool & 3); }
  Cache cache() const { return static_cast<Cache>(bits >> kCache & 7); }
  Permute permute() const { return static_cast<Permute>(bits >> kPermute & 7); }
  Scope scope() const { return static_cast<Scope>(bits >> kScope & 3); }
  Second second() const { return static_cast<Second>(bits >> kSecond & 3); }
  unsigned scale() const { return (bits >> kScale & 3) == 0 ? 0 : (bits >> kScale & 3) * 8 - 1; }
  unsigned vector() const { return 1u << (bits >> kVector & 3); }  ///< 1, 2, 4 or 8 elements.
  bool ftz() const { return bits & kFtz; }
  bool sat() const { return bits & kSat; }
  bool nan() const { return bits & kNan; }
  bool wrap() const { return bits & kWrap; }
  bool relu() const { return bits & kRelu; }
  bool non_coherent() const { return bits & kNonCoherent; }
  bool frame_param() const { return bits & kFrameParam; }
  bool cluster() const { return bits & kCluster; }
};
inline Modifiers modifiers_of(const Instruction& instruction) {
  return {instruction.modifiers};
}

/// A mnemonic, understood.
struct Mnemonic {
  const OpRow* row = nullptr;
  Type type = Type::none, type2 = Type::none, type3 = Type::none;
  std::uint16_t columns = 0, depth = 0;  ///< N and K of wgmma.mma_async; of wmma: wmma.h.
  bool policy = false;                   ///< .L2::cache_hint: a last operand follows.
  Space space = Space::none;
  std::uint32_t modifiers = 0;
};

/// `text` is the mnemonic as written, "mad.lo.cc.u32". On failure `row` is null and `error` says
/// which instruction, type or modifier is not known.
Mnemonic find_op(std::string_view text, std::string& error);

/// The type of the operand in a role of the table's shapes, of an instruction with these types.
Type role_type(char role, Type type, Type type2);

/// none: no such type.
Type type_named(std::string_view word);
std::string_view name_of(Type type);
bool is_float(Type type);  ///< f32, f64
bool is_half(Type type);   ///< f16, bf16 and their pairs
bool is_signed(Type type);
bool is_integer(Type type);  ///< u and s types

}  // namespace gpx::ptx
