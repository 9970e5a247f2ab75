// Interface: codegen/compile/child.h. Covered by tests/codegen/child_test.cpp.
#include "codegen/compile/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "codegen/confined/confined.h"
#include "codegen/ir/text.h"
#include "lang/words.h"

namespace gpx::codegen {
namespace {

using Clock = std::chrono::steady_clock;

class OwnedFile {
 public:
  explicit OwnedFile(int number = -1) : number_(number) {}
  ~OwnedFile() { close(); }
  OwnedFile(const OwnedFile&) = delete;
  OwnedFile& operator=(const OwnedFile&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void set(int number) { number_ = number; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

struct OutputPipe {
  OwnedFile read, write;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read.set(ends[0]);
    write.set(ends[1]);
    return true;
  }
};

// A file in memory: a program that ends before it has read all of it is no broken pipe.
bool fill(const OwnedFile& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::lseek(file.number(), 0, SEEK_SET) == 0;
}

/// What the new process does until it is the program. It is a copy of one thread of this one: the
/// handlers of signals are not its own, and Ctrl-C reaches only the process that asked.
[[noreturn]] void become(const std::vector<char*>& argv, const std::string& folder,
                         const confined::WallPlan* walls, const std::array<int, 3>& standard,
                         int failed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  for (int number = 1; number < SIGRTMIN; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  bool ready = folder.empty() || ::chdir(folder.c_str()) == 0;
  for (int number = 0; number < 3; ++number)
    ready = ready && ::dup2(standard[static_cast<std::size_t>(number)], number) == number;
  if (ready && walls) confined::raise_walls(*walls);
  if (ready) ::execv(argv[0], argv.data());
  const int code = errno;
  [[maybe_unused]] const ssize_t told = ::write(failed, &code, sizeof code);
  ::_exit(127);
}

std::optional<pid_t> start(const std::vector<std::string>& words, const OwnedFile& input,
                           const std::string& folder, const confined::WallPlan* walls,
                           const OutputPipe& output, const OutputPipe& errors) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  OutputPipe failed;  // Closed by what it becomes; else it says why.
  if (!failed.open()) return std::nullopt;
  const pid_t pid = ::fork();
  if (pid < 0) return std::nullopt;
  if (pid == 0)
    become(argv, folder, walls, {input.number(), output.write.number(), errors.write.number()},
           failed.write.number());
  failed.write.close();
  int code = 0;
  ssize_t got;
  while ((got = ::read(failed.read.number(), &code, sizeof code)) < 0 && errno == EINTR) {
  }
  if (got <= 0) return pid;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return std::nullopt;
}

// What came, or the end of the file: it is closed then.
void take(OwnedFile& file, std::string& text) {
  std::array<char, 65536> chunk;
  const ssize_t got = ::read(file.number(), chunk.data(), chunk.size());
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) return file.close();
  text.append(chunk.data(), static_cast<std::size_t>(got));
}

constexpr auto kLook =
    std::chrono::milliseconds(50);  ///< How often it looks whether it is to stop.

// Reads until the program closes both outputs; false where it took too long, or is to stop.
bool read_all(OutputPipe& output, OutputPipe& errors, Clock::time_point deadline, Ran& ran) {
  while (output.read.is_open() || errors.read.is_open()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    ran.stopped = confined::is_stopped();
    if (left <= 0 || ran.stopped) return false;
    // A closed file has the number -1, which poll() passes over.
    std::array<pollfd, 2> waiting{
        {{output.read.number(), POLLIN, 0}, {errors.read.number(), POLLIN, 0}}};
    const int ready = ::poll(waiting.data(), waiting.size(),
                             static_cast<int>(std::min<std::int64_t>(left, kLook.count())));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) return false;
    if (waiting[0].revents != 0) take(output.read, ran.output);
    if (waiting[1].revents != 0) take(errors.read, ran.errors);
  }
  return true;
}

}  // namespace

std::vector<std::string> path_folders() {
  std::vector<std::string> folders;
  const std::string path = environment("PATH");
  for (std::string_view rest = path; !rest.empty();)
    if (const auto folder = take_until(rest, ':'); !folder.empty()) folders.emplace_back(folder);
  return folders;
}

std::optional<Ran> run_child(const std::vector<std::string>& words, std::string_view input,
                             const std::string& folder, double seconds,
                             const confined::WallPlan* walls) {
  const OwnedFile in(::memfd_create("gpx-input", MFD_CLOEXEC));
  OutputPipe output, errors;
  if (!in.is_open() || !fill(in, input) || !output.open() || !errors.open()) return std::nullopt;
  const auto pid = start(words, in, folder, walls, output, errors);
  if (!pid) return std::nullopt;
  output.write.close();
  errors.write.close();
  Ran ran;
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  ran.in_time = read_all(output, errors, Clock::now() + limit, ran);
  if (!ran.in_time) ::kill(*pid, SIGKILL);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  ran.ok = ran.in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return ran;
}

}  // namespace gpx::codegen
