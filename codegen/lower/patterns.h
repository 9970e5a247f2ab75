// The code of access patterns: one row for each row of lang/patterns.h.
// Covered by tests/codegen/patterns_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/patterns.h"

namespace gpx::codegen {

class KernelBuilder;
using Bytes = unsigned __int128;

/// An access statement at one point of the sweep.
struct AccessPoint {
  std::uint32_t width = 4, count = 1;                      ///< Bytes of one access; accesses.
  std::array<std::uint64_t, kPatternArguments> args = {};  ///< The pattern's, in its row's order.
  std::uint64_t threads = 0;            ///< Of the grid; of `bulk` and `tensor`: blocks.
  std::vector<std::uint32_t> box = {};  ///< Of `tensor`: bytes of an element, then the sides.
};

/// A number that the kernel gets as an argument.
struct PatternScalar {
  const char* name;
  std::uint64_t (*value)(const AccessPoint&);
};

/// How the accesses of a statement lie in its buffer: the same over the whole sweep.
struct AccessSpread {
  std::uint64_t span = 0;               ///< PatternCode::layered: bytes between two accesses.
  std::optional<std::uint64_t> folded;  ///< PatternCode::folds: the only value of the sweep.
};

/// What decides the code of a statement's addresses.
struct PlacesShape {
  std::uint32_t width, count;
  const AccessSpread& spread;
};

/// An offset from a buffer's start that every thread computes, and what an access adds to it.
struct Place {
  std::uint32_t offset;  ///< A register.
  std::uint64_t add;
};

struct PatternCode {
  const char* name;
  /// Bytes from the buffer's start that the accesses of one index reach, of all threads. Without
  /// `layered`: those of every index.
  Bytes (*reach)(const AccessPoint&);
  /// Accesses of different index lie AccessSpread::span apart.
  bool layered = false;
  /// Where the whole sweep has one value of the first argument, it is part of the code
  /// (AccessSpread::folded), and there are no scalars.
  bool folds = false;
  std::vector<PatternScalar> scalars;
  /// One place for each access of a thread.
  std::vector<Place> (*places)(KernelBuilder&, const PlacesShape&);
  /// What is wrong with a point; "" if nothing is.
  std::string (*fault)(const AccessPoint&) = nullptr;
};

const PatternCode& pattern_code(std::string_view name);

}  // namespace gpx::codegen
