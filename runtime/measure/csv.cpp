// The CSV writer. Interface: runtime/measure/csv.h.
#include "runtime/measure/csv.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace gpx {

std::string csv_text(const std::string& text) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  const bool formula = !text.empty() && kFormula.find(text[0]) != std::string_view::npos;
  const std::string plain = formula ? '\'' + text : text;
  if (plain.find_first_of(",\"\n\r") == std::string::npos) return plain;
  std::string quoted = "\"";
  for (const char c : plain) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void CsvWriter::cell(const std::string& spelled) {
  if (!first_) out_ += ',';
  first_ = false;
  out_ += spelled;
}

CsvWriter& CsvWriter::text(const std::string& cell) {
  this->cell(csv_text(cell));
  return *this;
}

CsvWriter& CsvWriter::number(double cell) {
  constexpr double kWhole = 9007199254740992;  // Beyond, digits of a double would be made up.
  if (!std::isfinite(cell)) return empty();
  const bool whole = cell == std::trunc(cell) && std::fabs(cell) <= kWhole;
  this->cell(whole ? fmt::format("{}", static_cast<long long>(cell)) : fmt::format("{}", cell));
  return *this;
}

CsvWriter& CsvWriter::number(const std::optional<double>& cell) {
  return cell ? number(*cell) : empty();
}

CsvWriter& CsvWriter::truth(bool cell) {
  this->cell(cell ? "true" : "false");
  return *this;
}

CsvWriter& CsvWriter::empty() {
  cell({});
  return *this;
}

void CsvWriter::end_row() {
  out_ += '\n';
  first_ = true;
}

}  // namespace gpx
