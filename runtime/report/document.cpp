#include "runtime/report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace gpx::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

/// What is wrong, and where: "experiments[0].findings[2].verdict". Caught in this file.
struct Wrong {
  std::string place, what;
};

/// A value of the document with its place. A field that is missing or null is empty.
class Node {
 public:
  Node(const Json* json, std::string place) : json_(json), place_(std::move(place)) {}

  bool empty() const { return !json_ || json_->is_null(); }
  const Json& json() const { return *json_; }
  const std::string& place() const { return place_; }
  [[noreturn]] void wrong(const std::string& what) const { throw Wrong{place_, what}; }

  Node operator[](const char* name) const {
    const std::string place = place_.empty() ? name : place_ + '.' + name;
    if (empty()) return {nullptr, place};
    if (!json_->is_object()) wrong("is not an object");
    const auto found = json_->find(name);
    return {found == json_->end() ? nullptr : &*found, place};
  }
  std::vector<Node> items() const {
    std::vector<Node> all;
    if (empty()) return all;
    if (!json_->is_array()) wrong("is not a list");
    for (std::size_t i = 0; i < json_->size(); ++i)
      all.emplace_back(&(*json_)[i], fmt::format("{}[{}]", place_, i));
    return all;
  }
  std::string text() const {
    if (empty()) return {};
    if (!json_->is_string()) wrong("is not a text");
    return json_->get<std::string>();
  }
  std::optional<double> number() const {
    if (empty()) return std::nullopt;
    if (!json_->is_number()) wrong("is not a number");
    return json_->get<double>();
  }
  bool truth() const {
    if (empty()) return false;
    if (!json_->is_boolean()) wrong("is neither true nor false");
    return json_->get<bool>();
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Node& item : items()) all.push_back(item.text());
    return all;
  }
  /// A whole number from 0, for counts; 0 where there is none.
  template <typename T>
  T count() const {
    const double value = number().value_or(0);
    if (!(value >= 0 && value <= static_cast<double>(std::numeric_limits<T>::max())))
      wrong("is no count");
    return static_cast<T>(value);
  }

 private:
  const Json* json_;
  std::string place_;
};

Unit unit_of(const std::string& symbol) {
  for (const Unit unit : {Unit::byte, Unit::second, Unit::hertz, Unit::clock})
    if (unit_symbol(unit) == symbol) return unit;
  return Unit::none;
}

Value value_of(const Node& node, Unit unit) {
  if (!node.empty() && node.json().is_string()) return node.text();
  if (!node.empty() && node.json().is_boolean()) return node.truth();
  return Quantity{node.number().value_or(NAN), unit};
}

Column::Role role_of(const std::string& name, const Node& place) {
  if (name == "axis") return Column::Role::axis;
  if (name == "repetition") return Column::Role::repetition;
  if (name == "record") return Column::Role::record;
  if (name == "observed") return Column::Role::observed;
  place.wrong(fmt::format("names the unknown role '{}'", name));
}

/// For documents that do not say: axes stand before the repetition, or (in curves) are no
/// observation that gpx knows.
Column::Role guessed_role(const std::string& name, bool before_repetition) {
  if (name == "repetition") return Column::Role::repetition;
  for (const char* key : {"block", "thread", "stamp", "access"})
    if (name == key) return Column::Role::record;
  for (const char* known : {"latency", "time", "variance", "index", "clock", "sm", "outcome"})
    if (name == known) return Column::Role::observed;
  return before_repetition ? Column::Role::axis : Column::Role::observed;
}

void read_cells(Column& column, const std::vector<Node>& rows, std::size_t index) {
  for (const Node& row : rows) column.is_text |= row.json()[index].is_string();
  for (const Node& row : rows) {
    const Node cell(&row.json()[index], fmt::format("{}[{}]", row.place(), index));
    if (column.is_text)
      column.texts.push_back(cell.text());
    else
      column.numbers.push_back(cell.number().value_or(NAN));
  }
}

/// Columns that gpx itself makes, of numbers.
bool is_number(const Column& column) {
  if (column.role == Column::Role::repetition) return true;
  for (const char* name :
       {"block", "thread", "access", "clock", "sm", "latency", "time", "variance"})
    if (column.name == name && column.role != Column::Role::axis) return true;
  return false;
}

Samples samples_of(const Node& node) {
  Samples samples;
  const std::vector<std::string> names = node["columns"].texts();
  const std::vector<Node> units = node["units"].items(), roles = node["roles"].items(),
                          rows = node["rows"].items();
  for (const Node& row : rows)
    if (!row.json().is_array() || row.json().size() != names.size())
      row.wrong(fmt::format("does not have {} cells, as the table has columns", names.size()));
  const auto repetition = std::find(names.begin(), names.end(), "repetition");
  for (std::size_t i = 0; i < names.size(); ++i) {
    Column column;
    column.name = names[i];
    if (i < units.size()) column.unit = unit_of(units[i].text());
    const bool before =
        repetition == names.end() || i < static_cast<std::size_t>(repetition - names.begin());
    column.role =
        i < roles.size() ? role_of(roles[i].text(), roles[i]) : guessed_role(names[i], before);
    read_cells(column, rows, i);
    if (column.is_text && is_number(column))
      node["columns"].wrong(fmt::format("has texts in '{}'", column.name));
    samples.columns.push_back(std::move(column));
  }
  return samples;
}

DeviceInfo device_of(const Node& node) {
  DeviceInfo device;
  device.name = node["name"].text();
  const std::string kind = node["kind"].text();
  if (kind != "virtual" && kind != "cuda" && !device.name.empty())
    node["kind"].wrong("is neither 'virtual' nor 'cuda'");
  device.kind = kind == "cuda" ? DeviceInfo::Kind::cuda : DeviceInfo::Kind::virtual_gpu;
  std::sscanf(node["compute_capability"].text().c_str(), "%d.%d", &device.sm_major,
              &device.sm_minor);
  device.sm_count = node["sm_count"].count<std::uint32_t>();
  device.warp_size = node["warp_size"].count<std::uint32_t>();
  device.max_threads_per_block = node["max_threads_per_block"].count<std::uint32_t>();
  device.max_threads_per_sm = node["max_threads_per_sm"].count<std::uint32_t>();
  device.memory_bytes = node["memory_bytes"].count<std::uint64_t>();
  device.clock_hz = node["clock_hz"].number().value_or(0);
  device.driver = node["driver"].text();
  device.uuid = node["uuid"].text();
  return device;
}

Verdict verdict_of(const Node& node) {
  const std::string name = node.text();
  if (name == "measured") return Verdict::measured;
  if (name == "not_observed") return Verdict::not_observed;
  if (name == "inconclusive") return Verdict::inconclusive;
  node.wrong(fmt::format("is no verdict: '{}'", name));
}

PaperReading paper_of(const Node& node, Unit unit) {
  PaperReading paper;
  if (!node["unit"].empty()) unit = unit_of(node["unit"].text());
  paper.value = value_of(node["value"], unit);
  paper.high = node["high"].number();
  paper.cite = node["cite"].text();
  return paper;
}

std::vector<std::pair<std::string, Value>> point_of(const Node& node, const Samples& samples) {
  std::vector<std::pair<std::string, Value>> point;
  if (!node.json().is_object()) node.wrong("is not an object");
  for (const auto& [name, value] : node.json().items()) {
    const Column* column = samples.find(name);
    point.emplace_back(
        name, value_of({&value, node.place() + '.' + name}, column ? column->unit : Unit::none));
  }
  return point;
}

Finding finding_of(const Node& node, const Samples& samples) {
  Finding finding;
  finding.name = node["name"].text();
  if (finding.name.empty()) node["name"].wrong("is missing");
  finding.unit = node["unit"].text();
  const Node value = node["value"];
  if (!value.empty() && value.json().is_array()) {
    std::vector<double> list;
    for (const Node& item : value.items()) list.push_back(item.number().value_or(NAN));
    finding.value = std::move(list);
  } else if (!value.empty()) {
    std::visit(
        [&](const auto& one) {
          if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Quantity>)
            finding.value = one.value;
          else
            finding.value = one;
        },
        value_of(value, Unit::none));
  }
  finding.low = node["low"].number();
  finding.high = node["high"].number();
  finding.confidence = node["confidence"].number();
  finding.verdict = verdict_of(node["verdict"]);
  finding.note = node["note"].text();
  if (!node["proof"].empty()) finding.proof = node["proof"].text();
  if (!node["paper"].empty()) finding.paper = paper_of(node["paper"], unit_of(finding.unit));
  for (const Node& point : node["evidence"].items())
    finding.evidence.push_back(point_of(point, samples));
  return finding;
}

Sweep sweep_of(const Node& node) {
  Sweep sweep;
  for (const Node& group : node.items()) {
    std::vector<Axis> axes;
    for (const Node& item : group.items()) {
      Axis axis;
      axis.name = item["name"].text();
      axis.unit = unit_of(item["unit"].text());
      for (const Node& value : item["values"].items())
        axis.values.push_back(value_of(value, axis.unit));
      axes.push_back(std::move(axis));
    }
    sweep.groups.push_back(std::move(axes));
  }
  return sweep;
}

/// For documents without `sweep`: each axis with the values that were measured, in their order.
Sweep sweep_of(const Samples& samples) {
  Sweep sweep;
  for (const Column& column : samples.columns) {
    if (column.role != Column::Role::axis || column.name == "measure") continue;
    Axis axis;
    axis.name = column.name;
    axis.unit = column.unit;
    std::set<std::string> known;
    for (std::size_t row = 0; row < samples.rows(); ++row) {
      const Value value = column.is_text ? Value(column.texts[row])
                                         : Value(Quantity{column.numbers[row], column.unit});
      if (known.insert(to_string(value)).second) axis.values.push_back(value);
    }
    sweep.groups.push_back({std::move(axis)});
  }
  return sweep;
}

Experiment experiment_of(const Node& node, const Samples& curves) {
  Experiment experiment;
  experiment.name = node["name"].text();
  if (experiment.name.empty()) node["name"].wrong("is missing");
  experiment.title = node["title"].text();
  experiment.device = node["written_for"].text();
  for (const Node& work : node["works"].items())
    experiment.cites.push_back({work["work"].text(), work["ids"].texts()});
  if (node["works"].empty() && !node["cites"].items().empty())
    experiment.cites.push_back({"", node["cites"].texts()});
  experiment.sweep = node["sweep"].empty() ? sweep_of(curves) : sweep_of(node["sweep"]);
  experiment.repeat = node["repeat"].count<std::uint32_t>();
  const std::vector<std::string> measures = node["measures"].texts();
  experiment.measures.resize(std::max<std::size_t>(1, measures.size()));
  for (std::size_t i = 0; i < measures.size(); ++i) experiment.measures[i].name = measures[i];
  for (const Node& each : node["plots"].items()) {
    Plot plot;
    plot.y = each["y"].texts();
    plot.x = each["x"].text();
    plot.by = each["by"].texts();
    plot.log_x = each["log_x"].truth();
    plot.log_y = each["log_y"].truth();
    experiment.plots.push_back(std::move(plot));
  }
  for (const std::string& name : node["expected"].texts()) {
    Expect expect;
    expect.condition.kind = Expr::Kind::finding;
    expect.condition.text = name;
    experiment.expects.push_back(std::move(expect));
  }
  return experiment;
}

std::optional<Error> failure_of(const Node& node) {
  if (node.empty()) return std::nullopt;
  Error error{node["fault"].text() == "input" ? Fault::input : Fault::device, {}};
  for (const std::string& message : node["messages"].texts())
    error.diagnostics.push_back({message, {}, {}});
  if (error.diagnostics.empty()) error.diagnostics.push_back({"it failed", {}, {}});
  return error;
}

void read_judgements(const Node& node, ExperimentResult& result) {
  for (const Node& each : node["findings"].items())
    result.findings.push_back(finding_of(each, result.samples));
  for (const Node& each : node["expectations"].items())
    result.expectations.push_back({each["text"].text(), each["applies"].truth(),
                                   each["pass"].truth(), each["reason"].text()});
  for (const Node& each : node["claims"].items())
    result.claims.push_back({each["sentence"].text(), each["text"].text(), each["cite"].text(),
                             each["supported"].truth(), each["reason"].text()});
}

void read_provenance(const Node& node, ExperimentResult& result) {
  result.seed = node["seed"].count<std::uint64_t>();
  result.compiler = node["compiler"].text();
  result.artifacts = node["artifacts"].texts();
  result.proof = node["proof"].text();
  result.values_digest = node["values_digest"].text();
}

ExperimentResult result_of(const Node& node, const Node& sources) {
  ExperimentResult result;
  result.samples = samples_of(node["samples"]);
  result.curves = samples_of(node["curves"]);
  result.experiment = experiment_of(node, result.curves);
  result.file = node["file"].text();
  result.source = sources[result.file.c_str()].text();
  result.device = device_of(node["device"]);
  read_judgements(node, result);
  read_provenance(node["provenance"], result);
  for (const Node& each : node["kernels"].items())
    result.kernels.push_back({each["measure"].text(), each["point"].text(), each["cuda"].text(),
                              each["listing"].text(), each["form"].text()});
  result.printed = node["printed"].texts();
  result.warnings = node["warnings"].texts();
  result.failure = failure_of(node["failure"]);
  result.interrupted = node["interrupted"].truth();
  return result;
}

Document document_of(const Node& root) {
  if (!root.json().is_object() || root["experiments"].empty() || root["schema"].empty())
    throw Wrong{"", "is not a document of gpx: it has no 'schema' and 'experiments'"};
  if (root["schema"].number() != kSchema)
    root["schema"].wrong(fmt::format("is not {}: another version of gpx wrote it", kSchema));
  Document document;
  document.version = root["gpx"].text();
  document.result.interrupted = root["interrupted"].truth();
  for (const Node& each : root["experiments"].items())
    document.result.experiments.push_back(result_of(each, root["sources"]));
  if (document.result.experiments.empty()) root["experiments"].wrong("is empty");
  if (const Node provenance = root["provenance"]; !provenance.empty())
    for (const auto& [name, value] : provenance.json().items())
      document.provenance.emplace_back(
          name, value.is_string() ? value.get<std::string>()
                                  : value.dump(-1, ' ', false, Json::error_handler_t::replace));
  return document;
}

Error at_byte(const Source& text, std::size_t byte, const std::string& message) {
  const std::size_t last = text.text().size();
  const auto begin = static_cast<std::uint32_t>(std::min(byte > 0 ? byte - 1 : 0, last));
  return make_error(Fault::input, text, {begin, begin}, message);
}

}  // namespace

Result<Document> read_document(const Source& text) {
  try {
    const Json json = Json::parse(text.text());
    return document_of({&json, ""});
  } catch (const Json::parse_error& error) {
    return tl::unexpected(at_byte(text, error.byte, "is not JSON, so no document of gpx"));
  } catch (const Wrong& wrong) {
    Location file;
    file.file = text.name();
    const std::string what =
        wrong.place.empty() ? wrong.what : fmt::format("'{}' {}", wrong.place, wrong.what);
    return tl::unexpected(Error{
        Fault::input, {{what, file, "a document is what 'gpx run FILE --json PATH' writes"}}});
  } catch (const Json::exception& error) {
    return tl::unexpected(at_byte(text, 0, fmt::format("cannot be read: {}", error.what())));
  }
}

}  // namespace gpx::report
