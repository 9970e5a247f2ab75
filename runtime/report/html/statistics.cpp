// Statistics: what each observed column shows over the sweep, as a table. Interface: sections.h.
#include <fmt/format.h>

#include "runtime/report/figures.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"

namespace gpx::report::html {
namespace {

std::string statistics_row(const Table::Row& row) {
  std::string cells;
  for (std::size_t c = 0; c < row.cells.size(); ++c)
    cells += c == 0 ? fmt::format("<th scope=\"row\">{}</th>", escape(row.cells[c].text))
                    : element("td", "", row.cells[c].text);
  return "<tr>" + cells + "</tr>\n";
}

}  // namespace

std::string statistics(const Member& member) {
  const Table table = summary_table(*member.result, {.derived_only = false, .all = true});
  if (table.empty()) return {};
  std::string rows, notes;
  for (const Table::Row& row : table.rows()) {
    rows += statistics_row(row);
    for (const std::string& note : row.notes) notes += element("p", "note", note);
  }
  const std::string label = "Statistics on " + member.label;
  return folded(label, scrolling(label, "<table>" + table_head(table.header()) + "<tbody>" + rows +
                                            "</tbody></table>") +
                           notes);
}

}  // namespace gpx::report::html
