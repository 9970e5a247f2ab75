// Interface: api.h. The document, its cells and their runs.
#include "runtime/serve/api.h"

#include <fmt/format.h>

#include <charconv>

namespace gpx::serve {
namespace {

using lsp::field;
using lsp::text_field;

constexpr double kMostWait_s = 20;

std::uint64_t number_in(const Request& request, const char* name) {
  const std::string text = query_text(request, name);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Json to_json(const Knob& knob) {
  return {{"name", knob.name}, {"value", knob.value},     {"begin", knob.begin},
          {"end", knob.end},   {"choices", knob.choices}, {"range", knob.is_range}};
}

Json to_json(const KeyedCell& one) {
  Json knobs = Json::array();
  for (const Knob& knob : one.cell.knobs) knobs.push_back(to_json(knob));
  return {{"kind", to_string(one.cell.kind)},
          {"name", one.cell.name},
          {"title", one.cell.title},
          {"text", one.cell.text},
          {"uses", one.cell.uses},
          {"keys", one.keys},
          {"knobs", std::move(knobs)}};
}

Json to_json(const std::string& cell, const std::string& device, const Record& record) {
  return {{"cell", cell},
          {"device", device},
          {"phase", to_string(record.phase)},
          {"key", record.key},
          {"progress", record.progress},
          {"message", record.message},
          {"output", record.output},
          {"run", record.run},
          {"before", record.before},
          {"changed", record.changed}};
}

Json to_json(const NotebookState& state) {
  Json cells = Json::array(), records = Json::array();
  for (const KeyedCell& cell : state.cells) cells.push_back(to_json(cell));
  for (const auto& [key, record] : state.records)
    records.push_back(to_json(key.first, key.second, record));
  return {
      {"at", state.at},           {"version", state.version},  {"whole", state.text.has_value()},
      {"devices", state.devices}, {"cells", std::move(cells)}, {"records", std::move(records)}};
}

}  // namespace

struct Api::Route {
  const char *method, *path;
  std::function<Response(Api&, const Request&, const Json& body)> act;
};

std::string query_text(const Request& request, const char* name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? std::string() : found->second;
}

std::vector<std::string> texts_field(const Json& json, const char* name) {
  const Json& list = field(json, name);
  std::vector<std::string> texts;
  if (!list.is_array())
    throw lsp::Refused{lsp::kInvalidParams, fmt::format("'{}' is no list", name)};
  for (const Json& one : list) {
    if (!one.is_string())
      throw lsp::Refused{lsp::kInvalidParams, fmt::format("'{}' holds more than texts", name)};
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

Response json_response(const Json& json, int status) {
  return {status, "application/json", lsp::text_of(json)};
}

Response error_response(const Error& error) {
  const Diagnostic& first = error.diagnostics.front();
  return json_response(
      {{"error", {{"message", first.message}, {"hint", first.hint}, {"text", render(error)}}}},
      error.fault == Fault::input ? 400 : 500);
}

Api::Api(Notebook& notebook, Paths paths, const std::atomic<bool>& stopped)
    : notebook_(notebook),
      paths_(paths),
      language_(std::move(paths), notebook.settings().file),
      stopped_(stopped) {}

lsp::Position Api::position(const Json& body) const {
  return lsp::position_from(field(body, "position"));
}

const std::vector<Api::Route>& Api::routes() {
  static const std::vector<Route> all = {
      {"GET", "/api/state", [](Api& a, const Request& r, const Json&) { return a.state(r); }},
      {"POST", "/api/save", [](Api& a, const Request&, const Json& b) { return a.save(b); }},
      {"POST", "/api/devices", [](Api& a, const Request&, const Json& b) { return a.devices(b); }},
      {"POST", "/api/run",
       [](Api& a, const Request&, const Json& b) {
         a.notebook_.run(texts_field(b, "cells"));
         return json_response(Json::object());
       }},
      {"POST", "/api/stop",
       [](Api& a, const Request&, const Json& b) {
         a.notebook_.stop(texts_field(b, "cells"));
         return json_response(Json::object());
       }},
      {"POST", "/api/resume",
       [](Api& a, const Request&, const Json& b) {
         a.notebook_.resume(text_field(b, "cell"));
         return json_response(Json::object());
       }},
      {"GET", "/api/result", [](Api& a, const Request& r, const Json&) { return a.result(r); }},
      {"GET", "/api/runs", [](Api& a, const Request& r, const Json&) { return a.runs(r); }},
      {"POST", "/api/diff", [](Api& a, const Request&, const Json& b) { return a.diff(b); }},
      {"GET", "/api/export",
       [](Api& a, const Request& r, const Json&) { return a.export_page(r); }},
      {"GET", "/api/words",
       [](Api& a, const Request&, const Json&) { return json_response(a.language_.words()); }},
      {"POST", "/api/check",
       [](Api& a, const Request&, const Json& b) {
         return json_response({{"problems", a.language_.problems(text_field(b, "text"))}});
       }},
      {"POST", "/api/complete",
       [](Api& a, const Request&, const Json& b) {
         return json_response(
             {{"items", a.language_.completion(text_field(b, "text"), a.position(b))}});
       }},
      {"POST", "/api/hover",
       [](Api& a, const Request&, const Json& b) {
         return json_response({{"hover", a.language_.hover(text_field(b, "text"), a.position(b))}});
       }},
      {"POST", "/api/format",
       [](Api& a, const Request&, const Json& b) {
         return json_response({{"text", a.language_.formatted(text_field(b, "text"))}});
       }},
      {"POST", "/api/explain", [](Api& a, const Request&, const Json& b) { return a.explain(b); }},
      {"POST", "/api/trace", [](Api& a, const Request&, const Json& b) { return a.trace(b); }},
      {"POST", "/api/launch", [](Api& a, const Request&, const Json& b) { return a.launch(b); }},
      {"POST", "/api/sass", [](Api& a, const Request&, const Json& b) { return a.sass(b); }},
      {"POST", "/api/predict", [](Api& a, const Request&, const Json& b) { return a.predict(b); }},
      {"GET", "/api/file", [](Api& a, const Request& r, const Json&) { return a.file(r); }},
      {"POST", "/api/file", [](Api& a, const Request&, const Json& b) { return a.save_file(b); }},
      {"GET", "/api/gallery", [](Api& a, const Request& r, const Json&) { return a.gallery(r); }},
      {"POST", "/api/gallery",
       [](Api& a, const Request&, const Json& b) { return a.take_from_gallery(b); }},
  };
  return all;
}

Response Api::answer(const Request& request) {
  Json body;
  if (request.method == "POST") {
    if (!lsp::is_too_deep(request.body)) body = Json::parse(request.body, nullptr, false);
    if (!body.is_object())
      return error_response(make_error(Fault::input, "the body is no JSON object"));
  }
  for (const Route& route : routes()) {
    if (request.method != route.method || request.path != route.path) continue;
    try {
      return route.act(*this, request, body);
    } catch (const lsp::Refused& refused) {
      return error_response(make_error(Fault::input, refused.message));
    }
  }
  return {404, "text/plain", "there is nothing here\n"};
}

Response Api::state(const Request& request) {
  const double wait = std::min(kMostWait_s, static_cast<double>(number_in(request, "wait")));
  Json json = to_json(notebook_.state(number_in(request, "since"), wait, stopped_));
  json["file"] = notebook_.settings().file.substr(notebook_.folder().size() + 1);
  return json_response(json);
}

Response Api::save(const Json& body) {
  const Json& base = field(body, "base");
  if (!base.is_number_unsigned()) throw lsp::Refused{lsp::kInvalidParams, "'base' is no version"};
  const auto saved = notebook_.save(base.get<std::uint64_t>(), text_field(body, "text"));
  if (!saved) return error_response(saved.error());
  Json json = to_json(notebook_.state(0, 0, stopped_));
  json["saved"] = *saved;
  json.erase("records");
  return json_response(json, *saved ? 200 : 409);
}

Response Api::devices(const Json& body) {
  const auto set = notebook_.set_devices(texts_field(body, "devices"));
  return set ? json_response(Json::object()) : error_response(set.error());
}

}  // namespace gpx::serve
