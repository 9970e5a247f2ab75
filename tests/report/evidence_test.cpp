// The probes that findings rest on, in words and as figures.
#include "runtime/report/evidence.h"

#include <doctest/doctest.h>

#include "runtime/report/report.h"

using namespace gpx;
using namespace gpx::report;

TEST_CASE("probes are named by their numbers and by what they show") {
  ProbeEvidence one{"what they show", 12, 17, {}, {}, {}};
  CHECK(probes_text(one) == "12 to 17: what they show");
  one.last = 12;
  CHECK(probes_text(one) == "12: what they show");
  CHECK_FALSE(figure_of(one));
}

TEST_CASE("an axis of x is logarithmic from 64 times on, and has bytes where the points do") {
  struct Row {
    const char* x;
    std::vector<std::pair<double, double>> points;
    bool log;
    const char* unit;
  };
  const Row rows[] = {{"line left out", {{0, 1}, {64, 0}}, false, ""},
                      {"bytes", {{1024, 30}, {65536, 200}}, true, "B"},
                      {"granules", {{1, 30}, {63, 200}}, false, ""}};
  for (const Row& row : rows) {
    const auto figure = figure_of({"", 1, 2, row.x, "clocks", row.points});
    REQUIRE(figure);
    CHECK(figure->log_x == row.log);
    CHECK(figure->x_unit == row.unit);
    CHECK(figure->panels.at(0).name == "clocks");
    CHECK(figure->panels.at(0).curves.at(0).y.back() == row.points.back().second);
  }
}

TEST_CASE("what several findings rest on is shared") {
  Finding a, b, c;
  a.name = "a", b.name = "b", c.name = "c";
  const ProbeEvidence shared{"s", 1, 2, "x", "y", {{1, 2}}}, other{"o", 1, 2, "x", "y", {{1, 3}}};
  a.probes = {shared, {"without points", 1, 1, {}, {}, {}}};
  b.probes = {shared};
  c.probes = {other};
  const std::vector<Finding> findings = {a, b, c};
  const auto all = drawn_evidence(findings);
  REQUIRE(all.size() == 2);
  CHECK(all[0].findings == std::vector<std::string>{"a", "b"});
  CHECK(all[1].findings == std::vector<std::string>{"c"});
}

TEST_CASE("probes of findings are read back from a document") {
  ExperimentResult result;
  result.experiment.name = "e";
  result.findings.resize(2);
  Finding& finding = result.findings[0];
  finding.name = "l2.ways";
  result.findings[1].name = "l2.line";
  finding.probes = {{"what they show", 3, 19, "line left out", "share", {{0, 1}, {1, 0.25}}},
                    {"step 2", 20, 20, {}, {}, {}}};
  const std::string json = to_json(result);
  const auto read = experiment_from_json(json, "a document");
  REQUIRE(read);
  CHECK(read->findings.at(0).probes == finding.probes);
  CHECK(read->findings.at(1).probes.empty());
  CHECK(to_json(*read) == json);
}
