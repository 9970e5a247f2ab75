// Interface: runtime/measure/peak.h.
#include "runtime/measure/peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lang/statements.h"

namespace gpx {
namespace {

constexpr double kSlack = 1.01;  ///< Of the peak: clocks are read in steps.

/// `bytes` are those of shared memory only where nothing else is accessed.
bool reads_memory(const Measure& measure) {
  bool found = false;
  for_each_statement(measure.body, [&](const Statement& one) {
    const auto* access = std::get_if<Access>(&one.node);
    found = found || (access && access->space == Space::global && access->by.space.empty());
  });
  return found;
}

using Names = std::set<std::string, std::less<>>;

template <typename Wanted>
Names measures_of(const Experiment& experiment, Wanted&& wanted) {
  Names names;
  for (const Measure& measure : experiment.measures)
    if (wanted(measure)) names.insert(measure.name);
  return names;
}

/// The rates of the rows of some measures, and those of them that exceed the memory's.
class Beyond {
 public:
  Beyond(const Samples& samples, const Names& names, double peak)
      : samples_(samples), names_(names), peak_(peak) {}

  template <typename Rate>
  bool any(Rate&& rate_at) {
    const Column* measure = samples_.find("measure");
    for (std::size_t row = 0; row < samples_.rows(); ++row) {
      if (measure ? !names_.contains(measure->texts[row]) : names_.empty()) continue;
      const double rate = rate_at(row);
      if (!(rate > 0)) continue;  // Not observed.
      ++all_;
      if (rate > kSlack * peak_) ++beyond_;
      if (rate > greatest_) greatest_ = rate, at_ = row;
    }
    return beyond_ > 0;
  }

  /// "207 GB/s at blocks=416, 99 % of the memory's reported peak, 208 GB/s"; nothing where no row
  /// has a rate.
  std::optional<std::string> share_text() const {
    if (!(greatest_ > 0)) return std::nullopt;
    const std::string place = place_text(samples_, at_);
    return fmt::format("{:.4g} GB/s{}, {:.0f} % of the memory's reported peak, {:.4g} GB/s",
                       greatest_ / 1e9, place.empty() ? "" : " at " + place,
                       100 * greatest_ / peak_, peak_ / 1e9);
  }

  std::string text(const DeviceInfo& device, std::string_view why) const {
    const std::string place = place_text(samples_, at_);
    return fmt::format(
        "{:.4g} GB/s{} is faster than the memory of {} ({:.4g} GB/s): {}, at {} of {} "
        "points",
        greatest_ / 1e9, place.empty() ? "" : " at " + place, device.name,
        device.memory_bandwidth / 1e9, why, beyond_, all_);
  }

 private:
  const Samples& samples_;
  const Names& names_;
  double peak_;
  std::size_t beyond_ = 0, all_ = 0, at_ = 0;
  double greatest_ = 0;
};

/// The first derived column in B/s; nullptr: there is none.
const Column* derived_rate(const Experiment& experiment, const Samples& samples) {
  for (const Derived& derived : experiment.derived)
    if (const Column* rate = samples.find(derived.name);
        rate && rate->unit == Unit::byte_per_second && !rate->is_text)
      return rate;
  return nullptr;
}

/// What a kernel from a file moves only its user knows: a derived column of bytes a second.
std::optional<std::string> beyond_in_kernels(const Experiment& experiment, const Samples& samples,
                                             const DeviceInfo& device) {
  const Names names =
      measures_of(experiment, [](const Measure& measure) { return measure.run() != nullptr; });
  if (names.empty()) return std::nullopt;
  for (const Derived& derived : experiment.derived) {
    const Column* rate = samples.find(derived.name);
    if (!rate || rate->unit != Unit::byte_per_second || rate->is_text) continue;
    Beyond beyond(samples, names, device.memory_bandwidth);
    if (!beyond.any([&](std::size_t row) { return rate->numbers[row]; })) continue;
    const bool flushed = std::ranges::all_of(
        experiment.measures, [](const Measure& each) { return each.flush.has_value(); });
    const char* why =
        flushed ? "a cache serves a part, or keeps what is written" : "a cache serves a part";
    return fmt::format("{}: {}{}", derived.name, beyond.text(device, why),
                       flushed ? "" : "; `flush` empties L2 before each launch");
  }
  return std::nullopt;
}

/// Bytes that the global memory instructions of a launch move; not a number where that is not
/// known.
double moved_bytes_at(const Samples& samples, std::size_t row) {
  const auto value = [&](const char* name) {
    const Column* column = samples.find(name);
    return column && !column->is_text ? column->numbers[row]
                                      : std::numeric_limits<double>::quiet_NaN();
  };
  return value("load_bytes_per_warp") * (value("coal_mem_insts") + value("uncoal_mem_insts")) *
         value("warps_per_block") * value("blocks");
}

}  // namespace

std::optional<std::string> claims_too_much(const Experiment& experiment, const Samples& samples) {
  const Column* time = samples.find("time");
  if (!time) return std::nullopt;
  for (const Derived& derived : experiment.derived) {
    const Column* rate = samples.find(derived.name);
    if (!rate || rate->unit != Unit::byte_per_second || rate->is_text) continue;
    for (std::size_t row = 0; row < samples.rows(); ++row) {
      const double claimed = rate->numbers[row] * time->numbers[row];
      const double moved = moved_bytes_at(samples, row);
      if (!(claimed > kSlack * moved)) continue;
      const std::string place = place_text(samples, row);
      return fmt::format(
          "{} stands for {} a launch{}: the kernel's loads, stores and atomics move {}; 'expect "
          "buffer(...)' checks what it computed",
          derived.name, to_string(Quantity{std::round(claimed), Unit::byte}),
          place.empty() ? "" : " at " + place, to_string(Quantity{std::round(moved), Unit::byte}));
    }
  }
  return std::nullopt;
}

std::optional<std::string> beyond_peak(const Experiment& experiment, const Samples& samples,
                                       const DeviceInfo& device) {
  if (device.memory_bandwidth <= 0) return std::nullopt;
  const Column *bytes = samples.find("bytes"), *time = samples.find("time");
  if (!bytes || !time) return beyond_in_kernels(experiment, samples, device);
  const Names names = measures_of(experiment, reads_memory);
  Beyond beyond(samples, names, device.memory_bandwidth);
  if (!beyond.any([&](std::size_t row) { return bytes->numbers[row] / time->numbers[row]; }))
    return beyond_in_kernels(experiment, samples, device);
  return beyond.text(device, "a cache serves a part");
}

std::optional<std::string> share_of_peak(const Experiment& experiment, const Samples& samples,
                                         const DeviceInfo& device) {
  const Column *bytes = samples.find("bytes"), *time = samples.find("time");
  if (device.memory_bandwidth <= 0 || !bytes || !time) return std::nullopt;
  const Column* rate = derived_rate(experiment, samples);
  if (!rate) return std::nullopt;
  const Names names = measures_of(experiment, reads_memory);
  Beyond beyond(samples, names, device.memory_bandwidth);
  if (beyond.any([&](std::size_t row) { return rate->numbers[row]; })) return std::nullopt;
  const auto share = beyond.share_text();
  return share ? std::optional(rate->name + " reaches " + *share) : std::nullopt;
}

}  // namespace gpx
