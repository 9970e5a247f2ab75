// The two tests of a finding: of numbers, by a moderated t; of words and counts, by how often they
// were found. Covered by tests/fleet/compare_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "runtime/fleet/compare.h"
#include "runtime/fleet/samples.h"

namespace gpx::fleet {

/// A finding of one board before the error rate is shared out.
struct Test {
  Judged judged;      ///< Standing: of a clear difference; `missing` and `ambiguous` are final.
  bool open = false;  ///< The chance decides.
  double difference = 0, error = 0, freedom = 1;  ///< Of numbers, relative; error: standard.
  const Kind* kind = nullptr;
  double value = 0;                             ///< Of numbers, the mean of the board's runs.
  double board_variance = 0, run_variance = 0;  ///< Of this board's value; relative.
  std::size_t column = 0;                       ///< Of columns_of().
  /// The smallest standard error of a test of it, by which its level is chosen.
  double resolution = 0, resolution_freedom = 1;
  std::string expected;       ///< By its related findings, if they show its difference.
  double run_share = 0;       ///< Of error², what more repetitions would take away.
  double runs = 1;            ///< Of the board.
  std::size_t word_runs = 0;  ///< Of words: the fewer of the board's and its peers' runs.
};

/// One for each of the column's boards that can be compared, and for those among `boards` that lack
/// what most of them have.
std::vector<std::pair<std::size_t, Test>> tests_of(const Fleet& fleet, const Column& column,
                                                   const std::vector<std::size_t>& boards);

/// What is left where a chance does not reach `level`: same, or ambiguous with the repetitions that
/// would tell.
void settle(Test& test, double level, double margin);

}  // namespace gpx::fleet
