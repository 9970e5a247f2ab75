// What differs between two runs, and how that is known. Covered by tests/store/diff_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/pipeline.h"

namespace gpx::store {

enum class Likeness {
  same,         ///< With a reason to say so, not only for want of a difference.
  different,    ///< By more than the intervals or the repetitions explain.
  cannot_tell,  ///< What was measured does not decide.
};
std::string_view to_string(Likeness likeness);  ///< "same", "different", "cannot tell"

struct Comparison {
  std::string experiment;
  std::string what;  ///< A finding's name, or a curve: "latency over threads, n=2".
  bool is_curve = false;
  Likeness likeness = Likeness::cannot_tell;
  std::string a, b;  ///< What each run says; "" of a curve.
  std::string why;
  std::string worst;   ///< Of a curve that is not the same: where the runs are furthest apart.
  double ratio = 0;    ///< The second number over the first, where both measured one; else 0.
  bool apart = false;  ///< Nothing is in both runs: more repetitions would tell nothing.
};

/// Experiments are compared by their names; of those that only one run has there is one line.
///
/// A finding is the same where each value lies within the other's interval, different where the
/// intervals are apart. A curve is different where a test on the repetitions says so (an
/// error of 1 %, shared among all curves); the same where none does, no point is further apart than
/// 1 % of the level, and the shift is known to be within that. Where neither can be said, `why` has
/// how many repetitions of a point would tell, if intervals shrink with the square root of them.
/// A column that describes a launch (blocks, registers, ...) is named only where it is not the
/// same.
std::vector<Comparison> diff(const RunResult& a, const RunResult& b);

}  // namespace gpx::store
