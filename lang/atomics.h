// Atomic accesses: one row for each operator and type of the instructions atom and red.
//
// `atom.add.u32 global same x16` names the operator, then says where each thread's access lies, as
// a load does. atom gives the old value, red gives none. The words of the language, their checks
// and the PTX follow from the rows. Covered by tests/lang/atomics_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpx {

/// What the value is that an atomic takes.
enum class AtomicValue { word, number32, number64, halves, wide };

struct AtomicRow {
  std::string_view op, type;  ///< "add", "u32"
  std::uint32_t bytes;
  AtomicValue value;
  int sm;         ///< Least compute capability; 0: any.
  bool reduces;   ///< There is a red of it, too.
  bool compares;  ///< It takes a value to compare with before the one to store.
};

/// An instruction of a row: "atom.add.u32", "red.add.u32".
struct AtomicName {
  const AtomicRow* row;
  bool returns;  ///< atom: the old value.
  std::string name;
  std::string help;
  /// "atom.global.add.u32"; of a generic address, whose space is "", "atom.add.u32".
  std::string ptx(std::string_view space) const;
};

/// In the table's order, atom before red.
const std::vector<AtomicName>& atomic_names();
/// nullptr if no atomic access has that name.
const AtomicName* find_atomic(std::string_view name);

}  // namespace gpx
