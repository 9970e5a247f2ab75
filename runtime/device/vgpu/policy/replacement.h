// Replacement: finds lines in a set, and makes room in it by a policy.
//
// A policy is a class of a few inline functions; ReplacedBy<P> is the walk over the ways around
// them, compiled once for each policy, so that an access costs one virtual call and no more. A
// policy P has:
//   P(const CacheShape&)
//   unsigned hit(set, way)     the line of that way is used; the way where it is afterwards
//   unsigned victim(set)       a free way, or the one whose line leaves
//   unsigned enter(set, way)   that way is vacated; the way for the line that enters
//   void leave(set, way)       the line of that way is no longer wanted
//   void clear(index)          the set is emptied; void seed(seed): both only where it has state
//   const void* state(index)   where its state of a set begins: only where it has some
// Covered by tests/vgpu/cache_test.cpp.
#pragma once

#include <memory>

#include "lang/assert.h"
#include "runtime/device/vgpu/policy/cache_line.h"
#include "runtime/device/vgpu/policy/policy.h"

namespace gpx::vgpu::timing {

class Replacement {
 public:
  virtual ~Replacement() = default;

  /// The line, now used; nullptr: a miss.
  virtual CacheLine* find(const CacheSet& set, std::uint64_t line) = 0;

  /// The same without using it.
  virtual const CacheLine* peek(const CacheSet& set, std::uint64_t line) const = 0;

  struct Inserted {
    bool wrote_back() const { return left.valid() && left.dirty(); }
    CacheLine& line;
    CacheLine left;  ///< What had to leave for it; not valid: nothing.
  };
  /// Makes room for `line`, which is not there.
  virtual Inserted insert(const CacheSet& set, std::uint64_t line) = 0;

  /// Of the lines of a set the one that would leave first if no way were free; nullptr: none is
  /// there.
  virtual const CacheLine* first_to_leave(const CacheSet& set) const = 0;

  /// The line, if it is there, leaves its way free.
  virtual void drop(const CacheSet& set, std::uint64_t line) = 0;

  /// A set is emptied.
  virtual void clear(std::uint64_t set) = 0;
  /// Where what is kept of a set beside its lines begins; nullptr: nothing is.
  virtual const void* state(std::uint64_t set) const = 0;
  /// For policies that choose at random: the same seed gives the same choices.
  virtual void seed(std::uint64_t seed) = 0;
};

template <class P>
class ReplacedBy final : public Replacement {
 public:
  explicit ReplacedBy(const CacheShape& shape) : policy_(shape) {}

  CacheLine* find(const CacheSet& set, std::uint64_t line) override {
    const unsigned way = way_of(set, line);
    return way == set.ways ? nullptr : &set.lines[policy_.hit(set, way)];
  }

  const CacheLine* peek(const CacheSet& set, std::uint64_t line) const override {
    const unsigned way = way_of(set, line);
    return way == set.ways ? nullptr : &set.lines[way];
  }

  Inserted insert(const CacheSet& set, std::uint64_t line) override {
    GPX_ASSERT(way_of(set, line) == set.ways, "a set holds a line once");
    const unsigned left = policy_.victim(set);
    const CacheLine leaves = set.lines[left];
    CacheLine& entered = set.lines[policy_.enter(set, left)];
    entered = CacheLine(line);
    return {entered, leaves};
  }

  // Policies that do not say it: the line that arrived first.
  const CacheLine* first_to_leave(const CacheSet& set) const override {
    const CacheLine* first = nullptr;
    for (unsigned way = 0; way < set.ways; ++way) {
      const CacheLine* const each = set.lines + way;
      if (!each->valid()) continue;
      bool before = !first;
      if constexpr (requires { policy_.leaves_before(set, 0u, 0u); })
        before =
            before || policy_.leaves_before(set, way, static_cast<unsigned>(first - set.lines));
      else
        before = before || each->arrived < first->arrived;
      if (before) first = each;
    }
    return first;
  }

  void drop(const CacheSet& set, std::uint64_t line) override {
    if (const unsigned way = way_of(set, line); way < set.ways) policy_.leave(set, way);
  }

  void clear([[maybe_unused]] std::uint64_t set) override {
    if constexpr (requires { policy_.clear(set); }) policy_.clear(set);
  }
  const void* state([[maybe_unused]] std::uint64_t set) const override {
    if constexpr (requires { policy_.state(set); }) return policy_.state(set);
    return nullptr;
  }
  void seed([[maybe_unused]] std::uint64_t seed) override {
    if constexpr (requires { policy_.seed(seed); }) policy_.seed(seed);
  }

 private:
  /// Where the line is; set.ways: it is not there. Four ways at a time: a miss looks at all of
  /// them.
  static unsigned way_of(const CacheSet& set, std::uint64_t line) {
    unsigned way = 0;
    for (; way + 4 <= set.ways; way += 4) {
      const CacheLine* const at = set.lines + way;
      if (at[0].is(line) | at[1].is(line) | at[2].is(line) | at[3].is(line)) break;
    }
    while (way < set.ways && !set.lines[way].is(line)) ++way;
    return way;
  }

  P policy_;
};

template <class P>
std::unique_ptr<Replacement> replaced_by(const CacheShape& shape) {
  return std::make_unique<ReplacedBy<P>>(shape);
}

// --- what policies have in common ---

/// The ways are an order of the lines: the first entered last (or was used last), the last is the
/// next victim.
class OrderedWays {
 public:
  static unsigned victim(const CacheSet& set) { return set.ways - 1; }
  static unsigned enter(const CacheSet& set, unsigned way) { return move_to(set, way, 0); }
  /// The free way is the next to be taken.
  static void leave(const CacheSet& set, unsigned way) {
    std::rotate(set.lines + way, set.lines + way + 1, set.lines + set.ways);
    set.lines[set.ways - 1] = {};
  }

 protected:
  /// The line of `way` moves forward to `place`.
  static unsigned move_to(const CacheSet& set, unsigned way, unsigned place) {
    if (way == place) return place;
    const CacheLine moved = set.lines[way];
    std::copy_backward(set.lines + place, set.lines + way, set.lines + way + 1);
    set.lines[place] = moved;
    return place;
  }
};

/// A line stays in its way; a free way is taken first.
class FixedWays {
 public:
  static void leave(const CacheSet& set, unsigned way) { set.lines[way] = {}; }

 protected:
  /// The first free way; set.ways: there is none.
  static unsigned free_way(const CacheSet& set) {
    unsigned way = 0;
    while (way < set.ways && set.lines[way].valid()) ++way;
    return way;
  }
};

/// Seeded choices (splitmix64).
class Choices {
 public:
  /// Seeds that differ by what next() adds must not give one sequence, begun at different places.
  void seed(std::uint64_t seed) {
    state_ = seed;
    state_ = next();
  }
  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace gpx::vgpu::timing
