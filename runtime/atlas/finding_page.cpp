// A finding over all boards. Interface: pages.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/atlas/pages.h"
#include "runtime/atlas/spread.h"
#include "runtime/report/html/text.h"

namespace gpx::atlas {
namespace {

using report::html::element;
using report::html::escape;
using report::html::json_number;
using report::html::json_text;

constexpr std::size_t kBoardBytes = 300 * 1000;  ///< Of all tables of boards.

/// The cells of each device, those that differ first.
std::vector<std::vector<const Cell*>> by_device(const Atlas& atlas, std::size_t finding) {
  std::vector<std::vector<const Cell*>> all(atlas.devices.size());
  for (const Cell* each : atlas.cells.by_finding[finding])
    all[atlas.device_of[each->board]].push_back(each);
  const auto rank = [](const Cell* each) { return each->judged ? each->judged->chance : 2; };
  for (auto& cells : all)
    std::ranges::stable_sort(cells, {}, [&](const Cell* each) { return rank(each); });
  return all;
}

std::string summary(const Atlas& atlas, const std::vector<const Cell*>& cells) {
  const fleet::FindingName& name = atlas.finding(cells.front()->finding);
  const Spread spread = spread_of(cells);
  std::string text;
  if (spread.count > 0)
    text = fmt::format("{} boards: median {}, {} to {}", spread.count,
                       fleet::number_text(name, spread.median),
                       fleet::number_text(name, spread.low), fleet::number_text(name, spread.high));
  if (spread.count > 1 && spread.median != 0)
    text += fmt::format(", standard deviation {:.2g} %", 100 * spread.sd / std::abs(spread.median));
  for (const auto& [word, count] : words_of(cells))
    text += fmt::format("{}{}: {} boards", text.empty() ? "" : "; ", word, count);
  return element("p", "", text + '.');
}

std::string reading_row(const Atlas& atlas, const Cell& one) {
  const std::string ratio = one.judged && one.judged->ratio > 0
                                ? fmt::format("{:.4g}", one.judged->ratio)
                                : std::string();
  return row(
      {"<th scope=\"row\">" +
           link({atlas.board(one.board).serial, "boards/" + atlas.board_files[one.board] + ".html"},
                1) +
           "</th>",
       cell(element("strong", "", one.text)), cell(ratio), cell(std::to_string(one.runs)),
       cell(standing_mark(atlas, one) + (one.judged && !one.judged->why.empty()
                                             ? element("div", "note", one.judged->why)
                                             : ""))});
}

std::string device_part(const Atlas& atlas, std::size_t device,
                        const std::vector<const Cell*>& cells, std::size_t most) {
  const std::string& name = atlas.devices[device];
  std::string rows;
  std::size_t shown = 0;
  for (const Cell* each : cells) {
    if (rows.size() > most) break;
    rows += reading_row(atlas, *each);
    ++shown;
  }
  std::string out = "<section>\n<h2>" + escape(name) + "</h2>\n<p>" +
                    badge(atlas.board(cells.front()->board)) + "</p>\n" + summary(atlas, cells) +
                    spread_picture(atlas, cells, name) +
                    table("Boards, those that differ first",
                          {"board", "value", "ratio to its peers", "runs", "compared"}, rows);
  if (shown < cells.size())
    out += element("p", "note",
                   fmt::format("{} more are in the CSV and JSON files.", cells.size() - shown));
  return out + "</section>\n";
}

}  // namespace

std::vector<File> finding_files(const Atlas& atlas, std::size_t finding) {
  const fleet::FindingName& name = atlas.finding(finding);
  const std::string& file = atlas.finding_files[finding];
  const std::string path = "findings/" + file;
  SitePage page;
  page.title = name.name;
  page.depth = 1;
  page.crumbs = {
      {"Atlas", "index.html"}, {"Findings", "findings/index.html"}, {name.name, path + ".html"}};
  page.body =
      element("p", "title", "Experiment " + name.experiment) + "\n<p>" + beside(file) + "</p>\n";
  CsvWriter csv = csv_of(
      {"device", "serial", "value", "unit", "low", "high", "verdict", "runs", "compared", "ratio"});
  std::string json =
      fmt::format("{{\"schema\":1,\"experiment\":{},\"finding\":{},\"unit\":{},\"boards\":[",
                  json_text(name.experiment), json_text(name.name), json_text(name.unit));
  const auto devices = by_device(atlas, finding);
  const auto measured = static_cast<std::size_t>(
      std::ranges::count_if(devices, [](const auto& cells) { return !cells.empty(); }));
  bool first = true;
  for (std::size_t device = 0; device < devices.size(); ++device) {
    if (devices[device].empty()) continue;
    if (page.body.size() < kBoardBytes)
      page.body += device_part(atlas, device, devices[device], kBoardBytes / measured);
    for (const Cell* each : devices[device]) {
      const std::string standing =
          each->judged ? fleet::standing_word(name, each->judged->standing) : "";
      const double ratio =
          each->judged && each->judged->ratio > 0 ? each->judged->ratio : std::nan("");
      csv.text(atlas.devices[device]).text(atlas.board(each->board).serial);
      std::isnan(each->value) ? csv.text(each->text) : csv.number(each->value);
      csv.text(name.unit).number(each->low).number(each->high).text(verdict_word(atlas, *each));
      csv.number(each->runs).text(standing).number(ratio).end_row();
      json += fmt::format(
          "{}\n{{\"device\":{},\"serial\":{},\"value\":{},\"low\":{},\"high\":{},"
          "\"verdict\":{},\"compared\":{}}}",
          first ? "" : ",", json_text(atlas.devices[device]),
          json_text(atlas.board(each->board).serial),
          std::isnan(each->value) ? json_text(each->text) : json_number(each->value),
          json_number(each->low), json_number(each->high), json_text(verdict_word(atlas, *each)),
          json_text(standing));
      first = false;
    }
  }
  return {{path + ".html", page_text(page)},
          {path + ".csv", csv.written()},
          {path + ".json", json + "]}\n"}};
}

}  // namespace gpx::atlas
