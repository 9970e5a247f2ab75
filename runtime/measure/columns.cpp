#include "runtime/measure/columns.h"

#include <sstream>

namespace gpx {
namespace {

template <typename Enum>
bool find_name(Enum& found, const std::string& name, std::initializer_list<Enum> all,
               std::string_view (*name_of)(Enum)) {
  for (const Enum each : all)
    if (name_of(each) == name) {
      found = each;
      return true;
    }
  return false;
}

bool read_column(Column& column, const std::string& line) {
  using Role = Column::Role;
  std::istringstream fields(line);
  std::string unit, role, kind;
  std::getline(fields, column.name, '\t');
  std::getline(fields, unit, '\t');
  std::getline(fields, role, '\t');
  std::getline(fields, kind);
  column.is_text = kind == "text";
  const auto known = unit_of_symbol(unit);
  if (known) column.unit = *known;
  return (column.is_text || kind == "number") && known &&
         find_name(column.role, role, {Role::axis, Role::repetition, Role::record, Role::observed},
                   &to_string);
}

}  // namespace

std::string columns_text(const Samples& samples) {
  std::string text;
  for (const Column& column : samples.columns) {
    text += column.name + '\t';
    text += unit_symbol(column.unit);
    text += '\t';
    text += to_string(column.role);
    text += column.is_text ? "\ttext\n" : "\tnumber\n";
  }
  return text;
}

std::optional<Samples> columns_from(const std::string& text) {
  Samples samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!read_column(samples.columns.emplace_back(), line)) return std::nullopt;
  return samples;
}

}  // namespace gpx
