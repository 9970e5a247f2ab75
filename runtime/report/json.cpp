// The JSON documents of runs; json_read.cpp reads them back. nlohmann/json is known in these two
// files, json_node.h, json_values.h, prediction_json.cpp and runtime/store/diff_text.cpp alone.
// Covered by tests/report/json_test.cpp.
#include <functional>
#include <type_traits>

#include "codegen/compile/cache.h"
#include "runtime/report/devices_text.h"
#include "runtime/report/json_values.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

constexpr int kSchema = 1;

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
  if (const auto* list = std::get_if<std::vector<double>>(&held))
    return list_of(*list, [](double value) { return number(value); });
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
  return list_of(evidence, [](const auto& point) {
    Json row = Json::object();
    for (const auto& [column, value] : point) row[column] = from_value(value);
    return row;
  });
}

Json from_field(const std::vector<ProbeEvidence>& probes) {
  return list_of(probes, [](const ProbeEvidence& one) {
    Json item{{"what", one.what}, {"first", one.first}, {"last", one.last}};
    if (one.points.empty()) return item;
    item["x"] = one.x;
    item["y"] = one.y;
    for (const auto& [x, y] : one.points) item["points"].push_back({number(x), number(y)});
    return item;
  });
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

Json from_expectation(const ExpectationResult& result) {
  return {{"text", result.text},
          {"applies", result.applies},
          {"pass", result.pass},
          {"reason", text_or_null(result.reason)}};
}

Json from_claim(const ClaimResult& result) {
  return {{"sentence", result.sentence},
          {"text", result.text},
          {"cite", text_or_null(result.cite)},
          {"supported", result.supported},
          {"reason", text_or_null(result.reason)}};
}

Json from_failure(const std::optional<Error>& failure) {
  if (!failure) return nullptr;
  return {{"fault", failure->fault == Fault::input ? "input" : "device"},
          {"messages", list_of(failure->diagnostics, std::mem_fn(&Diagnostic::message))}};
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

Json from_kernel(const KernelText& kernel) {
  return {{"measure", kernel.measure},
          {"point", kernel.point},
          {"cuda", kernel.cuda},
          {"form", kernel.form},
          {"listing", kernel.listing}};
}

Json from_source(const Source& source) {
  return {{"file", source.name()}, {"text", source.text()}};
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
  Json json = {{"name", result.experiment.name},
               {"title", text_or_null(result.experiment.title)},
               {"file", result.file},
               {"cites", cited_ids(result.experiment)},
               {"device", from_device(result.device)},
               {"interrupted", result.interrupted},
               {"failure", from_failure(result.failure)},
               {"points", result.points},
               {"points_total", result.points_total},
               {"findings", list_of(result.findings, from_finding)},
               {"expectations", list_of(result.expectations, from_expectation)},
               {"claims", list_of(result.claims, from_claim)},
               {"printed", result.printed},
               {"warnings", lasting(result.warnings)},
               {"provenance", from_provenance(result)},
               {"kernels", list_of(result.kernels, from_kernel)}};
  if (!result.kernel_files.empty())
    json["kernel_files"] = list_of(result.kernel_files, from_source);
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

Json from_setting(const Setting& setting) {
  return {{"name", setting.name}, {"text", setting.text}};
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
  Json json = {{"schema", kSchema}, {"gpx", result.gpx}, {"interrupted", result.interrupted}};
  if (origin) json["run"] = from_origin(*origin);
  json["settings"] = list_of(result.settings, from_setting);
  json["sources"] = list_of(result.sources, from_source);
  json["experiments"] = list_of(result.experiments, [](const ExperimentResult& experiment) {
    Json whole = from_experiment(experiment);
    whole["samples"] = from_samples(experiment.samples);
    whole["curves"] = from_samples(experiment.curves);
    return whole;
  });
  return json;
}

}  // namespace

std::string to_json(const RunResult& result, const RunOrigin* origin) {
  return document(from_run(result, origin));
}

std::string devices_json(const std::vector<DeviceRun>& devices) {
  Json json = from_run(joined_runs(devices), nullptr);
  json["devices"] = list_of(devices, [](const DeviceRun& device) -> Json {
    return {{"name", device.name},
            {"status", device.status},
            {"reason", text_or_null(device.reason)},
            {"seconds", number(device.seconds)},
            {"experiments", device.document ? device.document->result.experiments.size() : 0}};
  });
  return document(json);
}

std::string to_json(const RunResult& result) {
  return to_json(result, nullptr);
}

std::string to_json(const ExperimentResult& result) {
  return scalar(from_experiment(result));
}

std::string to_json(const std::vector<RunEntry>& runs) {
  return document(list_of(runs, [](const RunEntry& run) {
    Json json = {{"number", run.number}};
    json.update(from_origin(run.origin));
    json.update({{"experiments", run.experiments},
                 {"devices", run.devices},
                 {"points", run.points},
                 {"points_total", run.points_total},
                 {"findings", run.findings},
                 {"expectations_hold", run.held},
                 {"expectations_fail", run.broken}});
    return json;
  }));
}

std::string to_json(const OperationTable& table) {
  const auto finding = [](const std::optional<Finding>& one) {
    return one ? from_finding(*one) : Json(nullptr);
  };
  const auto operation = [&](const OperationLine& line) -> Json {
    return {{"name", line.name},
            {"type", line.type},
            {"rounding", text_or_null(line.rounding)},
            {"sources", text_or_null(line.sources)},
            {"unit", line.unit},
            {"latency", finding(line.latency)},
            {"throughput", finding(line.throughput)},
            {"opcodes", text_or_null(line.opcodes)},
            {"proof", text_or_null(line.proof)},
            {"verdict", operation_verdict(line)},
            {"note", text_or_null(operation_note(line))}};
  };
  return document({{"schema", kSchema},
                   {"gpx", GPX_VERSION},
                   {"interrupted", table.interrupted},
                   {"device", from_device(table.device)},
                   {"seconds", number(table.seconds)},
                   {"warnings", lasting(table.warnings)},
                   {"operations", list_of(table.lines, operation)}});
}

std::string to_json(const std::vector<ListEntry>& entries) {
  return document(list_of(entries, [](const ListEntry& entry) -> Json {
    return {{"file", entry.file},    {"name", entry.name},
            {"title", entry.title},  {"device", text_or_null(entry.device)},
            {"cites", entry.cites},  {"works", entry.works},
            {"topics", entry.topics}};
  }));
}

}  // namespace gpx::report
