// Figures: which curves a result is shown as, and the same curves as a small table.
// Covered by tests/report/figures_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/pipeline.h"
#include "runtime/report/plot.h"
#include "runtime/report/table.h"

namespace gpx::report {

/// The experiment's `plot` lines; without one, every observed column (and the variance, where there
/// is one) over the innermost swept axis, if it takes at least three values.
std::vector<Plot> plots_of(const ExperimentResult& result);

/// One panel for each y, one curve for each combination of the axes that are not on x. At most
/// eight curves; `left_out` counts the others.
struct BuiltFigure {
  Figure figure;
  std::size_t left_out = 0;
};
BuiltFigure build_figure(const ExperimentResult& result, const Plot& plot);

/// For each observed column and curve: points, least and greatest value and where they lie.
Table summary_table(const ExperimentResult& result);

/// Columns that are observed and shown: all observed ones but the checksum.
std::vector<const Column*> shown_columns(const Samples& curves);

}  // namespace gpx::report
