#include "runtime/cli/output/filter.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

extern char** environ;

namespace gpx::cli {
namespace {

constexpr int kMostSeconds = 60;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 65536> buffer;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;)
    text.append(buffer.data(), got);
  return text;
}

/// A nameless file that holds `text`, at its beginning.
File with_text(const std::string& text) {
  File file(std::tmpfile());
  if (!file) return file;
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    return {};
  ::lseek(fileno(file.get()), 0, SEEK_SET);
  return file;
}

/// 0 or an errno. Files instead of pipes: neither side can wait for the other.
int start(const std::string& program, const std::array<std::FILE*, 3>& files, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i)
    posix_spawn_file_actions_adddup2(&actions, fileno(files[static_cast<std::size_t>(i)]), i);
  std::string name = program;
  std::array<char*, 2> arguments = {name.data(), nullptr};
  const int failed =
      posix_spawnp(&process, name.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

/// Its status as of waitpid; nullopt where it was killed for taking too long.
std::optional<int> ended(pid_t process) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(kMostSeconds);
  int status = 0;
  while (Clock::now() < deadline) {
    const pid_t got = ::waitpid(process, &status, WNOHANG);
    if (got == process) return status;
    if (got < 0 && errno != EINTR) return std::nullopt;
    ::poll(nullptr, 0, 5);
  }
  ::kill(process, SIGKILL);
  ::waitpid(process, &status, 0);
  return std::nullopt;
}

std::string first_line(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return "no message";
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

}  // namespace

Result<std::string> filter(const std::string& program, const std::string& package,
                           const std::string& input) {
  const File in = with_text(input), out(std::tmpfile()), err(std::tmpfile());
  if (!in || !out || !err)
    return fail(Fault::device,
                fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
  pid_t process = 0;
  if (const int failed = start(program, {in.get(), out.get(), err.get()}, process)) {
    if (failed == ENOENT)
      return fail(Fault::device, fmt::format("{} is not installed", program),
                  fmt::format("apt-get install {}", package));
    return fail(Fault::device, fmt::format("cannot start {}: {}", program, std::strerror(failed)));
  }
  const std::optional<int> status = ended(process);
  if (!status)
    return fail(Fault::device, fmt::format("{} did not end within {} s", program, kMostSeconds));
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0)
    return fail(Fault::device,
                fmt::format("{} failed: {}", program, first_line(contents(err.get()))));
  return contents(out.get());
}

}  // namespace gpx::cli
