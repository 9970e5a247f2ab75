#include "runtime/fleet/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace gpx::fleet {
namespace {

constexpr double kSameError = 0.01;  ///< One-sided, that a difference is beyond the margin.
constexpr double kMostRepetitions = 10000;
constexpr double kCommonWord = 0.1;  ///< Share of the peers that makes a value usual.
constexpr double kPlain = 2;         ///< Of a t that no shared error rate reaches.

/// Zero and less are no latency and no rate. Differences of latencies may be anything.
bool is_void(const Kind& kind, double value) {
  const bool signed_kind = kind.sense == Sense::quantity || kind.name == "difference of latencies";
  return std::isnan(value) || (value <= 0 && !signed_kind);
}

bool has_numbers(const Sample& sample) {
  return !sample.numbers.empty();
}

std::string said(const FindingName& finding, const Sample& sample) {
  if (has_numbers(sample)) return number_text(finding, sample.mean());
  const std::string word = sample.word();
  if (!word.empty()) return word;
  return sample.words.empty() ? "inconclusive" : "its runs disagree";
}

// ---- Numbers ----------------------------------------------------------------------------------

/// The boards whose numbers count, with their means in order.
struct Ranked {
  std::vector<const Sample*> samples;  ///< By mean.
  std::vector<double> means;
  double runs = 1;  ///< Of a board, the harmonic mean.
};

Ranked ranked(const FindingName& finding, const Column& column) {
  Ranked out;
  double inverse = 0;
  for (const Sample& sample : column.samples)
    if (has_numbers(sample) && std::ranges::none_of(sample.numbers, [&](double value) {
          return is_void(*finding.kind, value);
        }))
      out.samples.push_back(&sample);
  std::ranges::sort(out.samples, {}, [](const Sample* each) { return each->mean(); });
  for (const Sample* sample : out.samples) {
    out.means.push_back(sample->mean());
    inverse += 1 / static_cast<double>(sample->numbers.size());
  }
  if (!out.samples.empty()) out.runs = static_cast<double>(out.samples.size()) / inverse;
  return out;
}

Test number_test(const FindingName& finding, const Column& column, const Ranked& all,
                 std::size_t rank) {
  const Sample& sample = *all.samples[rank];
  const double centre = median_without(all.means, rank), mean = all.means[rank];
  Test test;
  test.open = true;
  test.judged.finding = column.finding;
  test.judged.peers = all.means.size() - 1;
  test.judged.board = number_text(finding, mean);
  test.judged.others = number_text(finding, centre);
  test.judged.standing = finding.kind->part == Part::structure || finding.kind->part == Part::units
                             ? Standing::structure
                         : mean > centre ? Standing::above
                                         : Standing::below;
  if (centre == 0) {
    test.judged.chance = mean == 0 ? 1 : 0;
    test.error = 0;
    test.difference = mean == 0 ? 0 : 1;
    return test;
  }
  test.judged.ratio = mean / centre;
  test.difference = (mean - centre) / std::abs(centre);
  Variance spread = spread_without(all.means, rank);
  spread.value /= centre * centre;
  const double prior = finding.kind->board;
  Variance boards = Variance{prior * prior, finding.kind->freedom}.with(spread);
  const double factor = median_factor(all.means.size() - 1);
  test.value = mean;
  test.board_variance = boards.value;
  boards.value *= factor;
  Variance runs = column.run;
  runs.value = std::max(runs.value, sample.half * sample.half);
  test.runs = static_cast<double>(sample.numbers.size());
  test.run_variance = runs.value / test.runs;
  runs.value *= 1 / test.runs + (factor - 1) / all.runs;
  const Variance both = sum({boards, runs});
  test.error = std::sqrt(both.value);
  test.freedom = both.freedom;
  test.run_share = both.value > 0 ? runs.value / both.value : 0;
  test.kind = finding.kind;
  test.resolution = test.error;
  test.resolution_freedom = test.freedom;
  const double t = test.error > 0 ? test.difference / test.error : 0;
  test.judged.chance = std::abs(t) < kPlain ? 1 : chance(t, test.freedom);
  return test;
}

// ---- Words and counts -------------------------------------------------------------------------

std::string decided(const Sample& sample, bool numeric) {
  return numeric && has_numbers(sample) ? "a number" : sample.word();
}

struct Usual {
  std::string word;
  std::size_t boards = 0, runs = 0;
};

/// Words by how many boards have them.
std::map<std::string, Usual> usual_words(const Column& column) {
  std::map<std::string, Usual> all;
  for (const Sample& sample : column.samples) {
    const std::string word = decided(sample, column.numeric);
    if (word.empty()) continue;
    Usual& usual = all[word];
    usual.word = word;
    ++usual.boards;
    usual.runs += sample.words.size() + sample.numbers.size();
  }
  return all;
}

Test word_test(const FindingName& finding, const Column& column, const Sample& sample,
               const std::map<std::string, Usual>& all) {
  const std::string own = decided(sample, column.numeric);
  Test test;
  test.judged.finding = column.finding;
  test.judged.board = said(finding, sample);
  std::size_t boards = 0, alike = 0;
  const Usual* first = nullptr;
  for (const auto& [word, usual] : all) {
    const std::size_t others = usual.boards - (word == own ? 1 : 0);
    boards += others;
    if (word == own) alike = others;
    if (others > 0 && (!first || usual.boards > first->boards)) first = &usual;
  }
  test.judged.peers = boards;
  if (!first) return test;
  test.judged.others = first->word;
  if (own.empty()) {
    test.judged.why = sample.words.empty() ? "inconclusive here; one more repetition may decide"
                                           : "its runs disagree; two more repetitions may decide";
    return test;
  }
  test.open = true;
  test.judged.standing = Standing::structure;
  const bool common = own == first->word || alike >= 2 || (alike == 1 && boards <= 2) ||
                      static_cast<double>(alike) >= kCommonWord * static_cast<double>(boards);
  if (alike > 0 && common) return test;  // Chance 1: others have it, too.
  const std::size_t runs = sample.words.size() + sample.numbers.size();
  test.word_runs = std::min(runs, first->runs);
  // One run of a board states a word by chance too often among hundreds of findings.
  constexpr std::size_t kLeastRuns = 2;
  test.judged.chance = finding.exact ? 0
                       : test.word_runs < kLeastRuns
                           ? 1
                           : std::pow(kWrongWord, static_cast<double>(runs)) +
                                 std::pow(kWrongWord, static_cast<double>(first->runs));
  test.difference = 1;
  return test;
}

// ---- What is not there ------------------------------------------------------------------------

Test missing_test(const Column& column, std::size_t peers, std::string board, std::string why) {
  Test test;
  test.judged.finding = column.finding;
  test.judged.standing = Standing::missing;
  test.judged.peers = peers;
  test.judged.board = std::move(board);
  test.judged.why = std::move(why);
  return test;
}

bool has_finding(const Board& board, std::uint32_t finding) {
  const auto at = std::ranges::lower_bound(board.readings, finding, {}, &Reading::finding);
  return at != board.readings.end() && at->finding == finding;
}

void add_missing(std::vector<std::pair<std::size_t, Test>>& out, const Fleet& fleet,
                 const Column& column, const std::vector<std::size_t>& boards) {
  if (fleet.findings[column.finding].exact) return;  // A driver need not report everything.
  std::size_t decided_by = 0;
  for (const Sample& sample : column.samples)
    decided_by += has_numbers(sample) || !sample.words.empty();
  if (2 * decided_by < boards.size() || decided_by == 0) return;
  std::size_t at = 0;
  for (const std::size_t board : boards) {
    while (at < column.samples.size() && column.samples[at].board < board) ++at;
    if (at < column.samples.size() && column.samples[at].board == board) continue;
    Test test = missing_test(column, decided_by, "–", "not measured on this board");
    if (has_finding(fleet.boards[board], column.finding)) {
      test.judged.standing = Standing::ambiguous;
      test.judged.why = "measured by another text of the experiment";
    }
    out.emplace_back(board, std::move(test));
  }
}

// ---- Repetitions ------------------------------------------------------------------------------

/// The error where every board has `times` as many runs.
double error_at(const Test& test, double times) {
  return test.error * std::sqrt(1 - test.run_share + test.run_share / times);
}

/// Whether so many runs would show a difference, or that there is none.
bool would_tell(const Test& test, double times, double level, double margin) {
  const double error = error_at(test, times), size = std::abs(test.difference);
  return size > bound(level, test.freedom) * error ||
         size + bound(2 * kSameError, test.freedom) * error <= margin;
}

std::string repetitions_that_tell(const Test& test, double level, double margin) {
  if (!would_tell(test, kMostRepetitions, level, margin))
    return "equal boards scatter by so much that no number of repetitions would decide";
  double low = 1, high = 2;
  while (!would_tell(test, high, level, margin)) low = high, high *= 2;
  for (int i = 0; i < 20; ++i) {
    const double middle = (low + high) / 2;
    (would_tell(test, middle, level, margin) ? high : low) = middle;
  }
  return fmt::format("about {:.0f} repetitions of each board would decide",
                     std::ceil(high * test.runs));
}

}  // namespace

std::vector<std::pair<std::size_t, Test>> tests_of(const Fleet& fleet, const Column& column,
                                                   const std::vector<std::size_t>& boards) {
  const FindingName& finding = fleet.findings[column.finding];
  std::vector<std::pair<std::size_t, Test>> out;
  const Ranked all = ranked(finding, column);
  if (column.numeric && all.means.size() > 1)
    for (std::size_t rank = 0; rank < all.samples.size(); ++rank)
      out.emplace_back(all.samples[rank]->board, number_test(finding, column, all, rank));
  const auto words = usual_words(column);
  for (const Sample& sample : column.samples) {
    if (column.numeric && has_numbers(sample)) {
      if (std::ranges::any_of(sample.numbers,
                              [&](double value) { return is_void(*finding.kind, value); }))
        out.emplace_back(sample.board,
                         missing_test(column, all.samples.size(), said(finding, sample),
                                      "zero is no measurement"));
      continue;
    }
    Test test = word_test(finding, column, sample, words);
    if (test.judged.peers > 0) out.emplace_back(sample.board, std::move(test));
  }
  add_missing(out, fleet, column, boards);
  return out;
}

void settle(Test& test, double level, double margin) {
  Judged& judged = test.judged;
  if (test.judged.standing == Standing::missing || !test.open) return;
  if (test.error == 0) {  // Words, and numbers without scatter.
    judged.standing = test.difference == 0 ? Standing::same : Standing::ambiguous;
    if (test.difference == 0 || test.word_runs == 0) return;
    const double needed = std::ceil(std::log(level / 2) / std::log(kWrongWord));
    judged.why = fmt::format("{:.0f} runs of each board that agree would decide",
                             std::max(needed, static_cast<double>(test.word_runs + 1)));
    return;
  }
  const double half = bound(2 * kSameError, test.freedom) * test.error;
  judged.standing =
      std::abs(test.difference) + half <= margin ? Standing::same : Standing::ambiguous;
  if (judged.standing == Standing::ambiguous)
    judged.why = repetitions_that_tell(test, level, margin);
}

}  // namespace gpx::fleet
