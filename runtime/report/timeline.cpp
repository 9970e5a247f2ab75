#include "runtime/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/report/canvas.h"
#include "runtime/report/number.h"

namespace gpx::report {
namespace {

constexpr std::size_t kMostBlocks = 2;
constexpr std::size_t kMostRows = 40;
constexpr std::uint32_t kWarp = 32;
constexpr int kEmpty = -1, kCrowded = -2;  ///< Places of a line.
constexpr std::string_view kMarks = "abcdefghijklmnopqrstuvwxyz0123456789";

/// A stamp that a thread passed: which, and clocks after the block's first.
struct Passed {
  std::size_t stamp = 0;
  double clock = 0;
  bool operator==(const Passed&) const = default;
};

/// Threads that passed the same stamps at the same clocks.
struct Lane {
  std::uint32_t first = 0, last = 0;
  std::vector<Passed> passed;
};

struct Block {
  double number = 0, sm = NAN;
  std::map<std::uint32_t, std::vector<std::pair<std::size_t, double>>> threads;  ///< Raw clocks.
};

/// One launch: the rows of the samples that belong to it.
struct Shown {
  std::string title;
  std::vector<std::size_t> rows;
};

std::string cell(const Column& column, std::size_t row) {
  if (column.is_text) return column.texts[row];
  return to_string(Quantity{column.numbers[row], column.unit});
}

/// "measure=a, n=2" of a row.
std::string point_of(const Samples& samples, std::size_t row) {
  std::string out;
  for (const Column& column : samples.columns)
    if (column.role == Column::Role::axis)
      out += fmt::format("{}{}={}", out.empty() ? "" : ", ", column.name, cell(column, row));
  return out;
}

/// The first launch with records of each measure.
std::vector<Shown> shown_launches(const Samples& samples) {
  const Column* measure = samples.find("measure");
  const Column* repetition = samples.find("repetition");
  const Column& clock = *samples.find("clock");
  std::vector<Shown> launches;
  std::map<std::string, std::pair<std::string, double>> chosen;  // By measure.
  std::map<std::string, std::size_t> at;
  for (std::size_t row = 0; row < samples.rows(); ++row) {
    if (std::isnan(clock.numbers[row])) continue;
    const std::string name = measure && measure->is_text ? measure->texts[row] : std::string();
    const std::pair<std::string, double> launch{point_of(samples, row),
                                                repetition ? repetition->numbers[row] : 0};
    const auto [first, fresh] = chosen.try_emplace(name, launch);
    if (fresh) {
      at[name] = launches.size();
      launches.push_back({launch.first, {}});
    }
    if (first->second == launch) launches[at[name]].rows.push_back(row);
  }
  return launches;
}

std::vector<Block> blocks_of(const Samples& samples, const Shown& shown,
                             std::vector<std::string>& stamps) {
  const Column* block = samples.find("block");
  const Column* sm = samples.find("sm");
  const Column &thread = *samples.find("thread"), &stamp = *samples.find("stamp"),
               &clock = *samples.find("clock");
  std::vector<Block> blocks;
  for (const std::size_t row : shown.rows) {
    const double number = block && !block->is_text ? block->numbers[row] : 0;
    auto known = std::ranges::find(blocks, number, &Block::number);
    if (known == blocks.end()) {
      blocks.push_back({number, sm && !sm->is_text ? sm->numbers[row] : NAN, {}});
      known = blocks.end() - 1;
    }
    const std::string label = cell(stamp, row);
    const auto place = std::ranges::find(stamps, label);
    const auto index = static_cast<std::size_t>(place - stamps.begin());
    if (place == stamps.end()) stamps.push_back(label);
    known->threads[static_cast<std::uint32_t>(thread.numbers[row])].emplace_back(
        index, clock.numbers[row]);
  }
  return blocks;
}

/// Clocks between two reads of a 32-bit counter, which may have wrapped.
double clocks_between(double from, double to) {
  const auto difference =
      static_cast<std::uint32_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
  return static_cast<std::int32_t>(difference);
}

/// A lane for each warp whose threads agree, else for each stretch of threads that do.
std::vector<Lane> lanes_of(const Block& block) {
  const double reference = block.threads.begin()->second.front().second;
  double first = 0;
  for (const auto& [thread, stamps] : block.threads)
    for (const auto& [stamp, clock] : stamps)
      first = std::min(first, clocks_between(reference, clock));
  std::vector<Lane> lanes;
  for (const auto& [thread, stamps] : block.threads) {
    Lane lane{thread, thread, {}};
    for (const auto& [stamp, clock] : stamps)
      lane.passed.push_back({stamp, clocks_between(reference, clock) - first});
    const bool goes_on = !lanes.empty() && lanes.back().last + 1 == thread &&
                         lanes.back().first / kWarp == thread / kWarp &&
                         lanes.back().passed == lane.passed;
    if (goes_on) lanes.back().last = thread;
    if (!goes_on) lanes.push_back(std::move(lane));
  }
  return lanes;
}

std::string name_of(const Lane& lane) {
  const std::uint32_t warp = lane.first / kWarp, first = lane.first % kWarp,
                      last = lane.last % kWarp;
  if (first == 0 && last == kWarp - 1) return fmt::format("warp {}", warp);
  if (first == last) return fmt::format("warp {} lane {}", warp, first);
  return fmt::format("warp {} lanes {}–{}", warp, first, last);
}

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
  for (std::size_t i = 0; i < std::min(lanes.size(), kMostRows); ++i)
    out += "  " + pad(fit(style, name_of(lanes[i])), label, true) + ' ' + fit(style, "│") +
           line_of(lanes[i], clocks, width, marks, style) + '\n';
  const std::string end = fmt::format("{} clocks", brief(clocks, 7));
  out += std::string(static_cast<std::size_t>(label) + 4, ' ') + "0" + pad(end, width - 1, true) +
         '\n';
  if (lanes.size() > kMostRows)
    out += fmt::format("  and {} more lines\n", lanes.size() - kMostRows);
  return out;
}

}  // namespace

std::string timelines(const Samples& samples, const Style& style) {
  std::string out;
  for (const Shown& shown : shown_launches(samples)) {
    std::vector<std::string> stamps;
    const std::vector<Block> blocks = blocks_of(samples, shown, stamps);
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
