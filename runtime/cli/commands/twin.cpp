// gpx twin: a device file of a device that was measured, and how far its model is from the device.
// Covered by tests/cli/twin_command_test.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/run_files.h"
#include "runtime/cli/several/device_list.h"
#include "runtime/cli/several/several.h"
#include "runtime/device/select.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"
#include "runtime/twin/causes.h"
#include "runtime/twin/exam.h"
#include "runtime/twin/export.h"
#include "runtime/twin/fit.h"
#include "runtime/twin/gather.h"
#include "runtime/twin/missing.h"
#include "runtime/twin/report.h"

namespace gpx::cli {
namespace {

constexpr const char* kExam = "twin_heldout.gpx";

struct TwinCommand : Talk {
  DeviceOptions device;
  std::string output, validate, samples, json, form, exam, start;
  std::vector<std::string> from, like, only, groups;
  double budget_s = 0;
  bool no_wait = false;
  StoreOptions store;

  void take(CommandLine& line);
  Result<int> run(const Console& console) const;

 private:
  Result<int> make(const Console& console) const;
  Result<int> make_apart(const std::vector<std::string>& devices, const Console& console) const;
  std::string file_of(const std::string& device) const;
  Result<int> judge(const Console& console) const;
  Result<void> of_one_device() const;
  Result<std::vector<twin::Measured>> measured(const Console& console) const;
  Result<std::vector<twin::Measured>> stored(const std::vector<std::string>& names) const;
  Result<std::optional<twin::Like>> another() const;
  Result<RunResult> reference(Session& session, const Source& source,
                              const CharacterizeOptions& options) const;
  CharacterizeOptions options(const Console& console) const;
  Result<twin::FitOptions> fit_options(const Console& console) const;
  Result<void> written(const twin::Draft& draft, const std::vector<twin::FitGroup>& fitted,
                       const Console& console) const;
};

void TwinCommand::take(CommandLine& line) {
  device.take(line);
  line.option("--output,-o", output, "FILE",
              "Write the device file: h100.lua; of several devices a folder, with a file of each");
  line.option("--from", from, "RUN",
              "Use these runs, without a device: documents of characterize, operations and "
              "run, or runs of the store")
      .completes(Values::documents);
  line.option("--like", like, "DEVICE",
              "What the runs lack is as on this GPU of the same chip: its device file, and "
              "runs of it")
      .completes(Values::devices);
  line.option("--only", only, "PARTS",
              "Measure only these: characterize, rates, training, bandwidth, hopper, operations, "
              "or groups "
              "of gpx characterize")
      .comma_separated()
      .one_each();
  line.option("--start", start, "FILE",
              "Fit from the values of this device file, which an earlier fit made");
  line.option("--groups", groups, "GROUPS",
              "Fit only these groups of stdlib/twin/fits.lua: stores,memory")
      .comma_separated()
      .one_each();
  line.option("--budget", budget_s, "SECONDS", "Stop after this many seconds (default: no limit)")
      .checked(seconds_mistake);
  take_json(line, json,
            "Write what was measured as JSON, which --from takes; - is standard output");
  line.option("--export", form, "FORMAT", "Print the file as json, markdown, accelsim or gpgpusim")
      .completes(twin::export_formats());
  line.option("--validate", validate, "FILE",
              "Run the exam on the device and on this device file, and write the errors into it");
  line.option("--samples", samples, "FILE",
              "The device's samples of the exam, by gpx run --csv or --json, in place of --device");
  line.option("--exam", exam, "FILE", "Another exam than experiments/twin_heldout.gpx");
  take_no_wait(line, no_wait);
  store.take(line);
  line.flag("--quiet,-q", quiet, "No report and no progress");
}

std::string today() {
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date{days};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

CharacterizeOptions TwinCommand::options(const Console& console) const {
  CharacterizeOptions options;
  options.seed = device.seed;
  options.stop = &InterruptGuard::flag();
  options.no_wait = no_wait;
  options.on_wait = say_why_it_waits;
  if (budget_s > 0) options.budget_s = budget_s;
  std::FILE* const progress = console.progress ? console.progress : console.err;
  if (console.progress || (console.err_is_terminal ? !quiet : verbose))
    options.on_group = [progress](const ExperimentResult& group, std::size_t ended,
                                  std::size_t all) {
      print(progress, fmt::format("{:>4}/{} {}  {:.1f} s\n", ended, all, group.experiment.name,
                                  group.group ? group.group->seconds : 0));
      std::fflush(progress);
    };
  return options;
}

Result<twin::FitOptions> TwinCommand::fit_options(const Console& console) const {
  twin::FitOptions fit;
  fit.groups = groups;
  fit.stop = &InterruptGuard::flag();
  GPX_TRY(twin::check_groups(find_paths(), groups));
  if (!start.empty()) {
    GPX_TRY(vgpu::read_device_file(start));
    fit.start = GPX_TRY(read_text(start, kMostDocumentBytes));
  }
  std::FILE* const progress = console.progress ? console.progress : console.err;
  if (console.progress || (console.err_is_terminal ? !quiet : verbose))
    fit.on_group = [progress](const twin::FitGroup& group) {
      print(progress,
            fmt::format("fit {}: {} points, {:.1f} % off, now {:.1f} %, {} runs\n", group.name,
                        group.points, 100 * group.before, 100 * group.after, group.runs));
      std::fflush(progress);
    };
  return fit;
}

Result<std::vector<twin::Measured>> TwinCommand::stored(
    const std::vector<std::string>& names) const {
  std::vector<twin::Measured> all;
  for (const std::string& name : names) {
    auto run = GPX_TRY(read_run(store, name));
    const auto& origin = run.document.origin;
    all.push_back({std::move(run.document.result), origin ? origin->started.substr(0, 10) : ""});
  }
  return all;
}

/// Of the words after --like one is a device's name or file, the others are runs.
Result<std::optional<twin::Like>> TwinCommand::another() const {
  if (like.empty()) return std::optional<twin::Like>{};
  std::vector<std::string> files, runs;
  for (const std::string& name : like) {
    const std::vector<std::string> known = virtual_devices(find_paths());
    const bool is_device =
        name.ends_with(".lua") ||
        std::ranges::any_of(known, [&](const auto& one) { return same_device_name(one, name); });
    (is_device ? files : runs).push_back(name);
  }
  if (files.empty()) {
    const auto near = nearest(like.front(), virtual_devices(find_paths()));
    return fail(Fault::input, fmt::format("--like names no device: '{}' is none", like.front()),
                near ? fmt::format("did you mean '{}'?", *near)
                     : "gpx twin --from RUN --like h200 -o h100.lua");
  }
  if (files.size() > 1)
    return fail(Fault::input, fmt::format("--like names {} devices, not one", files.size()),
                "gpx twin --from RUN --like h200 -o h100.lua");
  const auto path = GPX_TRY(resolve_device(files.front(), "", find_paths()));
  auto file = GPX_TRY(vgpu::read_device_file(path));
  auto measured = GPX_TRY(stored(runs));
  return twin::Like{std::move(file), std::move(measured)};
}

Result<std::vector<twin::Measured>> TwinCommand::measured(const Console& console) const {
  if (!from.empty()) return stored(from);
  std::vector<twin::Measured> all;
  Session session(session_paths(console.program));
  auto run = GPX_TRY(twin::gather(session, {device.device, only, options(console)}));
  all.push_back({std::move(run), today()});
  return all;
}

/// A twin is called as its file. A name of the library stays that device's: reports tell the two
/// apart by their names.
std::string own_name(const std::string& file, const Paths& paths) {
  const std::string name = twin::name_of_file(file);
  const bool taken = std::ranges::any_of(virtual_devices(paths), [&](const std::string& known) {
    return same_device_name(known, name);
  });
  return taken ? "my-" + name : name;
}

/// Experiments that failed, on standard error: a twin is made of the others.
void tell_failures(const RunResult& run, const Console& console) {
  for (const ExperimentResult& each : run.experiments)
    if (each.failure)
      print(console.err, fmt::format("{}: {}\n", each.experiment.name,
                                     each.failure->diagnostics.front().message));
}

/// What became of the values that a fit began with.
std::string changes_text(const std::string& start, const std::vector<twin::FitGroup>& groups) {
  std::string text;
  for (const twin::FitGroup& group : groups)
    for (const std::string& line : group.changed)
      text += fmt::format("  {}, by the fit of {}\n", line, group.name);
  return fmt::format("\nfrom {}: {}\n{}", start, text.empty() ? "no value changed" : "changed",
                     text);
}

Result<void> TwinCommand::written(const twin::Draft& draft,
                                  const std::vector<twin::FitGroup>& fitted,
                                  const Console& console) const {
  GPX_TRY(write_file(output, twin::with_missing(draft)));
  const auto file = GPX_TRY(vgpu::read_device_file(output));
  if (!form.empty()) {
    const auto text = GPX_TRY(twin::exported(file, form));
    print(console.out, text);
  }
  std::FILE* const told = form.empty() ? console.out : console.err;
  if (!quiet) print(told, twin::draft_text(draft, output, console.out_style));
  if (!quiet && !start.empty()) print(told, changes_text(start, fitted));
  return {};
}

/// "out/cuda-0.lua" of cuda:0, where the output is a folder.
std::string TwinCommand::file_of(const std::string& one) const {
  if (!std::filesystem::is_directory(output)) return output;
  std::string name = one.substr(one.find_last_of('/') + 1);
  if (name.ends_with(".lua")) name.resize(name.size() - 4);
  std::ranges::replace(name, ':', '-');
  return (std::filesystem::path(output) / (name + ".lua")).string();
}

/// The devices' files, how many values and missing findings each has, and why a file is missing.
std::string files_text(const std::vector<report::DeviceRun>& runs,
                       const std::function<std::string(const std::string&)>& file_of,
                       const report::Style& style) {
  using From = vgpu::FileValue::From;
  report::Table table({"device", "file", "measured", "assumed", "missing", "seconds"},
                      {false, false, true, true, true, true});
  std::string reasons;
  for (const report::DeviceRun& run : runs) {
    const std::string name = file_of(run.name);
    const auto file = run.reason.empty() ? vgpu::read_device_file(name)
                                         : Result<vgpu::FileContents>(vgpu::FileContents{});
    if (!run.reason.empty()) reasons += run.name + ": " + run.reason + '\n';
    const auto count = [&](From from) {
      const auto number = file ? std::ranges::count(file->values, from, &vgpu::FileValue::from) : 0;
      return run.reason.empty() ? fmt::format("{}", number) : std::string();
    };
    table.add({{run.name, report::Paint::bold},
               {run.reason.empty() ? name : "-"},
               {count(From::source)},
               {count(From::assumed)},
               {run.reason.empty() && file ? fmt::format("{}", file->missing.size()) : ""},
               {fmt::format("{:.1f}", run.seconds)}});
  }
  return table.render(style, 0) + (reasons.empty() ? "" : '\n' + reasons);
}

Result<int> TwinCommand::make_apart(const std::vector<std::string>& devices,
                                    const Console& console) const {
  if (devices.size() > 1 && !std::filesystem::is_directory(output)) {
    std::error_code failed;
    std::filesystem::create_directories(output, failed);
    if (failed)
      return fail(
          Fault::input,
          fmt::format("the twins of several devices need a folder, which '{}' is not", output),
          "gpx twin --device 'cuda:*' -o twins");
  }
  SeveralTask task{devices, "twin", words_of(device), {}, {}, device.time_limit_s};
  if (!only.empty())
    task.options.insert(task.options.end(), {"--only", fmt::format("{}", fmt::join(only, ","))});
  if (budget_s > 0)
    task.options.insert(task.options.end(), {"--budget", fmt::format("{}", budget_s)});
  for (const std::string& name : like) task.options.insert(task.options.end(), {"--like", name});
  if (!start.empty()) task.options.insert(task.options.end(), {"--start", start});
  for (const std::string& name : groups)
    task.options.insert(task.options.end(), {"--groups", name});
  if (no_wait) task.options.emplace_back("--no-wait");
  const auto path = [this](const std::string& one) { return file_of(one); };
  task.own_options = [path](const std::string& one) {
    return std::vector<std::string>{"--output", path(one)};
  };
  task.shown = [path](const auto& runs, const report::Style& style) {
    return files_text(runs, path, style);
  };
  auto files = GPX_TRY(open_outputs(OutputOptions{json, {}, {}}));
  return run_several(task, files, *this, console);
}

Result<int> TwinCommand::make(const Console& console) const {
  if (output.empty())
    return fail(Fault::input, "a twin needs a file to write", "gpx twin --device cuda -o h100.lua");
  const auto how = GPX_TRY(fit_options(console));
  if (from.empty())
    if (const auto status = GPX_TRY(measured_apart(
            device, console, [&](const auto& devices) { return make_apart(devices, console); })))
      return *status;
  const InterruptGuard interrupt;
  const auto other = GPX_TRY(another());
  const auto runs = GPX_TRY(measured(console));
  if (!json.empty()) {
    const std::string text = report::to_json(runs.back().run);
    if (json == "-")
      print(console.out, text);
    else
      GPX_TRY(write_file(json, text));
  }
  if (!quiet)
    for (const twin::Measured& each : runs) tell_failures(each.run, console);
  if (interrupt.interrupted()) return kInterrupted;
  auto draft = GPX_TRY(twin::draft(find_paths(), runs, own_name(output, find_paths()), other));
  const auto fitted = GPX_TRY(twin::fit(find_paths(), runs, draft, how));
  if (!interrupt.interrupted()) {
    GPX_TRY(written(draft, fitted, console));
    return kSuccess;
  }
  GPX_TRY(write_file(output, twin::with_missing(draft)));  // Nothing reads it any more.
  print(console.err, fmt::format("the fit was stopped: --start {} goes on from there\n", output));
  return kInterrupted;
}

Result<RunResult> TwinCommand::reference(Session& session, const Source& source,
                                         const CharacterizeOptions& run) const {
  if (samples.empty()) return twin::run_each(session, device.device, source, run);
  if (samples.ends_with(".csv")) {
    const auto text = GPX_TRY(read_text(samples, kMostDocumentBytes));
    return twin::run_from_csv(text, samples, samples);
  }
  auto read = GPX_TRY(read_run(store, samples));
  return std::move(read.document.result);
}

/// An exam writes into one file.
Result<void> TwinCommand::of_one_device() const {
  if (!samples.empty()) return {};
  const auto several = GPX_TRY(several_devices(device.device, find_paths()));
  if (several.empty()) return {};
  return fail(Fault::input, "an exam is of one device",
              "gpx twin --validate FILE --device NAME, one after another");
}

Result<int> TwinCommand::judge(const Console& console) const {
  const auto file = GPX_TRY(vgpu::read_device_file(validate));
  Paths paths = session_paths(console.program);
  const auto source =
      GPX_TRY(read_experiment_file(exam.empty() ? paths.experiments + "/" + kExam : exam));
  Session session(std::move(paths));
  const InterruptGuard interrupt;
  const CharacterizeOptions run = options(console);
  const auto device_run = GPX_TRY(reference(session, source, run));
  CharacterizeOptions of_model = run;
  of_model.budget_s = std::numeric_limits<double>::infinity();
  const auto model_run = GPX_TRY(twin::run_each(session, validate, source, of_model));
  if (interrupt.interrupted()) return kInterrupted;
  const twin::Exam result = twin::compare(device_run, model_run);
  if (result.points.empty())
    return fail(Fault::input, "the two have no point of the exam in common");
  const std::string& name = device_run.experiments.front().device.name;
  const std::vector<twin::Cause> causes =
      twin::causes_of(session.paths(), result, source, validate, file);
  auto record =
      twin::record_of(result, name, samples.empty() ? today() : "", exam.empty() ? kExam : exam);
  for (const twin::Cause& cause : causes) record.causes.push_back(cause.text());
  const auto text = GPX_TRY(read_text(validate, kMostDocumentBytes));
  const auto kept = GPX_TRY(twin::with_record(text, file.records, record));
  GPX_TRY(write_file(validate, kept));
  if (!quiet) print(console.out, twin::exam_text(result, causes, name, console.out_style));
  return kSuccess;
}

Result<int> TwinCommand::run(const Console& console) const {
  if (validate.empty()) return make(console);
  GPX_TRY(of_one_device());
  return judge(console);
}

}  // namespace

CommandRow twin_command() {
  return command_row<TwinCommand>(
      32, "twin", "Make a device file of a measured GPU, and state how far its model is off");
}

}  // namespace gpx::cli
