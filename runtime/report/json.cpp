// The JSON documents of gpx, written. (document.cpp reads them; no other file knows nlohmann/json.)
// Covered by tests/report/json_test.cpp.
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (is_integer(value)) return static_cast<std::int64_t>(value);
  return value;
}

Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json from_value(const Value& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value)) return number(quantity->value);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  return std::get<std::string>(value);
}

Json value_of(const Finding& finding) {
  if (const auto* value = std::get_if<double>(&finding.value)) return number(*value);
  if (const auto* text = std::get_if<std::string>(&finding.value)) return *text;
  if (const auto* truth = std::get_if<bool>(&finding.value)) return *truth;
  if (const auto* list = std::get_if<std::vector<double>>(&finding.value)) {
    Json out = Json::array();
    for (const double value : *list) out.push_back(number(value));
    return out;
  }
  return nullptr;
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::measured:
      return "measured";
    case Verdict::not_observed:
      return "not_observed";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "inconclusive";
}

Json from_paper(const std::optional<PaperReading>& paper) {
  if (!paper) return nullptr;
  Json out{{"value", from_value(paper->value)}, {"cite", text_or_null(paper->cite)}};
  if (paper->high) out["high"] = number(paper->high);
  if (const auto* quantity = std::get_if<Quantity>(&paper->value))
    out["unit"] = std::string(unit_symbol(quantity->unit));
  return out;
}

Json from_evidence(const Finding& finding) {
  Json out = Json::array();
  for (const auto& point : finding.evidence) {
    Json row = Json::object();
    for (const auto& [column, value] : point) row[column] = from_value(value);
    out.push_back(std::move(row));
  }
  return out;
}

Json from_finding(const Finding& finding) {
  return {{"name", finding.name},
          {"value", value_of(finding)},
          {"unit", finding.unit},
          {"low", number(finding.low)},
          {"high", number(finding.high)},
          {"confidence", number(finding.confidence)},
          {"verdict", verdict_name(finding.verdict)},
          {"proof", finding.proof ? Json(*finding.proof) : Json(nullptr)},
          {"paper", from_paper(finding.paper)},
          {"note", text_or_null(finding.note)},
          {"evidence", from_evidence(finding)}};
}

Json from_device(const DeviceInfo& device) {
  return {{"name", device.name},
          {"kind", device.kind == DeviceInfo::Kind::virtual_gpu ? "virtual" : "cuda"},
          {"compute_capability",
           std::to_string(device.sm_major) + '.' + std::to_string(device.sm_minor)},
          {"sm_count", device.sm_count},
          {"warp_size", device.warp_size},
          {"max_threads_per_block", device.max_threads_per_block},
          {"max_threads_per_sm", device.max_threads_per_sm},
          {"memory_bytes", device.memory_bytes},
          {"clock_hz", device.clock_hz > 0 ? number(device.clock_hz) : Json(nullptr)},
          {"driver", text_or_null(device.driver)},
          {"uuid", text_or_null(device.uuid)}};
}

const char* role_name(Column::Role role) {
  switch (role) {
    case Column::Role::axis:
      return "axis";
    case Column::Role::repetition:
      return "repetition";
    case Column::Role::record:
      return "record";
    case Column::Role::observed:
      return "observed";
  }
  return "observed";
}

Json from_samples(const Samples& samples) {
  Json columns = Json::array(), units = Json::array(), roles = Json::array(), rows = Json::array();
  for (const Column& column : samples.columns) {
    columns.push_back(column.name);
    units.push_back(std::string(unit_symbol(column.unit)));
    roles.push_back(role_name(column.role));
  }
  for (std::size_t r = 0; r < samples.rows(); ++r) {
    Json row = Json::array();
    for (const Column& column : samples.columns)
      row.push_back(column.is_text ? Json(column.texts[r]) : number(column.numbers[r]));
    rows.push_back(std::move(row));
  }
  return {{"columns", std::move(columns)},
          {"units", std::move(units)},
          {"roles", std::move(roles)},
          {"rows", std::move(rows)}};
}

Json from_expectations(const std::vector<ExpectationResult>& results) {
  Json out = Json::array();
  for (const ExpectationResult& result : results)
    out.push_back({{"text", result.text},
                   {"applies", result.applies},
                   {"pass", result.pass},
                   {"reason", text_or_null(result.reason)}});
  return out;
}

Json from_claims(const std::vector<ClaimResult>& results) {
  Json out = Json::array();
  for (const ClaimResult& result : results)
    out.push_back({{"sentence", result.sentence},
                   {"text", result.text},
                   {"cite", text_or_null(result.cite)},
                   {"supported", result.supported},
                   {"reason", text_or_null(result.reason)}});
  return out;
}

Json from_failure(const std::optional<Error>& failure) {
  if (!failure) return nullptr;
  Json messages = Json::array();
  for (const Diagnostic& diagnostic : failure->diagnostics) messages.push_back(diagnostic.message);
  return {{"fault", failure->fault == Fault::input ? "input" : "device"},
          {"messages", std::move(messages)}};
}

Json cited_works(const Experiment& experiment) {
  Json out = Json::array();
  for (const Cite& cite : experiment.cites) out.push_back({{"work", cite.work}, {"ids", cite.ids}});
  return out;
}

Json cited_ids(const Experiment& experiment) {
  Json out = Json::array();
  for (const Cite& cite : experiment.cites)
    for (const std::string& id : cite.ids) out.push_back(id);
  return out;
}

/// Groups of axes, the first outermost; those of one group are zipped.
Json from_sweep(const Sweep& sweep) {
  Json groups = Json::array();
  for (const std::vector<Axis>& group : sweep.groups) {
    Json axes = Json::array();
    for (const Axis& axis : group) {
      Json values = Json::array();
      for (const Value& value : axis.values) values.push_back(from_value(value));
      axes.push_back({{"name", axis.name},
                      {"unit", std::string(unit_symbol(axis.unit))},
                      {"values", std::move(values)}});
    }
    groups.push_back(std::move(axes));
  }
  return groups;
}

Json measure_names(const Experiment& experiment) {
  Json out = Json::array();
  for (const Measure& measure : experiment.measures) out.push_back(measure.name);
  return out;
}

Json from_plots(const std::vector<Plot>& plots) {
  Json out = Json::array();
  for (const Plot& plot : plots)
    out.push_back({{"y", plot.y},
                   {"x", plot.x},
                   {"by", plot.by},
                   {"log_x", plot.log_x},
                   {"log_y", plot.log_y}});
  return out;
}

/// The findings that expectations name: what the experiment is about.
Json expected_names(const Experiment& experiment) {
  std::set<std::string> names;
  for (const Expect& expect : experiment.expects)
    for_each_name(expect.condition, [&](const Expr& node) {
      if (node.kind == Expr::Kind::finding) names.insert(node.text);
    });
  return names;
}

Json from_kernels(const std::vector<KernelText>& kernels) {
  Json out = Json::array();
  for (const KernelText& kernel : kernels)
    out.push_back({{"measure", kernel.measure},
                   {"point", kernel.point},
                   {"cuda", kernel.cuda},
                   {"form", kernel.form},
                   {"listing", kernel.listing}});
  return out;
}

Json from_experiment(const ExperimentResult& result) {
  Json findings = Json::array();
  for (const Finding& finding : result.findings) findings.push_back(from_finding(finding));
  return {{"name", result.experiment.name},
          {"title", text_or_null(result.experiment.title)},
          {"file", result.file},
          {"cites", cited_ids(result.experiment)},
          {"works", cited_works(result.experiment)},
          {"written_for", text_or_null(result.experiment.device)},
          {"device", from_device(result.device)},
          {"sweep", from_sweep(result.experiment.sweep)},
          {"repeat", result.experiment.repeat},
          {"measures", measure_names(result.experiment)},
          {"plots", from_plots(result.experiment.plots)},
          {"interrupted", result.interrupted},
          {"failure", from_failure(result.failure)},
          {"findings", std::move(findings)},
          {"expectations", from_expectations(result.expectations)},
          {"expected", expected_names(result.experiment)},
          {"claims", from_claims(result.claims)},
          {"printed", result.printed},
          {"warnings", result.warnings},
          {"provenance",
           {{"seed", result.seed},
            {"compiler", text_or_null(result.compiler)},
            {"artifacts", result.artifacts},
            {"proof", text_or_null(result.proof)},
            {"values_digest", text_or_null(result.values_digest)}}},
          {"kernels", from_kernels(result.kernels)},
          {"samples", from_samples(result.samples)},
          {"curves", from_samples(result.curves)}};
}

bool is_flat(const Json& json) {
  for (const Json& item : json)
    if (item.is_structured()) return false;
  return true;
}

std::string scalar(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Indented, but with what holds only scalars on one line: a row of samples is a line of the file.
void print(const Json& json, std::string& out, std::size_t indent) {
  if (!json.is_structured() || json.empty()) {
    out += scalar(json);
    return;
  }
  const bool object = json.is_object(), flat = !object && is_flat(json);
  std::string margin;
  if (!flat) margin.append("\n").append(2 * (indent + 1), ' ');
  out += object ? '{' : '[';
  for (auto it = json.begin(); it != json.end(); ++it) {
    if (it != json.begin()) out += flat ? ", " : ",";
    out += margin;
    if (object) out += scalar(Json(it.key())) + ": ";
    print(*it, out, indent + 1);
  }
  if (!flat) out.append("\n").append(2 * indent, ' ');
  out += object ? '}' : ']';
}

std::string document(const Json& json) {
  std::string out;
  print(json, out, 0);
  return out + '\n';
}

}  // namespace

std::string to_json(const RunResult& result) {
  Json experiments = Json::array();
  Json sources = Json::object();
  for (const ExperimentResult& experiment : result.experiments) {
    experiments.push_back(from_experiment(experiment));
    if (!experiment.source.empty()) sources[experiment.file] = experiment.source;
  }
  return document({{"schema", kSchema},
                   {"gpx", GPX_VERSION},
                   {"interrupted", result.interrupted},
                   {"sources", std::move(sources)},
                   {"experiments", std::move(experiments)}});
}

std::string to_json(const std::vector<ListEntry>& entries) {
  Json out = Json::array();
  for (const ListEntry& entry : entries)
    out.push_back({{"file", entry.file},
                   {"name", entry.name},
                   {"title", entry.title},
                   {"device", text_or_null(entry.device)},
                   {"cites", entry.cites}});
  return document(out);
}

}  // namespace gpx::report
