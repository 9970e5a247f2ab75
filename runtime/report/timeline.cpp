#include "runtime/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/report/canvas.h"
#include "runtime/report/number.h"
#include "runtime/report/timeline_model.h"

namespace gpx::report {
namespace {

constexpr std::size_t kMostBlocks = 2;
constexpr std::size_t kMostLines = 40;
constexpr int kEmpty = -1, kCrowded = -2;  ///< Places of a line.
constexpr std::string_view kMarks = "abcdefghijklmnopqrstuvwxyz0123456789";

/// One character for each stamp: its label where all labels are one character.
std::string marks_of(const std::vector<std::string>& stamps) {
  std::string marks;
  for (const std::string& stamp : stamps) marks += stamp.size() == 1 ? stamp : "";
  if (marks.size() == stamps.size()) return marks;
  marks.clear();
  for (std::size_t i = 0; i < stamps.size(); ++i) marks += kMarks[i % kMarks.size()];
  return marks;
}

/// "a begin, b end"; empty where the labels are the marks.
std::string legend_of(const std::vector<std::string>& stamps, const std::string& marks) {
  std::string legend;
  for (std::size_t i = 0; i < stamps.size(); ++i)
    if (std::string(1, marks[i]) != stamps[i])
      legend += fmt::format("{}{} {}", legend.empty() ? "" : ", ", marks[i], stamps[i]);
  return legend;
}

/// The stamps on a line of `width` characters; `*` where different ones fall together.
std::string line_of(const Lane& lane, double clocks, int width, const std::string& stamp_marks,
                    const Style& style) {
  std::vector<int> marks(static_cast<std::size_t>(width), kEmpty);
  int begin = width, end = -1;
  for (const Passed& passed : lane.passed) {
    const int at = static_cast<int>(std::lround(passed.clock / clocks * (width - 1)));
    int& mark = marks[static_cast<std::size_t>(at)];
    const int stamp = static_cast<int>(passed.stamp);
    mark = mark == kEmpty || mark == stamp ? stamp : kCrowded;
    begin = std::min(begin, at);
    end = std::max(end, at);
  }
  std::string out;
  for (int i = 0; i < width; ++i) {
    const int mark = marks[static_cast<std::size_t>(i)];
    if (mark == kCrowded) {
      out += '*';
    } else if (mark >= 0) {
      out += paint(style, series_paint(mark),
                   std::string(1, stamp_marks[static_cast<std::size_t>(mark)]));
    } else {
      out += i > begin && i < end ? fit(style, "─") : " ";
    }
  }
  return out.substr(0, out.find_last_not_of(' ') + 1);
}

std::string draw_block(const Block& block, const std::string& marks, const Style& style) {
  const std::vector<Lane> lanes = lanes_of(block);
  double clocks = 1;
  int label = 0;
  for (const Lane& lane : lanes) {
    label = std::max(label, display_width(fit(style, name_of(lane))));
    for (const Passed& passed : lane.passed) clocks = std::max(clocks, passed.clock);
  }
  const int width = std::max(12, style.width - label - 6);
  const std::string sm =
      std::isnan(block.sm) ? std::string() : fmt::format(" on SM {}", brief(block.sm));
  std::string out = fmt::format("  block {}{}\n", brief(block.number), sm);
  for (std::size_t i = 0; i < std::min(lanes.size(), kMostLines); ++i)
    out += "  " + pad(fit(style, name_of(lanes[i])), label, true) + ' ' + fit(style, "│") +
           line_of(lanes[i], clocks, width, marks, style) + '\n';
  const std::string end = fmt::format("{} clocks", brief(clocks, 7));
  out += std::string(static_cast<std::size_t>(label) + 4, ' ') + "0" + pad(end, width - 1, true) +
         '\n';
  if (lanes.size() > kMostLines)
    out += fmt::format("  and {} more lines\n", lanes.size() - kMostLines);
  return out;
}

}  // namespace

std::string timelines(const Samples& samples, const Style& style) {
  std::string out;
  for (const ShownLaunch& shown : shown_launches(samples)) {
    const std::vector<std::string>& stamps = shown.stamps;
    const std::vector<Block>& blocks = shown.blocks;
    const std::string marks = marks_of(stamps), legend = legend_of(stamps, marks);
    std::string title = "timeline";
    if (!shown.title.empty()) title += " of " + shown.title;
    if (!legend.empty()) title += ": stamps " + legend;
    out += "\n";
    for (const std::string& line : wrap(fit(style, title), style.width - 2))
      out += "  " + line + '\n';
    for (std::size_t i = 0; i < std::min(blocks.size(), kMostBlocks); ++i)
      out += draw_block(blocks[i], marks, style);
    if (blocks.size() > kMostBlocks)
      out += fmt::format("  and {} more blocks\n", blocks.size() - kMostBlocks);
  }
  return out;
}

}  // namespace gpx::report
