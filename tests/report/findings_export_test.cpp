// Findings as CSV, Markdown and LaTeX.
#include "runtime/report/findings_export.h"

#include <doctest/doctest.h>

#include "golden.h"
#include "made_results.h"

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
  CHECK(findings_as(TableFormat::markdown, run).find("a\\|b & c") != std::string::npos);
  CHECK(findings_as(TableFormat::latex, run).find("a\\textbar{}b \\& c") != std::string::npos);
}

TEST_CASE("formats have the names of their files' endings") {
  CHECK(table_format("csv") == TableFormat::csv);
  CHECK(table_format("md") == TableFormat::markdown);
  CHECK(table_format("tex") == TableFormat::latex);
  CHECK_FALSE(table_format("html"));
}
