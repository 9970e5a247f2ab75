// Findings as CSV, Markdown and LaTeX.
#include "runtime/report/findings_export.h"

#include <doctest/doctest.h>

#include "golden.h"
#include "made_results.h"
#include "runtime/report/report.h"

using namespace gpx;
using namespace gpx::report;

TEST_CASE("findings are tables of three formats") {
  const RunResult run = made::run_of(made::kepler());
  check_golden("findings.csv", findings_as(TableFormat::csv, run));
  check_golden("findings.md", findings_as(TableFormat::markdown, run));
  check_golden("findings.tex", findings_as(TableFormat::latex, run));
}

TEST_CASE("no text of a finding ends its cell") {
  RunResult run = made::run_of(made::kepler());
  Finding& finding = run.experiments.front().findings.front();
  finding.value = std::string("a|b & c, \"d\"\n");
  CHECK(findings_as(TableFormat::csv, run).find("\"a|b & c, \"\"d\"\"\n\"") != std::string::npos);
  CHECK(findings_as(TableFormat::markdown, run).find("a\\|b \\& c") != std::string::npos);
  CHECK(findings_as(TableFormat::latex, run).find("a\\textbar{}b \\& c") != std::string::npos);
}

TEST_CASE("findings_csv_formula: no cell is a formula, numbers stay numbers") {
  for (const char* text : {"=cmd|' /C calc'!A0", "+1", "-1", "@sum(1)", "\tx", "\rx"}) {
    RunResult run = made::run_of(made::kepler());
    Finding& finding = run.experiments.front().findings.front();
    finding.value = std::string(text);
    finding.note = text;
    finding.unit = text;
    run.experiments.front().experiment.name = text;
    const std::string csv = findings_as(TableFormat::csv, run);
    const std::string guarded = std::string("'") + text;
    CHECK(csv.find("," + std::string(text)) == std::string::npos);
    CHECK(csv.find("\n" + std::string(text)) == std::string::npos);
    CHECK(csv.find("\"" + std::string(text)) == std::string::npos);
    CHECK(csv.find(guarded) != std::string::npos);
    finding.value = -1.5;
    finding.low = -2;
    CHECK(findings_as(TableFormat::csv, run).find(",-1.5,") != std::string::npos);
    CHECK(findings_as(TableFormat::csv, run).find(",-2,") != std::string::npos);
  }
}

TEST_CASE("findings_csv_formula: a text makes no link in Markdown") {
  RunResult run = made::run_of(made::kepler());
  Finding& finding = run.experiments.front().findings.front();
  finding.value = std::string("[x](javascript:alert(1)) <javascript:1> &#106;");
  const std::string text = findings_as(TableFormat::markdown, run);
  CHECK(text.find("\\[x](javascript:") != std::string::npos);
  CHECK(text.find("\\<javascript") != std::string::npos);
  CHECK(text.find("\\&#106;") != std::string::npos);
}

TEST_CASE("two runs are one table, a column for each device") {
  RunResult second = made::run_of(made::kepler());
  second.experiments.front().device.name = "m2070";
  second.experiments.front().findings.front().value = 7.0;
  const std::vector<RunResult> runs = {made::run_of(made::kepler()), second};
  check_golden("two_runs.md", findings_as(TableFormat::markdown, runs));
  check_golden("two_runs.tex", findings_as(TableFormat::latex, runs));
  const std::string csv = findings_as(TableFormat::csv, runs);
  CHECK(csv.find(",m2070,") != std::string::npos);
  CHECK(csv.find(",k20,") != std::string::npos);
}

TEST_CASE("one_document: a run on two devices is the table that two runs are") {
  RunResult second = made::run_of(made::kepler());
  second.experiments.front().device.name = "m2070";
  RunResult both = made::run_of(made::kepler());
  both.experiments.push_back(second.experiments.front());
  for (const TableFormat format : {TableFormat::markdown, TableFormat::latex, TableFormat::csv})
    CHECK(findings_as(format, both) == findings_as(format, {made::run_of(made::kepler()), second}));
  both.experiments.back().experiment.name = "another";  // Each ran on the device that it names.
  CHECK(findings_as(TableFormat::markdown, both).find("| finding | value |") != std::string::npos);
}

TEST_CASE("samples are tables, a row for each point") {
  const RunResult run = made::run_of(made::kepler());
  check_golden("samples.md", samples_as(TableFormat::markdown, run));
  CHECK(samples_as(TableFormat::csv, run) == to_csv(run));
}

TEST_CASE("formats have the names of their files' endings") {
  CHECK(table_format("csv") == TableFormat::csv);
  CHECK(table_format("md") == TableFormat::markdown);
  CHECK(table_format("tex") == TableFormat::latex);
  CHECK_FALSE(table_format("html"));
}
