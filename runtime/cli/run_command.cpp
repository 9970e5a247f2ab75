// gpx run: experiments in, report and result files out. Covered by tests/cli/run_command_test.cpp.
#include <fmt/format.h>

#include <optional>

#include "runtime/cli/commands.h"
#include "runtime/cli/files.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/run_options.h"
#include "runtime/report/html.h"
#include "runtime/report/report.h"

namespace gpx::cli {
namespace {

/// Where one kind of result goes: nowhere, standard output, or a file.
class Output {
 public:
  static Result<Output> open(const std::string& path) {
    Output output;
    output.to_stdout_ = path == "-";
    if (path.empty() || output.to_stdout_) return output;
    Result<AtomicFile> file = AtomicFile::open(path);
    if (!file) return tl::unexpected<Error>(file.error());
    output.file_.emplace(std::move(*file));
    return output;
  }
  bool to_stdout() const { return to_stdout_; }
  bool wanted() const { return to_stdout_ || file_; }
  Result<void> write(const std::string& text, std::FILE* standard_output) {
    if (file_) return file_->commit(text);
    print(standard_output, text);
    return {};
  }

 private:
  bool to_stdout_ = false;
  std::optional<AtomicFile> file_;
};

struct Outputs {
  Output json, csv, report;
  bool stdout_is_data() const { return json.to_stdout() || csv.to_stdout() || report.to_stdout(); }
};

Result<Outputs> open_outputs(const Options& options) {
  if ((options.json == "-") + (options.csv == "-") + (options.report == "-") > 1)
    return fail(Fault::input, "only one of --json, --csv and --report can be standard output");
  Result<Output> json = Output::open(options.json);
  if (!json) return tl::unexpected<Error>(json.error());
  Result<Output> csv = Output::open(options.csv);
  if (!csv) return tl::unexpected<Error>(csv.error());
  Result<Output> report = Output::open(options.report);
  if (!report) return tl::unexpected<Error>(report.error());
  return Outputs{std::move(*json), std::move(*csv), std::move(*report)};
}

/// Every file is read and checked before the first one runs.
Result<std::vector<Source>> read_sources(const std::vector<std::string>& files,
                                         const std::vector<Setting>& settings) {
  std::vector<Source> sources;
  Error error{Fault::input, {}};
  const auto add = [&](const Error& more) {
    error.diagnostics.insert(error.diagnostics.end(), more.diagnostics.begin(),
                             more.diagnostics.end());
  };
  for (const std::string& file : files) {
    Result<Source> source = read_source(file);
    if (!source) {
      add(source.error());
      continue;
    }
    if (files.size() > 1) {
      const Result<Ast> ast = parse(*source);
      const auto checked = ast ? check(*ast, *source, settings)
                               : Result<std::vector<Experiment>>(tl::unexpected(ast.error()));
      if (!checked) add(checked.error());
    }
    sources.push_back(std::move(*source));
  }
  if (!error.diagnostics.empty()) return tl::unexpected<Error>(std::move(error));
  return sources;
}

void set_dump(RunOptions& run, std::FILE* stream) {
  const bool several = run.dump.size() > 1;
  run.on_dump = [stream, several](const std::string& stage, const std::string& text) {
    if (several) print(stream, "==== " + stage + " ====\n");
    print(stream, text);
    if (text.empty() || text.back() != '\n') print(stream, "\n");
  };
}

/// What was measured before an error is kept: `failure` stands beside the results.
struct Outcome {
  RunResult result;
  std::optional<Error> failure;
};

Outcome run_sources(const std::vector<Source>& sources, const RunOptions& run,
                    const std::string& program) {
  Outcome outcome;
  Paths paths = find_paths();
  paths.program = program;
  Session session(std::move(paths));
  for (const Source& source : sources) {
    Result<RunResult> result = session.run(source, run);
    if (!result) {
      outcome.failure = result.error();
      return outcome;
    }
    outcome.result.interrupted = result->interrupted;
    for (ExperimentResult& experiment : result->experiments) {
      outcome.failure = experiment.failure;
      outcome.result.experiments.push_back(std::move(experiment));
    }
    if (result->experiments.empty())
      outcome.failure =
          make_error(Fault::input, fmt::format("there is no experiment in '{}'", source.name()),
                     "a line such as: sweep threads 32..64 step 32 < load unique(128B) >");
    if (outcome.failure || result->interrupted) return outcome;
  }
  return outcome;
}

std::string page_of(const RunResult& result) {
  return report::to_html({{"this run", {GPX_VERSION, result, {}}}});
}

/// Writes what is wanted; a failure to write one does not lose the others.
int write_results(const RunResult& result, Outputs& outputs, const Console& console) {
  int status = kSuccess;
  const auto write = [&](Output& output, std::string (*text)(const RunResult&)) {
    if (!output.wanted()) return;
    if (const Result<void> written = output.write(text(result), console.out); !written)
      status = print_error(console, written.error());
  };
  write(outputs.json, report::to_json);
  write(outputs.csv, report::to_csv);
  write(outputs.report, page_of);
  return status;
}

int finish(const Outcome& outcome, Outputs& outputs, const Options& options,
           const Console& console) {
  int status = kSuccess;
  if (!outcome.result.experiments.empty()) {
    status = write_results(outcome.result, outputs, console);
    const bool aside = outputs.stdout_is_data();
    if (!options.quiet)
      print(aside ? console.err : console.out,
            report::to_terminal(outcome.result,
                                {aside ? console.err_style : console.out_style, options.plot}));
  }
  if (outcome.failure) return print_error(console, *outcome.failure);
  if (status != kSuccess) return status;
  if (outcome.result.interrupted) return kInterrupted;
  return report::expectations_hold(outcome.result) ? kSuccess : kExpectationFailed;
}

}  // namespace

int run_command(const Options& options, const Console& console) {
  Result<RunOptions> run = run_options(options);
  if (!run) return print_error(console, run.error());
  const Result<std::vector<Source>> sources = read_sources(options.files, run->settings);
  if (!sources) return print_error(console, sources.error());
  Result<Outputs> outputs = open_outputs(options);
  if (!outputs) return print_error(console, outputs.error());

  const InterruptGuard interrupt;
  ProgressBar bar(console.err, console.err_style, console.err_is_terminal && !options.quiet);
  run->stop = &interrupt.flag();
  run->on_progress = [&bar](const Progress& progress) { bar.update(progress); };
  set_dump(*run, outputs->stdout_is_data() ? console.err : console.out);
  const Outcome outcome = run_sources(*sources, *run, console.program);
  bar.clear();
  return finish(outcome, *outputs, options, console);
}

}  // namespace gpx::cli
