// Tree-PLRU: a binary tree over the ways, whose nodes point to the half that was not used last.
// Covered by tests/vgpu/cache_test.cpp.
#include <fmt/format.h>

#include <bit>

#include "runtime/device/vgpu/policy/replacement.h"

namespace gpx::vgpu::timing {
namespace {

class Plru : public FixedWays {
 public:
  explicit Plru(const CacheShape& shape) : trees_(shape.sets) {}

  void clear(std::uint64_t set) { trees_[set] = 0; }
  const void* state(std::uint64_t set) const { return &trees_[set]; }

  // Node n has the children 2n and 2n + 1; its bit says in which half the next victim is.
  unsigned hit(const CacheSet& set, unsigned way) {
    std::uint64_t& tree = trees_[set.index];
    unsigned node = 1;
    for (unsigned half = set.ways / 2; half != 0; half /= 2) {
      const unsigned side = (way & half) != 0 ? 1 : 0;
      tree = (tree & ~(std::uint64_t{1} << node)) | std::uint64_t{1 - side} << node;
      node = 2 * node + side;
    }
    return way;
  }
  unsigned victim(const CacheSet& set) const {
    const unsigned free = free_way(set);
    if (free != set.ways) return free;
    unsigned node = 1;
    while (node < set.ways) node = 2 * node + (trees_[set.index] >> node & 1);
    return node - set.ways;
  }
  unsigned enter(const CacheSet& set, unsigned way) { return hit(set, way); }

  static bool has_tree(std::uint32_t ways) { return std::has_single_bit(ways) && ways <= 64; }
  static std::optional<PolicyMistake> check(const CacheShape& shape, const std::string& cache) {
    if (has_tree(shape.ways) && std::ranges::all_of(shape.set_sizes, has_tree)) return std::nullopt;
    return PolicyMistake{
        "policy", fmt::format("\"{}.policy\" is plru: a set has 1, 2, 4, ... 64 ways, not {}",
                              cache, shape.ways)};
  }

 private:
  std::vector<std::uint64_t> trees_;  // by set
};

}  // namespace

extern const Policy plru_policy;
const Policy plru_policy = {"plru",
                            "a binary tree: each node points to the half that was not used last",
                            replaced_by<Plru>,
                            {},
                            false,
                            Plru::check};

}  // namespace gpx::vgpu::timing
