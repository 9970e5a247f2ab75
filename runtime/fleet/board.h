// Boards: what all runs of each physical board found, ready to be compared and shown.
// Covered by tests/fleet/board_test.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/fleet/kind.h"
#include "runtime/report/report.h"

namespace gpx::fleet {

/// A finding's name within a fleet. The same name in two experiments is two findings.
struct FindingName {
  std::string experiment, name, unit;
  const Kind* kind = nullptr;
  bool exact = false;  ///< What a driver reports: no chance is in it.
};

/// One finding of one run.
struct Reading {
  std::uint32_t finding = 0;  ///< Of Fleet::findings.
  std::uint32_t run = 0;      ///< Of Board::runs.
  std::uint32_t how = 0;      ///< Of Fleet::experiments: what exactly was run.
  Verdict verdict = Verdict::inconclusive;
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: a word, or nothing.
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;
  std::string words;  ///< "LRU", "yes", "6, 7, 8", where the value is no number.
};

struct BoardRun {
  std::string place;  ///< "run 3 of 'a.db'", "'a.json'"
  std::string id, started, host;
  std::vector<std::string> experiments;
  std::vector<std::string> problems;  ///< Experiments that failed or were interrupted.
};

/// A run of a store whose samples of an experiment name the SM: a map can be drawn of them.
struct MapSource {
  std::string store;
  std::int64_t run = 0;
};

/// What a board's state was around its measurements.
struct BoardState {
  std::vector<double> sm_mhz, memory_mhz;  ///< Readings.
  std::uint64_t throttled = 0, disturbed = 0, experiments = 0;
};

struct Board {
  std::string serial;  ///< The UUID; of a virtual board what its name has behind #.
  std::string device;  ///< "NVIDIA H200", "k20 (virtual)"
  DeviceInfo info;
  std::vector<BoardRun> runs;
  std::vector<Reading> readings;  ///< By finding.
  BoardState state;
  std::map<std::string, MapSource> maps;  ///< The newest run, by experiment.
};

struct Fleet {
  std::vector<FindingName> findings;
  std::vector<std::string> experiments;  ///< Hashes of what was run.
  std::vector<Board> boards;             ///< By device, then by serial.
};

/// Where a run comes from.
struct RunPlace {
  std::string store;        ///< A path; "" of a document.
  std::int64_t number = 0;  ///< Of the store.
  std::string document;     ///< A path.
  std::string text() const;
};

/// Takes runs one after another.
class Gathering {
 public:
  /// Errors: a board without a serial; a run that was taken from elsewhere already.
  Result<void> begin(const RunPlace& place, const report::RunOrigin* origin);
  Result<void> add(const ExperimentResult& result, bool has_map = false);
  Fleet take();

 private:
  std::uint32_t finding(const std::string& experiment, const std::string& name,
                        const std::string& unit, bool exact);
  std::uint32_t how(const std::string& ir);
  Board& board_of(const ExperimentResult& result);
  void add_facts(Board& board, std::uint32_t run);
  void add_state(Board& board, const ExperimentResult& result);
  /// Where no L1 keeps global data, a cached load has the latency of L2, and its scatter.
  void place_cached_loads();

  Fleet fleet_;
  RunPlace place_;
  BoardRun run_;
  std::unordered_map<std::string, std::uint32_t> names_, hows_;
  std::unordered_map<std::string, std::size_t> boards_;
  std::unordered_map<std::string, std::string> known_;  ///< Places by the runs' ids.
};

/// All runs of a store.
Result<void> gather_store(Gathering& into, const std::string& path);

/// "281.635 clocks": six digits.
std::string number_text(const FindingName& finding, double value);
/// "281.6 clocks", "LRU", "not observed".
std::string reading_text(const FindingName& finding, const Reading& reading);

}  // namespace gpx::fleet
