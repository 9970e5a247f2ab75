#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "lang/lists.h"
#include "made_results.h"
#include "runtime/report/report.h"
#include "tests/runtime/device_facts.h"

using namespace gpx;
using Json = nlohmann::ordered_json;

namespace {

RunResult made_run() {
  RunResult run = made::run_of(made::kepler());
  run.sources = {Source("a.gpx", "# a \"text\"\n")};
  run.settings = {{"n", "3"}};
  ExperimentResult& result = run.experiments.front();
  result.device = test::all_facts();
  result.state_before.temperature_c = 41;
  result.failure = make_error(Fault::device, "it broke", "");
  result.warnings = {"a warning"};
  result.points = 96;
  result.points_total = 96;
  return run;
}

std::string error_of(const std::string& text) {
  const auto read = report::from_json(text, "x.json");
  if (read) return "";
  CHECK(read.error().fault == Fault::input);
  return render(read.error());
}

/// Every value of a document, replaced by each of these in turn.
void mutate(Json& whole, Json& part, int& tried) {
  const Json kept = part;
  for (const Json& other : {Json(), Json(true), Json(-1), Json(1e300), Json("text"), Json::array(),
                            Json::object(), Json::array({1})}) {
    part = other;
    (void)report::from_json(whole.dump(), "x.json");  // An error or a document, but no crash.
    ++tried;
  }
  part = kept;
  if (!part.is_structured()) return;
  std::size_t seen = 0;
  for (Json& item : part)
    if (part.is_object() || ++seen <= 4) mutate(whole, item, tried);  // Of a list, the first ones.
}

}  // namespace

TEST_CASE("a document that is read back is written as it was") {
  const RunResult run = made_run();
  const report::RunOrigin origin{"abc",  "failed", "2026-01-31T12:00:00Z", "", "host", "gpx run",
                                 "/tmp", "auto",   18446744073709551615ull};
  for (const report::RunOrigin* with : {&origin, static_cast<const report::RunOrigin*>(nullptr)}) {
    const std::string text = report::to_json(run, with);
    const auto read = report::from_json(text, "x.json");
    REQUIRE_MESSAGE(read.has_value(), error_of(text));
    CHECK(read->origin.has_value() == (with != nullptr));
    CHECK(read->result.experiments.front().device == test::all_facts());
    CHECK(read->result.experiments.front().state_before == run.experiments.front().state_before);
    CHECK(report::to_json(read->result, read->origin ? &*read->origin : nullptr) == text);
  }
  const std::string part = report::to_json(run.experiments.front());
  CHECK(report::to_json(*report::experiment_from_json(part, "x")) == part);
}

TEST_CASE("a document of an earlier version says by its kind whether it was measured") {
  Json json = Json::parse(report::to_json(made_run()));
  for (const std::string kind : {"cuda", "virtual"}) {
    json["experiments"][0]["device"] = {
        {"name", "x"}, {"kind", kind}, {"compute_capability", "9.0"}};
    const auto read = report::from_json(json.dump(), "x.json");
    REQUIRE_MESSAGE(read.has_value(), error_of(json.dump()));
    const DeviceInfo& device = read->result.experiments.front().device;
    CHECK(device.measured == (kind == "cuda"));
    CHECK(device.kind == kind);
    CHECK(device.sm_major == 9);
    CHECK(device.architecture == "sm_90");
    CHECK(device.warp_size == 32);
  }
}

TEST_CASE("what is wrong in a document is named with its place") {
  CHECK(
      contains(error_of("{\n  \"schema\": 1,\n  oops\n}"), "x.json:3:1: error: this is not JSON"));
  CHECK(contains(error_of(""), "this is not JSON"));
  CHECK(contains(error_of("[]"), "'' is array, not an object"));
  CHECK(contains(error_of("{}"), "there is no field 'schema'"));
  CHECK(contains(error_of("{\"schema\": 2}"), "schema 2"));
  CHECK(contains(error_of(std::string(100000, '[')), "this is not JSON"));
  CHECK(contains(error_of("{\"schema\": 1e999}"), "no document of gpx"));
  Json json = Json::parse(report::to_json(made_run()));
  json["experiments"][0]["findings"][1]["low"] = "deep";
  CHECK(
      contains(error_of(json.dump()), "'experiments[0].findings[1].low' is string, not a number"));
  json = Json::parse(report::to_json(made_run()));
  json["experiments"][0]["samples"]["rows"][3] = {1};
  CHECK(contains(error_of(json.dump()), "samples.rows[3]"));
}

TEST_CASE("no value of any kind anywhere in a document breaks the reader") {
  Json json = Json::parse(report::to_json(made_run()));
  Json& rows = json["experiments"][0]["samples"]["rows"];
  while (rows.size() > 3) rows.erase(rows.size() - 1);
  Json& curves = json["experiments"][0]["curves"]["rows"];
  while (curves.size() > 3) curves.erase(curves.size() - 1);
  int tried = 0;
  mutate(json, json, tried);
  CHECK(tried > 1000);
}
