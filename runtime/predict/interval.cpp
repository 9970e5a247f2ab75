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

using Families = std::map<std::string, std::vector<double>>;

/// The probability that at least `rank` of the families give a size of at most `size`, where each
/// gives one of its kernels.
double at_least(const Families& families, std::size_t rank, double size) {
  std::vector<double> of_count = {1};  // by how many of the families so far give one
  for (const auto& [family, sizes] : families) {
    const auto below = std::ranges::count_if(sizes, [&](double each) { return each <= size; });
    const double gives = static_cast<double>(below) / static_cast<double>(sizes.size());
    of_count.push_back(0);
    for (std::size_t k = of_count.size() - 1; k > 0; --k)
      of_count[k] = of_count[k] * (1 - gives) + of_count[k - 1] * gives;
    of_count[0] *= 1 - gives;
  }
  double sum = 0;
  for (std::size_t k = rank; k < of_count.size(); ++k) sum += of_count[k];
  return sum;
}

/// The median of the size of that rank.
double size_of_rank(const Families& families, std::size_t rank) {
  constexpr double kHalf = 0.5 - 1e-12;
  std::vector<double> all;
  for (const auto& [family, sizes] : families) all.insert(all.end(), sizes.begin(), sizes.end());
  std::ranges::sort(all);
  for (const double size : all)
    if (at_least(families, rank, size) >= kHalf) return size;
  return all.back();
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
  Families families;
  PredictionInterval made;
  for (const PredictionError& each : errors) {
    if (each.device != device) continue;
    families[each.family].push_back(std::abs(each.log_ratio));
    ++made.kernels;
  }
  made.families = families.size();
  if (made.families < kFewestFamilies) return std::nullopt;
  const double rank = std::ceil(kCovered * static_cast<double>(made.families + 1));
  const auto most = static_cast<double>(made.families);
  made.factor = std::exp(size_of_rank(families, static_cast<std::size_t>(std::min(rank, most))));
  return made;
}

}  // namespace gpx
