// Names of verdicts. Interface: finding.h. Covered by tests/runtime/analysis_test.cpp.
#include "runtime/analysis/finding.h"

namespace gpx {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::measured:
      return "measured";
    case Verdict::not_observed:
      return "not_observed";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "inconclusive";
}

}  // namespace gpx
