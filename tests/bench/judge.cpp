#include "tests/bench/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "runtime/report/table.h"
#include "tests/bench/set_function.h"

namespace gpx::bench {
namespace {

constexpr double kClock = 0.5;  ///< Latencies are whole clocks: nearer than that is exact.

using List = std::vector<double>;

std::string text_of(const Truth& truth) {
  if (const auto* number = std::get_if<double>(&truth.value)) return fmt::format("{:g}", *number);
  if (const auto* list = std::get_if<List>(&truth.value))
    return fmt::format("{:g}", fmt::join(*list, " "));
  if (const auto* fn = std::get_if<SetFunction>(&truth.value)) return text_of(*fn);
  return std::get<std::string>(truth.value);
}

std::string text_of(const Finding& finding) {
  if (finding.verdict != Verdict::measured) return std::string(to_string(finding.verdict));
  if (const auto* number = std::get_if<double>(&finding.value)) {
    std::string text = fmt::format("{:g}", *number);
    if (finding.low && finding.high && *finding.low != *finding.high)
      text += fmt::format(" ({:g} to {:g})", *finding.low, *finding.high);
    return text;
  }
  if (const auto* list = std::get_if<List>(&finding.value))
    return fmt::format("{:g}", fmt::join(*list, " "));
  const auto* word = std::get_if<std::string>(&finding.value);
  return word ? *word : "?";
}

Judged judge_number(const Truth& truth, double planted, const Finding& finding) {
  const auto* value = std::get_if<double>(&finding.value);
  if (!value) return Judged::wrong;
  const bool clocks = truth.parameter == "latency";
  const double from = planted, to = std::max(planted, truth.high), slack = clocks ? kClock : 0;
  if (*value >= from - slack && *value <= to + slack) return Judged::exact;
  const double low = finding.low.value_or(*value), high = finding.high.value_or(*value);
  return low <= to && from <= high ? Judged::inside : Judged::wrong;
}

Judged judge_measured(const Truth& truth, const Finding& finding) {
  if (const auto* number = std::get_if<double>(&truth.value))
    return judge_number(truth, *number, finding);
  if (const auto* planted = std::get_if<List>(&truth.value)) {
    const auto* found = std::get_if<List>(&finding.value);
    return found && *found == *planted ? Judged::exact : Judged::wrong;
  }
  const auto* word = std::get_if<std::string>(&finding.value);
  if (!word) return Judged::wrong;
  // "QLRU_H11_M2" is what "QLRU_H11_M2_R1_U2" has in common with a policy that does the same.
  const std::string& planted = std::get<std::string>(truth.value);
  return *word == planted || planted.starts_with(*word + "_R") ? Judged::exact : Judged::wrong;
}

Judged judge_one(const Truth& truth, const Finding* finding) {
  const bool decidable = truth.undecidable.empty();
  const Judged open =
      decidable && truth.hidden.empty() ? Judged::inconclusive : Judged::undecidable;
  if (!finding || finding->verdict == Verdict::inconclusive) return open;
  if (finding->verdict == Verdict::not_observed)
    return decidable ? Judged::wrong : Judged::undecidable;
  if (const auto* fn = std::get_if<SetFunction>(&truth.value)) {
    const auto told = tells(finding->note, *fn);
    return !told ? open : *told ? Judged::exact : Judged::wrong;
  }
  return judge_measured(truth, *finding);
}

const Finding* find(const std::vector<Finding>& findings, const std::string& name) {
  const auto at = std::ranges::find(findings, name, &Finding::name);
  return at == findings.end() ? nullptr : &*at;
}

}  // namespace

const char* to_string(Judged judged) {
  static constexpr const char* kNames[kJudged] = {"exact", "inside", "inconclusive",
                                                  "confidently wrong", "not decidable"};
  return kNames[static_cast<std::size_t>(judged)];
}

std::vector<Judgement> judge(const RandomDevice& device, const std::vector<Finding>& findings) {
  std::vector<Judgement> all;
  for (const Truth& truth : device.truths) {
    const Finding* finding = find(findings, truth.finding);
    std::string text = fmt::format("{} is {}, planted is {}", truth.finding,
                                   finding ? text_of(*finding) : "missing", text_of(truth));
    if (finding &&
        (finding->verdict != Verdict::measured || std::holds_alternative<SetFunction>(truth.value)))
      text += ": " + finding->note;
    all.push_back({truth.finding, truth.parameter, judge_one(truth, finding), std::move(text)});
  }
  for (const std::string& prefix : device.absent) {
    const Finding* finding = find(findings, prefix + "capacity");
    const bool seen = finding && finding->verdict == Verdict::measured;
    all.push_back(
        {prefix + "capacity", kAbsence, seen ? Judged::wrong : Judged::exact,
         seen ? fmt::format("{}capacity is {}, planted is no such level", prefix, text_of(*finding))
              : std::string()});
  }
  return all;
}

std::vector<Finding> findings_of(const RunResult& result) {
  std::vector<Finding> all;
  for (const ExperimentResult& group : result.experiments)
    all.insert(all.end(), group.findings.begin(), group.findings.end());
  return all;
}

void Tally::add(const Judgement& judgement) {
  ++counts_[judgement.parameter][static_cast<std::size_t>(judgement.judged)];
}

std::size_t Tally::count(Judged judged) const {
  std::size_t sum = 0;
  for (const auto& [parameter, counts] : counts_) sum += counts[static_cast<std::size_t>(judged)];
  return sum;
}

std::size_t Tally::count(Judged judged, const std::string& parameter) const {
  const auto known = counts_.find(parameter);
  return known == counts_.end() ? 0 : known->second[static_cast<std::size_t>(judged)];
}

std::string Tally::table() const {
  std::vector<std::string> header = {"parameter"};
  std::vector<bool> right = {false};
  for (std::size_t i = 0; i < kJudged; ++i) {
    header.emplace_back(to_string(static_cast<Judged>(i)));
    right.push_back(true);
  }
  report::Table table(std::move(header), std::move(right));
  const auto add = [&](const std::string& name, const auto& count) {
    std::vector<report::Cell> row = {{name}};
    for (std::size_t i = 0; i < kJudged; ++i) row.push_back({fmt::format("{}", count(i))});
    table.add(std::move(row));
  };
  for (const auto& [parameter, counts] : counts_)
    add(parameter, [&](std::size_t i) { return counts[i]; });
  add("all", [&](std::size_t i) { return count(static_cast<Judged>(i)); });
  return table.render({}, 0);
}

}  // namespace gpx::bench
