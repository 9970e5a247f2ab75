// The index, the devices, and the list of findings. Interface: pages.h.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/atlas/pages.h"
#include "runtime/fleet/text.h"
#include "runtime/report/html/text.h"

namespace gpx::atlas {
namespace {

using report::html::element;
using report::html::escape;

constexpr std::size_t kListBytes = 300 * 1000;  ///< Of a page's rows.
const Link kHome{"Atlas", "index.html"};

std::vector<std::size_t> boards_of(const Atlas& atlas, std::size_t device) {
  std::vector<std::size_t> boards;
  for (std::size_t i = 0; i < atlas.device_of.size(); ++i)
    if (atlas.device_of[i] == device) boards.push_back(i);
  return boards;
}

std::size_t runs_of(const Atlas& atlas, const std::vector<std::size_t>& boards) {
  std::size_t runs = 0;
  for (const std::size_t board : boards) runs += atlas.board(board).runs.size();
  return runs;
}

std::string device_row(const Atlas& atlas, std::size_t device) {
  const auto boards = boards_of(atlas, device);
  const auto odd = std::ranges::count_if(
      boards, [&](std::size_t board) { return atlas.likeness(board).stands_out(); });
  const std::string name =
      link({atlas.devices[device], "devices/" + atlas.device_files[device] + ".html"}, 0);
  return row({"<th scope=\"row\">" + name + "</th>", cell(std::to_string(boards.size())),
              cell(std::to_string(runs_of(atlas, boards))), cell(std::to_string(odd)),
              cell(badge(atlas.board(boards.front())))});
}

std::string board_row(const Atlas& atlas, std::size_t board) {
  const fleet::Board& own = atlas.board(board);
  std::string newest;
  for (const fleet::BoardRun& run : own.runs) newest = std::max(newest, run.started.substr(0, 10));
  std::string causes;
  for (const fleet::Likeness::Cause& cause : atlas.likeness(board).causes)
    causes += element("div", "note", "likely cause: " + cause.name);
  return row({"<th scope=\"row\">" +
                  link({own.serial, "boards/" + atlas.board_files[board] + ".html"}, 1) + "</th>",
              cell(verdict_mark(atlas.likeness(board)) + causes),
              cell(std::to_string(own.runs.size())),
              cell(std::to_string(atlas.cells.by_board[board].size())),
              cell(escape(fleet::counts_text(*atlas.fleet, atlas.likeness(board)))),
              cell(escape(newest))});
}

std::string finding_row(const Atlas& atlas, std::size_t finding) {
  const fleet::FindingName& name = atlas.finding(finding);
  const auto& cells = atlas.cells.by_finding[finding];
  const auto odd = std::ranges::count_if(cells, [](const Cell* each) {
    return each->judged && each->judged->standing != fleet::Standing::same &&
           each->judged->standing != fleet::Standing::ambiguous;
  });
  const std::string file = "findings/" + atlas.finding_files[finding] + ".html";
  return row({"<th scope=\"row\"><code>" + link({name.name, file}, 1) + "</code></th>",
              cell(escape(name.experiment)), cell(escape(name.unit)),
              cell(std::to_string(cells.size())), cell(odd ? std::to_string(odd) : "")});
}

std::vector<File> listed(SitePage page, const std::string& label,
                         const std::vector<std::string>& heads,
                         const std::vector<std::string>& rows, const std::string& folder,
                         const std::string& file) {
  const std::string before = page.body;
  std::vector<File> files;
  for (const Paged& part : paged(rows, kListBytes, folder, file)) {
    page.body = before + part.links + table(label, heads, part.rows) + part.links;
    files.push_back({part.path, page_text(page)});
  }
  return files;
}

std::string findings_note(const Atlas& atlas) {
  return fmt::format("<p>{} boards of {} devices, {} findings.</p>\n<p>{} {}</p>\n",
                     atlas.fleet->boards.size(), atlas.devices.size(), atlas.fleet->findings.size(),
                     link({"All findings", "findings/index.html"}, 0),
                     link({"Two boards side by side", "compare.html"}, 0));
}

}  // namespace

std::vector<File> index_files(const Atlas& atlas) {
  SitePage page;
  page.title = "Atlas of boards";
  page.crumbs = {kHome};
  page.body = findings_note(atlas);
  std::vector<std::string> devices, findings;
  for (std::size_t i = 0; i < atlas.devices.size(); ++i) devices.push_back(device_row(atlas, i));
  std::vector<File> files =
      listed(page, "Devices", {"device", "boards", "runs", "boards that stand out", "kind"},
             devices, "", "index");
  for (std::size_t i = 0; i < atlas.fleet->findings.size(); ++i)
    findings.push_back(finding_row(atlas, i));
  SitePage all;
  all.title = "Findings";
  all.depth = 1;
  all.crumbs = {kHome, {"Findings", "findings/index.html"}};
  auto more =
      listed(all, "Findings", {"finding", "experiment", "unit", "boards", "boards that differ"},
             findings, "findings/", "index");
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

std::vector<File> device_files(const Atlas& atlas, std::size_t device) {
  const auto boards = boards_of(atlas, device);
  SitePage page;
  page.title = atlas.devices[device];
  page.depth = 1;
  page.crumbs = {kHome, {page.title, "devices/" + atlas.device_files[device] + ".html"}};
  page.body = "<p>" + badge(atlas.board(boards.front())) + "</p>\n";
  std::vector<std::string> rows;
  CsvWriter csv = csv_of({"serial", "runs", "findings", "verdict", "counts"});
  std::string json =
      "{\"schema\":1,\"device\":" + report::html::json_text(page.title) + ",\"boards\":[";
  for (const std::size_t board : boards) {
    const fleet::Board& own = atlas.board(board);
    const fleet::Likeness& likeness = atlas.likeness(board);
    rows.push_back(board_row(atlas, board));
    const std::string verdict = fleet::verdict_of(likeness);
    csv.text(own.serial).number(static_cast<double>(own.runs.size()));
    csv.number(static_cast<double>(atlas.cells.by_board[board].size())).text(verdict);
    csv.text(fleet::counts_text(*atlas.fleet, likeness)).end_row();
    json += fmt::format("{}\n{{\"serial\":{},\"page\":{},\"runs\":{},\"verdict\":{}}}",
                        board == boards.front() ? "" : ",", report::html::json_text(own.serial),
                        report::html::json_text("boards/" + atlas.board_files[board] + ".html"),
                        own.runs.size(), report::html::json_text(verdict));
  }
  page.body += "<p>" + beside(atlas.device_files[device]) + "</p>\n";
  auto files = listed(page, "Boards",
                      {"board", "verdict", "runs", "findings", "findings by verdict", "newest"},
                      rows, "devices/", atlas.device_files[device]);
  const std::string path = "devices/" + atlas.device_files[device];
  files.push_back({path + ".csv", csv.written()});
  files.push_back({path + ".json", json + "]}\n"});
  return files;
}

}  // namespace gpx::atlas
