#include "runtime/report/table.h"

#include <algorithm>

namespace gpx::report {
namespace {

constexpr int kGap = 2;  ///< Columns between two cells.

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
  rows_.push_back({std::move(row), {}});
}

void Table::note(std::string text) {
  if (!rows_.empty() && !text.empty()) rows_.back().notes.push_back(std::move(text));
}

std::string Table::render(const Style& style, int indent) const {
  std::vector<int> widths;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    int width = display_width(fit(style, header_[c]));
    for (const Row& row : rows_)
      width = std::max(width, display_width(fit(style, row.cells[c].text)));
    widths.push_back(width);
  }
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const std::string gap(kGap, ' ');
  std::string out;
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string text = margin;
    const std::size_t count = filled(cells);
    for (std::size_t c = 0; c < count; ++c) {
      const bool open_end = c + 1 == count && !right_[c];  // No trailing space.
      const std::string padded =
          pad(fit(style, cells[c].text), open_end ? 0 : widths[c], right_[c]);
      text += (c ? gap : "") + paint(style, cells[c].paint, padded);
    }
    out += text + '\n';
  };
  std::vector<Cell> header;
  for (const std::string& text : header_) header.push_back({text, Paint::dim});
  line(header);
  for (const Row& row : rows_) {
    line(row.cells);
    for (const std::string& note : row.notes)
      for (const std::string& piece : wrap(fit(style, note), style.width - indent - 4))
        out += margin + "    " + paint(style, Paint::dim, piece) + '\n';
  }
  return out;
}

}  // namespace gpx::report
