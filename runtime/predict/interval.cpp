// Interface: interval.h. Covered by tests/runtime/interval_test.cpp.
#include "runtime/predict/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "codegen/files/files.h"

namespace gpx {
namespace {

constexpr double kCovered = 0.9;

/// The value of rank ceil(covered * count), the first being 1; the largest beyond.
double quantile(std::vector<double> values, double rank) {
  std::ranges::sort(values);
  const auto at = static_cast<std::size_t>(std::max(std::ceil(rank), 1.0));
  return values[std::min(at, values.size()) - 1];
}

std::optional<PredictionError> error_of(const std::string& line) {
  std::istringstream cells(line);
  PredictionError error;
  std::string name, ratio;
  std::getline(cells, error.device, ',');
  std::getline(cells, error.family, ',');
  std::getline(cells, name, ',');
  std::getline(cells, ratio);
  const char* const end = ratio.data() + ratio.size();
  const auto [stop, code] = std::from_chars(ratio.data(), end, error.log_ratio);
  if (code != std::errc{} || stop != end || !std::isfinite(error.log_ratio)) return std::nullopt;
  return error;
}

}  // namespace

Result<std::vector<PredictionError>> read_errors(const std::string& stdlib) {
  const std::string path = stdlib + "/predict/errors.csv";
  std::vector<PredictionError> errors;
  const auto text = file_text(path);
  if (!text) return errors;
  std::istringstream lines(*text);
  std::string line;
  std::getline(lines, line);  // the names of the columns
  for (int number = 2; std::getline(lines, line); ++number) {
    auto error = error_of(line);
    if (!error)
      return fail(Fault::input,
                  fmt::format("{}:{}: expected device,family,name,log_ratio", path, number));
    errors.push_back(std::move(*error));
  }
  return errors;
}

std::optional<PredictionInterval> interval_of(const std::vector<PredictionError>& errors,
                                              const std::string& device) {
  std::map<std::string, std::vector<double>> families;
  PredictionInterval made;
  for (const PredictionError& each : errors) {
    if (each.device != device) continue;
    families[each.family].push_back(std::abs(each.log_ratio));
    ++made.kernels;
  }
  made.families = families.size();
  if (made.families < kFewestFamilies) return std::nullopt;
  std::vector<double> worst;
  for (const auto& [family, sizes] : families)
    worst.push_back(quantile(sizes, kCovered * static_cast<double>(sizes.size())));
  made.factor = std::exp(quantile(worst, kCovered * static_cast<double>(worst.size() + 1)));
  return made;
}

}  // namespace gpx
