#include "runtime/pipeline.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "codegen/ir/program.h"
#include "lang/observe.h"
#include "runtime/analysis/analysis.h"
#include "runtime/analysis/outcome.h"
#include "runtime/analysis/prober.h"
#include "runtime/device/limits.h"
#include "runtime/device/select.h"
#include "runtime/library_names.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/sample_table.h"
#include "runtime/measure/user_measure.h"

namespace gpx {
namespace {

const std::atomic<bool> kNeverStop{false};

/// The axis that variance is taken along: the first plot's x, else the innermost axis.
std::string curve_axis(const Experiment& experiment) {
  if (!experiment.plots.empty()) return experiment.plots.front().x;
  const auto axes = experiment.sweep.axes();
  return axes.empty() ? std::string() : axes.back()->name;
}

/// What variance is taken of: the first plot's y where it is observed, else latency or time.
std::string curve_value(const Experiment& experiment, const Samples& samples) {
  std::vector<std::string> wanted;
  for (const ObserveTraits& row : observations())
    for (const ObservedColumn& column : row.columns)
      if (!column.is_place) wanted.emplace_back(column.name);
  if (!experiment.plots.empty() && !experiment.plots.front().y.empty())
    wanted.insert(wanted.begin(), experiment.plots.front().y.front());
  for (const std::string& name : wanted) {
    const Column* column = samples.find(name);
    if (column && !column->is_text && column->role == Column::Role::observed) return name;
  }
  return {};
}

/// Shows each stage's text where `--dump` asks for it.
class Dump {
 public:
  explicit Dump(const RunOptions& options) : options_(options) {}

  template <typename Text>
  void operator()(const char* stage, Text&& text) const {
    if (options_.dump.contains(stage) && options_.on_dump) options_.on_dump(stage, text());
  }

 private:
  const RunOptions& options_;
};

/// Each measure as a program. The measures stay in the experiment.
Result<std::vector<LoweredMeasure>> lower_all(const Experiment& experiment, const Source& source,
                                              Backend& backend, const Paths& paths,
                                              std::vector<std::string>& warnings) {
  const codegen::Limits limits = limits_of(backend.info());
  std::vector<LoweredMeasure> measures;
  for (const Measure& measure : experiment.measures) {
    if (measure.run()) {
      auto lowered =
          lower_user_measure(experiment, measure, source, backend, paths, limits, warnings);
      if (!lowered) return tl::unexpected(lowered.error());
      auto facts = launch_facts(*lowered, backend, warnings);
      if (!facts) return tl::unexpected(facts.error());
      add_fact_columns(*lowered, *facts, backend.info());
      measures.push_back(std::move(*lowered));
      continue;
    }
    auto program = codegen::lower(experiment, measure, source, limits);
    if (!program) return tl::unexpected(program.error());
    measures.push_back({&measure, std::move(*program), {}});
  }
  return measures;
}

/// Compiles the kernels of all measures together: as many at a time as there are cores.
Result<void> compile_all(std::vector<LoweredMeasure>& measures, const codegen::Toolchain& toolchain,
                         const Source& source, std::vector<std::string>& warnings) {
  std::vector<codegen::Kernel> kernels;
  for (const LoweredMeasure& measure : measures)
    if (!measure.program.user)
      kernels.insert(kernels.end(), measure.program.kernels.begin(), measure.program.kernels.end());
  auto artifacts = toolchain.compile(kernels, source, &warnings);
  if (!artifacts) return tl::unexpected(artifacts.error());
  auto next = std::make_move_iterator(artifacts->begin());
  for (LoweredMeasure& measure : measures) {
    if (measure.program.user) continue;
    const auto end = next + static_cast<std::ptrdiff_t>(measure.program.kernels.size());
    measure.artifacts.assign(next, end);
    next = end;
  }
  return {};
}

/// The first point of a measure that launches its kernel `index`: "n=2, threads=32".
std::string first_point(const Experiment& experiment, const codegen::Program& program,
                        std::size_t index) {
  const auto launches = [&](const codegen::Launch& launch) { return launch.kernel == index; };
  const auto found = std::ranges::find_if(program.launches, launches);
  if (found == program.launches.end()) return {};
  const auto values =
      experiment.sweep.at(static_cast<std::uint64_t>(found - program.launches.begin()));
  const auto axes = experiment.sweep.axes();
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", axes[i]->name, to_string(values[i]));
  return text;
}

/// Keeps what people read of a kernel, as long as it is little beside the samples.
void keep_text(KernelText text, std::vector<KernelText>& kernels) {
  constexpr std::size_t kMostKernels = 8, kMostBytes = 64 << 10;
  std::size_t bytes = text.cuda.size() + text.listing.size();
  for (const KernelText& kept : kernels) bytes += kept.cuda.size() + kept.listing.size();
  if (kernels.empty() || (kernels.size() < kMostKernels && bytes <= kMostBytes))
    kernels.push_back(std::move(text));
}

/// "verified" only where the timed region of every kernel is proven. A region that is something
/// else than what was asked for is an error.
Result<std::string> prove_all(const std::vector<LoweredMeasure>& measures,
                              const codegen::Toolchain& toolchain, const Dump& dump,
                              ExperimentResult& result) {
  using Verdict = codegen::RegionReport::Verdict;
  bool verified = true, any = false;
  for (const LoweredMeasure& measure : measures) {
    for (std::size_t i = 0; i < measure.artifacts.size(); ++i) {
      const codegen::Artifact& artifact = measure.artifacts[i];
      dump("cuda", [&] { return artifact.cuda; });
      dump("ptx", [&] { return artifact.ptx; });
      if (measure.program.user) continue;  // the whole grid is timed: there is nothing to prove
      any = true;
      const auto region = toolchain.prove(measure.program.kernels[i], artifact);
      dump("sass", [&] { return region.listing; });
      if (region.verdict == Verdict::refused)
        return fail(Fault::device, codegen::refusal(artifact.entry, region));
      verified &= region.verdict == Verdict::verified;
      keep_text({measure.measure->name, first_point(result.experiment, measure.program, i),
                 artifact.cuda, region.listing, region.form},
                result.kernels);
    }
  }
  return std::string(!any ? "" : verified ? "verified" : "unverified");
}

/// "0123456789abcdef…": 32 hex digits.
std::string hash_of(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// An interrupted run goes on only where everything that its points depend on is as it was.
Result<void> check_resumable(const ExperimentResult& before, const ExperimentResult& now) {
  const auto same = [](const std::string& what, bool equal) -> Result<void> {
    if (equal) return {};
    return fail(Fault::input, fmt::format("the run cannot go on: {} changed since", what),
                "'gpx rerun' measures all of it afresh");
  };
  const DeviceInfo &then = before.device, &device = now.device;
  if (auto ok = same("the experiment", before.ir == now.ir); !ok) return ok;
  if (auto ok =
          same(fmt::format("the device ({} then, {} now)", then.name, device.name),
               then.name == device.name && then.kind == device.kind && then.uuid == device.uuid);
      !ok)
    return ok;
  if (auto ok = same("the device's file", before.device_file == now.device_file); !ok) return ok;
  return same("its kernels (a file, what it includes, or the compiler)", before.artifacts == now.artifacts);
}

}  // namespace

Samples curves_of(const Experiment& experiment, const Samples& samples) {
  Samples curves = reduce(samples, experiment.reduce);
  const std::string x = curve_axis(experiment), y = curve_value(experiment, samples);
  const Column* axis = curves.find(x);
  if (!axis || axis->is_text || y.empty()) return curves;
  return with_variance(std::move(curves), x, y);
}

const std::vector<std::string>& dump_stages() {
  static const std::vector<std::string> stages = {"ast", "experiment", "kernel", "cuda",
                                                  "ptx", "sass",       "samples"};
  return stages;
}

struct Session::Impl {
  explicit Impl(Paths where) : paths(std::move(where)) {}

  Result<Backend*> open(const std::string& name, const std::string& preferred);
  Result<ExperimentResult> run(const Experiment& experiment, const Source& source,
                               const RunOptions& options, const ExperimentResult* before);
  Result<Backend*> prepare(ExperimentResult& result, std::vector<LoweredMeasure>& measures,
                           const Source& source, const RunOptions& options);
  void measure_all(ExperimentResult& result, Backend& backend,
                   const std::vector<LoweredMeasure>& measures, const RunOptions& options,
                   const ExperimentResult* before) const;
  Result<void> judge(ExperimentResult& result, const Source& source, Prober& prober) const;

  Paths paths;
  std::map<std::string, std::unique_ptr<Backend>> backends;  ///< By resolved name.
};

Result<Backend*> Session::Impl::open(const std::string& name, const std::string& preferred) {
  auto resolved = resolve_device(name, preferred, paths);
  if (!resolved) return tl::unexpected(resolved.error());
  if (const auto known = backends.find(*resolved); known != backends.end())
    return known->second.get();
  auto opened = open_device(*resolved, paths);
  if (!opened) return tl::unexpected(opened.error());
  return (backends[*resolved] = std::move(*opened)).get();
}

/// Samples to findings, then to what the experiment says about them.
Result<void> Session::Impl::judge(ExperimentResult& result, const Source& source,
                                  Prober& prober) const {
  const std::string folder = std::filesystem::path(source.name()).parent_path().string();
  auto analysis = analyze(result.experiment, result.samples, result.device, {paths.stdlib, folder},
                          &source, &prober);
  if (!analysis) return tl::unexpected(analysis.error());
  result.findings = outcome_findings(result.experiment, result.samples);
  std::ranges::move(analysis->findings, std::back_inserter(result.findings));
  result.printed = std::move(analysis->printed);
  if (!result.proof.empty())
    for (Finding& finding : result.findings) finding.proof = result.proof;
  for (const std::string& name : attach_paper_values(result.experiment, result.findings))
    result.warnings.push_back(
        fmt::format("no finding is called '{}', which a paper line names", name));
  result.expectations = judge_expectations(result.experiment, result.findings, result.device);
  result.claims = judge_claims(result.experiment, result.findings);
  return {};
}

Result<Backend*> Session::Impl::prepare(ExperimentResult& result,
                                        std::vector<LoweredMeasure>& measures, const Source& source,
                                        const RunOptions& options) {
  const Dump dump(options);
  dump("experiment", [&] { return to_string(result.experiment); });
  auto backend = open(options.device, result.experiment.device);
  if (!backend) return backend;
  result.device = (*backend)->info();
  if (const std::string text = (*backend)->definition(); !text.empty())
    result.device_file = hash_of(text);

  auto lowered = lower_all(result.experiment, source, **backend, paths, result.warnings);
  if (!lowered) return tl::unexpected(lowered.error());
  measures = std::move(*lowered);
  for (const LoweredMeasure& each : measures)
    for (const codegen::Kernel& kernel : each.program.kernels)
      if (!each.program.user) dump("kernel", [&] { return codegen::to_string(kernel); });

  const codegen::Toolchain& toolchain = (*backend)->toolchain();
  auto compiled = compile_all(measures, toolchain, source, result.warnings);
  if (!compiled) return tl::unexpected(compiled.error());
  auto proof = prove_all(measures, toolchain, dump, result);
  if (!proof) return tl::unexpected(proof.error());
  result.proof = *proof;
  result.compiler = toolchain.name();
  for (const LoweredMeasure& each : measures) {
    result.points_total += each.program.launches.size();
    for (const codegen::Artifact& artifact : each.artifacts)
      result.artifacts.push_back(artifact.hash);
  }
  return backend;
}

/// What the device returns, between two looks at its state.
void Session::Impl::measure_all(ExperimentResult& result, Backend& backend,
                                const std::vector<LoweredMeasure>& measures,
                                const RunOptions& options, const ExperimentResult* before) const {
  result.samples = before ? before->samples : SampleTable(result.experiment, measures).take();
  result.points = before ? before->points : 0;
  result.values_digest = before ? before->values_digest : std::string();
  result.state_before = backend.telemetry();
  for (RunObserver* observer : options.observers) observer->begins(result);

  std::optional<MeasuredBefore> earlier;
  if (before && before->points > 0)
    earlier.emplace(before->points, before->samples, before->values_digest);
  Measurement measurement = gpx::measure(
      backend, result.experiment, measures, options.seed, options.stop ? *options.stop : kNeverStop,
      [&](const PointsMeasured& points) {
        for (RunObserver* observer : options.observers) observer->measured(result, points);
      },
      earlier);
  result.state_after = backend.telemetry();
  result.samples = std::move(measurement.samples);
  result.points = measurement.points;
  result.values_digest = std::move(measurement.values_digest);
  result.failure = std::move(measurement.failure);
  for (const LoweredMeasure& each : measures)
    if (result.failure && each.program.user)
      result.failure = in_kernel_file(std::move(*result.failure), each);
  result.interrupted = measurement.interrupted;
}

Result<ExperimentResult> Session::Impl::run(const Experiment& experiment, const Source& source,
                                            const RunOptions& options,
                                            const ExperimentResult* before) {
  ExperimentResult result;
  result.experiment = experiment;
  result.file = source.name();
  result.seed = options.seed;
  result.ir = hash_of(to_string(experiment));
  // Of the copy in `result`: it must not move while they are used.
  std::vector<LoweredMeasure> measures;
  auto backend = prepare(result, measures, source, options);
  if (!backend) return tl::unexpected(backend.error());
  if (before && before->points_total == 0) before = nullptr;  // It did not begin.
  if (before) {
    if (auto ok = check_resumable(*before, result); !ok) return tl::unexpected(ok.error());
  }
  measure_all(result, **backend, measures, options, before);
  result.curves = curves_of(experiment, result.samples);
  const Dump dump(options);
  dump("samples", [&] { return to_csv(result.samples); });
  if (!result.whole()) return result;
  // Analyses may ask the same device for more.
  const auto prober =
      make_prober(**backend, options.stop ? *options.stop : kNeverStop, options.seed);
  if (auto judged = judge(result, source, *prober); !judged) result.failure = judged.error();
  return result;
}

Session::Session(Paths paths) : impl_(std::make_unique<Impl>(std::move(paths))) {}
Session::~Session() = default;

const Paths& Session::paths() const {
  return impl_->paths;
}

Result<Backend*> Session::open(const std::string& name, const std::string& preferred) {
  return impl_->open(name, preferred);
}

Result<RunResult> Session::run(const Source& source, const RunOptions& options) {
  const Dump dump(options);
  auto ast = parse(source);
  if (!ast) return tl::unexpected(ast.error());
  dump("ast", [&] { return to_string(*ast); });
  auto experiments = check(*ast, source, options.settings);
  if (!experiments) return tl::unexpected(experiments.error());
  if (auto ok = check_library_names(*ast, source, paths(), options.device); !ok)
    return tl::unexpected(ok.error());

  RunResult all;
  all.sources = {source};
  all.settings = options.settings;
  for (std::size_t i = 0; i < experiments->size(); ++i) {
    const bool known = options.before && i < options.before->experiments.size();
    const ExperimentResult* before = known ? &options.before->experiments[i] : nullptr;
    if (before && before->whole()) {
      all.experiments.push_back(*before);
      continue;
    }
    auto result = impl_->run((*experiments)[i], source, options, before);
    // What earlier experiments measured is kept; alone, the error is all there is.
    if (!result && all.experiments.empty()) return tl::unexpected(result.error());
    if (!result) {
      ExperimentResult failed;
      failed.experiment = (*experiments)[i];
      failed.file = source.name();
      failed.failure = result.error();
      result = std::move(failed);
    }
    for (RunObserver* observer : options.observers) observer->ends(*result);
    const bool ended = !result->whole();
    all.interrupted = result->interrupted;
    all.experiments.push_back(std::move(*result));
    if (ended) break;
  }
  return all;
}

}  // namespace gpx
