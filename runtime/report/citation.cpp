#include "runtime/report/citation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "lang/diagnostic.h"
#include "runtime/characterize.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

/// The values of one reading.
struct ReadingRange {
  std::string_view unit, label;
  double low, high;
};

void add_state(const Telemetry& state, std::vector<ReadingRange>& ranges) {
  for_each_reading(state, [&](auto, std::string_view unit, std::string_view label, auto& reading) {
    if (!reading || unit == "%") return;  // How busy it was is the run's own work.
    const auto value = static_cast<double>(*reading);
    const auto known = std::ranges::find_if(ranges, [&](const ReadingRange& range) {
      return range.unit == unit && range.label == label;
    });
    if (known == ranges.end()) return ranges.push_back({unit, label, value, value});
    known->low = std::min(known->low, value);
    known->high = std::max(known->high, value);
  });
}

std::string range_of(const ReadingRange& range) {
  if (range.unit.empty()) return range.high > 0 ? std::string(range.label) : std::string();
  const std::string numbers = range.low == range.high
                                  ? brief(range.low)
                                  : fmt::format("{} to {}", brief(range.low), brief(range.high));
  return fmt::format("{}{}{} {}", range.label, range.label.empty() ? "" : " ", numbers, range.unit);
}

/// "the virtual GPU k20 (a model, not a measurement)"
std::string cited_device(const DeviceInfo& device) {
  if (!device.measured)
    return fmt::format("the virtual GPU {} (a model, not a measurement)", device.name);
  std::string facts;
  if (!device.driver.empty()) facts += "driver " + device.driver;
  if (device.clock_hz > 0)
    facts += (facts.empty() ? "" : ", ") +
             fmt::format("SM clock up to {}", with_unit(device.clock_hz, "Hz"));
  return device.name + (facts.empty() ? "" : " (" + facts + ")");
}

/// "Characterization of", "kepler_prt on", "kepler_prt and 2 more experiments on"
std::string cited_subject(const RunResult& result) {
  if (is_characterization(result)) return "Characterization of";
  const std::string& first = result.experiments.front().experiment.name;
  const std::size_t others = result.experiments.size() - 1;
  if (others == 0) return first + " on";
  return fmt::format("{} and {} on", first, plural(others, "more experiment"));
}

std::string cited_date(const Run& run) {
  const auto& origin = run.document.origin;
  if (!origin) return {};
  return (origin->ended.empty() ? origin->started : origin->ended).substr(0, 10);
}

/// "LA" of "LA9".
std::string_view prefix_of(std::string_view id) {
  const auto digit = std::ranges::find_if(id, [](unsigned char c) { return std::isdigit(c) != 0; });
  return id.substr(0, static_cast<std::size_t>(digit - id.begin()));
}

}  // namespace

std::string verdict_counts(const RunResult& result) {
  std::array<std::size_t, 3> counts{};
  for (const ExperimentResult& each : result.experiments)
    for (const Finding& finding : each.findings)
      ++counts[static_cast<std::size_t>(finding.verdict)];
  const auto of = [&](Verdict verdict) { return counts[static_cast<std::size_t>(verdict)]; };
  if (counts == std::array<std::size_t, 3>{}) return {};
  return fmt::format("{} {}, {} not observed, {} inconclusive", of(Verdict::measured),
                     is_virtual(result.experiments.front()) ? "modelled" : "measured",
                     of(Verdict::not_observed), of(Verdict::inconclusive));
}

std::string state_range(const RunResult& result) {
  std::vector<ReadingRange> ranges;
  for (const ExperimentResult& each : result.experiments)
    for (const Telemetry* state : {&each.state_before, &each.state_after})
      add_state(*state, ranges);
  std::string text;
  for (const ReadingRange& range : ranges)
    if (const std::string one = range_of(range); !one.empty())
      text += (text.empty() ? "" : ", ") + one;
  return text;
}

std::string program_text(const RunResult& result) {
  std::set<std::string> builds;
  for (const ExperimentResult& each : result.experiments)
    if (!each.build.empty()) builds.insert(each.build);
  std::string text = "gpx " + result.gpx;
  for (const std::string& build : builds) text += ", build " + build;
  return text;
}

std::string citation(const Run& run) {
  const RunResult& result = run.document.result;
  if (result.experiments.empty()) return {};
  const ExperimentResult& first = result.experiments.front();
  std::string text = fmt::format("{} {}; {}; seed {}", cited_subject(result),
                                 cited_device(first.device), program_text(result), first.seed);
  if (const std::string date = cited_date(run); !date.empty()) text += "; " + date;
  if (const auto& origin = run.document.origin; origin && !origin->id.empty())
    text += "; run " + origin->id;
  return text + '.';
}

const std::vector<Work>& works() {
  static const std::vector<Work> all = {
      {"lashgar2015", "LA",
       "A. Lashgar, E. Salehi, A. Baniasadi. Understanding Outstanding Memory Request Handling "
       "Resources in GPGPUs, HEART 2015; A Case Study in Reverse Engineering GPGPUs: Outstanding "
       "Memory Handling Resources, 2015."},
      {"wong2010", "WO",
       "H. Wong, M.-M. Papadopoulou, M. Sadooghi-Alvandi, A. Moshovos. Demystifying GPU "
       "Microarchitecture through Microbenchmarking, ISPASS 2010."},
      {"mei2014", "ME",
       "X. Mei, K. Zhao, C. Liu, X. Chu. Benchmarking the Memory Hierarchy of Modern GPUs, 2014."},
      {"hong2009", "HK",
       "S. Hong, H. Kim. An Analytical Model for a GPU Architecture with Memory-level and "
       "Thread-level Parallelism Awareness, ISCA 2009."},
      {"hopper", "HO",
       "W. Luo, R. Fan, Z. Li, D. Du, Q. Wang, X. Chu. Benchmarking and Dissecting the Nvidia "
       "Hopper GPU Architecture via Microbenchmarking, IPDPS 2024."}};
  return all;
}

std::vector<Work> works_of(const std::vector<Run>& runs) {
  std::set<std::string, std::less<>> cited;
  for (const Run& run : runs)
    for (const ExperimentResult& each : run.document.result.experiments) {
      for (const Cite& cite : each.experiment.cites) {
        cited.insert(cite.work);
        for (const std::string& id : cite.ids) cited.emplace(prefix_of(id));
      }
      for (const Finding& finding : each.findings)
        if (finding.paper) cited.emplace(prefix_of(finding.paper->cite));
    }
  std::vector<Work> found;
  for (const Work& work : works())
    if (cited.contains(work.name) || cited.contains(work.prefix)) found.push_back(work);
  return found;
}

}  // namespace gpx::report
