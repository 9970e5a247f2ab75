#include "runtime/report/table.h"

#include <algorithm>

namespace gpx::report {
namespace {

constexpr int kCellGap = 2;     ///< Columns between two cells.
constexpr int kLeastRoom = 24;  ///< Of a last cell that wraps.
constexpr int kNarrow = 80;     ///< Below it, a table that does not fit is a list.

constexpr std::size_t kMostCell = 1000;  ///< Bytes: every row is padded to the widest cell.

/// A text that is too long for a table ends in "…".
std::string clipped(std::string text) {
  if (text.size() <= kMostCell) return text;
  std::size_t end = kMostCell;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

/// Cells up to the last one with text.
std::size_t filled(const std::vector<Cell>& cells) {
  std::size_t count = cells.size();
  while (count > 0 && cells[count - 1].text.empty()) --count;
  return count;
}

}  // namespace

Table::Table(std::vector<std::string> header, std::vector<bool> right)
    : header_(std::move(header)), right_(std::move(right)) {
  right_.resize(header_.size(), false);
}

void Table::add(std::vector<Cell> row) {
  row.resize(header_.size());
  for (Cell& cell : row) cell.text = clipped(std::move(cell.text));
  rows_.push_back({std::move(row), {}});
}

void Table::note(std::string text) {
  if (!rows_.empty() && !text.empty()) rows_.back().notes.push_back(clipped(std::move(text)));
}

std::vector<int> Table::widths(const Style& style) const {
  std::vector<int> widths;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    int width = display_width(fit(style, header_[c]));
    for (const Row& row : rows_)
      width = std::max(width, display_width(fit(style, row.cells[c].text)));
    widths.push_back(width);
  }
  return widths;
}

int Table::width(const Style& style, int indent) const {
  int total = indent - kCellGap;
  for (const int width : widths(style)) total += width + kCellGap;
  return total;
}

std::string Table::line(const std::vector<Cell>& cells, const std::vector<int>& widths,
                        const Style& style, int indent) const {
  std::string text(static_cast<std::size_t>(indent), ' ');
  int column = indent;
  const std::size_t count = filled(cells);
  for (std::size_t c = 0; c < count; ++c) {
    const std::string cell = fit(style, cells[c].text);
    if (c) text.append(kCellGap, ' ');
    if (c + 1 < count || right_[c]) {
      text += paint(style, cells[c].paint, pad(cell, widths[c], right_[c]));
      column += widths[c] + kCellGap;
      continue;
    }
    // The last cell takes what room is left, on more lines if it must.
    const int room = std::max(kLeastRoom, style.width - column);
    const std::vector<std::string> pieces =
        display_width(cell) <= room ? std::vector<std::string>{cell} : wrap(cell, room);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      text += (i ? '\n' + std::string(static_cast<std::size_t>(column), ' ') : "") +
              paint(style, cells[c].paint, pieces[i]);
  }
  return text + '\n';
}

bool Table::fits(const std::vector<int>& widths, const Style& style, int indent) const {
  if (style.width >= kNarrow || widths.empty()) return true;
  int fixed = indent;
  for (std::size_t c = 0; c + 1 < widths.size(); ++c) fixed += widths[c] + kCellGap;
  return fixed + std::min(widths.back(), right_.back() ? widths.back() : kLeastRoom) <= style.width;
}

/// A row beneath its first cell, the headings before the others.
std::string Table::stacked(const std::vector<Cell>& cells, const Style& style, int indent) const {
  std::string text;
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  bool first = true;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (cells[c].text.empty()) continue;
    std::string cell = fit(style, cells[c].text);
    if (!first && !header_[c].empty()) cell = fit(style, header_[c]) + ": " + cell;
    for (const std::string& piece : wrap(cell, style.width - indent - (first ? 0 : 2)))
      text += margin + (first ? "" : "  ") + paint(style, cells[c].paint, piece) + '\n';
    first = false;
  }
  return text;
}

std::string Table::render(const Style& style, int indent) const {
  const std::vector<int> columns = widths(style);
  const bool wide = fits(columns, style, indent);
  std::vector<Cell> header;
  for (const std::string& text : header_) header.push_back({text, Paint::dim});
  std::string out = wide && filled(header) ? line(header, columns, style, indent) : std::string();
  const std::string margin(static_cast<std::size_t>(indent) + 4, ' ');
  for (const Row& row : rows_) {
    out += wide ? line(row.cells, columns, style, indent) : stacked(row.cells, style, indent);
    for (const std::string& note : row.notes)
      for (const std::string& piece : wrap(fit(style, note), style.width - indent - 4))
        out += margin + paint(style, Paint::dim, piece) + '\n';
  }
  return out;
}

}  // namespace gpx::report
