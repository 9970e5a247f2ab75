// Interface: bank_passes.h.
#include "runtime/cli/explain/bank_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codegen/ptx/module.h"
#include "runtime/cli/explain/marked_listing.h"
#include "runtime/device/vgpu/counts/counted_launch.h"
#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/exec/run.h"
#include "runtime/device/vgpu/memory/shared_banks.h"

namespace gpx::cli {
namespace {

namespace exec = vgpu::exec;
using BankRule = vgpu::timing::Description::Shared;

constexpr std::uint64_t kMostBytes = 256u << 20;
constexpr std::uint64_t kMostInstructions = 20'000'000;

/// nullopt: a device whose shared memory has no conflicts.
std::optional<BankRule> rule_of(const Backend& backend, std::uint32_t mode) {
  BankRule rule;
  const DeviceInfo& info = backend.info();
  if (const std::string text = backend.definition(); !text.empty()) {
    const auto description = vgpu::timing::parse_description(info.name, text);
    if (!description || description->shared.banks == 0) return std::nullopt;
    rule = description->shared;
  } else {
    rule.banks = rule.lanes = info.sm_major < 2 ? 16 : 32;
    rule.width = info.sm_major == 3 ? 8 : 4;
  }
  if (mode > 0 && mode <= rule.width) rule.word = mode;
  return rule;
}

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

/// Lanes that are served together, and where they read.
struct LaneGroup {
  exec::Mask active = 0;
  exec::Lanes addresses{};
  unsigned first = 0;  ///< The lowest lane.
};

/// The passes of each group of lanes at each timed access of shared memory.
class PassObserver : public exec::Observer {
 public:
  PassObserver(const BankRule& rule, const std::string& ptx) : rule_(rule), banks_(rule) {
    for (const Line& line : marked(ptx, "%clock64")) timed_.push_back(line.timed);
  }

  void on_step(const exec::Warp&, const ptx::Instruction& instruction,
               const exec::Effect& effect) override {
    const auto line = static_cast<std::size_t>(instruction.line);
    if (effect.retried || effect.space != ptx::Space::shared || effect.active == 0 ||
        !effect.addresses || line == 0 || line > timed_.size() || !timed_[line - 1])
      return;
    for (unsigned first = 0; first < exec::kWarpSize; first += rule_.lanes) {
      const auto group = static_cast<exec::Mask>(((std::uint64_t{1} << rule_.lanes) - 1) << first);
      if ((effect.active & group) != 0)
        see({effect.active & group, *effect.addresses, first}, effect);
    }
  }

  std::uint64_t groups = 0, passes = 0;
  unsigned least = 0, most = 0;
  LaneGroup worst;  ///< The first that takes the most passes.

 private:
  void see(const LaneGroup& group, const exec::Effect& effect) {
    const unsigned count =
        1 +
        banks_.passes_of(group.active, &group.addresses, effect.bytes, effect.is_atomic).further;
    least = groups == 0 ? count : std::min(least, count);
    ++groups;
    passes += count;
    if (count <= most) return;
    most = count;
    worst = group;
  }

  BankRule rule_;
  vgpu::timing::SharedBanks banks_;
  std::vector<bool> timed_;  ///< By line of the PTX.
};

/// Bytes from each lane to the next; nullopt: they are not evenly spaced.
std::optional<std::int64_t> pitch_of(const LaneGroup& group) {
  const unsigned lanes = static_cast<unsigned>(std::popcount(group.active));
  if (lanes < 2 || group.active >> group.first != (std::uint64_t{1} << lanes) - 1)
    return std::nullopt;
  const auto at = [&](unsigned i) {
    return static_cast<std::int64_t>(group.addresses[group.first + i]);
  };
  for (unsigned i = 2; i < lanes; ++i)
    if (at(i) - at(i - 1) != at(1) - at(0)) return std::nullopt;
  return at(1) - at(0);
}

/// "lane i reads bank 2i mod 32", as far as the distance of the lanes tells.
std::string banks_of_lanes(const LaneGroup& group, const BankRule& rule) {
  const auto pitch = pitch_of(group);
  if (!pitch) return "the lanes of a warp are not evenly spaced";
  if (*pitch == 0) return "all lanes want one word, which is broadcast";
  const std::string apart = fmt::format("lanes are {} B apart", *pitch);
  const auto word = static_cast<std::int64_t>(rule.word), banks = std::int64_t{rule.banks};
  if (*pitch % word != 0) return apart;
  const std::int64_t step = (*pitch / word % banks + banks) % banks;
  const std::uint64_t begin = group.addresses[group.first] / rule.word % rule.banks;
  if (step == 0) return fmt::format("{}, so every lane wants bank {}", apart, begin);
  const std::string lane = step == 1 ? "i" : fmt::format("{}i", step);
  return begin == 0
             ? fmt::format("{}, so lane i wants bank {} mod {}", apart, lane, banks)
             : fmt::format("{}, so lane i wants bank ({} + {}) mod {}", apart, begin, lane, banks);
}

std::string sentence(const PassObserver& seen, const BankRule& rule) {
  const std::string who =
      rule.lanes < exec::kWarpSize ? fmt::format("each group of {} lanes", rule.lanes) : "";
  std::string text = who.empty() ? "each timed access takes " : who + " of a timed access takes ";
  if (seen.most == 1)
    text += "one pass: no bank conflict";
  else if (seen.least == seen.most)
    text += fmt::format("{} passes", seen.most);
  else
    text += fmt::format("{} to {} passes, {:.3g} on average", seen.least, seen.most,
                        static_cast<double>(seen.passes) / static_cast<double>(seen.groups));
  text += fmt::format(". {} banks with rows of {} B; {}", rule.banks, rule.width,
                      banks_of_lanes(seen.worst, rule));
  if (seen.most > 1) text += fmt::format(": {} rows of one bank are wanted at once", seen.most);
  return "shared memory: " + text;
}

}  // namespace

std::optional<std::string> bank_passes(const LoweredMeasure& measure, const Backend& backend) {
  const codegen::Artifact& artifact = measure.artifacts.front();
  if (measure.program.user || !is_plain(measure.program, measure.program.launches.front()))
    return std::nullopt;
  const auto launch = with_arguments(measure.program);
  const auto rule = rule_of(backend, measure.program.launches.front().bank_width);
  const auto counter = vgpu::KernelCounter::make(artifact.ptx, artifact.entry);
  if (!launch || !rule || !counter) return std::nullopt;
  const vgpu::KernelCounter::Impl& kernel = counter->impl();
  if (vgpu::misfit(*kernel.entry, *launch)) return std::nullopt;
  vgpu::CountedLaunch counted(kernel.module, *kernel.entry, *launch);
  PassObserver observer(*rule, artifact.ptx);
  exec::BlockRunner runner(counted.executor(), {.warp_instructions = kMostInstructions}, &observer);
  if (!runner.block({0, 0, 0}) || observer.groups == 0) return std::nullopt;
  return sentence(observer, *rule);
}

}  // namespace gpx::cli
