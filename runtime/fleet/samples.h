// What the boards of one model found of one finding, as the tests take it.
// Covered by tests/fleet/compare_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/fleet/board.h"
#include "runtime/fleet/scale.h"

namespace gpx::fleet {

/// One board's readings of one finding.
struct Sample {
  std::size_t board = 0;           ///< Of Fleet::boards.
  std::vector<double> numbers;     ///< Of each run that measured one.
  std::vector<std::string> words;  ///< Of each run that decided: "LRU", "16", "not observed".
  bool undecided = false;          ///< Some run is inconclusive.
  double half = 0;                 ///< Half of the interval of a number, as a standard deviation.
  double mean() const;
  /// The word that all runs agree on; "": they do not, or there is none.
  std::string word() const;
};

/// One finding, measured in one way, by several boards of one model.
struct Column {
  std::uint32_t finding = 0;
  std::vector<Sample> samples;  ///< By board.
  bool numeric = false;         ///< A number with scatter, rather than a word or a count.
  Variance run;                 ///< Relative, of the runs of one board.
};

/// Of the boards with these indices, all of one model.
std::vector<Column> columns_of(const Fleet& fleet, const std::vector<std::size_t>& boards);

}  // namespace gpx::fleet
