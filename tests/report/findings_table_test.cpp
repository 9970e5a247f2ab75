#include "runtime/report/findings_table.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "golden.h"
#include "lang/lists.h"
#include "made_results.h"
#include "runtime/report/report.h"

using namespace gpx;
using namespace gpx::report;

namespace {

const DeviceInfo kReal = [] {
  DeviceInfo device;
  device.measured = true;
  return device;
}();
const Style kPlain{false, true, 100};

Finding number(const std::string& name, double value, const std::string& unit) {
  Finding finding;
  finding.name = name;
  finding.value = value;
  finding.unit = unit;
  finding.verdict = Verdict::measured;
  finding.note = "how it was read";
  return finding;
}

/// 40 operations with two findings each, of which one could not be read.
std::vector<Finding> operations() {
  std::vector<Finding> findings = {number("clock.overhead", 28, "clocks")};
  for (int i = 0; i < 40; ++i) {
    Finding latency = number(fmt::format("op.add{}.u32.latency", i), 20 + i, "clocks");
    latency.low = 19.5 + i;
    latency.high = 20.5 + i;
    latency.paper = PaperReading{Quantity{24, Unit::none}, {}, "WO3"};
    findings.push_back(latency);
    findings.push_back(number(fmt::format("op.add{}.u32.throughput", i), 8, "ops/clock"));
  }
  findings[3].verdict = Verdict::inconclusive;
  findings[3].value = {};
  findings[3].note = "no straight line";
  return findings;
}

Finding outcome(double registers, double threads, const char* word) {
  const std::vector<std::pair<std::string, Value>> keys = {
      {"registers", Quantity{registers, Unit::none}}, {"threads", Quantity{threads, Unit::none}}};
  Finding finding;
  finding.name = canonical_finding("outcome", keys);
  finding.evidence = {keys};
  finding.verdict = *word ? Verdict::measured : Verdict::inconclusive;
  if (*word) finding.value = std::string(word);
  return finding;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("what is found of many things is a line for each, with a column for each property") {
  const std::string text = findings_table(operations(), kReal, kPlain);
  check_golden("operations.txt", text);
  CHECK(lines_of(text) == 3 + 1 + 1 + 40 + 1);
  CHECK(contains(text, "latency: no straight line"));
}

TEST_CASE("few things keep their lines and notes") {
  std::vector<Finding> findings = operations();
  findings.resize(7);
  const std::string text = findings_table(findings, kReal, kPlain);
  CHECK(contains(text, "op.add0.u32.latency"));
  CHECK(contains(text, "how it was read"));
}

TEST_CASE("outcomes of a sweep are ranges along its innermost number") {
  std::vector<Finding> findings;
  for (const double registers : {16, 88}) {
    for (double threads = 64; threads <= 512; threads += 64) {
      const bool fits = registers * threads <= 88 * 128;
      const bool differs = registers == 88 && threads == 192;
      findings.push_back(outcome(registers, threads,
                                 differs ? ""
                                 : fits  ? "completed"
                                         : "launch_failure"));
    }
  }
  check_golden("outcomes.txt", findings_table(findings, kReal, kPlain));
}

TEST_CASE("outcomes without a number to run over are a line each, and very many are counted") {
  std::vector<Finding> words;
  for (const char* name : {"listing4", "listing5"}) {
    Finding finding = outcome(0, 0, "deadlock");
    finding.evidence = {{{"measure", std::string(name)}}};
    words.push_back(finding);
  }
  const std::string text = findings_table(words, kReal, kPlain);
  CHECK(contains(text, "measure=listing4"));
  CHECK(contains(text, "measure=listing5"));
  std::vector<Finding> many;
  for (int i = 0; i < 100; ++i) many.push_back(outcome(1, i, i % 2 ? "completed" : "deadlock"));
  CHECK(contains(findings_table(many, kReal, kPlain), "and 60 more"));
}

TEST_CASE("many findings that differ in their keys alone are cut, unless all are wanted") {
  std::vector<Finding> many;
  for (int i = 1; i <= 72; ++i)
    many.push_back(number(fmt::format("shared.conflict[stride={}]", i), 23, "clocks"));
  many.push_back(number("shared.banks", 32, "banks"));
  const std::string text = findings_table(many, kReal, kPlain);
  CHECK(contains(text, "shared.conflict[stride=8]"));
  CHECK_FALSE(contains(text, "shared.conflict[stride=9]"));
  CHECK(contains(text, "and 64 more shared.conflict[…] (--verbose shows them, --json has them)"));
  CHECK(contains(text, "shared.banks"));
  CHECK(contains(findings_table(many, kReal, kPlain, true), "shared.conflict[stride=72]"));
}

TEST_CASE("a failure's listing does not stand among the results") {
  ExperimentResult result = made::kepler();
  result.failure = make_error(Fault::device, "refused: a branch\nBRA 0x10\nBRA 0x20");
  const std::string text = report::findings(result, kPlain);
  CHECK(contains(text, "failed: refused: a branch\n"));
  CHECK_FALSE(contains(text, "BRA"));
}
