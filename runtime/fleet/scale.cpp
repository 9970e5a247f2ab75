#include "runtime/fleet/scale.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace gpx::fleet {
namespace {

constexpr double kMedianVariance = 1.57;   ///< Of a median, times that of the mean.
constexpr std::size_t kFewest = 5;         ///< Values whose quartiles say anything.
constexpr double kQuartilesOfSd = 1.349;   ///< Of a normal distribution.
constexpr double kQuartileFreedom = 0.37;  ///< Efficiency of the quartiles' distance.

double without(const std::vector<double>& sorted, std::size_t left_out, std::size_t at) {
  return sorted[at + (at >= left_out ? 1 : 0)];
}

/// By interpolation.
double quantile(const std::vector<double>& sorted, std::size_t left_out, double share) {
  const std::size_t count = sorted.size() - 1;
  const double at = share * static_cast<double>(count - 1);
  const auto below = static_cast<std::size_t>(at);
  const double low = without(sorted, left_out, below);
  if (below + 1 >= count) return low;
  return low + (at - static_cast<double>(below)) * (without(sorted, left_out, below + 1) - low);
}

}  // namespace

Variance Variance::with(const Variance& other) const {
  const double all = freedom + other.freedom;
  if (!(all > 0)) return {};
  return {(freedom * value + other.freedom * other.value) / all, all};
}

Variance sum(const std::vector<Variance>& parts) {
  double total = 0, below = 0;
  for (const Variance& part : parts) {
    total += part.value;
    if (part.freedom > 0) below += part.value * part.value / part.freedom;
  }
  return {total, below > 0 ? total * total / below : 1e6};
}

Variance spread_without(const std::vector<double>& sorted, std::size_t left_out) {
  if (sorted.size() < kFewest + 1) return {};
  const double sd =
      (quantile(sorted, left_out, 0.75) - quantile(sorted, left_out, 0.25)) / kQuartilesOfSd;
  return {sd * sd, kQuartileFreedom * static_cast<double>(sorted.size() - 2)};
}

double median_without(const std::vector<double>& sorted, std::size_t left_out) {
  const std::size_t count = sorted.size() - 1;
  const double low = without(sorted, left_out, (count - 1) / 2),
               high = without(sorted, left_out, count / 2), own = sorted[left_out];
  return own - low < high - own ? low : high;
}

double median_factor(std::size_t count) {
  return 1 + (count > 2 ? kMedianVariance : 1) / static_cast<double>(count);
}

double chance(double t, double freedom) {
  const boost::math::students_t distribution(freedom);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double bound(double chance, double freedom) {
  const boost::math::students_t distribution(freedom);
  return boost::math::quantile(boost::math::complement(distribution, chance / 2));
}

}  // namespace gpx::fleet
