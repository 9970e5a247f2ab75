// The summary of a page: every finding in one table by level.
// Interface: sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "lang/lists.h"
#include "runtime/report/evidence.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report::html {
namespace {

constexpr std::size_t kMostListed = 8;  ///< Findings of one name but for their keys.

/// Parts of a GPU, in the order of the summary, each with the beginnings of its findings' names.
/// Of several beginnings that fit, the longest decides.
struct PartRow {
  std::string_view title;
  std::array<std::string_view, 4> prefixes;
};
constexpr PartRow kParts[] = {
    {"L1", {"l1.", "bandwidth.l1", "global.ca."}},
    {"Shared memory", {"shared.", "bandwidth.shared"}},
    {"L2", {"l2.", "bandwidth.l2", "global.cg."}},
    {"Global memory", {"global.", "miss.", "bandwidth.", "memory."}},
    {"Translation", {"tlb.", "tex.tlb."}},
    {"Textures", {"tex."}},
    {"Constants", {"const."}},
    {"Code", {"inst."}},
    {"Requests in flight", {"outstanding.", "scoreboard."}},
    {"Execution units", {"pipe.", "op.", "peak."}},
    {"Registers", {"regfile."}},
};
constexpr std::string_view kOtherPart = "Clock, control flow and others";

std::string_view part_title(const std::string& finding) {
  std::size_t longest = 0;
  std::string_view title = kOtherPart;
  for (const PartRow& part : kParts)
    for (const std::string_view prefix : part.prefixes)
      if (prefix.size() > longest && finding.starts_with(prefix)) {
        longest = prefix.size();
        title = part.title;
      }
  return title;
}

/// A finding's name with the group that it is of, and where its evidence stands.
struct SummaryRow {
  std::string name;
  const Group* group;
  Id link;
  std::size_t keys = 0;  ///< Not 0: so many findings of that name but for their keys.
};

std::vector<std::string> summary_names(const Group& group) {
  std::vector<std::string> names;
  for (const Member& member : group.members)
    for (const Finding& finding : member.result->findings)
      if (!finding.name.starts_with("outcome[") && !contains(names, finding.name))
        names.push_back(finding.name);
  return names;
}

std::vector<SummaryRow> summary_rows(const Group& group, const Id& id) {
  const std::vector<std::string> names = summary_names(group);
  const std::vector<EvidenceFigure> figures = evidence_figures(group, id);
  std::map<std::string, std::size_t> keys;
  for (const std::string& name : names)
    if (name.ends_with(']')) ++keys[unkeyed(name)];
  std::vector<SummaryRow> rows;
  for (const std::string& name : names) {
    const std::string base = unkeyed(name);
    const bool many = name.ends_with(']') && keys[base] > kMostListed;
    if (!many) {
      const Id link = evidence_id(group, figures, name, id);
      rows.push_back({name, &group, link.empty() ? id + "-findings" : link, 0});
    } else if (std::ranges::none_of(rows, [&](const SummaryRow& row) { return row.name == base; }))
      rows.push_back({base, &group, id + "-findings", keys[base]});
  }
  return rows;
}

/// Under a value: its share of what the device reports as the most; "" where it reports none.
std::string share_note(const Finding& finding, const DeviceInfo& device) {
  const std::string share = peak_text(finding, device);
  return share.empty() ? share : element("div", "note", share + " of the reported peak");
}

/// Whether some finding has a paper's value: else there is no column of them.
bool shows_papers(const std::vector<Run>& runs) {
  return std::ranges::any_of(runs, [](const Run& run) {
    return std::ranges::any_of(run.document.result.experiments, [](const ExperimentResult& each) {
      return std::ranges::any_of(each.findings,
                                 [](const Finding& finding) { return finding.paper.has_value(); });
    });
  });
}

/// Of one run: value, interval and verdict have columns of their own.
std::string single_cells(const Finding* finding, const DeviceInfo& device) {
  if (!finding) return "<td></td><td></td><td></td>";
  return "<td>" + element("strong", "", value_text(*finding)) + share_note(*finding, device) +
         "</td><td>" + escape(interval_text(*finding)) + "</td><td>" +
         verdict_span(*finding, device) + "</td>";
}

std::string compared_cell(const Finding* finding, const DeviceInfo& device) {
  if (!finding) return "<td class=\"none\">–</td>";
  if (finding->verdict != Verdict::measured)
    return "<td>" + verdict_span(*finding, device) + "</td>";
  const std::string interval = spread_text(*finding);
  return "<td>" + element("strong", "", value_text(*finding)) +
         (interval.empty() ? "" : "<br>" + escape(interval)) + share_note(*finding, device) +
         "</td>";
}

/// The member of the run in the group; nullptr: the run has no such experiment.
const Member* member_of(const Group& group, const Run& run) {
  return find_in(group.members, &run, &Member::run);
}

std::string under_name(const SummaryRow& row) {
  if (row.name.starts_with("bandwidth.l1") || row.name.starts_with("bandwidth.shared"))
    return element("div", "note", "of one SM");
  if (row.name != "l2.capacity") return {};
  const Member& first = row.group->members.front();
  const bool part =
      is_part_of_l2(find_finding(first, row.name), find_finding(first, "l2.whole_capacity"));
  return part ? element("div", "note", "the part that one SM reaches") : std::string();
}

std::string summary_row(const SummaryRow& row, const std::vector<Run>& runs) {
  std::string cells, paper;
  for (const Run& run : runs) {
    const Member* member = member_of(*row.group, run);
    const Finding* finding = member && row.keys == 0 ? find_finding(*member, row.name) : nullptr;
    static const DeviceInfo none;
    const DeviceInfo& device = member ? member->result->device : none;
    cells += runs.size() > 1 ? compared_cell(finding, device) : single_cells(finding, device);
    if (finding && paper.empty()) paper = paper_text(*finding);
  }
  const std::string name =
      row.keys > 0 ? fmt::format("{}[…] {} values", row.name, row.keys) : row.name;
  return fmt::format("<tr><th scope=\"row\"><a href=\"#{}\"><code>{}</code></a>{}</th>{}</tr>\n",
                     row.link, escape(name), under_name(row),
                     cells + (shows_papers(runs) ? element("td", "", paper) : std::string()));
}

std::string summary_head(const std::vector<Run>& runs) {
  std::string cells = "<th scope=\"col\">finding</th>";
  for (const Run& run : runs)
    cells += runs.size() > 1 ? element("th", "", run.name + ", " + device_of_run(run))
                             : "<th scope=\"col\">value</th><th scope=\"col\">interval</th>"
                               "<th scope=\"col\">verdict</th>";
  if (shows_papers(runs)) cells += "<th scope=\"col\">paper</th>";
  return "<thead><tr>" + cells + "</tr></thead>";
}

/// The groups' findings of one part; empty where there is none.
std::string summary_part(std::string_view title, const std::vector<SummaryRow>& rows,
                         const std::vector<Run>& runs) {
  std::string out;
  for (const SummaryRow& row : rows)
    if (part_title(row.name) == title) out += summary_row(row, runs);
  if (out.empty()) return {};
  const std::size_t columns =
      (runs.size() > 1 ? runs.size() + 1 : 4) + (shows_papers(runs) ? 1 : 0);
  return fmt::format(
      "<tbody><tr><th class=\"part\" scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n{}"
      "</tbody>",
      columns, escape(title), out);
}

}  // namespace

std::string device_of_run(const Run& run) {
  const auto& experiments = run.document.result.experiments;
  return experiments.empty() ? "no device" : experiments.front().device.name;
}

std::string summary(const std::vector<Group>& groups, const std::vector<Run>& runs,
                    const Id& prefix) {
  std::vector<SummaryRow> rows;
  for (std::size_t i = 0; i < groups.size(); ++i)
    std::ranges::move(summary_rows(groups[i], fmt::format("{}{}", prefix, i + 1)),
                      std::back_inserter(rows));
  std::string parts;
  for (const PartRow& part : kParts) parts += summary_part(part.title, rows, runs);
  parts += summary_part(kOtherPart, rows, runs);
  if (parts.empty()) return {};
  return "<section id=\"summary\" aria-labelledby=\"summary-title\">\n"
         "<h2 id=\"summary-title\">Summary</h2>\n"
         "<p class=\"note\">measured (modelled on a virtual GPU): the samples support the value "
         "within the interval. not observed: looked for over the whole sweep, and absent. "
         "inconclusive: the samples cannot decide. A finding's name links to its evidence.</p>\n" +
         scrolling("All findings", fmt::format("<table class=\"findings\"><caption>All findings"
                                               "</caption>{}{}</table>",
                                               summary_head(runs), parts)) +
         "</section>\n";
}

}  // namespace gpx::report::html
