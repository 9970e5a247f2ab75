// Fit: values of a device file that no single finding gives, chosen so that the virtual GPU repeats
// what was measured.
//
// stdlib/twin/fits.lua lists groups: fields, and the experiments whose points decide them. The
// error of a group is the mean of |ln(modelled / measured)| over its points; fit_search.h says how
// its least is found and what the interval of a value is. Covered by tests/twin/fit_test.cpp.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "runtime/twin/draft.h"

namespace gpx::twin {

/// What a group of fields came to.
struct FitGroup {
  std::string name;        ///< "stores"
  std::size_t points = 0;  ///< That were measured and modelled.
  double before = 0, after = 0;
  std::size_t runs = 0;                   ///< Of the group's experiments on the virtual GPU.
  std::vector<std::string> changed = {};  ///< "lsu.issue: 4 clocks, was 3.5 clocks"
};

struct FitOptions {
  std::vector<std::string> groups;  ///< Their names; empty: all.
  /// The text of a file that another fit made, of a device of the same chip: its fitted values are
  /// the first ones, and so is what it assumes where no finding says more.
  std::string start;
  std::size_t threads = 0;  ///< 0: one for each core. The result is the same.
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const FitGroup&)> on_group;
};

/// Errors: a name that no group has.
Result<void> check_groups(const Paths& paths, const std::vector<std::string>& names);

/// Fits the draft's values to the samples of `measured`. Groups whose experiments were not measured
/// are left as they are, as is one whose error is below kExact at once; the draft then says what is
/// missing. A group that is stopped keeps the best values that it met, without intervals. Errors:
/// mistakes of the table, a draft that is no device file, a start of another chip or without a
/// fitted value.
Result<std::vector<FitGroup>> fit(const Paths& paths, const std::vector<Measured>& measured,
                                  Draft& draft, const FitOptions& options);

inline constexpr double kExact = 0.002;

}  // namespace gpx::twin
