// Operations: the arithmetic that an experiment can time by name: `add.u32 x256 chain`.
//
// One table, lang/operations.def, says everything about an operation: its name and help here, its
// PTX spelling and operand shapes to codegen, its machine opcodes to the proof of the timed region.
// `lang` reads the names and the help alone. Covered by tests/lang/vocabulary_test.cpp.
#pragma once

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

}  // namespace gpx
