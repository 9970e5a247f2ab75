// Interface: runtime/device/cuda/meter.h.
#include "runtime/device/cuda/meter.h"

#include <algorithm>
#include <deque>

#include "lang/try.h"

namespace gpx::cuda {
namespace {

constexpr double kSettle_s = 0.3;    ///< What a board takes to forget a load, and to warm up.
constexpr double kIdle_s = 1.0;      ///< How long idle power is averaged.
constexpr double kPatience_s = 5.0;  ///< For a step of the counter.
constexpr double kPoll_s = 1e-3;
constexpr double kBatch_s = 10e-3;          ///< What a batch takes at least...
constexpr std::uint32_t kMostQueued = 128;  ///< ...but of short launches: a driver queues 1000.
/// Batches that are queued, of less and of more than that: reading NVML takes 1 to 2 ms.
constexpr std::size_t kBatches = 4, kLong = 2;

struct Step {
  double at, joules;
};

Error no_counter() {
  return make_error(Fault::device, "the counter of the energy that the GPU takes does not advance");
}

/// Steps of the counter, as far as it was read.
class Steps {
 public:
  explicit Steps(const MeterPorts& ports) : ports_(ports) {}

  /// Reads it once.
  void look() {
    const auto joules = ports_.joules();
    if (!joules) return;
    const double now = ports_.now();
    if (last_ && *joules != *last_) {
      if (!first_ && now >= from_) first_ = Step{now, *joules};
      newest_ = Step{now, *joules};
    }
    last_ = joules;
  }
  /// Steps before `now` do not count.
  void begin(double now) {
    from_ = now;
    first_.reset();
  }
  /// Two steps that lie so far apart.
  bool span(double seconds) const { return first_ && newest_.at - first_->at >= seconds; }
  double watts() const { return (newest_.joules - first_->joules) / (newest_.at - first_->at); }
  const std::optional<Step>& first() const { return first_; }
  const Step& newest() const { return newest_; }

 private:
  const MeterPorts& ports_;
  std::optional<double> last_;
  std::optional<Step> first_;
  Step newest_{};
  double from_ = 0;
};

/// Batches in a row, with the counter and the clock read beside.
class Load {
 public:
  Load(const MeterPorts& ports, Steps& steps) : ports_(ports), steps_(steps) {}

  /// Sees what has ended, queues what there is room for, and reads.
  Result<void> turn() {
    const auto ahead = GPX_TRY(ports_.ahead());
    const double now = ports_.now();
    if (batches_.size() > ahead) ended(ahead, now);
    while (batches_.size() < (long_ ? kLong : kBatches)) {
      GPX_TRY(ports_.start(size_));
      batches_.push_back(size_);
    }
    steps_.look();
    if (now - clock_read_ >= kBatch_s) read_clock(now);
    return {};
  }
  /// From the end of the next batch on launches count, and clocks from here on.
  void begin() {
    counts_ = true;
    clocks_ = 0;
    clock_sum_ = 0;
  }
  bool has_ended() const { return launches_ > 0; }
  double seconds() const { return (ended_ - *began_) / static_cast<double>(launches_); }
  double clock() const { return clocks_ > 0 ? clock_sum_ / static_cast<double>(clocks_) : 0; }

 private:
  void ended(std::uint32_t ahead, double now) {
    std::uint64_t launches = 0;
    for (; batches_.size() > ahead; batches_.pop_front()) launches += batches_.front();
    long_ = now - ended_ >= kBatch_s;
    if (!long_) size_ = std::min(size_ * 2, kMostQueued);
    ended_ = now;
    if (!counts_) return;
    if (!began_)
      began_ = now;
    else
      launches_ += launches;
  }
  void read_clock(double now) {
    clock_read_ = now;
    if (const auto hertz = ports_.clock()) ++clocks_, clock_sum_ += *hertz;
  }

  const MeterPorts& ports_;
  Steps& steps_;
  std::deque<std::uint32_t> batches_;  ///< That have not ended: their launches.
  std::uint32_t size_ = 1;
  std::uint64_t launches_ = 0, clocks_ = 0;
  std::optional<double> began_;
  double ended_ = 0, clock_sum_ = 0, clock_read_ = 0;
  bool counts_ = false, long_ = true;
};

}  // namespace

Result<double> idle_watts(const MeterPorts& ports) {
  ports.rest(kSettle_s);
  Steps steps(ports);
  const double start = ports.now();
  steps.begin(start);
  while (!steps.span(kIdle_s)) {
    steps.look();
    if (ports.stop()) return fail(Fault::device, "told to stop");
    const double waited = ports.now() - (steps.first() ? steps.newest().at : start);
    if (waited > kPatience_s) return tl::unexpected(no_counter());
    ports.rest(kPoll_s);
  }
  return steps.watts();
}

Result<Metered> meter(const MeterPorts& ports, double seconds) {
  Steps steps(ports);
  Load load(ports, steps);
  const double start = ports.now();
  while (ports.now() - start < kSettle_s) GPX_TRY(load.turn());
  steps.begin(ports.now());
  load.begin();
  const double from = ports.now();
  while (!steps.span(seconds) || !load.has_ended()) {
    if (ports.stop()) return fail(Fault::device, "told to stop");
    GPX_TRY(load.turn());
    const double waited = ports.now() - (steps.first() ? steps.newest().at : from);
    if (waited > kPatience_s) return tl::unexpected(no_counter());
  }
  return Metered{steps.watts() * load.seconds(), load.seconds(), 0, load.clock()};
}

}  // namespace gpx::cuda
