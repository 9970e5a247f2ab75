// LRU: the least recently used line is replaced. Covered by tests/vgpu/cache_test.cpp.
#include "runtime/device/vgpu/policy/replacement.h"

namespace gpx::vgpu::timing {
namespace {

class Lru : public OrderedWays {
 public:
  explicit Lru(const CacheShape& shape) : enter_last_(shape.number("insertion", 0) != 0) {}

  static unsigned hit(const CacheSet& set, unsigned way) { return move_to(set, way, 0); }
  unsigned enter(const CacheSet& set, unsigned way) const {
    unsigned place = 0;
    if (enter_last_)  // of a full set; a set with room fills up
      while (place < way && set.lines[place].valid()) ++place;
    return move_to(set, way, place);
  }

 private:
  bool enter_last_;
};

}  // namespace

extern const Policy lru_policy;
const Policy lru_policy = {
    "lru",
    "the line that was used least recently is replaced",
    replaced_by<Lru>,
    {{"insertion", PolicyField::Kind::word, 0, 0, "mru",
      "where a missed line enters its set's order of recency: mru is plain LRU replacement; with "
      "lru a line must be used again before it displaces others",
      "mru lru"}},
};

}  // namespace gpx::vgpu::timing
