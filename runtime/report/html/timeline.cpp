// Timelines as SVG: when each warp of a block passed its stamps, and how the blocks of an SM
// followed each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "runtime/report/figures.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"
#include "runtime/report/number.h"
#include "runtime/report/timeline_model.h"

namespace gpx::report::html {
namespace {

constexpr std::size_t kMostBlocks = 4, kMostLanes = 64, kMostBars = 128;
constexpr double kLeft = 150, kWidth = 720, kRow = 20, kTop = 26;
constexpr int kColours = 8;

double x_of(double clock, double clocks) {
  return kLeft + clock / std::max(1.0, clocks) * (kWidth - kLeft - 20);
}

/// Four ticks or so, at round numbers of clocks.
std::string scale(double clocks, double bottom) {
  const double power = std::pow(10, std::floor(std::log10(std::max(1.0, clocks / 4))));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * power * 6 >= clocks) {
      step = factor * power;
      break;
    }
  std::string out;
  for (double at = 0; at <= clocks; at += step)
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.1f}\"/>"
        "<text class=\"tick\" x=\"{0:.1f}\" y=\"14\">{3}</text>\n",
        x_of(at, clocks), kTop - 6, bottom, brief(at, 7));
  return out;
}

std::string lane_label(double y, const std::string& text) {
  return fmt::format("<text class=\"lane\" x=\"{}\" y=\"{:.1f}\">{}</text>", kLeft - 8, y + 4,
                     escape(text));
}

std::string picture(const std::string& label, double bottom, const std::string& content) {
  return scrolling(label,
                   fmt::format("<svg class=\"timeline\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" "
                               "aria-label=\"{}\">\n{}</svg>",
                               kWidth, bottom + 8, escape(label), content));
}

std::string draw_lane(const Lane& lane, const std::vector<std::string>& stamps, double y,
                      double clocks) {
  double begin = INFINITY, end = -INFINITY;
  for (const Passed& passed : lane.passed) {
    begin = std::min(begin, passed.clock);
    end = std::max(end, passed.clock);
  }
  std::string out = lane_label(y, name_of(lane));
  out += fmt::format("<line class=\"span\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>",
                     x_of(begin, clocks), x_of(end, clocks), y, y);
  for (const Passed& passed : lane.passed)
    out += fmt::format(
        "<circle class=\"s{}\" cx=\"{:.1f}\" cy=\"{}\" r=\"5\"><title>{}, {}: {} clocks</title>"
        "</circle>",
        passed.stamp % kColours, x_of(passed.clock, clocks), y, escape(name_of(lane)),
        escape(stamps[passed.stamp]), brief(passed.clock, 7));
  return out + '\n';
}

std::string legend(const std::vector<std::string>& stamps) {
  std::string out;
  for (std::size_t i = 0; i < stamps.size(); ++i)
    out += fmt::format("<li class=\"s{}\">{}</li>", i % kColours, escape(stamps[i]));
  return "<ul class=\"legend\" aria-label=\"Stamps\">" + out + "</ul>\n";
}

/// What the picture shows, in words and numbers: three columns.
std::string data_table(const std::vector<std::string>& head,
                       const std::vector<std::array<std::string, 3>>& rows) {
  std::string table = "<table>" + table_head(head) + "<tbody>";
  for (const auto& [name, second, third] : rows)
    table += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>", escape(name),
                         escape(second), escape(third));
  const std::string label = fmt::format("Data of this timeline ({} rows)", rows.size());
  return folded(label, scrolling(label, table + "</tbody></table>"));
}

std::string lane_table(const std::vector<Lane>& lanes, const std::vector<std::string>& stamps) {
  std::vector<std::array<std::string, 3>> rows;
  for (const Lane& lane : lanes)
    for (const Passed& passed : lane.passed)
      rows.push_back({name_of(lane), stamps[passed.stamp], brief(passed.clock, 10)});
  return data_table({"threads", "stamp", "clocks"}, rows);
}

std::string draw_block(const Block& block, const std::vector<std::string>& stamps) {
  std::vector<Lane> lanes = lanes_of(block);
  const std::size_t all = lanes.size();
  lanes.resize(std::min(all, kMostLanes));
  double clocks = 1;
  for (const Lane& lane : lanes)
    for (const Passed& passed : lane.passed) clocks = std::max(clocks, passed.clock);
  const double bottom = kTop + kRow * static_cast<double>(lanes.size());
  std::string content = scale(clocks, bottom);
  for (std::size_t i = 0; i < lanes.size(); ++i)
    content += draw_lane(lanes[i], stamps, kTop + kRow * (static_cast<double>(i) + 0.5), clocks);
  std::string name = fmt::format("block {}", brief(block.number));
  if (!std::isnan(block.sm)) name += fmt::format(" on SM {}", brief(block.sm));
  std::string out = element("h5", "", name + ", clocks from its first stamp") +
                    picture("Timeline of " + name, bottom, content);
  if (all > lanes.size())
    out += element("p", "note", fmt::format("and {} more lines", all - lanes.size()));
  return out + lane_table(lanes, stamps);
}

/// A block as a bar from its first stamp to its last, in clocks of its SM.
struct Bar {
  double sm = 0, block = 0, begin = 0, end = 0;
};

std::vector<Bar> bars_of(const std::vector<Block>& blocks) {
  std::map<double, double> first;  // By SM: the raw clock of its first stamp.
  for (const Block& block : blocks) {
    const auto [known, fresh] = first.try_emplace(block.sm, first_clock(block));
    if (!fresh && clocks_between(known->second, first_clock(block)) < 0)
      known->second = first_clock(block);
  }
  std::vector<Bar> bars;
  for (const Block& block : blocks) {
    Bar bar{block.sm, block.number, clocks_between(first[block.sm], first_clock(block)), 0};
    for (const Lane& lane : lanes_of(block))
      for (const Passed& passed : lane.passed)
        bar.end = std::max(bar.end, bar.begin + passed.clock);
    bars.push_back(bar);
  }
  std::ranges::stable_sort(bars, [](const Bar& a, const Bar& b) {
    return std::pair(a.sm, a.begin) < std::pair(b.sm, b.begin);
  });
  return bars;
}

/// Clocks of different SMs need not agree: each counts from its own first stamp.
std::string draw_blocks(const ShownLaunch& launch) {
  const auto unplaced = [](const Block& block) { return std::isnan(block.sm); };
  if (launch.blocks.size() < 2 || std::ranges::any_of(launch.blocks, unplaced)) return {};
  std::vector<Bar> bars = bars_of(launch.blocks);
  const std::size_t all = bars.size();
  bars.resize(std::min(all, kMostBars));
  double clocks = 1;
  for (const Bar& bar : bars) clocks = std::max(clocks, bar.end);
  const double bottom = kTop + kRow * static_cast<double>(bars.size());
  std::string content = scale(clocks, bottom);
  std::vector<std::array<std::string, 3>> rows;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const double y = kTop + kRow * static_cast<double>(i);
    const std::string name = fmt::format("SM {}, block {}", brief(bar.sm), brief(bar.block));
    content += lane_label(y + kRow / 2, name);
    rows.push_back({name, brief(bar.begin, 10), brief(bar.end, 10)});
    content += fmt::format(
        "<rect class=\"bar{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\">"
        "<title>{}: {} to {} clocks</title></rect>\n",
        std::fmod(bar.sm, 2) == 0 ? "" : " odd", x_of(bar.begin, clocks), y + 3,
        std::max(2.0, x_of(bar.end, clocks) - x_of(bar.begin, clocks)), kRow - 6, name,
        brief(bar.begin, 7), brief(bar.end, 7));
  }
  std::string out = element("h5", "", "blocks by SM, clocks from the first stamp on that SM") +
                    picture("Timeline of blocks", bottom, content);
  if (all > bars.size())
    out += element("p", "note", fmt::format("and {} more blocks", all - bars.size()));
  return out + data_table({"block", "first stamp (clocks)", "last stamp (clocks)"}, rows);
}

}  // namespace

std::string timelines(const Member& member) {
  if (!shows_timeline(*member.result)) return {};
  std::string out;
  for (const ShownLaunch& launch : shown_launches(member.result->samples)) {
    const std::string title = launch.title.empty() ? "Timeline" : "Timeline of " + launch.title;
    out += "<h4>" + escape(title) + ' ' + badge(member) + "</h4>\n" + legend(launch.stamps);
    out += draw_blocks(launch);
    const std::size_t shown = std::min(launch.blocks.size(), kMostBlocks);
    for (std::size_t i = 0; i < shown; ++i) out += draw_block(launch.blocks[i], launch.stamps);
    if (launch.blocks.size() > shown)
      out += element("p", "note", fmt::format("and {} more blocks", launch.blocks.size() - shown));
  }
  return out;
}

}  // namespace gpx::report::html
