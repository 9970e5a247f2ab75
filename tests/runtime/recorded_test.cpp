// Analyses that run again from what was recorded of them, without a device.
#include "runtime/recorded.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "lang/lists.h"
#include "runtime/analysis/analysis_wire.h"
#include "runtime/judge.h"
#include "runtime/pipeline.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

const std::string kCache = R"(experiment l1 "the cache of a small device" {
  device fig4
  sweep n in [1, 2]
  measure chain { threads 32 < load unique(128B) x n > }
  analyze cache(arithmetic = 0, level = "l1")
}
)";

struct Ran {
  RunResult result;
  std::string probes;
};

Ran ran(const std::string& text, const std::string& from = {}) {
  Session session(kPaths);
  RunOptions options;
  options.device = "fig4";
  options.from = from;
  options.dump = {"probes"};
  Ran out;
  options.on_dump = [&](const std::string&, const std::string& shown) { out.probes += shown; };
  auto result = session.run(Source("test.gpx", text), options);
  if (!result) FAIL(render(result.error()));
  out.result = std::move(*result);
  return out;
}

/// All that is known of findings, as bytes.
wire::Bytes bytes_of(const ExperimentResult& result) {
  return to_bytes(Result<AnalysisResult>(AnalysisResult{result.findings, {}}));
}

std::string error_of(const std::string& text) {
  Session session(kPaths);
  RunOptions options;
  options.from = "probes";
  const auto result = session.run(Source("test.gpx", text), options);
  if (!result) return render(result.error());
  const auto& failure = result->experiments.front().failure;
  return failure ? render(*failure) : std::string();
}

}  // namespace

TEST_CASE(
    "an analysis replayed from its log finds the same, byte for byte, and is recorded alike") {
  const Ran first = ran(kCache);
  const ExperimentResult& measured = first.result.experiments.at(0);
  REQUIRE(measured.whole());
  REQUIRE(measured.findings.size() > 5);
  CHECK(measured.probes.records.size() > 100);

  const Ran again = ran(first.probes, "probes");
  const ExperimentResult& replayed = again.result.experiments.at(0);
  REQUIRE(replayed.whole());
  CHECK(bytes_of(replayed) == bytes_of(measured));
  CHECK(replayed.device == measured.device);
  CHECK(replayed.warnings.empty());
  CHECK(again.probes == first.probes);
}

TEST_CASE("a finding that is not as it was recorded is a warning, both ways") {
  Ran first = ran(kCache);
  const std::size_t at = first.probes.find("finding l1.ways = 3");
  REQUIRE(at != std::string::npos);
  first.probes.replace(at, 19, "finding l1.ways = 4");
  const auto warnings = ran(first.probes, "probes").result.experiments.at(0).warnings;
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].starts_with("recorded: l1.ways = 4"));
  CHECK(warnings[1].starts_with("now: l1.ways = 3"));
}

TEST_CASE("a request that a log lacks ends the replay with an error that names it") {
  Ran first = ran(kCache);
  const std::size_t at = first.probes.find("ask 20 ");
  REQUIRE(at != std::string::npos);
  const std::size_t end = first.probes.find('\n', at);
  const std::string question = first.probes.substr(at + 7, end - at - 7);
  first.probes.replace(at, end - at, "ask 20 something else");
  const std::string error = error_of(first.probes);
  CHECK_MESSAGE(contains(error, "the log of probes lacks a request: " + question), error);
}

TEST_CASE("texts and missing numbers of samples are recorded") {
  Recorded recorded;
  recorded.name = "e";
  recorded.samples.columns = {
      {"a", Unit::byte, Column::Role::axis, false, {1, 1, std::nan("")}, {}},
      {"how", Unit::none, Column::Role::observed, true, {}, {"not: 3*2 so", "", ""}}};
  recorded.device.name = "A device";
  recorded.device.bank_widths = {4, 8};
  recorded.device.clock_hz = 1.1e9;
  const auto read = recordings_in(to_string(recorded));
  REQUIRE(read);
  CHECK(read->at(0).device == recorded.device);
  CHECK(read->at(0).samples.columns[1].texts == recorded.samples.columns[1].texts);
  CHECK(read->at(0).samples.columns[0].unit == Unit::byte);
  CHECK(to_string(read->at(0)) == to_string(recorded));
}

TEST_CASE("recordings that do not belong to the experiments are refused") {
  const std::string text = ran(kCache).probes;
  const std::size_t at = text.find("probes l1");
  REQUIRE(at != std::string::npos);
  CHECK(contains(error_of(text.substr(0, at)), "0 recordings for 1 experiments"));
  std::string other = text;
  other.replace(at, 9, "probes l2");
  CHECK(contains(error_of(other), "the probes of l2 follow, those of l1 should"));
  other = text;
  other.insert(other.find("seed "), "nonsense\n");
  CHECK(contains(error_of(other), "cannot be read"));
}
