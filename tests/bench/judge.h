// Findings against planted truth: exact, inside the interval, inconclusive, confidently wrong, or
// not decidable. Covered by tests/bench/recover_test.cpp.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "runtime/characterize.h"
#include "tests/bench/random_device.h"

namespace gpx::bench {

enum class Judged { exact, inside, inconclusive, wrong, undecidable };
inline constexpr std::size_t kJudged = 5;
const char* to_string(Judged judged);

/// The parameter under which a level that is not there counts; no share of recovered ones.
inline constexpr const char* kAbsence = "absence";

struct Judgement {
  std::string finding, parameter;
  Judged judged = Judged::inconclusive;
  std::string text;  ///< "l1.ways is 5, planted is 4"
};

/// A value that is not the planted one is wrong unless its interval holds that; so is "not
/// observed" of what is there and can be decided, and any measured structure of a level that is not
/// there.
std::vector<Judgement> judge(const RandomDevice& device, const std::vector<Finding>& findings);

std::vector<Finding> findings_of(const RunResult& result);

/// Counts by parameter.
class Tally {
 public:
  void add(const Judgement& judgement);
  std::size_t count(Judged judged) const;
  std::size_t count(Judged judged, const std::string& parameter) const;
  /// One line a parameter, and their sum.
  std::string table() const;

 private:
  std::map<std::string, std::array<std::size_t, kJudged>> counts_;
};

}  // namespace gpx::bench
