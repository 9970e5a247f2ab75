// The papers' table: gpx_papers CATALOGUE DOCUMENT… prints docs/papers.md.
//
// The rows are those of the catalogue; values, verdicts and expectations are those of the documents
// of `gpx run --json` and `gpx characterize --json`. Nothing is judged that is not in them.
// Run by ./dev papers; covered by tests/docs/papers_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/report/finding_text.h"
#include "runtime/report/report.h"
#include "tests/docs/catalogue.h"

namespace gpx::docs {
namespace {

/// Of the paper's value: what is still the same number.
constexpr double kTolerance = 0.03;

/// An experiment's results, and the command that gave them.
struct Seen {
  ExperimentResult result;
  std::string command;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void add(std::vector<Seen>& all, const nlohmann::ordered_json& experiment, std::string command) {
  auto result = report::experiment_from_json(experiment.dump(), "document");
  if (!result) {
    std::fputs(render(result.error()).c_str(), stderr);
    std::exit(2);
  }
  all.push_back({std::move(*result), std::move(command)});
}

std::vector<Seen> read_documents(const std::vector<std::string>& paths) {
  std::vector<Seen> all;
  for (const std::string& path : paths) {
    const auto document = nlohmann::ordered_json::parse(read(path));
    for (const auto& experiment : document["experiments"])
      add(all, experiment,
          experiment.contains("group")
              ? "gpx characterize --device " + experiment["device"]["name"].get<std::string>()
              : "gpx run " + experiment["file"].get<std::string>());
  }
  return all;
}

/// The paper's value as a finding's would read: with the finding's unit.
std::string paper_value(const Finding& finding) {
  Finding paper;
  paper.unit = finding.unit;
  if (const auto* quantity = std::get_if<Quantity>(&finding.paper->value)) {
    paper.value = quantity->value;
    paper.high = finding.paper->high;
    if (!paper.high) return report::value_text(paper);
    paper.low = quantity->value;
    const bool scaled = paper.unit == "B" || paper.unit == "s" || paper.unit == "Hz";
    return report::interval_text(paper) + (scaled || paper.unit.empty() ? "" : " " + paper.unit);
  }
  if (const auto* word = std::get_if<std::string>(&finding.paper->value)) return *word;
  paper.value = std::get<bool>(finding.paper->value);
  return report::value_text(paper);
}

bool near(double value, double low, double high) {
  const double slack = kTolerance * std::abs(low);
  return value >= low - slack && value <= high + slack;
}

/// "17, 8, 8" or "1/6, 1/2": the numbers of a list, greatest first.
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t over = part.find('/');
    const double by = over == std::string::npos ? 1 : std::atof(part.c_str() + over + 1);
    numbers.push_back(std::atof(part.c_str()) / by);
  }
  std::ranges::sort(numbers, std::greater());
  return numbers;
}

bool lists_agree(std::vector<double> values, const std::string& paper) {
  const std::vector<double> numbers = numbers_of(paper);
  std::ranges::sort(values, std::greater());
  return std::ranges::equal(
      values, numbers, [](double value, double number) { return near(value, number, number); });
}

bool agrees(const Finding& finding) {
  if (finding.verdict != Verdict::measured) return false;
  const auto* paper = std::get_if<Quantity>(&finding.paper->value);
  const auto* value = std::get_if<double>(&finding.value);
  const auto* list = std::get_if<std::vector<double>>(&finding.value);
  if (list) return lists_agree(*list, paper_value(finding));
  if (!paper || !value) return report::value_text(finding) == paper_value(finding);
  const double top = finding.paper->high.value_or(paper->value);
  if (near(*value, paper->value, top)) return true;
  return finding.low && finding.high && *finding.low <= top && *finding.high >= paper->value;
}

/// A finding beside the paper's value for it.
struct Line {
  const Seen* seen;
  const Finding* finding;
};

struct Outcome {
  std::vector<Line> lines;
  std::vector<std::string> commands;  ///< Each once.
  std::size_t agreeing = 0, holding = 0, failing = 0, unsupported = 0;
};

void count(Outcome& outcome, const Seen& seen, const std::string& id) {
  if (std::find(outcome.commands.begin(), outcome.commands.end(), seen.command) ==
      outcome.commands.end())
    outcome.commands.push_back(seen.command);
  for (const ExpectationResult& expectation : seen.result.expectations)
    if (expectation.applies) ++(expectation.pass ? outcome.holding : outcome.failing);
  for (const ClaimResult& claim : seen.result.claims)
    if (claim.cite == id && !claim.supported) ++outcome.unsupported;
}

bool cites_row(const Experiment& experiment, const std::string& id) {
  return std::any_of(experiment.cites.begin(), experiment.cites.end(), [&](const Cite& cite) {
    return std::find(cite.ids.begin(), cite.ids.end(), id) != cite.ids.end();
  });
}

bool is_summary(const CatalogueRow& row) {
  return !row.command.empty();
}

Outcome outcome_of(const CatalogueRow& row, const std::vector<Seen>& all) {
  Outcome outcome;
  for (const Seen& seen : all) {
    const bool group = seen.command.starts_with("gpx characterize");
    const auto device = seen.command.substr(seen.command.rfind(' ') + 1);
    const bool here = is_summary(row) ? group && row.command.find(device) != std::string::npos
                                      : !group && cites_row(seen.result.experiment, row.id);
    if (!here) continue;
    count(outcome, seen, row.id);
    for (const Finding& finding : seen.result.findings)
      if (finding.paper && (is_summary(row) || finding.paper->cite == row.id)) {
        outcome.lines.push_back({&seen, &finding});
        outcome.agreeing += agrees(finding);
      }
  }
  return outcome;
}

std::string result_text(const Outcome& outcome) {
  if (outcome.commands.empty()) return "**missing**";
  std::vector<std::string> parts;
  if (!outcome.lines.empty())
    parts.push_back(fmt::format("{} of {} values agree", outcome.agreeing, outcome.lines.size()));
  if (outcome.holding + outcome.failing)
    parts.push_back(fmt::format("{} of {} expectations hold", outcome.holding,
                                outcome.holding + outcome.failing));
  if (outcome.unsupported)
    parts.push_back(fmt::format("{} sentence{} of the paper not supported", outcome.unsupported,
                                outcome.unsupported == 1 ? "" : "s"));
  std::string text =
      outcome.agreeing < outcome.lines.size() || outcome.failing ? "**differs**: " : "";
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i ? "; " : "") + parts[i];
  return text.empty() ? "runs; nothing to compare" : text;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "`" : ", `") + part + "`";
  return text;
}

void print_overview(const Work& work, const std::vector<Outcome>& outcomes) {
  fmt::print("\n## {}\n\n| row | what | the paper | command | gpx |\n|---|---|---|---|---|\n",
             work.title);
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    const CatalogueRow& row = work.rows[i];
    const std::string command =
        !is_summary(row) ? joined(outcomes[i].commands) : "`" + row.command + "`";
    fmt::print("| {} | {} | {} | {} | {} |\n", row.id, row.what, row.paper, command,
               result_text(outcomes[i]));
  }
}

constexpr const char* kHead = R"(# Experiments of published papers, reproduced

`./dev papers` runs every experiment and writes this page. All of them ran on **virtual** devices,
which have the numbers of the papers. The page therefore shows that gpx recovers a known truth; it
shows nothing about hardware. [results/](results/README.md) has real GPUs. On a machine with a GPU,
`CUDA_VISIBLE_DEVICES= gpx run FILE` runs an experiment on its virtual device, as here, and prints
each value next to the paper's.

| entry | meaning |
|---|---|
| a value agrees | it was measured, and equals the paper's, lies within 3 % of it, or has an interval that contains it |
| expectations | those of the row's experiments, which may serve several rows |
| HK3, HK4 | the paper states the model's error on its GPUs, gpx on a virtual device whose queue is the one that the model assumes |
| latencies of constants | the paper subtracts 48 clocks, for two arithmetic instructions; WO26 subtracts 24, for the one that forms the address |
)";

}  // namespace

int papers_main(int argc, char** argv) {
  const auto works = parse_catalogue(read(argv[1]));
  const auto all = read_documents({argv + 2, argv + argc});
  fmt::print("{}", kHead);
  for (const Work& work : works) {
    std::vector<Outcome> outcomes;
    for (const CatalogueRow& row : work.rows) outcomes.push_back(outcome_of(row, all));
    print_overview(work, outcomes);
  }
  return 0;
}

}  // namespace gpx::docs

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: gpx_papers CATALOGUE DOCUMENT...\n", stderr);
    return 2;
  }
  return gpx::docs::papers_main(argc, argv);
}
