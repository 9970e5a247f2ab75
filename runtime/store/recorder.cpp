#include "runtime/store/recorder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "lang/assert.h"
#include "lang/try.h"

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

/// Writes one experiment of several that run beside each other.
class Recorder::Single : public RunObserver {
 public:
  Single(Recorder& recorder, std::size_t ordinal) : recorder_(recorder), place_{ordinal} {}
  void begins(const ExperimentResult& result) override { recorder_.begins(place_, result); }
  void measured(const ExperimentResult& /*result*/, const PointsMeasured& points) override {
    recorder_.measured(place_, points);
  }
  void ends(const ExperimentResult& result) override { recorder_.ends(place_, result); }

 private:
  Recorder& recorder_;
  Place place_;
};

Recorder::Recorder(const Store& store, report::RunOrigin origin, RunResult inputs)
    : store_(store), origin_(std::move(origin)), inputs_(std::move(inputs)) {}
Recorder::Recorder(Recorder&& other) noexcept = default;
Recorder::~Recorder() = default;

RunObserver& Recorder::at(std::size_t ordinal) {
  const std::lock_guard lock(*mutex_);
  auto& single = singles_[ordinal];
  if (!single) single = std::make_unique<Single>(*this, ordinal);
  return *single;
}

Result<Recorder> Recorder::resume(const Store& store, const StoredRun& run) {
  auto lock = GPX_TRY(RunLock::take(store.path(), run.number));
  Recorder recorder(store, run.origin, {});
  recorder.lock_ = std::move(lock);
  recorder.number_ = run.number;
  const auto first =
      std::ranges::find_if(run.result.experiments, [](const auto& each) { return !each.whole(); });
  recorder.place_.ordinal = static_cast<std::size_t>(first - run.result.experiments.begin());
  GPX_TRY(store.set_status(run.number, "running", ""));
  return recorder;
}

void Recorder::keep(const Result<void>& done) {
  if (!done && !problem_) problem_ = done.error();
}

Result<void> Recorder::begin_run() {
  if (number_ != 0) return {};
  auto number = GPX_TRY(store_.add_run(origin_, inputs_));
  number_ = number;
  lock_ = GPX_TRY(RunLock::take(store_.path(), number_));
  return {};
}

void Recorder::begins(Place& place, const ExperimentResult& result) {
  const std::lock_guard lock(*mutex_);
  if (problem_) return;
  keep(begin_run());
  if (problem_) return;
  const auto key = store_.put_experiment(number_, place.ordinal, result, false);
  if (!key) return keep(tl::unexpected(key.error()));
  place.key = *key;
  place.points = result.points;
}

void Recorder::measured(Place& place, const PointsMeasured& points) {
  const std::lock_guard lock(*mutex_);
  if (problem_ || points.done == place.points) return;
  GPX_ASSERT(points.done > place.points);  // Batches follow each other: none is stored twice.
  keep(store_.add_points(place.key, place.points, points));
  place.points = points.done;
}

void Recorder::ends(const Place& place, const ExperimentResult& result) {
  const std::lock_guard lock(*mutex_);
  if (problem_) return;
  keep(begin_run());
  if (problem_) return;
  const auto key = store_.put_experiment(number_, place.ordinal, result, true);
  if (!key) return keep(tl::unexpected(key.error()));
  if (*key != 0 && result.probes.memory_bytes > 0) keep(store_.put_probes(*key, result.probes));
}

void Recorder::begins(const ExperimentResult& result) {
  begins(place_, result);
}

void Recorder::measured(const ExperimentResult& /*result*/, const PointsMeasured& points) {
  measured(place_, points);
}

void Recorder::ends(const ExperimentResult& result) {
  ends(place_, result);
  place_ = {place_.ordinal + 1, 0, 0};
}

void Recorder::finish(bool interrupted, bool failed) {
  if (number_ == 0 || problem_) return;
  const char* status = failed ? "failed" : interrupted ? "interrupted" : "complete";
  keep(store_.set_status(number_, status, time_now()));
}

}  // namespace gpx::store
