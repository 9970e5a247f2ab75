// Interface: codegen/compile/child.h. Covered by tests/codegen/child_test.cpp.
#include "codegen/compile/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "codegen/ir/text.h"

extern char** environ;

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

std::optional<pid_t> start(const std::vector<std::string>& words, const OwnedFile& input,
                           const std::string& folder, const OutputPipe& output,
                           const OutputPipe& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.number(), 0);
  posix_spawn_file_actions_adddup2(&actions, output.write.number(), 1);
  posix_spawn_file_actions_adddup2(&actions, errors.write.number(), 2);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int code = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return code == 0 ? std::optional(pid) : std::nullopt;
}

// What came, or the end of the file: it is closed then.
void take(OwnedFile& file, std::string& text) {
  std::array<char, 65536> chunk;
  const ssize_t got = ::read(file.number(), chunk.data(), chunk.size());
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) return file.close();
  text.append(chunk.data(), static_cast<std::size_t>(got));
}

// Reads until the program closes both outputs; false where it took too long.
bool read_all(OutputPipe& output, OutputPipe& errors, Clock::time_point deadline, Ran& ran) {
  while (output.read.is_open() || errors.read.is_open()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    // A closed file has the number -1, which poll() passes over.
    std::array<pollfd, 2> waiting{
        {{output.read.number(), POLLIN, 0}, {errors.read.number(), POLLIN, 0}}};
    const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    if (waiting[0].revents != 0) take(output.read, ran.output);
    if (waiting[1].revents != 0) take(errors.read, ran.errors);
  }
  return true;
}

}  // namespace

std::vector<std::string> path_folders() {
  std::vector<std::string> folders;
  const std::string path = environment("PATH");
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) folders.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

std::optional<Ran> run_child(const std::vector<std::string>& words, std::string_view input,
                             const std::string& folder, double seconds) {
  const OwnedFile in(::memfd_create("gpx-input", MFD_CLOEXEC));
  OutputPipe output, errors;
  if (!in.is_open() || !fill(in, input) || !output.open() || !errors.open()) return std::nullopt;
  const auto pid = start(words, in, folder, output, errors);
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
