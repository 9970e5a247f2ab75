// Interface: prepare.h. Covered by tests/runtime/prepare_test.cpp.
#include "runtime/measure/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "codegen/compile/parallel.h"
#include "codegen/ir/program_text.h"
#include "lang/assert.h"
#include "lang/stop.h"
#include "lang/try.h"
#include "runtime/device/limits.h"

namespace gpx {
namespace {

using RegionVerdict = codegen::RegionReport::Verdict;

/// What every stage after lowering relies on.
void assert_lowered([[maybe_unused]] const Experiment& experiment,
                    const std::vector<LoweredMeasure>& measures) {
  GPX_ASSERT(measures.size() == experiment.measures.size());
  for (const LoweredMeasure& measure : measures) {
    const codegen::Program& program = measure.program;
    GPX_ASSERT(!program.launches.empty() && !program.kernels.empty());
    for (const codegen::Launch& launch : program.launches) {
      GPX_ASSERT(launch.kernel < program.kernels.size());
      GPX_ASSERT(launch.record_extents.size() == program.records.keys.size());
      if (program.user) continue;
      [[maybe_unused]] const codegen::Kernel& kernel = program.kernels[launch.kernel];
      GPX_ASSERT(program.results.size() == kernel.result_slots());
      GPX_ASSERT(launch.threads <= kernel.threads);
    }
  }
}

/// Leaves the launch of one point and the kernel that it launches.
void keep_point(LoweredMeasure& measure, std::uint64_t point) {
  codegen::Program& program = measure.program;
  codegen::Launch launch = program.launches.at(point);
  const std::uint32_t kernel = std::exchange(launch.kernel, 0);
  program.kernels = {program.kernels[kernel]};
  program.launches = {std::move(launch)};
  if (program.user) measure.artifacts = {measure.artifacts[kernel]};
}

Result<std::vector<LoweredMeasure>> lower_measures(const Experiment& experiment,
                                                   const Source& source, const Backend& backend,
                                                   const Paths& paths,
                                                   const PrepareOptions& options,
                                                   std::vector<std::string>& warnings) {
  codegen::Limits limits = limits_of(backend.info());
  limits.shared_per_block = options.shared_per_block.value_or(limits.shared_per_block);
  std::vector<LoweredMeasure> measures;
  for (const Measure& measure : experiment.measures) {
    if (measure.run()) {
      auto lowered = GPX_TRY(lower_user_measure(experiment, measure, source, backend, paths,
                                                options.kernel_files, limits, warnings));
      if (options.whole)
        for (codegen::Launch& launch : lowered.program.launches) launch.sampled = false;
      measures.push_back(std::move(lowered));
    } else {
      auto program = GPX_TRY(codegen::lower(experiment, measure, source, limits));
      measures.push_back({&measure, std::move(program), {}});
    }
    if (options.point) keep_point(measures.back(), *options.point);
  }
  return measures;
}

/// What `--from=program` reads.
std::string program_text(const Experiment& experiment,
                         const std::vector<LoweredMeasure>& measures) {
  std::string text = to_string(experiment);
  for (const LoweredMeasure& each : measures)
    text += codegen::to_string(each.program, each.measure->name);
  return text;
}

/// Compiles the kernels of all measures together: as many at a time as there are cores.
Result<void> compile_measures(std::vector<LoweredMeasure>& measures, const Source& source,
                              const codegen::Toolchain& toolchain,
                              std::vector<std::string>& warnings) {
  std::vector<codegen::Kernel> kernels;
  for (const LoweredMeasure& measure : measures)
    if (!measure.program.user)
      kernels.insert(kernels.end(), measure.program.kernels.begin(), measure.program.kernels.end());
  auto artifacts = GPX_TRY(toolchain.compile(kernels, source, &warnings));
  GPX_ASSERT(artifacts.size() == kernels.size());
  auto next = std::make_move_iterator(artifacts.begin());
  for (LoweredMeasure& measure : measures) {
    if (measure.program.user) continue;
    const auto end = next + static_cast<std::ptrdiff_t>(measure.program.kernels.size());
    measure.artifacts.assign(next, end);
    next = end;
  }
  return {};
}

/// A timed region that is something else than what was asked for is an error.
Result<void> prove_measure(LoweredMeasure& measure, const codegen::Toolchain& toolchain,
                           const PrepareOptions& options) {
  if (!measure.program.user) {
    measure.regions.resize(measure.artifacts.size());
    codegen::in_parallel(
        measure.artifacts.size(), codegen::kFewSteps, 0, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            measure.regions[i] = toolchain.prove(measure.program.kernels[i], measure.artifacts[i]);
        });
    if (StopScope::raised()) return StopScope::error();
  }
  for (std::size_t i = 0; i < measure.artifacts.size(); ++i) {
    const codegen::Artifact& artifact = measure.artifacts[i];
    options.dump("cuda", [&] { return artifact.cuda; });
    options.dump("ptx", [&] { return artifact.ptx; });
    if (measure.program.user) {
      options.dump("sass", [] {
        return std::string(
            "// The whole grid of a kernel from a file is timed, so there is no timed region: gpx "
            "sass FILE.cu shows its machine code.\n");
      });
      continue;
    }
    const codegen::RegionReport& region = measure.regions[i];
    options.dump("sass", [&] {
      return region.form == "SASS" ? region.listing
                                   : fmt::format(
                                         "// This device executes {0}: there is no SASS, "
                                         "the timed region is {0}.\n{1}",
                                         region.form, region.listing);
    });
    if (region.verdict == RegionVerdict::refused && !options.keep_refused)
      return fail(Fault::device, codegen::refusal(artifact.entry, region));
  }
  return {};
}

/// "threads=512, n=3" of a point of the sweep.
std::string point_text(const Sweep& sweep, std::uint64_t point) {
  std::string text;
  const std::vector<Value> values = sweep.at(point);
  const std::vector<const Axis*> axes = sweep.axes();
  for (std::size_t i = 0; i < axes.size(); ++i)
    text += fmt::format("{}{}={}", i > 0 ? ", " : "", axes[i]->name, to_string(values[i]));
  return text;
}

/// Points whose blocks no SM can hold: where others can run, they are outcomes, as with
/// `registers N`, and do not end the run.
void refuse_points(LoweredMeasure& measure, const std::vector<LaunchFacts>& facts,
                   const Experiment& experiment, const std::string& device,
                   std::vector<std::string>& warnings) {
  const auto refused = [](const LaunchFacts& one) { return one.resident_blocks() == 0; };
  const auto count = std::ranges::count_if(facts, refused);
  if (count == 0 || static_cast<std::size_t>(count) == facts.size()) return;
  measure.program.outcomes = true;
  const auto first = static_cast<std::size_t>(std::ranges::find_if(facts, refused) - facts.begin());
  const auto kernel =
      std::ranges::find(experiment.kernels, measure.measure->run()->kernel, &UserKernel::name);
  warnings.push_back(fmt::format(
      "no SM of {} can hold a block of '{}' at {} of {} points, the first at {}: {} a thread, "
      "limited by {}; they are not run",
      device, kernel->entry, count, facts.size(), point_text(experiment.sweep, first),
      plural(facts[first].registers, "register"),
      fmt::join(facts[first].occupancy.limiters, " and ")));
}

/// What describes the launches of a kernel from a file, also as columns of the samples.
Result<std::vector<LaunchFacts>> describe_measure(LoweredMeasure& measure,
                                                  const Experiment& experiment, Backend& backend,
                                                  const PrepareOptions& options,
                                                  std::vector<std::string>& warnings) {
  if (!measure.program.user) return {};
  auto facts = launch_facts(measure, backend, warnings, options.whole, options.brief);
  if (!facts) return facts;
  add_fact_columns(measure, *facts, backend.info());
  refuse_points(measure, *facts, experiment, backend.info().name, warnings);
  return facts;
}

}  // namespace

std::string Prepared::proof() const {
  bool verified = true, any = false;
  for (const LoweredMeasure& measure : measures) {
    for (const codegen::RegionReport& region : measure.regions) {
      any = true;
      verified &= region.verdict == RegionVerdict::verified;
    }
  }
  return !any ? "" : verified ? "verified" : "unverified";
}

Result<Prepared> prepare(const Experiment& experiment, const Source& source, Backend& backend,
                         const Paths& paths, const PrepareOptions& options) {
  std::vector<std::string> warnings;
  auto lowered = GPX_TRY(lower_measures(experiment, source, backend, paths, options, warnings));
  auto prepared = prepare(experiment, std::move(lowered), source, backend, options);
  if (prepared)
    prepared->warnings.insert(prepared->warnings.begin(), warnings.begin(), warnings.end());
  return prepared;
}

Result<Prepared> prepare(const Experiment& experiment, std::vector<LoweredMeasure> measures,
                         const Source& source, Backend& backend, const PrepareOptions& options) {
  assert_lowered(experiment, measures);
  Prepared prepared{std::move(measures), {}, {}};
  options.dump("program", [&] { return program_text(experiment, prepared.measures); });
  for (const LoweredMeasure& each : prepared.measures)
    for (const codegen::Kernel& kernel : each.program.kernels)
      if (!each.program.user) options.dump("kernel", [&] { return codegen::to_string(kernel); });
  if (auto ok = compile_measures(prepared.measures, source, backend.toolchain(), prepared.warnings);
      !ok)
    return tl::unexpected(ok.error());
  for (LoweredMeasure& each : prepared.measures) {
    GPX_TRY(prove_measure(each, backend.toolchain(), options));
    if (!options.facts) continue;
    auto facts = GPX_TRY(describe_measure(each, experiment, backend, options, prepared.warnings));
    prepared.facts.push_back(std::move(facts));
  }
  return prepared;
}

}  // namespace gpx
