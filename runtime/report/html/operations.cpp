// The table of operations as a page. Interface: runtime/report/report.h.
// Covered by tests/report/operations_test.cpp.
#include <fmt/format.h>

#include "runtime/report/html/assets.h"
#include "runtime/report/html/frame.h"
#include "runtime/report/html/text.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

using html::element;
using html::escape;

std::string cell_of(const std::optional<Finding>& finding) {
  const double* value = finding ? std::get_if<double>(&finding->value) : nullptr;
  return element("td", "number", value ? brief(*value) : "–");
}

std::string row_of(const OperationLine& line, const DeviceInfo& device) {
  std::string row = "<tr>" + element("th", "", line.name);
  for (const std::string& cell : {line.type, line.rounding, line.sources, line.unit})
    row += element("td", "", cell);
  row += cell_of(line.latency) + cell_of(line.throughput);
  for (const std::string& cell :
       {line.opcodes, operation_verdict_text(line, device), operation_note(line)})
    row += element("td", "", cell);
  return row + "</tr>\n";
}

}  // namespace

std::string to_html(const OperationTable& table) {
  const std::string title = "Operations of " + table.device.name;
  std::string rows;
  for (const OperationLine& line : table.lines) rows += row_of(line, table.device);
  std::string warnings;
  for (const std::string& warning : table.warnings) warnings += element("p", "", warning) + '\n';
  std::string heads;
  for (const char* head :
       {"Operation", "Type", "Rounding", "Sources", "Unit", "Latency (clocks)",
        "Throughput (per clock and SM)", "Machine instructions", "Verdict", "Note"})
    heads += element("th", "", head);
  const std::string model = table.device.measured ? "" : " A value of a virtual GPU is a model's.";
  html::Frame frame;
  frame.title = title;
  frame.policy = "style-src 'unsafe-inline'";
  frame.head = fmt::format("<style>\n{}</style>\n", html::assets::css);
  frame.body =
      warnings +
      html::scrolling("Operations", fmt::format("<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n"
                                                "{}</tbody>\n</table>\n",
                                                heads, rows));
  frame.footer = model;
  return html::framed(frame);
}

}  // namespace gpx::report
