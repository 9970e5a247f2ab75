// Findings, expectations and claims as tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lang/lists.h"
#include "runtime/report/evidence.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/findings_table.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"
#include "runtime/report/report.h"

namespace gpx::report::html {
namespace {

std::string_view css_of(Verdict verdict) {
  static constexpr std::string_view kClasses[] = {"verdict good", "verdict fair", "verdict poor"};
  return kClasses[static_cast<std::size_t>(verdict)];
}

/// A table of findings, and where the figures stand that show what they rest on.
struct Linked {
  const Group& group;
  const std::vector<EvidenceFigure>& figures;
  const Id& id;
};

/// The finding's name, its note, a link to the figure that shows its evidence, and the steps that
/// led to it, folded.
std::string finding_head(const std::string& name, const Finding* finding, const Linked& of) {
  std::string content = "<code>" + escape(name) + "</code>";
  if (finding && !finding->note.empty()) content += element("div", "note", finding->note);
  if (const Id link = evidence_id(of.group, of.figures, name, of.id); !link.empty())
    content +=
        fmt::format("<a class=\"note\" href=\"#{}\" aria-label=\"Evidence of {}\">evidence</a>",
                    link, escape(name));
  std::string steps;
  if (finding)
    for (const std::string& step : finding->steps) steps += element("li", "", step);
  if (!steps.empty())
    content += folded("How it was found", "<ol class=\"note\">" + steps + "</ol>");
  return "<th scope=\"row\">" + content + "</th>";
}

std::string cell(const std::string& content) {
  return "<td>" + content + "</td>";
}

std::string strong_value(const Finding& finding) {
  return element("strong", "", value_text(finding));
}

std::string single_row(const Finding& finding, const DeviceInfo& device, const Linked& of) {
  const std::string sure =
      finding.confidence ? fmt::format("{:.2f}", *finding.confidence) : std::string();
  return "<tr>" + finding_head(finding.name, &finding, of) + cell(strong_value(finding)) +
         cell(escape(interval_text(finding))) + cell(verdict_span(finding, device)) + cell(sure) +
         cell(escape(paper_text(finding))) + "</tr>\n";
}

/// One member's finding in a cell: value, interval and verdict; the note to hover and to read.
std::string side_cell(const Finding* finding, const DeviceInfo& device) {
  if (!finding) return "<td class=\"none\">no such finding</td>";
  const std::string interval = spread_text(*finding);
  std::string content = strong_value(*finding);
  if (!interval.empty()) content += " " + escape("(" + interval + ")");
  content += "<br>" + verdict_span(*finding, device);
  if (!finding->note.empty()) content += element("div", "note", finding->note);
  return cell(content);
}

std::string side_row(const std::string& name, const Linked& of) {
  std::string paper, cells;
  for (const Member& member : of.group.members) {
    const Finding* finding = find_finding(member, name);
    cells += side_cell(finding, member.result->device);
    if (finding && paper.empty()) paper = paper_text(*finding);
  }
  return "<tr>" + finding_head(name, nullptr, of) + cells + cell(escape(paper)) + "</tr>\n";
}

std::string table(const std::vector<std::string>& names, const Linked& of) {
  const Group& group = of.group;
  const bool several = group.members.size() > 1;
  std::vector<std::string> columns = {"finding"};
  if (several)
    for (const Member& member : group.members) columns.push_back(member.label);
  else
    columns.insert(columns.end(), {"value", "interval", "verdict", "confidence"});
  columns.push_back("paper");
  const Member& first = group.members.front();
  std::string rows;
  for (const std::string& name : names)
    rows += several ? side_row(name, of)
                    : single_row(*find_finding(first, name), first.result->device, of);
  const std::string label = "Findings of " + group.name;
  return scrolling(label, fmt::format("<table class=\"findings\"><caption>{}</caption>{}<tbody>{}"
                                      "</tbody></table>",
                                      escape(label), table_head(columns), rows));
}

std::string_view result_css(const ExpectationResult& one) {
  if (!one.applies) return "verdict";
  return one.pass ? "verdict good" : "verdict poor";
}

std::string_view result_word(const ExpectationResult& one) {
  if (one.applies) return one.pass ? "pass" : "FAIL";
  return one.pass ? "same" : "differs";
}

std::string reason_div(const std::string& reason) {
  return reason.empty() ? "" : element("div", "note", reason);
}

}  // namespace

const Finding* find_finding(const Member& member, const std::string& name) {
  return find_in(member.result->findings, name, &Finding::name);
}

std::string verdict_span(const Finding& finding, const DeviceInfo& device) {
  return element("span", css_of(finding.verdict), verdict_text(finding, device));
}

/// Where no figure of probes shows it, a figure over an axis that its points name does.
Id evidence_id(const Group& group, const std::vector<EvidenceFigure>& figures,
               const std::string& name, const Id& id) {
  for (const EvidenceFigure& figure : figures)
    if (contains(figure.findings, name)) return figure.id;
  for (std::size_t i = 0; i < group.figures.size(); ++i)
    for (const Member& member : group.members)
      if (const Finding* finding = find_finding(member, name))
        if (rests_on({*finding}, group.figures[i].figure.x_name))
          return fmt::format("{}-plot{}", id, i + 1);
  return {};
}

std::string findings(const Group& group, const Id& id) {
  std::vector<std::string> names, outcomes;
  for (const Member& member : group.members)
    for (const Finding& finding : member.result->findings) {
      auto& list = finding.name.starts_with("outcome[") ? outcomes : names;
      add_once(list, finding.name);
    }
  const std::vector<EvidenceFigure> figures = evidence_figures(group, id);
  const Linked linked{group, figures, id};
  std::string out;
  if (const PointFindings points = point_findings(group, names); !points.names.empty()) {
    out += point_table(group, points, evidence_id(group, figures, points.names.front(), id));
    std::erase_if(names, [&](const std::string& name) { return contains(points.names, name); });
  }
  if (!names.empty()) out += table(names, linked);
  if (!outcomes.empty())
    out += folded(fmt::format("Outcomes of {} points", outcomes.size()), table(outcomes, linked));
  return out;
}

std::vector<EvidenceFigure> evidence_figures(const Group& group, const Id& id) {
  std::vector<EvidenceFigure> figures;
  for (const Member& member : group.members)
    for (SharedEvidence& shared : drawn_evidence(member.result->findings))
      figures.push_back({&member, shared.evidence, std::move(shared.findings),
                         fmt::format("{}-evidence{}", id, figures.size() + 1)});
  return figures;
}

std::string evidence(const Group& group, const Id& id) {
  std::string out;
  for (const EvidenceFigure& each : evidence_figures(group, id)) {
    const Group alone{group.name, {*each.member}, {}};
    const std::string names = fmt::format("{}", fmt::join(each.findings, ", "));
    out += element("p", "note", names + ": probes " + probes_text(*each.evidence));
    out += figure({*figure_of(*each.evidence), {}, 0}, alone, each.id);
  }
  return out;
}

std::string expectations(const Member& member) {
  const auto& all = member.result->expectations;
  if (all.empty()) return {};
  std::string rows;
  for (const ExpectationResult& one : all)
    rows += "<tr>" + cell(element("span", result_css(one), result_word(one))) +
            "<th scope=\"row\"><code>" + escape(one.text) + "</code>" + reason_div(one.reason) +
            "</th></tr>\n";
  std::string label = "Expectations on " + member.label;
  if (!all.front().applies)
    label +=
        fmt::format(", written for {}: a comparison here", member.result->experiment.device.empty()
                                                               ? "another device"
                                                               : member.result->experiment.device);
  return scrolling(label, fmt::format("<table><caption>{}</caption>{}<tbody>{}</tbody></table>",
                                      escape(label), table_head({"result", "expectation"}), rows));
}

std::string claims(const Member& member) {
  if (member.result->claims.empty()) return {};
  std::string rows;
  for (const ClaimResult& one : member.result->claims)
    rows += "<tr>" +
            cell(element("span", one.supported ? "verdict good" : "verdict fair",
                         one.supported ? "supported" : "not supported")) +
            "<th scope=\"row\"><q>" + escape(one.sentence) + "</q>" +
            (one.cite.empty() ? "" : " (" + escape(one.cite) + ")") +
            element("div", "note", one.text) + reason_div(one.reason) + "</th></tr>\n";
  const std::string label = "Claims of the source, by the findings on " + member.label;
  return scrolling(label, fmt::format("<table><caption>{}</caption>{}<tbody>{}</tbody></table>",
                                      escape(label), table_head({"result", "claim"}), rows));
}

}  // namespace gpx::report::html
