// Interface: runtime/python/calls.h. Covered by tests/python/.
#include "runtime/python/calls.h"

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lang/try.h"
#include "runtime/characterize.h"
#include "runtime/report/document.h"
#include "runtime/report/html.h"
#include "runtime/report/overlay.h"
#include "runtime/report/picture.h"
#include "runtime/report/prediction.h"
#include "runtime/report/report.h"
#include "runtime/report/svg.h"

namespace gpx::python {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostCurves = 24;
constexpr report::Style kPlain{false, true, 100};

class Teller : public RunObserver {
 public:
  explicit Teller(const Progress& progress) : progress_(progress) {}
  void measured(const ExperimentResult&, const PointsMeasured& points) override {
    if (!progress_(points.done, points.total)) stop_ = true;
  }
  const std::atomic<bool>* stop() const { return &stop_; }

 private:
  const Progress& progress_;
  std::atomic<bool> stop_ = false;
};

Json numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(std::isfinite(value) ? Json(value) : Json());
  return out;
}

Json panel_json(const report::Panel& panel) {
  Json curves = Json::array();
  for (const report::Curve& curve : panel.curves)
    curves.push_back({{"label", curve.label},
                      {"x", numbers(curve.x)},
                      {"y", numbers(curve.y)},
                      {"low", numbers(curve.low)},
                      {"high", numbers(curve.high)}});
  return {{"name", panel.name}, {"unit", panel.unit}, {"log", panel.log}, {"curves", curves}};
}

Json figure_json(const report::Group& group, const report::OverlaidFigure& overlaid) {
  const report::Figure& figure = overlaid.figure;
  Json panels = Json::array(), marks = Json::array();
  for (const report::Panel& panel : figure.panels) panels.push_back(panel_json(panel));
  for (const report::Mark& mark : overlaid.marks)
    marks.push_back({{"text", mark.text}, {"x", mark.x}});
  const report::Picture picture = report::picture_of(group, overlaid);
  return {{"experiment", group.name},  {"x", figure.x_name},
          {"x_unit", figure.x_unit},   {"x_words", figure.x_words},
          {"log_x", figure.log_x},     {"panels", std::move(panels)},
          {"marks", std::move(marks)}, {"left_out", overlaid.left_out},
          {"note", picture.note},      {"svg", report::to_svg(picture)}};
}

Result<std::vector<report::Run>> read_all(const std::vector<NamedDocument>& documents) {
  std::vector<report::Run> runs;
  for (const NamedDocument& document : documents) {
    auto read = GPX_TRY(report::read_document(document.json, document.name));
    runs.push_back({document.name, std::move(read)});
  }
  return runs;
}

}  // namespace

Result<std::string> run(const Paths& paths, const RunCall& call, const Progress& progress) {
  Session session(paths);
  Teller teller(progress);
  RunOptions options;
  options.device = call.device;
  options.settings = call.settings;
  options.seed = call.seed;
  options.observers = {&teller};
  options.stop = teller.stop();
  const auto result = GPX_TRY(session.run(Source(call.name, call.text), options));
  return report::to_json(result);
}

Result<Answer> characterize(const Paths& paths, const CharacterizeCall& call,
                            const Progress& progress) {
  std::atomic<bool> stop = false;
  CharacterizeOptions options;
  options.seed = call.seed;
  if (call.budget_s > 0) options.budget_s = call.budget_s;
  options.stop = &stop;
  options.on_group = [&](const ExperimentResult&, std::size_t ended, std::size_t all) {
    if (!progress(ended, all)) stop = true;
  };
  Session session(paths);
  const auto task = GPX_TRY(characterize_task(session, call.device, call.only));
  const auto result = GPX_TRY(gpx::characterize(session, task, options));
  return Answer(report::to_json(result), report::characterization_text(result, kPlain));
}

Result<Answer> predict(const Paths& paths, const PredictRequest& request) {
  Session session(paths);
  const auto prediction = GPX_TRY(gpx::predict(session, request));
  return Answer(report::prediction_json(prediction), report::prediction_text(prediction, kPlain));
}

Result<std::string> page(const std::vector<NamedDocument>& documents) {
  const auto runs = GPX_TRY(read_all(documents));
  return report::to_html(runs);
}

Result<std::string> report(const std::string& json, int width) {
  const auto read = GPX_TRY(report::read_document(json, "run"));
  report::TerminalOptions options;
  options.style = {false, true, width};
  return report::to_terminal(read.result, options);
}

Result<std::string> figures(const std::string& json) {
  const auto runs = GPX_TRY(read_all({{"run", json}}));
  Json out = Json::array();
  for (const report::Group& group : report::overlay(runs, kMostCurves))
    for (const report::OverlaidFigure& figure : group.figures)
      out.push_back(figure_json(group, figure));
  return out.dump();
}

Result<std::string> format(const std::string& text, const std::string& name) {
  const Source source(name, text);
  const auto ast = GPX_TRY(parse(source));
  return gpx::format(ast, source);
}

std::string problems(const Error& error) {
  Json out = Json::array();
  for (const Diagnostic& diagnostic : error.diagnostics) {
    const auto& at = diagnostic.location;
    out.push_back({{"message", diagnostic.message},
                   {"hint", diagnostic.hint},
                   {"file", at ? at->file : ""},
                   {"line", at ? at->line : 0},
                   {"column", at ? at->column : 0}});
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gpx::python
