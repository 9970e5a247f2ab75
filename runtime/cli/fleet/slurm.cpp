// Interface: slurm.h. Covered by tests/cli/fleet_test.cpp.
#include "runtime/cli/fleet/slurm.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "lang/lists.h"
#include "lang/try.h"

extern char** environ;

namespace gpx::cli {
namespace {

struct Printed {
  int status = 0;
  std::string out, err;
};

/// A file in memory that a program writes to.
class Capture {
 public:
  Capture() : descriptor_(::memfd_create("gpx", MFD_CLOEXEC)) {}
  ~Capture() { ::close(descriptor_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  int descriptor() const { return descriptor_; }
  std::string text() const {
    std::string all;
    char buffer[4096];
    for (ssize_t got;
         (got = ::pread(descriptor_, buffer, sizeof buffer, static_cast<off_t>(all.size()))) > 0;)
      all.append(buffer, static_cast<std::size_t>(got));
    return all;
  }

 private:
  int descriptor_;
};

Result<Printed> run_program(const std::vector<std::string>& words) {
  const Capture out, err;
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  pid_t pid = -1;
  const int failed =
      ::posix_spawnp(&pid, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT)
    return fail(Fault::device, fmt::format("Slurm is not installed here: no {} in PATH", words[0]),
                "run gpx on a login node of the cluster");
  if (failed != 0)
    return fail(Fault::device, fmt::format("cannot start {}: {}", words[0], std::strerror(failed)));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return Printed{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.text(),
                 err.text()};
}

/// "invalid partition specified: nope" of what a program of Slurm printed.
std::string message_of(const Printed& printed, const std::string& program) {
  std::istringstream lines(printed.err);
  const std::string prefix = program + ": error: ";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(prefix)) return line.substr(prefix.size());
  const std::string first = printed.err.substr(0, printed.err.find('\n'));
  return first.empty() ? fmt::format("it ended with status {}", printed.status) : first;
}

std::string hint_of(const std::string& errors) {
  constexpr struct {
    const char* part;
    const char* hint;
  } kHints[] = {
      {"artition", "sinfo lists the partitions; behind --: --partition=NAME"},
      {"array specification", "scontrol show config: MaxArraySize is above the number of tasks"},
      {"ccount", "sacctmgr show associations lists your accounts; behind --: --account=NAME"},
      {"gres", "sinfo -o '%P %G' lists what partitions offer; behind --: --gres=gpu:1"},
      {"nable to contact slurm controller", "slurmctld does not respond: scontrol ping"},
  };
  for (const auto& row : kHints)
    if (errors.find(row.part) != std::string::npos) return row.hint;
  return {};
}

Result<std::string> run_slurm(const std::vector<std::string>& words) {
  const auto printed = GPX_TRY(run_program(words));
  if (printed.status == 0) return printed.out;
  return fail(Fault::device,
              fmt::format("{} failed: {}", words.front(), message_of(printed, words.front())),
              hint_of(printed.err));
}

}  // namespace

std::string array_text(const std::vector<std::size_t>& tasks) {
  std::string text;
  for (std::size_t i = 0; i < tasks.size();) {
    std::size_t last = i;
    while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", tasks[i]);
    if (last > i) text += fmt::format("-{}", tasks[last]);
    i = last + 1;
  }
  return text;
}

Result<std::string> submit(const Fleet& fleet, const std::vector<std::size_t>& tasks) {
  std::vector<std::string> words = {"sbatch", "--parsable"};
  if (!tasks.empty()) words.push_back("--array=" + array_text(tasks));
  words.push_back(fleet.script());
  const auto printed = run_slurm(words);
  if (!printed) return printed;
  // "17", or "17;cluster".
  const std::string id = printed->substr(0, printed->find_first_of(";\n"));
  if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos)
    return fail(Fault::device, fmt::format("sbatch printed '{}', which is no job's id", id));
  return id;
}

Result<std::map<std::size_t, QueuedTask>> queued(const Fleet& fleet) {
  const auto printed =
      run_slurm({"squeue", "--me", "--array", "--noheader", "--format=%F %K %T %N"});
  if (!printed) return tl::unexpected(printed.error());
  std::map<std::size_t, QueuedTask> tasks;
  std::istringstream lines(*printed);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string job;
    std::size_t task = 0;
    QueuedTask one;
    if (!(words >> job >> task >> one.state)) continue;
    words >> one.node;
    if (contains(fleet.jobs, job)) tasks[task] = one;
  }
  return tasks;
}

Result<void> cancel(const Fleet& fleet) {
  if (fleet.jobs.empty()) return fail(Fault::input, "no job of the fleet was submitted");
  std::vector<std::string> words = {"scancel", "--quiet"};
  words.insert(words.end(), fleet.jobs.begin(), fleet.jobs.end());
  const auto done = GPX_TRY(run_slurm(words));
  return {};
}

}  // namespace gpx::cli
