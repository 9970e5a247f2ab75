// Timeline model: the stamps of a launch by block, and its threads as lanes that passed them alike.
// Covered by tests/report/timeline_test.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/measure/samples.h"

namespace gpx::report {

/// A stamp that a thread passed: which, and clocks after the block's first.
struct Passed {
  std::size_t stamp = 0;
  double clock = 0;
  bool operator==(const Passed&) const = default;
};

/// Threads that passed the same stamps at the same clocks.
struct Lane {
  std::uint32_t first = 0, last = 0;
  std::vector<Passed> passed;
};

struct Block {
  double number = 0, sm = NAN;
  std::map<std::uint32_t, std::vector<std::pair<std::size_t, double>>> threads;  ///< Raw clocks.
};

struct ShownLaunch {
  std::string title;                ///< Its point: "measure=a, n=2"; empty where nothing varies.
  std::vector<std::string> stamps;  ///< Their labels.
  std::vector<Block> blocks;
};

/// The first launch with records of each measure.
std::vector<ShownLaunch> shown_launches(const Samples& samples);

/// A lane for each warp whose threads agree, else for each stretch of threads that do.
std::vector<Lane> lanes_of(const Block& block);
/// "warp 3", "warp 0 lanes 0–15"
std::string name_of(const Lane& lane);

/// The raw clock of the block's first stamp.
double first_clock(const Block& block);

/// Clocks between two reads of a 32-bit counter, which may have wrapped.
double clocks_between(double from, double to);

}  // namespace gpx::report
