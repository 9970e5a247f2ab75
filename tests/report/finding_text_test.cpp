#include "runtime/report/finding_text.h"

#include <doctest/doctest.h>

using namespace gpx;
using namespace gpx::report;

TEST_CASE("values read with their unit") {
  Finding finding;
  CHECK(value_text(finding) == "–");
  finding.value = 786432.0;
  finding.unit = "B";
  CHECK(value_text(finding) == "768 KB");
  finding.value = std::string("PRT");
  CHECK(value_text(finding) == "PRT");
  finding.value = false;
  CHECK(value_text(finding) == "no");
  finding.value = std::vector<double>{17, 8};
  finding.unit = "";
  CHECK(value_text(finding) == "17, 8");
}

TEST_CASE("intervals may be open at one end") {
  const struct {
    std::optional<double> low, high;
    const char *text, *beside;  ///< In a column of its own, beside the value.
  } rows[] = {{43, 45, "43..45", "43..45"},       {8, {}, "≥ 8", "≥ 8"},
              {{}, 45, "≤ 45", "≤ 45"},           {44, 44, "44..44", ""},
              {44.00001, 44.00002, "44..44", ""}, {{}, {}, "", ""}};
  for (const auto& row : rows) {
    Finding finding;
    finding.value = 44.0;
    finding.low = row.low;
    finding.high = row.high;
    CHECK(interval_text(finding) == row.text);
    CHECK(spread_text(finding) == row.beside);
  }
}

TEST_CASE("the paper's value stands with its source") {
  Finding finding;
  CHECK(paper_text(finding) == "");
  finding.paper = PaperReading{Quantity{44, Unit::none}, 45.0, "LA9"};
  CHECK(paper_text(finding) == "44..45 (LA9)");
  finding.paper = PaperReading{std::string("not_observed"), {}, "LA6"};
  CHECK(paper_text(finding) == "not_observed (LA6)");
}

TEST_CASE("an inconclusive finding is never shown as its value") {
  Finding finding;
  finding.name = "outstanding.entries";
  finding.value = 44.0;
  CHECK(short_text(finding) == "outstanding.entries inconclusive");
  finding.verdict = Verdict::measured;
  finding.low = 43;
  finding.high = 45;
  CHECK(short_text(finding) == "outstanding.entries 44 (43..45)");
  finding.unit = "entries";
  CHECK(short_text(finding) == "outstanding.entries 44 (43..45)");
  finding.low = 44;
  finding.high.reset();
  CHECK(short_text(finding) == "outstanding.entries ≥ 44");
}

TEST_CASE("the bytes of a finding and of its interval are multiples of one unit") {
  Finding finding;
  finding.unit = "B";
  finding.value = 1540736.0;
  finding.low = 1487.0 * 1024;
  finding.high = 1575552.0;
  CHECK(value_text(finding) == "1505 KB");
  CHECK(interval_text(finding) == "1487 KB..1539 KB");
  finding.value = 4096.0;
  finding.low = finding.high = 4096.0;
  CHECK(value_text(finding) == "4 KB");
  finding.low = 0.0;
  finding.high = 4160.0;
  CHECK(interval_text(finding) == "0 B..4160 B");
  CHECK(value_text(finding) == "4096 B");
}

TEST_CASE("what a model gives is modelled, whatever its verdict in the document") {
  Finding finding;
  DeviceInfo real, model;
  real.measured = true;
  finding.verdict = Verdict::measured;
  CHECK(verdict_text(finding, real) == "measured");
  CHECK(verdict_text(finding, model) == "modelled");
  finding.modelled = true;
  CHECK(verdict_text(finding, real) == "modelled");
  finding.verdict = Verdict::inconclusive;
  CHECK(verdict_text(finding, model) == "inconclusive");
}
