// Lowering of one access statement: its addresses at every point, and what they reach.
// Covered by tests/codegen/lower_test.cpp.
#pragma once

#include <cstdint>

#include "codegen/lower/context.h"
#include "codegen/lower/structure.h"

namespace gpx::codegen {

class AccessLowering {
 public:
  /// `number`: of the accesses of its body.
  AccessLowering(LowerContext& context, const Access& access, std::size_t number);

  /// At a point where the grid has `threads` threads. `numbered`: its scalars' names end with its
  /// number, because it is not the body's only access.
  AccessShape point(std::uint64_t threads, bool numbered);

  const Access& access() const { return access_; }
  /// The place to blame for the number of accesses.
  Span count_span() const;
  /// After the walk. Of the whole sweep: bytes from the buffer's start; 0 after blame.
  std::uint64_t reach();
  AccessSpread spread();

 private:
  AccessPoint numbers(std::uint64_t threads);
  void extend(const AccessPoint& point);
  bool folds() const;
  std::uint64_t span() const { return round_up(reach_, kSpanUnit); }

  LowerContext& context_;
  const Access& access_;
  const PatternRow& row_;
  const PatternCode& code_;
  std::size_t number_;
  std::uint64_t reach_ = 0;  // The largest of PatternCode::reach.
  std::uint64_t max_count_ = 1;
};

}  // namespace gpx::codegen
