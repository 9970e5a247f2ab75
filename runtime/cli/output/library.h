// What comes along with gpx, by name: experiments, topics, templates.
// Covered by tests/cli/library_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/experiment.h"
#include "lang/source.h"

namespace gpx::cli {

/// The experiment of the library that a bare name ("kepler_banks") names: its file's text, in which
/// the other experiments are blank, so that lines stay where they are. Nothing where a path is
/// meant, or where there is none of that name.
std::optional<Source> library_experiment(const std::string& name);
/// The names of all of them.
std::vector<std::string> library_experiments();

/// Topics, in order, each with the analyses that answer its questions (stdlib/topics.txt).
struct Topic {
  std::string name;
  std::vector<std::string> analyses;
};
std::vector<Topic> topics();
/// Those of an experiment; "other" where it has no analysis of the library.
std::vector<std::string> topics_of(const Experiment& experiment, const std::vector<Topic>& topics);

/// An experiment, or a script, to begin with: the files of stdlib/templates that have its name.
struct Template {
  std::string name;
  std::vector<std::string> files;  ///< Paths; the first is what runs.
};
std::vector<Template> templates();
/// The first line of its comment.
std::string question_of(const Template& made);

}  // namespace gpx::cli
