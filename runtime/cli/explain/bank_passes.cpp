// Interface: bank_passes.h.
#include "runtime/cli/explain/bank_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/cli/explain/marked_listing.h"
#include "runtime/device/vgpu/counts/kernel_counts.h"

namespace gpx::cli {
namespace {

constexpr std::uint64_t kMostBytes = 256u << 20;

/// Whether result slots, buffers and numbers are all that it is given.
bool is_plain(const codegen::Program& program, const codegen::Launch& launch) {
  const auto is_global = [](const codegen::Buffer& buffer) {
    return buffer.place == codegen::Buffer::Place::global;
  };
  return !program.user && std::ranges::all_of(program.buffers, is_global) &&
         launch.contents.empty() && launch.tensors.empty() && launch.cluster == 0 &&
         launch.placed == 0 && program.records.keys.empty();
}

/// The launch of one block with its arguments, in the order of the kernel's parameters.
std::optional<codegen::Launch> with_arguments(const codegen::Program& program) {
  codegen::Launch launch = program.launches.front();
  launch.blocks = 1;
  const auto add = [&](std::uint64_t bytes) {
    codegen::BufferFill fill;
    fill.bytes = bytes;
    codegen::Argument pointer;
    pointer.parts.push_back({static_cast<std::int32_t>(launch.fills.size()), 8, 0, 0});
    launch.fills.push_back(fill);
    launch.arguments.push_back(pointer);
  };
  add(program.results.size() * sizeof(std::uint64_t));
  std::uint64_t bytes = 0;
  for (const codegen::Buffer& buffer : program.buffers) {
    bytes += buffer.bytes;
    add(buffer.bytes + launch.offset_of(buffer));
  }
  for (const std::uint64_t scalar : launch.scalars) {
    codegen::Argument number;
    number.parts.push_back({-1, 8, scalar, 0});
    launch.arguments.push_back(number);
  }
  if (bytes > kMostBytes) return std::nullopt;
  return launch;
}

std::size_t timed_accesses(const std::string& ptx) {
  std::size_t count = 0;
  for (const Line& line : marked(ptx, "%clock64"))
    for (const char* access : {"ld.shared", "st.shared", "atom.shared", "red.shared"})
      count += line.timed && line.text.find(access) != std::string::npos;
  return count;
}

}  // namespace

std::optional<std::string> bank_passes(const LoweredMeasure& measure) {
  const codegen::Artifact& artifact = measure.artifacts.front();
  const std::size_t accesses = measure.program.user ? 0 : timed_accesses(artifact.ptx);
  if (accesses == 0 || !is_plain(measure.program, measure.program.launches.front()))
    return std::nullopt;
  const auto launch = with_arguments(measure.program);
  const auto counter = vgpu::KernelCounter::make(artifact.ptx, artifact.entry);
  if (!launch || !counter) return std::nullopt;
  const auto counts = counter->count(*launch, vgpu::CoalescingRule::lines);
  if (!counts) return std::nullopt;
  // What fills shared memory before the region is read goes by consecutive words: one pass each.
  const double passes = 1 + counts->shared_conflicts / static_cast<double>(accesses);
  if (passes != std::floor(passes)) return std::nullopt;
  if (passes == 1) return "shared memory: each timed access takes one pass: no bank conflict";
  return fmt::format(
      "shared memory: each timed access takes {} passes: lanes of a warp want different words of "
      "one bank",
      passes);
}

}  // namespace gpx::cli
