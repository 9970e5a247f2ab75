// Spread: how the boards of one device lie along a finding's values. Covered by
// tests/fleet/atlas_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/atlas/parts.h"

namespace gpx::atlas {

/// Of the numbers of several boards.
struct Spread {
  std::size_t count = 0;
  double median = 0, low = 0, high = 0;  ///< Least and greatest.
  double sd = 0;                         ///< Standard deviation.
};
Spread spread_of(const std::vector<const Cell*>& cells);

/// Numbers as bars over their values, those that differ as dots. "" where there are none.
std::string spread_picture(const Atlas& atlas, const std::vector<const Cell*>& cells,
                           const std::string& label);

/// How many boards have each word or count.
std::map<std::string, std::size_t> words_of(const std::vector<const Cell*>& cells);

}  // namespace gpx::atlas
