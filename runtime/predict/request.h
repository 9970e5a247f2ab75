// A request as an experiment, so that what is wrong in it is found as in any other.
// Covered by tests/runtime/predict_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "lang/source.h"
#include "runtime/predict/predict.h"
#include "runtime/predict/sequence.h"

namespace gpx {

constexpr int kPredictRepetitions = 5;

/// The request as an experiment, and the option that each line of it is of.
class Asked {
 public:
  explicit Asked(std::string first) { add("", std::move(first)); }
  void add(std::string option, const std::string& line);
  Source source() const;

  /// Nobody wrote the experiment: what is wrong in it is so of the option.
  Error in_options(Error error) const;

 private:
  std::vector<std::string> options_;
  std::string text_;
};

/// `--arg mode=fast`: a word for the kernel, where the language has no such name, in quotes.
std::string argument_text(const std::string& value);

/// The launches before the predicted one. Errors: as earlier_launch(); options that run the
/// predicted launch alone.
Result<std::vector<EarlierLaunch>> earlier_launches(const PredictRequest& request);

/// `repeat` launches are timed, after an untimed one where they are several: a kernel that works in
/// place sees fresh contents in its only one.
/// Its measures: the predicted launch, then `--after`'s or the reference.
Result<Asked> experiment_of(const PredictRequest& request, int repeat = kPredictRepetitions);

}  // namespace gpx
