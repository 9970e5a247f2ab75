// Interface: rounds.h. Covered by tests/runtime/measure_test.cpp.
#include "runtime/measure/rounds.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "lang/try.h"
#include "runtime/measure/placement.h"
#include "runtime/measure/until.h"

namespace gpx {
namespace {

using codegen::Program;

/// The first round has the seed of its point.
std::uint64_t round_seed(std::uint64_t seed, std::uint64_t round) {
  return round == 0 ? seed : XXH3_64bits_withSeed(&round, sizeof round, seed);
}

std::vector<Job> round_of(const std::vector<Job>& jobs, const std::vector<std::size_t>& open,
                          std::uint32_t repetitions, std::uint64_t round) {
  std::vector<Job> all;
  for (const std::size_t i : open)
    all.push_back({jobs[i].launch, repetitions, round_seed(jobs[i].seed, round)});
  return all;
}

}  // namespace

std::string point_name(const LoweredMeasure& measure, std::uint64_t point) {
  const std::string& name = measure.measure->name;
  return fmt::format("{}{}point {}", name, name.empty() ? "" : ", ", point);
}

Result<void> check_job(const LoweredMeasure& measure, std::uint64_t point, const JobResult& job) {
  const Program& program = measure.program;
  const std::uint64_t words = result_words(program, program.launches[point]);
  for (const Repetition& repetition : job.repetitions) {
    if (repetition.outcome == Outcome::completed && repetition.results.size() != words)
      return fail(Fault::device,
                  fmt::format("{}: {} results came back instead of {}", point_name(measure, point),
                              repetition.results.size(), words));
    if (repetition.outcome == Outcome::completed)
      if (auto met = check_placed(program, program.launches[point], repetition); !met) {
        met.error().diagnostics.front().message.insert(0, point_name(measure, point) + ": ");
        return met;
      }
    if (repetition.outcome != Outcome::completed && !program.outcomes)
      return fail(Fault::device,
                  fmt::format("{}: the launch ended as {}", point_name(measure, point),
                              to_string(repetition.outcome)));
  }
  return {};
}

Result<std::vector<JobResult>> Rounds::run(std::size_t measure, const std::vector<Job>& jobs,
                                           const std::atomic<bool>& stop) {
  if (measures_[measure].program.until_percent > 0) return until(measure, jobs, stop);
  auto results = backend_.run(jobs, stop);
  for (std::size_t i = 0; results && i < results->size(); ++i)
    if (const std::size_t came = (*results)[i].repetitions.size(); came != jobs[i].repetitions)
      return fail(Fault::device,
                  fmt::format("{}: {} repetitions came back instead of {}",
                              point_name(measures_[measure], point_of(measure, jobs[i])), came,
                              jobs[i].repetitions));
  return results;
}

std::uint64_t Rounds::point_of(std::size_t measure, const Job& job) const {
  return static_cast<std::uint64_t>(job.launch - measures_[measure].program.launches.data());
}

Result<std::vector<JobResult>> Rounds::until(std::size_t measure, const std::vector<Job>& jobs,
                                             const std::atomic<bool>& stop) {
  const std::uint32_t most = measures_[measure].program.repetitions;
  std::vector<Look>& all = looks_[most];
  if (all.empty()) all = looks(most);
  std::vector<JobResult> results(jobs.size());
  std::vector<std::size_t> open(jobs.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  std::uint32_t had = 0;
  for (std::size_t k = 0; k < all.size() && !open.empty(); ++k) {
    const std::vector<Job> round = round_of(jobs, open, all[k].repetitions - had, k);
    had = all[k].repetitions;
    auto ran = GPX_TRY(backend_.run(round, stop));
    std::vector<std::size_t> still;
    for (std::size_t i = 0; i < open.size(); ++i) {
      JobResult& job = results[open[i]];
      if (i < ran.size())
        std::ranges::move(ran[i].repetitions, std::back_inserter(job.repetitions));
      if (i >= ran.size() || is_open(measure, point_of(measure, round[i]), job, all[k].error))
        still.push_back(open[i]);
    }
    const bool stopped = ran.size() < open.size();
    open = k + 1 < all.size() || stopped ? std::move(still) : std::vector<std::size_t>();
    if (stopped) break;
  }
  if (!open.empty()) results.resize(open.front());
  return results;
}

/// One that check_job() refuses is closed: whoever keeps it says why.
bool Rounds::is_open(std::size_t measure, std::uint64_t point, const JobResult& job,
                     double error) const {
  if (!check_job(measures_[measure], point, job)) return false;
  SampleTable table(experiment_, measures_);
  table.append(measure, point, job);
  const Reduce how = experiment_.reduce;
  const Samples reduced = reduce(table.samples(), how, [&](std::vector<double> values) {
    return interval_of(std::move(values), how, error);
  });
  for (std::size_t row = 0; row < reduced.rows(); ++row)
    if (!is_settled(reduced, row, measures_[measure].program.until_percent / 100)) return true;
  return false;
}

}  // namespace gpx
