// Overlay: several runs side by side: experiments of one name together, their plots in one figure,
// and the findings that lie on a plot's x axis as marks in it.
// Covered by tests/report/overlay_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/report/document.h"
#include "runtime/report/plot.h"

namespace gpx::report {

/// A run as the user named it: "a.json", "run 12".
struct Run {
  std::string name;
  ReadRun document;
};

/// One experiment of one run.
struct Member {
  const ExperimentResult* result = nullptr;
  const Run* run = nullptr;
  std::string label;  ///< "k20 (virtual)"; where several have the same device, the run too.
};

/// A finding on a figure's x axis: a step, a saturation, a capacity.
struct Mark {
  std::string name;  ///< Of the finding.
  std::string text;  ///< With its value, unit and interval, and in an overlay the run.
  double x = 0;
  std::optional<double> low, high;
  std::size_t run = 0;  ///< Index of the member.
};

struct OverlaidFigure {
  Figure figure;  ///< A curve's `run` is the index of its member.
  std::vector<Mark> marks;
  std::size_t left_out = 0;  ///< Curves that are not shown, of all members.
};

/// The experiments of one name, of all runs.
struct Group {
  std::string name;
  std::vector<Member> members;  ///< Never empty. They point into the runs.
  std::vector<OverlaidFigure> figures;
};

/// Groups in the order in which the names first occur. Plots of the same axes and units become one
/// figure. `most` curves of each member in each figure.
std::vector<Group> overlay(const std::vector<Run>& runs, std::size_t most);

/// The findings of `result` that lie on the x axis of `plot`: measured numbers between the points
/// that they rest on, where those name the axis and the unit is the axis's own (or the points are
/// neighbours). Exposed for its test.
std::vector<Mark> marks_of(const ExperimentResult& result, const Plot& plot);

}  // namespace gpx::report
