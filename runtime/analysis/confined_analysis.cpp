// Analyses in a process of their own: what a script does there it does to itself. The device stays
// here, where its probes are answered. Interface: analysis.h. Covered by
// tests/runtime/confined_analysis_test.cpp.
#include <fmt/format.h>

#include <filesystem>

#include "codegen/confined/confined.h"
#include "codegen/files/files.h"
#include "runtime/analysis/analysis.h"
#include "runtime/analysis/analysis_wire.h"
#include "runtime/analysis/lua/sandbox.h"
#include "runtime/analysis/prober.h"

namespace gpx {
namespace {

namespace fs = std::filesystem;

/// Beyond what scripts count themselves: findings, tables of samples, what lies between.
constexpr std::uint64_t kBesideLua = std::uint64_t{512} << 20;

/// Asks the process that holds the device.
class FarProber final : public Prober {
 public:
  FarProber(Prober& near, confined::Asker& asker) : near_(near), asker_(asker) {}

  Result<std::vector<double>> ask(const ProbeRequest& request) override {
    return answer_from(asker_.ask(to_bytes(request)));
  }
  /// Of the device as it was when this process began: that does not change.
  std::uint64_t most_bytes(Space space) const override { return near_.most_bytes(space); }

 private:
  Prober& near_;
  confined::Asker& asker_;
};

wire::Bytes answered(Prober* prober, const OnPrint& on_print, const wire::Bytes& bytes) {
  if (const auto line = printed_from(bytes)) {
    if (on_print) on_print(*line);
    return {};
  }
  const auto request = request_from(bytes);
  if (!request || !prober)
    return to_bytes(Result<std::vector<double>>(fail(Fault::device, "this is no request")));
  return to_bytes(prober->ask(*request));
}

/// The script that Lua calls `chunk`: one of the statements' files, or a module.
std::string script_called(const std::string& chunk, const Experiment& experiment,
                          const AnalysisPaths& paths) {
  std::vector<std::string> places;
  for (const Analyze& statement : experiment.analyses)
    if (statement.is_file)
      places.push_back((fs::path(paths.experiment_folder) / statement.method).string());
  for (const char* folder : {"analysis", "analysis/parts"})
    places.push_back((fs::path(paths.stdlib) / folder / chunk).string());
  for (const std::string& place : places)
    if (LuaSandbox::short_name(place) == chunk && is_file(place)) return place;
  return {};
}

Error late_error(const confined::Place& place, const Experiment& experiment,
                 const AnalysisPaths& paths) {
  const std::string path = script_called(place.chunk, experiment, paths);
  const std::string text = path.empty() ? "" : file_text(path).value_or("");
  return late_script(path, text, place);
}

Error ended_error(const confined::Outcome& outcome, const Experiment& experiment,
                  const AnalysisPaths& paths) {
  using How = confined::Outcome::How;
  if (outcome.how == How::late) return late_error(outcome.place, experiment, paths);
  if (outcome.how == How::stopped) return make_error(Fault::device, "interrupted");
  return make_error(Fault::input, fmt::format("the process of the analyses {}", outcome.why),
                    "an analysis has a limit of memory: it, or a library that it calls, went "
                    "beyond it");
}

}  // namespace

Result<AnalysisResult> analyze(const Experiment& experiment, const Samples& samples,
                               const DeviceInfo& device, const AnalysisPaths& paths,
                               const Source* source, Prober* prober, const std::atomic<bool>* stop,
                               const OnPrint& on_print) {
  if (experiment.analyses.empty()) return AnalysisResult{};
  confined::Limits limits;
  limits.seconds = LuaBudget().seconds + kSandboxGrace;
  limits.memory_bytes =
      LuaBudget().memory_bytes + samples.rows() * samples.columns.size() * 64 + kBesideLua;
  limits.readable = {paths.stdlib};
  for (const Analyze& statement : experiment.analyses)
    if (statement.is_file)
      limits.readable.push_back((fs::path(paths.experiment_folder) / statement.method).string());
  const auto work = [&](confined::Asker& asker) {
    std::optional<FarProber> far;
    if (prober) far.emplace(*prober, asker);
    const OnPrint tell = [&](const std::string& line) { asker.tell(printed_bytes(line)); };
    return to_bytes(
        analyze_here(experiment, samples, device, paths, source, far ? &*far : nullptr, tell));
  };
  const auto outcome = confined::run(
      limits, work, [&](const wire::Bytes& request) { return answered(prober, on_print, request); },
      stop);
  if (outcome.how != confined::Outcome::How::done)
    return tl::unexpected(ended_error(outcome, experiment, paths));
  return analysis_from(outcome.result);
}

}  // namespace gpx
