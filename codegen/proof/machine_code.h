// Machine code (SASS) as text, split into instructions, and what each of them reads and writes.
//
// Formats: `nvdisasm -c` and `cuobjdump -sass`, which both print "/*0090*/  @!P0 STG.E ... ;".
// Covered by tests/codegen/timed_body_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpx::codegen {

/// Views into the listing that it was parsed from.
struct MachineLine {
  std::string_view text;                   // "@!P0 STG.E desc[UR4][R4.64], R11"
  std::string_view guard;                  // "@!P0"
  std::string_view opcode;                 // "STG.E"
  std::vector<std::string_view> operands;  // "desc[UR4][R4.64]", "R11"

  /// The opcode up to its first dot.
  std::string_view base() const { return opcode.substr(0, opcode.find('.')); }
  /// As the operation table names it: the base, or of IMAD what it does where it does not only
  /// multiply and add ("IMAD.MOV", "IMAD.IADD", "IMAD.WIDE", "IMAD.HI").
  std::string_view kind() const;
  bool has(std::string_view modifier) const;
  /// It does nothing but pass time: NOP, or a guard that is never true.
  bool idles() const;
};

std::vector<MachineLine> parse_machine_code(std::string_view sass);

bool reads_clock(const MachineLine& line);
/// A read of the 64-bit clock, which only the start and the end of a region are.
bool reads_clock64(const MachineLine& line);
bool is_control(const MachineLine& line);
/// atom and red of any space.
bool is_atomic(const MachineLine& line);
/// What reads or writes memory, whatever the space.
bool is_memory(const MachineLine& line);
bool is_barrier(const MachineLine& line);
/// Waits for the cluster.
bool is_cluster_barrier(const MachineLine& line);
/// What else a barrier of the cluster is made of: its arrival, and fences of memory.
bool is_of_cluster_barrier(const MachineLine& line);
/// What begins or waits for products of a warpgroup: WARPGROUP.ARRIVE, WARPGROUP.DEPBAR.
bool is_warpgroup_step(const MachineLine& line);
/// A product of a warpgroup: HGMMA, QGMMA, IGMMA.
bool is_warpgroup_product(const MachineLine& line);
/// What asynchronous copies are made of, in machine code.
enum class CopyStep : char {
  copy_b32 = '4',
  copy_b64 = '8',
  copy_b128 = 'x',
  copy_b128_cg = 'X',
  group = 'g',  ///< LDGDEPBAR: the copies so far are a group...
  wait = 'w',   ///< DEPBAR: ...that is waited for.
  expect = 'e',
  bulk_load = 'l',
  phase = 'p',  ///< A test of the phase; a branch behind it asks again.
  bulk_store = 's',
  tensor_load = 'A',   ///< Of two dimensions; of each more the next letter...
  tensor_store = 'K',  ///< ...likewise: tensor_step().
  flush = 'f',
  unknown = '?',
};
/// Of a copy of a tensor of 2 to 5 dimensions.
CopyStep tensor_step(CopyStep of_two, std::size_t dimensions);
std::optional<CopyStep> copy_step(const MachineLine& line);
/// Arithmetic and moves, in registers alone: no memory, no control, no barrier.
bool is_arithmetic(const MachineLine& line);
/// Terms of a sum in registers, less one; 0 of anything else.
std::uint32_t additions_of(const MachineLine& line);
/// The first instruction that is written again right behind itself, though nothing that it reads
/// has changed: no assembler does that. nullptr: none.
const MachineLine* find_repeated(std::span<const MachineLine> region);
/// Fetches what does not depend on the region: constants, special registers, addresses in the
/// uniform registers.
bool is_constant(const MachineLine& line);
/// Of a load or store.
std::uint32_t bytes_of(const MachineLine& line);

/// The 32-bit registers that an operand names: "R4" is 4; "[R4.64+0x80]" is 4 and 5; "UR4", "RZ"
/// none.
std::vector<int> registers_of(std::string_view operand);

/// Values of every register file by number: R as is, then predicates, uniform registers and uniform
/// predicates. A guard is read; a guarded write leaves the old value, so it reads that too.
struct Effects {
  std::vector<int> reads, writes;
};
Effects effects_of(const MachineLine& line);
/// What each of its sources reads, in the order of the text; guard and results are none.
std::vector<std::vector<int>> sources_of(const MachineLine& line);

}  // namespace gpx::codegen
