// Judges `expect` and `claim` lines by the findings, and puts `paper` values beside them.
// Interface: expectation.h. Covered by tests/runtime/expectation_test.cpp.
#include "runtime/analysis/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lang/lists.h"
#include "runtime/analysis/sample_value.h"
#include "runtime/device/select.h"
#include "runtime/measure/sample_table.h"

namespace gpx {
namespace {

/// A verdict on a condition. `reason` says why it does not hold.
struct Judged {
  bool holds = false;
  std::string reason;
};

/// An analysis may give a rate as a plain number with a word behind it.
Unit unit_of_finding(const Finding& finding) {
  const Unit unit = unit_of_symbol(finding.unit).value_or(Unit::none);
  return unit > Unit::clock && !is_sample_value(finding) ? Unit::none : unit;
}

std::string number_text(double number, const Finding& finding) {
  const Unit known = unit_of_finding(finding);
  const std::string& unit = finding.unit;
  if (known == Unit::byte_per_second) return fmt::format("{:.4g}GB/s", number / 1e9);
  if (known > Unit::clock) return fmt::format("{:.4g}{}", number, unit);
  const std::string text = to_string(Quantity{number, known});
  return known == Unit::none && !unit.empty() ? text + " " + unit : text;
}

/// An end of a finding's interval. Bytes and rates have units of their own, as the value has.
std::string end_text(const std::optional<double>& end, const Finding& finding) {
  if (!end) return {};
  const Unit unit = unit_of_finding(finding);
  return unit == Unit::byte || unit == Unit::byte_per_second ? number_text(*end, finding)
                                                             : fmt::format("{}", *end);
}

std::string describe(const Finding& finding) {
  if (finding.verdict != Verdict::measured) {
    const std::string_view verdict =
        finding.verdict == Verdict::not_observed ? "not observed" : to_string(finding.verdict);
    std::string text = fmt::format("{} is {}", finding.name, verdict);
    return finding.note.empty() ? text : text + ": " + finding.note;
  }
  if (const double* number = std::get_if<double>(&finding.value)) {
    std::string text = fmt::format("{} is {}", finding.name, number_text(*number, finding));
    if (finding.low || finding.high) {
      text +=
          fmt::format(" ({}..{})", end_text(finding.low, finding), end_text(finding.high, finding));
    }
    if (is_sample_value(finding) && finding.evidence.size() == 1) {
      for (std::size_t i = 0; i < finding.evidence[0].size(); ++i) {
        const auto& [column, value] = finding.evidence[0][i];
        text += fmt::format("{} {}={}", i ? "," : " at", column, to_string(value));
      }
    }
    return text;
  }
  if (const auto* word = std::get_if<std::string>(&finding.value)) {
    return fmt::format("{} is {}", finding.name, *word);
  }
  if (const bool* truth = std::get_if<bool>(&finding.value)) {
    return fmt::format("{} is {}", finding.name, *truth);
  }
  return fmt::format("{} is a list", finding.name);
}

/// An outcome's name stands for itself: `expect outcome == deadlock`.
const Value* outcome_word(std::string_view name) {
  static const std::vector<Value> kWords = [] {
    std::vector<Value> words;
    for (const Outcome outcome : {Outcome::completed, Outcome::deadlock, Outcome::launch_failure})
      words.emplace_back(std::string(to_string(outcome)));
    return words;
  }();
  return find_in(kWords, Value(std::string(name)));
}

class Judge {
 public:
  Judge(const Experiment& experiment, const std::vector<Finding>& findings)
      : experiment_(experiment), findings_(findings) {}

  Judged operator()(const Expr& expr) const {
    using Op = Expr::Op;
    if (expr.op == Op::and_ || expr.op == Op::or_) return both(expr);
    if (expr.op == Op::not_) return negated(expr);
    if (expr.op == Op::is) return verdict_is(expr);
    if (const auto blocked = unusable(expr)) return {false, *blocked};
    if (expr.op == Op::within) return within(expr);
    return holds(expr, Reading::value);
  }

 private:
  /// Which end of the findings' intervals an expression is evaluated at.
  enum class Reading { value, low, high };
  /// Whether the rates of an analysis ("B/s", "1/clk") are plain numbers.
  enum class Units { plain, all };

  Judged both(const Expr& expr) const {
    const Judged left = (*this)(expr.args[0]);
    const Judged right = (*this)(expr.args[1]);
    const bool all = expr.op == Expr::Op::and_;
    if (all ? left.holds && right.holds : left.holds || right.holds) return {true, {}};
    std::string reason = left.reason;
    if (!right.holds && right.reason != reason) {
      reason += reason.empty() ? right.reason : "; " + right.reason;
    }
    return {false, reason};
  }

  Judged negated(const Expr& expr) const {
    // What cannot be judged does not become true by a `not`.
    if (const auto blocked = unusable(expr.args[0])) return {false, *blocked};
    const Judged inner = (*this)(expr.args[0]);
    return inner.holds ? Judged{false, what_is(expr)} : Judged{true, {}};
  }

  Judged verdict_is(const Expr& expr) const {
    const Finding* finding = find(expr.args[0].text);
    if (!finding) return {false, no_such(expr.args[0].text)};
    if (to_string(finding->verdict) == expr.args[1].text) return {true, {}};
    return {false, describe(*finding)};
  }

  Judged holds(const Expr& expr, Reading reading) const {
    auto value = evaluate(expr, scope(reading, Units::plain));
    // `memory.bandwidth < 300GB/s`: rates are compared as numbers where the other side is one.
    if (!value)
      if (const auto exact = evaluate(expr, scope(reading, Units::all)); exact) value = exact;
    if (!value) return {false, value.error().message};
    const bool* truth = std::get_if<bool>(&*value);
    if (!truth) return {false, "the condition is neither true nor false"};
    return *truth ? Judged{true, {}} : Judged{false, what_is(expr)};
  }

  /// The value and both ends of the interval must lie inside. An open end lies inside nothing.
  Judged within(const Expr& expr) const {
    const std::vector<const Finding*> named = findings_of(expr.args[0]);
    for (const Finding* finding : named) {
      const bool half_open = finding->low.has_value() != finding->high.has_value();
      if (half_open) return {false, describe(*finding) + ": the interval has an open end"};
    }
    for (const Reading reading : {Reading::value, Reading::low, Reading::high}) {
      Judged judged = holds(expr, reading);
      if (!judged.holds) return judged;
    }
    return {true, {}};
  }

  Scope scope(Reading reading, Units units) const {
    return [this, reading, units](std::string_view name) -> const Value* {
      const std::string key(name);
      if (const Finding* finding = find(key)) return store(*finding, reading, units);
      const auto parameter = experiment_.parameters.find(key);
      if (parameter != experiment_.parameters.end()) return &parameter->second;
      return outcome_word(name);
    };
  }

  const Value* store(const Finding& finding, Reading reading, Units units) const {
    Value value;
    if (const double* number = std::get_if<double>(&finding.value)) {
      double at = *number;
      if (reading == Reading::low) at = finding.low.value_or(at);
      if (reading == Reading::high) at = finding.high.value_or(at);
      const Unit written = unit_of_symbol(finding.unit).value_or(Unit::none);
      value = Quantity{at, units == Units::all ? written : unit_of_finding(finding)};
    } else if (const bool* truth = std::get_if<bool>(&finding.value)) {
      value = *truth;
    } else if (const auto* word = std::get_if<std::string>(&finding.value)) {
      value = *word;
    } else {
      return nullptr;
    }
    const int place = 2 * static_cast<int>(reading) + static_cast<int>(units);
    return &(values_[{finding.name, place}] = std::move(value));
  }

  /// Why the expression has no truth: a finding that is missing or was not measured. Findings
  /// inside `is` may be anything.
  std::optional<std::string> unusable(const Expr& expr) const {
    if (expr.op == Expr::Op::is) {
      return find(expr.args[0].text) ? std::nullopt : std::optional(no_such(expr.args[0].text));
    }
    const bool bare = expr.kind == Expr::Kind::name;  // `outcome`, or what is no finding at all
    if (expr.kind == Expr::Kind::finding || (bare && find(expr.text))) {
      const Finding* finding = find(expr.text);
      if (!finding) return no_such(expr.text);
      if (finding->verdict != Verdict::measured) return describe(*finding);
      return std::nullopt;
    }
    for (const Expr& arg : expr.args) {
      if (auto reason = unusable(arg)) return reason;
    }
    return std::nullopt;
  }

  std::vector<const Finding*> findings_of(const Expr& expr) const {
    std::vector<const Finding*> named;
    for_each_name(expr, [&](const Expr& node) {
      const Finding* finding = find(node.text);
      if (finding && !contains(named, finding)) {
        named.push_back(finding);
      }
    });
    return named;
  }

  std::string what_is(const Expr& expr) const {
    std::string text;
    for (const Finding* finding : findings_of(expr)) {
      text += (text.empty() ? "" : ", ") + describe(*finding);
    }
    return text.empty() ? "the condition does not hold" : text;
  }

  std::string no_such(const std::string& name) const {
    std::string found;
    for (const Finding& finding : findings_)
      if (!is_sample_value(finding)) found += (found.empty() ? "" : ", ") + finding.name;
    return fmt::format("no such finding: {}; found: {}", name, found.empty() ? "none" : found);
  }

  const Finding* find(const std::string& name) const {
    for (const Finding& finding : findings_) {
      if (finding.name == name) return &finding;
    }
    return nullptr;
  }

  const Experiment& experiment_;
  const std::vector<Finding>& findings_;
  mutable std::map<std::pair<std::string, int>, Value> values_;  ///< What a scope points to.
};

}  // namespace

std::vector<ExpectationResult> judge_expectations(const Experiment& experiment,
                                                  const std::vector<Finding>& findings,
                                                  const DeviceInfo& device) {
  const bool applies =
      experiment.device.empty() || same_device_name(experiment.device, device.name);
  const Judge judge(experiment, findings);
  std::vector<ExpectationResult> results;
  for (const Expect& expect : experiment.expects) {
    Judged judged = judge(expect.condition);
    results.push_back({expect.text, applies, judged.holds, std::move(judged.reason)});
  }
  return results;
}

std::vector<ClaimResult> judge_claims(const Experiment& experiment,
                                      const std::vector<Finding>& findings) {
  const Judge judge(experiment, findings);
  std::vector<ClaimResult> results;
  for (const Claim& claim : experiment.claims) {
    Judged judged = judge(claim.condition);
    results.push_back(
        {claim.sentence, claim.text, claim.cite, judged.holds, std::move(judged.reason)});
  }
  return results;
}

std::vector<std::string> attach_paper_values(const Experiment& experiment,
                                             std::vector<Finding>& findings) {
  std::vector<std::string> missing;
  for (const PaperValue& paper : experiment.papers) {
    const auto at = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.name == paper.finding;
    });
    if (at == findings.end()) {
      missing.push_back(paper.finding);
      continue;
    }
    std::optional<double> high;
    if (paper.high) high = paper.high->value;
    at->paper = PaperReading{paper.value, high, paper.cite};
  }
  return missing;
}

}  // namespace gpx
