// A board. Interface: pages.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/atlas/pages.h"
#include "runtime/fleet/text.h"
#include "runtime/report/hierarchy.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"
#include "runtime/store/store.h"

namespace gpx::atlas {
namespace {

using report::html::element;
using report::html::escape;
using report::html::json_number;
using report::html::json_text;

constexpr std::size_t kFindingBytes = 250 * 1000;  ///< Of the table of findings.
constexpr std::size_t kMapBytes = 100 * 1000;      ///< Of all maps.

bool differs(const Cell& one) {
  return one.judged && one.judged->standing != fleet::Standing::same &&
         one.judged->standing != fleet::Standing::ambiguous;
}

std::string finding_link(const Atlas& atlas, std::uint32_t finding) {
  return "<th scope=\"row\"><code>" +
         link({atlas.finding(finding).name, "findings/" + atlas.finding_files[finding] + ".html"},
              1) +
         "</code></th>";
}

// ---- What differs ---------------------------------------------------------------------------

std::string difference_row(const Atlas& atlas, const fleet::Judged& judged) {
  const fleet::FindingName& name = atlas.finding(judged.finding);
  return row({finding_link(atlas, judged.finding), cell(element("strong", "", judged.board)),
              cell(escape(fmt::format("{} ({})", judged.others, judged.peers))),
              cell(judged.ratio > 0 ? fmt::format("{:.4g}", judged.ratio) : ""),
              cell(element("span", "verdict poor", fleet::standing_word(name, judged.standing)) +
                   (judged.why.empty() ? "" : element("div", "note", judged.why)))});
}

std::string differences(const Atlas& atlas, const fleet::Likeness& likeness) {
  std::vector<const fleet::Judged*> odd;
  std::size_t missing = 0;
  for (const fleet::Judged& each : likeness.judged) {
    if (each.standing == fleet::Standing::missing && each.board == "–")
      ++missing;
    else if (each.standing != fleet::Standing::same && each.standing != fleet::Standing::ambiguous)
      odd.push_back(&each);
  }
  std::ranges::stable_sort(odd, {}, [](const auto* each) { return each->chance; });
  std::string rows, out;
  for (const fleet::Judged* each : odd) {
    if (rows.size() > kFindingBytes / 4) break;
    rows += difference_row(atlas, *each);
  }
  for (const fleet::Likeness::Cause& cause : likeness.causes)
    out += "<p><strong>Likely cause: " + escape(cause.name) + ".</strong> " + escape(cause.why) +
           ".</p>\n";
  if (missing > 0)
    out += element("p", "warning",
                   fmt::format("{} findings that most boards have were not measured.", missing));
  if (!rows.empty())
    out += table("What differs", {"finding", "this board", "peers", "ratio", "verdict"}, rows);
  return out.empty() ? ""
                     : "<section>\n<h2>What differs from its peers</h2>\n" + out + "</section>\n";
}

// ---- Pieces of the report -------------------------------------------------------------------

/// The board's findings as a run has them, so that the report's drawings take them.
RunResult run_of(const Atlas& atlas, std::size_t board) {
  RunResult run;
  for (const Cell& one : atlas.cells.by_board[board]) {
    const fleet::FindingName& name = atlas.finding(one.finding);
    if (run.experiments.empty() || run.experiments.back().experiment.name != name.experiment) {
      run.experiments.emplace_back().experiment.name = name.experiment;
      run.experiments.back().device = atlas.board(board).info;
      run.experiments.back().group.emplace();  // As a characterization has them.
    }
    Finding finding;
    finding.name = name.name;
    finding.unit = name.unit;
    finding.verdict = one.verdict;
    if (!std::isnan(one.value))
      finding.value = one.value;
    else if (one.verdict == Verdict::measured)
      finding.value = one.text;
    if (!std::isnan(one.low)) finding.low = one.low;
    if (!std::isnan(one.high)) finding.high = one.high;
    run.experiments.back().findings.push_back(std::move(finding));
  }
  return run;
}

std::string hierarchy(const RunResult& run) {
  const auto found = report::hierarchy_of(run);
  if (!found) return {};
  const report::Diagram diagram = report::draw({*found});
  return "<section>\n<h2>Memory hierarchy</h2>\n" +
         report::html::scrolling(diagram.title, report::to_page_svg(diagram)) + "</section>\n";
}

std::string structure(const RunResult& run) {
  std::string out;
  for (const ExperimentResult& result : run.experiments)
    out += report::html::structures({&result, nullptr, {}});
  return out.empty() ? "" : "<section>\n<h2>Caches and TLBs</h2>\n" + out + "</section>\n";
}

/// "op.add.u32.latency": the operation between the first and the last dot.
std::string operations(const Atlas& atlas, std::size_t board) {
  std::map<std::string, std::pair<std::string, std::string>> all;
  for (const Cell& one : atlas.cells.by_board[board]) {
    const std::string& name = atlas.finding(one.finding).name;
    const std::size_t dot = name.rfind('.');
    if (!name.starts_with("op.") || dot < 4 || std::isnan(one.value)) continue;
    const std::string operation = name.substr(3, dot - 3), property = name.substr(dot + 1);
    if (property == "latency") all[operation].first = one.text;
    if (property == "throughput") all[operation].second = one.text;
  }
  std::string rows;
  for (const auto& [name, both] : all)
    rows += row({"<th scope=\"row\"><code>" + escape(name) + "</code></th>",
                 cell(escape(both.first)), cell(escape(both.second))});
  if (rows.empty()) return {};
  return "<section>\n<h2>Operations</h2>\n" +
         report::html::folded(
             fmt::format("{} operations", all.size()),
             table("Operations", {"operation", "latency", "throughput of an SM"}, rows)) +
         "</section>\n";
}

/// Of the newest run of each experiment whose samples name the SM.
Result<std::string> maps(const fleet::Board& board) {
  std::string out;
  std::size_t number = 0;
  for (const auto& [experiment, source] : board.maps) {
    const auto store = GPX_TRY(store::Store::open(source.store, false));
    const auto run = GPX_TRY(store.load(source.run));
    for (const ExperimentResult& result : run.result.experiments) {
      if (result.experiment.name != experiment) continue;
      const report::Member member{&result, nullptr, {}};
      for (const report::HeatMap& map : report::heat_maps(result)) {
        const std::string drawn =
            report::html::heat_map(map, member, fmt::format("map{}", ++number));
        if (out.size() + drawn.size() <= kMapBytes) out += drawn;
      }
    }
  }
  return out.empty() ? "" : "<section>\n<h2>Maps by SM</h2>\n" + out + "</section>\n";
}

// ---- Findings -------------------------------------------------------------------------------

std::string interval_text(const Atlas& atlas, const Cell& one) {
  if (!(one.low < one.high)) return {};
  const fleet::FindingName& name = atlas.finding(one.finding);
  return fleet::number_text(name, one.low) + " to " + fleet::number_text(name, one.high);
}

std::string cell_row(const Atlas& atlas, const Cell& one) {
  return row({finding_link(atlas, one.finding), cell(element("strong", "", one.text)),
              cell(escape(interval_text(atlas, one))), cell(verdict_word(atlas, one)),
              cell(std::to_string(one.runs)), cell(one.judged ? escape(one.judged->others) : ""),
              cell(standing_mark(atlas, one))});
}

std::string findings(const Atlas& atlas, std::size_t board) {
  std::string rows, experiment;
  std::size_t shown = 0;
  const auto& cells = atlas.cells.by_board[board];
  for (const Cell& one : cells) {
    if (rows.size() > kFindingBytes) break;
    const std::string& own = atlas.finding(one.finding).experiment;
    if (own != experiment)
      rows += "<tr class=\"group\"><th colspan=\"7\" scope=\"colgroup\">" + escape(own) +
              "</th></tr>\n";
    experiment = own;
    rows += cell_row(atlas, one);
    ++shown;
  }
  std::string out = table(
      "Findings", {"finding", "value", "interval", "verdict", "runs", "peers", "compared"}, rows);
  if (shown < cells.size())
    out += element("p", "note",
                   fmt::format("{} more are in the CSV and JSON files.", cells.size() - shown));
  return "<section>\n<h2>Findings</h2>\n" + out + "</section>\n";
}

std::string facts(const Atlas& atlas, std::size_t index) {
  const fleet::Board& board = atlas.board(index);
  std::set<std::string> hosts;
  std::string runs;
  for (const fleet::BoardRun& run : board.runs) {
    if (!run.host.empty()) hosts.insert(run.host);
    if (runs.size() > kFindingBytes / 8) continue;
    runs += "<li>" + escape(run.place + (run.started.empty() ? "" : ", " + run.started)) + "</li>";
  }
  std::string rows;
  const auto fact = [&](const char* name, const std::string& value) {
    if (!value.empty())
      rows += row({fmt::format("<th scope=\"row\">{}</th>", name), cell(escape(value))});
  };
  fact("Device", board.device);
  fact("SMs", board.info.sm_count ? std::to_string(board.info.sm_count) : "");
  fact("Driver", board.info.driver);
  fact("Hosts", joined(hosts, ", ").substr(0, 400));
  fact("Compared with", fmt::format("{} boards of its model", atlas.likeness(index).peers));
  fact("Verdicts", fleet::counts_text(*atlas.fleet, atlas.likeness(index)));
  return "<table class=\"facts\"><tbody>" + rows + "</tbody></table>\n" +
         report::html::folded(plural(static_cast<double>(board.runs.size()), "run"),
                              "<ul>" + runs + "</ul>");
}

// ---- Files beside the page --------------------------------------------------------------------

std::string board_csv(const Atlas& atlas, std::size_t board) {
  CsvWriter csv = csv_of({"experiment", "finding", "value", "unit", "low", "high", "verdict",
                          "runs", "compared", "ratio", "peers"});
  for (const Cell& one : atlas.cells.by_board[board]) {
    const fleet::FindingName& name = atlas.finding(one.finding);
    csv.text(name.experiment).text(name.name);
    std::isnan(one.value) ? csv.text(one.text) : csv.number(one.value);
    csv.text(name.unit).number(one.low).number(one.high).text(verdict_word(atlas, one));
    csv.number(one.runs);
    csv.text(one.judged ? fleet::standing_word(name, one.judged->standing) : "");
    one.judged&& one.judged->ratio > 0 ? csv.number(one.judged->ratio) : csv.empty();
    csv.text(one.judged ? one.judged->others : "").end_row();
  }
  return csv.written();
}

std::string board_json(const Atlas& atlas, std::size_t index) {
  const fleet::Board& board = atlas.board(index);
  std::string json = fmt::format(
      "{{\"schema\":1,\"serial\":{},\"device\":{},\"measured\":{},\"verdict\":{},\"runs\":[",
      json_text(board.serial), json_text(board.device), board.info.measured,
      json_text(fleet::verdict_of(atlas.likeness(index))));
  for (std::size_t i = 0; i < board.runs.size(); ++i)
    json += fmt::format("{}{{\"place\":{},\"id\":{},\"started\":{}}}", i ? "," : "",
                        json_text(board.runs[i].place), json_text(board.runs[i].id),
                        json_text(board.runs[i].started));
  json += "],\"findings\":[";
  bool first = true;
  for (const Cell& one : atlas.cells.by_board[index]) {
    const fleet::FindingName& name = atlas.finding(one.finding);
    json += fmt::format(
        "{}\n{{\"experiment\":{},\"name\":{},\"value\":{},\"unit\":{},\"low\":{},\"high\":{},"
        "\"verdict\":{},\"runs\":{},\"compared\":{}}}",
        first ? "" : ",", json_text(name.experiment), json_text(name.name),
        std::isnan(one.value) ? json_text(one.text) : json_number(one.value), json_text(name.unit),
        json_number(one.low), json_number(one.high), json_text(verdict_word(atlas, one)), one.runs,
        one.judged ? json_text(fleet::standing_word(name, one.judged->standing)) : "null");
    first = false;
  }
  return json + "]}\n";
}

/// What compare.html reads: a name of a finding to its text, its number and whether it differs.
std::string board_script(const Atlas& atlas, std::size_t index) {
  std::string script =
      fmt::format("gpxBoard({},{{\"findings\":{{", json_text(atlas.board_files[index]));
  bool first = true;
  for (const Cell& one : atlas.cells.by_board[index]) {
    const fleet::FindingName& name = atlas.finding(one.finding);
    script += fmt::format("{}\n{}:[{},{},{}]", first ? "" : ",",
                          json_text(name.experiment + ": " + name.name), json_text(one.text),
                          json_number(one.value), differs(one) ? 1 : 0);
    first = false;
  }
  return script + "}});\n";
}

}  // namespace

Result<std::vector<File>> board_files(const Atlas& atlas, std::size_t index) {
  const fleet::Board& board = atlas.board(index);
  const std::string& file = atlas.board_files[index];
  const std::string device = "devices/" + atlas.device_files[atlas.device_of[index]] + ".html";
  SitePage page;
  page.title = board.serial;
  page.depth = 1;
  page.crumbs = {
      {"Atlas", "index.html"}, {board.device, device}, {board.serial, "boards/" + file + ".html"}};
  const RunResult run = run_of(atlas, index);
  const auto drawn = GPX_TRY(maps(board));
  page.figures = !drawn.empty();
  page.body = "<p>" + badge(board) + ' ' + verdict_mark(atlas.likeness(index)) + "</p>\n<p>" +
              beside(file) + ' ' + link({"Compare with another board", "compare.html#" + file}, 1) +
              "</p>\n" + facts(atlas, index) + differences(atlas, atlas.likeness(index)) +
              hierarchy(run) + structure(run) + drawn + operations(atlas, index) +
              findings(atlas, index);
  const std::string path = "boards/" + file;
  return std::vector<File>{{path + ".html", page_text(page)},
                           {path + ".json", board_json(atlas, index)},
                           {path + ".csv", board_csv(atlas, index)},
                           {path + ".js", board_script(atlas, index)}};
}

}  // namespace gpx::atlas
