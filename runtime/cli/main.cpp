// The program: standard streams, then gpx_main; what nothing else caught. Covered by
// tests/security/run.sh.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

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

/// Who reads what is printed may stop: that must not end a run whose results are to be kept. Not
/// SIG_IGN, which programs that are started would inherit.
void outlive_readers() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (!open_standard_streams()) return gpx::cli::kToolFailed;
  outlive_readers();
  gpx::cli::Console console = gpx::cli::make_console(stdin, stdout, stderr);
  console.program = "/proc/self/exe";
  try {
    return gpx::cli::gpx_main({argv + 1, argv + argc}, console);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory: the input asks for more than this machine has\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return gpx::cli::kToolFailed;
}
