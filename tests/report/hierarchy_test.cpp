#include "runtime/report/hierarchy.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "golden.h"
#include "made_results.h"

using namespace gpx;
using namespace gpx::report;

namespace {

Finding measured(const std::string& name, double value, const std::string& unit,
                 std::optional<double> low = {}, std::optional<double> high = {}) {
  Finding finding;
  finding.name = name;
  finding.value = value;
  finding.unit = unit;
  finding.low = low;
  finding.high = high;
  finding.verdict = Verdict::measured;
  return finding;
}

Finding said(const std::string& name, Verdict verdict) {
  Finding finding;
  finding.name = name;
  finding.verdict = verdict;
  return finding;
}

RunResult characterization(std::vector<Finding> findings) {
  RunResult run;
  ExperimentResult& group = run.experiments.emplace_back();
  group.experiment.name = "global";
  group.device = made::k20();
  group.findings = std::move(findings);
  group.group = GroupNote{"memory", 1, ""};
  return run;
}

/// An L2 of two parts and a TLB that translates more than both hold.
std::vector<Finding> two_parts() {
  return {measured("l1.latency", 34, "clocks", 30, 37),
          measured("l1.capacity", 262144, "B"),
          measured("l2.latency", 268, "clocks", 246, 322),
          measured("l2.capacity", 30679040, "B", 30244864, 31123456),
          measured("global.cg.level1.latency", 284, "clocks"),
          measured("global.cg.level1.reach", 28e6, "B"),
          measured("global.cg.level2.latency", 514, "clocks"),
          measured("global.cg.level2.reach", 52e6, "B"),
          measured("tlb.l1.latency", 286, "clocks"),
          measured("tlb.l1.capacity", 268435456, "B"),
          measured("global.latency", 664, "clocks", 460, 973)};
}

const MemoryPath& path(const Hierarchy& hierarchy, const std::string& name) {
  const auto found = std::ranges::find(hierarchy.paths, name, &MemoryPath::name);
  REQUIRE(found != hierarchy.paths.end());
  return *found;
}

std::vector<std::string> names(const MemoryPath& path) {
  std::vector<std::string> all;
  for (const MemoryLevel& level : path.levels) all.push_back(level.name);
  return all;
}

const Diagram::Box& bar_at(const Diagram& diagram, std::size_t index) {
  std::vector<const Diagram::Box*> bars;
  for (const Diagram::Box& box : diagram.boxes)
    if (box.ink == Ink::sure) bars.push_back(&box);
  REQUIRE(index < bars.size());
  return *bars[index];
}

}  // namespace

TEST_CASE("levels are as far away and as large as the findings say") {
  const auto hierarchy = hierarchy_of(characterization(two_parts()));
  REQUIRE(hierarchy.has_value());
  const MemoryPath& loads = path(*hierarchy, "global loads");
  CHECK(names(loads) == std::vector<std::string>{"L1", "L2", "L2, far part", "DRAM"});
  CHECK(loads.levels[0].latency == 34);
  CHECK(loads.levels[0].bytes == 262144);
  CHECK(loads.levels[2].bytes == 24e6);
  CHECK_FALSE(loads.levels[3].bytes.has_value());
  CHECK(loads.levels[1].facts[1] == "29.26 MB (28.84 MB..29.68 MB)");
  CHECK(hierarchy->device == "k20 (virtual): a model, not a measurement");
}

TEST_CASE("a plateau that a TLB or the memory may explain is no part of L2") {
  for (const Finding& other :
       {measured("tlb.l1.capacity", 50e6, "B"), said("tlb.l1.capacity", Verdict::inconclusive),
        measured("global.latency", 500, "clocks"),
        said("global.cg.level2.reach", Verdict::not_observed),
        measured("global.cg.level2.latency", 260, "clocks")}) {
    std::vector<Finding> findings = two_parts();
    *std::ranges::find(findings, other.name, &Finding::name) = other;
    const auto hierarchy = hierarchy_of(characterization(findings));
    REQUIRE(hierarchy.has_value());
    CHECK(names(path(*hierarchy, "global loads")) == std::vector<std::string>{"L1", "L2", "DRAM"});
  }
}

TEST_CASE("what no finding says is not drawn as if it were known") {
  const auto hierarchy = hierarchy_of(characterization(
      {measured("l1.latency", 30, "clocks"), said("l1.capacity", Verdict::inconclusive),
       said("tex.l1.capacity", Verdict::not_observed)}));
  REQUIRE(hierarchy.has_value());
  const MemoryPath& loads = path(*hierarchy, "global loads");
  CHECK(loads.levels[0].facts == std::vector<std::string>{"30 clocks", "size: inconclusive"});
  CHECK(loads.levels[1].facts == std::vector<std::string>{"not measured"});
  CHECK(path(*hierarchy, "textures").levels[0].facts == std::vector<std::string>{"not observed"});
  const Diagram diagram = draw({*hierarchy});
  CHECK(std::ranges::none_of(diagram.boxes, [](const auto& box) { return box.ink == Ink::sure; }));
}

TEST_CASE(
    "not_asked_for: what no group measured is not drawn, and never in the colour of a doubt") {
  const auto hierarchy = hierarchy_of(characterization(
      {measured("l1.latency", 30, "clocks"), said("const.l1.capacity", Verdict::not_observed)}));
  REQUIRE(hierarchy.has_value());
  std::vector<std::string> paths;
  for (const MemoryPath& each : hierarchy->paths) paths.push_back(each.name);
  CHECK(paths == std::vector<std::string>{"global loads", "constants"});
  const Diagram diagram = draw({*hierarchy});
  CHECK(std::ranges::any_of(diagram.words, [](const auto& words) {
    return words.text == "not measured";  // L2, of a path that is known in part.
  }));
  CHECK(std::ranges::none_of(diagram.words,
                             [](const auto& words) { return words.ink == Ink::doubt; }));
}

TEST_CASE("nothing is drawn of a run that is no characterization, or found nothing of memories") {
  RunResult plain = characterization(two_parts());
  plain.experiments[0].group.reset();
  CHECK_FALSE(hierarchy_of(plain).has_value());
  CHECK_FALSE(
      hierarchy_of(characterization({measured("clock.overhead", 20, "clocks")})).has_value());
}

TEST_CASE("the drawing is to scale: latency to the right, doublings upwards") {
  const auto one = hierarchy_of(characterization(
      {measured("l1.latency", 100, "clocks"), measured("l1.capacity", 1024, "B"),
       measured("l2.latency", 200, "clocks"), measured("l2.capacity", 4096, "B"),
       measured("tlb.l1.latency", 400, "clocks"), measured("tlb.l1.capacity", 8192, "B")}));
  REQUIRE(one.has_value());
  const Diagram diagram = draw({*one});
  const Diagram::Box &l1 = bar_at(diagram, 0), &l2 = bar_at(diagram, 1), &tlb = bar_at(diagram, 2);
  CHECK(tlb.x - l2.x == doctest::Approx(2 * (l2.x - l1.x)));
  CHECK(l2.height - l1.height == doctest::Approx(2 * (tlb.height - l2.height)));
  // Two devices share the scale.
  const auto other = hierarchy_of(characterization(
      {measured("l1.latency", 800, "clocks"), measured("l1.capacity", 1024, "B")}));
  const Diagram both = draw({*one, *other});
  CHECK(bar_at(both, 2).x - bar_at(both, 1).x == doctest::Approx((tlb.x - l2.x) / 2));
  CHECK(bar_at(both, 3).x > bar_at(both, 2).x);
  CHECK(both.height > diagram.height);
}

TEST_CASE("words of levels that are close to each other do not overlap") {
  std::vector<Finding> findings;
  for (int n = 1; n <= 3; ++n) {
    findings.push_back(
        measured("const.l" + std::to_string(n) + ".latency", 20 + n, "clocks", 19, 29));
    findings.push_back(measured("const.l" + std::to_string(n) + ".capacity", 2048 << n, "B"));
  }
  const Diagram diagram = draw({*hierarchy_of(characterization(findings))});
  for (const Diagram::Words& a : diagram.words)
    for (const Diagram::Words& b : diagram.words)
      if (&a < &b && a.y == b.y && !a.centred && !b.centred && a.text.starts_with("2") &&
          b.text.starts_with("2"))
        CHECK((a.x + text_width(a.text, a.size) <= b.x || b.x + text_width(b.text, b.size) <= a.x));
  for (const Diagram::Words& words : diagram.words)
    CHECK(words.x + (words.centred ? 0 : text_width(words.text, words.size)) <= diagram.width);
}

TEST_CASE("a drawing is SVG, TikZ and a script of gnuplot, and texts stay texts") {
  std::vector<Finding> findings = two_parts();
  findings[0].unit = "<b>&%";
  const Diagram diagram = draw({*hierarchy_of(characterization(findings))});
  const std::string svg = to_svg(diagram), page = to_page_svg(diagram);
  CHECK(svg.find("<b>") == std::string::npos);
  CHECK(svg.find("&lt;b&gt;&amp;%") != std::string::npos);
  CHECK(svg.find("var(--") == std::string::npos);
  CHECK(page.find("var(--text)") != std::string::npos);
  CHECK(page.find("#1b1f24") == std::string::npos);
  CHECK(to_tikz(diagram).find("\\&\\%") != std::string::npos);
  const std::string script = to_gnuplot(diagram, PictureFormat::png);
  CHECK(script.find("pngcairo") != std::string::npos);
  CHECK(script.find("'L2, far part'") != std::string::npos);
  check_golden("hierarchy.svg", to_svg(draw({*hierarchy_of(characterization(two_parts()))})));
}
