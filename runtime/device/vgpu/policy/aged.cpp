// Aged: lines age by the hits of others in their set, not by fills. A hit makes its line new and
// all others one older; a line that enters is as old as `fill_age` hits; the oldest leaves, of
// several the one that was used longest ago. Ages have no limit (an H200's L1 shows none below 9).
// Covered by tests/vgpu/cache_test.cpp.
#include "runtime/device/vgpu/policy/replacement.h"

namespace gpx::vgpu::timing {
namespace {

class Aged : public FixedWays {
 public:
  static constexpr std::string_view kFillAge = "fill_age";

  explicit Aged(const CacheShape& shape)
      : ways_(shape.ways),
        fill_age_(static_cast<std::int64_t>(shape.number(kFillAge, 2))),
        hits_(shape.sets),
        lines_(shape.sets * shape.ways) {}

  void clear(std::uint64_t set) {
    hits_[set] = 0;
    std::fill_n(&lines_[set * ways_], ways_, Line{});
  }
  const void* state(std::uint64_t set) const { return &lines_[set * ways_]; }

  unsigned hit(const CacheSet& set, unsigned way) {
    of(set)[way] = {++hits_[set.index], ++uses_};
    return way;
  }
  unsigned victim(const CacheSet& set) {
    const unsigned free = free_way(set);
    if (free != set.ways) return free;
    const Line* lines = of(set);
    return static_cast<unsigned>(std::min_element(lines, lines + set.ways) - lines);
  }
  bool leaves_before(const CacheSet& set, unsigned way, unsigned other) const {
    const Line* lines = &lines_[set.index * ways_];
    return lines[way] < lines[other];
  }
  unsigned enter(const CacheSet& set, unsigned way) {
    of(set)[way] = {hits_[set.index] - fill_age_, ++uses_};
    return way;
  }

 private:
  struct Line {
    std::int64_t born = 0;  ///< In hits of the set.
    std::uint64_t used = 0;
    auto operator<=>(const Line&) const = default;
  };
  Line* of(const CacheSet& set) { return &lines_[set.index * ways_]; }

  unsigned ways_;
  std::int64_t fill_age_;
  std::uint64_t uses_ = 0;
  std::vector<std::int64_t> hits_;  // by set
  std::vector<Line> lines_;         // by set and way
};

}  // namespace

extern const Policy aged_policy;
const Policy aged_policy = {
    "aged",
    "a hit makes all other lines of the set one older, a line that enters is as old as some hits; "
    "the oldest leaves (an H200's L1)",
    replaced_by<Aged>,
    {{Aged::kFillAge, PolicyField::Kind::count, 0, 64, "2", "age of a line that enters, in hits"}},
};

}  // namespace gpx::vgpu::timing
