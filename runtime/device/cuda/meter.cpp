// Interface: runtime/device/cuda/meter.h.
#include "runtime/device/cuda/meter.h"

#include <algorithm>
#include <utility>

namespace gpx::cuda {
namespace {

constexpr double kSettle_s = 0.3;    ///< What a board takes to forget a load, and to warm up.
constexpr double kIdle_s = 1.0;      ///< How long idle power is averaged.
constexpr double kPatience_s = 5.0;  ///< For a step of the counter.
constexpr double kPoll_s = 1e-3;
constexpr double kBatch_s = 10e-3;
constexpr std::uint32_t kMostQueued = 512;

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

/// A batch that is started and read beside; the mean of the clocks that were seen is added up.
class Load {
 public:
  Load(const MeterPorts& ports, Steps& steps) : ports_(ports), steps_(steps) {}

  Result<void> batch() {
    if (auto ok = ports_.start(size_); !ok) return ok;
    const double start = ports_.now();
    for (;;) {
      steps_.look();
      const auto busy = ports_.busy();
      if (!busy) return tl::unexpected<Error>(busy.error());
      if (!*busy) break;
      if (ports_.now() - start > kBatch_s / 2) read_clock();
      ports_.rest(0);
    }
    ended_ = ports_.now();
    launches_ += size_;
    clock_read_ = false;
    if (ended_ - start < kBatch_s / 2) size_ = std::min(size_ * 2, kMostQueued);
    return {};
  }
  /// From here on launches and clocks count.
  void begin() {
    began_ = ports_.now();
    launches_ = 0;
    clocks_ = 0;
    clock_sum_ = 0;
  }
  double seconds() const { return (ended_ - began_) / static_cast<double>(launches_); }
  double clock() const { return clocks_ > 0 ? clock_sum_ / static_cast<double>(clocks_) : 0; }

 private:
  void read_clock() {
    if (std::exchange(clock_read_, true)) return;
    if (const auto hertz = ports_.clock()) ++clocks_, clock_sum_ += *hertz;
  }

  const MeterPorts& ports_;
  Steps& steps_;
  std::uint32_t size_ = 1;
  std::uint64_t launches_ = 0, clocks_ = 0;
  double began_ = 0, ended_ = 0, clock_sum_ = 0;
  bool clock_read_ = false;
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

Result<Metered> meter(const MeterPorts& ports, double seconds, double idle) {
  Steps steps(ports);
  Load load(ports, steps);
  const double start = ports.now();
  while (ports.now() - start < kSettle_s)
    if (auto ok = load.batch(); !ok) return tl::unexpected<Error>(ok.error());
  steps.begin(ports.now());
  load.begin();
  const double from = ports.now();
  while (!steps.span(seconds)) {
    if (ports.stop()) return fail(Fault::device, "told to stop");
    if (auto ok = load.batch(); !ok) return tl::unexpected<Error>(ok.error());
    const double waited = ports.now() - (steps.first() ? steps.newest().at : from);
    if (waited > kPatience_s) return tl::unexpected(no_counter());
  }
  return Metered{steps.watts() * load.seconds(), load.seconds(), idle, load.clock()};
}

}  // namespace gpx::cuda
