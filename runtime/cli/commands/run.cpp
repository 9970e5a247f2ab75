// gpx run: experiments in, report and result files out. Covered by tests/cli/run_command_test.cpp.
#include <fmt/format.h>

#include <optional>

#include "lang/read.h"
#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/run_options.h"
#include "runtime/cli/running.h"
#include "runtime/cli/several/several.h"

namespace gpx::cli {
namespace {

bool is_language(const RunOptions& run) {
  return run.from.empty() || run.from == "experiment";
}

/// Every file is read and checked before the first one runs.
Result<std::vector<Source>> read_sources(const std::vector<std::string>& files,
                                         const RunOptions& run) {
  std::vector<Source> sources;
  Error error{Fault::input, {}};
  const auto add = [&](const Error& more) {
    error.diagnostics.insert(error.diagnostics.end(), more.diagnostics.begin(),
                             more.diagnostics.end());
  };
  for (const std::string& file : files) {
    Result<Source> source =
        run.from == "probes" ? read_recordings_file(file) : read_experiment_file(file);
    if (!source) {
      add(source.error());
      continue;
    }
    if (files.size() > 1 && is_language(run)) {
      const auto checked = read_experiments(*source, run.settings);
      if (!checked) add(checked.error());
    }
    sources.push_back(std::move(*source));
  }
  if (!error.diagnostics.empty()) return tl::unexpected<Error>(std::move(error));
  return sources;
}

struct RunCommand : ReportOptions {
  std::vector<std::string> files;
  StageOptions stages;
  std::string trace;
  std::vector<std::string> saved;
  std::string shard;
  bool continues = false;
  ExperimentOptions experiment;
  OutputOptions outputs;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("FILE", files, "Experiment files, or names of gpx list; - is standard input")
        .required()
        .completes(Values::experiments);
    experiment.take(line);
    outputs.take(line);
    store.take_writing(line);
    line.option("--dump", stages.dump, "STAGES",
                "Show stages: ast,experiment,kernel,cuda,ptx,sass,…")
        .comma_separated()
        .one_each()
        .completes(dump_stages());
    line.option("--from", stages.from, "STAGE",
                "The file is a stage's text: experiment, program, kernel or probes")
        .completes(entry_stages());
    line.option("--shard", shard, "K/N",
                "Measure the K-th of N parts of the points; gpx merge joins the parts");
    line.flag("--continue", continues,
              "Continue this run if the store has a part of it, else begin it");
    line.option("--trace", trace, "FILE",
                "Write what happens inside a virtual GPU, for Chrome's trace viewer");
    line.option("--save", saved, "BUFFER=FILE",
                "Write what a kernel from a file leaves in a buffer: .npy, .raw")
        .one_each();
    ReportOptions::take(line);
  }
  Result<int> run(const Console& console) const;
  Result<int> run_apart(const std::vector<std::string>& devices, const RunOptions& checked,
                        const Console& console) const;
};

/// Texts of stages, traces and buffers are those of one device.
Result<void> check_for_several(const RunCommand& command) {
  const std::pair<const char*, bool> given[] = {{"--dump", !command.stages.dump.empty()},
                                                {"--trace", !command.trace.empty()},
                                                {"--save", !command.saved.empty()}};
  for (const auto& [name, is_given] : given)
    if (is_given)
      return fail(Fault::input, fmt::format("{} needs one device", name), "give --device one name");
  return {};
}

/// All is checked here, so that a mistake is reported once and nothing is started.
Result<int> RunCommand::run_apart(const std::vector<std::string>& devices,
                                  const RunOptions& checked, const Console& console) const {
  GPX_TRY(check_for_several(*this));
  const auto sources = GPX_TRY(read_sources(files, checked));
  SeveralTask task{devices, "run", words_of(experiment, store), files, {}, experiment.time_limit_s};
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i] == "-") task.input = sources[i].text();
    if (!is_language(checked)) continue;
    const auto read = GPX_TRY(read_experiments(sources[i], checked.settings));
  }
  for (const std::string& setting : experiment.settings)
    task.options.insert(task.options.end(), {"--set", setting});
  if (continues) task.options.emplace_back("--continue");
  if (!shard.empty()) task.options.insert(task.options.end(), {"--shard", shard});
  if (!stages.from.empty()) task.options.insert(task.options.end(), {"--from", stages.from});
  if (experiment.all_blocks) task.options.emplace_back("--whole");
  if (experiment.no_wait) task.options.emplace_back("--no-wait");
  auto written = GPX_TRY(open_outputs(outputs));
  return run_several(task, written, *this, console);
}

/// `trace`: where the trace goes, nullptr: to the stream. Each text of it holds those before.
void set_dump(RunOptions& run, std::FILE* stream, std::string* trace) {
  if (trace) run.dump.insert("trace");
  const bool several = run.dump.size() > (trace ? 2 : 1);
  run.on_dump = [stream, several, trace](const std::string& stage, const std::string& text) {
    if (trace && stage == "trace") {
      *trace = text;
      return;
    }
    if (several) print(stream, "==== " + stage + " ====\n");
    print(stream, text);
    if (text.empty() || text.back() != '\n') print(stream, "\n");
  };
}

Result<void> add_saved(const std::vector<std::string>& saved, RunOptions& run) {
  for (const std::string& text : saved) {
    auto parsed = GPX_TRY(parse_saved(text));
    run.saved.push_back(std::move(parsed));
  }
  return {};
}

/// The options of the pipeline.
Result<RunOptions> options_of(const RunCommand& command) {
  Result<RunOptions> run = run_options(command.experiment, command.stages);
  if (!run || command.shard.empty()) return run;
  const auto shard = GPX_TRY(parse_shard(command.shard));
  if (!shard.is_whole() && !command.saved.empty())
    return fail(Fault::input, "--save needs all points of the sweep, not a shard of them");
  run->shard = shard;
  return run;
}

Result<int> RunCommand::run(const Console& console) const {
  auto run = GPX_TRY(options_of(*this));
  if (const auto status = GPX_TRY(measured_apart(experiment, console, [&](const auto& devices) {
        return run_apart(devices, run, console);
      })))
    return *status;
  GPX_TRY(add_saved(saved, run));
  const auto sources = GPX_TRY(read_sources(files, run));
  auto written = GPX_TRY(open_outputs(outputs));
  StoreOptions kept = store;
  kept.no_store |= !is_language(run);  // It could not be run again from there.
  auto kept_run = GPX_TRY(keep_run(kept, continues, console, sources, run));
  if (kept_run.is_complete())
    return report_results(kept_run.earlier->result, written, *this, console);
  std::optional<AtomicFile> trace_file;
  if (!trace.empty()) {
    auto opened = GPX_TRY(AtomicFile::open(trace));
    trace_file.emplace(std::move(opened));
  }
  std::string traced;
  set_dump(run, written.stdout_is_data() ? console.err : console.out,
           trace_file ? &traced : nullptr);
  const int status = run_and_report(sources, std::move(run), kept_run.before(), kept_run.keeper,
                                    written, *this, console);
  if (traced.empty()) return status;
  GPX_TRY(trace_file->commit(traced));
  return status;
}

}  // namespace

CommandRow run_command() {
  return command_row<RunCommand>(10, "run", "Run experiments and report what they show");
}

}  // namespace gpx::cli
