// ReadPath: what one SM sees of a read-only hierarchy (constants, code, textures): levels of
// caches, then L2 and DRAM.
//
// The latencies of its levels are what an access sees in all, so a lower level's is no sum. A level
// that is beyond the TPC adds the TPC's interconnect offset. Covered by
// tests/vgpu/hierarchy_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/vgpu/memory/memory_path.h"

namespace gpx::vgpu::timing {

class ReadPath {
 public:
  /// `name`: "constant", the sections of its levels without their numbers. `bytes`: what the first
  /// level hands over. `tlb` translates what misses the first level.
  ReadPath(std::string_view name, MemorySystem& system, unsigned sm,
           const Description::Behind& behind, std::uint64_t bytes,
           std::optional<Tlb> tlb = std::nullopt);

  /// The next level; `cache.latency` is that of this path, whoever else uses the level.
  void add(const Placed& placed, const Description::Cache& cache);
  bool has_levels() const { return !steps_.empty(); }
  /// What the first level hands over, before any is added.
  void reads(std::uint64_t bytes) { bytes_ = bytes; }

  /// The clock begins again.
  void start_launch() { beyond_.clear(); }

  /// All levels have what lies at `address`.
  void hold(std::uint64_t address);
  /// A read of `address` changes nothing that is beyond the SM's TPC.
  bool is_near(std::uint64_t address) const {
    return near_ && steps_.front().level->tags.peek(address >> steps_.front().shift) != nullptr;
  }
  /// When what lies at `address` is there, if asked for at `clk`.
  Clk read(std::uint64_t address, Clk clk);

 private:
  struct Step {
    std::string name;
    Level* level;
    unsigned shift;       // from an address to a line
    Clk latency;          // with the interconnect's offset
    std::uint64_t bytes;  // that it hands over
  };
  Extra translate(std::uint64_t address, Clk clk);
  void tell(Clk clk, const Step& step, Lookup outcome) const {
    if (Listener* listener = system_.listener()) [[unlikely]]
      listener->looks_up(clk, sm_, step.name, outcome);
  }

  std::string_view name_;
  MemorySystem& system_;
  std::vector<Step> steps_;
  bool near_ = false;    // the first level is of the SM or its TPC
  std::uint64_t bytes_;  // that the next level to be added hands over
  std::optional<Tlb> tlb_;
  unsigned sm_;
  Clk offset_;
  Clk to_dram_;
  std::optional<Clk> to_l2_;
  Port beyond_;  // of what misses every level
};

}  // namespace gpx::vgpu::timing
