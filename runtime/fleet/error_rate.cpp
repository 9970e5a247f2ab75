#include "runtime/fleet/error_rate.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace gpx::fleet {
namespace {

constexpr double kEqual = 0.2, kWords = 0.2;  ///< Of the rate.
constexpr double kSteps = 20;  ///< Of a factor of e, in which errors and freedoms are alike.

/// A test's margin in standard errors, rounded, and its degrees of freedom.
struct Size {
  int margin, freedom;
  auto operator<=>(const Size&) const = default;
  double margin_errors() const { return std::exp(margin / kSteps); }
  double degrees() const { return std::exp(freedom / kSteps); }
};

Size size_of(const Test& test, double margin) {
  const auto step = [](double value) {
    return static_cast<int>(std::lround(kSteps * std::log(value)));
  };
  return {step(margin / test.resolution), step(test.resolution_freedom)};
}

/// The levels of sizes for a constant that grows as they shrink.
double level_at(const Size& size, double constant) {
  const double margin = size.margin_errors();
  return chance(margin / 2 + constant / margin, size.degrees());
}

/// Levels of all sizes that sum up to `rate`.
std::map<Size, double> optimal_levels(const std::map<Size, double>& counts, double rate) {
  const auto total = [&](double constant) {
    double sum = 0;
    for (const auto& [size, count] : counts) sum += count * level_at(size, constant);
    return sum;
  };
  double low = 0, high = 1;
  while (total(high) > rate && high < 1e9) high *= 4;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (total(middle) > rate ? low : high) = middle;
  }
  std::map<Size, double> levels;
  for (const auto& [size, count] : counts) levels[size] = level_at(size, high);
  return levels;
}

bool is_number(const Test& test) {
  return test.error > 0;
}

std::vector<double> levels_of(const std::vector<Test*>& open, const CompareOptions& options) {
  std::map<Size, double> counts;
  double numbers = 0, words = 0;
  for (const Test* test : open) {
    (is_number(*test) ? numbers : words) += 1;
    if (is_number(*test)) ++counts[size_of(*test, options.margin)];
  }
  const double for_words = words > 0 ? kWords * options.error : 0;
  const double for_numbers = options.error - for_words;
  const auto optimal = optimal_levels(counts, (1 - kEqual) * for_numbers);
  std::vector<double> levels;
  for (const Test* test : open)
    levels.push_back(is_number(*test) ? kEqual * for_numbers / numbers +
                                            optimal.at(size_of(*test, options.margin))
                                      : for_words / words);
  return levels;
}

}  // namespace

void share_error(std::vector<Test>& tests, const CompareOptions& options) {
  std::vector<Test*> open;
  for (Test& test : tests)
    if (test.open) open.push_back(&test);
  const std::vector<double> levels = levels_of(open, options);
  std::vector<std::size_t> order(open.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t at) {
    return open[at]->judged.chance / std::max(levels[at], 1e-300);
  });
  double left = 0;
  for (const double level : levels) left += level;
  bool differs = true;
  for (const std::size_t at : order) {
    const double level = left > 0 ? levels[at] * options.error / left : levels[at];
    differs = differs && open[at]->judged.chance <= level;
    if (differs) {
      left -= levels[at];
      open[at]->judged.why = open[at]->expected;
    } else {
      settle(*open[at], std::min(0.5, level), options.margin);
    }
  }
}

}  // namespace gpx::fleet
