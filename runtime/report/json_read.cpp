// Reads the JSON documents of gpx back. Interface: report.h. Covered by
// tests/report/json_read_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "lang/observe.h"
#include "runtime/report/json_node.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

using Json = nlohmann::ordered_json;

template <typename Enum, std::size_t n>
Enum named(const Node& node, const Enum (&values)[n]) {
  const std::string name = node.text();
  for (const Enum value : values)
    if (to_string(value) == name) return value;
  node.wrong("one of the known names");
}

Value value_from(const Node& node) {
  if (node.json().is_boolean()) return node.truth();
  if (node.json().is_string()) return node.text();
  return Quantity{node.number(), Unit::none};
}

/// The fields of a finding, by their types. `node` is null where the field is empty.
void read_field(const Node& node, decltype(Finding::value)& value) {
  if (node.is_null()) return;
  if (node.json().is_boolean()) {
    value = node.truth();
  } else if (node.json().is_string()) {
    value = node.text();
  } else if (node.json().is_array()) {
    std::vector<double> values;
    for (const Node& each : node.list())
      values.push_back(each.number_or_none().value_or(std::numeric_limits<double>::quiet_NaN()));
    value = std::move(values);
  } else {
    value = node.number();
  }
}
void read_field(const Node& node, std::string& text) {
  text = node.text_or_empty();
}
void read_field(const Node& node, bool& truth) {
  truth = !node.is_null() && node.truth();
}
void read_field(const Node& node, Verdict& verdict) {
  verdict = named(node, {Verdict::measured, Verdict::not_observed, Verdict::inconclusive});
}
void read_field(const Node& node, std::optional<double>& number) {
  number = node.number_or_none();
}
void read_field(const Node& node, std::optional<std::string>& text) {
  if (!node.is_null()) text = node.text();
}
void read_field(const Node& node, std::vector<std::string>& texts) {
  for (const Node& each : node.list_or_empty()) texts.push_back(each.text());
}
void read_field(const Node& node, std::optional<PaperReading>& paper) {
  if (node.is_null()) return;
  paper = {value_from(node["value"]), {}, node["cite"].text_or_empty()};
  if (node.has("high")) paper->high = node["high"].number();
}
void read_field(const Node& node, decltype(Finding::evidence)& evidence) {
  for (const Node& point : node.list()) {
    if (!point.json().is_object()) point.wrong("an object");
    auto& keys = evidence.emplace_back();
    for (const auto& [column, value] : point.json().items())
      keys.emplace_back(column, value_from(point[column.c_str()]));
  }
}

void read_field(const Node& node, std::vector<ProbeEvidence>& probes) {
  for (const Node& item : node.list_or_empty()) {
    ProbeEvidence& one = probes.emplace_back();
    one.what = item["what"].text();
    one.first = item["first"].whole();
    one.last = item["last"].whole();
    one.x = item.later("x").text_or_empty();
    one.y = item.later("y").text_or_empty();
    for (const Node& point : item.later("points").list_or_empty()) {
      const auto pair = point.list();
      if (pair.size() != 2) point.wrong("a pair of numbers");
      one.points.emplace_back(pair[0].number(), pair[1].number());
    }
  }
}

Finding finding_from(const Node& node) {
  Finding finding;
  for_each_field(finding, [&](const FindingField& field, auto& member) {
    const bool later = field.where_empty == WhereEmpty::nothing;
    const Node value = later ? node.later(field.key) : node[field.key];
    if (field.where_empty == WhereEmpty::is && value.is_null()) value.wrong("a value");
    read_field(value, member);
  });
  finding.name = node["name"].name();
  // A paper's number has the unit of the finding, where that is one of the language's.
  if (finding.paper)
    if (auto* value = std::get_if<Quantity>(&finding.paper->value))
      value->unit = unit_of_symbol(finding.unit).value_or(Unit::none);
  return finding;
}

void read_fact(const Node& node, std::string& text) {
  text = node.text();
}
void read_fact(const Node& node, bool& value) {
  value = node.truth();
}
void read_fact(const Node& node, double& value) {
  value = node.number();
}
void read_fact(const Node& node, std::vector<std::uint32_t>& values) {
  values.clear();
  for (const Node& each : node.list()) values.push_back(each.whole<std::uint32_t>());
}
template <typename Whole>
void read_fact(const Node& node, Whole& value) {
  value = node.whole<Whole>();
}

/// "3.5", in place of what earlier versions did not write.
void read_capability(const std::string& text, DeviceInfo& device) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::from_chars(text.data(), text.data() + dot, device.sm_major);
  if (dot < text.size())
    std::from_chars(text.data() + dot + 1, text.data() + text.size(), device.sm_minor);
  device.architecture = fmt::format("sm_{}{}", device.sm_major, device.sm_minor);
}

DeviceInfo device_from(const Node& node) {
  DeviceInfo device;
  for_each_fact(device, [&](const Fact& fact, auto& member) {
    const Node value = node.later(fact.key.data());
    if (!value.is_null())
      read_fact(value, member);
    else if (node.has(fact.key.data()))
      member = {};  // as it was written
  });
  // What every document has.
  device.name = node["name"].text_or_empty();  // null: none could be opened
  device.kind = node["kind"].name();
  const std::string capability = node["compute_capability"].text();
  if (!node.has("measured")) {  // of an earlier version
    device.measured = device.kind != "virtual";
    read_capability(capability, device);
  }
  return device;
}

Unit unit_from(const Node& node) {
  const std::string symbol = node.text();
  if (const auto unit = unit_of_symbol(symbol)) return *unit;
  node.wrong("a unit");
}

/// A column is of texts where its first cell that is not null is one.
void read_cells(Samples& samples, const std::vector<Node>& rows) {
  for (std::size_t c = 0; c < samples.columns.size(); ++c) {
    Column& column = samples.columns[c];
    for (const Node& row : rows)
      if (column.is_text = row.json()[c].is_string(); !row.json()[c].is_null()) break;
    for (const Node& row : rows) {
      const Node cell(row.json()[c], "a cell of the column '" + column.name + "'");
      if (column.is_text)
        column.texts.push_back(cell.text());
      else
        column.numbers.push_back(
            cell.number_or_none().value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  }
}

/// Of a document that does not say: axes stand before the repetition, or (in curves) are nothing
/// that gpx observes.
Column::Role guessed_role(const std::vector<Node>& names, std::size_t column) {
  const std::string name = names[column].text();
  if (name == "repetition") return Column::Role::repetition;
  if (record_key(name)) return Column::Role::record;
  if (observed_column(name) || name == kNeighbourVariance || name == "outcome")
    return Column::Role::observed;
  for (std::size_t c = 0; c < column; ++c)
    if (names[c].text() == "repetition") return Column::Role::observed;
  return Column::Role::axis;
}

Samples samples_from(const Node& node) {
  using Role = Column::Role;
  Samples samples;
  const auto names = node["columns"].list(), units = node["units"].list();
  const auto roles = node.later("roles").list_or_empty(), rows = node["rows"].list();
  if (units.size() != names.size()) node["units"].wrong("as long as the columns");
  if (node.has("roles") && roles.size() != names.size())
    node["roles"].wrong("as long as the columns");
  for (std::size_t c = 0; c < names.size(); ++c)
    samples.columns.push_back({names[c].name(),
                               unit_from(units[c]),
                               roles.empty()
                                   ? guessed_role(names, c)
                                   : named(roles[c], {Role::axis, Role::repetition, Role::record,
                                                      Role::observed, Role::interval}),
                               false,
                               {},
                               {}});
  for (const Node& row : rows)
    if (!row.json().is_array() || row.json().size() != names.size())
      row.wrong("a list as long as the columns");
  read_cells(samples, rows);
  return samples;
}

std::optional<Error> failure_from(const Node& node) {
  if (node.is_null()) return std::nullopt;
  Error error{node["fault"].text() == "input" ? Fault::input : Fault::device, {}};
  for (const std::string& message : node["messages"].texts())
    error.diagnostics.push_back({message, {}, {}});
  if (error.diagnostics.empty()) node["messages"].wrong("a message at least");
  return error;
}

Telemetry state_from(const Node& node) {
  Telemetry state;
  if (node.is_null()) return state;
  for_each_reading(state, [&](const char* key, auto, auto, auto& value) {
    if (!node.has(key) || node[key].is_null()) return;
    value = node[key].whole<unsigned>();
  });
  return state;
}

CoRunner co_runner_from(const Node& node) {
  CoRunner seen;
  for_each_count(seen, [&]<typename T>(const char* key, T& value) {
    if constexpr (std::is_integral_v<T>)
      value = node[key].whole<T>();
    else
      value = node[key].number();
  });
  return seen;
}

Shard shard_from(const Node& node) {
  const auto shard = parse_shard(node.text());
  if (!shard) node.wrong("a shard, such as 1/4");
  return *shard;
}

void read_provenance(ExperimentResult& result, const Node& node) {
  result.seed = node["seed"].whole();
  result.all_blocks = node.has("all_blocks") && node["all_blocks"].truth();
  if (node.has("shard")) result.shard = shard_from(node["shard"]);
  result.ir = node.later("ir").text_or_empty();
  result.device_file = node.later("device_file").text_or_empty();
  result.build = node.later("build").text_or_empty();
  result.compiler = node["compiler"].text_or_empty();
  result.artifacts = node["artifacts"].texts();
  result.proof = node["proof"].text_or_empty();
  result.values_digest = node["values_digest"].text_or_empty();
  result.state_before = state_from(node.later("before"));
  result.state_after = state_from(node.later("after"));
  if (node.has("co_runner")) result.co_runner = co_runner_from(node["co_runner"]);
}

std::vector<Source> sources_from(const Node& node) {
  std::vector<Source> sources;
  for (const Node& each : node.list_or_empty())
    sources.emplace_back(each["file"].text(), each["text"].text());
  return sources;
}

std::optional<GroupNote> group_from(const Node& node) {
  if (node.is_null()) return std::nullopt;
  return GroupNote{node["family"].text(), node["seconds"].number(), node["reason"].text_or_empty(),
                   node.later("ended").number_or_none().value_or(0)};
}

ExperimentResult experiment_from(const Node& node) {
  ExperimentResult result;
  result.experiment.name = node["name"].name();
  result.experiment.title = node["title"].text_or_empty();
  if (auto cites = node["cites"].texts(); !cites.empty())
    result.experiment.cites = {{"", std::move(cites)}};
  result.file = node["file"].text();
  result.device = device_from(node["device"]);
  result.interrupted = node["interrupted"].truth();
  result.failure = failure_from(node["failure"]);
  if (node.has("points")) {
    result.points = node["points"].whole();
    result.points_total = node["points_total"].whole();
  }
  for (const Node& each : node["findings"].list()) result.findings.push_back(finding_from(each));
  for (const Node& each : node["expectations"].list())
    result.expectations.push_back({each["text"].text(), each["applies"].truth(),
                                   each["pass"].truth(), each["reason"].text_or_empty()});
  for (const Node& each : node["claims"].list())
    result.claims.push_back({each["sentence"].text(), each["text"].text(),
                             each["cite"].text_or_empty(), each["supported"].truth(),
                             each["reason"].text_or_empty()});
  result.group = group_from(node.later("group"));
  result.printed = node["printed"].texts();
  result.warnings = node["warnings"].texts();
  read_provenance(result, node["provenance"]);
  for (const Node& each : node.later("kernels").list_or_empty())
    result.kernels.push_back({each["measure"].text(), each["point"].text(), each["cuda"].text(),
                              each["listing"].text(), each["form"].text()});
  result.kernel_files = sources_from(node.later("kernel_files"));
  return result;
}

RunOrigin origin_from(const Node& node) {
  RunOrigin origin;
  origin.id = node["id"].text();
  origin.status = node["status"].text();
  origin.started = node["started"].text_or_empty();
  origin.ended = node["ended"].text_or_empty();
  origin.host = node["host"].text_or_empty();
  origin.command = node["command"].text_or_empty();
  origin.folder = node["folder"].text_or_empty();
  origin.device = node["device"].text_or_empty();
  origin.seed = node["seed"].whole();
  return origin;
}

/// A group as `gpx characterize --json` of an earlier version wrote it: without samples.
ExperimentResult old_group_from(const Node& node, const DeviceInfo& device) {
  ExperimentResult result;
  const std::vector<Node> experiments = node["experiments"].list();
  if (!experiments.empty()) {
    result = experiment_from(experiments.front());
  } else {
    result.experiment.name = node["name"].name();
    result.experiment.title = node["title"].text_or_empty();
    result.device = device;
    if (node["state"].text() == "failed")
      result.failure = make_error(Fault::device, node["reason"].text_or_empty());
    else
      result.interrupted = true;
  }
  result.group = GroupNote{node["family"].text(), node["seconds"].number(),
                           result.whole() ? "" : node["reason"].text_or_empty()};
  return result;
}

/// A table of operations (gpx operations --json): its latencies and throughputs, as one
/// experiment's.
ExperimentResult operations_from(const Node& node) {
  ExperimentResult result;
  result.experiment.name = "operations";
  result.device = device_from(node["device"]);
  result.interrupted = node["interrupted"].truth();
  for (const Node& row : node["operations"].list())
    for (const char* what : {"latency", "throughput"})
      if (!row[what].is_null()) result.findings.push_back(finding_from(row[what]));
  return result;
}

/// Columns that gpx itself makes hold numbers; what draws them relies on it.
const Column* misused(const Samples& samples) {
  const auto is_number = [](const std::string& name) {
    const ObservedKey* key = record_key(name);
    return key ? !key->has_labels()
               : observed_column(name) || name == "repetition" || name == kNeighbourVariance;
  };
  for (const Column& column : samples.columns)
    if (column.is_text && column.role != Column::Role::axis && is_number(column.name))
      return &column;
  return nullptr;
}

void check_columns(const ExperimentResult& result) {
  for (const Samples* samples : {&result.samples, &result.curves})
    if (const Column* column = misused(*samples))
      throw Wrong(fmt::format("'{}' of {} has texts", column->name, result.experiment.name));
}

ReadRun run_from(const Node& node) {
  if (node["schema"].whole() != 1)
    throw Wrong(fmt::format("it has schema {}; this gpx reads schema 1", node["schema"].whole()));
  ReadRun read;
  read.result.gpx = node["gpx"].text();
  read.result.interrupted = node["interrupted"].truth();
  if (node.has("run")) read.origin = origin_from(node["run"]);
  for (const Node& each : node.later("settings").list_or_empty())
    read.result.settings.push_back({each["name"].text(), each["text"].text()});
  read.result.sources = sources_from(node.later("sources"));
  if (node.has("groups") && !node.has("experiments")) {
    for (const Node& each : node["groups"].list())
      read.result.experiments.push_back(old_group_from(each, device_from(node["device"])));
    return read;
  }
  if (node.has("operations") && !node.has("experiments")) {
    read.result.experiments.push_back(operations_from(node));
    return read;
  }
  for (const Node& each : node["experiments"].list()) {
    ExperimentResult experiment = experiment_from(each);
    experiment.samples = samples_from(each["samples"]);
    experiment.curves = samples_from(each["curves"]);
    for (Column& column : experiment.curves.columns)  // As older runs name it.
      if (column.name == "variance") column.name = kNeighbourVariance;
    check_columns(experiment);
    read.result.experiments.push_back(std::move(experiment));
  }
  return read;
}

/// Line of a byte, from 1.
int line_of(const std::string& text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return static_cast<int>(std::count(text.begin(), end, '\n')) + 1;
}

template <typename T>
Result<T> read(const std::string& text, const std::string& name, T (*from)(const Node&)) {
  try {
    const Json json = Json::parse(text);
    return from(Node(json, ""));
  } catch (const Json::parse_error& error) {
    Error wrong = make_error(Fault::input, "this is not JSON");
    wrong.diagnostics.front().location = Location{name, line_of(text, error.byte), 1, 1, {}};
    return tl::unexpected<Error>(std::move(wrong));
  } catch (const Json::out_of_range& error) {
    const std::string why = error.what();  // "… number overflow parsing '1e400'"
    const std::size_t quote = std::min(why.find('\''), why.size());
    return fail(Fault::input, fmt::format("'{}' is no document of gpx: a number is too large: {}",
                                          name, why.substr(quote)));
  } catch (const std::exception& error) {  // Wrong
    return fail(Fault::input, fmt::format("'{}' is no document of gpx: {}", name, error.what()));
  }
}

}  // namespace

Result<ReadRun> from_json(const std::string& text, const std::string& name) {
  return read<ReadRun>(text, name, run_from);
}

Result<ExperimentResult> experiment_from_json(const std::string& text, const std::string& name) {
  return read<ExperimentResult>(text, name, experiment_from);
}

}  // namespace gpx::report
