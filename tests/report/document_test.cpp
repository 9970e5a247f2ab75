#include "runtime/report/document.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lang/language.h"
#include "lang/lists.h"
#include "made_results.h"
#include "runtime/report/figures.h"

using namespace gpx;
using namespace gpx::report;

namespace {

const char* kText =
    "experiment kepler_prt \"Outstanding memory requests of a Kepler SM: MSHR or PRT?\" {\n"
    "  cite lashgar2015 LA8 LA9\n"
    "  device k20\n"
    "  sweep n 1..3, threads 32..1024 step 32\n"
    "  repeat 2\n"
    "  < load unique(128B) x n >\n"
    "  plot latency, neighbour_variance over threads by n\n"
    "  expect outstanding.kind == \"PRT\"\n"
    "  expect outstanding.entries within 42..45\n"
    "}\n";

RunResult run_with_text() {
  RunResult run = made::run_of(made::kepler());
  run.sources = {Source("experiments/kepler_prt.gpx", kText)};
  const auto ast = parse(run.sources.front());
  REQUIRE(ast.has_value());
  const auto checked = check(*ast, run.sources.front());
  REQUIRE(checked.has_value());
  run.experiments.front().experiment = checked->front();
  return run;
}

Result<ReadRun> read(const std::string& text) {
  return read_document(text, "a.json");
}

std::string error_of(const std::string& text) {
  const Result<ReadRun> document = read(text);
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().fault == Fault::input);
  return render(document.error());
}

/// Without a field that earlier versions did not write.
std::string without(std::string text, const std::string& field) {
  for (std::size_t at = 0; (at = text.find("\"" + field + "\"")) != std::string::npos;)
    text.replace(at, field.size() + 2, "\"x\"");
  return text;
}

}  // namespace

TEST_CASE("a document read back is written as the same document, with its kernels") {
  RunResult run = run_with_text();
  run.experiments.front().kernels = {
      {"latency", "n=1, threads=32", "__global__ void k() {}", "ld.global", "PTX"}};
  const std::string text = to_json(run);
  const Result<ReadRun> document = read(text);
  REQUIRE(document.has_value());
  CHECK(to_json(document->result) == text);
  CHECK(document->result.experiments.front().kernels.front().cuda == "__global__ void k() {}");
}

TEST_CASE("the report of a document is the report of the run") {
  const RunResult run = run_with_text();
  const Result<ReadRun> document = read(to_json(run));
  REQUIRE(document.has_value());
  const TerminalOptions options{{false, true, 100}, true};
  CHECK(to_terminal(document->result, options) == to_terminal(run, options));
}

TEST_CASE("a document whose text is no longer taken is read, with the axes of its samples") {
  RunResult run = run_with_text();
  run.sources = {Source("experiments/kepler_prt.gpx", "nothing that gpx takes")};
  run.experiments.front().findings[1].unit = "B";
  const Result<ReadRun> document = read(to_json(run));
  REQUIRE(document.has_value());
  const ExperimentResult& result = document->result.experiments.front();
  CHECK(result.experiment.sweep.points() == 96);
  REQUIRE(plots_of(result).size() == 1);
  CHECK(plots_of(result).front().x == "threads");
  CHECK(std::get<Quantity>(result.findings[1].paper->value).unit == Unit::byte);
}

TEST_CASE("documents of earlier versions are read: no sources, no roles, no kernels") {
  std::string text = to_json(run_with_text());
  for (const char* field : {"sources", "settings", "roles", "kernels", "points", "points_total",
                            "ir", "device_file", "before", "after"})
    text = without(text, field);
  const Result<ReadRun> old = read(text);
  REQUIRE(old.has_value());
  const ExperimentResult& result = old->result.experiments.front();
  CHECK(result.samples.columns[2].role == Column::Role::repetition);
  CHECK(result.samples.columns[3].role == Column::Role::observed);
  CHECK(result.curves.columns[0].role == Column::Role::axis);
  CHECK(result.curves.columns[3].role == Column::Role::observed);
  CHECK(result.findings.size() == 4);
}

TEST_CASE("what is no document is an error that says why") {
  const std::string good = to_json(run_with_text());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    REQUIRE(contains(text, from));
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK(contains(error_of(""), "a.json:1:1: error: this is not JSON"));
  CHECK(contains(error_of("{\"schema\": 1,\n  oops}"), "a.json:2:1"));
  CHECK(contains(error_of("[1]"), "'a.json' is no document of gpx"));
  CHECK(contains(error_of("{}"), "there is no field 'schema'"));
  CHECK(contains(error_of(with("\"schema\": 1", "\"schema\": 2")), "reads schema 1"));
  CHECK(contains(error_of(with("\"verdict\": \"measured\"", "\"verdict\": \"sure\"")),
                 "experiments[0].findings[0].verdict"));
  CHECK(contains(error_of(with("[1, 32, 0, 406]", "[1, 32, 0]")), "samples.rows[0]"));
  CHECK(contains(error_of(with("[1, 32, 0, 406]", "[1, 32, \"w\", 406]")), "repetition"));
  RunResult none = run_with_text();
  none.experiments.clear();
  CHECK(contains(error_of(to_json(none)), "without results"));
}

TEST_CASE("a column of gpx's own that holds texts is an error") {
  RunResult run = run_with_text();
  Column& column = run.experiments.front().samples.columns[2];
  column.is_text = true;
  column.texts.assign(column.numbers.size(), "w");
  CHECK(contains(error_of(to_json(run)), "'repetition' of kepler_prt has texts"));
}

TEST_CASE("a document cut short anywhere is an error, never half a run") {
  RunResult run = run_with_text();
  for (Samples* samples : {&run.experiments.front().samples, &run.experiments.front().curves})
    for (Column& column : samples->columns) column.numbers.resize(2);
  const std::string text = to_json(run);
  for (std::size_t length = 0; length + 2 < text.size(); length += 37)
    CHECK_FALSE(read(text.substr(0, length)).has_value());
}

TEST_CASE("the recorded runs of a real GPU are documents") {
  const std::string folder = std::string(GPX_SOURCE_DIR) + "/docs/results";
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    CAPTURE(entry.path().string());
    const Result<ReadRun> document = read(text.str());
    REQUIRE(document.has_value());
    CHECK_FALSE(document->result.experiments.front().findings.empty());
    ++found;
  }
  CHECK(found > 0);
}
