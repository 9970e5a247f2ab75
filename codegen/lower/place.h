// Lowering of what a measure asks of its SM: the settings of its memories, its place, and what runs
// beside it. Covered by tests/codegen/place_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "codegen/lower/body.h"

namespace gpx::codegen {

/// `bank_width` and `carveout`.
class SettingsLowering {
 public:
  explicit SettingsLowering(LowerContext& context);
  /// False after blame.
  bool point(const SweepCursor& at, Launch& launch);

 private:
  bool bank_width(const SweepCursor& at, Launch& launch);
  bool carveout(const SweepCursor& at, Launch& launch);

  LowerContext& context_;
  std::optional<PointExpr> bank_width_, carveout_;
};

/// `place` and `beside`. The scalars are `blocks_met`, `sm0`, `sm1`, ..., and behind those of the
/// measure's own body those of the bodies beside it.
class PlaceLowering {
 public:
  PlaceLowering(LowerContext& context, Numbering& numbers);

  /// Appends the first scalars and sets Launch::placed. False after blame.
  bool point(const SweepCursor& at, Launch& launch);
  bool bodies(const SweepCursor& at, std::vector<std::uint64_t>& shape,
              std::vector<std::uint64_t>& scalars);

  void scalar_names(std::vector<std::string>& out) const;
  void body_scalar_names(std::vector<std::string>& out) const;
  /// Arrays that are not in the list yet.
  void add_arrays(std::vector<const ArrayLowering*>& list) const;
  /// `made` has its buffers and scalars.
  void structure(const std::uint64_t*& next, Structure& made) const;
  void results(std::vector<ResultSlot>& slots) const;
  /// Blocks of a launch: so many that each SM gets as many as there are in all.
  std::uint32_t grid() const;

 private:
  struct Beside {
    PointExpr sm;
    std::optional<PointExpr> condition;
    BodyLowering body;
  };
  std::optional<std::uint64_t> sm(PointExpr& expr, const SweepCursor& at);
  std::optional<bool> present(Beside& beside, const SweepCursor& at);

  LowerContext& context_;
  std::optional<PointExpr> place_;
  std::deque<Beside> beside_;
};

}  // namespace gpx::codegen
