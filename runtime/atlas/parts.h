// The parts that the pages of an atlas share. Covered by tests/fleet/atlas_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/atlas/site.h"
#include "runtime/measure/csv.h"
#include "runtime/report/heat_map.h"

namespace gpx::atlas {

/// All that pages are made of.
struct Atlas {
  const fleet::Fleet* fleet = nullptr;
  const std::vector<fleet::Likeness>* likenesses = nullptr;
  Cells cells;
  std::vector<std::string> board_files, finding_files;  ///< Without their endings.
  std::vector<std::string> devices, device_files;
  std::vector<std::size_t> device_of;  ///< By board.

  const fleet::Board& board(std::size_t index) const { return fleet->boards[index]; }
  const fleet::Likeness& likeness(std::size_t index) const { return (*likenesses)[index]; }
  const fleet::FindingName& finding(std::size_t index) const { return fleet->findings[index]; }
};
Atlas atlas_of(const fleet::Fleet& fleet, const std::vector<fleet::Likeness>& likenesses);

/// A link within the site, from a page whose folder is `depth` below its root.
struct Link {
  std::string text, path;
};

struct SitePage {
  std::string title;
  std::vector<Link> crumbs;  ///< From the index down; paths from the root.
  std::string body;
  int depth = 0;         ///< Folders between it and the root.
  bool figures = false;  ///< Of report.js.
  std::string script;    ///< A file of the root; "": none.
};
std::string page_text(const SitePage& page);

/// "<a href=…>", from a page at `depth`.
std::string link(const Link& to, int depth);
/// Of a table: a row of headings, then the rows as they are.
std::string table(const std::string& label, const std::vector<std::string>& heads,
                  const std::string& rows, const std::string& css = "findings");
std::string cell(const std::string& markup, const std::string& css = "");
std::string row(const std::vector<std::string>& cells);

/// "slower", "same", "not compared", coloured.
std::string standing_mark(const Atlas& atlas, const Cell& cell);
/// "like its peers", coloured.
std::string verdict_mark(const fleet::Likeness& likeness);
std::string badge(const fleet::Board& board);

/// "measured", "modelled" of a model's, …
std::string verdict_word(const Atlas& atlas, const Cell& cell);

/// Links to the JSON and CSV files beside a page.
std::string beside(const std::string& file);

/// Rows in pages of `most`, with links between them: the path of each page is `file`, then file-2,
/// ….
struct Paged {
  std::string path, rows, links;
};
std::vector<Paged> paged(const std::vector<std::string>& rows, std::size_t most_bytes,
                         const std::string& folder, const std::string& file);

/// A head of CSV.
CsvWriter csv_of(const std::vector<std::string>& columns);

}  // namespace gpx::atlas
