#include <doctest/doctest.h>

#include "golden.h"
#include "lang/lists.h"
#include "made_results.h"
#include "runtime/report/report.h"

using namespace gpx;
using namespace gpx::report;

namespace {

const TerminalOptions kPlain{{false, true, 100}, true};

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t before = text.find_last_of('\n', end);
  return text.substr(before + 1, end - before);
}

}  // namespace

TEST_CASE("verbose lists every expectation, and where the numbers are from") {
  ExperimentResult result = made::kepler();
  for (int i = 0; i < 30; ++i)
    result.expectations.push_back({"expectation " + std::to_string(i), true, true, ""});
  result.values_digest = "feedbeef";
  const Style style{false, true, 100};
  const std::string brief = to_terminal(made::run_of(result), {style, false, false});
  CHECK(brief.find("expectation 29") == std::string::npos);
  CHECK(brief.find("feedbeef") == std::string::npos);
  const std::string all = to_terminal(made::run_of(result), {style, false, true});
  CHECK(all.find("pass  expectation 29") != std::string::npos);
  CHECK(all.find("feedbeef") != std::string::npos);
  CHECK(all.find("0123456789abcdef0123456789abcdef") != std::string::npos);
}

TEST_CASE("the whole report of a run reads as its golden") {
  check_golden("kepler.txt", to_terminal(made::run_of(made::kepler()), kPlain));
}

TEST_CASE("the points of a run are those of all its measures, as in the store") {
  ExperimentResult result = made::kepler();
  result.experiment.measures.resize(2);
  const std::string text = heading(result, kPlain.style);
  CAPTURE(text);
  CHECK(contains(text, "192 points (96 of the sweep × 2 measures) × 2 repetitions"));
}

TEST_CASE("without UTF-8 the report is pure ASCII") {
  const std::string text = to_terminal(made::run_of(made::kepler()), {{false, false, 80}, true});
  check_golden("kepler_ascii.txt", text);
  for (const char c : text) REQUIRE(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("colour adds escapes and nothing else") {
  const RunResult run = made::run_of(made::kepler());
  std::string coloured = to_terminal(run, {{true, true, 100}, true});
  REQUIRE(contains(coloured, "\x1b["));
  for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;)
    coloured.erase(at, coloured.find('m', at) - at + 1);
  CHECK(coloured == to_terminal(run, kPlain));
}

TEST_CASE("the last line is the verdict, with what the experiment expects to know") {
  CHECK(last_line(to_terminal(made::run_of(made::kepler()), kPlain)) ==
        "kepler_prt on k20 (virtual): outstanding.entries 44 (43..45), outstanding.kind PRT");
}

TEST_CASE("the last line says how many findings it leaves out") {
  ExperimentResult result = made::kepler();
  result.expectations.clear();
  result.experiment.expects.clear();
  Finding finding;
  finding.verdict = Verdict::measured;
  result.findings.clear();
  for (int i = 1; i <= 5; ++i) {
    finding.name = "a[n=" + std::to_string(i) + "]";
    finding.value = static_cast<double>(i);
    result.findings.push_back(finding);
  }
  CHECK(verdict_line(result, kPlain.style).ends_with("a[n=5] 5\n"));
  finding.name = "a[n=6]";
  result.findings.push_back(finding);
  CHECK(verdict_line(result, kPlain.style).ends_with("a[n=5] 5 and 1 more\n"));
}

TEST_CASE("a virtual device is called a model, a real one is not") {
  ExperimentResult result = made::kepler();
  CHECK(contains(heading(result, kPlain.style), "virtual GPU k20: a model, not a measurement"));
  result.device.measured = true;
  result.device.name = "NVIDIA H100 80GB HBM3";
  CHECK_FALSE(contains(heading(result, kPlain.style), "model"));
  CHECK(contains(verdict_line(result, kPlain.style), "on NVIDIA H100 80GB HBM3 (measured):"));
}

TEST_CASE("a failed expectation is in the last line; on another device it is a comparison") {
  ExperimentResult result = made::kepler();
  result.expectations[0] = {"outstanding.kind == \"PRT\"", true, false, "it is \"MSHR\""};
  CHECK_FALSE(expectations_hold(made::run_of(result)));
  CHECK(contains(verdict_line(result, kPlain.style), "1 of 2 expectations FAIL;"));
  CHECK(contains(findings(result, kPlain.style), "FAIL  outstanding.kind"));
  CHECK(contains(findings(result, kPlain.style), "it is \"MSHR\""));
  for (ExpectationResult& expectation : result.expectations) expectation.applies = false;
  CHECK(expectations_hold(made::run_of(result)));
  CHECK_FALSE(contains(verdict_line(result, kPlain.style), "FAIL"));
  CHECK(contains(findings(result, kPlain.style), "written for k20: a comparison here"));
  CHECK(contains(findings(result, kPlain.style), "differs  outstanding.kind"));
}

TEST_CASE("what was not measured is said, not hidden") {
  ExperimentResult result = made::kepler();
  result.findings[0].verdict = Verdict::not_observed;
  result.findings[0].value = {};
  CHECK(contains(verdict_line(result, kPlain.style), "outstanding.kind not observed"));
}

TEST_CASE("a run without findings shows the range of what was observed") {
  ExperimentResult result = made::kepler();
  result.findings.clear();
  result.expectations.clear();
  CHECK(contains(findings(result, kPlain.style), "n=2"));
  CHECK(contains(findings(result, kPlain.style), "412 clocks at threads=32"));
  CHECK(verdict_line(result, kPlain.style) ==
        "kepler_prt on k20 (virtual): latency 406 clocks to 1326 clocks over 96 points\n");
}

TEST_CASE("an interrupted run says how far it came") {
  ExperimentResult result = made::kepler();
  result.interrupted = true;
  result.findings.clear();
  for (Column& column : result.curves.columns) column.numbers.resize(40);
  CHECK(contains(findings(result, kPlain.style), "interrupted: 40 of 96 points"));
  CHECK(contains(verdict_line(result, kPlain.style), "interrupted; latency"));
}

TEST_CASE("an escape sequence in a title does not reach the terminal") {
  ExperimentResult result = made::kepler();
  result.experiment.title = "a\x1b[31mb\xc2\x9b c";
  CHECK(contains(heading(result, kPlain.style), "a?[31mb? c"));
}

TEST_CASE("several experiments close with one verdict each") {
  RunResult run = made::run_of(made::kepler());
  run.experiments.push_back(made::kepler());
  run.experiments[1].experiment.name = "second";
  const std::string text = to_terminal(run, {kPlain.style, false});
  CHECK(contains(text, "\n\nkepler_prt on k20 (virtual): "));
  CHECK(contains(text, "\nsecond on k20 (virtual): "));
}

TEST_CASE("on a narrow terminal the paper's value moves beneath its finding") {
  const std::string text = findings(made::kepler(), {false, true, 70});
  CHECK(contains(text, "44 entries (43..45)"));
  CHECK(contains(text, "paper: 44..45 (LA9) · confidence 0.98"));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    CHECK(display_width(text.substr(at, end - at)) <= 70);
    at = end + 1;
  }
}

TEST_CASE("a run that failed keeps its points and says why") {
  ExperimentResult result = made::kepler();
  result.findings.clear();
  result.failure = make_error(Fault::device, "the launch failed");
  CHECK(contains(findings(result, kPlain.style), "failed: the launch failed"));
  CHECK(contains(verdict_line(result, kPlain.style), "failed; latency 406"));
  ExperimentResult never;
  never.experiment.name = "second";
  never.failure = make_error(Fault::device, "no such device");
  CHECK(heading(never, kPlain.style) == "second\n\n");
  CHECK(contains(verdict_line(never, kPlain.style), "second: failed; no samples"));
}

TEST_CASE("derived columns stand beneath findings, observed ones alone do not") {
  ExperimentResult result = made::kepler();
  Finding finding;
  finding.name = "outstanding.kind";
  finding.value = std::string("PRT");
  finding.verdict = Verdict::measured;
  result.findings = {finding};
  const Style style{false, true, 100};
  CHECK(findings(result, style, false).find("\nderived\n") == std::string::npos);
  result.findings.front().name = "outcome";  // How launches ended sums up nothing.
  CHECK(findings(result, style, false).find("\nobserved\n") != std::string::npos);
  result.findings.front().name = "outstanding.kind";
  result.experiment.derived = {{"latency", Unit::clock, "2 * clocks"}};
  const std::string text = findings(result, style, false);
  CHECK(text.find("\nfindings\n") < text.find("\nderived\n"));
  CHECK(text.find("1326 clocks at threads=1024") != std::string::npos);
}

TEST_CASE("of very many expectations only those that fail are listed, the others counted") {
  ExperimentResult result = made::kepler();
  result.expectations.assign(30, {"a == 1", true, true, ""});
  result.expectations[7] = {"b == 1", true, false, "b is 2"};
  const std::string text = findings(result, kPlain.style);
  CHECK_FALSE(contains(text, "a == 1"));
  CHECK(contains(text, "FAIL  b == 1"));
  CHECK(contains(text, "pass  29 of 30"));
}
