// Findings of points, such as blocks[n=1], as a table of points by quantity; and the line under a
// result that tells which point has which value. Interface: sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lang/lists.h"
#include "runtime/report/figures.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"
#include "runtime/report/number.h"

namespace gpx::report::html {
namespace {

constexpr std::size_t kFewestPoints = 3, kFewestQuantities = 2, kMostListedPoints = 3;

/// "occupancy.blocks" and "n=1" of occupancy.blocks[n=1]; no point: "".
std::pair<std::string, std::string> split_name(const std::string& name) {
  const std::size_t open = name.find('[');
  if (open == std::string::npos || name.back() != ']') return {name, ""};
  return {name.substr(0, open), name.substr(open + 1, name.size() - open - 2)};
}

/// The last word of "occupancy.blocks": the caption has the rest.
std::string short_quantity(const std::string& quantity) {
  return quantity.substr(quantity.rfind('.') + 1);
}

std::string verdict_of(const Group& group, const PointFindings& all) {
  std::set<std::string> verdicts;
  for (const std::string& name : all.names)
    for (const Member& member : group.members)
      if (const Finding* finding = find_finding(member, name))
        verdicts.insert(verdict_text(*finding, member.result->device));
  return verdicts.size() == 1 ? *verdicts.begin() : "";
}

std::string cell_of(const Finding* finding, const DeviceInfo& device, bool with_verdict) {
  if (!finding) return "<td class=\"none\">none</td>";
  std::string content = escape(value_and_interval(*finding));
  if (with_verdict) content += ' ' + verdict_span(*finding, device);
  return fmt::format(
      "<td{}>{}</td>",
      finding->note.empty() ? "" : fmt::format(" title=\"{}\"", escape(finding->note)), content);
}

std::string head_of(const Group& group, const PointFindings& all) {
  const bool several = group.members.size() > 1;
  std::string cells = "<th scope=\"col\">point</th>";
  for (const std::string& quantity : all.quantities)
    for (const Member& member : group.members) {
      const std::string name = short_quantity(quantity);
      cells += element("th", "", several ? name + ", " + member.label : name);
    }
  return "<thead><tr>" + cells + "</tr></thead>";
}

/// A point with the steps that led to its findings, each once, folded.
std::string head_of_row(const Group& group, const PointFindings& all, const std::string& point) {
  std::vector<std::string> steps;
  for (const std::string& quantity : all.quantities)
    for (const Member& member : group.members)
      if (const Finding* finding = find_finding(member, fmt::format("{}[{}]", quantity, point)))
        for (const std::string& step : finding->steps) add_once(steps, step);
  std::string items;
  for (const std::string& step : steps) items += element("li", "", step);
  return "<th scope=\"row\">" + escape(point) +
         (items.empty() ? ""
                        : folded("How it was found", "<ol class=\"note\">" + items + "</ol>")) +
         "</th>";
}

const Column* shown_column(const Samples& curves) {
  for (const Column* column : shown_columns(curves))
    if (std::ranges::any_of(column->numbers, [](double v) { return std::isfinite(v); }))
      return column;
  return nullptr;
}

std::string factor_text(double low, double high) {
  return low > 0 && high > low ? fmt::format("; {:.2g}x", high / low) : "";
}

}  // namespace

PointFindings point_findings(const Group& group, const std::vector<std::string>& names) {
  PointFindings all;
  for (const std::string& name : names) {
    const auto [quantity, point] = split_name(name);
    const bool plain = std::ranges::all_of(group.members, [&](const Member& member) {
      const Finding* finding = find_finding(member, name);
      return !finding || (finding->probes.empty() && !finding->paper && !finding->confidence);
    });
    if (point.empty() || !plain) continue;
    all.names.push_back(name);
    add_once(all.quantities, quantity);
    add_once(all.points, point);
  }
  if (all.points.size() < kFewestPoints || all.quantities.size() < kFewestQuantities) return {};
  return all;
}

std::string point_table(const Group& group, const PointFindings& all, const Id& evidence) {
  const std::string verdict = verdict_of(group, all);
  std::string rows;
  for (const std::string& point : all.points) {
    std::string cells = head_of_row(group, all, point);
    for (const std::string& quantity : all.quantities)
      for (const Member& member : group.members)
        cells += cell_of(find_finding(member, fmt::format("{}[{}]", quantity, point)),
                         member.result->device, verdict.empty());
    rows += "<tr>" + cells + "</tr>\n";
  }
  const std::string label = fmt::format("Findings of {} by point", group.name);
  const std::string link =
      evidence.empty()
          ? ""
          : fmt::format(
                " <a class=\"note\" href=\"#{}\" aria-label=\"Evidence of the points\">"
                "evidence</a>",
                evidence);
  return fmt::format("<p class=\"note\">{} points{}.{}</p>", all.points.size(),
                     verdict.empty() ? "" : ", each value " + verdict, link) +
         scrolling(label, fmt::format("<table class=\"points\">{}<tbody>{}</tbody></table>",
                                      head_of(group, all), rows));
}

std::string extremes(const ExperimentResult& result) {
  const Samples& curves = result.curves;
  const Column* column = shown_column(curves);
  if (!column || measured_points(curves) != curves.rows()) return {};
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < curves.rows(); ++row)
    if (std::isfinite(column->numbers[row]) && !place_text(curves, row).empty())
      rows.push_back(row);
  if (rows.size() < 2) return {};
  const auto by_value = [&](std::size_t a, std::size_t b) {
    return column->numbers[a] < column->numbers[b];
  };
  const auto [low, high] = std::ranges::minmax_element(rows, by_value);
  const double least = column->numbers[*low], greatest = column->numbers[*high];
  const auto at = [&](std::size_t row) {
    return fmt::format("{}: {}", place_text(curves, row),
                       with_unit(column->numbers[row], unit_symbol(column->unit)));
  };
  std::string text = column->name + ' ';
  if (rows.size() <= kMostListedPoints) {
    for (const std::size_t row : rows) text += (row == rows.front() ? "" : "; ") + at(row);
  } else if (least == greatest) {
    return {};
  } else {
    text += fmt::format("least at {}; greatest at {}", at(*low), at(*high));
  }
  return text + factor_text(least, greatest);
}

}  // namespace gpx::report::html
