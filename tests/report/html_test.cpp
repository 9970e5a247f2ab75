#include "runtime/report/html.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lang/lists.h"
#include "made_results.h"
#include "runtime/report/document.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"

using namespace gpx;
using namespace gpx::report;
using Json = nlohmann::json;

namespace {

report::Run run_of(const std::string& name, ExperimentResult result) {
  report::Run run;
  run.name = name;
  run.document.result = made::run_of(std::move(result));
  run.document.result.gpx = "1.2.3";
  return run;
}

std::string page_of(ExperimentResult result) {
  return to_html({run_of("a.json", std::move(result))});
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// The data of the page's pictures, as a browser would read them.
std::vector<Json> data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\">";
  std::vector<Json> all;
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at + 1)) {
    const std::size_t begin = at + open.size();
    all.push_back(Json::parse(page.substr(begin, page.find("</script>", begin) - begin)));
  }
  return all;
}

/// Tags that are opened and not closed, innermost last; "mismatch" where they cross.
std::vector<std::string> open_tags(std::string page) {
  for (const char* raw : {"script", "style"})  // What is no markup.
    for (std::size_t at = 0; (at = page.find(std::string("<") + raw, at)) != std::string::npos;) {
      const std::size_t from = page.find('>', at) + 1;
      page.erase(from, page.find(std::string("</") + raw, from) - from);
      at = from;
    }
  const std::string empty = " meta br line rect path circle img ";
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = page.find('<', at)) != std::string::npos; ++at) {
    if (page[at + 1] == '!') continue;
    const bool closes = page[at + 1] == '/';
    const std::size_t begin = at + (closes ? 2 : 1);
    const std::size_t end = page.find_first_of(" >\n/", begin);
    const std::string name = page.substr(begin, end - begin);
    const bool self = page[page.find('>', at) - 1] == '/';
    if (!closes && !self && !contains(empty, " " + name + " ")) open.push_back(name);
    if (!closes) continue;
    if (open.empty() || open.back() != name) return {"mismatch at " + page.substr(at, 60)};
    open.pop_back();
  }
  return open;
}

Finding measured(const std::string& name, double value, const std::string& unit) {
  Finding finding;
  finding.name = name;
  finding.value = value;
  finding.unit = unit;
  finding.verdict = Verdict::measured;
  return finding;
}

}  // namespace

TEST_CASE("a page is whole: every tag is closed, and nothing is fetched") {
  const std::string page = page_of(made::kepler());
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(open_tags(page) == std::vector<std::string>{});
  for (const char* fetched : {"src=\"http", "href=\"http", "@import", "url(", "<link", "fetch("})
    CHECK_FALSE(contains(page, fetched));
  CHECK(contains(page, "default-src 'none'"));
  CHECK_FALSE(contains(page, "{{"));
  CHECK(contains(page, "Copyright (c) 2022 Leon Sorokin"));
}

TEST_CASE("findings stand with interval, verdict, note and the paper's value") {
  const std::string page = page_of(made::kepler());
  CHECK(contains(page, "<code>outstanding.entries</code>"));
  CHECK(contains(page, "<strong>44 entries</strong></td><td>43..45</td>"));
  CHECK(contains(page, "<span class=\"verdict good\">modelled</span>"));
  CHECK(contains(page, "<span class=\"verdict fair\">not observed</span>"));
  CHECK(contains(page, "<span class=\"verdict poor\">inconclusive</span>"));
  CHECK(contains(page, "<td>44..45 (LA9)</td>"));
  CHECK(contains(page, "no spike up to 1024 threads"));
  CHECK(contains(page, "<q>nearly 32X</q> (LA9)"));
  CHECK(contains(page, "not supported"));
  CHECK(contains(page, "outstanding.entries within 42..45"));
}

TEST_CASE("what is virtual is called a model, what is measured is not") {
  const std::string page = page_of(made::kepler());
  CHECK(contains(page, "virtual GPU k20: a model, not a measurement"));
  CHECK(contains(page, "kepler_prt on k20 (virtual)"));
  ExperimentResult real = made::kepler();
  real.device.measured = true;
  const std::string measured_page = page_of(real);
  CHECK_FALSE(contains(measured_page, "a model, not a measurement"));
  CHECK_FALSE(contains(measured_page, "class=\"badge virtual\""));
}

TEST_CASE("no text becomes markup, wherever it stands") {
  const std::string evil = "</script><img src=x onerror=alert(1)>\"'&";
  ExperimentResult result = made::kepler();
  Experiment& experiment = result.experiment;
  experiment.name = experiment.title = experiment.device = result.file = evil;
  experiment.cites = {{evil, {evil}}};
  experiment.plots.front().x = result.curves.columns[1].name = evil;
  experiment.plots.front().y = {"latency"};
  result.compiler = result.proof = result.device.name = result.ir = result.device_file = evil;
  result.device.driver = result.device.uuid = result.values_digest = evil;
  result.kernels = {{evil, evil, evil, evil, evil}};
  result.artifacts = {evil};
  result.printed = result.warnings = {evil};
  result.failure = make_error(Fault::device, evil);
  result.findings[0].name = result.findings[0].note = result.findings[0].unit = evil;
  result.findings[0].value = evil;
  result.findings[0].paper = PaperReading{evil, {}, evil};
  result.findings[1].evidence = {{{evil, Quantity{704, Unit::none}}}};
  result.expectations = {{evil, true, false, evil}};
  result.claims = {{evil, evil, evil, false, evil}};
  report::Run run = run_of(evil, result);
  run.document.result.gpx = evil;
  run.document.result.sources = {Source(evil, evil)};
  run.document.origin = RunOrigin{evil, evil, evil, evil, evil, evil, evil, evil, 1};
  for (const std::vector<report::Run>& runs :
       {std::vector<report::Run>{run}, std::vector<report::Run>{run, run}}) {
    const std::string page = to_html(runs);
    CHECK_FALSE(contains(page, "<img"));
    CHECK_FALSE(contains(page, "\"x\" onerror"));
    CHECK(contains(page, "&lt;img src=x onerror"));
    CHECK(open_tags(page) == std::vector<std::string>{});
    REQUIRE(data_of(page).size() == 1);
    CHECK(data_of(page)[0]["x"]["name"] == evil);
  }
}

TEST_CASE("bytes that are no text are replaced, lines of a listing are kept") {
  CHECK(html::escape("a\xff\x1b[31m\n\tb") == "a??[31m\n\tb");
  CHECK(html::json_text("a\n\"<\\") == "\"a\\u000a\\u0022\\u003c\\u005c\"");
  CHECK(Json::parse(html::json_text("tab\tµ </script>")) == "tab\tµ </script>");
}

TEST_CASE("numbers keep six digits, whole ones all") {
  CHECK(html::json_number(1234567890) == "1234567890");
  CHECK(html::json_number(274.3333333333333) == "274.333");
  CHECK(html::json_number(NAN) == "null");
  CHECK(html::json_number(INFINITY) == "null");
}

TEST_CASE("a figure's data hold its axes, curves and marks") {
  ExperimentResult result = made::kepler();
  Finding spike = measured("outstanding.saturation[n=2]", 700, "threads");
  spike.low = 672;
  spike.high = 704;
  spike.evidence = {{{"threads", Quantity{672, Unit::none}}},
                    {{"threads", Quantity{704, Unit::none}}}};
  result.findings = {spike};
  result.experiment.plots.front().log_x = true;
  const std::vector<Json> data = data_of(page_of(result));
  REQUIRE(data.size() == 1);
  CHECK(data[0]["x"]["name"] == "threads");
  CHECK(data[0]["x"]["log"] == true);
  CHECK(data[0]["xs"] == Json::array({{{"from", 32}, {"step", 32}, {"n", 32}}}));
  REQUIRE(data[0]["panels"].size() == 2);
  CHECK(data[0]["panels"][0]["unit"] == "clocks");
  CHECK(data[0]["panels"][0]["curves"][1]["label"] == "n=2");
  CHECK(data[0]["panels"][0]["curves"][1]["y"].size() == 32);
  CHECK(data[0]["panels"][0]["curves"][0]["y"][0] == 406);
  CHECK(data[0]["panels"][1]["curves"][0]["y"][0].is_null());
  REQUIRE(data[0]["marks"].size() == 1);
  CHECK(data[0]["marks"][0]["x"] == 700);
  CHECK(data[0]["marks"][0]["low"] == 672);
  CHECK(contains(page_of(result), "<li>outstanding.saturation[n=2] 700 threads (672..704)</li>"));
}

TEST_CASE("findings of points are a table of points by quantity") {
  ExperimentResult result = made::kepler();
  result.findings.clear();
  result.experiment.expects.clear();
  result.expectations.clear();
  for (const int n : {1, 2, 4}) {
    result.findings.push_back(measured(fmt::format("occupancy.blocks[n={}]", n), 16 / n, "blocks"));
    result.findings.push_back(measured(fmt::format("occupancy.warps[n={}]", n), 32 / n, "warps"));
    for (Finding& finding : result.findings) {
      finding.confidence.reset();
      finding.steps = {"one step"};
    }
  }
  const std::string page = page_of(result);
  CHECK(open_tags(page) == std::vector<std::string>{});
  CHECK(contains(page, "occupancy.blocks, occupancy.warps at 3 points"));
  CHECK(contains(page, "3 points, each value modelled."));
  CHECK(contains(page, "<th scope=\"row\">n=4<details>"));
  CHECK(contains(page, "</th><td>4 blocks</td><td>8 warps</td>"));
  CHECK(count(page, "<li>one step</li>") == 3);
  CHECK_FALSE(contains(page, "and 1 more"));
  CHECK_FALSE(contains(page, "<code>occupancy.blocks[n=1]</code>"));
}

TEST_CASE("a result without findings tells which point has which value") {
  ExperimentResult result;
  result.experiment.name = "e";
  const auto with = [&](std::vector<double> words, std::vector<double> latency) {
    result.curves.columns = {
        {"words", Unit::none, Column::Role::axis, false, std::move(words), {}},
        {"latency", Unit::clock, Column::Role::observed, false, std::move(latency), {}}};
    return html::extremes(result);
  };
  CHECK(with({32, 33}, {1115, 155}) == "latency words=32: 1115 clocks; words=33: 155 clocks; 7.2x");
  CHECK(with({1, 2, 4, 32}, {155, 187, 219, 1115}) ==
        "latency least at words=1: 155 clocks; greatest at words=32: 1115 clocks; 7.2x");
  CHECK(with({1, 2, 3, 4}, {5, 5, 5, 5}) == "");
  CHECK(with({1}, {5}) == "");
}

TEST_CASE("a curve of half a sweep says so beside a whole one") {
  ExperimentResult half = made::kepler();
  half.interrupted = true;
  const std::string page = to_html({run_of("a.json", made::kepler()), run_of("b.json", half)});
  CHECK(contains(page, "interrupted</th>"));
}

TEST_CASE("several runs are overlaid, their findings side by side") {
  ExperimentResult real = made::kepler();
  real.device.measured = true;
  real.device.name = "H100";
  real.findings.erase(real.findings.begin());
  real.findings[0].value = 90.0;
  const std::string page = to_html({run_of("a.json", made::kepler()), run_of("b.json", real)});
  CHECK(open_tags(page) == std::vector<std::string>{});
  CHECK(contains(page, "kepler_prt: 2 runs"));
  CHECK(contains(page, "<th scope=\"col\">k20 (virtual)</th><th scope=\"col\">H100</th>"));
  CHECK(contains(page, "<strong>90 entries</strong>"));
  CHECK(count(page, "<code>outstanding.entries</code>") == 1);
  CHECK(contains(page, "no such finding"));
  const std::vector<Json> data = data_of(page);
  REQUIRE(data.size() == 1);
  CHECK(data[0]["runs"] == Json::array({"k20 (virtual)", "H100"}));
  CHECK(data[0]["panels"][0]["curves"].size() == 6);
}

TEST_CASE("text, CUDA and listing are folded away, provenance too") {
  ExperimentResult result = made::kepler();
  result.artifacts.push_back("other");
  result.kernels = {{"", "n=1", "__global__ void k()", "ld.global.u32", "PTX"}};
  result.state_after.temperature_c = 61;
  report::Run run = run_of("a.json", result);
  run.document.result.sources = {Source("other.gpx", "experiment other { }"),
                                 Source(result.file, "experiment kepler_prt { }")};
  run.document.origin =
      RunOrigin{"a1b2", "complete", "2026-01-31T12:00:00Z", "", "a host", "gpx run a.gpx", "/home",
                "auto", 1};
  const std::string page = to_html({run});
  CHECK(contains(page, "<details><summary>Experiment: experiments/kepler_prt.gpx</summary>"));
  CHECK(contains(page, "<details><summary>CUDA on k20 (virtual)</summary>"));
  CHECK(contains(page, "ld.global.u32"));
  CHECK(contains(page, "experiment kepler_prt { }"));
  CHECK_FALSE(contains(page, "experiment other { }"));
  CHECK(contains(page, "<th scope=\"row\">host</th><td>a host</td>"));
  CHECK(contains(page, "<th scope=\"row\">after</th><td>61 °C</td>"));
  CHECK(contains(page, "1 more kernels: gpx explain experiments/kepler_prt.gpx:POINT"));
  CHECK(contains(page, "<th scope=\"row\">seed</th><td>7</td>"));
  CHECK(contains(page, "<th scope=\"row\">gpx</th><td>1.2.3</td>"));
  CHECK(contains(page, "NVRTC 13.0"));
}

TEST_CASE("caches are drawn from what was found of them") {
  ExperimentResult result = made::kepler();
  Finding unequal = measured("tlb.l2.set_sizes", 0, "");
  unequal.value = std::vector<double>{17, 8, 8, 8, 8, 8, 8};
  Finding policy = measured("tex.l1.policy", 0, "");
  policy.value = std::string();
  policy.verdict = Verdict::inconclusive;
  result.findings = {measured("tex.l1.capacity", 5120, "B"),
                     measured("tex.l1.line", 32, "B"),
                     measured("tex.l1.sets", 8, ""),
                     measured("tex.l1.ways", 20, ""),
                     measured("tex.l1.latency", 261, "clocks"),
                     policy,
                     measured("tlb.l2.capacity", 136314880, "B"),
                     unequal,
                     measured("op.add.latency", 24, "clocks")};
  const std::string page = page_of(result);
  CHECK(open_tags(page) == std::vector<std::string>{});
  CHECK(contains(page, "Structure: tex"));
  CHECK(contains(page, "tex.l1: 8 sets of 20 ways, 32 B lines"));
  CHECK(contains(page, ">capacity 5 KB<"));
  CHECK(contains(page, ">261 clocks<"));
  CHECK(contains(page, ">policy inconclusive<"));
  CHECK(contains(page, "tlb.l2: 7 sets of unequal numbers of ways, lines"));
  CHECK_FALSE(contains(page, "Structure: op"));
  CHECK(count(page, "class=\"way\"") == 8 * 20 + 17 + 6 * 8);
}

TEST_CASE("a characterization's page begins with its memories, in the colours of the page") {
  ExperimentResult group = made::kepler();
  group.group = GroupNote{"memory", 1, ""};
  Finding latency;
  latency.name = "l1.latency";
  latency.value = 30.0;
  latency.unit = "clocks";
  latency.verdict = Verdict::measured;
  group.findings.push_back(latency);
  const std::string page = page_of(group);
  CHECK(contains(page, "<title>Characterization of k20</title>"));
  CHECK(page.find("id=\"memory\"") < page.find("id=\"e1\""));
  CHECK(contains(page, "var(--c0)"));
  CHECK(open_tags(page) == std::vector<std::string>{});
  group.group.reset();
  CHECK_FALSE(contains(page_of(group), "id=\"memory\""));
}

TEST_CASE("summary_first: every finding in one table by level, with a link to its evidence") {
  ExperimentResult cache = made::kepler(), other = made::kepler();
  cache.experiment.name = "global";
  cache.group = other.group = GroupNote{"memory", 1, ""};
  Finding ways = measured("l2.ways", 16, "");
  ways.probes = {{"share of tests that evict a line", 3, 9, "lines", "share", {{1, 0}, {2, 1}}}};
  cache.findings = {measured("clock.overhead", 7, "clocks"), ways, measured("l1.ways", 4, "")};
  for (int i = 0; i < 9; ++i)
    cache.findings.push_back(measured("shared.conflict[ways=" + std::to_string(i) + "]", i, ""));
  report::Run run = run_of("a.json", cache);
  run.document.result.experiments.push_back(other);
  run.document.result.experiments[0].device.driver = "570.1";
  run.document.origin.emplace().started = "2026-01-31T12:00:00Z";
  const std::string page = to_html({run});
  CHECK(open_tags(page) == std::vector<std::string>{});
  const auto summary = page.find("id=\"summary\"");
  CHECK(summary < page.find("id=\"e1\""));
  std::size_t last = summary;  // The parts of a GPU in their order, whatever the findings' order.
  for (const char* part :
       {">L1</th>", "l1.ways", ">Shared memory</th>", "shared.conflict[…] 9 values", ">L2</th>",
        "l2.ways", ">Clock, control flow and others</th>"}) {
    CHECK(page.find(part, last) != std::string::npos);
    last = page.find(part, last);
  }
  CHECK(contains(page, "<a href=\"#e1-evidence1\"><code>l2.ways</code></a>"));
  CHECK(contains(page, "id=\"e1-evidence1\""));
  CHECK(contains(page, "<a href=\"#e1-findings\"><code>l1.ways</code></a>"));
  CHECK(contains(page, "<h3 id=\"e1-findings\">"));
  CHECK_FALSE(contains(page_of(made::kepler()), "id=\"summary\""));
}

TEST_CASE("finding_evidence: a finding links the figure that it rests on, with its steps folded") {
  ExperimentResult result = made::kepler();
  Finding ways = measured("l2.ways", 16, "");
  ways.probes = {{"share of tests that evict a line", 3, 9, "lines", "share", {{1, 0}, {2, 1}}}};
  ways.steps = {"asked <this>", "ruled out that"};
  result.findings.push_back(ways);
  result.findings.push_back(measured("alone", 1, ""));
  const std::string page = page_of(result);
  CHECK(open_tags(page) == std::vector<std::string>{});
  const auto link = [](const std::string& to, const std::string& name) {
    return "href=\"#" + to + "\" aria-label=\"Evidence of " + name + "\"";
  };
  CHECK(contains(page, link("e1-evidence1", "l2.ways")));
  CHECK(contains(page, link("e1-plot1", "outstanding.entries")));
  CHECK(contains(page, "id=\"e1-plot1\""));
  CHECK_FALSE(contains(page, "Evidence of alone"));
  CHECK(count(page, "<summary>How it was found</summary>") == 1);
  CHECK(contains(page, "<li>asked &lt;this&gt;</li>"));
}

TEST_CASE("statistics: the observed columns as a folded table") {
  const std::string page = page_of(made::kepler());
  const auto begin = page.find("<summary>Statistics on k20 (virtual)</summary>");
  REQUIRE(begin != std::string::npos);
  const std::string table = page.substr(begin, page.find("</table>", begin) - begin);
  for (const char* head : {"points", "least", "greatest"})
    CHECK(contains(table, std::string("<th scope=\"col\">") + head + "</th>"));
  CHECK(contains(table, "clocks at"));
}

TEST_CASE("curve_is_evidence: samples that no finding rests on are folded away") {
  ExperimentResult result = made::kepler();
  const std::string aside = "Curves of the samples, on which no finding rests alone";
  CHECK_FALSE(contains(page_of(result), aside));
  Finding ways = measured("l2.ways", 16, "");
  ways.probes = {{"share of tests that evict a line", 3, 9, "lines", "share", {{1, 0}, {2, 1}}}};
  result.findings = {ways};
  const std::string page = page_of(result);
  CHECK(contains(page, aside));
  CHECK_FALSE(contains(page, "<h3>Curves</h3>"));
  CHECK(page.find("e1-evidence1") < page.find(aside));
  result.findings[0].evidence = {{{"threads", Quantity{64, Unit::none}}}};
  CHECK(contains(page_of(result), "<h3>Curves</h3>"));
}

TEST_CASE("narrow_hierarchy: the memories are a list, too") {
  ExperimentResult group = made::kepler();
  group.group = GroupNote{"memory", 1, ""};
  group.findings.push_back(measured("l1.latency", 30, "clocks"));
  CHECK(contains(page_of(group), "<li><strong>L1</strong>: 30 clocks · size: not measured</li>"));
}

TEST_CASE("levels of which only the reach is known are drawn with it, and without sets") {
  ExperimentResult result = made::kepler();
  Finding last = measured("global.cg.level2.reach", 0, "B");
  last.verdict = Verdict::not_observed;
  Finding wide = measured("global.ca.level1.reach", 218752, "B");
  wide.low = 218550.5;
  wide.high = 223872;
  result.findings = {measured("global.ca.level1.latency", 34, "clocks"),
                     wide,
                     measured("global.cg.level1.latency", 214, "clocks"),
                     measured("global.cg.level1.reach", 26214400, "B"),
                     measured("global.cg.level2.latency", 664, "clocks"),
                     last};
  const std::string page = page_of(result);
  CHECK(open_tags(page) == std::vector<std::string>{});
  CHECK(contains(page, "Structure: global.cg"));
  CHECK(contains(page, ">reach 213.6 KB<"));  // Beside its interval it would not fit.
  CHECK(contains(page, "> (213.4 KB..218.6 KB)<"));
  CHECK(contains(page, ">reach 25 MB<"));
  CHECK(contains(page, ">664 clocks<"));
  CHECK(contains(page, ">reach not observed<"));
  CHECK(count(page, "class=\"arrow\"") == 1);
  CHECK(count(page, "class=\"way\"") == 0);
}

TEST_CASE("a hundred thousand sets are drawn as a few") {
  ExperimentResult result = made::kepler();
  result.findings = {measured("l2.capacity", 1e9, "B"), measured("l2.sets", 100000, ""),
                     measured("l2.ways", 4000, "")};
  const std::string page = page_of(result);
  CHECK(contains(page, "more sets"));
  CHECK(count(page, "class=\"way\"") < 500);
}

TEST_CASE("a long curve is thinned to its extremes, and the page says so") {
  ExperimentResult result = made::kepler();
  Column x = made::numbers("threads", Column::Role::axis),
         y = made::numbers("latency", Column::Role::observed, Unit::clock);
  for (int i = 0; i < 200000; ++i) {
    x.numbers.push_back(i);
    y.numbers.push_back(i == 123457 ? 9999 : i == 77 ? -5 : 100 + i % 3);
  }
  result.experiment.sweep.groups.clear();
  result.experiment.plots.front().y = {"latency"};
  result.curves.columns = {x, y};
  const std::string page = page_of(result);
  CHECK(contains(page, "Thinned: of 200000 values"));
  const std::vector<Json> data = data_of(page);
  const Json& values = data[0]["panels"][0]["curves"][0]["y"];
  CHECK(values.size() <= 60000);
  CHECK(std::find(values.begin(), values.end(), 9999) != values.end());
  CHECK(std::find(values.begin(), values.end(), -5) != values.end());
}

TEST_CASE("a report of 10,000 points has at most 1 MB") {
  ExperimentResult result = made::kepler();
  result.curves.columns = {made::numbers("n", Column::Role::axis),
                           made::numbers("threads", Column::Role::axis),
                           made::numbers("latency", Column::Role::observed, Unit::clock),
                           made::numbers("neighbour_variance", Column::Role::observed)};
  for (int i = 0; i < 10000; ++i) {
    const double row[] = {double(i / 2500), double(i % 2500), 400 + i / 7.0, std::sin(i) * 1e5};
    for (std::size_t c = 0; c < 4; ++c) result.curves.columns[c].numbers.push_back(row[c]);
  }
  const std::string page = page_of(result);
  CHECK(page.size() < 1000000);
  CHECK(data_of(page)[0]["panels"][0]["curves"].size() == 4);
}

/// Every value of a document, replaced by each of these in turn.
void mutate(Json& whole, Json& part, int& pages) {
  const Json kept = part;
  for (const Json& other : {Json(), Json(true), Json(-1), Json(1e300), Json("text"), Json::array(),
                            Json::object(), Json::array({1})}) {
    part = other;
    if (auto read = read_document(whole.dump(), "x.json")) {
      CHECK(to_html({report::Run{"x", *read}, report::Run{"y", *read}}).ends_with("</html>\n"));
      ++pages;
    }
  }
  part = kept;
  if (!part.is_structured()) return;
  std::size_t seen = 0;
  for (Json& item : part)
    if (part.is_object() || ++seen <= 2) mutate(whole, item, pages);  // Of a list, the first ones.
}

TEST_CASE("whatever a document says, it is an error or a page") {
  ExperimentResult result = made::kepler();
  result.samples.columns = {
      made::numbers("n", Column::Role::axis), made::numbers("repetition", Column::Role::repetition),
      made::numbers("thread", Column::Role::record), made::numbers("stamp", Column::Role::record),
      made::numbers("clock", Column::Role::observed)};
  result.curves.columns = {made::numbers("size", Column::Role::axis),
                           made::numbers("access", Column::Role::record),
                           made::numbers("latency", Column::Role::observed)};
  for (Samples* samples : {&result.samples, &result.curves})
    for (Column& column : samples->columns) column.numbers = {1, 2, 3};
  result.findings = {measured("l1.sets", 4, ""), measured("l1.capacity", 512, "B")};
  Json json = Json::parse(to_json(made::run_of(result)));
  int pages = 0;
  mutate(json, json, pages);
  CHECK(pages > 100);
}

TEST_CASE("an interrupted run, a failed one and one without a device have a page") {
  ExperimentResult result = made::kepler();
  result.findings.clear();
  result.interrupted = true;
  CHECK(contains(page_of(result), "Interrupted"));
  ExperimentResult failed;
  failed.experiment.name = "never_ran";
  failed.failure = make_error(Fault::device, "no such device");
  const std::string page = page_of(failed);
  CHECK(contains(page, "Failed: no such device"));
  CHECK(open_tags(page) == std::vector<std::string>{});
}

TEST_CASE("cite_page: who measured what, when, and how to cite it, in full") {
  ExperimentResult result = made::kepler();
  result.build = "0123456789ab";
  const auto page_with = [&] {
    report::Run run = run_of("a.json", result);
    run.document.origin.emplace().started = "2026-01-31T12:00:00Z";
    run.document.origin->command = "gpx run kepler_prt --device k20";
    return to_html({run});
  };
  std::string page = page_with();
  CHECK(open_tags(page) == std::vector<std::string>{});
  for (const char* fact :
       {"<td>a virtual GPU: a model, not a measurement</td>", "<td>2026-01-31T12:00:00Z</td>",
        "<td>gpx 1.2.3, build 0123456789ab</td>", "SM clock 706 MHz", "<td>7</td>",
        "<td>2 modelled, 1 not observed, 1 inconclusive</td>",
        "<td><code>gpx run kepler_prt --device k20</code></td>",
        "<li>kepler_prt on the virtual GPU k20 (a model, not a measurement); gpx 1.2.3, build "
        "0123456789ab; seed 7; 2026-01-31.</li>",
        "<strong>lashgar2015</strong> (LA): A. Lashgar, E. Salehi, A. Baniasadi."})
    CHECK(contains(page, fact));
  CHECK_FALSE(contains(page, "Wong"));
  CHECK_FALSE(contains(page, "<th scope=\"row\">driver</th>"));  // A virtual device has none.
  result.device.measured = true;
  result.device.driver = "570.1";
  result.state_before.sm_clock_mhz = 1965;
  result.state_after.sm_clock_mhz = 1980;
  page = page_with();
  CHECK(contains(page, "<td>570.1</td>"));
  CHECK(contains(page, "<td>SM 1965 to 1980 MHz</td>"));
  CHECK(contains(page, "kepler_prt on k20 (driver 570.1, SM clock up to 706 MHz); gpx 1.2.3"));
}

TEST_CASE("paper_column: it stands where some finding has a paper's value") {
  ExperimentResult result = made::kepler(), other = made::kepler();
  other.experiment.name = "other";
  const auto page_with = [&] {
    report::Run run = run_of("a.json", result);
    run.document.result.experiments.push_back(other);
    return to_html({run});
  };
  const std::string with = page_with();
  CHECK(contains(with.substr(with.find("id=\"summary\""), 900), ">paper</th>"));
  for (ExperimentResult* each : {&result, &other})
    for (Finding& finding : each->findings) finding.paper.reset();
  const std::string without = page_with();
  CHECK_FALSE(contains(without.substr(without.find("id=\"summary\""), 900), ">paper</th>"));
  CHECK(open_tags(without) == std::vector<std::string>{});
}
