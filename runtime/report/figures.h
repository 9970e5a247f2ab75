// Figures: which curves a result is shown as, and the same curves as a small table.
// Covered by tests/report/figures_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/observe.h"
#include "runtime/pipeline.h"
#include "runtime/report/plot.h"
#include "runtime/report/table.h"

namespace gpx::report {

/// The experiment's `plot` lines. Without one, every observed column (and the variance, where there
/// is one) over the number of the access, if each was observed, else over the innermost swept axis
/// that takes at least three values; none where no axis does, nor of a timeline, which is drawn as
/// one.
std::vector<Plot> plots_of(const ExperimentResult& result);

/// The last key of records that are drawn so; nullptr: the samples have none.
const Column* drawn_key(const Samples& samples, Drawing drawing);

/// Whether the samples are a timeline that no `plot` line draws otherwise.
bool shows_timeline(const ExperimentResult& result);

constexpr std::size_t kCurvesOfTerminal = 8;

/// One panel for each y, one curve for each combination of what tells rows apart and is not on x.
/// At most `most` curves, none without a value; `left_out` counts the others.
struct BuiltFigure {
  Figure figure;
  std::size_t left_out = 0;
};
BuiltFigure build_figure(const ExperimentResult& result, const Plot& plot,
                         std::size_t most = kCurvesOfTerminal);

/// For each observed column and curve: points, least and greatest value and where they lie (or that
/// the curve is flat), and how wide the widest interval of a value is where repetitions gave one.
/// Where there are more rows than fit, those of derived columns, which the experiment asks for, go
/// first, then the others in equal shares.
struct Summary {
  bool derived_only = false;  ///< Beside findings, which are about what is observed.
  bool all = false;           ///< However many rows there are.
};
/// Intervals of its points are the range of the repetitions: too few for one of the median.
bool shows_range(const ExperimentResult& result);

Table summary_table(const ExperimentResult& result, Summary wanted = {});

/// "3 repetitions", "10 to 74 repetitions until ±1 %"
std::string repetitions_text(const ExperimentResult& result);

/// Points of all measures, whose rows may be many where records were observed.
std::size_t measured_points(const Samples& curves);

/// Whether a column describes launches of a kernel from a file and is neither plotted nor what most
/// readers look for: it is written and shown where all is asked for.
bool is_rare(const std::string& column, const Experiment& experiment);

/// Columns that are observed and shown: numbers, but not the checksum, nor the clocks, SMs and
/// addresses of records.
std::vector<const Column*> shown_columns(const Samples& curves);

}  // namespace gpx::report
