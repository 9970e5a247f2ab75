#include "runtime/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "codegen/compile.h"
#include "codegen/nvrtc.h"
#include "codegen/program.h"
#include "codegen/timed_region.h"
#include "runtime/analysis.h"
#include "runtime/device_limits.h"
#include "runtime/device_select.h"
#include "runtime/measure.h"
#include "runtime/outcome.h"
#include "runtime/prober.h"

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
  std::vector<std::string> wanted = {"latency", "time"};
  if (!experiment.plots.empty() && !experiment.plots.front().y.empty())
    wanted.insert(wanted.begin(), experiment.plots.front().y.front());
  for (const std::string& name : wanted) {
    const Column* column = samples.find(name);
    if (column && !column->is_text && column->role == Column::Role::observed) return name;
  }
  return {};
}

Samples curves_of(const Experiment& experiment, const Samples& samples) {
  Samples curves = reduce(samples, experiment.reduce);
  const std::string x = curve_axis(experiment), y = curve_value(experiment, samples);
  const Column* axis = curves.find(x);
  if (!axis || axis->is_text || y.empty()) return curves;
  return with_variance(std::move(curves), x, y);
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

/// "libnvrtc.so.13.0.88"
std::string compiler_name() {
  const auto place = codegen::find_nvrtc();
  if (!place) return {};
  std::error_code ignored;
  const auto file = std::filesystem::canonical(place->path, ignored);
  return ignored ? place->path : file.filename().string();
}

/// Each measure as a program. The measures stay in the experiment.
Result<std::vector<LoweredMeasure>> lower_all(const Experiment& experiment, const Source& source,
                                              const codegen::Limits& limits) {
  std::vector<LoweredMeasure> measures;
  for (const Measure& measure : experiment.measures) {
    auto program = codegen::lower(experiment, measure, source, limits);
    if (!program) return tl::unexpected(program.error());
    measures.push_back({&measure, std::move(*program), {}});
  }
  return measures;
}

/// Compiles the kernels of all measures together: as many at a time as there are cores.
Result<void> compile_all(std::vector<LoweredMeasure>& measures, const codegen::Target& target,
                         const Source& source, std::vector<std::string>& warnings) {
  std::vector<codegen::Kernel> kernels;
  for (const LoweredMeasure& measure : measures)
    kernels.insert(kernels.end(), measure.program.kernels.begin(), measure.program.kernels.end());
  codegen::CompileOptions options;
  options.source = &source;
  auto artifacts = codegen::compile(kernels, target, options, &warnings);
  if (!artifacts) return tl::unexpected(artifacts.error());
  auto next = std::make_move_iterator(artifacts->begin());
  for (LoweredMeasure& measure : measures) {
    const auto end = next + static_cast<std::ptrdiff_t>(measure.program.kernels.size());
    measure.artifacts.assign(next, end);
    next = end;
  }
  return {};
}

/// "verified" only where the timed region of every kernel is proven. A region that is something
/// else than what was asked for is an error.
Result<std::string> prove_all(const std::vector<LoweredMeasure>& measures, const Dump& dump) {
  using Verdict = codegen::RegionReport::Verdict;
  bool verified = true;
  for (const LoweredMeasure& measure : measures) {
    for (std::size_t i = 0; i < measure.artifacts.size(); ++i) {
      const codegen::Artifact& artifact = measure.artifacts[i];
      dump("cuda", [&] { return artifact.cuda; });
      dump("ptx", [&] { return artifact.ptx; });
      const auto region = codegen::check_timed_region(measure.program.kernels[i], artifact);
      dump("sass", [&] { return region.listing; });
      if (region.verdict == Verdict::refused)
        return fail(Fault::device,
                    fmt::format("the timed region of {} is not what was asked for: {}\n{}",
                                artifact.entry, region.reason, region.listing));
      verified &= region.verdict == Verdict::verified;
    }
  }
  return std::string(verified ? "verified" : "unverified");
}

}  // namespace

const std::vector<std::string>& dump_stages() {
  static const std::vector<std::string> stages = {"ast", "experiment", "kernel", "cuda",
                                                  "ptx", "sass",       "samples"};
  return stages;
}

struct Session::Impl {
  explicit Impl(Paths where) : paths(std::move(where)) {}

  Result<Backend*> open(const std::string& name, const std::string& preferred);
  Result<ExperimentResult> run(const Experiment& experiment, const Source& source,
                               const RunOptions& options);
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
  for (Finding& finding : result.findings) finding.proof = result.proof;
  for (const std::string& name : attach_paper_values(result.experiment, result.findings))
    result.warnings.push_back(
        fmt::format("no finding is called '{}', which a paper line names", name));
  result.expectations = judge_expectations(result.experiment, result.findings, result.device);
  result.claims = judge_claims(result.experiment, result.findings);
  return {};
}

Result<ExperimentResult> Session::Impl::run(const Experiment& experiment, const Source& source,
                                            const RunOptions& options) {
  const Dump dump(options);
  ExperimentResult result;
  result.experiment = experiment;
  result.file = source.name();
  result.seed = options.seed;
  dump("experiment", [&] { return to_string(experiment); });

  auto backend = open(options.device, experiment.device);
  if (!backend) return tl::unexpected(backend.error());
  result.device = (*backend)->info();

  // The copy in `result`: the measures must not move while they are used.
  auto measures = lower_all(result.experiment, source, limits_of(result.device));
  if (!measures) return tl::unexpected(measures.error());
  for (const LoweredMeasure& each : *measures)
    for (const codegen::Kernel& kernel : each.program.kernels)
      dump("kernel", [&] { return codegen::to_string(kernel); });

  auto compiled = compile_all(*measures, (*backend)->target(), source, result.warnings);
  if (!compiled) return tl::unexpected(compiled.error());
  auto proof = prove_all(*measures, dump);
  if (!proof) return tl::unexpected(proof.error());
  result.proof = *proof;
  result.compiler = compiler_name();
  for (const LoweredMeasure& each : *measures)
    for (const codegen::Artifact& artifact : each.artifacts)
      result.artifacts.push_back(artifact.hash);

  Measurement measurement = gpx::measure(**backend, result.experiment, *measures, options.seed,
                                         options.stop ? *options.stop : kNeverStop,
                                         [&](std::uint64_t done, std::uint64_t total) {
                                           if (options.on_progress)
                                             options.on_progress({experiment.name, done, total});
                                         });
  result.samples = std::move(measurement.samples);
  result.values_digest = std::move(measurement.values_digest);
  result.failure = std::move(measurement.failure);
  result.interrupted = measurement.interrupted;
  result.curves = curves_of(experiment, result.samples);
  dump("samples", [&] { return to_csv(result.samples); });
  if (result.failure || result.interrupted) return result;
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

  RunResult all;
  for (const Experiment& experiment : *experiments) {
    auto result = impl_->run(experiment, source, options);
    if (!result) {
      // What earlier experiments measured is kept; alone, the error is all there is.
      if (all.experiments.empty()) return tl::unexpected(result.error());
      ExperimentResult failed;
      failed.experiment = experiment;
      failed.file = source.name();
      failed.failure = result.error();
      all.experiments.push_back(std::move(failed));
      break;
    }
    const bool ended = result->failure || result->interrupted;
    all.interrupted = result->interrupted;
    all.experiments.push_back(std::move(*result));
    if (ended) break;
  }
  return all;
}

}  // namespace gpx
