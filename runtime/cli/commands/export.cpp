// gpx export: a run from a store to a file. Covered by tests/cli/store_commands_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "codegen/files/packed.h"
#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/run_files.h"
#include "runtime/cli/stored.h"
#include "runtime/judge.h"
#include "runtime/report/findings_export.h"
#include "runtime/report/report.h"

namespace gpx::cli {
namespace {

struct ExportCommand : Talk {
  std::vector<std::string> names;
  std::string output = "-", findings, samples;
  bool as_csv = false, as_json = false, all_columns = false, as_probes = false;
  StoreOptions store;

  static CommandLine::Option take_format(CommandLine& line, const char* name, std::string& format,
                                         const char* help) {
    return line.option(name, format, "FORMAT", help)
        .checked([](const std::string& text) {
          return report::table_format(text) ? std::string()
                                            : "'" + text + "' is none of csv, md and tex";
        })
        .completes({"csv", "md", "tex"});
  }
  void take(CommandLine& line) {
    line.argument("RUN", names,
                  "Documents of gpx run --json, or runs of the store; several with --findings")
        .required()
        .completes(Values::documents);
    const CommandLine::Option csv = line.flag("--csv", as_csv, "Its samples, as CSV");
    take_all_columns(line, all_columns);
    take_format(line, "--findings", findings, "Its findings as a table: csv, md or tex (LaTeX)")
        .excludes(csv);
    take_format(line, "--samples", samples,
                "Its samples as a table, a row for each point: csv, md or tex")
        .excludes(csv);
    line.flag("--json", as_json, "All of it, as gpx import reads it (the default)").excludes(csv);
    line.flag("--probes", as_probes,
              "What its analyses started from, as gpx run --from=probes reads it; a file that ends "
              "in .zst is compressed")
        .excludes(csv);
    line.option("--output,-o", output, "PATH",
                "The file; - is standard output. Without --csv, --findings and --json .csv means "
                "samples, .md and .tex mean findings")
        .shows_default();
    store.take(line);
  }
  Result<int> run(const Console& console) const;
};

/// What is made of runs: from documents, too.
Result<std::vector<RunResult>> runs_of(const ExportCommand& wanted) {
  std::vector<RunResult> runs;
  for (const std::string& name : wanted.names) {
    auto run = GPX_TRY(read_run(wanted.store, name));
    runs.push_back(std::move(run.document.result));
  }
  return runs;
}

/// Where no option says what is wanted, the ending of the file does: `-o samples.csv`.
ExportCommand by_ending(ExportCommand wanted) {
  if (wanted.as_csv || wanted.as_json || wanted.as_probes || !wanted.findings.empty() ||
      !wanted.samples.empty())
    return wanted;
  const auto ending = std::filesystem::path(wanted.output).extension();
  if (ending == ".csv") wanted.as_csv = true;
  if (ending == ".md" || ending == ".tex") wanted.findings = ending.string().substr(1);
  return wanted;
}

/// "a, b of file.gpx": `last` need not be the run that its user has in mind.
std::string names_of(const RunResult& run) {
  const auto name = [](const ExperimentResult& one) { return one.experiment.name; };
  return joined(run.experiments, ", ", name) +
         (run.experiments.empty() ? "" : " of " + run.experiments.front().file);
}

/// A table of findings needs some.
Result<void> check_findings(const std::string& name, const RunResult& run) {
  const bool any = std::ranges::any_of(
      run.experiments, [](const ExperimentResult& one) { return !one.findings.empty(); });
  if (any) return {};
  for (const ExperimentResult& one : run.experiments)
    if (one.failure)
      return fail(Fault::input,
                  fmt::format("the run '{}' ({}) has no findings: it failed: {}", name,
                              names_of(run), one.failure->diagnostics.front().message),
                  "--csv writes its samples and derived columns");
  return fail(
      Fault::input,
      fmt::format("the run '{}' ({}) has no findings: its experiments have no analyze clause", name,
                  names_of(run)),
      "--csv writes its samples and derived columns, --samples md a table of them");
}

/// A failed run that measured nothing has no table to write.
Result<void> check_samples(const std::string& name, const RunResult& run) {
  const ExperimentResult* failed = nullptr;
  for (const ExperimentResult& one : run.experiments) {
    if (one.samples.rows() > 0 || !one.findings.empty()) return {};
    if (one.failure && !failed) failed = &one;
  }
  if (!failed) return {};
  return fail(Fault::input,
              fmt::format("the run '{}' failed before anything was measured: {}", name,
                          failed->failure->diagnostics.front().message),
              "gpx runs lists the runs; gpx export RUN --json writes what is kept of this one");
}

Result<std::string> table_of(const ExportCommand& wanted) {
  const auto runs = GPX_TRY(runs_of(wanted));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    GPX_TRY(check_samples(wanted.names[i], runs.at(i)));
    if (wanted.findings.empty()) continue;
    GPX_TRY(check_findings(wanted.names[i], runs.at(i)));
  }
  if (const auto format = report::table_format(wanted.findings))
    return report::findings_as(*format, runs);
  if (const auto format = report::table_format(wanted.samples))
    return report::samples_as(*format, runs.front());
  return wanted.all_columns ? report::to_whole_csv(runs.front()) : report::to_csv(runs.front());
}

/// A run of the store: documents have no log of probes.
Result<std::string> probes_of(const ExportCommand& wanted) {
  const auto opened = GPX_TRY(open_store(wanted.store, false));
  auto run = GPX_TRY(load_run(opened, wanted.names.front()));
  GPX_TRY(opened.load_probes(run));
  std::string text;
  for (const ExperimentResult& each : run.result.experiments)
    if (each.whole()) text += recorded_text(each);
  if (text.empty())
    return fail(Fault::input,
                fmt::format("no experiment of the run '{}' is whole", wanted.names.front()));
  if (!wanted.output.ends_with(".zst")) return text;
  const auto packed = pack(text, kSmallPacking);
  return std::string(packed.begin(), packed.end());
}

Result<std::string> text_of(const ExportCommand& wanted) {
  const char* flag = wanted.as_csv      ? "--csv"
                     : wanted.as_json   ? "--json"
                     : wanted.as_probes ? "--probes"
                                        : nullptr;
  if (wanted.names.size() > 1 && flag)
    return fail(Fault::input,
                fmt::format("'gpx export {}' takes one run, not '{}' too", flag, wanted.names[1]),
                fmt::format("{0} takes no value: {0} --output {1}", flag, wanted.names[1]));
  if (wanted.names.size() > 1 && wanted.findings.empty())
    return fail(Fault::input, "several runs are exported as one table of findings alone",
                "--findings csv, md or tex");
  if (wanted.as_probes) return probes_of(wanted);
  if (wanted.as_csv || !wanted.findings.empty() || !wanted.samples.empty()) return table_of(wanted);
  if (names_document(wanted.names.front())) {
    const auto run = GPX_TRY(read_run(wanted.store, wanted.names.front()));
    const auto& [result, origin] = run.document;
    return report::to_json(result, origin ? &*origin : nullptr);
  }
  const auto opened = GPX_TRY(open_store(wanted.store, false));
  const auto number = GPX_TRY(opened.find(wanted.names.front()));
  return opened.export_document(number);
}

/// `gpx export --csv x.csv`: --csv takes no value, and no run is called so.
std::string misplaced_output(const ExportCommand& wanted) {
  std::error_code ignored;
  const std::string& name = wanted.names.front();
  const auto ending = std::filesystem::path(name).extension();
  const bool writes = ending == ".csv" || ending == ".json" || ending == ".md" || ending == ".tex";
  if (!writes || wanted.output != "-" || std::filesystem::exists(name, ignored)) return {};
  return fmt::format("a file to write is --output {}, RUN is a run such as last", name);
}

/// The last experiment of a run, its device, and why it is not whole.
std::string last_of_run(const ExperimentResult& last) {
  std::string name = last.experiment.name + " on " + report::device_label(last.device);
  if (last.failure) name += "; the run failed: " + last.failure->diagnostics.front().message;
  if (last.interrupted) name += "; the run was interrupted";
  return name;
}

/// Which runs they were: a run that failed before it began is not kept, and `last` is the one
/// before it.
std::string written_line(const ExportCommand& wanted) {
  std::string names;
  if (const auto runs = runs_of(wanted))
    for (const auto& run : *runs)
      if (!run.experiments.empty())
        names += (names.empty() ? ": " : ", ") + last_of_run(run.experiments.back());
  return "wrote " + wanted.output + names + '\n';
}

Result<int> ExportCommand::run(const Console& console) const {
  const ExportCommand wanted = by_ending(*this);
  auto text = text_of(wanted);
  if (!text) {
    if (std::string hint = misplaced_output(*this); !hint.empty())
      text.error().diagnostics.front().hint = std::move(hint);
    return tl::unexpected(text.error());
  }
  if (output == "-") {
    print(console.out, *text);
    return kSuccess;
  }
  GPX_TRY(write_file(output, *text));
  if (!quiet) print(console.out, written_line(wanted));
  return kSuccess;
}

}  // namespace

CommandRow export_command() {
  return command_row<ExportCommand>(130, "export", "Write a stored run to a file");
}

}  // namespace gpx::cli
