// Interface: child_process.h. Covered by tests/runtime/isolated_backend_test.cpp.
#include "runtime/device/isolated/child_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/device/own_processes.h"

namespace gpx {
namespace {

/// For a process that ends by itself after it has closed its socket.
constexpr double kLastWords_s = 0.2;
/// For one that was killed: a driver may have to give back what it held.
constexpr double kDying_s = 5;

/// How the child starts: its files, its group, its signals.
class SpawnSetup {
 public:
  explicit SpawnSetup(int input) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  int spawn(pid_t& process, const std::vector<std::string>& command) const {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    return posix_spawn(&process, words[0], &files_, &attributes_, words.data(), environ);
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
  }
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

ChildProcess::ChildProcess(pid_t process, int descriptor)
    : process_(process), channel_(std::make_unique<protocol::Channel>(descriptor)) {
  ++own_processes();
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::vector<std::string>& command) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(Fault::device, fmt::format("no socket can be made: {}", std::strerror(errno)));
  pid_t process = 0;
  const int failed = SpawnSetup(ends[1]).spawn(process, command);
  ::close(ends[1]);
  if (failed != 0) {
    ::close(ends[0]);
    return fail(Fault::device,
                fmt::format("'{}' cannot be started: {}", command[0], std::strerror(failed)));
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(process, ends[0]));
}

bool ChildProcess::reap(double patience_s) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(patience_s);
  while (!reaped_) {
    const pid_t gone = ::waitpid(process_, &status_, WNOHANG);
    reaped_ = gone == process_ || (gone < 0 && errno == ECHILD);
    if (reaped_) --own_processes();
    if (reaped_ || Clock::now() >= end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return reaped_;
}

std::string ChildProcess::kill(bool hangs) {
  channel_.reset();
  if (hangs || !reap(kLastWords_s)) {
    ::kill(process_, SIGKILL);
    if (!reap(kDying_s)) return "does not end";
  }
  return describe(status_);
}

}  // namespace gpx
