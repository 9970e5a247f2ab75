// Interface: fleet.h. Covered by tests/cli/fleet_test.cpp.
#include "runtime/cli/fleet/fleet.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "lang/try.h"
#include "runtime/cli/output/files.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostFolderFile = std::size_t{64} << 20;

Result<FleetTask> parse_task(const std::string& line, const std::string& path, std::size_t number) {
  const std::size_t space = line.find(' ');
  const auto shard = parse_shard(line.substr(0, space));
  if (!shard || space == std::string::npos || space + 1 == line.size())
    return fail(Fault::input, fmt::format("{}:{}: '{}' is not a task", path, number, line),
                "a shard and a device, such as 1/4 k20");
  return FleetTask{line.substr(space + 1), *shard};
}

}  // namespace

std::string tasks_text(const std::vector<FleetTask>& tasks) {
  std::string text;
  for (const FleetTask& task : tasks)
    text += fmt::format("{} {}\n", to_string(task.shard), task.device);
  return text;
}

Result<std::vector<FleetTask>> parse_tasks(const std::string& text, const std::string& path) {
  std::vector<FleetTask> tasks;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto task = GPX_TRY(parse_task(line, path, tasks.size() + 1));
    tasks.push_back(std::move(task));
  }
  if (tasks.empty()) return fail(Fault::input, fmt::format("'{}' lists no task", path));
  return tasks;
}

void take_fleet(CommandLine& line, std::string& folder) {
  line.argument("FOLDER", folder, "The folder of gpx fleet submit")
      .required()
      .completes(Values::files);
}

Result<Fleet> read_fleet(const std::string& folder) {
  std::error_code error;
  Fleet fleet;
  fleet.folder = fs::absolute(folder, error).lexically_normal().string();
  while (fleet.folder.size() > 1 && fleet.folder.back() == '/') fleet.folder.pop_back();
  const std::string path = fleet.folder + "/tasks.txt";
  if (!fs::exists(path, error) || !fs::exists(fleet.script(), error))
    return fail(Fault::input, fmt::format("'{}' is not the folder of a fleet", folder),
                "gpx fleet submit makes one");
  const auto text = GPX_TRY(read_text(path, kMostFolderFile));
  auto tasks = GPX_TRY(parse_tasks(text, path));
  fleet.tasks = std::move(tasks);
  std::ifstream jobs(fleet.folder + "/jobs.txt");
  for (std::string job; std::getline(jobs, job);) fleet.jobs.push_back(job);
  return fleet;
}

Result<void> add_job(Fleet& fleet, const std::string& job) {
  fleet.jobs.push_back(job);
  std::string text;
  for (const std::string& each : fleet.jobs) text += each + '\n';
  return write_file(fleet.folder + "/jobs.txt", text);
}

std::optional<TryEnd> last_try(const Fleet& fleet, std::size_t task) {
  std::ifstream file(fleet.file(task, ".status"));
  TryEnd end;
  if (!(file >> end.status)) return std::nullopt;
  file >> end.host >> end.time;
  return end;
}

}  // namespace gpx::cli
