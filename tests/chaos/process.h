// A gpx process that is bothered: stopped and continued, interrupted in its calls, on a slow disk,
// under a clock that jumps, and killed at a random moment. Used by chaos.cpp.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace gpx::chaos {

using Random = std::mt19937_64;

inline double below(Random& random, double most) {
  return std::uniform_real_distribution<double>(0, most)(random);
}
inline bool one_in(Random& random, unsigned count) {
  return random() % count == 0;
}

/// What all processes of one round share.
struct Surroundings {
  std::string gpx, preload, folder, cache;
};

struct Ended {
  int status = -1;  ///< Of the exit; -1: by a signal.
  int signal = 0;
  bool killed() const { return signal != 0; }
};

/// How often what was done.
struct Counts {
  unsigned long kills = 0, stops = 0, signals = 0, slow = 0, jumps = 0;
  unsigned long points = 0, runs = 0;  ///< That a reader saw; that were resumed to their end.
  unsigned long imports = 0, tables = 0, full = 0;  ///< Rounds of each kind.
  Counts& operator+=(const Counts& other);
};

/// Runs `gpx ARGUMENTS` in the folder; its output goes to FOLDER/out.txt.
Ended run_plain(const Surroundings& place, const std::vector<std::string>& arguments);
/// The same, bothered, and killed after at most `seconds`, unless it ends before.
Ended run_bothered(const Surroundings& place, const std::vector<std::string>& arguments,
                   double seconds, Random& random, Counts& counts);

/// Processes that are still at work in the folder.
std::vector<int> processes_in(const std::string& folder);

}  // namespace gpx::chaos
