// The registers of an operation's chain and operands, by the type of its row (lang/operations.def).
// For codegen/ir/operation.cpp alone; covered by tests/codegen/operation_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace gpx::codegen {

/// How the values of a row are declared, and where they start: a register is set to `fixed` with
/// the bits of `mask` taken from what the thread makes of kUnknown, so that numbers lie in [1, 2).
struct OperandShape {
  std::string_view type;
  std::string_view declared;  ///< PTX type of a register.
  std::uint32_t words;        ///< 32-bit words of a register, 1 of one of 16 bits.
  std::uint32_t chain;        ///< Registers of a chain.
  std::uint32_t fixed, mask;  ///< Of a chain's start; of 64 bits: the high word.
  /// {x}, {y}, {z} of the even executions, then of the odd ones; of 64 bits: the high words. The
  /// two differ, and leave a chain of products, sums or quotients in a normal range: factors whose
  /// product is about 1, dividends that are nearly equal and larger than any divisor.
  std::array<std::uint32_t, 3> even, odd;
};

inline constexpr OperandShape kInteger{"u32",
                                       "u32",
                                       1,
                                       1,
                                       0x10000,
                                       0xffff,
                                       {0x7fffffe5, 0x5bd1e995, 0x1b873593},
                                       {0x7ffffff1, 0x2545f491, 0x16a88001}};
inline constexpr OperandShape kSingle{"f32",
                                      "f32",
                                      1,
                                      1,
                                      0x3f800000,
                                      0x7fffff,
                                      {0x3fc00000, 0x3fa00000, 0x3fb00000},   // 1.5, 1.25, 1.375
                                      {0x3f2aaaab, 0x3fa00001, 0x3fb00001}};  // 2/3, ...
inline constexpr OperandShape kDouble{"f64",
                                      "f64",
                                      2,
                                      1,
                                      0x3ff00000,
                                      0xfffff,
                                      {0x3ff80000, 0x3ff40000, 0x3ff60000},
                                      {0x3fe55555, 0x3ff40001, 0x3ff60001}};
inline constexpr OperandShape kHalf{"f16x2",
                                    "b32",
                                    1,
                                    1,
                                    0x3c003c00,
                                    0x03ff03ff,
                                    {0x3e003e00, 0x3d003d00, 0x3d803d80},
                                    {0x39553955, 0x3d013d01, 0x3d813d81}};
inline constexpr OperandShape kBfloat{"bf16x2",
                                      "b32",
                                      1,
                                      1,
                                      0x3f803f80,
                                      0x007f007f,
                                      {0x3fc03fc0, 0x3fa03fa0, 0x3fb03fb0},
                                      {0x3f2b3f2b, 0x3fa13fa1, 0x3fb13fb1}};

inline constexpr OperandShape kShort{
    "u16", "u16", 1, 1, 0x100, 0xff, {0x7fe5, 0x6995, 0x3593}, {0x7ff1, 0x44f1, 0x0001}};
inline constexpr OperandShape kHalfScalar{
    "f16", "b16", 1, 1, 0x3c00, 0x03ff, {0x3e00, 0x3d00, 0x3d80}, {0x3955, 0x3d01, 0x3d81}};
inline constexpr OperandShape kBfloatScalar{
    "bf16", "b16", 1, 1, 0x3f80, 0x007f, {0x3fc0, 0x3fa0, 0x3fb0}, {0x3f2b, 0x3fa1, 0x3fb1}};

constexpr OperandShape like(OperandShape shape, std::string_view type, std::string_view declared,
                            std::uint32_t chain = 1, std::uint32_t words = 1) {
  shape.type = type;
  shape.declared = declared;
  shape.chain = chain;
  shape.words = words;
  return shape;
}

inline constexpr OperandShape kShapes[] = {
    kInteger,
    like(kInteger, "s32", "s32"),
    like(kInteger, "u64", "u64", 1, 2),
    like(kInteger, "s64", "s64", 1, 2),
    like(kInteger, "none", "u32", 0),
    like(kInteger, "matrix", "u32"),  // An address, see Expander::matrix().
    like(kInteger, "matrix_2", "u32", 2),
    like(kInteger, "matrix_4", "u32", 4),
    kSingle,
    kDouble,
    kHalf,
    kBfloat,
    kShort,
    like(kShort, "s16", "s16"),
    kHalfScalar,
    kBfloatScalar,
    like(kSingle, "f32_pair", "f32", 2),
    // The matrices' operands are spelled as words; sums start in the type that they have.
    like(kHalf, "f16x2_2", "b32", 2),
    like(kSingle, "f32_4", "f32", 4),
    like(kInteger, "s32_2", "s32", 2),
    like(kInteger, "s32_4", "s32", 4),
    like(kDouble, "f64_2", "f64", 2, 2),
    like(kDouble, "f64_4", "f64", 4, 2),
};

inline const OperandShape& shape_of(std::string_view type) {
  return *std::find_if(std::begin(kShapes), std::end(kShapes),
                       [&](const OperandShape& shape) { return shape.type == type; });
}

}  // namespace gpx::codegen
