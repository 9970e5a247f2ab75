// Rules: what the numbers of an experiment may be. Each limit stands here, once.
//
// The checker applies them at every point of a small sweep and at the ends of a large one
// (lang/extremes.h), lowering at every point; both refuse with the same words.
// Covered by tests/lang/rules_test.cpp.
#pragma once

#include <string>

#include "lang/value.h"

namespace gpx {

constexpr double max_count = 2147483647;        ///< Threads, blocks.
constexpr double max_bytes = 9007199254740992;  ///< 2^53: beyond it a double skips integers.

/// A number that an expression must give at every point of the sweep.
struct NumberRule {
  const char* what = "";  ///< "threads"
  Unit unit = Unit::none;
  double low = 0;
  double high = 0;  ///< max_count and max_bytes stand for no limit.

  bool admits(double value) const;  ///< Within the limits, and whole but for a time.
  std::string limits() const;       ///< "a whole number from 1 to 9"
};

/// What is wrong with addresses `bytes` apart of accesses of `width`; "" if nothing is.
std::string alignment_fault(double bytes, double width);
/// What is wrong with the width of an access.
std::string width_fault(double width);

}  // namespace gpx
