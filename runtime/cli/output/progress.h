// Progress bar of a long run: points done, rate, time left.
// Covered by tests/cli/progress_test.cpp.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/pipeline.h"
#include "runtime/report/style.h"

namespace gpx::cli {

struct Progress {
  std::string experiment;
  std::uint64_t done = 0;  ///< Points of all measures.
  std::uint64_t total = 0;
  const char* unit = "point";
};

/// One line without its end: "kepler_prt ███████░░░ 512/1536 points · 1234/s · 0:01 left"; on a
/// narrow terminal without the bar, or without the name too.
std::string progress_line(const Progress& progress, double seconds, const report::Style& style);

/// Draws on a terminal only, and only where a run takes longer than a moment. The line is gone
/// when the bar is.
class ProgressBar : public RunObserver {
 public:
  ProgressBar(std::FILE* stream, const report::Style& style, bool enabled);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void begins(const ExperimentResult& result) override;
  void measured(const ExperimentResult& result, const PointsMeasured& points) override;
  void ends(const ExperimentResult&) override { clear(); }
  void update(const Progress& progress);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  report::Style style_;
  bool enabled_;
  bool drawn_ = false;
  std::string experiment_;
  Clock::time_point start_ = Clock::now();
};

/// Progress for a log: a line when an experiment begins, one every few seconds, one when it ends.
class ProgressLines : public RunObserver {
 public:
  ProgressLines(std::FILE* stream, const report::Style& style, double every_seconds = 5)
      : stream_(stream), style_(style), every_seconds_(every_seconds) {}

  void begins(const ExperimentResult& result) override;
  void measured(const ExperimentResult& result, const PointsMeasured& points) override;
  void ends(const ExperimentResult& result) override;

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void print(const std::string& line);

  std::FILE* stream_;
  report::Style style_;
  double every_seconds_, printed_at_ = 0;
  Clock::time_point start_ = Clock::now();
};

/// Where no bar is drawn: a line of a run that takes more than half a minute, how far it came and
/// what is left, as soon as that can be estimated and every half minute then. Time counts from
/// begins(), or from the start.
class SlowLines : public RunObserver {
 public:
  SlowLines(std::FILE* stream, const report::Style& style, double slow_seconds = 30)
      : stream_(stream), style_(style), slow_(slow_seconds) {}

  void begins(const ExperimentResult& result) override;
  void measured(const ExperimentResult& result, const PointsMeasured& points) override;
  void ends(const ExperimentResult&) override {}
  void update(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  report::Style style_;
  double slow_, next_ = slow_ / 10;  ///< Seconds since the experiment began.
  Clock::time_point start_ = Clock::now();
};

}  // namespace gpx::cli
