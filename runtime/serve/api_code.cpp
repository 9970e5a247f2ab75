// Code of cells and kernels, by short processes of gpx. Interface: api.h.
#include <fmt/format.h>

#include <algorithm>

#include "lang/read.h"
#include "runtime/exit_status.h"
#include "runtime/kernel_text.h"
#include "runtime/serve/api.h"
#include "runtime/serve/guard.h"
#include "runtime/serve/kernel_launch.h"
#include "runtime/serve/runs.h"
#include "runtime/serve/traced_launch.h"

namespace gpx::serve {
namespace {

using lsp::field;
using lsp::text_field;

constexpr int kMostCalls = 4;
constexpr double kMostSeconds = 60;

std::string optional_text(const Json& body, const char* name) {
  return body.contains(name) ? text_field(body, name) : std::string();
}

std::vector<std::string> optional_texts(const Json& body, const char* name) {
  return body.contains(name) ? texts_field(body, name) : std::vector<std::string>();
}

/// The first experiment of a program; nothing where it cannot be read.
std::optional<Experiment> first_experiment(const std::string& program) {
  auto read = read_experiments(Source("cell", program));
  if (!read || read->empty()) return std::nullopt;
  return std::move(read->front());
}

std::uint64_t count_points(const std::string& program) {
  const auto experiment = first_experiment(program);
  return experiment ? experiment->sweep.points() * experiment->measures.size() : 0;
}

/// The points of a cell by number: "dram: words=32"; none where they are too many for a slider.
Json points_of(const std::string& program) {
  constexpr std::uint64_t kMostPoints = 2000;
  Json labels = Json::array();
  const auto experiment = first_experiment(program);
  if (!experiment || count_points(program) > kMostPoints) return labels;
  for (const Measure& measure : experiment->measures)
    for (std::uint64_t i = 0; i < experiment->sweep.points(); ++i) {
      const std::string values = point_text(experiment->sweep, i);
      const bool both = !measure.name.empty() && !values.empty();
      labels.push_back(measure.name + (both ? ": " : "") + values);
    }
  return labels;
}

}  // namespace

tl::expected<JobEnd, Response> Api::call(Job job, const std::string& what, const Cell* cell) {
  if (calls_.fetch_add(1) >= kMostCalls) {
    calls_.fetch_sub(1);
    return tl::unexpected(
        json_response({{"error", {{"message", "too many at once"}, {"hint", "try again"}}}}, 503));
  }
  JobEnd end = call_gpx(notebook_.settings().program, std::move(job), kMostSeconds, stopped_);
  calls_.fetch_sub(1);
  const bool good = end.process.status == kSuccess || end.process.status == kExpectationFailed;
  if (good && !end.document.empty()) return end;
  const std::string said = end.process.killed.empty() ? end.process.messages : end.process.killed;
  const std::string text = cell ? in_cell(said, *cell) : said;
  return tl::unexpected(json_response(
      {{"error", {{"message", what + " failed"}, {"hint", ""}, {"text", text}}}}, 400));
}

/// What the process wrote as a document.
Response Api::called(Job job, const std::string& what, const Json& more, const Cell* cell) {
  const auto end = call(std::move(job), what, cell);
  if (!end) return end.error();
  Json json = Json::parse(end->document, nullptr, false);
  if (!json.is_object())
    return error_response(make_error(Fault::device, what + " wrote no document"));
  json["messages"] = end->process.messages;
  if (!end->output.empty()) json["report"] = end->output;
  json.update(more);
  return json_response(json);
}

Response Api::explain(const Json& body) {
  const auto cell = notebook_.cell(text_field(body, "cell"));
  if (!cell || cell->kind != Cell::Kind::experiment)
    return error_response(make_error(Fault::input, "no experiment has this name"));
  const std::string point = optional_text(body, "point"), arch = optional_text(body, "arch");
  Job job{0,
          {"explain", "--device=" + text_field(body, "device"), "--json", kDocument, "--quiet"},
          cell->program,
          notebook_.folder()};
  if (!arch.empty()) job.words.push_back("--arch=" + arch);
  job.words.insert(job.words.end(), {"--", point.empty() ? "-" : "-:" + point});
  return called(std::move(job), "explain",
                {{"shift", line_shift(*cell)}, {"points", points_of(cell->program)}}, &*cell);
}

/// One point is a shard of a run with as many shards as points.
Response Api::trace(const Json& body) {
  const auto cell = notebook_.cell(text_field(body, "cell"));
  if (!cell || cell->kind != Cell::Kind::experiment)
    return error_response(make_error(Fault::input, "no experiment has this name"));
  const Json& point = field(body, "point");
  const std::uint64_t points = count_points(cell->program);
  if (!point.is_number_unsigned() || point.get<std::uint64_t>() >= points)
    return error_response(
        make_error(Fault::input, "'point' is no number of a point",
                   fmt::format("it has {}", plural(static_cast<double>(points), "point"))));
  const auto end = call({0,
                         {"run", "--device=" + text_field(body, "device"),
                          fmt::format("--shard={}/{}", point.get<std::uint64_t>() + 1, points),
                          "--no-store", "--dump=stats", "--trace", kDocument, "--quiet", "--", "-"},
                         cell->program,
                         notebook_.folder()},
                        "trace", &*cell);
  if (!end) return end.error();
  Json json = traced_launch(end->document);
  json["report"] = end->output;
  json["points"] = points_of(cell->program);
  return json_response(json);
}

Response Api::sass(const Json& body) {
  const std::string path = text_field(body, "path");
  const auto whole = editable_path(notebook_.folder(), path);
  if (!whole) return error_response(whole.error());
  Job job{0, {"sass", "--json", kDocument, "--quiet"}, "", notebook_.folder()};
  for (const char* name : {"arch", "entry"})
    if (const std::string value = optional_text(body, name); !value.empty())
      job.words.push_back(fmt::format("--{}={}", name, value));
  job.words.insert(job.words.end(), {"--", *whole});
  return called(std::move(job), "sass", Json::object());
}

/// What a cell gives to the first of its kernels that comes from a file.
Response Api::launch(const Json& body) {
  const auto cell = notebook_.cell(text_field(body, "cell"));
  const auto experiment = cell ? first_experiment(cell->program) : std::nullopt;
  if (!experiment) return error_response(make_error(Fault::input, "no experiment has this name"));
  const Json launch = kernel_launch(*experiment, text_field(body, "path"));
  if (launch.is_null())
    return error_response(make_error(Fault::input, "the cell runs no kernel from this file"));
  return json_response(launch);
}

/// Options as `gpx predict` takes them.
Response Api::predict(const Json& body) {
  const auto whole = editable_path(notebook_.folder(), text_field(body, "path"));
  if (!whole) return error_response(whole.error());
  Job job{0,
          {"predict", "--device=" + text_field(body, "device"), "--json", kDocument},
          "",
          notebook_.folder()};
  for (const char* name : {"entry", "registers", "shared"})
    if (const std::string value = optional_text(body, name); !value.empty())
      job.words.push_back(fmt::format("--{}={}", name, value));
  for (const char* name : {"grid", "block", "arg", "buffer", "define"})
    for (const std::string& value : optional_texts(body, name))
      job.words.push_back(fmt::format("--{}={}", name, value));
  if (body.value("measure", false)) job.words.emplace_back("--measure");
  if (body.value("what_if", false)) job.words.emplace_back("--what-if");
  job.words.insert(job.words.end(), {"--", *whole});
  return called(std::move(job), "predict", Json::object());
}

}  // namespace gpx::serve
