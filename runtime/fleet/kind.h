// Kind: the quantity that a finding states, the part of a GPU that it tests, and its scatter.
//
// A row of kinds.def for each, found by the finding's name and unit.
// Covered by tests/fleet/kind_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpx::fleet {

/// What of a GPU a finding depends on. Causes are told apart by the parts whose findings differ.
enum class Part : std::uint8_t {
  pipes,    ///< Arithmetic, barriers and scheduling of an SM, in clocks.
  compute,  ///< Arithmetic per second.
  shared,   ///< Shared memory, also of a cluster.
  l1,
  constants,  ///< Constant and instruction caches.
  l2,
  memory,     ///< DRAM: latency and bandwidth.
  walks,      ///< TLB misses.
  link,       ///< Another GPU's memory.
  clock,      ///< Frequencies.
  power,      ///< Energy and power.
  structure,  ///< Sizes, ways, policies: whatever is counted or named.
  units,      ///< The number of SMs, and of those that share something.
};
constexpr std::size_t kParts = static_cast<std::size_t>(Part::units) + 1;
std::string_view to_string(Part part);

enum class Sense : std::uint8_t {
  time,      ///< More is slower.
  rate,      ///< More is faster.
  quantity,  ///< Neither.
};

struct Kind {
  std::string_view name;  ///< "latency of DRAM"
  Part part;
  Sense sense;
  /// Standard deviations, relative to the value: of the runs of one board, and of equal boards.
  double run, board;
  /// Correlation of `board` with what all findings of the part share on a board; 0: nothing.
  double loading;
  /// Of both, the degrees of freedom: how alike the findings of a kind are, at most the number of
  /// boards and runs that were measured.
  double freedom;
};

/// Chance that one run gives another word or whole number than the board's other runs.
constexpr double kWrongWord = 1e-4;

/// Never fails: the last row takes every name.
const Kind& kind_of(const std::string& name, const std::string& unit);

/// "slower", "faster", "higher", "lower", of a value above or below that of the peers.
std::string_view direction(const Kind& kind, bool above);

}  // namespace gpx::fleet
