// Interface: stopping.h. Covered by tests/runtime/stopping_test.cpp.
#include "runtime/measure/stopping.h"

#include <algorithm>
#include <cmath>

#include "lang/assert.h"

namespace gpx {
namespace {

/// How much more repetitions the next look has: a run goes beyond what it needs by no more.
constexpr double kGrowth = 1.2;

std::vector<std::uint32_t> counts(std::uint32_t most) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t n = kFirstLook; n < most;
       n = static_cast<std::uint32_t>(std::ceil(n * kGrowth)))
    all.push_back(n);
  all.push_back(most);
  return all;
}

double spent(std::uint32_t n, std::uint32_t most) {
  const auto scale = [](std::uint32_t count) {
    return std::log(static_cast<double>(count) / static_cast<double>(kFewestForMedian));
  };
  return kIntervalError * scale(n) / scale(most);
}

/// How many of n values lie below the median, as far as no look has missed: the probability of
/// each number from `first_` on.
class Walk {
 public:
  void step_to(std::uint32_t n) {
    for (; n_ < n; ++n_) {
      chances_.push_back(0);
      for (std::size_t i = chances_.size(); i-- > 0;)
        chances_[i] = (chances_[i] + (i > 0 ? chances_[i - 1] : 0)) / 2;
    }
  }

  /// Takes the numbers below r and above n - r away, r the largest with which no more than
  /// `budget` is taken. Adds what is taken to `taken`.
  std::size_t cut(double budget, double& taken) {
    std::size_t rank = 0;
    for (; 2 * rank < n_; ++rank) {
      const double more = at(rank) + at(n_ - rank);
      if (taken + more > budget) break;
      taken += more;
    }
    const std::size_t low = std::max(rank, first_);
    const std::size_t end = std::min(n_ - rank + 1, first_ + chances_.size());
    chances_ = {chances_.begin() + static_cast<std::ptrdiff_t>(low - first_),
                chances_.begin() + static_cast<std::ptrdiff_t>(end - first_)};
    first_ = low;
    return rank;
  }

 private:
  double at(std::size_t number) const {
    return number < first_ || number >= first_ + chances_.size() ? 0 : chances_[number - first_];
  }

  std::size_t n_ = 0, first_ = 0;
  std::vector<double> chances_ = {1};
};

}  // namespace

std::vector<Look> looks(std::uint32_t most) {
  GPX_ASSERT(most >= kFirstLook);
  std::vector<Look> all;
  Walk walk;
  double taken = 0;
  for (const std::uint32_t n : counts(most)) {
    walk.step_to(n);
    const std::size_t rank = walk.cut(spent(n, most), taken);
    GPX_ASSERT(rank > 0);
    all.push_back({n, rank_error(n, rank)});
  }
  return all;
}

double error_at(const std::vector<Look>& looks, std::size_t repetitions) {
  GPX_ASSERT(!looks.empty());
  double error = looks.front().error;
  for (const Look& look : looks)
    if (look.repetitions <= repetitions) error = look.error;
  return error;
}

bool is_within(double value, const Interval& interval, double target) {
  if (std::isnan(value)) return true;
  return interval.exists() && interval.half_width(value) <= target;
}

}  // namespace gpx
