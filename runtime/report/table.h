// Table: rows of text in aligned columns, with notes wrapped beneath a row.
// Covered by tests/report/table_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/style.h"

namespace gpx::report {

struct Cell {
  std::string text;
  Paint paint = Paint::plain;
};

class Table {
 public:
  /// `right`: which columns are flush right.
  explicit Table(std::vector<std::string> header, std::vector<bool> right = {});

  /// Cells of more than 1000 bytes are clipped, and so are notes.
  void add(std::vector<Cell> row);
  /// Text beneath the last row, indented and wrapped to the style's width.
  void note(std::string text);

  struct Row {
    std::vector<Cell> cells;
    std::vector<std::string> notes;
  };
  const std::vector<std::string>& header() const { return header_; }
  const std::vector<Row>& rows() const { return rows_; }
  bool empty() const { return rows_.empty(); }
  /// Columns that the table needs where nothing wraps.
  int width(const Style& style, int indent = 2) const;
  /// A last cell that does not fit wraps in its column. A header without text is left out. On a
  /// terminal too narrow for the columns the rows are lists.
  std::string render(const Style& style, int indent = 2) const;

 private:
  std::vector<int> widths(const Style& style) const;
  std::string line(const std::vector<Cell>& cells, const std::vector<int>& widths,
                   const Style& style, int indent) const;
  bool fits(const std::vector<int>& widths, const Style& style, int indent) const;
  std::string stacked(const std::vector<Cell>& cells, const Style& style, int indent) const;

  std::vector<std::string> header_;
  std::vector<bool> right_;
  std::vector<Row> rows_;
};

}  // namespace gpx::report
