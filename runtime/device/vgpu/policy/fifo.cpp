// FIFO: the line that entered first is replaced, used or not. Covered by
// tests/vgpu/cache_test.cpp.
#include "runtime/device/vgpu/policy/replacement.h"

namespace gpx::vgpu::timing {
namespace {

class Fifo : public OrderedWays {
 public:
  explicit Fifo(const CacheShape&) {}
  static unsigned hit(const CacheSet&, unsigned way) { return way; }
};

}  // namespace

extern const Policy fifo_policy;
const Policy fifo_policy = {"fifo", "the line that entered first is replaced", replaced_by<Fifo>};

}  // namespace gpx::vgpu::timing
