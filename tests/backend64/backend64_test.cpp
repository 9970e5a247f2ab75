// A backend of another vendor (wave64.h) behind the one interface: from an experiment of the
// library to reports, with nothing outside this folder that knows it but its registration.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lang/lists.h"
#include "runtime/device/select.h"
#include "runtime/pipeline.h"
#include "runtime/report/html.h"
#include "runtime/report/report.h"
#include "tests/backend64/interpreter.h"
#include "tests/backend64/wave64.h"

namespace gpx {
namespace {

const bool kRegistered = (register_backend(wave64::kind()), true);
const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

Source kepler_prt() {
  const std::string name = kPaths.experiments + "/kepler_prt.gpx";
  std::ifstream file(name);
  std::stringstream text;
  text << file.rdbuf();
  return {name, text.str()};
}

RunResult run(const Source& source, const std::string& device, std::vector<Setting> settings = {}) {
  Session session(kPaths);
  RunOptions options;
  options.device = device;
  options.settings = std::move(settings);
  auto result = session.run(source, options);
  if (!result) FAIL(render(result.error()));
  return std::move(*result);
}

std::string refused(const std::string& line) {
  Session session(kPaths);
  RunOptions options;
  options.device = "wave64";
  const auto result = session.run(Source("line", line), options);
  if (!result) return render(result.error());
  return result->experiments.front().failure ? render(*result->experiments.front().failure) : "";
}

const Finding& named(const ExperimentResult& result, const std::string& name) {
  for (const Finding& finding : result.findings)
    if (finding.name == name) return finding;
  FAIL("no finding is called " << name);
  return result.findings.front();
}

TEST_CASE("kepler_prt finds the table of a device with waves of 64 lanes, up to its reports") {
  REQUIRE(kRegistered);
  const RunResult whole = run(kepler_prt(), "wave64");
  const ExperimentResult& result = whole.experiments.front();
  REQUIRE(result.whole());
  CHECK(result.proof == "verified");
  CHECK(result.compiler == "wave64's interpreter");
  CHECK(result.state_before.temperature_c == 21u);
  CHECK(std::get<std::string>(named(result, "outstanding.kind").value) == "PRT");
  CHECK(std::get<double>(named(result, "outstanding.entries").value) == wave64::kEntries);
  CHECK(std::get<double>(named(result, "outstanding.max_requests").value) ==
        (wave64::kEntries + 2) * wave64::kLanes);
  // 22 wave loads are 11 waves with 2 loads each, and 7 with 3.
  CHECK(std::get<double>(named(result, "outstanding.saturation[n=2]").value) == 11 * 64);
  CHECK(std::get<double>(named(result, "outstanding.saturation[merge=2,n=3]").value) == 7 * 64);
  for (const ExpectationResult& each : result.expectations) CHECK_FALSE(each.applies);

  const std::string terminal = report::to_terminal(whole, {});
  CHECK(contains(terminal, "virtual GPU wave64: a model, not a measurement"));
  CHECK(contains(terminal, "w64, 4 SMs, 1 GHz"));
  CHECK(contains(terminal, "kepler_prt on wave64 (virtual)"));

  const std::string text = report::to_json(whole);
  const auto json = nlohmann::json::parse(text)["experiments"][0];
  CHECK(json["device"]["kind"] == "wave64");
  CHECK(json["device"]["warp_size"] == 64);
  CHECK(json["device"]["measured"] == false);
  CHECK(json["kernels"][0]["form"] == "IR");
  CHECK(contains(json["kernels"][0]["listing"].get<std::string>(), "ld.global.b32"));
  const auto read = report::from_json(text, "run.json");
  REQUIRE(read.has_value());
  CHECK(read->result.experiments.front().device == result.device);

  const std::string page = report::to_html({report::Run{"run", *read}});
  CHECK(contains(page, "wave64"));
  CHECK(contains(page, "ld.global.b32"));
  CHECK_FALSE(contains(page, "CUDA on"));
}

TEST_CASE("it reads the values that a GPU with warps of 32 reads") {
  const std::vector<Setting> few = {{"threads", "96..1024 step 464"}};
  const RunResult waves = run(kepler_prt(), "wave64", few), warps = run(kepler_prt(), "k20", few);
  CHECK(waves.experiments.front().values_digest == warps.experiments.front().values_digest);
  CHECK(waves.experiments.front().values_digest.size() == 16);
}

TEST_CASE("what it cannot execute is refused by its own proof, with the reason") {
  CHECK(contains(refused("threads 64 < load unique(4B); sync >"), "it cannot execute sync"));
  CHECK(contains(refused("threads 64 observe time < load unique(4B) >"),
                 "what observes more than a latency"));
  const std::string own = refused(
      "experiment a { kernel k from \"" GPX_SOURCE_DIR
      "/stdlib/kernels/stream.cu\" entry copy(out = buffer(1KB, zero), in = buffer(1KB, zero), "
      "count = 16) threads 64 < run k > }");
  CHECK(contains(own, "cannot be compiled for this device"));
}

TEST_CASE("its name is one of those that --device takes") {
  const auto names = device_names(kPaths);
  CHECK(std::vector(names.begin(), names.begin() + 3) ==
        std::vector<std::string>{"auto", "cuda", "wave64"});
  CHECK(resolve_device("wave64", {}, kPaths) == "wave64");
  const auto wrong = resolve_device("wave46", {}, kPaths);
  REQUIRE(!wrong.has_value());
  CHECK(contains(wrong.error().diagnostics[0].message, "cuda:N, wave64, 8800gt"));
  CHECK(wrong.error().diagnostics[0].hint == "did you mean 'wave64'?");
}

}  // namespace
}  // namespace gpx
