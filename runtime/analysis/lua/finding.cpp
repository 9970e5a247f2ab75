// finding{…}: from a script's table to a Finding, every field checked.
// Interface: lua_api.h; documented in docs/analysis.md. Covered by tests/runtime/analysis_test.cpp.
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "lang/utf8.h"
#include "runtime/analysis/lua/api.h"
#include "runtime/analysis/lua/fields.h"
#include "runtime/analysis/lua/order.h"

namespace gpx {
namespace {

const std::vector<std::string> kFields = {"name",     "value",      "unit",    "low",
                                          "high",     "confidence", "verdict", "note",
                                          "evidence", "probes",     "steps",   "modelled"};

/// The field at the top of the stack is of another type than it must be.
[[noreturn]] void wrong_type(lua_State* state, const char* field, const char* expected) {
  luaL_error(state, "finding: '%s' must be %s, not a %s", field, expected,
             luaL_typename(state, -1));
  throw std::logic_error("luaL_error returned");
}

/// A script writes a value of an axis as Lua does: ".0" behind a whole number is no part of a name.
std::string with_whole_keys(std::string name) {
  for (std::size_t at = name.find('['); (at = name.find(".0", at)) != std::string::npos;) {
    const bool ends = at + 2 < name.size() && (name[at + 2] == ',' || name[at + 2] == ']');
    std::size_t digits = at;
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
    const char before = digits > 0 ? name[digits - 1] : ' ';
    const bool whole = digits < at && (before == '=' || before == '-' || before == '[');
    if (ends && whole)
      name.erase(at, 2);
    else
      at += 2;
  }
  return name;
}

/// Far above what anybody reads; every document and table copies it.
constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;

/// The text on top of the stack, with zeros that it may have.
std::string whole_text(lua_State* state) {
  std::size_t length = 0;
  const char* text = lua_tolstring(state, -1, &length);
  if (length > kMostTextBytes)
    luaL_error(state, "finding: a text of more than %d MB", static_cast<int>(kMostTextBytes >> 20));
  return {text, length};
}

std::optional<std::string> text_field(lua_State* state, const char* field) {
  std::optional<std::string> text;
  if (lua_getfield(state, 1, field) != LUA_TNIL) {
    if (lua_type(state, -1) != LUA_TSTRING) wrong_type(state, field, "a text");
    text = whole_text(state);
  }
  lua_pop(state, 1);
  return text;
}

double finite_number(lua_State* state, const char* field) {
  if (lua_type(state, -1) != LUA_TNUMBER) wrong_type(state, field, "a number");
  const double number = lua_tonumber(state, -1);
  if (!std::isfinite(number)) luaL_error(state, "finding: '%s' is not a finite number", field);
  return number;
}

/// Calls `visit()` with each element, on top of the stack, of the list in a field of the table at
/// the top of the stack, if it has one.
template <typename Visit>
void for_each_in(lua_State* state, const char* field, const char* what, Visit visit) {
  if (lua_getfield(state, -1, field) != LUA_TNIL) {
    if (lua_type(state, -1) != LUA_TTABLE) wrong_type(state, field, what);
    for_each_element(state, visit);
  }
  lua_pop(state, 1);
}

std::optional<double> number_field(lua_State* state, const char* field) {
  std::optional<double> number;
  if (lua_getfield(state, 1, field) != LUA_TNIL) number = finite_number(state, field);
  lua_pop(state, 1);
  return number;
}

void read_value(lua_State* state, Finding& finding) {
  switch (lua_getfield(state, 1, "value")) {
    case LUA_TNIL: break;
    case LUA_TNUMBER: finding.value = finite_number(state, "value"); break;
    case LUA_TSTRING: finding.value = whole_text(state); break;
    case LUA_TBOOLEAN: finding.value = lua_toboolean(state, -1) != 0; break;
    case LUA_TTABLE: {
      std::vector<double> list;
      for_each_element(state, [&] { list.push_back(finite_number(state, "value")); });
      finding.value = std::move(list);
      break;
    }
    default: wrong_type(state, "value", "a number, a text, true, false or a list of numbers");
  }
  lua_pop(state, 1);
}

/// False where there is none.
bool truth_field(lua_State* state, const char* field) {
  const int type = lua_getfield(state, 1, field);
  if (type != LUA_TNIL && type != LUA_TBOOLEAN) wrong_type(state, field, "true or false");
  const bool truth = lua_toboolean(state, -1) != 0;
  lua_pop(state, 1);
  return truth;
}

Verdict read_verdict(lua_State* state, const Finding& finding) {
  const bool valued = !std::holds_alternative<std::monostate>(finding.value);
  const std::optional<std::string> text = text_field(state, "verdict");
  if (!text) {
    if (!valued) luaL_error(state, "finding: without a value there must be a verdict");
    return Verdict::measured;
  }
  for (const Verdict verdict : {Verdict::measured, Verdict::not_observed, Verdict::inconclusive}) {
    if (*text != to_string(verdict)) continue;
    if (verdict == Verdict::measured && !valued) {
      luaL_error(state, "finding: what is measured must have a value");
    }
    if (verdict == Verdict::not_observed && valued) {
      luaL_error(state, "finding: what is not observed has no value");
    }
    return verdict;
  }
  luaL_error(state, "finding: verdict '%s' must be measured, not_observed or inconclusive",
             text->c_str());
  return Verdict::inconclusive;
}

/// One point: {column = value}, in the order of the samples' columns.
void read_point(lua_State* state, const Samples& samples, Finding& finding) {
  if (lua_type(state, -1) != LUA_TTABLE) wrong_type(state, "evidence", "a list of tables");
  const int point = lua_gettop(state);
  std::vector<std::pair<std::string, Value>> selector;
  for (const Column& column : samples.columns) {
    const int type = lua_getfield(state, point, column.name.c_str());
    if (type == LUA_TNUMBER && !column.is_text) {
      selector.emplace_back(column.name, Quantity{lua_tonumber(state, -1), column.unit});
    } else if (type == LUA_TSTRING && column.is_text) {
      selector.emplace_back(column.name, std::string(lua_tostring(state, -1)));
    } else if (type != LUA_TNIL) {
      wrong_type(state, "evidence", "of the column's own type");
    }
    lua_pop(state, 1);
  }
  std::size_t given = 0;
  for (lua_pushnil(state); lua_next(state, point); lua_pop(state, 1)) ++given;
  if (given != selector.size()) {
    luaL_error(state, "finding: evidence names a column that the samples don't have");
  }
  finding.evidence.push_back(std::move(selector));
}

void read_evidence(lua_State* state, const Samples& samples, Finding& finding) {
  for_each_in(state, "evidence", "a list of tables", [&] { read_point(state, samples, finding); });
}

/// A text field of the table at the top of the stack.
std::string text_of_probes(lua_State* state, const char* field) {
  if (lua_getfield(state, -1, field) != LUA_TSTRING) wrong_type(state, "probes", "of texts");
  std::string text = whole_text(state);
  lua_pop(state, 1);
  return text;
}

/// {{x, y}, ...} in the field `points` of the table at the top of the stack.
void read_drawn(lua_State* state, ProbeEvidence& evidence) {
  for_each_in(state, "points", "a list of pairs", [&] {
    if (lua_type(state, -1) != LUA_TTABLE)
      wrong_type(state, "probes", "with points that are pairs");
    lua_rawgeti(state, -1, 1);
    const double x = finite_number(state, "probes");
    lua_rawgeti(state, -2, 2);
    evidence.points.emplace_back(x, finite_number(state, "probes"));
  });
  if (evidence.points.empty()) return;
  evidence.x = text_of_probes(state, "x");
  evidence.y = text_of_probes(state, "y");
}

/// A list of { what, first, last, x, y, points }: probes by their numbers among those that were
/// made so far. A finding without any evidence rests on all that its analysis asked before.
void read_probes(lua_State* state, const FindingSink& sink, Finding& finding) {
  for_each_in(state, "probes", "a list of tables", [&] {
    if (lua_type(state, -1) != LUA_TTABLE) wrong_type(state, "probes", "a list of tables");
    ProbeEvidence& evidence = finding.probes.emplace_back();
    evidence.what = text_of_probes(state, "what");
    lua_getfield(state, -1, "first");
    evidence.first = static_cast<std::uint64_t>(std::max(0.0, finite_number(state, "probes")));
    lua_getfield(state, -2, "last");
    evidence.last = static_cast<std::uint64_t>(std::max(0.0, finite_number(state, "probes")));
    lua_pop(state, 2);
    if (evidence.first == 0 || evidence.first > evidence.last || evidence.last > sink.asked)
      luaL_error(state, "finding '%s': there are no probes %d to %d", finding.name.c_str(),
                 static_cast<int>(evidence.first), static_cast<int>(evidence.last));
    read_drawn(state, evidence);
    LuaSandbox::of(state).charge_memory(state, 16 * evidence.points.size() + 256);
  });
  if (finding.evidence.empty() && finding.probes.empty() && sink.asked > sink.began)
    finding.probes.push_back(
        {"all earlier probes of the analysis", sink.began + 1, sink.asked, {}, {}, {}});
}

/// Texts, one line each.
void read_steps(lua_State* state, Finding& finding) {
  for_each_in(state, "steps", "a list of texts", [&] {
    if (lua_type(state, -1) != LUA_TSTRING) wrong_type(state, "steps", "a list of texts");
    finding.steps.emplace_back(lua_tostring(state, -1));
    LuaSandbox::of(state).charge_memory(state, sizeof(std::string) + finding.steps.back().size());
  });
}

void check_interval(lua_State* state, const Finding& finding) {
  const double* value = std::get_if<double>(&finding.value);
  const bool crossed = finding.low && finding.high && *finding.low > *finding.high;
  const bool outside =
      value && ((finding.low && *value < *finding.low) || (finding.high && *value > *finding.high));
  if (crossed || outside) {
    luaL_error(state, "finding '%s': the value must lie between low and high",
               finding.name.c_str());
  }
  if (finding.confidence && !(*finding.confidence >= 0 && *finding.confidence <= 1)) {
    luaL_error(state, "finding '%s': the confidence must lie between 0 and 1",
               finding.name.c_str());
  }
}

int finding(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 1);
  auto& sink = *static_cast<FindingSink*>(lua_touserdata(state, lua_upvalueindex(1)));
  only_fields(state, 1, "finding", kFields);
  Finding made;
  made.name = with_whole_keys(text_field(state, "name").value_or(""));
  if (made.name.empty()) luaL_error(state, "finding: a name is missing");
  if (!is_name(made.name)) luaL_error(state, "finding: a name has no control characters");
  if (made.name == "outcome" || made.name.starts_with("outcome[")) {
    luaL_error(state, "finding '%s': gpx makes the findings about outcomes itself",
               made.name.c_str());
  }
  if (sink.names.contains(made.name))
    luaL_error(state, "finding '%s' is made twice", made.name.c_str());
  read_value(state, made);
  made.unit = text_field(state, "unit").value_or("");
  made.low = number_field(state, "low");
  made.high = number_field(state, "high");
  made.confidence = number_field(state, "confidence");
  made.verdict = read_verdict(state, made);
  made.note = text_field(state, "note").value_or("");
  made.modelled = truth_field(state, "modelled");
  read_evidence(state, *sink.samples, made);
  read_probes(state, sink, made);
  read_steps(state, made);
  check_interval(state, made);
  LuaSandbox::of(state).charge_memory(state, sizeof(Finding) + 2 * made.name.size() +
                                                 made.note.size() + made.evidence.size() * 256);
  sink.names.insert(made.name);
  sink.findings.push_back(std::move(made));
  return 0;
}

}  // namespace

void open_finding(lua_State* state, FindingSink& sink) {
  lua_pushlightuserdata(state, &sink);
  lua_pushcclosure(state, &lua_guarded<finding>, 1);
  lua_setglobal(state, "finding");
}

}  // namespace gpx
