// Interface: traced_launch.h.
#include "runtime/serve/traced_launch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "lang/words.h"

namespace gpx::serve {
namespace {

using lsp::Json;
using Clocks = std::uint64_t;
constexpr std::size_t kMostLanes = 16, kMostEvents = 6000;
constexpr Clocks kMargin = 100;  ///< Clocks that are shown before and after the timed region.
constexpr std::string_view kLaunchMark = R"("cat":"launch")";

struct Event {
  std::string name, unit;
  Clocks at = 0, clocks = 0;
};

struct Lane {
  std::uint64_t sm = 0, slot = 0;
  std::vector<Event> events;
};

struct Launch {
  Clocks begin = 0, clocks = 0;
  std::size_t number = 0;
  std::vector<Lane> lanes;
  std::size_t lanes_left_out = 0;
};

struct TimedSpan {
  Clocks from = 0, to = 0;
};

std::size_t begin_of_line(std::string_view text, std::size_t at) {
  const std::size_t before = text.rfind('\n', at);
  return before == std::string_view::npos ? 0 : before + 1;
}

/// The event of a line; an empty object where it holds none.
Json event_of(std::string_view line) {
  if (line.ends_with(',')) line.remove_suffix(1);
  Json event = Json::parse(line, nullptr, false);
  return event.is_object() ? event : Json::object();
}

/// The lines of the last launch, whose own event comes behind those of its warps.
std::string_view last_launch_lines(std::string_view trace, Launch& launch) {
  const std::size_t mark = trace.rfind(kLaunchMark);
  if (mark == std::string_view::npos) return {};
  const std::size_t end = begin_of_line(trace, mark);
  const Json own = event_of(trace.substr(end, trace.find('\n', mark) - end));
  launch.begin = own.value("ts", Clocks{0});
  launch.clocks = own.value("dur", Clocks{0});
  for (std::size_t at = 0; (at = trace.find(kLaunchMark, at)) != std::string_view::npos; ++at)
    ++launch.number;
  const std::size_t before = end == 0 ? std::string_view::npos : trace.rfind(kLaunchMark, end - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : trace.find('\n', before) + 1;
  return trace.substr(begin, end - begin);
}

void read_lanes(std::string_view lines, Launch& launch) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> known;
  while (!lines.empty()) {
    const Json event = event_of(take_until(lines, '\n'));
    if (event.value("ph", "") != "X") continue;
    const auto sm = event.value("pid", std::uint64_t{0}),
               slot = event.value("tid", std::uint64_t{0});
    const auto [place, is_new] = known.try_emplace({sm, slot}, launch.lanes.size());
    if (is_new && launch.lanes.size() < kMostLanes)
      launch.lanes.push_back({sm - 1, slot, {}});
    else if (is_new)
      place->second = kMostLanes, ++launch.lanes_left_out;
    if (place->second == kMostLanes) continue;
    launch.lanes[place->second].events.push_back({event.value("name", ""), event.value("cat", ""),
                                                  event.value("ts", Clocks{0}) - launch.begin,
                                                  event.value("dur", Clocks{0})});
  }
}

/// From the first clock read to the last: what a warp that is alone measures.
std::optional<TimedSpan> timed_span(const std::vector<Lane>& lanes) {
  std::optional<Clocks> first, last;
  for (const Lane& lane : lanes)
    for (const Event& event : lane.events) {
      if (event.unit != "clock") continue;
      if (!first || event.at < *first) first = event.at;
      if (!last || event.at > *last) last = event.at;
    }
  if (!first || *last <= *first) return std::nullopt;
  return TimedSpan{*first, *last};
}

std::size_t count_events(const std::vector<Lane>& lanes) {
  std::size_t count = 0;
  for (const Lane& lane : lanes) count += lane.events.size();
  return count;
}

/// Leaves out what is far from the timed region, then the latest; returns how many events.
std::size_t leave_out(std::vector<Lane>& lanes, const std::optional<TimedSpan>& timed) {
  const std::size_t all = count_events(lanes);
  if (all <= kMostEvents) return 0;
  const std::size_t of_lane = std::max<std::size_t>(1, kMostEvents / lanes.size());
  for (Lane& lane : lanes) {
    if (timed)
      std::erase_if(lane.events, [&](const Event& event) {
        return event.at + event.clocks + kMargin < timed->from || event.at > timed->to + kMargin;
      });
    if (lane.events.size() > of_lane) lane.events.resize(of_lane);
  }
  return all - count_events(lanes);
}

Json to_json(const Lane& lane) {
  Json events = Json::array();
  for (const Event& event : lane.events)
    events.push_back({event.name, event.unit, event.at, event.clocks});
  return {{"sm", lane.sm}, {"slot", lane.slot}, {"events", std::move(events)}};
}

}  // namespace

lsp::Json traced_launch(const std::string& trace) {
  Launch launch;
  read_lanes(last_launch_lines(trace, launch), launch);
  const auto timed = timed_span(launch.lanes);
  const std::size_t left_out = leave_out(launch.lanes, timed);
  Json lanes = Json::array();
  for (const Lane& lane : launch.lanes) lanes.push_back(to_json(lane));
  return {{"launch", {{"number", launch.number}, {"clocks", launch.clocks}}},
          {"timed", timed ? Json{timed->from, timed->to} : Json(nullptr)},
          {"lanes", std::move(lanes)},
          {"lanes_left_out", launch.lanes_left_out},
          {"events_left_out", left_out}};
}

}  // namespace gpx::serve
