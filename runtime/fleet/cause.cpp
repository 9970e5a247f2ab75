#include "runtime/fleet/cause.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gpx::fleet {
namespace {

enum class Sign : std::uint8_t { slower, faster, either };
enum class ReadingOf : std::uint8_t { none, clock, memory_clock, throttled, tenant, sms };

constexpr double kExplains = 0.3;  ///< Of what differs, that a cause must explain.
constexpr std::size_t kMostCauses = 3;
constexpr double kNearly = 0.9;      ///< Of the best score, what is named beside it.
constexpr double kReadingBonus = 1;  ///< A reading is nearer to the cause than any pattern.
constexpr double kOften = 0.1;       ///< Of a board's experiments, that a reading must come with.
constexpr double kClockDiffers = 0.01;  ///< More than a step of an H100's SM clock, 0.76 %.

constexpr unsigned bit_of(Part part) {
  return 1u << static_cast<unsigned>(part);
}

struct CauseRow {
  const char* name;
  unsigned must, may;
  Sign sign;
  ReadingOf reading;
};

#define bit(part) bit_of(Part::part)
constexpr CauseRow kCauses[] = {
#define GPX_CAUSE(name, must, may, sign, reading) {name, must, may, Sign::sign, ReadingOf::reading},
#include "runtime/fleet/causes.def"
#undef GPX_CAUSE
};
#undef bit

/// Of one part of a board: how many findings were compared, and how many differ which way.
struct PartCount {
  double compared = 0, differ = 0, slower = 0, faster = 0;
};
using Pattern = std::array<PartCount, kParts>;

Pattern pattern_of(const Fleet& fleet, const Likeness& likeness) {
  Pattern pattern;
  for (const Judged& each : likeness.judged) {
    if (each.standing == Standing::missing || each.standing == Standing::ambiguous) continue;
    const FindingName& finding = fleet.findings[each.finding];
    PartCount& count = pattern[static_cast<std::size_t>(finding.kind->part)];
    ++count.compared;
    if (each.standing == Standing::same) continue;
    ++count.differ;
    const std::string word = standing_word(finding, each.standing);
    count.slower += word == "slower";
    count.faster += word == "faster";
  }
  return pattern;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

struct Evidence {
  bool clock = false, memory_clock = false, throttled = false, tenant = false, sms = false;
  std::vector<std::string> texts;
};

/// Readings of the board beside the median of its peers.
bool differs(double own, const std::vector<double>& peers, const char* what,
             std::vector<std::string>& texts) {
  const double others = median_of(peers);
  if (!(own > 0) || !(others > 0) || std::abs(own / others - 1) < kClockDiffers) return false;
  texts.push_back(fmt::format("{} {:.0f} MHz instead of {:.0f} MHz", what, own, others));
  return true;
}

Evidence evidence_of(const Fleet& fleet, const Likeness& likeness) {
  const Board& board = fleet.boards[likeness.board];
  std::vector<double> sm, memory;
  for (const Board& each : fleet.boards) {
    if (&each == &board || each.device != board.device) continue;
    if (!each.state.sm_mhz.empty()) sm.push_back(median_of(each.state.sm_mhz));
    if (!each.state.memory_mhz.empty()) memory.push_back(median_of(each.state.memory_mhz));
  }
  Evidence found;
  const BoardState& state = board.state;
  found.clock = differs(median_of(state.sm_mhz), sm, "SM clock", found.texts);
  found.memory_clock = differs(median_of(state.memory_mhz), memory, "memory clock", found.texts);
  found.sms = std::ranges::any_of(likeness.judged, [&](const Judged& each) {
    const FindingName& finding = fleet.findings[each.finding];
    return finding.exact && finding.kind->part == Part::units &&
           each.standing == Standing::structure;
  });
  const double often = kOften * static_cast<double>(state.experiments);
  found.throttled = state.throttled > 0 && static_cast<double>(state.throttled) >= often;
  found.tenant = state.disturbed > 0 && static_cast<double>(state.disturbed) >= often;
  if (found.throttled)
    found.texts.push_back(
        fmt::format("throttled in {} of {} experiments", state.throttled, state.experiments));
  if (found.tenant)
    found.texts.push_back(fmt::format("another process was seen in {} of {} experiments",
                                      state.disturbed, state.experiments));
  return found;
}

bool has(const Evidence& evidence, ReadingOf reading) {
  switch (reading) {
    case ReadingOf::none: return false;
    case ReadingOf::clock: return evidence.clock;
    case ReadingOf::memory_clock: return evidence.memory_clock;
    case ReadingOf::throttled: return evidence.throttled;
    case ReadingOf::tenant: return evidence.tenant;
    case ReadingOf::sms: return evidence.sms;
  }
  return false;
}

/// How well a cause explains the pattern, 0 to 1: of what differs the share that it would change,
/// and of what it must change the share of parts that do differ, the way that it says.
double score_of(const CauseRow& cause, const Pattern& pattern, const Evidence& evidence) {
  double all = 0, explained = 0, parts = 0, met = 0;
  for (std::size_t at = 0; at < kParts; ++at) {
    const PartCount& count = pattern[at];
    const unsigned part = 1u << at;
    all += count.differ;
    const double wrong = cause.sign == Sign::slower   ? count.faster
                         : cause.sign == Sign::faster ? count.slower
                                                      : 0;
    if ((cause.must & part) != 0)
      explained += count.differ - wrong;
    else if ((cause.may & part) != 0)
      explained += 0.75 * count.differ;
    if ((cause.must & part) == 0 || count.compared == 0) continue;
    ++parts;
    // One of many findings may be a part's own; most of them are the part.
    met += count.differ > 0 ? 0.5 + 0.5 * count.differ / count.compared : 0;
  }
  if (all == 0 || parts == 0) return 0;
  const double score = explained / all * (met / parts);
  const double needs = cause.reading == ReadingOf::throttled || cause.reading == ReadingOf::tenant
                           ? 0.5
                           : 1;  // A driver shows these where they are.
  return has(evidence, cause.reading) ? score + kReadingBonus : needs * score;
}

double explained_share(const CauseRow& cause, const Pattern& pattern) {
  double all = 0, explained = 0;
  for (std::size_t at = 0; at < kParts; ++at) {
    all += pattern[at].differ;
    if (((cause.must | cause.may) & (1u << at)) != 0) explained += pattern[at].differ;
  }
  return all > 0 ? explained / all : 0;
}

/// The best one, and another that is nearly as likely.
std::vector<const CauseRow*> likely_causes(const Pattern& pattern, const Evidence& evidence) {
  std::vector<std::pair<double, const CauseRow*>> scored;
  for (const CauseRow& cause : kCauses)
    if (explained_share(cause, pattern) >= kExplains)
      scored.emplace_back(score_of(cause, pattern, evidence), &cause);
  std::ranges::stable_sort(scored, std::greater<>{}, [](const auto& each) { return each.first; });
  std::vector<const CauseRow*> likely;
  for (const auto& [score, cause] : scored)
    if (score > 0 && score >= kNearly * scored.front().first && likely.size() < 2)
      likely.push_back(cause);
  return likely;
}

std::string parts_text(const CauseRow& cause, const Pattern& pattern) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < kParts; ++at)
    if (((cause.must | cause.may) & (1u << at)) != 0 && pattern[at].differ > 0)
      texts.push_back(fmt::format("{} of {} findings of {}", pattern[at].differ,
                                  pattern[at].compared, to_string(static_cast<Part>(at))));
  return fmt::format("{} differ", fmt::join(texts, ", "));
}

}  // namespace

std::vector<Likeness::Cause> causes_of(const Fleet& fleet, const Likeness& likeness) {
  Pattern pattern = pattern_of(fleet, likeness);
  const Evidence evidence = evidence_of(fleet, likeness);
  std::vector<Likeness::Cause> causes;
  // What one cause leaves may have another one.
  while (causes.size() < kMostCauses) {
    const auto likely = likely_causes(pattern, evidence);
    if (likely.empty()) break;
    for (const CauseRow* cause : likely) {
      std::string why = parts_text(*cause, pattern);
      for (const std::string& text : evidence.texts) why += "; " + text;
      causes.push_back({cause->name, std::move(why)});
    }
    for (std::size_t at = 0; at < kParts; ++at)
      for (const CauseRow* cause : likely)
        if (((cause->must | cause->may) & (1u << at)) != 0) pattern[at].differ = 0;
  }
  return causes;
}

}  // namespace gpx::fleet
