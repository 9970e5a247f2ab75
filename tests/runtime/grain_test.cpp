// Line and sector from pairs of words, of levels whose sets no function of the address explains.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "chase_model.h"
#include "inference_model.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

struct Case {
  std::uint64_t line, sector;
  std::uint32_t ways;
  std::size_t sets;
  ModelPolicy policy;
  bool told = true;  ///< Whether the line can be told.
};

ModelMemory memory_of(const Case& each, std::size_t seed) {
  ModelCache cache;
  cache.line = each.line;
  cache.sector = each.sector;
  cache.ways.assign(each.sets, each.ways);
  cache.policy = each.policy;
  cache.set_of = [sets = each.sets](std::uint64_t number) {
    number = (number ^ number >> 31) * 0x9e3779b97f4a7c15ull;
    return (number >> 32 ^ number >> 11) % sets;
  };
  ModelMemory memory;
  memory.levels = {cache};
  memory.latency = {30, 300};
  memory.jitter = static_cast<int>(4 * seed);
  memory.outliers = seed % 2 == 0 ? 0.0005 : 0;
  memory.cold = seed % 3 == 0;
  return memory;
}

std::vector<Finding> ask(Prober& prober) {
  Experiment experiment;
  Analyze statement;
  statement.method = "grain_test.lua";
  statement.is_file = true;
  experiment.analyses = {statement};
  const AnalysisPaths paths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/tests/runtime"};
  auto result = analyze(experiment, Samples{}, plain_device(), paths, nullptr, &prober);
  if (!result) FAIL(render(result.error()));
  return result->findings;
}

void check(const Finding& finding, std::uint64_t planted, bool told) {
  INFO(finding.name, ": ", finding.note);
  CHECK((finding.verdict == Verdict::measured) == told);
  if (finding.verdict != Verdict::measured) return;
  const auto* number = std::get_if<double>(&finding.value);
  REQUIRE(number);
  CHECK(*number == static_cast<double>(planted));
}

}  // namespace

TEST_CASE("pairs of words tell line and sector where no function explains the sets") {
  const std::vector<Case> cases = {
      {128, 32, 4, 256, ModelPolicy::lru},
      {64, 0, 8, 128, ModelPolicy::random},
      {256, 64, 16, 64, ModelPolicy::fifo},
      {128, 64, 16, 512, ModelPolicy::plru},
      {32, 0, 6, 300, ModelPolicy::lru},
      {512, 32, 12, 31, ModelPolicy::lru},
      // A set of one or two ways overflows now and then, however few places are visited.
      {64, 32, 1, 512, ModelPolicy::lru, false},
      {128, 32, 2, 256, ModelPolicy::lru, false},
      // Longer than what is asked.
      {1024, 0, 8, 64, ModelPolicy::lru, false},
  };
  for (std::size_t k = 0; k < cases.size(); ++k) {
    CAPTURE(k);
    ModelProber prober(memory_of(cases[k], k), k);
    const auto findings = ask(prober);
    REQUIRE(findings.size() == 2);
    check(findings[0], cases[k].line, cases[k].told);
    check(findings[1], cases[k].sector ? cases[k].sector : cases[k].line, true);
  }
}
