// What an analysis of the standard library says of itself: the comment that its file opens with.
// `outstanding(x = threads, loads = n): what limits requests` names its arguments; an experiment
// that gives another one is wrong before anything is measured, and so is one without the measures
// or the arguments that the head asks for. Covered by tests/runtime/analysis_head_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpx {

struct AnalysisHead {
  struct Parameter {
    std::string name;
    std::string example;  ///< "threads"; "" where the head gives none.
  };
  std::string name, path;
  std::string call;   ///< As the head of its file writes it: "outstanding(x = threads, …)".
  std::string about;  ///< What the head says of it.
  std::vector<Parameter> parameters;
  std::vector<std::string> measures;     ///< That an experiment must have: "Measures: a, b."
  std::vector<std::string> of_measures;  ///< Arguments: "Arguments that name measures: a, b."
  std::vector<std::string> needed;       ///< Arguments: "Arguments that must be given: a, b."
  struct Least {
    std::string name;
    std::size_t values = 0;
  };
  /// Axes of which fewer values decide nothing: "Arguments that need 4 values: a, b."
  std::vector<Least> least;
  /// It has arguments that are not listed: the head ends in "...", or there is no call in it.
  bool takes_any = false;
};

AnalysisHead read_head(std::string name, std::string path, std::string_view text);

}  // namespace gpx
