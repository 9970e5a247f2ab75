// Analyses in a process of their own: probes are answered here, and what does not end is ended.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "lang/language.h"
#include "runtime/analysis/analysis.h"
#include "runtime/analysis/probe/chase.h"
#include "runtime/analysis/prober.h"
#include "tests/folder.h"

using namespace gpx;

namespace {

/// An experiment that is analysed by the script of this text.
struct Scripted {
  explicit Scripted(const std::string& text) {
    folder.write("a.lua", text);
    experiment.analyses.push_back({"a.lua", true, {}, {}});
    samples.columns.push_back({"x", Unit::none, Column::Role::axis, false, {1, 2, 3}, {}});
  }
  Result<AnalysisResult> analyze(Prober* prober = nullptr,
                                 const std::atomic<bool>* stop = nullptr) const {
    printed.clear();
    return gpx::analyze(experiment, samples, {}, {GPX_SOURCE_DIR "/stdlib", folder.path()}, nullptr,
                        prober, stop, [&](const std::string& line) {
                          printed.push_back(line);
                          if (on_print) on_print();
                        });
  }

  test::TemporaryFolder folder;
  Experiment experiment;
  Samples samples;
  mutable std::vector<std::string> printed = {};
  std::function<void()> on_print = {};  ///< Besides.
};

/// Answers each chase with the bytes of its array.
struct Counting final : Prober {
  int asked = 0;
  Result<std::vector<double>> ask(const ProbeRequest& request) override {
    ++asked;
    const auto* chase = dynamic_cast<const ChaseRequest*>(&request);
    if (!chase) return fail(Fault::device, "no chase");
    if (chase->array_bytes > 4096) return fail(Fault::input, "too large for this device");
    return std::vector<double>{static_cast<double>(chase->array_bytes)};
  }
  std::uint64_t most_bytes(Space) const override { return 8192; }
};

}  // namespace

TEST_CASE("findings and printed lines come back") {
  const Scripted one(
      "return function(input) print('seen') "
      "finding { name = 'sum', value = input.samples:column('x')[3], unit = 'B', low = 1 } end");
  const auto result = one.analyze();
  REQUIRE(result.has_value());
  CHECK(one.printed == std::vector<std::string>{"seen"});
  REQUIRE(result->findings.size() == 1);
  CHECK(to_string(result->findings[0]).find("sum = 3 B") == 0);
}

TEST_CASE("what was printed before a script failed, or was killed, is not lost") {
  const Scripted failing("return function() print('a') print('b') error('no') end");
  CHECK_FALSE(failing.analyze().has_value());
  CHECK(failing.printed == std::vector<std::string>{"a", "b"});
  Scripted killed(
      "return function() print('before') "
      "for i = 1, 1e9 do ('a'):rep(1e6):find(('a*'):rep(10) .. 'b') end end");
  std::atomic<bool> stop = false;
  killed.on_print = [&] { stop = true; };
  CHECK_FALSE(killed.analyze(nullptr, &stop).has_value());
  CHECK(killed.printed == std::vector<std::string>{"before"});
}

TEST_CASE("an error has the script's line") {
  const Scripted one("return function()\n  local t = nil\n  return t.x\nend\n");
  const auto result = one.analyze();
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().fault == Fault::input);
  CHECK(result.error().diagnostics.front().location->line == 3);
}

TEST_CASE("probes are answered by the process that has the device") {
  const Scripted one(
      "return function()\n"
      "  local got = probe.chase { bytes = 1024, offsets = {0} }\n"
      "  finding { name = 'bytes', value = got[1] + probe.most_bytes('global') }\n"
      "  probe.chase { bytes = 8192, offsets = {0} }\n"
      "end\n");
  Counting prober;
  const auto result = one.analyze(&prober);
  REQUIRE(result.has_value());
  CHECK(prober.asked == 2);
  REQUIRE(result->findings.size() == 1);
  CHECK(std::get<double>(result->findings[0].value) == 1024 + 8192);
  REQUIRE(result->refusals.size() == 1);
  CHECK(result->refusals[0].find("too large for this device") != std::string::npos);
}

TEST_CASE("one call that goes on and on is stopped at once") {
  const Scripted one(
      "return function() (('a'):rep(8000000)):find(('a'):rep(4000000) .. 'b', 1, true) end");
  std::atomic<bool> stop = false;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto result = one.analyze(nullptr, &stop);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().diagnostics.front().message == "interrupted");
}

TEST_CASE("memory beside Lua's ends the script, not gpx") {
  const Scripted one(
      "return function() for i = 1, 1e5 do\n"
      "finding { name = ('n'):rep(1e6) .. i, value = ('v'):rep(1e6) } end end");
  const auto result = one.analyze();
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().fault == Fault::input);
}
