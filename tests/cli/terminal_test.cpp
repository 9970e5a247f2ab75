// The REPL in a real (pseudo) terminal: typing, Tab, history, Ctrl-C, Ctrl-D, colours.
#include <doctest/doctest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "captured.h"

using namespace gpx::cli;

namespace {

constexpr std::chrono::seconds kMostPatience{60};

/// gpx repl, started in a terminal of that width, with a home folder of its own.
class Terminal {
 public:
  Terminal(const TemporaryFolder& home, unsigned short columns,
           const std::vector<std::string>& environment = {}) {
    const winsize size{24, columns, 0, 0};
    process_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (process_ == 0) run(home, environment);
    REQUIRE(process_ > 0);
  }
  ~Terminal() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    ::close(terminal_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& keys) {
    REQUIRE(::write(terminal_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  /// Everything up to that text, which comes.
  std::string expect(const std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + kMostPatience;
    for (std::size_t at; (at = seen_.find(text)) == std::string::npos;) {
      const bool more = read_more() && std::chrono::steady_clock::now() < deadline;
      INFO(seen_);
      REQUIRE_MESSAGE(more, "waiting for: " << text);
    }
    const std::size_t end = seen_.find(text) + text.size();
    std::string before = seen_.substr(0, end);
    seen_.erase(0, end);
    return before;
  }
  /// Its exit status, once it has ended.
  int status() {
    while (read_more()) {
    }
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  [[noreturn]] static void run(const TemporaryFolder& home,
                               const std::vector<std::string>& environment) {
    for (const char* name : {"NO_COLOR", "XDG_STATE_HOME", "COLUMNS"}) ::unsetenv(name);
    ::setenv("HOME", home.path("").c_str(), 1);
    ::setenv("TERM", "xterm", 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    for (const std::string& each : environment)
      ::setenv(each.substr(0, each.find('=')).c_str(), each.substr(each.find('=') + 1).c_str(), 1);
    ::execl(GPX_PROGRAM, GPX_PROGRAM, "repl", "--device", "k20", "--no-store", nullptr);
    ::_exit(127);
  }
  bool read_more() {
    pollfd waiting{terminal_, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(kMostPatience.count()) * 1000) != 1) return false;
    char buffer[4096];
    const ssize_t got = ::read(terminal_, buffer, sizeof buffer);
    if (got > 0) seen_.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  int terminal_ = -1;
  pid_t process_ = -1;
  std::string seen_;
};

}  // namespace

TEST_CASE("a line is typed, completed, answered, and remembered by the next session") {
  const TemporaryFolder home;
  {
    Terminal terminal(home, 100);
    terminal.expect("gpx> ");
    terminal.type("sweep threads 32..64 step 32 < load uniq\t");
    terminal.expect("ue(");
    terminal.type("128B) >\r");
    const std::string answer = terminal.expect("line1 on k20 (virtual)");
    CHECK(contains(answer, "\x1b[1m"));
    terminal.expect("gpx> ");
    terminal.type("dropped\x03");
    terminal.expect("^C");
    terminal.type(":device\r");  // Before the prompt: nothing of it is lost.
    terminal.expect("k20 (virtual GPU");
    terminal.expect("gpx> ");
    terminal.type("\x04");
    CHECK(terminal.status() == 0);
  }
  Terminal again(home, 100);
  again.expect("gpx> ");
  again.type("\x1b[A\x1b[A");  // Up, Up
  again.expect("sweep threads 32..64 step 32");
  CHECK_FALSE(contains(home.read(".local/state/gpx/history"), "dropped"));
}

TEST_CASE("Ctrl-C stops a run and keeps its points, however often it is pressed") {
  const TemporaryFolder home;
  Terminal terminal(home, 100);
  terminal.expect("gpx> ");
  terminal.type("sweep threads 1..1024 repeat 400 < load unique(128B) x3 >\r");
  terminal.expect(" points · ");
  terminal.expect(" left");
  terminal.type("\x03\x03");
  terminal.expect("no findings from half a sweep");
  terminal.expect("gpx> ");
  terminal.type(":lua it.whole, #it.samples > 0, #it.samples < 409600\r");
  terminal.expect("false\r\ntrue\r\ntrue\r\n");
  terminal.type(":lua print 'on' while true do end\r");
  terminal.expect("\non\r\n");
  terminal.type("\x03");
  terminal.expect("interrupted");
  terminal.type(":quit\r");
  CHECK(terminal.status() == 0);
}

TEST_CASE("NO_COLOR is no colour, and 40 columns are enough") {
  const TemporaryFolder home;
  Terminal terminal(home, 40, {"NO_COLOR=1"});
  terminal.expect("gpx> ");
  terminal.type("threads 32 < load unique(128B) >\r");
  const std::string answer = terminal.expect("line1 on k20 (virtual)");
  CHECK_FALSE(contains(answer, "\x1b[1m"));
  CHECK(contains(answer, "\r\n    least: "));
}
