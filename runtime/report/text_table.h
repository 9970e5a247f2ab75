// Tables as Markdown and as LaTeX, the only writers of either: no text makes markup of its own.
// Covered by tests/report/findings_export_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace gpx::report {

struct TextTable {
  std::string title;  ///< "kepler_prt"; "" for none.
  std::string about;  ///< " on k20 (virtual): a model, not a measurement"; or "".
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// A text as Markdown that shows it as it is, on one line: it makes no markup, no link (`[`, `<`),
/// no entity, and does not end a cell of a table.
std::string markdown_text(const std::string& text);

std::string to_markdown(const TextTable& table);
/// For booktabs.
std::string to_latex(const TextTable& table);

enum class TableFormat { csv, markdown, latex };

/// One after another: Markdown or LaTeX.
std::string tables_as(TableFormat format, const std::vector<TextTable>& tables);

}  // namespace gpx::report
