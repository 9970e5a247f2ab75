// The program: standard streams, limits, then gpx_main; what nothing else caught. Covered by
// tests/security/run.sh.
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>
#include <thread>

#include "lang/float_environment.h"
#include "runtime/cli/command.h"

namespace {

/// A file that is opened later must not get the number of a standard stream that is closed: what is
/// printed would land in it. Reading and printing fail as on a closed stream; messages are dropped.
bool open_standard_streams() {
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};  // of stdin, stdout, stderr
  for (int stream = 0; stream < 3; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF &&
        ::open("/dev/null", kModes[stream]) != stream)
      return false;
  return true;
}

/// Who reads what is printed may stop, and a file may reach its limit: neither must end a run whose
/// results are to be kept. The write fails. Not SIG_IGN, which programs that are started would
/// inherit.
void outlive_failed_writes() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
}

/// Parsers and inference recurse to depths that this much holds.
constexpr rlim_t kStackBytes = rlim_t{8} << 20;

/// Whether the stack is deep enough, or could be made so.
bool deepen_stack() {
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kStackBytes) return true;
  // Threads take the limit that the process began with.
  pthread_attr_t threads;
  pthread_attr_init(&threads);
  pthread_attr_setstacksize(&threads, kStackBytes);
  pthread_setattr_default_np(&threads);
  pthread_attr_destroy(&threads);
  stack.rlim_cur = kStackBytes;
  if (stack.rlim_max < kStackBytes) return false;
  return ::setrlimit(RLIMIT_STACK, &stack) == 0;
}

int run(int argc, char** argv) {
  const gpx::FloatEnvironment plain_numbers;  // A preloaded library may have set another.
  gpx::cli::Console console = gpx::cli::make_console(stdin, stdout, stderr);
  console.program = "/proc/self/exe";
  try {
    return gpx::cli::gpx_main({argv + 1, argv + argc}, console);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory: the input needs more than this machine has\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return gpx::kToolFailed;
}

/// On a thread, whose stack no limit of the process makes smaller.
int run_on_thread(int argc, char** argv) {
  int status = gpx::kToolFailed;
  try {
    std::thread([&] { status = run(argc, argv); }).join();
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "error: no thread with a stack of 8 MB: %s (see ulimit -s)\n",
                 error.what());
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (!open_standard_streams()) return gpx::kToolFailed;
  outlive_failed_writes();
  return deepen_stack() ? run(argc, argv) : run_on_thread(argc, argv);
}
