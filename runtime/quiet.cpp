// Interface: quiet.h.
#include "runtime/quiet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "codegen/files/files.h"
#include "lang/try.h"
#include "runtime/analysis/probe/kernel.h"
#include "runtime/analysis/prober.h"

namespace gpx {
namespace {

constexpr double kErrorRate = kControlErrorRate;
constexpr double kLeastScatter = 0.03;  ///< Of a time: less is not told from what the host adds.
constexpr double kAgree = 0.9;          ///< Of the times of a reference, that are not late.
/// A quiet H100 has a second mode of the control, up to 4.3 % later than the reference: twice that
/// is the device's own. Another process delays a control by a time slice, or by its misses in L2.
constexpr double kOwnModes = 0.08;
constexpr double kSteadyReference = 0.05;  ///< By which a quarter of them may exceed the least.
/// More than the longest load of the reference: no load takes so long.
constexpr double kStandstill_s = 2e-6;
constexpr std::size_t kReference = 32, kLines = 1, kRounds = 32;
constexpr double kSame = 0.01, kSame_s = 0.05e-6;  ///< That two runs of one job may differ by.
constexpr std::size_t kMostJobRuns = 4;            ///< Of a job, of which no two need agree then.
/// Pauses after a disturbed control, and how long a batch, and all of them, wait for a quiet one.
constexpr double kFirstPause_s = 0.2e-3, kLongestPause_s = 50e-3, kBatchPatience_s = 3,
                 kAllPatience_s = 60;

/// By which runs of one job differ where one of them stood still.
constexpr double kSlice_s = 50e-6, kSliced = 0.1;
/// Of the controls, that may be disturbed where a job counts once.
constexpr double kMostDisturbed = 0.005;
constexpr unsigned kFewControls = 400;
constexpr unsigned kLateInARow = 24;
constexpr double kOwn_s = 1.5;

/// The standard normal quantile, by bisection.
double normal_quantile(double probability) {
  double low = -9, high = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

struct ControlTimes {
  double clocks = 0;   ///< Of the slowest block.
  double longest = 0;  ///< Clocks between two reads of its clock.
};

/// A job's time: the device's own, or the clocks of the region.
double time_of(const codegen::Program& program, const JobResult& job, double clock_hz) {
  double sum = 0;
  const auto latency = std::ranges::find(program.results, "latency", &codegen::ResultSlot::name);
  for (const Repetition& repetition : job.repetitions) {
    if (std::isfinite(repetition.seconds))
      sum += repetition.seconds;
    else if (latency != program.results.end() && !repetition.results.empty() && clock_hz > 0)
      sum += static_cast<double>(
                 repetition.results[static_cast<std::size_t>(latency - program.results.begin())]) /
             clock_hz;
  }
  return sum;
}

/// JobRuns of one job in quiet times.
struct JobRuns {
  JobResult best = {};
  double least = INFINITY, second = INFINITY;
  double most = 0;
  std::size_t count = 0;
  bool once = false;  ///< What is visited for the first time counts: a second run finds it cached.

  void add(JobResult result, double time) {
    ++count;
    if (time < least) best = std::move(result);
    second = std::min(second, std::max(least, time));
    least = std::min(least, time);
    most = std::max(most, time);
  }
  /// Some of its runs stood still: what differs from run to run otherwise is less.
  bool stood_still() const {
    return count >= 2 && most - least > std::max(kSlice_s, kSliced * least);
  }
  bool settled() const {
    return count >= (once ? 1 : kMostJobRuns) ||
           (count >= 2 && second - least <= kSame * least + kSame_s);
  }
};

class QuietBackend final : public Backend {
 public:
  QuietBackend(std::unique_ptr<Backend> direct, std::unique_ptr<Backend> beside,
               const std::string& stdlib)
      : direct_(std::move(direct)), beside_(std::move(beside)) {
    request_.name = "control";
    request_.file = stdlib + "/probes/control.cu";
    request_.text = file_text(request_.file).value_or("");
    const std::uint64_t blocks = std::max(1u, direct_->info().sm_count);
    request_.arrays = {blocks * kLines * 512};
    request_.bare = true;
    request_.scalars = {kLines, kRounds};
    request_.results = 2 * blocks;
    request_.room = request_.results;
    request_.blocks = static_cast<std::uint32_t>(blocks);
    request_.threads = 1;
    prober_ = make_prober(*beside_, never_, 1);
  }

  const DeviceInfo& info() const override { return direct_->info(); }
  const codegen::Toolchain& toolchain() const override { return direct_->toolchain(); }
  std::string definition() const override { return direct_->definition(); }
  std::vector<ModelPart> model_parts() const override { return direct_->model_parts(); }
  std::vector<ModelValue> model_values() const override { return direct_->model_values(); }
  Telemetry telemetry() const override { return direct_->telemetry(); }
  double now() const override { return direct_->now(); }
  void rest(double seconds) override { direct_->rest(seconds); }
  std::uint64_t free_memory() const override { return direct_->free_memory(); }
  CoRunner co_runner() const override;
  Result<void> load(const codegen::Program& program,
                    std::span<const codegen::Artifact> artifacts) override {
    may_hang_ = program.may_hang || program.outcomes;
    program_.results = program.results;
    return direct_->load(program, artifacts);
  }
  Result<std::uint32_t> resident_blocks(const codegen::Launch& launch) override {
    return direct_->resident_blocks(launch);
  }
  Result<void> record(const std::string& what) override { return direct_->record(what); }
  std::string recorded(const std::string& what) override { return direct_->recorded(what); }
  Result<std::vector<JobResult>> run(std::span<const Job> jobs,
                                     const std::atomic<bool>& stop) override;

 private:
  Result<ControlTimes> control();
  Result<bool> is_quiet();
  Result<bool> refer(const std::atomic<bool>& stop);
  Result<bool> wait_for_quiet(const std::atomic<bool>& stop);
  Result<bool> run_again(std::span<const Job> jobs, std::vector<JobRuns>& runs,
                         const std::atomic<bool>& stop);
  bool rest_once();
  tl::unexpected<Error> give_up();

  std::unique_ptr<Backend> direct_, beside_;
  std::atomic<bool> never_ = false;
  KernelRequest request_;
  std::unique_ptr<Prober> prober_;
  std::optional<Reference> clocks_;
  double longest_ = 0;         ///< Gap of a quiet control.
  unsigned sm_clock_mhz_ = 0;  ///< When the reference was made.
  codegen::Program program_;   ///< Its results alone.
  bool may_hang_ = false;
  bool quiet_before_ = false;  ///< The last control was, and nothing has run since.
  double pause_ = kFirstPause_s, waited_ = 0, waited_in_all_ = 0;
  unsigned late_in_a_row_ = 0;  ///< Controls that did not stand still.
  CoRunner seen_;
};

CoRunner QuietBackend::co_runner() const {
  CoRunner seen = seen_;
  seen.expected = late_by_chance(seen.controls);
  seen.processes = direct_->telemetry().other_processes.value_or(0);
  return seen;
}

Result<ControlTimes> QuietBackend::control() {
  auto words = GPX_TRY(prober_->ask(request_));
  ControlTimes control;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    control.clocks = std::max(control.clocks, words[i]);
    control.longest = std::max(control.longest, words[i + 1]);
  }
  return control;
}

/// False where even the least controls scatter.
Result<bool> QuietBackend::refer(const std::atomic<bool>& stop) {
  std::vector<double> clocks, gaps;
  for (std::size_t i = 0; i < kReference && !stop; ++i) {
    auto one = GPX_TRY(control());
    clocks.push_back(one.clocks);
    gaps.push_back(one.longest);
    direct_->rest(kFirstPause_s);
  }
  if (stop) return false;
  std::ranges::sort(gaps);
  longest_ = gaps[gaps.size() / 4] + kStandstill_s * info().clock_hz;
  clocks_.emplace(std::move(clocks));
  late_in_a_row_ = 0;
  sm_clock_mhz_ = direct_->telemetry().sm_clock_mhz.value_or(0);
  return clocks_->repeats();
}

Result<bool> QuietBackend::is_quiet() {
  const auto one = GPX_TRY(control());
  ++seen_.controls;
  const bool still = one.longest > longest_, late = clocks_->late(one.clocks);
  const bool early = clocks_->early(one.clocks);
  if (!still && !late && !early) {
    late_in_a_row_ = 0;
    return true;
  }
  // At another clock of the SMs the control takes other clocks.
  if (direct_->telemetry().sm_clock_mhz.value_or(0) != sm_clock_mhz_) {
    clocks_.reset();
    return false;
  }
  if (early) {
    ++seen_.voided;
    clocks_.reset();
    return false;
  }
  ++seen_.disturbed;
  seen_.standstills += still;
  late_in_a_row_ = still ? 0 : late_in_a_row_ + 1;
  if (still && info().clock_hz > 0)
    seen_.longest_us = std::max(seen_.longest_us, 1e6 * one.longest / info().clock_hz);
  seen_.slowdown = std::max(seen_.slowdown, one.clocks / clocks_->least());
  return false;
}

/// False: there is no patience left.
bool QuietBackend::rest_once() {
  if (waited_ >= kBatchPatience_s || waited_in_all_ >= kAllPatience_s) return false;
  direct_->rest(pause_);
  waited_ += pause_;
  waited_in_all_ += pause_;
  pause_ = std::min(1.5 * pause_, kLongestPause_s);
  return true;
}

Result<bool> QuietBackend::wait_for_quiet(const std::atomic<bool>& stop) {
  while (!quiet_before_ && !stop) {
    // What is late for so long, and as late each time, is the device's own: a new reference. One
    // that another process had disturbed shows when controls get earlier than it.
    if (late_in_a_row_ >= kLateInARow && waited_ >= kOwn_s) clocks_.reset();
    auto quiet = clocks_ && clocks_->repeats() ? is_quiet() : refer(stop);
    if (!quiet) return quiet;
    quiet_before_ = *quiet && clocks_ && clocks_->repeats();
    if (!quiet_before_ && !rest_once()) return false;
  }
  return true;
}

tl::unexpected<Error> QuietBackend::give_up() {
  ++seen_.given_up;
  return fail(Fault::input,
              fmt::format("another process used the device: no quiet time was found in {:.0f} s of "
                          "waiting",
                          waited_),
              "measure again when the device is free");
}

/// Runs each job that is not settled once more; false: `stop` cut it off.
Result<bool> QuietBackend::run_again(std::span<const Job> jobs, std::vector<JobRuns>& runs,
                                     const std::atomic<bool>& stop) {
  std::vector<Job> some;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (runs[i].settled()) continue;
    some.push_back(jobs[i]);
    some.back().seed ^= runs[i].count * 0x9e3779b97f4a7c15ull;  // the first one has its own
    which.push_back(i);
  }
  auto results = GPX_TRY(direct_->run(some, stop));
  if (results.size() != some.size()) return false;
  const unsigned voided = seen_.voided;
  auto quiet = is_quiet();
  if (!quiet) return quiet;
  quiet_before_ = *quiet;
  if (seen_.voided != voided)
    for (JobRuns& each : runs) each = JobRuns{.once = each.once};
  if (!*quiet) {
    ++seen_.again;
    return true;
  }
  for (std::size_t k = 0; k < which.size(); ++k) {
    const double time = time_of(program_, results[k], info().clock_hz);
    runs[which[k]].add(std::move(results[k]), time);
  }
  return true;
}

Result<std::vector<JobResult>> QuietBackend::run(std::span<const Job> jobs,
                                                 const std::atomic<bool>& stop) {
  if (jobs.empty() || may_hang_ || jobs.front().launch->metered > 0 || request_.text.empty())
    return direct_->run(jobs, stop);
  std::vector<JobRuns> runs(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) runs[i].once = jobs[i].launch->flush;
  waited_ = 0;
  pause_ = kFirstPause_s;
  const auto settled = [&] { return std::ranges::all_of(runs, &JobRuns::settled); };
  while (!settled()) {
    auto quiet = GPX_TRY(wait_for_quiet(stop));
    if (stop) return std::vector<JobResult>();
    if (!quiet) return give_up();
    auto whole = GPX_TRY(run_again(jobs, runs, stop));
    if (!whole) return std::vector<JobResult>();
    if (!quiet_before_ && !rest_once()) return give_up();
  }
  const bool once = std::ranges::any_of(runs, &JobRuns::once);
  const double most = kMostDisturbed * std::max(kFewControls, seen_.controls);
  if (once && seen_.disturbed + seen_.standstills > most) {
    ++seen_.cold;
    return fail(Fault::input,
                "another process used the device too often for a launch that counts once");
  }
  seen_.standstills += static_cast<unsigned>(std::ranges::count_if(runs, &JobRuns::stood_still));
  std::vector<JobResult> results;
  for (JobRuns& each : runs) results.push_back(std::move(each.best));
  return results;
}

}  // namespace

Reference::Reference(std::vector<double> times) {
  std::ranges::sort(times);
  const double n = static_cast<double>(times.size());
  const double quarter = times[times.size() / 4];
  least_ = times.front();
  // The least of n normal times lies about as far below their mean as the quantile of 1 / (n + 1),
  // the quarter as that of 1/4.
  const double apart = normal_quantile(0.25) - normal_quantile(1 / (n + 1));
  const double scatter = std::max((quarter - least_) / apart, kLeastScatter * least_ / 5);
  const double mean = quarter - normal_quantile(0.25) * scatter;
  const double reach = normal_quantile(1 - kErrorRate) * scatter;
  low_ = mean - reach;
  high_ = std::max(mean + reach, (1 + kOwnModes) * least_);
  const auto quiet = std::ranges::count_if(times, [&](double time) { return time <= high_; });
  repeats_ = static_cast<double>(quiet) >= kAgree * n && quarter <= (1 + kSteadyReference) * least_;
}

std::unique_ptr<Backend> watched(std::unique_ptr<Backend> backend, const std::string& stdlib) {
  auto beside = backend->beside();
  if (!beside) return backend;
  return std::make_unique<QuietBackend>(std::move(backend), std::move(beside), stdlib);
}

}  // namespace gpx
