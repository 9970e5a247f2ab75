#include "runtime/atlas/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/fleet/text.h"
#include "runtime/report/html/frame.h"
#include "runtime/report/html/text.h"

namespace gpx::atlas {
namespace {

using report::html::element;
using report::html::escape;

std::string up(int depth) {
  std::string path;
  for (int i = 0; i < depth; ++i) path += "../";
  return path;
}

std::string_view standing_css(fleet::Standing standing) {
  switch (standing) {
    case fleet::Standing::same: return "verdict good";
    case fleet::Standing::ambiguous: return "verdict fair";
    default: return "verdict poor";
  }
}

std::string crumbs_of(const SitePage& page) {
  std::string items;
  for (const Link& each : page.crumbs) items += "<li>" + link(each, page.depth) + "</li>";
  return "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<nav class=\"crumbs\" "
         "aria-label=\"Where this page is\"><ul>" +
         items + "</ul></nav>\n";
}

}  // namespace

Atlas atlas_of(const fleet::Fleet& fleet, const std::vector<fleet::Likeness>& likenesses) {
  Atlas atlas;
  atlas.fleet = &fleet;
  atlas.likenesses = &likenesses;
  atlas.cells = cells_of(fleet, likenesses);
  FileNames boards, findings, devices;
  for (const fleet::Board& board : fleet.boards) {
    atlas.board_files.push_back(boards.of(board.serial));
    auto at = std::ranges::find(atlas.devices, board.device);
    if (at == atlas.devices.end()) {
      atlas.device_files.push_back(devices.of(board.device));
      atlas.devices.push_back(board.device);
      at = std::prev(atlas.devices.end());
    }
    atlas.device_of.push_back(static_cast<std::size_t>(at - atlas.devices.begin()));
  }
  for (const fleet::FindingName& finding : fleet.findings)
    atlas.finding_files.push_back(findings.of(finding.experiment + '.' + finding.name));
  return atlas;
}

std::string link(const Link& to, int depth) {
  return fmt::format("<a href=\"{}{}\">{}</a>", up(depth), escape(to.path), escape(to.text));
}

std::string page_text(const SitePage& page) {
  const std::string root = up(page.depth);
  report::html::Frame frame;
  frame.title = page.title;
  frame.policy = "style-src 'self' 'unsafe-inline'; script-src 'self'; img-src data:";
  frame.head = fmt::format(
      "<link rel=\"stylesheet\" href=\"{0}report.css\">\n"
      "<link rel=\"stylesheet\" href=\"{0}atlas.css\">\n",
      root);
  frame.before = crumbs_of(page);
  frame.body = page.body;
  if (page.figures) {
    frame.head += fmt::format("<link rel=\"stylesheet\" href=\"{}uplot.css\">\n", root);
    frame.last += fmt::format(
        "<script src=\"{0}uplot.js\"></script>\n<script src=\"{0}report.js\"></script>\n", root);
  }
  if (!page.script.empty())
    frame.last += fmt::format("<script src=\"{}{}\"></script>\n", root, page.script);
  return report::html::framed(frame);
}

std::string table(const std::string& label, const std::vector<std::string>& heads,
                  const std::string& rows, const std::string& css) {
  return report::html::scrolling(
      label, fmt::format("<table class=\"{}\"><caption>{}</caption>{}<tbody>\n{}</tbody></table>",
                         css, escape(label), report::html::table_head(heads), rows));
}

std::string cell(const std::string& markup, const std::string& css) {
  return css.empty() ? "<td>" + markup + "</td>"
                     : fmt::format("<td class=\"{}\">{}</td>", css, markup);
}

std::string row(const std::vector<std::string>& cells) {
  std::string out = "<tr>";
  for (const std::string& each : cells) out += each;
  return out + "</tr>\n";
}

std::string standing_mark(const Atlas& atlas, const Cell& one) {
  if (!one.judged) return "<span class=\"none\">not compared</span>";
  return element("span", standing_css(one.judged->standing),
                 fleet::standing_word(atlas.finding(one.finding), one.judged->standing));
}

std::string verdict_mark(const fleet::Likeness& likeness) {
  const std::string word = fleet::verdict_of(likeness);
  const char* css = likeness.stands_out()    ? "verdict poor"
                    : likeness.measured == 0 ? "verdict"
                                             : "verdict good";
  return element("span", css, word);
}

std::string badge(const fleet::Board& board) {
  return board.info.measured
             ? element("span", "badge real", board.device + ": measured")
             : element("span", "badge virtual",
                       "virtual GPU " + board.device.substr(0, board.device.find(" (")) +
                           ": a model, not a measurement");
}

std::string verdict_word(const Atlas& atlas, const Cell& one) {
  if (one.verdict == Verdict::measured && !atlas.board(one.board).info.measured) return "modelled";
  return one.verdict == Verdict::not_observed ? "not observed"
                                              : std::string(to_string(one.verdict));
}

std::string beside(const std::string& file) {
  return fmt::format("<a href=\"{0}.json\">JSON</a> <a href=\"{0}.csv\">CSV</a>", escape(file));
}

std::vector<Paged> paged(const std::vector<std::string>& rows, std::size_t most_bytes,
                         const std::string& folder, const std::string& file) {
  std::vector<Paged> pages;
  const auto name = [&](std::size_t page) {
    return page == 0 ? file : fmt::format("{}-{}", file, page + 1);
  };
  for (const std::string& each : rows) {
    if (pages.empty() || pages.back().rows.size() + each.size() > most_bytes)
      pages.push_back({folder + name(pages.size()) + ".html", {}, {}});
    pages.back().rows += each;
  }
  if (pages.empty()) pages.push_back({folder + name(0) + ".html", {}, {}});
  for (std::size_t page = 0; pages.size() > 1 && page < pages.size(); ++page) {
    std::string links = fmt::format("Page {} of {}.", page + 1, pages.size());
    if (page > 0)
      links += fmt::format(" <a rel=\"prev\" href=\"{}.html\">Before</a>", name(page - 1));
    if (page + 1 < pages.size())
      links += fmt::format(" <a rel=\"next\" href=\"{}.html\">After</a>", name(page + 1));
    pages[page].links = "<p class=\"pages\">" + links + "</p>\n";
  }
  return pages;
}

CsvWriter csv_of(const std::vector<std::string>& columns) {
  CsvWriter csv;
  for (const std::string& name : columns) csv.text(name);
  csv.end_row();
  return csv;
}

}  // namespace gpx::atlas
