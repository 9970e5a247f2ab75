// Interface: apart.h. Covered by tests/cli/try_command_test.cpp.
#include "runtime/cli/trial/apart.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>

#include "codegen/confined/wire.h"
#include "codegen/user/user_kernel.h"
#include "runtime/cli/output/files.h"
#include "runtime/exit_status.h"

namespace gpx::cli {
namespace {

using Channel = confined::Channel;
using Clock = Channel::Clock;

enum : std::uint64_t { kAsked = 1, kTold = 2 };

/// How much longer than its limit on a processor a kernel may take: others use the machine, too.
constexpr double kWallFactor = 10;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Whether the process is as it was: it has run nothing, or a kernel to its end.
bool leaves_all(Tried outcome) {
  return outcome == Tried::runs || outcome == Tried::no_instance || outcome == Tried::compile_error;
}

/// A kernel that is to be tried, within so many seconds of a processor.
struct Asked {
  std::string file, kernel;
  int line = 0;
  double seconds = 0;
};

template <typename Archive>
void exchange(Archive& archive, Asked& asked) {
  archive(asked.file, asked.kernel, asked.line, asked.seconds);
}

template <typename Archive>
void exchange(Archive& archive, Trial& trial) {
  archive(trial.file, trial.kernel, trial.line, trial.guessed, trial.outcome, trial.why,
          trial.why_line, trial.seconds);
}

template <typename Value>
confined::Frame frame_of(std::uint64_t kind, Value value) {
  wire::Writer writer;
  exchange(writer, value);
  return {kind, writer.take()};
}

template <typename Value>
std::optional<Value> read(const confined::Frame& frame) {
  Value value;
  wire::Reader reader(frame.body);
  exchange(reader, value);
  return reader.complete() ? std::optional(std::move(value)) : std::nullopt;
}

/// In the child: becomes the program, with the socket as its standard input. CUDA's driver reserves
/// more addresses than any limit leaves it: a real GPU has none of memory.
[[noreturn]] void become(std::vector<std::string> command, int socket, bool real) {
  ::setpgid(0, 0);
  const rlimit memory{kTryLimits.memory_bytes, kTryLimits.memory_bytes};
  if (!real) ::setrlimit(RLIMIT_AS, &memory);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(socket, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);  // where the driver of a real GPU writes what kernels print
  ::dup2(nothing, STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

/// From now on this process may take so many seconds of a processor more.
void limit_processor(double seconds) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  rlimit limit{};
  ::getrlimit(RLIMIT_CPU, &limit);
  const auto taken = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  limit.rlim_cur = static_cast<rlim_t>(std::ceil(taken + seconds)) + 1;
  ::setrlimit(RLIMIT_CPU, &limit);
}

/// The kernel of its name at its line, which the parent found in the same file.
Trial try_asked(Session& session, const std::string& device, const Asked& asked) {
  Trial trial{asked.file, asked.kernel, asked.line, true, Tried::crash, "its file has changed"};
  const auto bytes = read_source(trial.file);
  if (!bytes) return trial;
  const Source text(trial.file, codegen::readable_text(bytes->text()));
  const auto kernels = find_kernels(text);
  if (!kernels) return trial;
  for (const FoundKernel& kernel : *kernels)
    if (kernel.name == trial.kernel && kernel.line == trial.line)
      return try_kernel(session, device, text, kernel);
  return trial;
}

}  // namespace

TrialsApart::TrialsApart(std::string program, std::string device, double seconds)
    : program_(std::move(program)), device_(std::move(device)), seconds_(seconds) {}

bool TrialsApart::start() {
  if (process_ > 0) return true;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  const bool real = device_ == "auto" || device_.starts_with("cuda");
  process_ = ::fork();
  if (process_ == 0) become({program_, kServeTrials, device_}, ends[1], real);
  ::close(ends[1]);
  channel_ = std::make_unique<Channel>(ends[0]);
  kernels_ = 0;
  if (process_ < 0) return false;
  ::setpgid(process_, process_);  // Whichever of the two is first: end() kills the group.
  ++processes_;
  return true;
}

/// Returns how the process ended, as waitpid() says it.
int TrialsApart::end() {
  int status = 0;
  channel_.reset();
  if (process_ > 0) {
    ::kill(-process_, SIGKILL);  // also what it started
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
  return status;
}

Trial TrialsApart::tried(const FoundKernel& kernel, const std::atomic<bool>* stop) {
  Trial trial{kernel.file, kernel.name, kernel.line, !kernel.given, Tried::crash, {}};
  const auto begin = Clock::now();
  if (!start()) {
    trial.why = "no process can be started";
    return trial;
  }
  const auto late = begin + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(kWallFactor * seconds_));
  confined::Frame answer;
  Channel::Got got = channel_->send(
      frame_of(kAsked, Asked{kernel.file, kernel.name, kernel.line, seconds_}), late, stop);
  if (got == Channel::Got::message) got = channel_->receive(answer, kTold, kTold, late, stop);
  ++kernels_;
  trial.seconds = seconds_since(begin);
  if (auto told = got == Channel::Got::message ? read<Trial>(answer) : std::nullopt) {
    told->seconds = trial.seconds;
    return *told;
  }
  // Who closes its socket ends by itself; its status is that of the signal that ended it.
  siginfo_t ended{};
  if (got == Channel::Got::closed)
    ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT);
  const int status = end();
  const bool over =
      got == Channel::Got::late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
  trial.outcome = over ? Tried::time_out : Tried::crash;
  trial.why = over ? fmt::format("it had not ended after {} s of a processor", seconds_)
              : WIFSIGNALED(status) ? fmt::format("gpx was killed by signal {}", WTERMSIG(status))
                                    : "gpx gave no outcome";
  return trial;
}

Trial TrialsApart::run(const FoundKernel& kernel, const std::atomic<bool>* stop) {
  Trial trial = tried(kernel, stop);
  const bool others = kernels_ > 1;
  if (leaves_all(trial.outcome)) return trial;
  end();
  // Its own time is over in any process.
  if (!others || trial.outcome == Tried::time_out || (stop && *stop)) return trial;
  trial = tried(kernel, stop);
  if (!leaves_all(trial.outcome)) end();
  return trial;
}

int serve_trials(const std::string& program, const std::string& device) {
  Channel channel(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  ::dup2(STDERR_FILENO, STDIN_FILENO);  // What it starts does not hold the socket.
  Session session(session_paths(program));
  confined::Frame frame;
  while (channel.receive(frame, kAsked, kAsked) == Channel::Got::message) {
    const auto asked = read<Asked>(frame);
    if (!asked) return kToolFailed;
    limit_processor(asked->seconds);
    const Trial trial = try_asked(session, device, *asked);
    if (channel.send(frame_of(kTold, trial)) != Channel::Got::message) return kToolFailed;
  }
  return kSuccess;
}

}  // namespace gpx::cli
