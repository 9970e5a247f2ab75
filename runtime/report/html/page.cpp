// The page: its head, a section for each experiment, and the scripts that draw its figures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "lang/lists.h"
#include "runtime/report/evidence.h"
#include "runtime/report/html.h"
#include "runtime/report/html/assets.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"
#include "runtime/report/report.h"

namespace gpx::report::html {
namespace {

constexpr std::size_t kMostCurves = 24;  ///< Of each run in one figure.

/// Replaces each {{name}} once; what is put in is not looked through.
std::string filled(std::string_view page, const std::map<std::string, std::string_view>& values) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = page.find("{{", at);
    out += page.substr(at, open - at);
    if (open == std::string_view::npos) return out;
    const std::size_t close = page.find("}}", open);
    out += values.at(std::string(page.substr(open + 2, close - open - 2)));
    at = close + 2;
  }
}

std::string titled(int level, const std::string& title, const std::string& content,
                   const Id& id = {}) {
  if (content.empty()) return {};
  return fmt::format("<h{0}{3}>{1}</h{0}>\n{2}", level, escape(title), content,
                     id.empty() ? "" : fmt::format(" id=\"{}\"", id));
}

std::string lines_of(const Member& member) {
  const ExperimentResult& result = *member.result;
  std::string out;
  for (const std::string& line : result.printed) out += element("p", "printed", line);
  for (const std::string& line : result.warnings)
    out += element("p", "warning", "Warning: " + line);
  if (result.failure)
    out += element("p", "warning", "Failed: " + result.failure->diagnostics.front().message);
  if (result.interrupted)
    out += element("p", "warning",
                   "Interrupted: the points until then are shown; half a sweep is not judged.");
  return out;
}

std::string cites_of(const Experiment& experiment) {
  const std::string cites = cites_text(experiment);
  return cites.empty() ? "" : element("p", "cites", "After " + cites);
}

/// Of a result whose findings are all of points, how many there are: their table follows.
std::string line_of(const Group& group, const Member& member) {
  const ExperimentResult& result = *member.result;
  const Style plain{false, true, 1000};
  std::vector<std::string> names;
  for (const Finding& finding : result.findings) names.push_back(finding.name);
  const PointFindings points = point_findings(group, names);
  const bool all = !names.empty() && points.names.size() == names.size();
  std::string line;
  if (all && result.expectations.empty() && !result.failure && !result.interrupted)
    line = fmt::format("{} on {}: {} at {} points", result.experiment.name, member.label,
                       fmt::join(points.quantities, ", "), points.points.size());
  else
    line = verdict_line(result, plain);
  const std::string where = names.empty() ? extremes(result) : "";
  return "<li>" + escape(line) + (where.empty() ? "" : element("div", "extremes", where)) + "</li>";
}

std::string summaries(const Group& group) {
  std::string items;
  for (const Member& member : group.members) items += line_of(group, member);
  return "<ul class=\"summary\">" + items + "</ul>\n";
}

std::string pictures(const Group& group, const Id& id) {
  std::string out;
  for (std::size_t i = 0; i < group.figures.size(); ++i)
    out += figure(group.figures[i], group, fmt::format("{}-plot{}", id, i + 1));
  std::size_t maps = 0;
  for (const Member& member : group.members)
    for (const HeatMap& map : heat_maps(*member.result))
      out += heat_map(map, member, fmt::format("{}-heat{}", id, ++maps));
  return out;
}

template <typename Part>
std::string of_members(const Group& group, Part part) {
  std::string out;
  for (const Member& member : group.members) out += part(member);
  return out;
}

/// Whether some finding names points on the axis of a figure, or nothing else shows what findings
/// rest on. The samples of an analysis that made probes of its own may be no more than a
/// correction.
bool curves_are_evidence(const Group& group, bool others) {
  if (!others) return true;
  return std::ranges::any_of(group.figures, [&](const OverlaidFigure& shown) {
    return std::ranges::any_of(group.members, [&](const Member& member) {
      return rests_on(member.result->findings, shown.figure.x_name);
    });
  });
}

std::string section(const Group& group, const Id& id) {
  const Experiment& experiment = group.members.front().result->experiment;
  std::string out = fmt::format("<section id=\"{}\" aria-labelledby=\"{}-title\">\n", id, id);
  out += fmt::format("<h2 id=\"{}-title\">{}</h2>\n", id, escape(group.name));
  if (!experiment.title.empty()) out += element("p", "title", experiment.title) + '\n';
  out += "<p>" + badges(group) + "</p>\n" + cites_of(experiment) + summaries(group);
  out += of_members(group, lines_of);
  const std::string shown = evidence(group, id), drawn = pictures(group, id);
  const bool curves = curves_are_evidence(group, !shown.empty());
  if (curves) out += titled(3, "Curves", drawn);
  out += of_members(group, statistics);
  out += titled(3, "Timelines", of_members(group, timelines));
  out += titled(3, "Structure", of_members(group, structures));
  out += titled(3, "Findings", html::findings(group, id), id + "-findings");
  out += titled(3, "Evidence", shown);
  out += titled(3, "Claims", of_members(group, claims));
  out += titled(3, "Expectations", of_members(group, expectations));
  const std::string aside =
      curves || drawn.empty()
          ? ""
          : folded("Curves of the samples, on which no finding rests alone", drawn);
  out += titled(3, "What was run", aside + sources(group) + provenance(group));
  return out + "</section>\n";
}

std::string contents(const std::vector<Group>& groups, bool with_summary, bool with_memory,
                     bool with_references) {
  if (groups.size() < 2) return {};
  std::string items;
  if (with_summary) items += "<li><a href=\"#summary\">Summary</a></li>";
  if (with_memory) items += "<li><a href=\"#memory\">Memory hierarchy</a></li>";
  for (std::size_t i = 0; i < groups.size(); ++i)
    items += fmt::format("<li><a href=\"#e{}\">{}</a></li>", i + 1, escape(groups[i].name));
  if (with_references) items += "<li><a href=\"#references\">References</a></li>";
  return "<nav aria-label=\"Experiments\"><ul>" + items + "</ul></nav>\n";
}

std::string title_of(const std::vector<Group>& groups, const std::vector<Run>& runs) {
  const bool characterized = std::ranges::all_of(
      runs, [](const Run& run) { return is_characterization(run.document.result); });
  if (characterized) {
    return "Characterization of " + joined(runs, ", ", device_of_run);
  }
  if (groups.size() > 1) return fmt::format("gpx: {} experiments", groups.size());
  const Group& group = groups.front();
  if (group.members.size() == 1)
    return fmt::format("{} on {}", group.name, group.members.front().label);
  return fmt::format("{}: {} runs", group.name, group.members.size());
}

/// Said once for the whole page, before any number.
std::string intro_of(const std::vector<Group>& groups) {
  const bool modelled = std::ranges::any_of(groups, [](const Group& group) {
    return std::ranges::any_of(group.members,
                               [](const Member& m) { return is_virtual(*m.result); });
  });
  return modelled ? "<p class=\"virtual-note\">What is marked <span class=\"badge virtual\">virtual"
                    "</span> came from a model of a GPU, not from a measurement.</p>\n"
                  : "";
}

}  // namespace
}  // namespace gpx::report::html

namespace gpx::report {

std::string to_fragment(const std::vector<Run>& runs, const std::string& id) {
  const std::vector<Group> groups = overlay(runs, html::kMostCurves);
  std::string body;
  for (std::size_t i = 0; i < groups.size(); ++i)
    body += html::section(groups[i], fmt::format("{}{}", id, i + 1));
  return body;
}

PageAssets page_assets() {
  using namespace html::assets;
  return {css, js, uplot_css, uplot_js, uplot_license};
}

std::string to_html(const std::vector<Run>& runs) {
  using namespace html;
  const std::vector<Group> groups = overlay(runs, kMostCurves);
  const std::string memory = memory_hierarchy(runs);
  const std::string all = groups.size() > 1 ? summary(groups, runs, "e") : std::string();
  const std::string cited = references(runs);
  const std::string body = all + memory + to_fragment(runs, "e") + cited;
  const std::string title = escape(title_of(groups, runs)), intro = intro_of(groups) + about(runs),
                    list = contents(groups, !all.empty(), !memory.empty(), !cited.empty());
  return filled(assets::page, {{"title", title},
                               {"intro", intro},
                               {"contents", list},
                               {"body", body},
                               {"version", GPX_VERSION},
                               {"css", assets::css},
                               {"js", assets::js},
                               {"uplot_css", assets::uplot_css},
                               {"uplot_js", assets::uplot_js},
                               {"uplot_license", assets::uplot_license}});
}

}  // namespace gpx::report
