// Weighted: random with a probability for each way (mei2014 Fig. 9: L1 of a GTX 560 Ti).
// Covered by tests/vgpu/cache_test.cpp.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "runtime/device/vgpu/policy/replacement.h"

namespace gpx::vgpu::timing {
namespace {

class Weighted : public FixedWays {
 public:
  static constexpr std::string_view kField = "way_probability";

  explicit Weighted(const CacheShape& shape) {
    double sum = 0;
    for (const double probability : shape.list(kField)) {
      sum += probability;
      thresholds_.push_back(sum >= 1 ? UINT64_MAX : static_cast<std::uint64_t>(sum * 0x1p64));
    }
  }

  void seed(std::uint64_t seed) { choices_.seed(seed); }
  static unsigned hit(const CacheSet&, unsigned way) { return way; }
  unsigned victim(const CacheSet& set) {
    const unsigned free = free_way(set);
    if (free != set.ways) return free;
    const auto way = std::ranges::lower_bound(thresholds_, choices_.next());
    return std::min(static_cast<unsigned>(way - thresholds_.begin()), set.ways - 1);
  }
  static unsigned enter(const CacheSet&, unsigned way) { return way; }

  static std::optional<PolicyMistake> check(const CacheShape& shape, const std::string& cache) {
    const std::vector<double>& values = shape.list(kField);
    const std::string field = fmt::format("\"{}.{}\"", cache, kField);
    if (values.size() != shape.ways || !shape.set_sizes.empty())
      return PolicyMistake{std::string(kField), fmt::format("{} has {} values for {} ways", field,
                                                            values.size(), shape.ways)};
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    if (std::abs(sum - 1) <= 1e-6) return std::nullopt;
    return PolicyMistake{std::string(kField),
                         fmt::format("the values of {} add up to {:g}, not 1", field, sum)};
  }

 private:
  std::vector<std::uint64_t> thresholds_;  // sums of the probabilities, 2^64 for 1
  Choices choices_;
};

}  // namespace

extern const Policy weighted_policy;
const Policy weighted_policy = {
    "weighted",
    "way i with the probability way_probability[i], each choice independent of the others",
    replaced_by<Weighted>,
    {{Weighted::kField, PolicyField::Kind::reals, 0, 1, "",
      "the probability of each way to be replaced; their sum is 1"}},
    false,
    Weighted::check};

}  // namespace gpx::vgpu::timing
