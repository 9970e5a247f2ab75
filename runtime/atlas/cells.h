// Cells: what each board has of each finding, in both orders: what the pages of an atlas show.
// Covered by tests/fleet/atlas_test.cpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/fleet/compare.h"

namespace gpx::atlas {

/// One finding of one board, over its runs.
struct Cell {
  std::uint32_t finding = 0;  ///< Of Fleet::findings.
  std::uint32_t board = 0;    ///< Of Fleet::boards.
  std::uint32_t runs = 0;
  Verdict verdict = Verdict::inconclusive;  ///< Of the last run that decided.
  double value = 0;                         ///< Mean over the runs; NaN: no number.
  double low = 0, high = 0;                 ///< Of the last run; NaN: none.
  std::string text;                         ///< "281.6 clocks", "LRU", "not observed"
  const fleet::Judged* judged = nullptr;    ///< nullptr: not compared.
};

struct Cells {
  std::vector<std::vector<Cell>> by_board;           ///< By finding.
  std::vector<std::vector<const Cell*>> by_finding;  ///< By board: device, then serial.
};
/// They point into `likenesses`.
Cells cells_of(const fleet::Fleet& fleet, const std::vector<fleet::Likeness>& likenesses);

/// Names of files, each once: letters, digits, dots and dashes, about 100 of them.
class FileNames {
 public:
  std::string of(const std::string& name);

 private:
  std::set<std::string> known_;
};

}  // namespace gpx::atlas
