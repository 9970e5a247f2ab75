// Interval: between which times a launch lies in nine of ten cases, from how far predictions of
// other kernels were off on the same GPU (split conformal prediction: Vovk, Gammerman and Shafer
// 2005).
//
// Kernels of one family are off alike, so that only one of each family counts: of these n sizes of
// |log(measured / predicted)| the interval reaches as far as the one of rank ceil(0.9 (n + 1)), or
// the largest where there are too few. Which kernel that is of each family is left to chance: the
// interval is the median over all choices (repeated subsampling: Dunn, Wasserman and Ramdas 2022).
// Covered by tests/runtime/interval_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"

namespace gpx {

/// A prediction that was compared with a measurement.
struct PredictionError {
  std::string device, family;
  double log_ratio = 0;  ///< Of what was measured to what was predicted.
};

struct PredictionInterval {
  double factor = 1;         ///< From the prediction divided by it to the prediction times it.
  std::size_t families = 0;  ///< That it was found from.
  std::size_t kernels = 0;
};

/// stdlib/predict/errors.csv: "device,family,name,log_ratio". No errors where there is no file.
/// Errors: a line that is none.
Result<std::vector<PredictionError>> read_errors(const std::string& stdlib);

/// Of the device; nullopt: fewer than `kFewestFamilies` were measured on it.
inline constexpr std::size_t kFewestFamilies = 9;
std::optional<PredictionInterval> interval_of(const std::vector<PredictionError>& errors,
                                              const std::string& device);

}  // namespace gpx
