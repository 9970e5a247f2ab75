// wmma: matrix products of a warp by fragments that PTX loads, multiplies and stores as a whole.
//
// PTX leaves open which lane holds which element. Here a fragment is a row of mma.sync's: blocks of
// 16 rows (8 where M is 8) and 8 columns, each laid out as codegen/ptx/mma.h says. Where PTX has
// more registers than the elements take (A and B of halves), they repeat. Covered by
// tests/vgpu/exec_headers_test.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "codegen/ptx/mma.h"

namespace gpx::ptx {

/// Mnemonic::columns and Instruction::columns of wmma.
struct WmmaWord {
  static constexpr unsigned kShape = 0xff;         ///< wmma_shape()
  static constexpr unsigned kFirstColumn = 0x100;  ///< The matrix, or A, is column-major.
  static constexpr unsigned kSecondColumn = 0x200;
};
/// "m16n16k16": a number from 1 on; 0: no shape of wmma.
unsigned wmma_shape(std::string_view word);

struct WmmaForm {
  unsigned m = 0, n = 0, k = 0;
  MmaForm block{};                                   ///< One of those that the product consists of.
  unsigned factor_bits = 0;                          ///< Of an element of A or B in memory.
  bool first_column = false, second_column = false;  ///< Column-major.

  unsigned row_blocks() const { return m / block.m; }
  unsigned column_blocks() const { return n / block.n; }
  MmaForm::Place of_a(unsigned lane, unsigned r, unsigned e) const;
  MmaForm::Place of_b(unsigned lane, unsigned r, unsigned e) const;
  MmaForm::Place of_c(unsigned lane, unsigned r, unsigned e) const;
  /// Registers that differ; and those that PTX has.
  unsigned distinct_a() const { return block.a * row_blocks(); }
  unsigned distinct_b() const { return block.b * column_blocks(); }
  unsigned registers_a() const { return repeats() ? 8 : distinct_a(); }
  unsigned registers_b() const { return repeats() ? 8 : distinct_b(); }
  unsigned registers_c() const { return block.c * row_blocks() * column_blocks(); }

  bool halves = false;  ///< Factors of half precision.
  bool repeats() const { return halves; }
};

/// `factor` and `sum`: types; nothing where PTX has no such product. `columns`: WmmaWord.
std::optional<WmmaForm> wmma_form(unsigned columns, Type factor, Type sum);

/// The matrix that wmma.load or wmma.store moves.
struct WmmaMatrix {
  enum class Role : std::uint8_t { a, b, c } role = Role::a;
  WmmaForm form;
  unsigned rows = 0, columns = 0;
  unsigned bits = 0;          ///< Of an element.
  unsigned registers = 0;     ///< Of a lane.
  unsigned per_register = 0;  ///< Elements.
  bool column_major = false;

  MmaForm::Place place(unsigned lane, unsigned r, unsigned e) const;
  /// Elements that lie together in memory: the least leading dimension.
  unsigned line() const { return column_major ? rows : columns; }
};
std::optional<WmmaMatrix> wmma_matrix(const Instruction& instruction);

}  // namespace gpx::ptx
