#include "runtime/pipeline.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "codegen/compile.h"
#include "codegen/nvrtc.h"
#include "codegen/program.h"
#include "codegen/timed_region.h"
#include "runtime/analysis.h"
#include "runtime/device_select.h"
#include "runtime/measure.h"

namespace gpx {
namespace {

const std::atomic<bool> kNeverStop{false};

codegen::Limits limits_of(const DeviceInfo& device) {
  codegen::Limits limits;
  limits.threads_per_block = device.max_threads_per_block;
  limits.memory_bytes = device.memory_bytes;
  return limits;
}

/// The axis that variance is taken along: the first plot's x, else the innermost axis.
std::string curve_axis(const Experiment& experiment) {
  if (!experiment.plots.empty()) return experiment.plots.front().x;
  const auto axes = experiment.sweep.axes();
  return axes.empty() ? std::string() : axes.back()->name;
}

Samples curves_of(const Experiment& experiment, const Samples& samples) {
  Samples curves = reduce(samples, experiment.reduce);
  const std::string x = curve_axis(experiment);
  if (x.empty()) return curves;
  const Column* axis = curves.find(x);
  if (!axis || axis->is_text) return curves;
  return with_variance(std::move(curves), x,
                       experiment.measures.front().observe == Observe::time ? "time" : "latency");
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

/// "verified" only where every kernel's timed region was proven.
std::string proof_of(const std::vector<codegen::RegionReport>& regions) {
  for (const codegen::RegionReport& region : regions)
    if (region.verdict != codegen::RegionReport::Verdict::verified) return "unverified";
  return "verified";
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
  Result<void> judge(ExperimentResult& result, const Source& source) const;

  Paths paths;
  std::map<std::string, std::unique_ptr<Backend>> backends;  ///< By resolved name.
};

Result<Backend*> Session::Impl::open(const std::string& name, const std::string& preferred) {
  auto resolved = resolve_device(name, preferred, paths);
  if (!resolved) return tl::unexpected(resolved.error());
  if (const auto known = backends.find(*resolved); known != backends.end())
    return known->second.get();
  auto opened = open_device(*resolved);
  if (!opened) return tl::unexpected(opened.error());
  return (backends[*resolved] = std::move(*opened)).get();
}

/// Samples to findings, then to what the experiment says about them.
Result<void> Session::Impl::judge(ExperimentResult& result, const Source& source) const {
  const std::string folder = std::filesystem::path(source.name()).parent_path().string();
  auto analysis =
      analyze(result.experiment, result.samples, result.device, {paths.stdlib, folder}, &source);
  if (!analysis) return tl::unexpected(analysis.error());
  result.findings = std::move(analysis->findings);
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

  auto program =
      codegen::lower(experiment, experiment.measures.front(), source, limits_of(result.device));
  if (!program) return tl::unexpected(program.error());
  for (const codegen::Kernel& kernel : program->kernels)
    dump("kernel", [&] { return codegen::to_string(kernel); });

  codegen::CompileOptions compile_options;
  compile_options.source = &source;
  auto artifacts =
      codegen::compile(program->kernels, (*backend)->target(), compile_options, &result.warnings);
  if (!artifacts) return tl::unexpected(artifacts.error());
  std::vector<codegen::RegionReport> regions;
  for (std::size_t i = 0; i < artifacts->size(); ++i) {
    const codegen::Artifact& artifact = (*artifacts)[i];
    dump("cuda", [&] { return artifact.cuda; });
    dump("ptx", [&] { return artifact.ptx; });
    result.artifacts.push_back(artifact.hash);
    regions.push_back(codegen::check_timed_region(program->kernels[i], artifact));
    dump("sass", [&] { return regions.back().listing; });
    if (regions.back().verdict == codegen::RegionReport::Verdict::refused)
      return fail(Fault::device,
                  fmt::format("the timed region of {} is not what was asked for: {}\n{}",
                              artifact.entry, regions.back().reason, regions.back().listing));
  }
  result.proof = proof_of(regions);
  result.compiler = compiler_name();

  if (auto loaded = (*backend)->load(*program, *artifacts); !loaded)
    return tl::unexpected(loaded.error());
  Measurement measurement = measure(**backend, experiment, *program, options.seed,
                                    options.stop ? *options.stop : kNeverStop,
                                    [&](std::uint64_t done, std::uint64_t total) {
                                      if (options.on_progress)
                                        options.on_progress({experiment.name, done, total});
                                    });
  result.samples = std::move(measurement.samples);
  result.values_digest = measurement.values_digest;
  result.failure = std::move(measurement.failure);
  result.interrupted = measurement.interrupted;
  result.curves = curves_of(experiment, result.samples);
  dump("samples", [&] { return to_csv(result.samples); });
  if (!result.failure && !result.interrupted)
    if (auto judged = judge(result, source); !judged) result.failure = judged.error();
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
