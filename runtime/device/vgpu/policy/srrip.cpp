// SRRIP: static re-reference interval prediction (Jaleel 2010, section 4.1). A line has an M-bit
// prediction of how far off its next use is (RRPV); a line of the largest one is replaced.
// Covered by tests/vgpu/cache_test.cpp.
#include <fmt/format.h>

#include "runtime/device/vgpu/policy/replacement.h"

namespace gpx::vgpu::timing {
namespace {

class Srrip : public FixedWays {
 public:
  static constexpr std::string_view kBits = "rrpv_bits", kInsertion = "rrpv_insertion",
                                    kHit = "rrpv_hit";

  explicit Srrip(const CacheShape& shape)
      : ways_(shape.ways),
        most_(static_cast<std::uint8_t>(most_rrpv(shape))),
        insertion_(static_cast<std::uint8_t>(shape.number(kInsertion, most_ - 1))),
        decrement_(shape.number(kHit, 0) != 0),
        rrpv_(shape.sets * shape.ways, most_) {}

  void clear(std::uint64_t set) { std::fill_n(&rrpv_[set * ways_], ways_, most_); }
  const void* state(std::uint64_t set) const { return &rrpv_[set * ways_]; }

  unsigned hit(const CacheSet& set, unsigned way) {
    std::uint8_t& rrpv = of(set)[way];
    rrpv = decrement_ ? static_cast<std::uint8_t>(rrpv - (rrpv != 0)) : std::uint8_t{0};
    return way;
  }
  // All lines age until one has the largest prediction; the first such way is the victim.
  unsigned victim(const CacheSet& set) {
    const unsigned free = free_way(set);
    if (free != set.ways) return free;
    std::uint8_t* rrpv = of(set);
    const std::uint8_t* oldest = std::max_element(rrpv, rrpv + set.ways);
    const auto way = static_cast<unsigned>(oldest - rrpv);
    const auto aged = static_cast<std::uint8_t>(most_ - *oldest);
    for (unsigned i = 0; i < set.ways; ++i) rrpv[i] = static_cast<std::uint8_t>(rrpv[i] + aged);
    return way;
  }
  unsigned enter(const CacheSet& set, unsigned way) {
    of(set)[way] = insertion_;
    return way;
  }

  static std::optional<PolicyMistake> check(const CacheShape& shape, const std::string& cache) {
    if (shape.number(kInsertion, 0) <= most_rrpv(shape)) return std::nullopt;
    return PolicyMistake{std::string(kInsertion),
                         fmt::format("\"{}.{}\" is {}, more than the largest RRPV of {} bits ({})",
                                     cache, kInsertion, shape.number(kInsertion, 0),
                                     shape.number(kBits, 2), most_rrpv(shape))};
  }

 private:
  static unsigned most_rrpv(const CacheShape& shape) {
    return (1u << static_cast<unsigned>(shape.number(kBits, 2))) - 1;
  }
  std::uint8_t* of(const CacheSet& set) { return &rrpv_[set.index * ways_]; }

  unsigned ways_;
  std::uint8_t most_, insertion_;
  bool decrement_;
  std::vector<std::uint8_t> rrpv_;  // by set and way
};

}  // namespace

extern const Policy srrip_policy;
const Policy srrip_policy = {
    "srrip",
    "static re-reference interval prediction (Jaleel 2010): the first line of the largest RRPV; "
    "where none has it, all RRPVs grow alike until one does",
    replaced_by<Srrip>,
    {{Srrip::kBits, PolicyField::Kind::count, 1, 7, "2", "bits of a line's RRPV"},
     {Srrip::kInsertion, PolicyField::Kind::count, 0, 127, "the largest RRPV less 1",
      "RRPV of a line that enters (SRRIP: the largest less 1; the largest is BRRIP's usual one)"},
     {Srrip::kHit, PolicyField::Kind::word, 0, 0, "zero",
      "what a hit does to the RRPV: zero is hit priority (SRRIP-HP), decrement is frequency "
      "priority (SRRIP-FP)",
      "zero decrement"}},
    true,
    Srrip::check};

}  // namespace gpx::vgpu::timing
