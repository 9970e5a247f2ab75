// CSV, written in one way: a text that a spreadsheet would take for a formula is guarded, numbers
// stay numbers. Covered by tests/runtime/samples_test.cpp.
#pragma once

#include <optional>
#include <string>

namespace gpx {

/// A text as a cell of CSV, quoted where it must be. A spreadsheet takes a cell that begins with =,
/// +, -, @, a tab or a carriage return for a formula, which may run a program: ' is put before it.
std::string csv_text(const std::string& text);

/// Rows of cells, one after another.
class CsvWriter {
 public:
  CsvWriter& text(const std::string& cell);
  /// With all digits; a number that is not finite is an empty cell.
  CsvWriter& number(double cell);
  CsvWriter& number(const std::optional<double>& cell);
  CsvWriter& truth(bool cell);
  CsvWriter& empty();
  void end_row();
  const std::string& written() const { return out_; }

 private:
  void cell(const std::string& spelled);
  std::string out_;
  bool first_ = true;
};

}  // namespace gpx
