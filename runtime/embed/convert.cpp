#include "runtime/embed/convert.h"

#include <algorithm>
#include <iterator>

namespace gpx::embed {
namespace {

v1::Value convert(const Value& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value)) {
    if (quantity->rest != 0) return to_string(*quantity);  // no double is it
    return quantity->value;
  }
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  return std::get<std::string>(value);
}

v1::Verdict convert(Verdict verdict) {
  switch (verdict) {
    case Verdict::measured: return v1::Verdict::measured;
    case Verdict::not_observed: return v1::Verdict::not_observed;
    case Verdict::inconclusive: break;
  }
  return v1::Verdict::inconclusive;
}

v1::Column::Role convert(Column::Role role) {
  switch (role) {
    case Column::Role::axis: return v1::Column::Role::axis;
    case Column::Role::repetition: return v1::Column::Role::repetition;
    case Column::Role::record: return v1::Column::Role::record;
    case Column::Role::interval: return v1::Column::Role::interval;
    case Column::Role::observed: break;
  }
  return v1::Column::Role::observed;
}

/// The fields of a finding, by their types.
template <typename Same>
void hand_on(const Same& from, Same& to) {
  to = from;
}
void hand_on(Verdict from, v1::Verdict& to) {
  to = convert(from);
}
void hand_on(const std::optional<PaperReading>& from, std::optional<v1::PaperReading>& to) {
  if (from) to = v1::PaperReading{convert(from->value), from->high, from->cite};
}
void hand_on(const decltype(Finding::evidence)& from, decltype(v1::Finding::evidence)& to) {
  for (const auto& point : from) {
    auto& keys = to.emplace_back();
    for (const auto& [name, value] : point) keys.emplace_back(name, convert(value));
  }
}

void hand_on(const std::vector<ProbeEvidence>& from, std::vector<v1::ProbeEvidence>& to) {
  for (const auto& [what, first, last, x, y, points] : from)
    to.push_back({what, first, last, x, y, points});
}

v1::Problem convert(const Diagnostic& diagnostic) {
  v1::Problem problem{diagnostic.message, {}, diagnostic.hint};
  if (const auto& at = diagnostic.location)
    problem.place = v1::Place{at->file, at->line, at->column, at->length, at->line_text};
  return problem;
}

v1::Axis convert(const Axis& axis) {
  v1::Axis result{axis.name, std::string(unit_symbol(axis.unit)), {}};
  for (const Value& value : axis.values) result.values.push_back(convert(value));
  return result;
}

}  // namespace

v1::Error convert(const Error& error) {
  v1::Error result{error.fault == Fault::input ? v1::Fault::input : v1::Fault::device, {}, {}};
  for (const Diagnostic& diagnostic : error.diagnostics)
    result.problems.push_back(convert(diagnostic));
  result.text = render(error);
  return result;
}

v1::Experiment convert(const Experiment& experiment) {
  v1::Experiment result;
  result.name = experiment.name;
  result.title = experiment.title;
  result.device = experiment.device;
  for (const Axis* axis : experiment.sweep.axes()) result.axes.push_back(convert(*axis));
  result.points = experiment.sweep.points();
  for (const Measure& measure : experiment.measures) result.measures.push_back(measure.name);
  result.text = to_string(experiment);
  return result;
}

v1::Samples convert(Samples&& samples) {
  v1::Samples result;
  for (Column& column : samples.columns)
    result.columns.push_back({std::move(column.name), std::string(unit_symbol(column.unit)),
                              convert(column.role), column.is_text, std::move(column.numbers),
                              std::move(column.texts)});
  return result;
}

v1::Finding convert(const Finding& finding) {
  v1::Finding result;
#define GPX_FINDING_FIELD(member, where_empty) hand_on(finding.member, result.member);
#include "runtime/analysis/finding_fields.def"
#undef GPX_FINDING_FIELD
  return result;
}

v1::Device convert(const DeviceInfo& device) {
  v1::Device to{
      device.name,         !device.measured, device.sm_major, device.sm_minor, device.sm_count,
      device.memory_bytes, device.clock_hz,  device.driver,   device.uuid,     {}};
  for (ReportedFact& reported : reported_facts(device))
    to.facts.push_back({std::string(reported.fact->key),
                        std::string(unit_symbol(reported.fact->unit)),
                        std::string(reported.fact->about), std::move(reported.value)});
  return to;
}

v1::Outcome convert(ExperimentResult&& result) {
  v1::Outcome to;
  to.experiment = result.experiment.name;
  to.title = result.experiment.title;
  to.device = convert(result.device);
  to.seed = result.seed;
  to.points = result.points;
  to.points_total = result.points_total;
  to.samples = convert(std::move(result.samples));
  to.curves = convert(std::move(result.curves));
  for (Finding& finding : result.findings) {
    finding.modelled = finding.modelled || !result.device.measured;
    to.findings.push_back(convert(finding));
  }
  for (ExpectationResult& each : result.expectations)
    to.expectations.push_back(
        {std::move(each.text), each.applies, each.pass, std::move(each.reason)});
  for (ClaimResult& each : result.claims)
    to.claims.push_back(
        {std::move(each.sentence), std::move(each.text), each.supported, std::move(each.reason)});
  to.printed = std::move(result.printed);
  to.warnings = std::move(result.warnings);
  if (result.failure) to.failure = convert(*result.failure);
  to.interrupted = result.interrupted;
  return to;
}

std::vector<Setting> settings_of(const std::vector<v1::Setting>& settings) {
  std::vector<Setting> result;
  for (const v1::Setting& setting : settings) result.push_back({setting.name, setting.value});
  return result;
}

}  // namespace gpx::embed
