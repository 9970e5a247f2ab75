// Hierarchy: the memories of a device as a characterization's findings give them, drawn to scale.
//
// Only findings are read: never a device file, nor what a driver reports but the device's name.
// What no finding says is drawn as not known. Covered by tests/report/hierarchy_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/report/diagram.h"
#include "runtime/report/overlay.h"

namespace gpx::report {

/// A cache, a buffer of translations, a memory: what answers an access.
struct MemoryLevel {
  std::string name;               ///< "L1", "DRAM"
  std::optional<double> latency;  ///< Clocks of a load that it answers.
  std::optional<double> low, high;
  std::optional<double> bytes;     ///< That it holds, or translates.
  std::vector<std::string> facts;  ///< "512 KB", "256 sets of 16 ways"; what is not known, too.
};

/// The levels that one kind of access meets, nearest first.
struct MemoryPath {
  std::string name;  ///< "global loads"
  std::vector<MemoryLevel> levels;
};

struct Hierarchy {
  std::string device;              ///< "k20 (virtual): a model, not a measurement"
  std::vector<std::string> facts;  ///< Of an SM: registers, requests in flight.
  std::vector<MemoryPath> paths;   ///< Those of which a group has some finding.
};

/// Of a characterization. Nothing where it has no finding of a memory.
std::optional<Hierarchy> hierarchy_of(const RunResult& run);
/// Those of the runs that are characterizations and have one.
std::vector<Hierarchy> hierarchies_of(const std::vector<Run>& runs);

/// Beneath each other, all on one scale: how far a bar stands to the right is its latency; each
/// doubling of what it holds makes it higher by as much. At least one hierarchy.
Diagram draw(const std::vector<Hierarchy>& devices);

}  // namespace gpx::report
