#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "golden.h"
#include "made_results.h"
#include "runtime/report/report.h"

using namespace gpx;
using Json = nlohmann::json;

namespace {

Json parsed(const ExperimentResult& result) {
  return Json::parse(report::to_json(made::run_of(result)));
}

}  // namespace

TEST_CASE("the document has the contract's fields with the contract's types") {
  const Json json = parsed(made::kepler());
  CHECK(json.at("schema") == 1);
  CHECK(json.at("gpx") == GPX_VERSION);
  CHECK(json.at("interrupted") == false);
  REQUIRE(json.at("experiments").size() == 1);
  const Json& experiment = json["experiments"][0];
  CHECK(experiment.at("name") == "kepler_prt");
  CHECK(experiment.at("file") == "experiments/kepler_prt.gpx");
  CHECK(experiment.at("cites") == Json::array({"LA8", "LA9"}));
  CHECK(experiment.at("device").at("name") == "k20");
  CHECK(experiment.at("device").at("kind") == "virtual");
  CHECK(experiment.at("device").at("compute_capability") == "3.5");
  CHECK(experiment.at("device").at("driver").is_null());
  CHECK(experiment.at("provenance").at("seed") == 7);
  CHECK(experiment.at("provenance").at("compiler") == "NVRTC 13.0");
  CHECK(experiment.at("provenance").at("artifacts").size() == 1);
}

TEST_CASE("a finding keeps value, interval, verdict, proof and the paper's value") {
  const Json findings = parsed(made::kepler())["experiments"][0].at("findings");
  REQUIRE(findings.size() == 4);
  const Json& kind = findings[0];
  CHECK(kind.at("name") == "outstanding.kind");
  CHECK(kind.at("value") == "PRT");
  CHECK(kind.at("unit") == "");
  CHECK(kind.at("low").is_null());
  CHECK(kind.at("confidence") == 0.98);
  CHECK(kind.at("verdict") == "measured");
  CHECK(kind.at("proof") == "verified");
  CHECK(kind.at("paper") == Json({{"value", "PRT"}, {"cite", "LA9"}}));
  const Json& entries = findings[1];
  CHECK(entries.at("value").is_number_integer());
  CHECK(entries.at("value") == 44);
  CHECK(entries.at("low") == 43);
  CHECK(entries.at("high") == 45);
  CHECK(entries.at("unit") == "entries");
  CHECK(entries.at("paper") == Json({{"value", 44}, {"high", 45}, {"cite", "LA9"}}));
  CHECK(entries.at("evidence") == Json::array({{{"n", 2}, {"threads", 704}}}));
  CHECK(findings[2].at("verdict") == "not_observed");
  CHECK(findings[2].at("value").is_null());
  CHECK(findings[2].at("confidence").is_null());
  CHECK(findings[2].at("paper").is_null());
  CHECK(findings[2].at("proof").is_null());
  CHECK(findings[3].at("verdict") == "inconclusive");
}

TEST_CASE("truths and lists are values too") {
  ExperimentResult result = made::kepler();
  result.findings[0].value = true;
  result.findings[1].value = std::vector<double>{17, 8, 8.5};
  const Json findings = parsed(result)["experiments"][0]["findings"];
  CHECK(findings[0]["value"] == true);
  CHECK(findings[1]["value"] == Json::array({17, 8, 8.5}));
}

TEST_CASE("what a report of the run needs is there: text, kernels, roles of columns") {
  ExperimentResult result = made::kepler();
  result.kernels = {{"", "n=1, threads=32", "__global__", "ld.global", "PTX"}};
  RunResult run = made::run_of(result);
  run.sources = {Source(result.file, "experiment kepler_prt { }")};
  const Json json = Json::parse(report::to_json(run));
  CHECK(json.at("sources") ==
        Json::array({{{"file", result.file}, {"text", "experiment kepler_prt { }"}}}));
  const Json& experiment = json["experiments"][0];
  CHECK(experiment.at("kernels") == Json::array({{{"measure", ""},
                                                  {"point", "n=1, threads=32"},
                                                  {"cuda", "__global__"},
                                                  {"form", "PTX"},
                                                  {"listing", "ld.global"}}}));
  CHECK(experiment.at("samples").at("roles") ==
        Json::array({"axis", "axis", "repetition", "observed"}));
}

TEST_CASE("expectations and claims are there with their reasons") {
  const Json experiment = parsed(made::kepler())["experiments"][0];
  const Json& expectation = experiment.at("expectations").at(1);
  CHECK(expectation.at("text") == "outstanding.entries within 42..45");
  CHECK(expectation.at("applies") == true);
  CHECK(expectation.at("pass") == true);
  const Json& claim = experiment.at("claims").at(0);
  CHECK(claim.at("sentence") == "nearly 32X");
  CHECK(claim.at("supported") == false);
  CHECK(claim.at("reason") == "1408 / 128 is 11");
}

TEST_CASE("samples are columns and rows, raw, with integers as integers") {
  const Json samples = parsed(made::kepler())["experiments"][0].at("samples");
  CHECK(samples.at("columns") == Json::array({"n", "threads", "repetition", "latency"}));
  CHECK(samples.at("units") == Json::array({"", "", "", "clocks"}));
  REQUIRE(samples.at("rows").size() == 192);
  CHECK(samples["rows"][1].dump() == "[1,32,1,406]");
}

TEST_CASE("numbers that are not known are null, in curves and findings") {
  ExperimentResult result = made::kepler();
  result.findings[1].high = INFINITY;
  const Json experiment = parsed(result)["experiments"][0];
  CHECK(experiment["curves"]["rows"][0].dump() == "[1,32,406,null]");
  CHECK(experiment["findings"][1]["high"].is_null());
}

TEST_CASE("an interrupted run is a whole document that says so") {
  ExperimentResult result = made::kepler();
  result.interrupted = true;
  result.findings.clear();
  const Json json = parsed(result);
  CHECK(json.at("interrupted") == true);
  CHECK(json["experiments"][0].at("interrupted") == true);
  CHECK(json["experiments"][0].at("findings") == Json::array());
}

TEST_CASE("bytes that are not UTF-8 and quotes in a title leave a valid document") {
  ExperimentResult result = made::kepler();
  result.experiment.title = "a \"b\" \xff\n";
  CHECK(parsed(result)["experiments"][0]["title"] == "a \"b\" \xef\xbf\xbd\n");
}

TEST_CASE("words in samples stay words") {
  ExperimentResult result = made::kepler();
  Column& column = result.samples.columns[0];
  column.is_text = true;
  column.numbers.clear();
  column.texts.assign(192, "flushed");
  CHECK(parsed(result)["experiments"][0]["samples"]["rows"][0][0] == "flushed");
}

TEST_CASE("a row of samples is a line of the file") {
  ExperimentResult result = made::kepler();
  for (Samples* samples : {&result.samples, &result.curves})
    for (Column& column : samples->columns) column.numbers.resize(2);
  check_golden("kepler.json", report::to_json(made::run_of(result)));
}

TEST_CASE("the list of experiments names file, name, title, device and cited ids") {
  const std::vector<report::ListEntry> entries{
      {"experiments/a.gpx", "a", "A title", "k20", {"LA8", "LA9"}}, {"b.gpx", "b", "", "", {}}};
  const Json json = Json::parse(report::to_json(entries));
  CHECK(json == Json::array({{{"file", "experiments/a.gpx"},
                              {"name", "a"},
                              {"title", "A title"},
                              {"device", "k20"},
                              {"cites", {"LA8", "LA9"}},
                              {"works", Json::array()},
                              {"topics", Json::array()}},
                             {{"file", "b.gpx"},
                              {"name", "b"},
                              {"title", ""},
                              {"device", nullptr},
                              {"cites", Json::array()},
                              {"works", Json::array()},
                              {"topics", Json::array()}}}));
  CHECK(report::to_json(std::vector<report::ListEntry>{}) == "[]\n");
}

TEST_CASE("a device that failed in the middle leaves its points and its message") {
  ExperimentResult result = made::kepler();
  CHECK(parsed(result)["experiments"][0].at("failure").is_null());
  result.failure = make_error(Fault::device, "the launch failed");
  const Json experiment = parsed(result)["experiments"][0];
  CHECK(experiment.at("failure") ==
        Json({{"fault", "device"}, {"messages", Json::array({"the launch failed"})}}));
  CHECK(experiment.at("samples").at("rows").size() == 192);
}
