// Characterize: everything that the standard library can measure about one device, as one run.
//
// A group is an experiment of stdlib/characterize/*.gpx; the file's name is the family that it
// belongs to. A new group is a new experiment there. Groups run through the pipeline, each by
// itself, so that one that fails loses no other. What papers publish (stdlib/papers/) is read after
// the last analysis has ended, and what several groups found is said once (runtime/reconcile.h).
// Covered by tests/experiments/characterize_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/source.h"
#include "runtime/pipeline.h"

namespace gpx {

struct CharacterizeGroup {
  std::string family;  ///< "memory"
  std::string name;    ///< "texture"
  std::string title;
  Source source;  ///< The family's file, the other groups blanked out: places in it stay right.
};

/// All groups, families in alphabetical order, groups as they stand in the file.
Result<std::vector<CharacterizeGroup>> characterize_groups(const Paths& paths);

/// Those that `only` names by group or by family, in the table's order; all where it is empty. An
/// unknown name is an error with the nearest one.
Result<std::vector<CharacterizeGroup>> select_groups(std::vector<CharacterizeGroup> groups,
                                                     const std::vector<std::string>& only);

/// What is to run on an open device.
struct CharacterizeTask {
  std::string device;           ///< As asked for.
  DeviceInfo info;              ///< As it reports itself.
  std::vector<Source> sources;  ///< A family each: without the groups that nobody asked for.
  std::vector<CharacterizeGroup> groups;  ///< Of the sources, in their order.
};

/// The groups that `only` names, on a device that RunOptions::device would name, with its facts as
/// parameters (device_parameters.h). A group whose parameter `capability` is above ten times the
/// device's compute capability is left out. Errors: an unknown group, none that the device can run,
/// a device that cannot be opened, a file that cannot be read.
Result<CharacterizeTask> characterize_task(Session& session, const std::string& device,
                                           const std::vector<std::string>& only);
/// The groups of an earlier characterization, from its sources.
Result<CharacterizeTask> characterize_task(Session& session, const std::string& device,
                                           std::vector<Source> sources);

struct CharacterizeOptions {
  double budget_s = std::numeric_limits<double>::infinity();  ///< Then no group begins or goes on.
  std::uint64_t seed = 1;
  bool no_wait = false;                             ///< RunOptions::no_wait.
  std::function<void(const std::string&)> on_wait;  ///< RunOptions::on_wait.
  unsigned jobs = 0;  ///< Groups at a time on a virtual GPU; 0: as many as cores. On a real one: 1.
  const std::atomic<bool>* stop = nullptr;
  /// What was measured before the characterization ended early: groups that are whole are taken as
  /// they are, one that is not goes on.
  const RunResult* before = nullptr;
  /// Who is told of a group by its index, or none; may be called by several threads. ends() is
  /// called again when all groups have ended: papers' values and confirmations come last.
  std::function<RunObserver*(std::size_t group)> observer;
  /// Called as a group ends, not by two threads at once.
  std::function<void(const ExperimentResult&, std::size_t ended, std::size_t all)> on_group;
};

/// One experiment for each group, each with its GroupNote: also for one that failed or did not run
/// (which is `interrupted`). Errors: a table of papers that cannot be read.
Result<RunResult> characterize(Session& session, const CharacterizeTask& task,
                               const CharacterizeOptions& options);

/// Whether every experiment of a run is a group of a characterization.
bool is_characterization(const RunResult& run);

}  // namespace gpx
