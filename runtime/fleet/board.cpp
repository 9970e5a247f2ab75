#include "runtime/fleet/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lang/lists.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/number.h"
#include "runtime/store/each_result.h"

namespace gpx::fleet {
namespace {

/// What a driver reports of a board that tells it from others of its model.
constexpr std::string_view kComparedFacts[] = {"sm_count", "l2_bytes", "memory_bus_bits",
                                               "memory_clock_hz", "clock_hz"};
/// Of an uncached load's latency, what a cached one takes at least that no L1 serves.
constexpr double kNoL1 = 0.8;
constexpr const char* kDriver = "device";  ///< Instead of an experiment.

/// Of a virtual board's name, "k20#board-7", the model and the serial.
std::string model_of(const DeviceInfo& info) {
  return info.measured ? info.name : info.name.substr(0, info.name.find('#')) + " (virtual)";
}
std::string serial_of(const DeviceInfo& info) {
  const std::size_t mark = info.name.find('#');
  return info.measured || mark == std::string::npos ? info.uuid : info.name.substr(mark + 1);
}

void take_value(Reading& reading, const Finding& finding) {
  reading.verdict = finding.verdict;
  if (finding.verdict != Verdict::measured) return;
  if (const double* number = std::get_if<double>(&finding.value)) {
    reading.value = *number;
    reading.low = finding.low.value_or(reading.low);
    reading.high = finding.high.value_or(reading.high);
  } else {
    reading.words = report::value_text(finding);
  }
}

}  // namespace

std::string RunPlace::text() const {
  return store.empty() ? fmt::format("'{}'", document)
                       : fmt::format("run {} of '{}'", number, store);
}

Result<void> Gathering::begin(const RunPlace& place, const report::RunOrigin* origin) {
  place_ = place;
  run_ = {};
  run_.place = place.text();
  if (origin) {
    run_.id = origin->id;
    run_.started = origin->started;
    run_.host = origin->host;
  }
  const std::string key = run_.id.empty() ? run_.place : run_.id;
  const auto [at, fresh] = known_.emplace(key, run_.place);
  if (fresh) return {};
  return fail(Fault::input, fmt::format("{} and {} are the same run", at->second, run_.place),
              "name each store once; gpx import refuses a run that a store has already");
}

std::uint32_t Gathering::finding(const std::string& experiment, const std::string& name,
                                 const std::string& unit, bool exact) {
  const std::string key = experiment + '\n' + name;
  const auto [at, fresh] = names_.emplace(key, static_cast<std::uint32_t>(fleet_.findings.size()));
  if (fresh) fleet_.findings.push_back({experiment, name, unit, &kind_of(name, unit), exact});
  FindingName& known = fleet_.findings[at->second];
  if (known.unit.empty() && !unit.empty()) {  // Where nothing was measured there may be no unit.
    known.unit = unit;
    known.kind = &kind_of(name, unit);
  }
  return at->second;
}

std::uint32_t Gathering::how(const std::string& ir) {
  const auto [at, fresh] = hows_.emplace(ir, static_cast<std::uint32_t>(fleet_.experiments.size()));
  if (fresh) fleet_.experiments.push_back(ir);
  return at->second;
}

Board& Gathering::board_of(const ExperimentResult& result) {
  const std::string device = model_of(result.device), serial = serial_of(result.device);
  const auto [at, fresh] = boards_.emplace(device + '\n' + serial, fleet_.boards.size());
  if (fresh) {
    Board& board = fleet_.boards.emplace_back();
    board.serial = serial;
    board.device = device;
    board.info = result.device;
  }
  return fleet_.boards[at->second];
}

void Gathering::add_facts(Board& board, std::uint32_t run) {
  for (const ReportedFact& fact : reported_facts(board.info)) {
    const auto* value = std::get_if<double>(&fact.value);
    if (!value || !contains(kComparedFacts, fact.fact->key)) continue;
    Reading& reading = board.readings.emplace_back();
    reading.finding = finding(kDriver, fmt::format("device.{}", fact.fact->key),
                              std::string(unit_symbol(fact.fact->unit)), true);
    reading.run = run;
    reading.how = how("");
    reading.verdict = Verdict::measured;
    reading.value = *value;
  }
}

void Gathering::add_state(Board& board, const ExperimentResult& result) {
  BoardState& state = board.state;
  ++state.experiments;
  for (const Telemetry* now : {&result.state_before, &result.state_after}) {
    if (now->sm_clock_mhz) state.sm_mhz.push_back(*now->sm_clock_mhz);
    if (now->memory_clock_mhz) state.memory_mhz.push_back(*now->memory_clock_mhz);
  }
  const auto throttled = [](const Telemetry& now) { return now.throttled.value_or(0) != 0; };
  state.throttled += throttled(result.state_before) || throttled(result.state_after);
  state.disturbed += result.co_runner.seen() || result.co_runner.doubtful() ||
                     result.state_after.other_processes.value_or(0) > 0;
}

Result<void> Gathering::add(const ExperimentResult& result, bool has_map) {
  const std::string& name = result.experiment.name;
  if (serial_of(result.device).empty())
    return fail(
        Fault::input,
        fmt::format("{}, experiment '{}': '{}' has no serial", run_.place, name,
                    model_of(result.device)),
        result.device.measured
            ? "gpx writes the UUID of a GPU; a document of an older version lacks it"
            : "end the name in each virtual board's device file in # and a serial: k20#board-7");
  Board& board = board_of(result);
  const bool known = !board.runs.empty() && board.runs.back().place == run_.place;
  if (!known) {
    board.runs.push_back(run_);
    add_facts(board, static_cast<std::uint32_t>(board.runs.size() - 1));
  }
  BoardRun& run = board.runs.back();
  run.experiments.push_back(name);
  if (result.failure || result.interrupted)
    run.problems.push_back(
        fmt::format("'{}' {}", name, result.failure ? "failed" : "was interrupted"));
  const std::uint32_t what = how(result.ir);
  for (const Finding& each : result.findings) {
    Reading& reading = board.readings.emplace_back();
    reading.finding = finding(name, each.name, each.unit, false);
    reading.run = static_cast<std::uint32_t>(board.runs.size() - 1);
    reading.how = what;
    take_value(reading, each);
  }
  add_state(board, result);
  if (has_map) board.maps[name] = {place_.store, place_.number};
  return {};
}

void Gathering::place_cached_loads() {
  const auto value_of = [](const Board& board, std::uint32_t finding) {
    const auto at = std::ranges::lower_bound(board.readings, finding, {}, &Reading::finding);
    return at != board.readings.end() && at->finding == finding ? at->value : std::nan("");
  };
  for (std::uint32_t at = 0; at < fleet_.findings.size(); ++at) {
    FindingName& cached = fleet_.findings[at];
    const auto uncached = names_.find(cached.experiment + "\nglobal.cg.level1.latency");
    if (cached.name != "global.ca.level1.latency" || uncached == names_.end()) continue;
    if (std::ranges::any_of(fleet_.boards, [&](const Board& board) {
          return value_of(board, at) > kNoL1 * value_of(board, uncached->second);
        }))
      cached.kind = fleet_.findings[uncached->second].kind;
  }
}

Fleet Gathering::take() {
  for (Board& board : fleet_.boards)
    std::ranges::stable_sort(board.readings, {}, &Reading::finding);
  place_cached_loads();
  std::ranges::sort(fleet_.boards, {},
                    [](const Board& board) { return std::pair(board.device, board.serial); });
  return std::move(fleet_);
}

Result<void> gather_store(Gathering& into, const std::string& path) {
  std::int64_t begun = 0;
  return store::each_result(path, [&](const store::StoredResult& stored) -> Result<void> {
    if (stored.run != begun) {
      begun = stored.run;
      if (auto ok = into.begin({path, begun, {}}, &stored.origin); !ok) return ok;
    }
    const auto result =
        report::experiment_from_json(stored.result, fmt::format("{}: run {}", path, begun));
    if (!result) return tl::unexpected(result.error());
    return into.add(*result, stored.columns.starts_with("sm\t") ||
                                 stored.columns.find("\nsm\t") != std::string::npos);
  });
}

std::string number_text(const FindingName& finding, double value) {
  const double shown = std::isfinite(value) ? std::stod(fmt::format("{:.6g}", value)) : value;
  return report::with_unit(shown, finding.unit);
}

std::string reading_text(const FindingName& finding, const Reading& reading) {
  if (reading.verdict != Verdict::measured) return report::verdict_text(reading.verdict);
  return std::isnan(reading.value) ? reading.words : report::with_unit(reading.value, finding.unit);
}

}  // namespace gpx::fleet
