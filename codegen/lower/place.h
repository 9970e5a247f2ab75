// Lowering of what a measure asks of its SM: the settings of its memories, its place, and what runs
// beside it. Covered by tests/codegen/place_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "codegen/lower/body.h"

namespace gpx::codegen {

/// `bank_width` and `carveout` of the point.
void set_memories(LowerContext& context, Launch& launch);

/// `place` and `beside`. The scalars are `blocks_met`, `sm0`, `sm1`, ..., and behind those of the
/// measure's own body those of the bodies beside it.
class PlaceLowering {
 public:
  PlaceLowering(LowerContext& context, Numbering& numbers);

  /// Adds the first scalars and sets Launch::placed.
  void point(Launch& launch);
  std::vector<Structure> bodies();

  /// Arrays that are not in the list yet.
  void add_arrays(std::vector<const ArrayLowering*>& list) const;
  /// After the walk. `made` has its buffers and scalars.
  void frame(Frame& made);
  void results(std::vector<ResultSlot>& slots) const;
  /// Blocks of a launch: so many that each SM gets as many as there are in all.
  std::uint32_t grid() const;

 private:
  std::uint64_t sm(const Expr& expr);

  LowerContext& context_;
  std::deque<BodyLowering> beside_;  // One for each companion of the measure.
};

}  // namespace gpx::codegen
