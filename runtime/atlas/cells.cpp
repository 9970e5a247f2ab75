#include "runtime/atlas/cells.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace gpx::atlas {
namespace {

using fleet::Reading;

constexpr std::size_t kLongestName = 100;

Cell cell_of(const fleet::Fleet& fleet, std::uint32_t board, const Reading* first,
             const Reading* last) {
  Cell cell;
  cell.finding = first->finding;
  cell.board = board;
  cell.value = cell.low = cell.high = std::numeric_limits<double>::quiet_NaN();
  const Reading* decided = last - 1;
  double total = 0;
  for (const Reading* each = first; each != last; ++each) {
    if (each->verdict != Verdict::inconclusive) decided = each;
    if (std::isnan(each->value)) continue;
    total += each->value;
    ++cell.runs;
  }
  cell.verdict = decided->verdict;
  const fleet::FindingName& name = fleet.findings[cell.finding];
  if (cell.runs > 0) {
    cell.value = total / cell.runs;
    cell.low = decided->low;
    cell.high = decided->high;
  } else {
    cell.runs = static_cast<std::uint32_t>(last - first);
  }
  cell.text = decided->verdict == Verdict::measured && !std::isnan(cell.value)
                  ? fleet::number_text(name, cell.value)
                  : fleet::reading_text(name, *decided);
  return cell;
}

std::vector<Cell> cells_of_board(const fleet::Fleet& fleet, std::uint32_t board) {
  const std::vector<Reading>& readings = fleet.boards[board].readings;
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < readings.size();) {
    std::size_t end = i;
    while (end < readings.size() && readings[end].finding == readings[i].finding) ++end;
    cells.push_back(cell_of(fleet, board, &readings[i], &readings[i] + (end - i)));
    i = end;
  }
  return cells;
}

}  // namespace

Cells cells_of(const fleet::Fleet& fleet, const std::vector<fleet::Likeness>& likenesses) {
  Cells cells;
  cells.by_finding.resize(fleet.findings.size());
  for (std::uint32_t board = 0; board < fleet.boards.size(); ++board) {
    auto& own = cells.by_board.emplace_back(cells_of_board(fleet, board));
    std::unordered_map<std::uint32_t, const fleet::Judged*> judged;
    for (const fleet::Judged& each : likenesses[board].judged) judged[each.finding] = &each;
    for (Cell& cell : own)
      if (const auto at = judged.find(cell.finding); at != judged.end()) cell.judged = at->second;
  }
  for (const auto& own : cells.by_board)
    for (const Cell& cell : own) cells.by_finding[cell.finding].push_back(&cell);
  return cells;
}

std::string FileNames::of(const std::string& name) {
  std::string file;
  for (const char c : name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    const bool within = !file.empty() && file.back() != '-' && file.back() != '.';
    if (letter || c == '_' || (c == '.' && within))
      file += c;
    else if (within)
      file += '-';
  }
  if (file.size() > kLongestName) file.resize(kLongestName);
  while (!file.empty() && (file.back() == '-' || file.back() == '.')) file.pop_back();
  if (file.empty()) file = "board";
  std::string own = file;
  for (int count = 2; !known_.insert(own).second; ++count) own = fmt::format("{}_{}", file, count);
  return own;
}

}  // namespace gpx::atlas
