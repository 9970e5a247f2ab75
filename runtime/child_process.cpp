#include "runtime/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "runtime/exit_status.h"

namespace gpx {
namespace {

/// Both ends are closed in programs that are started.
bool open_pipe(std::array<int, 2>& ends) {
  return ::pipe2(ends.data(), O_CLOEXEC) == 0 && ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/// The streams that the process gets, above the numbers of standard streams.
Streams streams_of(const ChildStart& start, int errors) {
  constexpr int kLeast = 3;
  const auto moved = [](int from) { return ::fcntl(from, F_DUPFD_CLOEXEC, kLeast); };
  if (start.streams)
    return {moved(start.streams->in), moved(start.streams->out), moved(start.streams->err)};
  return {::open(start.input.c_str(), O_RDONLY | O_CLOEXEC),
          ::open(start.output.c_str(), O_WRONLY | O_CLOEXEC), errors};
}

/// Ctrl-C reaches only the process that the user started, which tells its children; should it be
/// killed, they end as if asked to.
[[noreturn]] void become_gpx(const std::vector<char*>& argv, const ChildStart& start, int errors,
                             int progress) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (!start.streams) ::setpgid(0, 0);
  for (int number = 1; number < SIGRTMIN; ++number) ::signal(number, SIG_DFL);
  const auto [in, out, err] = streams_of(start, errors);
  if (!start.folder.empty() && ::chdir(start.folder.c_str()) != 0) ::_exit(kToolFailed);
  if (::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(err, 2) == 2) {
    // dup2() of a descriptor to itself would leave it closed in the program.
    const int moved = ::fcntl(progress, F_DUPFD_CLOEXEC, kProgressDescriptor + 1);
    if (::dup2(moved, kProgressDescriptor) == kProgressDescriptor) ::execv(argv[0], argv.data());
  }
  ::_exit(kToolFailed);
}

/// Appends what has come. False: its writers are gone.
bool take_bytes(int descriptor, std::string& text) {
  std::array<char, 4096> chunk;
  for (;;) {
    const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
    if (got > 0)
      text.append(chunk.data(), static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      return got != 0;
  }
}

}  // namespace

GpxProcess::GpxProcess(ChildStart start) {
  std::vector<char*> argv;
  for (std::string& word : start.words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> errors{-1, -1}, progress{-1, -1};
  if (open_pipe(errors) && open_pipe(progress)) pid_ = ::fork();
  if (pid_ == 0) become_gpx(argv, start, errors[1], progress[1]);
  if (pid_ < 0) {
    end_.status = kToolFailed;
    end_.killed = std::string("it could not be started: ") + std::strerror(errno);
  }
  for (const int writing : {errors[1], progress[1]})
    if (writing >= 0) ::close(writing);
  errors_ = errors[0];
  progress_ = progress[0];
}

GpxProcess::~GpxProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (const int reading : {errors_, progress_})
    if (reading >= 0) ::close(reading);
}

double GpxProcess::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void GpxProcess::read_pipes(const std::function<void(const std::string&)>& on_progress) {
  take_bytes(errors_, end_.messages);
  take_bytes(progress_, line_);
  for (std::size_t end; (end = line_.find('\n')) != std::string::npos; line_.erase(0, end + 1)) {
    const std::string line = line_.substr(0, end);
    if (line.starts_with(kKeptAsRun))
      end_.run = std::atoll(line.c_str() + std::strlen(kKeptAsRun));
    else
      on_progress(line);
  }
}

bool GpxProcess::look(const std::function<void(const std::string&)>& on_progress) {
  if (pid_ < 0) return true;
  const bool late = stopped_ != Clock::time_point{} &&
                    std::chrono::duration<double>(Clock::now() - stopped_).count() > kGraceSeconds;
  if (late) ::kill(pid_, SIGKILL);
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  read_pipes(on_progress);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  pid_ = -1;
  end_.seconds = seconds();
  end_.status = WIFEXITED(status) ? WEXITSTATUS(status) : kToolFailed;
  const bool asked = stopped_ != Clock::time_point{} && why_.empty();
  if (asked && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
    end_.status = kInterrupted;  // Before it listened to the signal.
  else if (WIFSIGNALED(status))
    end_.killed = fmt::format("it was killed by signal {} ({})", WTERMSIG(status),
                              ::strsignal(WTERMSIG(status)));
  if (!why_.empty() && end_.status != kSuccess && end_.status != kExpectationFailed) {
    end_.killed = why_;
    end_.status = kToolFailed;
  }
  return true;
}

void GpxProcess::stop(const std::string& why) {
  if (pid_ < 0 || stopped_ != Clock::time_point{}) return;
  stopped_ = Clock::now();
  why_ = why;
  ::kill(pid_, SIGINT);
}

}  // namespace gpx
