// Interface: confined.h. Covered by tests/codegen/confined_test.cpp.
#include "codegen/confined/confined.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <exception>
#include <mutex>
#include <new>

#include "codegen/confined/walls.h"

namespace gpx::confined {
namespace {

constexpr std::uint64_t kResult = 1, kAsk = 2, kTell = 3, kAllow = 4, kLate = 5, kFailed = 6;
constexpr double kGrace = 1;  ///< Seconds that a child has to say that its time is over.
constexpr double kMostSeconds = 3600;
constexpr int kSocket = 3;  ///< Of the child: its only descriptor but the standard ones.

/// A process may be stopped, and a machine may sleep or be busy with others: the time of the
/// processor counts. Where a child takes none, it ends after this many times its limit all the
/// same.
constexpr double kMostWaits = 20;

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double now() {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

// ---- The child ----------------------------------------------------------------------------------

/// What the handler of its clock reads.
struct Child {
  double end = 0;
  volatile sig_atomic_t waiting = 0;  // for an answer
  WhereIsIt where = nullptr;
  void* who = nullptr;
  Channel* channel = nullptr;  // nullptr: this is no child
};
Child child;

/// Tells where it is and ends. Everything here may be called in the middle of anything.
void on_tick(int) {
  if (child.waiting != 0 || now() < child.end) return;
  Place place;
  if (child.where) child.where(child.who, place);
  const std::uint64_t header[] = {sizeof place, kLate};
  bool sent = ::send(kSocket, header, sizeof header, MSG_NOSIGNAL) == sizeof header;
  sent = sent && ::send(kSocket, &place, sizeof place, MSG_NOSIGNAL) == sizeof place;
  ::_exit(sent ? 0 : 1);
}

/// A frame that the clock does not cut in two.
void send_whole(const Frame& frame) {
  child.waiting = 1;
  if (child.channel->send(frame) != Channel::Got::message) ::_exit(1);  // nobody is there any more
  child.waiting = 0;
}

void start_clock(double seconds) {
  child.end = now() + seconds;
  struct sigaction action {};
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval every{{0, 50'000}, {0, 50'000}};
  ::setitimer(ITIMER_REAL, &every, nullptr);
}

/// Signals as in a fresh process: the handlers here are those of who forked.
void reset_signals() {
  for (int number = 1; number < SIGRTMIN; ++number) ::signal(number, SIG_DFL);
  ::signal(SIGXFSZ, SIG_IGN);  // a message to a file: it fails
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Nothing of what this process has open is the child's business.
bool keep_only(int socket) {
  if (socket != kSocket && ::dup2(socket, kSocket) != kSocket) return false;
  return ::close_range(kSocket + 1, ~0u, 0) == 0;
}

[[noreturn]] void be_child(int socket, pid_t parent, const Limits& limits, const Work& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent || !keep_only(socket)) ::_exit(1);
  ::setpgid(0, 0);  // Ctrl-C reaches only the process that asked
  reset_signals();
  raise_walls({limits.memory_bytes,
               std::max(limits.seconds, kMostSeconds),
               limits.readable,
               limits.file_bytes,
               {}});
  Channel channel(kSocket);
  child.channel = &channel;
  start_clock(limits.seconds);
  Frame frame{kResult, {}};
  try {
    Asker asker(channel);
    frame.body = work(asker);
  } catch (const std::exception& error) {
    const std::string why =
        dynamic_cast<const std::bad_alloc*>(&error) ? "ran out of memory" : error.what();
    frame = {kFailed, wire::Bytes(why.begin(), why.end())};
  }
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  channel.send(frame);
  ::_exit(0);
}

// ---- The parent ---------------------------------------------------------------------------------

std::string how_it_ended(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGXCPU) return "used up its CPU time";
  return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                     ::strsignal(WTERMSIG(status)));
}

std::string text_of(const wire::Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Processes that have said their last word and were killed. That the kernel takes them apart takes
/// a good part of what they cost; nobody waits for it.
class Finished {
 public:
  void add(pid_t process) {
    const std::lock_guard lock(mutex_);
    all_.push_back(process);
  }
  void forget_ended() {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [](pid_t process) { return ::waitpid(process, nullptr, WNOHANG) != 0; });
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> all_;
};
Finished finished;

class Parent {
 public:
  Parent(int socket, pid_t process, const Limits& limits, const Answer& answer,
         const std::atomic<bool>* stop)
      : channel_(socket), process_(process), answer_(answer), stop_(stop) {
    allow_more(limits.seconds);
  }

  Outcome follow() {
    Outcome outcome;
    using Got = Channel::Got;
    Got got = Got::message;
    for (Frame frame; got == Got::message; frame = {}) {
      got = channel_.receive(frame, kResult, kFailed, end_, stop_, [this] { return later(); });
      if (got != Got::message || ends(frame, outcome)) break;
    }
    if (got == Got::late) outcome.how = Outcome::How::late;
    if (got == Got::stopped) outcome.how = Outcome::How::stopped;
    if (got != Got::closed) {
      ::kill(process_, SIGKILL);
      finished.add(process_);
    } else {
      const int status = wait_for(process_);
      if (outcome.why.empty()) outcome.why = how_it_ended(status);
    }
    return outcome;
  }

 private:
  using Time = Channel::Clock::time_point;

  static Time after(double seconds) {
    return Channel::Clock::now() + std::chrono::duration_cast<Channel::Clock::duration>(
                                       std::chrono::duration<double>(seconds));
  }

  /// The processor's seconds that the child took; those of a child that is gone are unknown.
  std::optional<double> used() const {
    clockid_t clock{};
    if (::clock_getcpuclockid(process_, &clock) != 0) return std::nullopt;
    return seconds_of(clock);
  }

  void allow_more(double seconds) {
    most_ = used().value_or(0) + seconds + kGrace;
    end_ = after(seconds + kGrace);
    waits_until_ = after(kMostWaits * (seconds + kGrace));
  }

  /// When to look again at a child that has not used up its time; nothing: it is late.
  std::optional<Time> later() {
    const auto took = used();
    const Time now = Channel::Clock::now();
    if ((took && *took >= most_) || now >= waits_until_) return std::nullopt;
    return end_ = after(std::max(most_ - took.value_or(0), 0.01));
  }

  /// Whether that was its last word.
  bool ends(Frame& frame, Outcome& outcome) {
    switch (frame.kind) {
      case kResult:
        outcome.how = Outcome::How::done;
        outcome.result = std::move(frame.body);
        return true;
      case kLate:
        outcome.how = Outcome::How::late;
        if (frame.body.size() == sizeof(Place))
          std::memcpy(&outcome.place, frame.body.data(), sizeof(Place));
        outcome.place.chunk[sizeof outcome.place.chunk - 1] = '\0';
        return true;
      case kFailed: outcome.why = text_of(frame.body); return true;
      case kAllow: {
        double seconds = 0;
        if (frame.body.size() == sizeof seconds)
          std::memcpy(&seconds, frame.body.data(), sizeof seconds);
        if (seconds > 0) allow_more(std::min(seconds, kMostSeconds));
        return false;
      }
      default: answer(frame); return false;
    }
  }

  void answer(const Frame& frame) {
    const Time asked = Channel::Clock::now();
    const wire::Bytes answered = answer_ ? answer_(frame.body) : wire::Bytes();
    const auto took = Channel::Clock::now() - asked;
    end_ += took;
    waits_until_ += took;
    if (frame.kind == kAsk) channel_.send({kResult, answered}, end_, stop_);
  }

  Channel channel_;
  pid_t process_;
  Time end_, waits_until_;
  double most_ = 0;  ///< Of the child's time of the processor.
  const Answer& answer_;
  const std::atomic<bool>* stop_;
};

std::atomic<const std::atomic<bool>*> stopper{nullptr};

/// The lock is open again in both processes: in the copy, where nobody else is, by a fresh one.
/// (Only the thread that closed it could open it, and that of the copy has another number.)
pid_t fork_in(std::shared_mutex* quiet) {
  if (!quiet) return ::fork();
  std::unique_lock lock(*quiet);
  const pid_t process = ::fork();
  if (process == 0) new (lock.release()) std::shared_mutex;
  return process;
}

}  // namespace

void stop_by(const std::atomic<bool>* stop) {
  stopper = stop;
}

bool is_stopped() {
  const std::atomic<bool>* const stop = stopper;
  return stop && *stop;
}

wire::Bytes Asker::ask(wire::Bytes request) {
  child.waiting = 1;
  Frame frame{kAsk, std::move(request)};
  const bool answered = channel_.send(frame) == Channel::Got::message &&
                        channel_.receive(frame, kResult, kResult) == Channel::Got::message;
  if (!answered) ::_exit(1);
  child.waiting = 0;
  return std::move(frame.body);
}

void Asker::tell(wire::Bytes news) {
  send_whole({kTell, std::move(news)});
}

void allow(double seconds) {
  if (!child.channel) return;
  child.end = now() + seconds;
  wire::Bytes body(sizeof seconds);
  std::memcpy(body.data(), &seconds, sizeof seconds);
  send_whole({kAllow, std::move(body)});
}

void watch(WhereIsIt where, void* who) {
  if (!child.channel) return;
  child.who = who;
  child.where = where;
}

Outcome run(const Limits& limits, const Work& work, const Answer& answer,
            const std::atomic<bool>* stop) {
  Outcome failed;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    failed.why = fmt::format("has no socket: {}", std::strerror(errno));
    return failed;
  }
  finished.forget_ended();
  const pid_t parent = ::getpid(), process = fork_in(limits.quiet);
  if (process == 0) be_child(ends[1], parent, limits, work);
  ::close(ends[1]);
  if (process < 0) {
    failed.why = fmt::format("cannot be started: {}", std::strerror(errno));
    ::close(ends[0]);
    return failed;
  }
  return Parent(ends[0], process, limits, answer, stop ? stop : stopper.load()).follow();
}

}  // namespace gpx::confined
