// gpx fleet submit: experiments as a job array of Slurm. Covered by tests/cli/fleet_test.cpp.
#include <fmt/format.h>

#include <filesystem>

#include "lang/read.h"
#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/fleet/script.h"
#include "runtime/cli/fleet/slurm.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/run_options.h"
#include "runtime/cli/several/device_list.h"
#include "runtime/device/select.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

struct FleetSubmitCommand : Talk {
  std::vector<std::string> files;
  std::string folder, per = "device";
  std::uint64_t tasks = 0;
  bool only_write = false;
  std::string device = "auto";
  std::uint64_t seed = 1;
  std::vector<std::string> settings;
  bool all_blocks = false, characterizes = false;

  void take(CommandLine& line) {
    line.argument("FILE", files,
                  "Experiment files, or names of gpx list; behind -- options of sbatch")
        .completes(Values::experiments);
    line.flag("--characterize", characterizes,
              "Measure what gpx characterize measures, instead of files");
    line.option("--device", device, "NAME",
                "What a task measures: k20,h100 are two tasks, cuda:* all GPUs of its node")
        .completes(Values::devices);
    line.option("--per", per, "WHAT", "device: a task measures all points; shard: a part of them")
        .completes({"device", "shard"});
    line.option("--tasks", tasks, "N", "Tasks for each device: boards, or parts of the points");
    line.option("--output,-o", folder, "FOLDER", "The fleet's folder (default: fleet-NAME)");
    line.option("--set", settings, "NAME=VALUE", "Give a parameter another value: --set n=2")
        .one_each();
    take_seed(line, seed);
    take_whole(line, all_blocks);
    line.flag("--no-submit", only_write, "Write the folder, and submit nothing");
  }
  Result<int> run(const Console& console) const;
};

/// The words behind "--".
std::vector<std::string> sbatch_options(const std::vector<std::string>& arguments) {
  const auto dashes = std::ranges::find(arguments, "--");
  if (dashes == arguments.end()) return {};
  return {dashes + 1, arguments.end()};
}

/// Virtual devices are a task each. What names real GPUs is for the node that measures.
Result<std::vector<std::string>> devices_of(const FleetSubmitCommand& command) {
  const std::string& text = command.device;
  if (text == "auto" || text.starts_with("cuda")) return std::vector{text};
  const Paths paths = find_paths();
  auto several = several_devices(text, paths);
  if (!several || !several->empty()) return several;
  const auto resolved = GPX_TRY(resolve_device(text, {}, paths));
  std::error_code none;
  return std::vector{fs::exists(text, none) ? fs::absolute(text, none).string() : text};
}

Result<std::vector<FleetTask>> tasks_of(const FleetSubmitCommand& command) {
  if (command.per != "device" && command.per != "shard")
    return fail(Fault::input, fmt::format("a fleet has a task per device or per shard, not per "
                                          "'{}'",
                                          command.per));
  const bool shards = command.per == "shard";
  if (shards && command.characterizes)
    return fail(Fault::input, "a characterization has no shards", "--per device");
  if (shards && command.tasks < 2)
    return fail(Fault::input, "--per shard needs the number of shards, 2 or more", "--tasks N");
  if (command.tasks > kMostShards)
    return fail(Fault::input, fmt::format("{} tasks are more than {}", command.tasks, kMostShards));
  const auto devices = GPX_TRY(devices_of(command));
  if (shards && devices.front().find_first_of("*,") != std::string::npos)
    return fail(Fault::input, "shards of one run are measured on one device",
                "--device cuda:0, or --per device");
  std::vector<FleetTask> tasks;
  for (const std::string& device : devices)
    for (std::uint64_t i = 1; i <= std::max<std::uint64_t>(command.tasks, 1); ++i)
      tasks.push_back({device, shards ? Shard{i, command.tasks} : Shard{}});
  return tasks;
}

/// Absolute, as the tasks see them. Errors: of the files, before anything is queued.
Result<std::vector<std::string>> checked_files(const FleetSubmitCommand& command) {
  ExperimentOptions options;
  options.settings = command.settings;
  const auto run = GPX_TRY(run_options(options));
  const bool has_files = !command.files.empty();
  if (command.characterizes && (has_files || !command.settings.empty() || command.all_blocks))
    return fail(Fault::input, "--characterize takes no FILE, no --set and no --whole");
  if (!command.characterizes && !has_files)
    return fail(Fault::input, "'gpx fleet submit' needs FILE, or --characterize",
                "options of sbatch come last, behind --");
  std::vector<std::string> files = command.files;
  for (std::string& file : files) {
    if (file == "-") return fail(Fault::input, "a task cannot read standard input", "name a file");
    const auto source = GPX_TRY(read_experiment_file(file));
    GPX_TRY(read_experiments(source, run.settings));
    std::error_code none;
    if (fs::exists(file, none)) file = fs::absolute(file, none).lexically_normal().string();
  }
  return files;
}

/// A line break in an option would end its line in the script.
Result<void> check_words(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.find('\n') != std::string::npos)
      return fail(Fault::input, "an option of sbatch has a line break");
  if (!words.empty() && !words.front().starts_with('-'))
    return fail(Fault::input, fmt::format("'{}' is no option of sbatch", words.front()),
                "behind -- come options of sbatch, such as --partition=gpu");
  return {};
}

Result<Fleet> make_folder(const FleetSubmitCommand& command, std::vector<FleetTask> tasks,
                          const std::vector<std::string>& files) {
  std::error_code error;
  const std::string of = files.empty() ? "characterize" : fs::path(files.front()).stem().string();
  const std::string name = command.folder.empty() ? "fleet-" + of : command.folder;
  Fleet fleet;
  fleet.folder = fs::absolute(name, error).lexically_normal().string();
  if (fleet.folder.ends_with('/')) fleet.folder.pop_back();
  fleet.tasks = std::move(tasks);
  if (fleet.folder.find('\n') != std::string::npos || fleet.folder.find('%') != std::string::npos)
    return fail(Fault::input, "the folder's name has a line break or a %, which Slurm replaces");
  if (fs::exists(fleet.folder, error))
    return fail(Fault::input, fmt::format("there is a '{}' already", name),
                "-o FOLDER; gpx fleet retry submits what a fleet still lacks");
  fs::create_directories(fleet.folder + "/task", error);
  if (error)
    return fail(Fault::device,
                fmt::format("cannot make the folder '{}': {}", name, error.message()));
  return fleet;
}

std::string program_of(const Console& console) {
  std::error_code none;
  const fs::path program = console.program == "/proc/self/exe"
                               ? fs::read_symlink(console.program, none)
                               : fs::path(console.program);
  return program.string();
}

/// Submits, or takes away what nothing was made of.
Result<void> submit_all(Fleet& fleet) {
  const auto job = submit(fleet);
  if (job) return add_job(fleet, *job);
  std::error_code none;
  fs::remove_all(fleet.folder, none);
  return tl::unexpected(job.error());
}

Result<int> FleetSubmitCommand::run(const Console& console) const {
  const std::vector<std::string> options = sbatch_options(console.arguments);
  GPX_TRY(check_words(options));
  const auto all = GPX_TRY(checked_files(*this));
  auto all_tasks = GPX_TRY(tasks_of(*this));
  auto fleet = GPX_TRY(make_folder(*this, std::move(all_tasks), all));
  std::vector<std::string> run_words = {"--seed", std::to_string(seed)};
  for (const std::string& setting : settings) run_words.insert(run_words.end(), {"--set", setting});
  if (all_blocks) run_words.emplace_back("--whole");
  const std::string script =
      job_script({fleet.folder, program_of(console), all, run_words, options, fleet.tasks.size()});
  for (const auto& [path, text] : {std::pair{fleet.script(), script},
                                   std::pair{fleet.folder + "/tasks.txt", tasks_text(fleet.tasks)}})
    GPX_TRY(write_file(path, text));
  const std::string shown = display_path(fleet.folder);
  if (only_write) {
    if (!quiet)
      print(console.out, fmt::format("{} tasks in {}, not submitted: gpx fleet retry {}\n",
                                     fleet.tasks.size(), shown, shown));
    return kSuccess;
  }
  GPX_TRY(submit_all(fleet));
  if (!quiet)
    print(console.out,
          fmt::format("job {}: {} tasks in {}\n", fleet.jobs.back(), fleet.tasks.size(), shown));
  return kSuccess;
}

}  // namespace

CommandRow fleet_submit_command() {
  return command_row<FleetSubmitCommand>(181, "fleet submit",
                                         "Submit experiments to Slurm, a task for each device or "
                                         "shard");
}

}  // namespace gpx::cli
