#include "runtime/store/recorder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "lang/assert.h"

namespace gpx::store {
namespace {

/// 16 hex digits; the first is a letter, so that no beginning of an id is a number.
std::string new_id() {
  std::random_device random;
  const auto word = [&] { return static_cast<std::uint64_t>(random()) << 32 | random(); };
  return fmt::format("{}{:015x}", static_cast<char>('a' + random() % 6), word() >> 4);
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

std::string time_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

report::RunOrigin origin_of_this_run(const std::string& command, const std::string& device,
                                     std::uint64_t seed) {
  std::error_code unknown;
  return {new_id(),
          "running",
          time_now(),
          "",
          host_name(),
          command,
          std::filesystem::current_path(unknown).string(),
          device,
          seed};
}

Recorder::Recorder(const Store& store, report::RunOrigin origin, RunResult inputs)
    : store_(store), origin_(std::move(origin)), inputs_(std::move(inputs)) {}

Result<Recorder> Recorder::resume(const Store& store, const StoredRun& run) {
  auto lock = RunLock::take(store.path(), run.number);
  if (!lock) return tl::unexpected(lock.error());
  Recorder recorder(store, run.origin, {});
  recorder.lock_ = std::move(*lock);
  recorder.number_ = run.number;
  const auto first =
      std::ranges::find_if(run.result.experiments, [](const auto& each) { return !each.whole(); });
  recorder.ordinal_ = static_cast<std::size_t>(first - run.result.experiments.begin());
  if (auto set = store.set_status(run.number, "running", ""); !set)
    return tl::unexpected(set.error());
  return recorder;
}

void Recorder::keep(const Result<void>& done) {
  if (!done && !problem_) problem_ = done.error();
}

Result<void> Recorder::begin_run() {
  if (number_ != 0) return {};
  auto number = store_.add_run(origin_, inputs_);
  if (!number) return tl::unexpected(number.error());
  number_ = *number;
  auto lock = RunLock::take(store_.path(), number_);
  if (!lock) return tl::unexpected(lock.error());
  lock_ = std::move(*lock);
  return {};
}

void Recorder::begins(const ExperimentResult& result) {
  if (problem_) return;
  keep(begin_run());
  if (problem_) return;
  const auto key = store_.put_experiment(number_, ordinal_, result, false);
  if (!key) return keep(tl::unexpected(key.error()));
  experiment_ = *key;
  points_ = result.points;
}

void Recorder::measured(const ExperimentResult& /*result*/, const PointsMeasured& points) {
  if (problem_ || points.done == points_) return;
  GPX_ASSERT(points.done > points_);  // Batches follow each other: none is stored twice.
  keep(store_.add_points(experiment_, points_, points));
  points_ = points.done;
}

void Recorder::ends(const ExperimentResult& result) {
  if (problem_) return;
  keep(begin_run());
  if (problem_) return;
  const auto key = store_.put_experiment(number_, ordinal_++, result, true);
  if (!key) keep(tl::unexpected(key.error()));
}

void Recorder::finish(bool interrupted, bool failed) {
  if (number_ == 0 || problem_) return;
  const char* status = failed ? "failed" : interrupted ? "interrupted" : "complete";
  keep(store_.set_status(number_, status, time_now()));
}

}  // namespace gpx::store
