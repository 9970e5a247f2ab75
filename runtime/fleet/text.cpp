#include "runtime/fleet/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/report/number.h"
#include "runtime/report/table.h"

namespace gpx::fleet {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kShownRows = 12;

report::Paint paint_of(const Likeness& likeness) {
  if (likeness.stands_out()) return report::Paint::red;
  return likeness.measured == 0 ? report::Paint::yellow : report::Paint::green;
}

/// What is missing is one line: a group that did not run lacks hundreds.
std::string missing_text(const Fleet& fleet, const Likeness& likeness) {
  std::map<std::string, std::size_t> experiments;
  for (const Judged& each : likeness.judged)
    if (each.standing == Standing::missing) ++experiments[fleet.findings[each.finding].experiment];
  std::vector<std::string> texts;
  for (const auto& [name, count] : experiments)
    texts.push_back(fmt::format("{} of '{}'", count, name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<const Judged*> shown_rows(const Likeness& likeness, bool whole) {
  std::vector<const Judged*> rows;
  for (const Judged& each : likeness.judged)
    if (each.standing != Standing::same && (whole || each.standing != Standing::ambiguous) &&
        (whole || each.standing != Standing::missing || each.board != "–"))
      rows.push_back(&each);
  std::ranges::stable_sort(rows, {}, [](const Judged* row) { return row->chance; });
  return rows;
}

std::string rows_of(const Fleet& fleet, const Likeness& likeness, const report::Style& style,
                    bool whole) {
  report::Table table({"finding", "this board", "peers", "ratio", "verdict"});
  const auto rows = shown_rows(likeness, whole);
  for (std::size_t i = 0; i < rows.size() && (whole || i < kShownRows); ++i) {
    const FindingName& finding = fleet.findings[rows[i]->finding];
    table.add({{finding.name},
               {rows[i]->board},
               {fmt::format("{} ({})", rows[i]->others, rows[i]->peers)},
               {rows[i]->ratio > 0 ? report::brief(rows[i]->ratio, 4) : ""},
               {standing_word(finding, rows[i]->standing)}});
    if (!rows[i]->why.empty()) table.note(rows[i]->why);
  }
  if (table.empty()) return {};
  std::string text = table.render(style);
  if (!whole && rows.size() > kShownRows)
    text += fmt::format("  {} more: --verbose\n", rows.size() - kShownRows);
  return text;
}

std::string board_text(const Fleet& fleet, const Likeness& likeness, const report::Style& style,
                       bool whole) {
  const Board& board = fleet.boards[likeness.board];
  std::string text = fmt::format(
      "{}  {}\n", report::paint(style, report::Paint::bold, report::fit(style, board.serial)),
      report::paint(style, paint_of(likeness), verdict_of(likeness)));
  for (const BoardRun& run : board.runs)
    for (const std::string& problem : run.problems)
      text += fmt::format("  {}: {}\n", report::shown_text(run.place), report::shown_text(problem));
  const std::string missing = missing_text(fleet, likeness);
  if (!missing.empty()) text += fmt::format("  missing: {}\n", report::shown_text(missing));
  text += rows_of(fleet, likeness, style, whole);
  for (const Likeness::Cause& cause : likeness.causes)
    text += fmt::format("  likely cause: {} ({})\n", cause.name, report::fit(style, cause.why));
  if (likeness.stands_out() && likeness.causes.empty())
    text += "  likely cause: none of the known ones explains this pattern\n";
  return text + '\n';
}

Json judged_json(const Fleet& fleet, const Judged& each) {
  const FindingName& finding = fleet.findings[each.finding];
  Json json;
  json["experiment"] = finding.experiment;
  json["finding"] = finding.name;
  json["verdict"] = standing_word(finding, each.standing);
  json["board"] = each.board;
  json["peers"] = each.others;
  json["peer_count"] = each.peers;
  json["ratio"] = each.ratio > 0 ? Json(each.ratio) : Json();
  json["chance"] = each.chance;
  json["why"] = each.why.empty() ? Json() : Json(each.why);
  return json;
}

}  // namespace

std::string verdict_of(const Likeness& likeness) {
  if (likeness.peers == 0) return "has no peers";
  const bool differs = std::ranges::any_of(likeness.judged, [](const Judged& each) {
    return each.standing == Standing::below || each.standing == Standing::above ||
           each.standing == Standing::structure;
  });
  if (differs) return "differs from its peers";
  if (likeness.measured == 0) return "not comparable";
  if (likeness.count(Standing::missing) > 0) return "lacks data that its peers have";
  return likeness.count(Standing::same) > 0 ? "like its peers" : "undecided";
}

std::string counts_text(const Fleet& fleet, const Likeness& likeness) {
  std::map<std::string, std::size_t> counts;
  for (const Judged& each : likeness.judged)
    ++counts[standing_word(fleet.findings[each.finding], each.standing)];
  std::vector<std::string> texts;
  for (const char* word : {"same", "slower", "faster", "higher", "lower", "different structure",
                           "missing", "ambiguous"})
    if (counts.contains(word)) texts.push_back(fmt::format("{} {}", counts[word], word));
  if (likeness.alone > 0) texts.push_back(fmt::format("{} without peers", likeness.alone));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string to_terminal(const Fleet& fleet, const std::vector<Likeness>& all,
                        const report::Style& style, bool whole) {
  std::string text;
  for (const Likeness& likeness : all)
    if (likeness.stands_out() || whole) text += board_text(fleet, likeness, style, whole);
  report::Table table({"board", "device", "runs", "peers", "findings", "verdict"});
  for (const Likeness& likeness : all) {
    const Board& board = fleet.boards[likeness.board];
    table.add({{board.serial, report::Paint::bold},
               {board.device},
               {std::to_string(board.runs.size())},
               {std::to_string(likeness.peers)},
               {counts_text(fleet, likeness)},
               {verdict_of(likeness), paint_of(likeness)}});
  }
  return text + table.render(style, 0);
}

std::string to_json(const Fleet& fleet, const std::vector<Likeness>& all,
                    const CompareOptions& options) {
  Json json;
  json["schema"] = 1;
  json["gpx"] = GPX_VERSION;
  json["error"] = options.error;
  json["margin"] = options.margin;
  json["boards"] = Json::array();
  for (const Likeness& likeness : all) {
    const Board& board = fleet.boards[likeness.board];
    Json one;
    one["serial"] = board.serial;
    one["device"] = board.device;
    one["runs"] = board.runs.size();
    one["peers"] = likeness.peers;
    one["verdict"] = verdict_of(likeness);
    one["same"] = likeness.count(Standing::same);
    one["without_peers"] = likeness.alone;
    one["findings"] = Json::array();
    for (const Judged& each : likeness.judged)
      if (each.standing != Standing::same) one["findings"].push_back(judged_json(fleet, each));
    one["causes"] = Json::array();
    for (const Likeness::Cause& cause : likeness.causes)
      one["causes"].push_back({{"name", cause.name}, {"why", cause.why}});
    json["boards"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace gpx::fleet
