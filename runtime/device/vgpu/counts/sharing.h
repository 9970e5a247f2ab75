// Sharing: which blocks read and which wrote each word of the buffers that a launch both reads and
// writes. A word that one block reads and another one writes makes the blocks depend on each other.
//
// Covered by tests/vgpu/dependence_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "codegen/ptx/module.h"
#include "runtime/device/vgpu/counts/touched.h"
#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu {

class Sharing {
 public:
  struct Region {
    std::uint64_t begin, bytes;
    Touched::Buffers buffer;
  };
  /// `regions`: the buffers, by address; what lies elsewhere is of the module.
  Sharing(const Touched& touched, std::vector<Region> regions)
      : touched_(touched), regions_(std::move(regions)) {}

  /// An instruction of that block, or cluster.
  void see(std::uint64_t block, const ptx::Instruction& instruction, const exec::Effect& effect);

  /// The PTX line at which two blocks were seen to share a word that one of them reads and one
  /// writes; 0: none.
  int conflict() const { return conflict_; }
  /// The PTX line of a load of a word that its own block never wrote, in a buffer that others may
  /// write; 0: none. Where not all blocks were run, nobody knows that none of them does.
  int foreign() const;
  /// It holds as many words as it should, 200 MB of the host's memory.
  bool full() const { return pages_.size() >= kMostPages; }

 private:
  /// Numbers of blocks plus 1.
  struct Word {
    std::uint32_t reader = 0, writer = 0;
    int line = 0;  ///< Of the first load.
  };
  static constexpr std::uint32_t kSeveral = ~std::uint32_t{0};
  static constexpr std::uint64_t kWords = 256, kMostPages = 64 << 10;
  /// A page has its words in parts, which are made when they are touched.
  static constexpr std::uint64_t kPart = 32;
  using Part = std::array<Word, kPart>;
  using Page = std::array<std::unique_ptr<Part>, kWords / kPart>;

  bool tracked(std::uint64_t address);
  void touch(std::uint64_t address, std::uint64_t bytes);
  void touch_word(Word& word);

  const Touched& touched_;
  std::vector<Region> regions_;
  std::size_t last_ = 0;  ///< Of the regions, the one that was found last.
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t page_ = ~std::uint64_t{0};  ///< The last one's number.
  Page* parts_ = nullptr;
  // Of the instruction that is seen.
  std::uint32_t block_ = 0;
  bool reads_ = false, writes_ = false;
  int line_ = 0, conflict_ = 0;
};

}  // namespace gpx::vgpu
