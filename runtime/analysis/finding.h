// Findings: what an analysis concludes, with how sure it is and from which points.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lang/value.h"

namespace gpx {

enum class Verdict {
  measured,      ///< The samples support the value within the interval.
  not_observed,  ///< Looked for over the whole sweep and not there.
  inconclusive,  ///< The samples cannot decide; `note` says between what.
};
std::string_view to_string(Verdict verdict);

struct PaperReading {
  Value value;
  std::optional<double> high;  ///< Upper end where the paper gives a range.
  std::string cite;

  bool operator==(const PaperReading&) const = default;
};

/// Probes that a finding rests on, and what they show.
struct ProbeEvidence {
  std::string what;  ///< "share of tests that evict the target, by the line left out"
  std::uint64_t first = 0, last = 0;  ///< Numbers in the experiment's log, from 1.
  std::string x, y;                   ///< What the points have: "line left out", "share of tests".
  std::vector<std::pair<double, double>> points;  ///< To draw; none: the probes alone.

  bool operator==(const ProbeEvidence&) const = default;
};

struct Finding {
  std::string name;  ///< Canonical, e.g. "outstanding.saturation[n=2]".
  std::variant<std::monostate, double, std::string, bool, std::vector<double>> value;
  std::string unit;                  ///< "threads", "entries", "B", "clocks"; "" for none.
  std::optional<double> low, high;   ///< Of the value where it is a number; absent: unbounded.
  std::optional<double> confidence;  ///< 0..1; absent where the method gives none.
  Verdict verdict = Verdict::inconclusive;
  std::string note;  ///< One line for people: how it was read.
  /// The points it rests on: (column, value) pairs that select rows of the samples.
  std::vector<std::vector<std::pair<std::string, Value>>> evidence;
  std::vector<ProbeEvidence> probes;
  std::vector<std::string> steps;    ///< How it was found: what was asked, found and ruled out.
  std::optional<std::string> proof;  ///< "verified", "unverified"; absent: nothing was timed.
  std::optional<PaperReading> paper;
  bool modelled = false;  ///< The value is of a model's equations, not of a measurement.
};

/// What JSON has of a field that is empty: the value as it is, null, or no such key.
enum class WhereEmpty { is, null, nothing };
struct FindingField {
  const char* key;
  WhereEmpty where_empty;
};

/// Calls visit(FindingField, member) for each row of finding_fields.def.
template <typename AnyFinding, typename Visit>
void for_each_field(AnyFinding& finding, Visit visit) {
#define GPX_FINDING_FIELD(member, where_empty) \
  visit(FindingField{#member, WhereEmpty::where_empty}, finding.member);
#include "runtime/analysis/finding_fields.def"
#undef GPX_FINDING_FIELD
}

/// The keys of finding_fields.def, in order.
std::vector<std::string> finding_keys();

/// One line: "l1.line = 128 B [128, 128] measured: pairs of words".
std::string to_string(const Finding& finding);

}  // namespace gpx
