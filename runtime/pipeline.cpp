#include "runtime/pipeline.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "lang/lists.h"
#include "lang/stop.h"
#include "lang/try.h"
#include "runtime/analysis/prober.h"
#include "runtime/build_id.h"
#include "runtime/device/select.h"
#include "runtime/device/turn.h"
#include "runtime/judge.h"
#include "runtime/library_names.h"
#include "runtime/measure/curves.h"
#include "runtime/measure/lacked.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/modes.h"
#include "runtime/measure/peak.h"
#include "runtime/measure/prepare.h"
#include "runtime/measure/recording.h"
#include "runtime/measure/sampled.h"
#include "runtime/measure/unmodelled.h"
#include "runtime/measure/until.h"
#include "runtime/quiet.h"

namespace gpx {
namespace {

std::string folder_of(const Source& source) {
  return std::filesystem::path(source.name()).parent_path().string();
}

const std::atomic<bool> kNeverStop{false};

/// "0123456789abcdef…": 32 hex digits.
std::string hash_of(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// Programs that were lowered elsewhere, as the experiment's measures.
std::vector<LoweredMeasure> lowered_of(const Experiment& experiment,
                                       const std::vector<codegen::Program>& programs) {
  std::vector<LoweredMeasure> measures;
  for (std::size_t i = 0; i < programs.size(); ++i)
    measures.push_back({&experiment.measures[i], programs[i], {}});
  return measures;
}

/// Programs that were lowered elsewhere, for a device of as many SMs.
Result<void> check_launches(const Experiment& experiment,
                            const std::vector<codegen::Program>& programs) {
  for (const codegen::Program& program : programs)
    if (program.launches.size() != experiment.sweep.points())
      return fail(Fault::input, fmt::format("a program of {} launches, for {} points of the sweep "
                                            "on this device",
                                            program.launches.size(), experiment.sweep.points()));
  return {};
}

/// Registers of machine code for another architecture than the device's, where they bound.
std::optional<std::string> borrowed_registers(const Prepared& prepared, const Backend& backend) {
  if (backend.info().measured) return std::nullopt;
  for (std::size_t i = 0; i < prepared.facts.size(); ++i)
    for (const LaunchFacts& one : prepared.facts[i])
      if (const auto& limiters = one.occupancy.limiters; one.occupancy.fraction < 1 &&
                                                         !prepared.measures[i].measure->registers &&
                                                         contains(limiters, "registers"))
        return fmt::format(
            "registers limit the occupancy; those of a thread are {}, 'registers N' gives another "
            "number",
            backend.toolchain().registers_origin(false));
  return std::nullopt;
}

/// Real devices are measured by one gpx at a time: those of these UUIDs.
std::vector<Turn> take_turns(ExperimentResult& result, std::vector<std::string> uuids,
                             const RunOptions& options) {
  std::erase(uuids, std::string());
  if (!result.device.measured || uuids.empty()) return {};
  if (options.no_wait) {
    if (std::ranges::any_of(uuids, Turn::taken))
      result.warnings.push_back(
          "another gpx measured on the device at the same time: they disturb each other");
    return {};
  }
  return Turn::wait(std::move(uuids), options.stop, [&] {
    if (options.on_wait)
      options.on_wait(
          fmt::format("another gpx measures on {}: waiting for its end (--no-wait "
                      "measures at the same time)",
                      result.device.name));
  });
}

bool uses_peer(const Prepared& prepared) {
  return std::ranges::any_of(prepared.measures, [](const LoweredMeasure& each) {
    return each.program.uses(codegen::Buffer::Place::peer);
  });
}

/// The turns on a device and on the peer whose memory its programs use. The peer is given back
/// before its turn is: a process that has a context on it is a co-runner of the next one.
class PeerTurn {
 public:
  PeerTurn(Backend& backend, std::vector<Turn> turns)
      : backend_(backend), turns_(std::move(turns)) {}
  ~PeerTurn() { (void)backend_.load({}, {}); }
  PeerTurn(const PeerTurn&) = delete;
  PeerTurn& operator=(const PeerTurn&) = delete;

 private:
  Backend& backend_;
  std::vector<Turn> turns_;
};

/// Bytes of memory that an analysis may count on: all, or less where another process has a part.
std::uint64_t memory_for(const DeviceInfo& device, const Backend& backend) {
  constexpr double kOwn = 0.9;  // the rest may be the driver's, and what is loaded
  const std::uint64_t free = backend.free_memory();
  const double all = static_cast<double>(device.memory_bytes);
  return static_cast<double>(free) < kOwn * all ? free : device.memory_bytes;
}

/// What is known of a run before anything is measured.
void begin(ExperimentResult& result, Prepared& prepared, const Backend& backend) {
  for (const Diagnostic& warning : result.experiment.warnings)
    result.warnings.push_back(warning.message);
  std::ranges::move(prepared.warnings, std::back_inserter(result.warnings));
  std::ranges::move(lacked(prepared.measures, backend.info()), std::back_inserter(result.warnings));
  std::ranges::move(unmodelled(result.experiment, prepared.measures, backend),
                    std::back_inserter(result.warnings));
  if (auto borrowed = borrowed_registers(prepared, backend))
    result.warnings.push_back(std::move(*borrowed));
  result.build = build_id();
  result.proof = prepared.proof();
  result.compiler = backend.toolchain().name();
  result.kernels = kernel_texts(result.experiment, prepared.measures);
  std::uint64_t points = 0;
  for (const LoweredMeasure& each : prepared.measures) {
    if (each.program.user && !kept_file(result.kernel_files, each.kernel_file))
      result.kernel_files.emplace_back(each.kernel_file, each.artifacts.front().cuda);
    points += each.program.launches.size();
    for (const codegen::Artifact& artifact : each.artifacts)
      result.artifacts.push_back(artifact.hash);
  }
  result.points_total = result.shard.points_of(points);
}

/// An interrupted run goes on only where everything that its points depend on is as it was.
Result<void> check_resumable(const ExperimentResult& before, const ExperimentResult& now) {
  const auto same = [](const std::string& what, bool equal) -> Result<void> {
    if (equal) return {};
    return fail(Fault::input, fmt::format("the run cannot go on: {} changed since", what),
                "'gpx rerun' measures all of it afresh");
  };
  const DeviceInfo &then = before.device, &device = now.device;
  GPX_TRY(same("the experiment", before.ir == now.ir));
  if (auto ok =
          same(fmt::format("the device ({} then, {} now)", then.name, device.name),
               then.name == device.name && then.kind == device.kind && then.uuid == device.uuid);
      !ok)
    return ok;
  GPX_TRY(same("--shard", before.shard == now.shard));
  GPX_TRY(same("--whole", before.all_blocks == now.all_blocks));
  GPX_TRY(same("the device's file", before.device_file == now.device_file));
  return same("its kernels (a file, what it includes, or the compiler)",
              before.artifacts == now.artifacts);
}

/// What the earlier part of the measurement gave cause to warn of.
void inherit_warnings(ExperimentResult& result, const ExperimentResult& before) {
  for (const std::string& warning : before.warnings) add_once(result.warnings, warning);
}

}  // namespace

struct Session::Impl {
  explicit Impl(Paths where) : paths(std::move(where)) {}

  Result<Backend*> open(const std::string& name, const std::string& preferred);
  Result<std::vector<Entered>> enter(const Source& source, const RunOptions& options) const;
  Result<ExperimentResult> run(const Entered& entered, const Source& source,
                               const RunOptions& options, const ExperimentResult* before);
  ExperimentResult failed(const Entered& entered, const Source& source, const RunOptions& options,
                          const Error& error);
  void measure_all(ExperimentResult& result, Backend& backend,
                   const std::vector<LoweredMeasure>& measures, const RunOptions& options,
                   const ExperimentResult* before) const;
  Result<void> judge(ExperimentResult& result, const Source& source, Backend& backend,
                     const RunOptions& options, const CoRunner& first) const;
  Result<void> check_computed(ExperimentResult& result, const Source& source, Backend& backend,
                              const std::vector<LoweredMeasure>& measures,
                              const RunOptions& options) const;

  Paths paths;
  std::map<std::string, std::unique_ptr<Backend>> backends;  ///< By resolved name.
};

Result<Backend*> Session::Impl::open(const std::string& name, const std::string& preferred) {
  auto resolved = GPX_TRY(resolve_device(name, preferred, paths));
  if (const auto known = backends.find(resolved); known != backends.end())
    return known->second.get();
  auto opened = GPX_TRY(open_device(resolved, paths));
  return (backends[resolved] = watched(std::move(opened), paths.stdlib)).get();
}

/// The source to checked experiments, from the stage that it is of.
Result<std::vector<Entered>> Session::Impl::enter(const Source& source,
                                                  const RunOptions& options) const {
  if (options.from == "kernel")
    return enter_kernel(source, options.settings).map([](Entered one) {
      return std::vector<Entered>{std::move(one)};
    });
  const bool program = options.from == "program", recorded = options.from == "probes";
  const Source text = program    ? language_part(source)
                      : recorded ? recorded_language(source)
                                 : source;
  const auto ast = GPX_TRY(parse(text));
  if (options.from.empty())
    Dump(options.dump, options.on_dump)("ast", [&] { return to_string(ast); });
  auto experiments =
      check(ast, text, program || recorded ? std::vector<Setting>() : options.settings);
  if (!experiments) return tl::unexpected(experiments.error());
  if (recorded) return enter_recorded(source, std::move(*experiments), options.settings);
  GPX_TRY(check_library_names(ast, text, paths, options.device, options.kernel_files));
  warn_of_library(*experiments, text, paths);
  if (program) return enter_programs(source, std::move(*experiments), options.settings);
  std::vector<Entered> all;
  for (Experiment& each : *experiments) all.push_back({std::move(each), {}, {}});
  return all;
}

/// An analysis during which another process disturbed the device runs again. Findings that only an
/// earlier one made, and all of one that fails each time, are inconclusive for that.
Result<void> Session::Impl::judge(ExperimentResult& result, const Source& source, Backend& backend,
                                  const RunOptions& options, const CoRunner& first) const {
  constexpr int kAttempts = 3;
  const std::size_t warnings = result.warnings.size(), printed = result.printed.size();
  std::vector<Finding> earlier;
  Result<void> judged;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const CoRunner before = backend.co_runner();
    result.warnings.resize(warnings);
    result.printed.resize(printed);
    const auto prober =
        make_prober(backend, options.stop ? *options.stop : kNeverStop, options.seed);
    judged = find_and_conclude(result, source, *prober, memory_for(result.device, backend), paths,
                               options);
    const CoRunner more = backend.co_runner().since(before);
    const bool suspect = more.seen() || more.doubtful();
    if (more.voided == 0 && (judged || !suspect)) break;
    std::ranges::move(result.findings, std::back_inserter(earlier));
    result.findings.clear();
    if (options.stop && *options.stop) break;
  }
  result.co_runner = backend.co_runner().since(first);
  const std::string why = to_string(result.co_runner);
  if (why.empty()) return judged;
  if (result.co_runner.doubtful()) {
    std::ranges::move(result.findings, std::back_inserter(earlier));
    result.findings.clear();
  }
  for (Finding& finding : earlier) {
    if (std::ranges::count(result.findings, finding.name, &Finding::name) > 0) continue;
    finding.value = {};
    finding.low = finding.high = {};
    finding.verdict = Verdict::inconclusive;
    finding.note = why;
    result.findings.push_back(std::move(finding));
  }
  conclude(result);
  if (!judged && !(options.stop && *options.stop)) {
    result.warnings.push_back(
        fmt::format("inconclusive, as {}: {}", why, judged.error().diagnostics.front().message));
    return {};
  }
  return judged;
}

/// What kernels from files computed, once all is measured.
Result<void> Session::Impl::check_computed(ExperimentResult& result, const Source& source,
                                           Backend& backend,
                                           const std::vector<LoweredMeasure>& measures,
                                           const RunOptions& options) const {
  if (!needs_results(result.experiment, options.saved)) return {};
  auto checked = GPX_TRY(check_results(backend, result.experiment, measures, folder_of(source),
                                       options.saved, options.stop ? *options.stop : kNeverStop));
  std::ranges::move(checked.expectations, std::back_inserter(result.expectations));
  if (!checked.digest.empty()) result.values_digest = std::move(checked.digest);
  return {};
}

/// What the device returns, between two looks at its state.
void Session::Impl::measure_all(ExperimentResult& result, Backend& backend,
                                const std::vector<LoweredMeasure>& measures,
                                const RunOptions& options, const ExperimentResult* before) const {
  result.samples = before
                       ? before->samples
                       : SampleTable(result.experiment, measures, !result.shard.is_whole()).take();
  result.points = before ? before->points : 0;
  result.values_digest = before ? before->values_digest : std::string();
  result.state_before = backend.telemetry();
  for (RunObserver* observer : options.observers) observer->begins(result);

  std::optional<MeasuredBefore> earlier;
  if (before && before->points > 0)
    earlier.emplace(MeasuredBefore{before->points, before->samples, before->values_digest});
  Measurement measurement = gpx::measure(
      backend, result.experiment, measures, options.seed, options.stop ? *options.stop : kNeverStop,
      [&](const PointsMeasured& points) {
        for (RunObserver* observer : options.observers) observer->measured(result, points);
      },
      earlier, result.shard);
  result.state_after = backend.telemetry();
  result.samples = std::move(measurement.samples);
  result.points = measurement.points;
  result.values_digest = std::move(measurement.values_digest);
  result.failure = std::move(measurement.failure);
  if (result.failure) std::erase_if(result.warnings, is_uncounted);  // For the same reason.
  if (measurement.clock_note) result.warnings.push_back(*measurement.clock_note);
  for (const LoweredMeasure& each : measures)
    if (result.failure && each.program.user)
      result.failure = in_kernel_file(std::move(*result.failure), each);
  result.interrupted = measurement.interrupted;
}

Result<ExperimentResult> Session::Impl::run(const Entered& entered, const Source& source,
                                            const RunOptions& options,
                                            const ExperimentResult* before) {
  if (entered.recorded) return replay(entered, source, paths, options);
  const Experiment& experiment = entered.experiment;
  ExperimentResult result;
  result.experiment = experiment;
  result.file = source.name();
  result.seed = options.seed;
  result.all_blocks = options.all_blocks;
  result.shard = options.shard;
  result.group = options.group;
  result.ir = hash_of(to_string(experiment));
  const Dump dump(options.dump, options.on_dump);
  dump("experiment", [&] { return to_string(experiment); });
  auto backend = GPX_TRY(open(options.device, experiment.device));
  result.device = backend->info();
  const DeviceInfo& device = result.device;
  std::vector<Turn> turns = take_turns(result, {device.uuid}, options);
  take_all_sms(result.experiment, result.device.sm_count);
  GPX_TRY(check_launches(result.experiment, entered.programs));
  if (const std::string text = backend->definition(); !text.empty())
    result.device_file = hash_of(text);
  // Of the copy in `result`: it must not move while they are used.
  auto prepared =
      entered.programs.empty()
          ? prepare(
                result.experiment, source, *backend, paths,
                {.dump = dump, .whole = options.all_blocks, .kernel_files = options.kernel_files})
          : prepare(result.experiment, lowered_of(result.experiment, entered.programs), source,
                    *backend, {.dump = dump});
  if (!prepared) return tl::unexpected(prepared.error());
  std::optional<PeerTurn> peer;
  if (uses_peer(*prepared) && device.measured) {
    turns.clear();
    peer.emplace(*backend, take_turns(result, {device.uuid, device.peer_uuid}, options));
  }
  GPX_TRY(check_references(result.experiment, folder_of(source)));
  begin(result, *prepared, *backend);
  if (before && before->points_total == 0) before = nullptr;  // It did not begin.
  if (before) {
    GPX_TRY(check_resumable(*before, result));
  }
  GPX_TRY(start_recording(*backend, options.dump));
  const CoRunner first = backend->co_runner();
  measure_all(result, *backend, prepared->measures, options, before);
  if (before) inherit_warnings(result, *before);
  result.curves = curves_of(result.experiment, result.samples);
  for (const char* stage : kRecordedStages) dump(stage, [&] { return backend->recorded(stage); });
  dump("samples", [&] { return to_csv(result.samples); });
  result.co_runner = backend->co_runner().since(first);
  if (!result.whole() || !result.shard.is_whole()) return result;
  if (const auto open = unsettled(result.curves, result.experiment))
    result.warnings.push_back(*open);
  std::ranges::move(shape_notes(result.samples), std::back_inserter(result.warnings));
  if (auto beyond = beyond_peak(result.experiment, result.curves, result.device))
    result.warnings.push_back(std::move(*beyond));
  if (auto claims = claims_too_much(result.experiment, result.curves))
    result.warnings.push_back(std::move(*claims));
  if (const auto sampled = sampled_times(result.samples))
    result.warnings.push_back(to_string(*sampled));
  if (auto judged = judge(result, source, *backend, options, first); !judged) {
    // All points are there: the run goes on with its analyses.
    result.interrupted = options.stop && *options.stop;
    if (!result.interrupted) result.failure = judged.error();
  }
  if (result.whole())
    if (auto ok = check_computed(result, source, *backend, prepared->measures, options); !ok) {
      result.interrupted = options.stop && *options.stop;
      if (!result.interrupted) result.failure = ok.error();
    }
  if (const std::string seen = to_string(result.co_runner); !seen.empty())
    result.warnings.push_back(seen);
  dump_judged(result, options);
  return result;
}

/// Of an experiment that did not begin.
ExperimentResult Session::Impl::failed(const Entered& entered, const Source& source,
                                       const RunOptions& options, const Error& error) {
  ExperimentResult result;
  result.experiment = entered.experiment;
  result.file = source.name();
  result.all_blocks = options.all_blocks;
  result.shard = options.shard;
  result.group = options.group;
  result.failure = error;
  if (const auto backend = open(options.device, entered.experiment.device); backend)
    result.device = (*backend)->info();
  return result;
}

/// Names those from `first` on.
std::string not_run(const std::vector<Entered>& all, std::size_t first) {
  return "a run ends with the first experiment that is wrong; not run: " +
         joined(all | std::views::drop(first), ", ",
                [](const Entered& each) { return each.experiment.name; });
}

/// A launch that fails says nothing of other experiments: they find the device as new.
bool ends_run(const ExperimentResult& result) {
  if (result.interrupted || !result.failure) return !result.whole();
  return result.points == result.points_total && result.failure->fault != Fault::device;
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
  const StopScope stop(options.stop);
  const auto entered = GPX_TRY(impl_->enter(source, options));
  RunResult all;
  all.sources = {source};
  all.settings = options.settings;
  for (std::size_t i = 0; i < entered.size(); ++i) {
    const bool known = options.before && i < options.before->experiments.size();
    const ExperimentResult* before = known ? &options.before->experiments[i] : nullptr;
    if (before && before->whole()) {
      all.experiments.push_back(*before);
      continue;
    }
    auto result = impl_->run(entered[i], source, options, before);
    const bool stopped = options.stop && *options.stop;
    const bool others = i + 1 < entered.size() && !stopped;
    if (!result && stopped) {  // before anything of it was measured
      all.interrupted = true;
      ExperimentResult none = impl_->failed(entered[i], source, options, result.error());
      none.failure.reset();
      none.interrupted = true;
      all.experiments.push_back(std::move(none));
      break;
    }
    // What earlier experiments measured is kept; alone, the error is all there is.
    if (!result && all.experiments.empty() && !(others && result.error().fault == Fault::device))
      return tl::unexpected(result.error());
    if (!result) result = impl_->failed(entered[i], source, options, result.error());
    const bool ended = ends_run(*result);
    if (result->failure && ended && i + 1 < entered.size())
      result->warnings.push_back(not_run(entered, i + 1));
    for (RunObserver* observer : options.observers) observer->ends(*result);
    all.interrupted = result->interrupted;
    all.experiments.push_back(std::move(*result));
    if (ended) break;
  }
  return all;
}

}  // namespace gpx
