#include "runtime/fleet/compare.h"

#include <algorithm>
#include <map>
#include <set>

#include "runtime/fleet/cause.h"
#include "runtime/fleet/error_rate.h"
#include "runtime/fleet/related.h"

namespace gpx::fleet {
namespace {

std::map<std::string, std::vector<std::size_t>> models(const Fleet& fleet) {
  std::map<std::string, std::vector<std::size_t>> all;
  for (std::size_t board = 0; board < fleet.boards.size(); ++board)
    all[fleet.boards[board].device].push_back(board);
  return all;
}

void count_findings(const Fleet& fleet, Likeness& likeness) {
  std::set<std::uint32_t> judged;
  for (const Judged& each : likeness.judged) {
    judged.insert(each.finding);
    likeness.measured += !fleet.findings[each.finding].exact;
  }
  const std::vector<Reading>& readings = fleet.boards[likeness.board].readings;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const bool first = i == 0 || readings[i].finding != readings[i - 1].finding;
    likeness.alone += first && !judged.contains(readings[i].finding);
  }
}

}  // namespace

std::string standing_word(const FindingName& finding, Standing standing) {
  switch (standing) {
    case Standing::same: return "same";
    case Standing::below:
    case Standing::above: return std::string(direction(*finding.kind, standing == Standing::above));
    case Standing::structure: return "different structure";
    case Standing::ambiguous: return "ambiguous";
    case Standing::missing: return "missing";
  }
  return "";
}

std::size_t Likeness::count(Standing standing) const {
  return static_cast<std::size_t>(std::ranges::count(judged, standing, &Judged::standing));
}

bool Likeness::stands_out() const {
  return std::ranges::any_of(judged, [](const Judged& each) {
    return each.standing != Standing::same && each.standing != Standing::ambiguous;
  });
}

std::vector<Likeness> compare(const Fleet& fleet, const CompareOptions& options) {
  std::vector<Likeness> all(fleet.boards.size());
  for (const auto& [device, boards] : models(fleet)) {
    std::map<std::size_t, std::vector<Test>> tests;
    std::size_t count = 0;
    if (boards.size() > 1)
      for (const Column& column : columns_of(fleet, boards)) {
        for (auto& [board, test] : tests_of(fleet, column, boards)) {
          test.column = count;
          tests[board].push_back(std::move(test));
        }
        ++count;
      }
    test_related(tests);
    for (const std::size_t board : boards) {
      Likeness& likeness = all[board];
      likeness.board = board;
      likeness.peers = boards.size() - 1;
      share_error(tests[board], options);
      for (Test& test : tests[board]) likeness.judged.push_back(std::move(test.judged));
      count_findings(fleet, likeness);
      if (likeness.stands_out()) likeness.causes = causes_of(fleet, likeness);
    }
  }
  return all;
}

}  // namespace gpx::fleet
