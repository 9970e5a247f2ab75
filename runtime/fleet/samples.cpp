#include "runtime/fleet/samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/report/number.h"

namespace gpx::fleet {
namespace {

constexpr double kSdsOfHalf = 2.576;  ///< Half an interval of 99 %.

/// A whole number without an interval is counted; clocks and rates are never.
bool is_count(const FindingName& finding, const Reading& reading) {
  return finding.kind->sense == Sense::quantity && finding.kind->part != Part::power &&
         report::is_integer(reading.value) && !(reading.low < reading.high);
}

void take_reading(Sample& sample, const FindingName& finding, const Reading& reading,
                  bool numeric) {
  if (reading.verdict == Verdict::inconclusive) {
    sample.undecided = true;
    return;
  }
  const bool number = numeric && !std::isnan(reading.value);
  if (!number) return sample.words.push_back(reading_text(finding, reading));
  sample.numbers.push_back(reading.value);
  // A latency's interval is the range of its accesses, and says nothing of another run.
  if (finding.kind->part == Part::structure && reading.low < reading.high)
    sample.half = std::max(sample.half,
                           (reading.high - reading.low) / 2 / kSdsOfHalf / std::abs(reading.value));
}

/// Around the means of their boards, relative to them.
Variance pooled_runs(const std::vector<Sample>& samples) {
  double squares = 0, freedom = 0;
  for (const Sample& sample : samples) {
    const double mean = sample.mean();
    if (sample.numbers.size() < 2 || mean == 0) continue;
    for (const double value : sample.numbers)
      squares += (value - mean) / mean * ((value - mean) / mean);
    freedom += static_cast<double>(sample.numbers.size() - 1);
  }
  return freedom > 0 ? Variance{squares / freedom, freedom} : Variance{};
}

struct Located {
  std::size_t board;
  const Reading* reading;
};

Column column_of(const Fleet& fleet, std::uint32_t finding, const std::vector<Located>& all) {
  const FindingName& name = fleet.findings[finding];
  Column column;
  column.finding = finding;
  column.numeric = !name.exact && std::ranges::any_of(all, [&](const Located& each) {
    return !std::isnan(each.reading->value) && !is_count(name, *each.reading);
  });
  for (const Located& each : all) {
    if (column.samples.empty() || column.samples.back().board != each.board)
      column.samples.emplace_back().board = each.board;
    take_reading(column.samples.back(), name, *each.reading, column.numeric);
  }
  const double sd = name.kind->run;
  column.run = Variance{sd * sd, name.kind->freedom}.with(pooled_runs(column.samples));
  return column;
}

}  // namespace

double Sample::mean() const {
  return numbers.empty() ? 0
                         : std::accumulate(numbers.begin(), numbers.end(), 0.0) /
                               static_cast<double>(numbers.size());
}

std::string Sample::word() const {
  const bool agree = std::ranges::all_of(words, [&](const auto& each) { return each == words[0]; });
  return words.empty() || !agree ? std::string() : words[0];
}

std::vector<Column> columns_of(const Fleet& fleet, const std::vector<std::size_t>& boards) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Located>> found;
  for (const std::size_t board : boards)
    for (const Reading& reading : fleet.boards[board].readings)
      found[{reading.finding, reading.how}].push_back({board, &reading});
  std::vector<Column> columns;
  for (const auto& [key, all] : found) columns.push_back(column_of(fleet, key.first, all));
  return columns;
}

}  // namespace gpx::fleet
