// Interface: clock_watch.h. Covered by tests/runtime/measure_test.cpp.
#include "runtime/measure/clock_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx {
namespace {

/// A share: one step of the clock (15 MHz of 2 GHz) is less.
constexpr double kSteady = 0.01;

bool changed(const Telemetry& before, const Telemetry& after) {
  if (!before.sm_clock_mhz || !after.sm_clock_mhz) return false;
  const double from = *before.sm_clock_mhz, to = *after.sm_clock_mhz;
  return std::max(from, to) - std::min(from, to) > kSteady * std::max(from, to);
}

bool throttled(const Telemetry& state) {
  return state.throttled.value_or(0) != 0;
}

}  // namespace

void ClockWatch::begins() {
  before_ = backend_.telemetry();
}

bool ClockWatch::is_steady() const {
  return !changed(before_, after_) && !throttled(after_);
}

bool ClockWatch::again() {
  after_ = backend_.telemetry();
  return !is_steady() && ++tries_ < kTriesAtSteadyClock;
}

void ClockWatch::keep(std::uint64_t points) {
  tries_ = 0;
  if (throttled(after_)) throttled_points_ += points;
  if (!changed(before_, after_)) return;
  const auto [low, high] = std::minmax(*before_.sm_clock_mhz, *after_.sm_clock_mhz);
  low_mhz_ = changed_points_ == 0 ? low : std::min(low_mhz_, low);
  high_mhz_ = std::max(high_mhz_, high);
  changed_points_ += points;
}

std::optional<std::string> ClockWatch::note(std::uint64_t all) const {
  std::string text;
  if (changed_points_ > 0)
    text = fmt::format("the SM clock changed ({} to {} MHz) at {}", low_mhz_, high_mhz_,
                       changed_points_);
  if (throttled_points_ > 0)
    text +=
        fmt::format("{}the GPU was throttled at {}", text.empty() ? "" : ", ", throttled_points_);
  if (text.empty()) return std::nullopt;
  return fmt::format("{} of {} points, in each of {} tries", text, all, kTriesAtSteadyClock);
}

}  // namespace gpx
