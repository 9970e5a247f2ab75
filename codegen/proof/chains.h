// Chains: whether machine code holds the dependence chains that were asked for, and nothing in
// them.
//
// Follows every value of a region from instruction to instruction. An execution of an operation is
// the instruction that its row of lang/operations.def names last; in each chain every one of them
// must wait for the one before. Covered by tests/codegen/timed_body_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/proof/machine_code.h"

namespace gpx::codegen {

/// `executions` of one operation in each of `streams` chains.
struct WantedChains {
  std::string_view operation;  ///< "add.u32", for messages.
  std::string_view sass;       ///< The row's opcodes: "IADD3|IMAD.IADD", "MUFU+FMUL", "MUFU...".
  std::uint32_t streams = 1;
  std::uint32_t executions = 1;
  char source = 0;  ///< That the chain was asked to run through, 'a' ...; 0: any.
};

struct ChainReport {
  std::optional<std::string> refusal;    ///< Why the region is not what was asked for.
  std::optional<std::string> excess;     ///< An instruction that belongs to executions is too many.
  std::optional<std::string> elsewhere;  ///< A chain runs through another source than asked for.
  std::string among;                     ///< What stands among the executions and belongs to none.
  std::uint32_t additions = 0;           ///< Of what executions gave; one of three terms is two.
  std::uint32_t comparisons = 0;         ///< Behind the last execution.
  std::size_t last = 0;                  ///< Index of the last execution.
  bool reach_sink = false;  ///< What precedes the end clock waits for every chain's end.
  std::size_t sink = 0;     ///< Its index.
};

ChainReport check_chains(std::span<const MachineLine> region, std::span<const WantedChains> wanted);

/// What a row names whose machine code nobody has recorded.
constexpr std::string_view kUnknownOpcodes = "?";

/// The opcodes of the one row in `wanted` that names none: an opcode of the region of which the
/// chains that were asked for consist ("FFMA"), else one that ends each execution ("SHF..."). Empty
/// where none does, or where several rows name none.
std::string infer_opcodes(std::span<const MachineLine> region,
                          std::span<const WantedChains> wanted);

/// Whether a row's opcodes are counted, but not all that stands between them is known.
bool is_open(std::string_view sass);

/// Whether an instruction may be part of an execution of a row.
bool names_opcode(std::string_view sass, const MachineLine& line);

}  // namespace gpx::codegen
