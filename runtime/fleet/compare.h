// Comparison: each finding of each board against the boards of its model.
//
// An error rate is shared among all findings of a board (error_rate.h). What is missing or zero
// never counts as alike. docs/boards.md describes the method. Covered by
// tests/fleet/compare_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/fleet/board.h"

namespace gpx::fleet {

enum class Standing : std::uint8_t {
  same,       ///< Any difference is less than CompareOptions::margin.
  below,      ///< A number, less than that of the peers.
  above,      ///< More.
  structure,  ///< Another word or count.
  ambiguous,  ///< What was measured does not decide.
  missing,    ///< The peers have it and the board does not, or it is zero.
};

struct Judged {
  std::uint32_t finding = 0;
  Standing standing = Standing::ambiguous;
  double ratio = 0;   ///< To the peers; 0: not two numbers.
  double chance = 1;  ///< Of such a difference among equal boards.
  std::size_t peers = 0;
  std::string board, others;  ///< The two values.
  std::string why;  ///< Of `ambiguous`, with the repetitions that would tell; of `missing`.
};

/// "same", "slower", "different structure", …
std::string standing_word(const FindingName& finding, Standing standing);

struct Likeness {
  std::size_t board = 0;  ///< Of Fleet::boards.
  std::size_t peers = 0;  ///< Boards of its model; 0: nothing is judged.
  std::vector<Judged> judged;
  std::size_t measured = 0;  ///< Judged, and no facts of a driver.
  std::size_t alone = 0;     ///< Findings of the board that no peer has.
  /// Likely causes of what differs, the likeliest first; empty: none fits.
  struct Cause {
    std::string name, why;
  };
  std::vector<Cause> causes;

  std::size_t count(Standing standing) const;
  /// Something differs, or is missing: not a board like the others.
  bool stands_out() const;
};

struct CompareOptions {
  double error = 0.01;   ///< Chance that a board among equal ones stands out.
  double margin = 0.03;  ///< A difference that matters.
};

/// One for each board, in the fleet's order.
std::vector<Likeness> compare(const Fleet& fleet, const CompareOptions& options);

}  // namespace gpx::fleet
