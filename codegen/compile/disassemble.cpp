// Disassemble. Interface: codegen/compile/disassemble.h. Covered by
// tests/codegen/disassemble_test.cpp.
#include "codegen/compile/disassemble.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "codegen/ir/text.h"

extern char** environ;

namespace gpx::codegen {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::vector<std::string> folders_with_tools() {
  std::vector<std::string> folders;
  const std::string path = environment("PATH");
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) folders.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string home = environment(variable); !home.empty())
      folders.push_back(home + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  return folders;
}

// A file that exists only while the disassembler reads it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::uint8_t> bytes) {
    std::error_code code;
    const fs::path folder = fs::temp_directory_path(code);
    path_ = ((code ? fs::path("/tmp") : folder) / "gpx-XXXXXX.cubin").string();
    const int file = ::mkstemps(path_.data(), 6);
    if (file < 0) return;
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    ok_ = ::close(file) == 0 && written == static_cast<ssize_t>(bytes.size());
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool ok() const { return ok_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool ok_ = false;
};

struct Child {
  pid_t pid = -1;
  int output = -1;
};

// Starts a program without a shell; what it prints on both of its outputs comes through a pipe.
std::optional<Child> start(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  Child child;
  const int code = posix_spawn(&child.pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  child.output = ends[0];
  if (code == 0) return child;
  ::close(ends[0]);
  return std::nullopt;
}

// Reads until the program closes its outputs; false where it took too long.
bool read_all(int file, Clock::time_point deadline, std::string& text) {
  char chunk[65536];
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{file, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = ::read(file, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    text.append(chunk, static_cast<std::size_t>(got));
  }
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::optional<std::string> find_disassembler() {
  const auto runs = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
  if (const std::string given = environment("GPX_NVDISASM"); !given.empty())
    return runs(given) ? std::optional(given) : std::nullopt;
  for (const char* name : {"nvdisasm", "cuobjdump"})
    for (const std::string& folder : folders_with_tools())
      if (const std::string path = folder + "/" + name; runs(path)) return path;
  return std::nullopt;
}

Result<std::string> disassemble(std::span<const std::uint8_t> cubin, double seconds) {
  const auto program = find_disassembler();
  if (!program)
    return fail(Fault::device, "neither nvdisasm nor cuobjdump is installed",
                "they come with the CUDA toolkit; GPX_NVDISASM names one in another place");
  const TemporaryFile file(cubin);
  if (!file.ok())
    return fail(Fault::device,
                fmt::format("cannot write {}: {}", file.path(), std::strerror(errno)));
  const bool cuobjdump = fs::path(*program).filename().string().starts_with("cuobjdump");
  const auto child = start({*program, cuobjdump ? "-sass" : "-c", file.path()});
  if (!child) return fail(Fault::device, fmt::format("cannot start {}", *program));
  std::string text;
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const bool in_time = read_all(child->output, Clock::now() + limit, text);
  ::close(child->output);
  if (!in_time) ::kill(child->pid, SIGKILL);
  const int status = wait_for(child->pid);
  if (!in_time)
    return fail(Fault::device, fmt::format("{} took longer than {} s", *program, seconds));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return fail(Fault::device,
                fmt::format("{} failed: {}", *program, text.substr(0, text.find('\n'))));
  return text;
}

}  // namespace gpx::codegen
