#include "runtime/cli/output/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lang/diagnostic.h"
#include "runtime/report/number.h"

namespace gpx::cli {
namespace {

constexpr double kQuietSeconds = 0.4;  ///< Shorter runs show no bar.
constexpr int kBarColumns = 24;

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// What fits of it: all, or without the bar, or without the name too.
std::string in_width(const std::string& name, const std::string& bar, const std::string& rest,
                     const report::Style& style) {
  const std::string shown_name = report::fit(style, name), shown_bar = report::fit(style, bar);
  const int room = style.width - 1 - report::display_width(rest);
  const int wanted = report::display_width(shown_name);
  if (wanted + report::display_width(shown_bar) <= room) return shown_name + shown_bar + rest;
  return wanted <= room ? shown_name + rest : rest;
}

}  // namespace

std::string progress_line(const Progress& progress, double seconds, const report::Style& style) {
  const double share =
      progress.total ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 0;
  const int full = std::clamp(static_cast<int>(share * kBarColumns), 0, kBarColumns);
  std::string bar;
  for (int i = 0; i < kBarColumns; ++i) bar += i < full ? "█" : "░";
  std::string line = fmt::format("{}/{}", progress.done,
                                 gpx::plural(static_cast<double>(progress.total), progress.unit));
  if (progress.done > 0 && seconds > 0) {
    const double rate = static_cast<double>(progress.done) / seconds;
    const double left = static_cast<double>(progress.total - progress.done) / rate;
    line += fmt::format(" · {}/s · {} left", report::brief(rate < 10 ? rate : std::round(rate), 2),
                        duration(left));
  }
  return in_width(progress.experiment + ' ', bar + ' ', report::fit(style, line), style);
}

ProgressBar::ProgressBar(std::FILE* stream, const report::Style& style, bool enabled)
    : stream_(stream), style_(style), enabled_(enabled) {}

// The first points may take long: time counts from here, so that they are shown when they are done.
void ProgressBar::begins(const ExperimentResult& result) {
  experiment_ = result.experiment.name;
  start_ = Clock::now();
}

void ProgressBar::measured(const ExperimentResult& result, const PointsMeasured& points) {
  update({result.experiment.name, points.done, points.total});
}

void ProgressBar::update(const Progress& progress) {
  if (!enabled_) return;
  if (progress.experiment != experiment_) {
    experiment_ = progress.experiment;
    start_ = Clock::now();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (seconds < kQuietSeconds) return;
  const std::string line = progress_line(progress, seconds, style_);
  if (report::display_width(line) >= style_.width) return;
  std::fprintf(stream_, "\r%s\x1b[K", line.c_str());
  std::fflush(stream_);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
  drawn_ = false;
}

void ProgressLines::print(const std::string& line) {
  std::fprintf(stream_, "%s\n", report::fit(style_, line).c_str());
  std::fflush(stream_);
}

void ProgressLines::begins(const ExperimentResult& result) {
  start_ = Clock::now();
  printed_at_ = 0;
  std::string line = fmt::format("{}: {} on {}", result.experiment.name,
                                 gpx::plural(static_cast<double>(result.points_total), "point"),
                                 result.device.name);
  if (!result.proof.empty()) line += ", timed region " + result.proof;
  print(line);
}

void ProgressLines::measured(const ExperimentResult& result, const PointsMeasured& points) {
  const double now = seconds();
  if (now - printed_at_ < every_seconds_) return;
  printed_at_ = now;
  print(progress_line({result.experiment.name, points.done, points.total}, now, style_));
}

void SlowLines::begins(const ExperimentResult&) {
  start_ = Clock::now();
  next_ = slow_ / 10;  // An estimate of fewer seconds is none.
}

void SlowLines::measured(const ExperimentResult& result, const PointsMeasured& points) {
  update({result.experiment.name, points.done, points.total});
}

void SlowLines::update(const Progress& progress) {
  const double now = std::chrono::duration<double>(Clock::now() - start_).count();
  if (now < next_ || progress.done == 0 || progress.done >= progress.total) return;
  const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  if (now / share < slow_) return;
  next_ = now + slow_;
  std::fprintf(stream_, "%s\n", progress_line(progress, now, style_).c_str());
  std::fflush(stream_);
}

void ProgressLines::ends(const ExperimentResult& result) {
  print(fmt::format("{}: {} of {}, {:.1f} s", result.experiment.name, result.points,
                    gpx::plural(static_cast<double>(result.points_total), "point"), seconds()));
}

}  // namespace gpx::cli
