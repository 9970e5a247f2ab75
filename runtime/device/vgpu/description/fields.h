// Fields: the one table of what a device file may say. It feeds the reader, its messages and the
// reference in docs/devices.md. Covered by tests/vgpu/device_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/description/quantity.h"

namespace gpx::vgpu::timing {

enum class FieldKind : std::uint8_t {
  count,      ///< a whole number
  real,       ///< a number
  bytes,      ///< "128 B", "1536 KB"
  frequency,  ///< "706 MHz"
  time,       ///< "230 clocks", "12 ns"
  text,       ///< a string
  word,       ///< one of Field::words
  counts,     ///< a list of whole numbers
  reals,      ///< a list of numbers
  bits,       ///< a list of bit numbers, or of lists of them
  rows,       ///< a list of lists of numbers
};

enum class Need : std::uint8_t {
  always,   ///< the section, and the field in it
  section,  ///< required where its section is given
  optional,
};

struct Field {
  std::string path;  ///< "sm.count": section, then name
  FieldKind kind;
  Need need;
  double low, high;      ///< In base units, both included.
  std::string fallback;  ///< What an absent optional field means; "" where it is required.
  std::string help;
  std::function<void(Description&, double)> number = nullptr;
  std::function<void(Description&, const std::string&)> string = nullptr;
  std::string words = {};  ///< "mru lru", separated by spaces
  /// An item that is a number is a list of one.
  std::function<void(Description&, const std::vector<std::vector<double>>&)> list = nullptr;
  bool of_policy = false;  ///< One replacement policy alone reads it: described once for all.
};

/// The words of a field of kind word.
std::vector<std::string> words_of(const Field& field);

/// The clock's frequency comes before every field that may be given in seconds.
const std::vector<Field>& fields();
/// Those of the memory path, which are part of fields().
std::vector<Field> memory_fields();
/// Those of queues between SMs and L2, which are part of memory_fields().
std::vector<Field> queue_fields();

/// Sections that a device may lack; an empty table makes them present.
struct Section {
  std::string name;
  std::string help;
  std::function<void(Description&)> make;  ///< nullptr: always present
};
const std::vector<Section>& sections();

/// Makes a part present, with its defaults. (For clang 14 emplace() has no default constructor of a
/// class that is nested in the one with the part: github.com/llvm/llvm-project/issues/36032.)
template <class Part>
void add_part(std::optional<Part>& part) {
  part = Part{};
}

/// Those of the memory path, which are part of sections().
std::vector<Section> memory_sections();

/// "a whole number", "bytes, such as \"128 B\"": for messages.
std::string_view expected(FieldKind kind);
/// nullopt: the kind has no unit.
std::optional<Measure> measure_of(FieldKind kind);
std::string format_value(FieldKind kind, double value);

/// The field table as `gpx devices --fields` prints it (Markdown).
std::string field_reference();

}  // namespace gpx::vgpu::timing
