// Boards that nobody measured: the findings of one real H100, with the scatter of runs and of
// boards that kinds.def says, and a planted difference on some of them. A pair's plant is in one
// latency or rate of the characterization, or in all that a cause changes.
#pragma once

#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/fleet/board.h"

namespace gpx::test {

/// The fields of a line of CSV, RFC 4180.
inline std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  return fields;
}

inline std::vector<std::map<std::string, std::string>> csv_rows(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = csv_fields(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = csv_fields(line);
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i)
      row[names[i]] = fields[i];
  }
  return rows;
}

/// The experiments of one H100 with their findings: its characterization, and the experiments of
/// Hopper, which have rates per second, energy and a peer's memory.
class BoardModel {
 public:
  explicit BoardModel(const std::string& source_dir) {
    for (auto& row : csv_rows(source_dir + "/docs/results/characterize/h100_findings.csv"))
      add(row["experiment"], row["finding"], row["value"], row["unit"], row["low"], row["high"],
          row["verdict"]);
    characterization_ = experiments_.size();
    for (auto& row : csv_rows(source_dir + "/docs/results/h100/runs.csv"))
      if (row["experiment"].find(' ') == std::string::npos)
        add(row["experiment"], row["finding"], row["first"], row["unit"], "", "", "measured");
  }

  const std::vector<ExperimentResult>& experiments() const { return experiments_; }
  /// Of all findings, in order.
  const std::vector<const fleet::Kind*>& kinds() const { return kinds_; }
  /// Experiments of the characterization come first.
  std::size_t characterization() const { return characterization_; }

 private:
  static bool is_number(const std::string& text, double& value) {
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return !text.empty() && end == text.c_str() + text.size();
  }

  void add(const std::string& experiment, const std::string& name, const std::string& value,
           const std::string& unit, const std::string& low, const std::string& high,
           const std::string& verdict) {
    if (experiments_.empty() || experiments_.back().experiment.name != experiment) {
      ExperimentResult& result = experiments_.emplace_back();
      result.experiment.name = experiment;
      result.ir = experiment;
      result.device.name = "NVIDIA H100 80GB HBM3";
      result.device.measured = true;
      result.device.sm_count = 132;
      result.device.clock_hz = 1.98e9;
    }
    Finding finding;
    finding.name = name;
    finding.unit = unit;
    finding.verdict = verdict == "measured"       ? Verdict::measured
                      : verdict == "not_observed" ? Verdict::not_observed
                                                  : Verdict::inconclusive;
    double number = 0;
    if (is_number(value, number))
      finding.value = number;
    else if (finding.verdict == Verdict::measured)
      finding.value = value;
    if (is_number(low, number)) finding.low = number;
    if (is_number(high, number)) finding.high = number;
    kinds_.push_back(&fleet::kind_of(name, unit));
    experiments_.back().findings.push_back(std::move(finding));
  }

  std::vector<ExperimentResult> experiments_;
  std::vector<const fleet::Kind*> kinds_;
  std::size_t characterization_ = 0;
};

enum class Plant { nothing, finding, sm_clock, memory_clock, walks, sms, power_cap, tenant };

/// A difference on one board, and what compare() is to say of it.
struct Planted {
  Plant plant = Plant::nothing;
  double size = 0.03;
  std::string experiment, name;  ///< Of Plant::finding.
};

/// What gpx calls the cause of a plant; of a single finding, by its part.
inline std::string cause_of(const Planted& planted, fleet::Part part) {
  switch (planted.plant) {
    case Plant::sm_clock: return "SM clock";
    case Plant::memory_clock: return "memory clock";
    case Plant::walks: return "page walks";
    case Plant::sms: return "a disabled GPC or TPC (number of SMs)";
    case Plant::power_cap: return "power cap or throttling";
    case Plant::tenant: return "another tenant of the GPU";
    case Plant::nothing: return "";
    case Plant::finding: break;
  }
  using fleet::Part;
  static const std::map<Part, std::string> names = {
      {Part::pipes, "the pipes of an SM"},
      {Part::compute, "SM clock"},
      {Part::shared, "shared memory"},
      {Part::l1, "L1"},
      {Part::l2, "L2"},
      {Part::constants, "caches of constants and code"},
      {Part::memory, "memory clock"},
      {Part::walks, "page walks"},
      {Part::link, "the link to the peer"}};
  return names.contains(part) ? names.at(part) : "";
}

/// Makes runs of boards of one fleet.
class BoardMaker {
 public:
  /// `misfit`: scatter is not as kinds.def has it, but larger or smaller by a factor of about
  /// 1 + misfit for each kind.
  BoardMaker(const BoardModel& model, std::uint64_t seed, double misfit = 0)
      : model_(model), random_(seed) {
    std::map<const fleet::Kind*, double> of_kind;
    for (const fleet::Kind* kind : model.kinds()) {
      if (!of_kind.contains(kind)) of_kind[kind] = std::exp(misfit * normal());
      misfit_.push_back(of_kind[kind]);
      std::chi_squared_distribution<double> chi(kind->freedom);
      scatter_.push_back(of_kind[kind] * kind->run *
                         std::sqrt(kind->freedom / std::max(0.5, chi(random_))));
    }
  }

  /// `runs` runs of a board with this serial into `into`.
  void add(fleet::Gathering& into, const std::string& serial, int runs, const Planted& planted) {
    std::vector<double> own;
    std::map<fleet::Part, double> shared;
    for (std::size_t at = 0; at < model_.kinds().size(); ++at) {
      const fleet::Kind& kind = *model_.kinds()[at];
      if (kind.loading > 0 && !shared.contains(kind.part)) shared[kind.part] = normal();
      const double common = kind.loading > 0 ? kind.loading * shared[kind.part] : 0;
      const double alone = std::sqrt(1 - kind.loading * kind.loading) * normal();
      own.push_back(kind.board * misfit_[at] * (common + alone));
    }
    for (int run = 0; run < runs; ++run) {
      const auto begun = into.begin({"made", ++number_, {}}, nullptr);
      if (!begun) throw std::runtime_error(begun.error().diagnostics.front().message);
      std::size_t at = 0;
      for (const ExperimentResult& each : model_.experiments()) {
        ExperimentResult result = each;
        result.device.uuid = serial;
        for (Finding& finding : result.findings) {
          scatter(finding, *model_.kinds()[at], own[at], scatter_[at]);
          plant(result, finding, *model_.kinds()[at], planted);
          ++at;
        }
        plant_state(result, planted);
        const auto added = into.add(result);
        if (!added) throw std::runtime_error(added.error().diagnostics.front().message);
      }
    }
  }

 private:
  double normal() { return normal_(random_); }

  void scatter(Finding& finding, const fleet::Kind& kind, double own, double sd) {
    if (finding.verdict != Verdict::measured) return;
    auto* value = std::get_if<double>(&finding.value);
    const bool wrong = std::uniform_real_distribution<double>()(random_) < fleet::kWrongWord;
    const bool interval = finding.low && finding.high && *finding.low < *finding.high;
    const bool counted = kind.sense == fleet::Sense::quantity && kind.part != fleet::Part::power;
    if (!value) {
      if (wrong) finding.verdict = Verdict::inconclusive, finding.value = {};
    } else if (counted && !interval && *value == std::floor(*value)) {
      if (wrong) *value += 1;
    } else if (counted && interval) {
      const double factor = 1 + (*finding.high - *finding.low) / 2 / 2.576 / *value * normal() / 2;
      for (double* each : {value, &*finding.low, &*finding.high}) *each *= factor;
    } else {
      *value *= (1 + own) * (1 + sd * normal());
    }
  }

  void plant(const ExperimentResult& result, Finding& finding, const fleet::Kind& kind,
             const Planted& planted) {
    auto* value = std::get_if<double>(&finding.value);
    if (!value || planted.plant == Plant::nothing) return;
    using fleet::Part;
    const bool rate = kind.sense == fleet::Sense::rate;
    const double slower = rate ? 1 / (1 + planted.size) : 1 + planted.size;
    const bool off_chip =
        kind.part == Part::memory || kind.part == Part::link || kind.part == Part::walks;
    switch (planted.plant) {
      case Plant::finding:
        if (result.experiment.name == planted.experiment && finding.name == planted.name)
          *value *= 1 + planted.size;
        break;
      case Plant::sm_clock:  // A lower clock: what another clock drives takes fewer of its clocks.
        if (kind.part == Part::compute || kind.part == Part::clock) *value /= 1 + planted.size;
        if (off_chip && !rate) *value /= 1 + 0.7 * planted.size;
        if (kind.part == Part::l2 && !rate) *value /= 1 + 0.5 * planted.size;
        break;
      case Plant::memory_clock:
        if (kind.part == Part::memory) *value *= slower;
        break;
      case Plant::walks:
        if (kind.part == Part::walks) *value *= slower;
        break;
      case Plant::sms:
        if (kind.part == Part::compute) *value *= 124.0 / 132;
        break;
      case Plant::power_cap:
        if (kind.part == Part::compute) *value *= 0.9;
        if (kind.part == Part::power && finding.unit == "W") *value *= 0.8;
        break;
      case Plant::tenant:
        if (kind.part == Part::memory || kind.part == Part::l2 || kind.part == Part::compute)
          *value *= rate ? 0.9 : 1.08;
        break;
      case Plant::nothing: break;
    }
  }

  void plant_state(ExperimentResult& result, const Planted& planted) {
    result.state_after.sm_clock_mhz = planted.plant == Plant::sm_clock ? 1920 : 1980;
    result.state_after.memory_clock_mhz = planted.plant == Plant::memory_clock ? 2550 : 2619;
    result.state_after.throttled = planted.plant == Plant::power_cap ? 1 : 0;
    if (planted.plant == Plant::tenant) {
      result.co_runner.controls = 100;
      result.co_runner.disturbed = 40;
    }
    if (planted.plant == Plant::sms) result.device.sm_count = 124;
  }

  const BoardModel& model_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::vector<double> scatter_;  ///< Of the runs, by finding.
  std::vector<double> misfit_;   ///< Of the boards' scatter, by finding.
  std::int64_t number_ = 0;
};

/// What is told of the pairs of one kind of plant.
struct PairRates {
  int pairs = 0, alarms = 0, found = 0, cause = 0;
  std::map<std::string, std::pair<int, int>> by_kind;  ///< Of single findings: pairs, found.
};

/// Pairs of a board and of a planted one (or an equal one), each with `runs` runs, among `peers`
/// more boards.
PairRates pair_rates(const BoardModel& model, Plant plant, int pairs, int runs, int peers,
                     std::uint64_t seed, double misfit = 0);

}  // namespace gpx::test
