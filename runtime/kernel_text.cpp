// Interface: kernel_text.h. Covered by tests/runtime/pipeline_test.cpp.
#include "runtime/kernel_text.h"

#include <algorithm>

#include "lang/assert.h"

namespace gpx {
namespace {

/// The first point of a measure that launches its kernel `index`: "n=2, threads=32".
std::string first_point(const Experiment& experiment, const codegen::Program& program,
                        std::size_t index) {
  const auto launches = [&](const codegen::Launch& launch) { return launch.kernel == index; };
  const auto found = std::ranges::find_if(program.launches, launches);
  if (found == program.launches.end()) return {};
  return point_text(experiment.sweep, static_cast<std::uint64_t>(found - program.launches.begin()));
}

/// Keeps what people read of a kernel, as long as it is little beside the samples.
void keep_text(KernelText text, std::vector<KernelText>& kernels) {
  constexpr std::size_t kMostKernels = 8, kMostBytes = 64 << 10;
  std::size_t bytes = text.cuda.size() + text.listing.size();
  for (const KernelText& kept : kernels) bytes += kept.cuda.size() + kept.listing.size();
  if (kernels.empty() || (kernels.size() < kMostKernels && bytes <= kMostBytes))
    kernels.push_back(std::move(text));
}

}  // namespace

std::string point_text(const Sweep& sweep, std::uint64_t point) {
  const std::vector<Value> values = sweep.at(point);
  const std::vector<const Axis*> axes = sweep.axes();
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i)
    text += (i == 0 ? "" : ", ") + axes[i]->name + "=" + to_string(values[i]);
  return text;
}

std::vector<KernelText> kernel_texts(const Experiment& experiment,
                                     std::span<const LoweredMeasure> measures) {
  std::vector<KernelText> kernels;
  for (const LoweredMeasure& measure : measures) {
    GPX_ASSERT(measure.program.user || measure.regions.size() == measure.artifacts.size());
    for (std::size_t i = 0; i < measure.regions.size(); ++i)
      keep_text({measure.measure->name, first_point(experiment, measure.program, i),
                 measure.artifacts[i].cuda, measure.regions[i].listing, measure.regions[i].form},
                kernels);
  }
  return kernels;
}

}  // namespace gpx
