#include "runtime/fleet/related.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpx::fleet {
namespace {

constexpr double kNoFit = 1e-3;  ///< A chance: one that is less likely says nothing of the others.

/// A number of one board.
struct Member {
  Test* test;
  double difference;  ///< From the median of all boards, relative.
  double loading;     ///< What it moves by where the shared factor is one standard deviation off.
  double own;         ///< Variance of the rest.
  bool fits = true;
};

/// Numbers of one part of one board.
using Group = std::vector<Member>;

/// The factor that the members but one share: its mean and variance, and the squared distance of
/// these members from zero, in standard deviations.
struct Factor {
  double mean = 0, variance = 1, distance = 0;
  std::size_t members = 0;
};

Factor factor_without(const Group& group, const Member& one) {
  Factor factor;
  double weights = 1, sum = 0;
  for (const Member& each : group) {
    if (&each == &one || !each.fits) continue;
    weights += each.loading * each.loading / each.own;
    sum += each.loading * each.difference / each.own;
    factor.distance += each.difference * each.difference / each.own;
    ++factor.members;
  }
  factor.variance = 1 / weights;
  factor.mean = sum * factor.variance;
  factor.distance -= sum * factor.mean;
  return factor;
}

/// What a member differs by from what the others of its board let expect.
struct Own {
  Test* test = nullptr;
  double expected = 0, difference = 0, variance = 0;
};

Own own_of(const Group& group, const Member& member) {
  const Factor factor = factor_without(group, member);
  if (factor.members == 0) return {};
  const double expected = member.loading * factor.mean;
  return {member.test, expected, member.difference - expected,
          member.own + member.loading * member.loading * factor.variance};
}

/// The one that fits least, nullptr if all fit: among the unlikely ones the one without which the
/// others are the likeliest.
Member* misfit(Group& group) {
  Member* worst = nullptr;
  double least = 0;
  for (Member& each : group) {
    const Own own = each.fits ? own_of(group, each) : Own{};
    if (!own.test || chance(own.difference / std::sqrt(own.variance), own.test->freedom) >= kNoFit)
      continue;
    const double distance = factor_without(group, each).distance;
    if (worst && distance >= least) continue;
    worst = &each;
    least = distance;
  }
  return worst;
}

bool is_related(const Test& test) {
  return test.open && test.error > 0 && test.kind && test.kind->loading > 0;
}

/// Of each column, the median of all boards.
std::map<std::size_t, double> medians(std::map<std::size_t, std::vector<Test>>& boards) {
  std::map<std::size_t, std::vector<double>> values;
  for (const auto& [board, tests] : boards)
    for (const Test& test : tests)
      if (is_related(test)) values[test.column].push_back(test.value);
  std::map<std::size_t, double> centres;
  for (auto& [column, all] : values) {
    std::ranges::sort(all);
    centres[column] = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  }
  return centres;
}

/// A board's numbers, by part.
std::map<Part, Group> groups_of(std::vector<Test>& tests, std::map<std::size_t, double>& centres) {
  std::map<Part, Group> groups;
  for (Test& test : tests) {
    const double centre = is_related(test) ? centres[test.column] : 0;
    if (centre == 0) continue;
    const double share = test.kind->loading * test.kind->loading;
    groups[test.kind->part].push_back({&test, (test.value - centre) / std::abs(centre),
                                       std::sqrt(share * test.board_variance),
                                       (1 - share) * test.board_variance + test.run_variance});
  }
  return groups;
}

/// One column's, against the median of the peers'.
void test_again(std::vector<Own>& column) {
  std::ranges::sort(column, {}, &Own::difference);
  std::vector<double> differences;
  double variance = 0;
  for (const Own& own : column) {
    differences.push_back(own.difference);
    variance += own.variance;
  }
  const std::size_t peers = column.size() - 1;
  for (std::size_t at = 0; at < column.size(); ++at) {
    Test& test = *column[at].test;
    const double others = (variance - column[at].variance) / static_cast<double>(peers);
    const double error = std::sqrt(column[at].variance + (median_factor(peers) - 1) * others);
    const double own = column[at].difference - median_without(differences, at);
    const double own_chance = chance(own / error, test.freedom);
    test.resolution = std::min(test.resolution, error);
    if (own_chance < test.judged.chance) {
      test.judged.standing = own > 0 ? Standing::above : Standing::below;
      test.expected =
          fmt::format("related findings let expect {:+.1f} %", 100 * (test.difference - own));
    }
    test.judged.chance = std::min(1.0, 2 * std::min(test.judged.chance, own_chance));
  }
}

}  // namespace

void test_related(std::map<std::size_t, std::vector<Test>>& boards) {
  std::map<std::size_t, double> centres = medians(boards);
  std::map<std::size_t, std::vector<Own>> columns;
  for (auto& [board, tests] : boards)
    for (auto& [part, group] : groups_of(tests, centres)) {
      while (Member* member = misfit(group)) member->fits = false;
      for (const Member& member : group)
        if (const Own own = own_of(group, member); own.test)
          columns[own.test->column].push_back(own);
    }
  for (auto& [column, all] : columns)
    if (all.size() > 1) test_again(all);
}

}  // namespace gpx::fleet
