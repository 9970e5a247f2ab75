#include "runtime/report/findings_export.h"

#include <fmt/format.h>

#include <vector>

#include "runtime/report/finding_text.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"
#include "runtime/report/tikz.h"

namespace gpx::report {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string csv_value(const Finding& finding) {
  if (const auto* number = std::get_if<double>(&finding.value)) return exact(*number);
  if (const auto* truth = std::get_if<bool>(&finding.value)) return *truth ? "true" : "false";
  if (std::holds_alternative<std::monostate>(finding.value)) return {};
  return value_text(finding);
}

/// As JSON spells it, but nothing that a model gave is measured.
std::string spelled_verdict(const Finding& f, const DeviceInfo& device) {
  return f.verdict == Verdict::measured ? verdict_text(f, device)
                                        : std::string(to_string(f.verdict));
}

std::string device_of(const ExperimentResult& result) {
  return result.device.name + (is_virtual(result) ? " (virtual)" : "");
}

std::string to_csv_table(const RunResult& run) {
  std::string out =
      "experiment,device,measured_on_hardware,finding,value,unit,low,high,verdict,confidence,paper,"
      "note\n";
  for (const ExperimentResult& result : run.experiments)
    for (const Finding& f : result.findings) {
      const std::vector<std::string> cells = {result.experiment.name,
                                              result.device.name,
                                              is_virtual(result) ? "false" : "true",
                                              f.name,
                                              csv_value(f),
                                              f.unit,
                                              f.low ? exact(*f.low) : "",
                                              f.high ? exact(*f.high) : "",
                                              spelled_verdict(f, result.device),
                                              f.confidence ? exact(*f.confidence) : "",
                                              paper_text(f),
                                              f.note};
      for (std::size_t i = 0; i < cells.size(); ++i) out += (i ? "," : "") + csv_cell(cells[i]);
      out += '\n';
    }
  return out;
}

/// A pipe would end the cell.
std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : fit({false, true, 0}, text)) {
    if (std::string_view("|\\`*_<").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> read_cells(const Finding& f, const DeviceInfo& device) {
  return {f.name, value_text(f), interval_text(f), verdict_text(f, device), paper_text(f)};
}

std::string to_markdown(const RunResult& run) {
  std::string out;
  for (const ExperimentResult& result : run.experiments) {
    if (result.findings.empty()) continue;
    out += fmt::format("{}**{}** on {}{}\n\n", out.empty() ? "" : "\n",
                       markdown_cell(result.experiment.name), markdown_cell(device_of(result)),
                       is_virtual(result) ? ": a model, not a measurement" : "");
    out += "| finding | value | interval | verdict | paper |\n|---|---|---|---|---|\n";
    for (const Finding& finding : result.findings) {
      out += '|';
      for (const std::string& cell : read_cells(finding, result.device))
        out += ' ' + markdown_cell(cell) + " |";
      out += '\n';
    }
  }
  return out;
}

/// The dots of an interval and comparisons as LaTeX sets them.
std::string latex_cell(const std::string& text) {
  std::string out = latex_escaped(text);
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"..", "--"},
                                 {"≥", "$\\geq$"},
                                 {"≤", "$\\leq$"},
                                 {"µ", "$\\mu$"},
                                 {"–", "--"}})
    for (std::size_t at = out.find(from); at != std::string::npos;
         at = out.find(from, at + to.size()))
      out.replace(at, from.size(), to);
  return out;
}

std::string to_latex(const RunResult& run) {
  std::string out = "% \\usepackage{booktabs}\n";
  for (const ExperimentResult& result : run.experiments) {
    if (result.findings.empty()) continue;
    out += fmt::format("% {} on {}{}\n", latex_escaped(result.experiment.name),
                       latex_escaped(device_of(result)),
                       is_virtual(result) ? ": a model, not a measurement" : "");
    out +=
        "\\begin{tabular}{lllll}\n\\toprule\nfinding & value & interval & verdict & paper "
        "\\\\\n\\midrule\n";
    for (const Finding& finding : result.findings) {
      std::string row;
      for (const std::string& cell : read_cells(finding, result.device))
        row += (row.empty() ? "" : " & ") + latex_cell(cell);
      out += row + " \\\\\n";
    }
    out += "\\bottomrule\n\\end{tabular}\n";
  }
  return out;
}

}  // namespace

std::optional<TableFormat> table_format(std::string_view name) {
  if (name == "csv") return TableFormat::csv;
  if (name == "md") return TableFormat::markdown;
  if (name == "tex") return TableFormat::latex;
  return std::nullopt;
}

std::string findings_as(TableFormat format, const RunResult& result) {
  switch (format) {
    case TableFormat::csv:
      return to_csv_table(result);
    case TableFormat::markdown:
      return to_markdown(result);
    case TableFormat::latex:
      return to_latex(result);
  }
  return {};
}

}  // namespace gpx::report
