// Random: every way alike. Covered by tests/vgpu/cache_test.cpp.
#include "runtime/device/vgpu/policy/replacement.h"

namespace gpx::vgpu::timing {
namespace {

class Random : public FixedWays {
 public:
  explicit Random(const CacheShape&) {}

  void seed(std::uint64_t seed) { choices_.seed(seed); }
  static unsigned hit(const CacheSet&, unsigned way) { return way; }
  unsigned victim(const CacheSet& set) {
    const unsigned free = free_way(set);
    return free != set.ways ? free
                            : static_cast<unsigned>((choices_.next() >> 32) * set.ways >> 32);
  }
  static unsigned enter(const CacheSet&, unsigned way) { return way; }

 private:
  Choices choices_;
};

}  // namespace

extern const Policy random_policy;
const Policy random_policy = {
    "random", "every way alike; the choices are fixed by the seed, the launch and the accesses",
    replaced_by<Random>};

}  // namespace gpx::vgpu::timing
