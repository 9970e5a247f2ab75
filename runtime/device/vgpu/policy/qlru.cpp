// QLRU: quad-age LRU as Intel's caches have it, in the names of Abel and Reineke 2020 (nanoBench,
// section VI): QLRU_Hxy_Mx_Rx_Ux, with _UMO where ages are updated on misses only.
//
// A line has an age of 0 to 3; one of age 3 is replaced. Not supported: insertion ages at random
// (MRpx). Covered by tests/vgpu/cache_test.cpp.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "runtime/device/vgpu/policy/replacement.h"

namespace gpx::vgpu::timing {
namespace {

class Qlru : public FixedWays {
 public:
  static constexpr std::string_view kHit = "qlru_hit", kInsertion = "qlru_insertion",
                                    kVictim = "qlru_replacement", kUpdate = "qlru_update",
                                    kWhen = "qlru_update_on";

  explicit Qlru(const CacheShape& shape)
      : ways_(shape.ways),
        after_hit_(kAfterHit[word(shape, kHit)]),
        insertion_(kInsertionAges[word(shape, kInsertion)]),
        last_free_(word(shape, kVictim) == 2),
        update_(word(shape, kUpdate)),
        on_miss_(word(shape, kWhen) == 1),
        ages_(shape.sets * shape.ways, kOldest) {}

  void clear(std::uint64_t set) { std::fill_n(&ages_[set * ways_], ways_, kOldest); }
  const void* state(std::uint64_t set) const { return &ages_[set * ways_]; }

  unsigned hit(const CacheSet& set, unsigned way) {
    std::uint8_t& age = of(set)[way];
    age = after_hit_[age];
    if (!on_miss_) update(set, way);
    return way;
  }
  // Ages that the update has left below 3 (R1) make the first way the victim.
  unsigned victim(const CacheSet& set) {
    if (on_miss_) update(set, set.ways);
    unsigned free = last_free_ ? last_free_way(set) : free_way(set);
    if (free != set.ways) return free;
    const std::uint8_t* const ages = of(set);
    const void* const found = std::memchr(ages, kOldest, set.ways);
    return found ? static_cast<unsigned>(static_cast<const std::uint8_t*>(found) - ages) : 0;
  }
  unsigned enter(const CacheSet& set, unsigned way) {
    of(set)[way] = insertion_;
    if (!on_miss_) update(set, way);
    return way;
  }

  // R0 and R2 take a line of age 3: U2 and U3 do not see to it that there is one.
  static std::optional<PolicyMistake> check(const CacheShape& shape, const std::string& cache) {
    if (shape.number(kVictim, 0) == 1 || shape.number(kUpdate, 0) < 2) return std::nullopt;
    return PolicyMistake{std::string(kUpdate),
                         fmt::format("\"{}.{}\" may leave a set without a line of age 3: U2 and U3 "
                                     "need \"{}.{}\" R1",
                                     cache, kUpdate, cache, kVictim)};
  }

 private:
  static constexpr std::uint8_t kOldest = 3;
  using Ages = std::array<std::uint8_t, kOldest + 1>;
  /// By word of kHit: the age after a hit, by the age before it.
  static constexpr std::array<Ages, 5> kAfterHit = {
      {{0, 0, 1, 1}, {0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 2}, {0, 0, 1, 2}}};
  static constexpr std::array<std::uint8_t, 4> kInsertionAges = {1, 0, 2, 3};

  static std::size_t word(const CacheShape& shape, std::string_view field) {
    return static_cast<std::size_t>(shape.number(field, 0));
  }
  static unsigned last_free_way(const CacheSet& set) {
    unsigned way = set.ways;
    while (way != 0 && set.lines[way - 1].valid()) --way;
    return way == 0 ? set.ways : way - 1;
  }
  // All lines age, or all but the one just used (U1, U3; set.ways: none was): until one has age 3
  // (U0, U1), or by 1 where none has it (U2, U3).
  void update(const CacheSet& set, unsigned used) {
    std::uint8_t* ages = of(set);
    const bool spare = update_ % 2 != 0, by_one = update_ >= 2;
    // Nearly always a line has age 3, and the library's search looks at sixteen at a time.
    if ((by_one || !spare) && std::memchr(ages, kOldest, set.ways)) return;
    std::uint8_t oldest = 0;
    for (unsigned way = 0; way < set.ways; ++way)
      if (by_one || !spare || way != used) oldest = std::max(oldest, ages[way]);
    if (oldest == kOldest) return;
    const auto more = static_cast<std::uint8_t>(by_one ? 1 : kOldest - oldest);
    for (unsigned way = 0; way < set.ways; ++way)
      if (!spare || way != used) ages[way] = static_cast<std::uint8_t>(ages[way] + more);
  }
  std::uint8_t* of(const CacheSet& set) { return &ages_[set.index * ways_]; }

  unsigned ways_;
  Ages after_hit_;
  std::uint8_t insertion_;
  bool last_free_;
  std::size_t update_;
  bool on_miss_;
  std::vector<std::uint8_t> ages_;  // by set and way
};

}  // namespace

extern const Policy qlru_policy;
const Policy qlru_policy = {
    "qlru",
    "quad-age LRU, QLRU_Hxy_Mx_Rx_Ux of nanoBench (Abel 2020): the first line of age 3; ages are "
    "updated so that there is one",
    replaced_by<Qlru>,
    {{Qlru::kHit, PolicyField::Kind::word, 0, 0, "H11",
      "Hxy: a hit makes age 3 x, age 2 y, and any other age 0", "H11 H00 H10 H20 H21"},
     {Qlru::kInsertion, PolicyField::Kind::word, 0, 0, "M1", "Mx: a line enters with age x",
      "M1 M0 M2 M3"},
     {Qlru::kVictim, PolicyField::Kind::word, 0, 0, "R0",
      "R0: the first free way, else the first line of age 3; R1: the same, and the first way where "
      "no line has age 3; R2: as R0, but the last free way",
      "R0 R1 R2"},
     {Qlru::kUpdate, PolicyField::Kind::word, 0, 0, "U0",
      "where no line has age 3: U0 adds to all ages what the oldest lacks, U2 adds 1; U1 and U3 "
      "the "
      "same without the line that was just used",
      "U0 U1 U2 U3"},
     {Qlru::kWhen, PolicyField::Kind::word, 0, 0, "access",
      "when ages are updated: after each access, or (UMO) before the victim of a miss is chosen",
      "access miss"}},
    true,
    Qlru::check};

}  // namespace gpx::vgpu::timing
