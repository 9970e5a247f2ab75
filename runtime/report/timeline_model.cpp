#include "runtime/report/timeline_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/assert.h"

namespace gpx::report {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr double kClocks = 4294967296.0;  ///< What a counter counts before it wraps.

/// One launch: the rows of the samples that belong to it.
struct Rows {
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
std::vector<Rows> rows_of_launches(const Samples& samples) {
  // Only of samples of `observe timeline`, which have these (shows_timeline()).
  GPX_ASSERT(samples.find("clock") && samples.find("thread") && samples.find("stamp"));
  const Column* measure = samples.find("measure");
  const Column* repetition = samples.find("repetition");
  const Column& clock = *samples.find("clock");
  std::vector<Rows> launches;
  std::map<std::string, std::pair<std::string, double>> chosen;  // By measure.
  std::map<std::string, std::size_t> at;
  for (std::size_t row = 0; row < samples.rows(); ++row) {
    if (std::isnan(clock.numbers[row])) continue;
    const std::string name = measure && measure->is_text ? measure->texts[row] : std::string();
    const bool counted = repetition && !repetition->is_text;
    const std::pair<std::string, double> launch{point_of(samples, row),
                                                counted ? repetition->numbers[row] : 0};
    const auto [first, fresh] = chosen.try_emplace(name, launch);
    if (fresh) {
      at[name] = launches.size();
      launches.push_back({launch.first, {}});
    }
    if (first->second == launch) launches[at[name]].rows.push_back(row);
  }
  return launches;
}

std::vector<Block> blocks_of(const Samples& samples, const Rows& shown,
                             std::vector<std::string>& stamps) {
  const Column* block = samples.find("block");
  const Column* sm = samples.find("sm");
  const Column &thread = *samples.find("thread"), &stamp = *samples.find("stamp"),
               &clock = *samples.find("clock");
  std::vector<Block> blocks;
  for (const std::size_t row : shown.rows) {
    if (!(thread.numbers[row] >= 0 && thread.numbers[row] < kClocks)) continue;
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

}  // namespace

double clocks_between(double from, double to) {
  const double difference = std::fmod(to - from, kClocks);
  if (difference >= kClocks / 2) return difference - kClocks;
  return difference < -kClocks / 2 ? difference + kClocks : difference;
}

double first_clock(const Block& block) {
  const double reference = block.threads.begin()->second.front().second;
  double first = 0;
  for (const auto& [thread, stamps] : block.threads)
    for (const auto& [stamp, clock] : stamps)
      first = std::min(first, clocks_between(reference, clock));
  return reference + first;
}

std::vector<Lane> lanes_of(const Block& block) {
  const double start = first_clock(block);
  std::vector<Lane> lanes;
  for (const auto& [thread, stamps] : block.threads) {
    Lane lane{thread, thread, {}};
    for (const auto& [stamp, clock] : stamps)
      lane.passed.push_back({stamp, clocks_between(start, clock)});
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

std::vector<ShownLaunch> shown_launches(const Samples& samples) {
  std::vector<ShownLaunch> launches;
  for (const Rows& rows : rows_of_launches(samples)) {
    ShownLaunch launch{rows.title, {}, {}};
    launch.blocks = blocks_of(samples, rows, launch.stamps);
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace gpx::report
