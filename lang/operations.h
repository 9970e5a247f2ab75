// Operations: the arithmetic that an experiment can time by name: `add.u32 x256 chain`.
//
// One table, lang/operations.def, says everything about an operation: its name and help here, its
// PTX spelling and operand shapes to codegen, its machine opcodes to the proof of the timed region.
// `lang` reads the names, the help, and which sources a chain can run through.
// Covered by tests/lang/vocabulary_test.cpp and tests/lang/operations_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpx {

struct OperationName {
  std::string_view name;  ///< "add.u32"
  std::string_view help;  ///< One line.
};

/// In the table's order.
const std::vector<OperationName>& operation_names();
bool is_operation(std::string_view name);

/// A source of an operation, which the chain can run through: `chain c`.
struct ChainSource {
  char letter = 'a';        ///< 'a' is the PTX instruction's first source.
  std::string ptx;          ///< As the column of the table, with the chain there.
  std::string_view sass;    ///< Likewise.
  bool is_default = false;  ///< Where the chain runs unless a source is named.
};

/// Sources that differ from the chain's register by their type, immediates and predicates are not
/// among them, nor is anything of an operation of several instructions, unless the table has a row
/// for it. Empty for a name that is no operation.
const std::vector<ChainSource>& chain_sources(std::string_view operation);
/// nullptr: the chain cannot run through it.
const ChainSource* find_chain_source(std::string_view operation, std::string_view letter);

/// What the operands of a matrix product hold: `data zeros`. A GPU takes more power, and so may
/// clock lower, where bits change.
enum class OperandData : std::uint8_t {
  usual,  ///< mma: constants and sums from 1 to 2. wgmma: as random.
  zeros,
  random,  ///< Factors of either sign, of 1/2 to 1; integers: all bits.
};
std::optional<OperandData> find_operand_data(std::string_view word);
std::string_view to_string(OperandData data);  ///< "" for usual
/// `data` may stand behind it: matrix products.
bool takes_data(std::string_view operation);

}  // namespace gpx
