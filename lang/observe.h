// What can be observed: one row of traits for each `observe NAME`, in lang/observe.def. The
// checker, the vocabulary, lowering, the samples' columns and what is drawn all follow from the
// row. Covered by tests/lang/observe_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lang/experiment.h"
#include "lang/lists.h"

namespace gpx {

/// A word of the language that an observation adds: what `:help` says of a column.
struct ObservedTerm {
  const char* syntax = nullptr;  ///< nullptr: the column is not explained by itself.
  const char* help = nullptr;
};

struct ObservedColumn {
  const char* name;
  Unit unit = Unit::none;
  ObservedTerm term = {};
  bool is_place = false;  ///< It says where or when: its range says nothing, and nothing draws it.
};

/// What tells the records of one launch apart, and how many values it has there.
enum class Extent { blocks, threads, warps, stamps, accesses, statements };
struct ObservedKey {
  const char* name;
  Extent extent;
  ObservedTerm term = {};
  bool has_labels() const { return extent == Extent::stamps; }
};

/// Drawn where no `plot` asks for something else: curves over an axis or over the first key, or a
/// line of stamps for each group of threads.
enum class Drawing { over_axis, over_key, timeline };

/// What a region must hold.
struct RegionNeed {
  bool (*met)(const Measure& measure);
  const char* what;  ///< "needs one load of an array, and nothing else"
  const char* hint;
};

struct ObserveTraits {
  Observe observe;
  const char* name;
  const char* help;     ///< One line.
  bool clocked = true;  ///< By the SM's clock around the region; else the time of the grid.
  std::vector<ObservedColumn> columns = {};
  /// Of the records of a launch, the last running fastest; none: a launch gives one value.
  std::vector<ObservedKey> keys = {};
  bool per_access = false;  ///< The value is divided by the accesses of a thread's chase.
  bool of_nothing = false;  ///< An empty region can be observed too.
  Drawing drawing = Drawing::over_axis;
  const RegionNeed* needs = nullptr;

  bool has_key(Extent extent) const { return contains(keys, extent, &ObservedKey::extent); }
  /// Its line of the reference.
  std::string document() const;
  /// Values of a launch that the kernel writes, before its records: the columns, in their order.
  std::size_t result_slots() const { return clocked && keys.empty() ? columns.size() : 0; }
};

const std::vector<ObserveTraits>& observations();
const ObserveTraits& traits_of(Observe observe);
/// The column, and the key, of this name of the first observation that has it; nullptr: none has.
const ObservedColumn* observed_column(std::string_view name);
const ObservedKey* record_key(std::string_view name);
/// "latency, each or average"; of the clocked ones alone, or of all.
std::string observation_names(bool only_clocked);

inline constexpr std::array kObserveNames = {
#define GPX_OBSERVE(name, ...) std::string_view(#name),
#include "lang/observe.def"
#undef GPX_OBSERVE
};

}  // namespace gpx
