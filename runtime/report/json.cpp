// The JSON documents of runs; json_read.cpp reads them back. nlohmann/json is known in these two
// files, json_node.h, prediction_json.cpp and runtime/store/diff_text.cpp alone.
// Covered by tests/report/json_test.cpp.
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "codegen/compile/cache.h"
#include "runtime/report/devices_text.h"
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

/// The fields of a finding, by their types. Where one is empty: null.
Json from_field(const decltype(Finding::value)& held) {
  if (const auto* value = std::get_if<double>(&held)) return number(*value);
  if (const auto* text = std::get_if<std::string>(&held)) return *text;
  if (const auto* truth = std::get_if<bool>(&held)) return *truth;
  if (const auto* list = std::get_if<std::vector<double>>(&held)) {
    Json out = Json::array();
    for (const double value : *list) out.push_back(number(value));
    return out;
  }
  return nullptr;
}
Json from_field(const std::string& text) {
  return text;
}
Json from_field(bool truth) {
  return truth;
}
Json from_field(Verdict verdict) {
  return to_string(verdict);
}
Json from_field(const std::optional<double>& value) {
  return number(value);
}
Json from_field(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}
Json from_field(const std::vector<std::string>& texts) {
  return texts;
}
Json from_field(const std::optional<PaperReading>& paper) {
  if (!paper) return nullptr;
  Json out{{"value", from_value(paper->value)}, {"cite", text_or_null(paper->cite)}};
  if (paper->high) out["high"] = number(paper->high);
  return out;
}
Json from_field(const decltype(Finding::evidence)& evidence) {
  Json out = Json::array();
  for (const auto& point : evidence) {
    Json row = Json::object();
    for (const auto& [column, value] : point) row[column] = from_value(value);
    out.push_back(std::move(row));
  }
  return out;
}

Json from_field(const std::vector<ProbeEvidence>& probes) {
  Json out = Json::array();
  for (const ProbeEvidence& one : probes) {
    Json& item =
        out.emplace_back(Json{{"what", one.what}, {"first", one.first}, {"last", one.last}});
    if (one.points.empty()) continue;
    item["x"] = one.x;
    item["y"] = one.y;
    for (const auto& [x, y] : one.points) item["points"].push_back({number(x), number(y)});
  }
  return out;
}

Json from_finding(const Finding& finding) {
  Json json;
  for_each_field(finding, [&](const FindingField& field, const auto& member) {
    using Member = std::decay_t<decltype(member)>;
    const bool empty = field.where_empty != WhereEmpty::is && member == Member{};
    if (empty && field.where_empty == WhereEmpty::nothing) return;
    json[field.key] = empty ? Json(nullptr) : from_field(member);
  });
  return json;
}

Json from_fact(const std::string& text) {
  return text_or_null(text);
}
Json from_fact(bool value) {
  return value;
}
Json from_fact(const std::vector<std::uint32_t>& values) {
  return values;
}
template <typename Number>
Json from_fact(const Number& value) {
  if (value == 0) return nullptr;
  if constexpr (std::is_integral_v<Number>)
    return value;  // All digits of it: a double has 53 bits.
  else
    return number(value);
}

Json from_device(const DeviceInfo& device) {
  Json out;
  for_each_fact(device, [&](const Fact& fact, const auto& member) {
    out[std::string(fact.key)] = from_fact(member);
  });
  out["compute_capability"] =
      std::to_string(device.sm_major) + '.' + std::to_string(device.sm_minor);
  return out;
}

Json from_samples(const Samples& samples) {
  Json columns = Json::array(), units = Json::array(), roles = Json::array();
  Json rows = Json::array();
  for (const Column& column : samples.columns) {
    columns.push_back(column.name);
    roles.push_back(std::string(to_string(column.role)));
    units.push_back(std::string(unit_symbol(column.unit)));
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

Json cited_ids(const Experiment& experiment) {
  Json out = Json::array();
  for (const Cite& cite : experiment.cites)
    for (const std::string& id : cite.ids) out.push_back(id);
  return out;
}

Json from_state(const Telemetry& state) {
  if (state == Telemetry{}) return nullptr;
  Json out;
  for_each_reading(state, [&](const char* key, auto, auto, const auto& value) {
    out[key] = value ? Json(*value) : Json(nullptr);
  });
  return out;
}

/// Absent where no control was taken.
void add_co_runner(Json& out, const CoRunner& seen) {
  if (seen.controls == 0) return;
  Json fields;
  for_each_count(seen, [&](const char* key, auto value) { fields[key] = value; });
  out["co_runner"] = std::move(fields);
}

Json from_provenance(const ExperimentResult& result) {
  Json out = {{"seed", result.seed},
              {"ir", text_or_null(result.ir)},
              {"device_file", text_or_null(result.device_file)},
              {"compiler", text_or_null(result.compiler)},
              {"artifacts", result.artifacts},
              {"proof", text_or_null(result.proof)},
              {"values_digest", text_or_null(result.values_digest)},
              {"before", from_state(result.state_before)},
              {"after", from_state(result.state_after)}};
  add_co_runner(out, result.co_runner);
  if (!result.build.empty()) out["build"] = result.build;
  if (result.all_blocks) out["all_blocks"] = true;
  if (!result.shard.is_whole()) out["shard"] = to_string(result.shard);
  return out;
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

Json from_sources(const std::vector<Source>& sources) {
  Json out = Json::array();
  for (const Source& source : sources)
    out.push_back({{"file", source.name()}, {"text", source.text()}});
  return out;
}

Json from_group(const GroupNote& group) {
  return {{"family", group.family},
          {"seconds", number(group.seconds)},
          {"ended", number(group.ended)},
          {"reason", text_or_null(group.reason)}};
}

/// Without those about this machine's files: the same experiment has the same document.
Json lasting(const std::vector<std::string>& warnings) {
  Json out = Json::array();
  for (const std::string& warning : warnings)
    if (!codegen::is_cache_notice(warning)) out.push_back(warning);
  return out;
}

/// Without samples and curves.
Json from_experiment(const ExperimentResult& result) {
  Json findings = Json::array();
  for (const Finding& finding : result.findings) findings.push_back(from_finding(finding));
  Json json = {{"name", result.experiment.name},
               {"title", text_or_null(result.experiment.title)},
               {"file", result.file},
               {"cites", cited_ids(result.experiment)},
               {"device", from_device(result.device)},
               {"interrupted", result.interrupted},
               {"failure", from_failure(result.failure)},
               {"points", result.points},
               {"points_total", result.points_total},
               {"findings", std::move(findings)},
               {"expectations", from_expectations(result.expectations)},
               {"claims", from_claims(result.claims)},
               {"printed", result.printed},
               {"warnings", lasting(result.warnings)},
               {"provenance", from_provenance(result)},
               {"kernels", from_kernels(result.kernels)}};
  if (!result.kernel_files.empty()) json["kernel_files"] = from_sources(result.kernel_files);
  if (result.group) json["group"] = from_group(*result.group);
  return json;
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

Json from_settings(const std::vector<Setting>& settings) {
  Json out = Json::array();
  for (const Setting& setting : settings)
    out.push_back({{"name", setting.name}, {"text", setting.text}});
  return out;
}

Json from_origin(const RunOrigin& origin) {
  return {{"id", origin.id},
          {"status", origin.status},
          {"started", text_or_null(origin.started)},
          {"ended", text_or_null(origin.ended)},
          {"host", text_or_null(origin.host)},
          {"command", text_or_null(origin.command)},
          {"folder", text_or_null(origin.folder)},
          {"device", text_or_null(origin.device)},
          {"seed", origin.seed}};
}

Json from_run(const RunResult& result, const RunOrigin* origin) {
  Json experiments = Json::array();
  for (const ExperimentResult& experiment : result.experiments) {
    Json json = from_experiment(experiment);
    json["samples"] = from_samples(experiment.samples);
    json["curves"] = from_samples(experiment.curves);
    experiments.push_back(std::move(json));
  }
  Json json = {{"schema", kSchema}, {"gpx", result.gpx}, {"interrupted", result.interrupted}};
  if (origin) json["run"] = from_origin(*origin);
  json["settings"] = from_settings(result.settings);
  json["sources"] = from_sources(result.sources);
  json["experiments"] = std::move(experiments);
  return json;
}

}  // namespace

std::string to_json(const RunResult& result, const RunOrigin* origin) {
  return document(from_run(result, origin));
}

std::string devices_json(const std::vector<DeviceRun>& devices) {
  Json json = from_run(joined_runs(devices), nullptr), list = Json::array();
  for (const DeviceRun& device : devices)
    list.push_back(
        {{"name", device.name},
         {"status", device.status},
         {"reason", text_or_null(device.reason)},
         {"seconds", number(device.seconds)},
         {"experiments", device.document ? device.document->result.experiments.size() : 0}});
  json["devices"] = std::move(list);
  return document(json);
}

std::string to_json(const RunResult& result) {
  return to_json(result, nullptr);
}

std::string to_json(const ExperimentResult& result) {
  return scalar(from_experiment(result));
}

std::string to_json(const std::vector<RunEntry>& runs) {
  Json out = Json::array();
  for (const RunEntry& run : runs) {
    Json json = {{"number", run.number}};
    json.update(from_origin(run.origin));
    json["experiments"] = run.experiments;
    json["devices"] = run.devices;
    json["points"] = run.points;
    json["points_total"] = run.points_total;
    json["findings"] = run.findings;
    json["expectations_hold"] = run.held;
    json["expectations_fail"] = run.broken;
    out.push_back(std::move(json));
  }
  return document(out);
}

std::string to_json(const OperationTable& table) {
  const auto finding = [](const std::optional<Finding>& one) {
    return one ? from_finding(*one) : Json(nullptr);
  };
  Json operations = Json::array();
  for (const OperationLine& line : table.lines)
    operations.push_back({{"name", line.name},
                          {"type", line.type},
                          {"rounding", text_or_null(line.rounding)},
                          {"sources", text_or_null(line.sources)},
                          {"unit", line.unit},
                          {"latency", finding(line.latency)},
                          {"throughput", finding(line.throughput)},
                          {"opcodes", text_or_null(line.opcodes)},
                          {"proof", text_or_null(line.proof)},
                          {"verdict", operation_verdict(line)},
                          {"note", text_or_null(operation_note(line))}});
  return document({{"schema", kSchema},
                   {"gpx", GPX_VERSION},
                   {"interrupted", table.interrupted},
                   {"device", from_device(table.device)},
                   {"seconds", number(table.seconds)},
                   {"warnings", lasting(table.warnings)},
                   {"operations", std::move(operations)}});
}

std::string to_json(const std::vector<ListEntry>& entries) {
  Json out = Json::array();
  for (const ListEntry& entry : entries)
    out.push_back({{"file", entry.file},
                   {"name", entry.name},
                   {"title", entry.title},
                   {"device", text_or_null(entry.device)},
                   {"cites", entry.cites},
                   {"works", entry.works},
                   {"topics", entry.topics}});
  return document(out);
}

}  // namespace gpx::report
