#include "runtime/script/lua_result.h"

namespace gpx::script {
namespace {

// Each sets a field of the table at the top.

void set(lua_State* state, const char* field, const std::string& text) {
  lua_pushlstring(state, text.data(), text.size());
  lua_setfield(state, -2, field);
}

void set(lua_State* state, const char* field, double number) {
  lua_pushnumber(state, number);
  lua_setfield(state, -2, field);
}

void set(lua_State* state, const char* field, bool truth) {
  lua_pushboolean(state, truth);
  lua_setfield(state, -2, field);
}

void set(lua_State* state, const char* field, const std::optional<double>& number) {
  if (number) set(state, field, *number);
}

void set(lua_State* state, const char* field, const std::vector<std::string>& texts) {
  lua_createtable(state, static_cast<int>(texts.size()), 0);
  lua_Integer count = 0;
  for (const std::string& text : texts) {
    lua_pushlstring(state, text.data(), text.size());
    lua_rawseti(state, -2, ++count);
  }
  lua_setfield(state, -2, field);
}

/// A field that is a list: `push` leaves each item on the stack.
template <typename T>
void set_list(lua_State* state, const char* field, const std::vector<T>& items,
              void (*push)(lua_State*, const T&)) {
  lua_createtable(state, static_cast<int>(items.size()), 0);
  lua_Integer count = 0;
  for (const T& item : items) {
    push(state, item);
    lua_rawseti(state, -2, ++count);
  }
  lua_setfield(state, -2, field);
}

void set(lua_State* state, const char* field, const Value& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value))
    return set(state, field, quantity->value);
  if (const auto* truth = std::get_if<bool>(&value)) return set(state, field, *truth);
  set(state, field, std::get<std::string>(value));
}

void set(lua_State* state, const char* field, const std::optional<std::string>& text) {
  if (text) set(state, field, *text);
}

void set(lua_State* state, const char* field, Verdict verdict) {
  set(state, field, std::string(to_string(verdict)));
}

void set(lua_State* state, const char* field, const decltype(Finding::value)& value) {
  if (const auto* number = std::get_if<double>(&value)) set(state, field, *number);
  if (const auto* text = std::get_if<std::string>(&value)) set(state, field, *text);
  if (const auto* truth = std::get_if<bool>(&value)) set(state, field, *truth);
  if (const auto* list = std::get_if<std::vector<double>>(&value))
    set_list<double>(state, field, *list,
                     [](lua_State* s, const double& v) { lua_pushnumber(s, v); });
}

void set(lua_State* state, const char* field, const std::optional<PaperReading>& paper) {
  if (!paper) return;
  lua_newtable(state);
  set(state, "value", paper->value);
  set(state, "high", paper->high);
  set(state, "cite", paper->cite);
  lua_setfield(state, -2, field);
}

void set(lua_State* state, const char* field, const decltype(Finding::evidence)& evidence) {
  using Point = std::vector<std::pair<std::string, Value>>;
  set_list<Point>(state, field, evidence, [](lua_State* s, const Point& point) {
    lua_newtable(s);
    for (const auto& [column, value] : point) set(s, column.c_str(), value);
  });
}

void set(lua_State* state, const char* field, const std::vector<ProbeEvidence>& probes) {
  set_list<ProbeEvidence>(state, field, probes, [](lua_State* s, const ProbeEvidence& one) {
    lua_newtable(s);
    set(s, "what", one.what);
    set(s, "first", static_cast<double>(one.first));
    set(s, "last", static_cast<double>(one.last));
    if (one.points.empty()) return;
    set(s, "x", one.x);
    set(s, "y", one.y);
    using Point = std::pair<double, double>;
    set_list<Point>(s, "points", one.points, [](lua_State* in, const Point& point) {
      lua_createtable(in, 2, 0);
      lua_pushnumber(in, point.first);
      lua_rawseti(in, -2, 1);
      lua_pushnumber(in, point.second);
      lua_rawseti(in, -2, 2);
    });
  });
}

void push_finding(lua_State* state, const Finding& finding) {
  lua_newtable(state);
  for_each_field(finding, [&](const FindingField& field, const auto& member) {
    set(state, field.key, member);
  });
}

void push_expectation(lua_State* state, const ExpectationResult& result) {
  lua_newtable(state);
  set(state, "text", result.text);
  set(state, "applies", result.applies);
  set(state, "pass", result.pass);
  set(state, "reason", result.reason);
}

/// A list whose findings can also be had by their names.
void set_findings(lua_State* state, const std::vector<Finding>& findings) {
  set_list(state, "findings", findings, push_finding);
  lua_getfield(state, -1, "findings");
  for (std::size_t i = 0; i < findings.size(); ++i) {
    lua_rawgeti(state, -1, static_cast<lua_Integer>(i + 1));
    lua_setfield(state, -2, findings[i].name.c_str());
  }
  lua_pop(state, 1);
}

/// The fields of an experiment's result, into the table at the top.
void set_experiment(lua_State* state, const ExperimentResult& result) {
  set(state, "name", result.experiment.name);
  set(state, "title", result.experiment.title);
  set(state, "whole", result.whole());
  push_device(state, result.device, FactsFor::results);
  lua_setfield(state, -2, "device");
  push_samples(state, result.samples);
  lua_setfield(state, -2, "samples");
  push_samples(state, result.curves);
  lua_setfield(state, -2, "curves");
  std::vector<Finding> findings = result.findings;
  for (Finding& finding : findings) finding.modelled = finding.modelled || !result.device.measured;
  set_findings(state, findings);
  set_list(state, "expectations", result.expectations, push_expectation);
  set(state, "printed", result.printed);
  set(state, "warnings", result.warnings);
}

std::size_t bytes_of(const Samples& samples) {
  return samples.rows() * samples.columns.size() * sizeof(std::string);
}

}  // namespace

void push_run(lua_State* state, ResultPool& pool, RunResult run) {
  for (const ExperimentResult& each : run.experiments)
    LuaSandbox::of(state).charge_memory(state, bytes_of(each.samples) + bytes_of(each.curves));
  const RunResult& kept = pool.runs.emplace_back(std::move(run));
  lua_newtable(state);
  if (!kept.experiments.empty()) set_experiment(state, kept.experiments.front());
  set_list<ExperimentResult>(state, "experiments", kept.experiments,
                             [](lua_State* s, const ExperimentResult& each) {
                               lua_newtable(s);
                               set_experiment(s, each);
                             });
}

void push_entry(lua_State* state, const store::RunEntry& entry) {
  lua_newtable(state);
  set(state, "number", static_cast<double>(entry.number));
  set(state, "id", entry.origin.id);
  set(state, "status", entry.origin.status);
  set(state, "started", entry.origin.started);
  set(state, "command", entry.origin.command);
  set(state, "experiments", entry.experiments);
  set(state, "devices", entry.devices);
  set(state, "points", static_cast<double>(entry.points));
  set(state, "findings", static_cast<double>(entry.findings));
}

}  // namespace gpx::script
