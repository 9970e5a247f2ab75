#include "runtime/store/rank_test.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "lang/assert.h"
#include "runtime/measure/samples.h"

namespace gpx::store {
namespace {

/// Of the values of b among all of a point.
struct RankSum {
  double excess = 0;    ///< Less what is expected.
  double variance = 0;  ///< 0 where all values are equal.
};

RankSum rank_sum(const Stratum& point) {
  GPX_ASSERT(!point.a.empty() && !point.b.empty());  // Points of one run only are not compared.
  std::vector<std::pair<double, bool>> all;
  for (const double value : point.a) all.emplace_back(value, false);
  for (const double value : point.b) all.emplace_back(value, true);
  std::ranges::sort(all);
  const double n = static_cast<double>(all.size());
  const double a = static_cast<double>(point.a.size()), b = static_cast<double>(point.b.size());
  double sum = 0, ties = 0;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    while (end < all.size() && all[end].first == all[first].first) ++end;
    const double tied = static_cast<double>(end - first);
    const double rank = static_cast<double>(first) + (tied + 1) / 2;
    for (std::size_t i = first; i < end; ++i) sum += all[i].second ? rank : 0;
    ties += tied * tied * tied - tied;
    first = end;
  }
  return {sum - b * (n + 1) / 2, a * b / 12 * (n + 1 - ties / (n * (n - 1)))};
}

/// log(n choose k)
double log_ways(std::size_t a, std::size_t b) {
  return std::lgamma(static_cast<double>(a + b + 1)) - std::lgamma(static_cast<double>(a + 1)) -
         std::lgamma(static_cast<double>(b + 1));
}

double median(const std::vector<double>& values) {
  return reduce_values(values, Reduce::median);
}

}  // namespace

double rank_test(const std::vector<Stratum>& points) {
  double shift = 0, variance = 0, squares = 0, count = 0, ways = 0;
  for (const Stratum& point : points) {
    const RankSum ranks = rank_sum(point);
    if (!(ranks.variance > 0)) continue;
    const double weight = 1 / static_cast<double>(point.a.size() + point.b.size() + 1);
    shift += weight * ranks.excess;
    variance += weight * weight * ranks.variance;
    squares += ranks.excess * ranks.excess / ranks.variance;
    ways += log_ways(point.a.size(), point.b.size());
    ++count;
  }
  if (count == 0) return 1;
  using namespace boost::math;
  const double shifted = 2 * cdf(complement(normal(), std::abs(shift) / std::sqrt(variance)));
  const double scattered = cdf(complement(chi_squared(count), squares));
  const double least = 2 * std::exp(-ways);
  return std::min(1.0, 2 * std::max(std::min(shifted, scattered), least));
}

double dealing_test(const std::vector<Stratum>& points, double least) {
  GPX_ASSERT(least > 0 && least < 1);  // A p-value, which sets the number of deals.
  constexpr double kMostSteps = 5e7;
  constexpr int kEnough = 10;  // Deals that reach the sum: it is no rare one.
  std::vector<std::vector<double>> all;
  std::vector<double> totals;
  double values = 0, observed = 0;
  for (const Stratum& point : points) {
    all.push_back(point.b);
    all.back().insert(all.back().end(), point.a.begin(), point.a.end());
    totals.push_back(std::accumulate(all.back().begin(), all.back().end(), 0.0));
    values += static_cast<double>(all.back().size());
  }
  const auto sum_of_squares = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto b = static_cast<std::ptrdiff_t>(points[i].b.size());
      const double in_b = std::accumulate(all[i].begin(), all[i].begin() + b, 0.0);
      const double difference = in_b / static_cast<double>(b) -
                                (totals[i] - in_b) / static_cast<double>(points[i].a.size());
      sum += difference * difference;
    }
    return sum;
  };
  observed = sum_of_squares();
  std::mt19937_64 random(1);
  const int deals = static_cast<int>(std::min(20 / least, kMostSteps / values));
  int reached = 0, dealt = 0;
  for (; dealt < deals && reached < kEnough; ++dealt) {
    for (std::vector<double>& point : all) std::ranges::shuffle(point, random);
    reached += sum_of_squares() >= observed * (1 - 1e-12) ? 1 : 0;
  }
  return static_cast<double>(reached + 1) / (dealt + 1);
}

std::size_t points_apart(const std::vector<Stratum>& points, double negligible) {
  std::size_t apart = 0;
  for (const Stratum& point : points) {
    const auto [low_a, high_a] = std::ranges::minmax(point.a);
    const auto [low_b, high_b] = std::ranges::minmax(point.b);
    const bool disjoint = high_a < low_b || high_b < low_a;
    apart += disjoint && std::abs(median(point.b) - median(point.a)) > negligible ? 1 : 0;
  }
  return apart;
}

std::optional<Shift> shift_of(const std::vector<Stratum>& points) {
  constexpr double kOneSide = 0.005;
  constexpr std::size_t kLeast = 8;
  if (points.size() < kLeast) return std::nullopt;
  std::vector<double> shifts;
  for (const Stratum& point : points) shifts.push_back(median(point.b) - median(point.a));
  std::ranges::sort(shifts);
  const boost::math::binomial coin(static_cast<double>(shifts.size()), 0.5);
  // The largest k with P(X <= k - 1) within the side's share: the k-th from either end.
  std::size_t k = 0;
  while (k < shifts.size() / 2 && boost::math::cdf(coin, static_cast<double>(k)) <= kOneSide) ++k;
  if (k == 0) return std::nullopt;
  return Shift{median(shifts), shifts[k - 1], shifts[shifts.size() - k]};
}

}  // namespace gpx::store
