// Interface: sampled.h. Covered by tests/runtime/sampled_test.cpp.
#include "runtime/measure/sampled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/device/vgpu/counts/kernel_counts.h"

namespace gpx {
namespace {

bool is_time(std::string_view column) {
  return column == "time" || column == "clocks";
}

bool names(const Expr& expr, std::string_view column) {
  return (expr.kind == Expr::Kind::name && expr.text == column) ||
         std::ranges::any_of(expr.args, [&](const Expr& each) { return names(each, column); });
}

/// Whether what is derived as number `index` takes a time, or something before it that does.
bool takes_time(const Experiment& experiment, std::size_t index) {
  return std::ranges::any_of(experiment.measures, [&](const Measure& measure) {
    if (index >= measure.derived.size()) return false;
    const Expr& value = measure.derived[index];
    if (names(value, "time") || names(value, "clocks")) return true;
    for (std::size_t i = 0; i < index; ++i)
      if (names(value, experiment.derived[i].name) && takes_time(experiment, i)) return true;
    return false;
  });
}

}  // namespace

std::optional<SampledTimes> sampled_times(const Samples& samples) {
  const Column* run = samples.find("blocks_run");
  const Column* blocks = samples.find("blocks");
  const Column* error = samples.find("sample_error");
  if (!run || !blocks || !error || run->is_text || blocks->is_text || error->is_text)
    return std::nullopt;
  const Column* counted = samples.find("blocks_counted");
  SampledTimes sampled;
  for (std::size_t i = 0; i < samples.rows(); ++i) {
    sampled.of_rows += !std::isnan(run->numbers[i]);
    if (!(run->numbers[i] < blocks->numbers[i])) continue;
    ++sampled.rows;
    sampled.worst = std::fmax(sampled.worst, error->numbers[i]);
    if (counted && counted->numbers[i] < blocks->numbers[i])
      sampled.unseen = std::fmax(sampled.unseen, vgpu::unseen_share(counted->numbers[i]));
  }
  return sampled.rows > 0 ? std::optional(sampled) : std::nullopt;
}

std::string unseen_text(double share) {
  if (share <= 0) return "";
  return fmt::format("; what fewer than 1 block in {:.0f} does may be missing",
                     std::floor(1 / share));
}

std::string to_string(const SampledTimes& sampled) {
  return fmt::format(
      "{} of {} times are of a sample of the grid's blocks, known to ±{:.1f} % or better (columns "
      "blocks_run and sample_error){}; --whole runs all",
      sampled.rows, sampled.of_rows, std::ceil(1000 * sampled.worst) / 10,
      unseen_text(sampled.unseen));
}

bool marks_sample(std::string_view column) {
  return column == "blocks_run" || column == "sample_error";
}

std::string shown_name(const Samples& samples, const Column& column, const Experiment& experiment) {
  const auto derived = std::ranges::find(experiment.derived, column.name, &Derived::name);
  const bool of_time =
      derived == experiment.derived.end()
          ? is_time(column.name)
          : takes_time(experiment, static_cast<std::size_t>(derived - experiment.derived.begin()));
  return of_time && sampled_times(samples) ? column.name + " (sampled)" : column.name;
}

}  // namespace gpx
