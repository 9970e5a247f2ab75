#include "runtime/measure/measure.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "lang/try.h"
#include "runtime/measure/clock_watch.h"
#include "runtime/measure/rounds.h"
#include "runtime/measure/values_digest.h"

namespace gpx {
namespace {

using codegen::Program;

/// 64-bit words of results that a batch may bring back: 32 MB.
constexpr std::uint64_t kBatchWords = 1u << 22;

/// An error where the time of a sample is not known well enough.
Result<void> check_sample(const LoweredMeasure& measure, std::uint64_t point,
                          const Repetition& repetition) {
  const std::uint64_t run = repetition.blocks_run;
  if (run == 0 || repetition.sample_error <= kMostTimeError) return {};
  const std::string known = std::isfinite(repetition.sample_error)
                                ? fmt::format("±{:.0f} %", 100 * repetition.sample_error)
                                : std::string("an unknown error");
  return fail(Fault::input,
              fmt::format("{}: too few blocks were sampled to estimate the grid's time: {} of {} "
                          "blocks give it to {}",
                          point_name(measure, point), run,
                          measure.program.launches[point].all_blocks(), known),
              "--whole runs all blocks");
}

/// Sizes batches so that one takes about a tenth of a second: a point that takes longer is shown
/// and stored when it is done.
class BatchSize {
 public:
  /// `slow`: a launch may take seconds. A GPU runs one point after another, mostly in microseconds;
  /// a virtual one as many at once as there are cores, and each may take long.
  BatchSize(bool slow, bool measured)
      : least_(slow || measured ? 1 : std::max(1u, std::thread::hardware_concurrency())),
        size_(measured && !slow ? kFirst : least_) {}
  std::uint64_t next() const { return size_; }
  void took(std::chrono::duration<double> elapsed) {
    constexpr double kWanted = 0.1, kFast = 0.01;
    if (elapsed.count() < kFast)
      size_ = std::min(size_ * 8, kMost);
    else if (elapsed.count() < kWanted / 2)
      size_ = std::min(size_ * 2, kMost);
    else if (elapsed.count() > kWanted)
      size_ = std::max(least_, static_cast<std::uint64_t>(static_cast<double>(size_) * kWanted /
                                                          elapsed.count()));
  }

 private:
  static constexpr std::uint64_t kFirst = 32, kMost = 1 << 14;
  std::uint64_t least_, size_;
};

/// The first measure's points have the seeds that they have alone.
std::uint64_t measure_seed(std::uint64_t seed, std::size_t measure) {
  return measure == 0 ? seed : XXH3_64bits_withSeed(&measure, sizeof measure, seed);
}

/// Of all measures.
std::uint64_t points_of(std::span<const LoweredMeasure> measures) {
  std::uint64_t points = 0;
  for (const LoweredMeasure& each : measures) points += each.program.launches.size();
  return points;
}

std::uint64_t point_seed(std::uint64_t seed, std::uint64_t point) {
  return XXH3_64bits_withSeed(&point, sizeof point, seed);
}

/// Runs one measure after another into one table.
class MeasureRun {
 public:
  MeasureRun(Backend& backend, const Experiment& experiment,
             std::span<const LoweredMeasure> measures, const std::atomic<bool>& stop,
             const OnPoints& on_points, const Shard& shard)
      : backend_(backend),
        measures_(measures),
        stop_(stop),
        on_points_(on_points),
        shard_(shard),
        rounds_(backend, experiment, measures),
        clock_(backend),
        table_(experiment, measures, !shard.is_whole()),
        total_(shard.points_of(points_of(measures))) {}

  Result<void> restore(const MeasuredBefore& before) {
    if (before.points > total_)
      return fail(Fault::input,
                  fmt::format("{} points were measured before, of {}", before.points, total_));
    done_ = before.points;
    GPX_TRY(digest_.restore(before.values_digest));
    return table_.restore(before.samples);
  }

  Measurement all(std::uint64_t seed) {
    Measurement measurement;
    std::uint64_t before = done_;  // Of the measures from the m-th on.
    for (std::size_t m = 0; m < measures_.size() && !stop_ && !measurement.failure; ++m) {
      const std::uint64_t points = measures_[m].program.launches.size();
      const std::vector<std::uint64_t> own = shard_.points_within(first_of_measure_, points);
      const std::uint64_t had = std::min<std::uint64_t>(before, own.size());
      before -= had;
      if (had < own.size()) {
        const auto rest = std::span(own).subspan(had);
        if (auto ran = one(m, rest, measure_seed(seed, m)); !ran) measurement.failure = ran.error();
      }
      first_of_measure_ += points;
    }
    measurement.points = done_;
    measurement.interrupted = done_ < total_ && !measurement.failure;
    measurement.samples = table_.take();
    measurement.values_digest = digest_.text();
    measurement.clock_note = clock_.note(total_);
    return measurement;
  }

 private:
  /// Measures `points` of a measure.
  Result<void> one(std::size_t m, std::span<const std::uint64_t> points, std::uint64_t seed) {
    const LoweredMeasure& measure = measures_[m];
    GPX_TRY(backend_.load(measure.program, measure.artifacts));
    const bool metered_all = measure.program.launches.front().metered > 0;
    BatchSize batch(measure.program.may_hang || metered_all, backend_.info().measured);
    while (!points.empty() && !stop_) {
      const std::vector<Job> jobs = next_jobs(measure.program, points, batch.next(), seed);
      const auto begin = std::chrono::steady_clock::now();
      // A clock that falls under load is a part of what is metered: it has a column of its own.
      const bool metered = jobs.front().launch->metered > 0;
      Result<std::vector<JobResult>> results;
      do {
        clock_.begins();
        results = rounds_.run(m, jobs, stop_);
        if (!results && stop_) return {};  // it was cut off
        if (!results) return tl::unexpected(results.error());
      } while (!metered && clock_.again() && !stop_);
      if (!metered) clock_.keep(results->size());
      batch.took(std::chrono::steady_clock::now() - begin);
      const std::size_t first_row = table_.samples().rows();
      Result<void> kept;
      std::size_t done = 0;
      for (; done < results->size() && kept; ++done) kept = keep(m, points[done], (*results)[done]);
      points = points.subspan(done);
      if (on_points_) on_points_({done_, total_, table_.samples(), first_row, digest_.text()});
      if (!kept) return kept;
    }
    return {};
  }

  /// At least one job, at most `most`, and no more words of results than a batch may have.
  static std::vector<Job> next_jobs(const Program& program, std::span<const std::uint64_t> points,
                                    std::uint64_t most, std::uint64_t seed) {
    std::vector<Job> jobs;
    std::uint64_t words = 0;
    for (const std::uint64_t point : points.first(std::min<std::size_t>(most, points.size()))) {
      words += result_words(program, program.launches[point]) * program.repetitions;
      if (!jobs.empty() && words > kBatchWords) break;
      jobs.push_back({&program.launches[point], program.repetitions, point_seed(seed, point)});
    }
    return jobs;
  }

  Result<void> keep(std::size_t m, std::uint64_t point, JobResult& job) {
    GPX_TRY(check_job(measures_[m], point, job));
    for (Repetition& repetition : job.repetitions)
      GPX_TRY(check_sample(measures_[m], point, repetition));
    const auto values = GPX_TRY(read_values(measures_[m], point, job));
    digest_.fold(values);
    const std::size_t first_row = table_.samples().rows();
    table_.append(m, point, job);
    table_.mark(first_row, first_of_measure_ + point, to_string(values));
    ++done_;
    return {};
  }

  Backend& backend_;
  std::span<const LoweredMeasure> measures_;
  const std::atomic<bool>& stop_;
  const OnPoints& on_points_;
  const Shard shard_;
  Rounds rounds_;
  ClockWatch clock_;
  SampleTable table_;
  ValuesDigest digest_;
  std::uint64_t done_ = 0, total_ = 0;
  std::uint64_t first_of_measure_ = 0;  ///< Its first point among those of all measures.
};

}  // namespace

Measurement measure(Backend& backend, const Experiment& experiment,
                    std::span<const LoweredMeasure> measures, std::uint64_t seed,
                    const std::atomic<bool>& stop, const OnPoints& on_points,
                    const std::optional<MeasuredBefore>& before, const Shard& shard) {
  MeasureRun run(backend, experiment, measures, stop, on_points, shard);
  if (before) {
    if (auto restored = run.restore(*before); !restored) {
      Measurement failed;
      failed.failure = restored.error();
      return failed;
    }
  }
  return run.all(seed);
}

}  // namespace gpx
