// Fields: the one table of what a device file may say. It feeds the reader, its messages and the
// reference in docs/devices.md. Covered by tests/vgpu/device_test.cpp.
#pragma once

#include <cstdint>
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
};

enum class Need : std::uint8_t {
  always,   ///< the section, and the field in it
  section,  ///< required where its section is given
  optional,
};

struct Field {
  std::string_view path;  ///< "sm.count": section, then name
  FieldKind kind;
  Need need;
  double low, high;           ///< In base units, both included.
  std::string_view fallback;  ///< What an absent optional field means; "" where it is required.
  std::string_view help;
  void (*number)(Description&, double) = nullptr;
  void (*string)(Description&, const std::string&) = nullptr;
  std::string_view words = {};  ///< "mru lru", separated by spaces
  /// An item that is a number is a list of one.
  void (*list)(Description&, const std::vector<std::vector<double>>&) = nullptr;
};

/// The words of a field of kind word.
std::vector<std::string> words_of(const Field& field);

/// The clock's frequency comes before every field that may be given in seconds.
const std::vector<Field>& fields();
/// Those of the memory path, which are part of fields().
std::vector<Field> memory_fields();

/// Sections that a device may lack; an empty table makes them present.
struct Section {
  std::string_view name;
  std::string_view help;
  void (*make)(Description&);  ///< nullptr: always present
};
const std::vector<Section>& sections();
/// Those of the memory path, which are part of sections().
std::vector<Section> memory_sections();

/// "a whole number", "bytes, such as \"128 B\"": for messages.
std::string_view expected(FieldKind kind);
/// nullopt: the kind has no unit.
std::optional<Measure> measure_of(FieldKind kind);
std::string format_value(FieldKind kind, double value);

/// The field table as docs/devices.md shows it (Markdown).
std::string field_reference();

}  // namespace gpx::vgpu::timing
