// Interface: process.h.
#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace gpx::chaos {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

pid_t start(const Surroundings& place, std::vector<std::string> arguments,
            std::vector<std::string> more) {
  arguments.insert(arguments.begin(), place.gpx);
  more.insert(more.end(), {"HOME=" + place.folder, "TMPDIR=" + place.folder + "/tmp",
                           "GPX_CACHE_DIR=" + place.cache, "GPX_STORE=", "CUDA_VISIBLE_DEVICES=",
                           std::string("PATH=") + std::getenv("PATH")});
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, place.folder.c_str());
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "out.txt", O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t process = 0;
  const int error = posix_spawn(&process, place.gpx.c_str(), &actions, nullptr,
                                pointers(arguments).data(), pointers(more).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + place.gpx);
  return process;
}

Ended ended(int status) {
  if (WIFSIGNALED(status)) return {-1, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

std::vector<std::string> trouble(const Surroundings& place, Random& random, Counts& counts) {
  std::vector<std::string> more = {"LD_PRELOAD=" + place.preload, "CHAOS_SIGNALS=1",
                                   "CHAOS_SEED=" + std::to_string(random() >> 8)};
  if (one_in(random, 3)) {
    more.push_back("CHAOS_SYNC_MS=" + std::to_string(1 + random() % 60));
    ++counts.slow;
  }
  if (one_in(random, 3)) {
    more.push_back("CHAOS_JUMP_S=" + std::to_string(1 + random() % 1'000'000));
    ++counts.jumps;
  }
  return more;
}

void bother(pid_t process, Random& random, Counts& counts) {
  if (one_in(random, 4)) {
    ::kill(process, SIGSTOP);
    sleep_for(below(random, 0.02));
    if (one_in(random, 8)) return;  // killed while it is stopped, or continued the next time
    ::kill(process, SIGCONT);
    ++counts.stops;
  } else {
    for (int i = 0; i < 5; ++i) ::kill(process, SIGUSR1);
    counts.signals += 5;
    ::kill(process, SIGCONT);
  }
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  for (const auto field :
       {&Counts::kills, &Counts::stops, &Counts::signals, &Counts::slow, &Counts::jumps,
        &Counts::points, &Counts::runs, &Counts::imports, &Counts::tables, &Counts::full})
    this->*field += other.*field;
  return *this;
}

Ended run_plain(const Surroundings& place, const std::vector<std::string>& arguments) {
  const pid_t process = start(place, arguments, {});
  int status = 0;
  ::waitpid(process, &status, 0);
  return ended(status);
}

Ended run_bothered(const Surroundings& place, const std::vector<std::string>& arguments,
                   double seconds, Random& random, Counts& counts) {
  const pid_t process = start(place, arguments, trouble(place, random, counts));
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(below(random, seconds)));
  int status = 0;
  while (Clock::now() < end) {
    sleep_for(
        std::min(below(random, 0.03), std::chrono::duration<double>(end - Clock::now()).count()));
    if (::waitpid(process, &status, WNOHANG) == process) return ended(status);
    if (one_in(random, 3)) bother(process, random, counts);
  }
  // Mostly the worst; else what a user's key and a service's end are.
  const bool asked = one_in(random, 12);
  ::kill(process, asked ? (one_in(random, 2) ? SIGINT : SIGTERM) : SIGKILL);
  ::kill(process, SIGCONT);
  ::waitpid(process, &status, 0);
  const Ended how = ended(status);
  if (how.killed()) ++counts.kills;
  return how;
}

std::vector<int> processes_in(const std::string& folder) {
  std::vector<int> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string where = fs::read_symlink(entry.path() / "cwd", error).string();
    if (!error && where.starts_with(folder)) found.push_back(std::atoi(name.c_str()));
  }
  return found;
}

}  // namespace gpx::chaos
