// Characterize: everything that the standard library can measure about one device.
//
// A group is an experiment of stdlib/characterize/*.gpx; the file's name is the family that it
// belongs to. A new group is a new experiment there. Groups run through the pipeline, each by
// itself, so that one that fails loses no other; what papers publish (stdlib/papers/) is read after
// the last analysis has ended. Covered by tests/experiments/characterize_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
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
  std::vector<Setting> settings;  ///< See CharacterizeOptions.
};

/// All groups, families in alphabetical order, groups as they stand in the file.
Result<std::vector<CharacterizeGroup>> characterize_groups(const Paths& paths);

/// Those that `only` names by group or by family, in the table's order; all where it is empty. An
/// unknown name is an error with the nearest one.
Result<std::vector<CharacterizeGroup>> select_groups(std::vector<CharacterizeGroup> groups,
                                                     const std::vector<std::string>& only);

struct GroupResult {
  enum class State { not_run, done, failed };
  CharacterizeGroup group;
  State state = State::not_run;
  std::string reason;  ///< Of not_run: "budget", "interrupted"; of failed: its first message.
  double seconds = 0;  ///< That it took, or had taken when it was stopped.
  RunResult run;       ///< Of done, and of failed what there was before.
  std::optional<Error> failure;
};

struct Characterization {
  DeviceInfo device;
  std::vector<GroupResult> groups;
  double seconds = 0;
  bool interrupted = false;
};

/// A family's parameter `full` is set to the threads that a block of the device can have.
struct CharacterizeOptions {
  std::string device = "auto";                                ///< As RunOptions::device.
  std::vector<std::string> only;                              ///< Groups and families; empty: all.
  double budget_s = std::numeric_limits<double>::infinity();  ///< Then no group begins or goes on.
  std::uint64_t seed = 1;
  unsigned jobs = 0;  ///< Groups at a time on a virtual GPU; 0: as many as cores. On a real one: 1.
  const std::atomic<bool>* stop = nullptr;
  /// Called as a group ends, not by two threads at once.
  std::function<void(const GroupResult&, std::size_t ended, std::size_t all)> on_group;
};

/// Errors: an unknown group, a device that cannot be opened, a table that cannot be read. A group
/// that fails is a result.
Result<Characterization> characterize(const Paths& paths, const CharacterizeOptions& options);

}  // namespace gpx
