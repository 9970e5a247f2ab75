// Tables as Markdown and LaTeX. Interface: runtime/report/text_table.h.
#include "runtime/report/text_table.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "lang/lists.h"
#include "runtime/report/style.h"
#include "runtime/report/tikz.h"

namespace gpx::report {
namespace {

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

std::string latex_row(const std::vector<std::string>& cells) {
  return joined(cells, " & ", latex_cell) + " \\\\\n";
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += ' ' + markdown_text(cell) + " |";
  return row + '\n';
}

}  // namespace

std::string markdown_text(const std::string& text) {
  constexpr std::string_view kMarkup = "|\\`*_<[&~";
  std::string out;
  for (const char c : fit({false, true, 0}, text)) {
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string to_markdown(const TextTable& table) {
  std::string out;
  if (!table.title.empty())
    out = fmt::format("**{}**{}\n\n", markdown_text(table.title), markdown_text(table.about));
  out += markdown_row(table.header) + '|';
  for (std::size_t i = 0; i < table.header.size(); ++i) out += "---|";
  out += '\n';
  for (const auto& row : table.rows) out += markdown_row(row);
  return out;
}

std::string to_latex(const TextTable& table) {
  std::string out;
  if (!table.title.empty())
    out = fmt::format("% {}{}\n", latex_escaped(table.title), latex_escaped(table.about));
  out +=
      fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n", std::string(table.header.size(), 'l'));
  out += latex_row(table.header) + "\\midrule\n";
  for (const auto& row : table.rows) out += latex_row(row);
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string tables_as(TableFormat format, const std::vector<TextTable>& tables) {
  std::string out = format == TableFormat::latex ? "% \\usepackage{booktabs}\n" : "";
  for (const TextTable& table : tables) {
    if (format == TableFormat::latex) out += to_latex(table);
    if (format == TableFormat::markdown) out += (out.empty() ? "" : "\n") + to_markdown(table);
  }
  return out;
}

}  // namespace gpx::report
