// Matrix products of a warpgroup: wgmma, operations that follow from one rule instead of a row
// each.
//
//   wgmma.m64n{N}k{K}.{SUM}.{FACTOR}.{ss,rs}[.wait]
//
// N is 8, 16, 32, 64, 128 or 256; K is what 32 bytes hold (of `wgmma.sp`, where half of A is zero,
// 64 bytes). ss: A and B in shared memory; rs: A in registers. `.wait`: each execution ends before
// the next one begins. lang/operations.cpp lists them behind the rows of lang/operations.def.
// Covered by tests/lang/warpgroup_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gpx {

/// The types that go together.
struct WarpgroupTypes {
  std::string_view sum, factor;  ///< PTX's: "f32", "f16".
  unsigned k;                    ///< Of a dense product: 32 bytes of factors.
  std::string_view sass;         ///< Machine opcode.
  std::string_view help;
};

struct WarpgroupProduct {
  static constexpr unsigned kThreads = 128;   ///< Of a warpgroup: 4 warps.
  static constexpr unsigned kRows = 64;       ///< M
  static constexpr unsigned kRowBytes = 128;  ///< Of a row of the tile that is prepared of A or B.

  std::string name, help;
  const WarpgroupTypes* types = nullptr;
  unsigned n = 0, k = 0;
  bool sparse = false;          ///< wgmma.sp: two of four elements of A's rows.
  bool a_in_registers = false;  ///< rs
  bool waits = false;           ///< .wait

  /// Registers of a thread for the sum.
  unsigned sum_registers() const { return types->sum == "f16" ? n / 4 : n / 2; }
  /// Multiply-adds of one product, those with the zeros that a sparse one leaves out among them.
  double multiply_adds() const { return static_cast<double>(kRows) * n * k; }
};

/// All of them: sorted by types, form of operands and N.
std::span<const WarpgroupProduct> warpgroup_products();
/// nullptr where there is none of that name.
const WarpgroupProduct* find_warpgroup_product(std::string_view name);

}  // namespace gpx
