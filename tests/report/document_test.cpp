#include "runtime/report/document.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "made_results.h"
#include "runtime/report/report.h"

using namespace gpx;
using namespace gpx::report;

namespace {

Result<Document> read(const std::string& text) {
  return read_document(Source("a.json", text));
}

std::string error_of(const std::string& text) {
  const Result<Document> document = read(text);
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().fault == Fault::input);
  return render(document.error());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a document read back is written as the same document") {
  ExperimentResult result = made::kepler();
  result.source = "experiment kepler_prt { }\n";
  result.kernels = {{"latency", "n=1, threads=32", "__global__ void k() {}", "ld.global", "PTX"}};
  result.findings[2].value = std::vector<double>{17, 8, 8.5};
  result.findings[3].value = true;
  result.printed = {"a line"};
  result.warnings = {"a warning"};
  result.experiment.measures.resize(2);
  result.experiment.measures[1].name = "second";
  result.failure = make_error(Fault::device, "the launch failed");
  const std::string text = to_json(made::run_of(result));
  const Result<Document> document = read(text);
  REQUIRE(document.has_value());
  CHECK(document->version == GPX_VERSION);
  CHECK(to_json(document->result) == text);
}

TEST_CASE("words, missing numbers and an interruption come back") {
  ExperimentResult result = made::kepler();
  for (Samples* samples : {&result.samples, &result.curves}) {
    Column& column = samples->columns[0];
    column.is_text = true;
    column.texts.assign(samples->rows(), "flushed");
    column.numbers.clear();
  }
  result.samples.columns[3].numbers[5] = NAN;
  result.findings.clear();
  result.interrupted = true;
  const std::string text = to_json(made::run_of(result));
  const Result<Document> document = read(text);
  REQUIRE(document.has_value());
  CHECK(to_json(document->result) == text);
}

TEST_CASE("the report of a stored run is the report of the run") {
  const RunResult run = made::run_of(made::kepler());
  const Result<Document> document = read(to_json(run));
  REQUIRE(document.has_value());
  const TerminalOptions options{{false, true, 100}, true};
  CHECK(to_terminal(document->result, options) == to_terminal(run, options));
}

TEST_CASE("documents of earlier versions are read") {
  const Result<Document> old = read(
      R"({"schema": 1, "gpx": "0.1.0", "experiments": [{"name": "old", "cites": ["LA8"],
          "device": {"name": "H100", "kind": "cuda", "compute_capability": "9.0"},
          "samples": {"columns": ["n", "repetition", "latency"], "units": ["", "", "clocks"],
                      "rows": [[1, 0, 5], [2, 0, 7], [3, 0, 9]]},
          "curves": {"columns": ["n", "latency", "variance"], "units": ["", "clocks", ""],
                     "rows": [[1, 5, null], [2, 7, 4], [3, 9, null]]}}]})");
  REQUIRE(old.has_value());
  const ExperimentResult& result = old->result.experiments.front();
  CHECK(result.samples.columns[1].role == Column::Role::repetition);
  CHECK(result.curves.columns[0].role == Column::Role::axis);
  CHECK(result.curves.columns[1].role == Column::Role::observed);
  CHECK(result.curves.columns[1].unit == Unit::clock);
  CHECK(result.experiment.sweep.points() == 3);
  CHECK(result.device.sm_major == 9);
}

TEST_CASE("what a store adds about a run is kept for people") {
  const Result<Document> document =
      read(R"({"schema": 1, "provenance": {"host": "a", "clock_mhz": [1, 2]},
               "experiments": [{"name": "x"}]})");
  REQUIRE(document.has_value());
  REQUIRE(document->provenance.size() == 2);
  CHECK(document->provenance[0] == std::pair<std::string, std::string>("host", "a"));
  CHECK(document->provenance[1].second == "[1,2]");
}

TEST_CASE("what is no document is an error with its place") {
  struct Case {
    const char *text, *message;
  };
  const Case cases[] = {
      {"", "is not JSON"},
      {"experiment a { }", "a.json:1:1"},
      {"{\"schema\": 1,\n  oops}", "a.json:2:3"},
      {"[1, 2]", "is not a document of gpx"},
      {"{}", "is not a document of gpx"},
      {R"({"schema": 2, "experiments": [{"name": "x"}]})", "'schema' is not 1"},
      {R"({"schema": 1, "experiments": []})", "'experiments' is empty"},
      {R"({"schema": 1, "experiments": 3})", "'experiments' is not a list"},
      {R"({"schema": 1, "experiments": [{}]})", "'experiments[0].name' is missing"},
      {R"({"schema": 1, "experiments": [{"name": 3}]})", "'experiments[0].name' is not a text"},
      {R"({"schema": 1, "experiments": [{"name": "x", "findings": [{"name": "f"}]}]})",
       "'experiments[0].findings[0].verdict' is no verdict"},
      {R"({"schema": 1, "experiments": [{"name": "x", "device": {"name": "d", "kind": "odd"}}]})",
       "'experiments[0].device.kind' is neither"},
      {R"({"schema": 1, "experiments": [{"name": "x", "repeat": -1}]})", "is no count"},
      {R"({"schema": 1, "experiments": [{"name": "x", "curves":
           {"columns": ["a", "b"], "rows": [[1, 2], [3]]}}]})",
       "'experiments[0].curves.rows[1]' does not have 2 cells"},
      {R"({"schema": 1, "experiments": [{"name": "x", "curves":
           {"columns": ["a"], "rows": [[1], ["w"]]}}]})",
       "'experiments[0].curves.rows[0][0]' is not a text"},
      {R"({"schema": 1, "experiments": [{"name": "x", "samples":
           {"columns": ["repetition"], "rows": [["w"]]}}]})",
       "has texts in 'repetition'"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    CHECK(contains(error_of(one.text), one.message));
  }
}

TEST_CASE("a document cut short anywhere is an error, never half a run") {
  ExperimentResult result = made::kepler();
  for (Samples* samples : {&result.samples, &result.curves})
    for (Column& column : samples->columns) column.numbers.resize(2);
  const std::string text = to_json(made::run_of(result));
  for (std::size_t length = 0; length + 2 < text.size(); length += 37)
    CHECK_FALSE(read(text.substr(0, length)).has_value());
}

TEST_CASE("the recorded runs of a real GPU are documents") {
  const std::string folder = std::string(GPX_SOURCE_DIR) + "/docs/results/h100";
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    CAPTURE(entry.path().string());
    const Result<Document> document = read(text.str());
    REQUIRE(document.has_value());
    CHECK_FALSE(document->result.experiments.front().findings.empty());
    ++found;
  }
  CHECK(found > 0);
}
