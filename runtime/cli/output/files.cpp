#include "runtime/cli/output/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSourceBytes = 16u << 20;  ///< Spans count bytes in 32 bits.

tl::unexpected<Error> system_failure(Fault fault, const std::string& what, const std::string& path,
                                     int number) {
  return fail(fault, what + " '" + path + "': " + std::strerror(number));
}

Result<std::string> read_all(int descriptor, const std::string& name, std::size_t most) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_failure(Fault::input, "cannot read", name, errno);
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > most)
      return fail(Fault::input, "'" + name + "' is larger than " + std::to_string(most >> 20) +
                                    " MB: too large to be what it should be");
  }
}

Result<void> write_all(int descriptor, const std::string& text, const std::string& path) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = ::write(descriptor, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return system_failure(Fault::device, "cannot write", path, errno);
    done += static_cast<std::size_t>(put);
  }
  return {};
}

bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/// Permissions of a result: those of the file that it replaces, else what the umask leaves.
mode_t result_mode(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

/// A symbolic link is followed: its target is replaced, not the link.
std::string real_target(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::is_symlink(path, error) ? fs::canonical(path, error) : fs::path(path);
  return error ? path : target.string();
}

}  // namespace

Result<std::string> read_text(const std::string& path, std::size_t most) {
  if (path == "-") return read_all(STDIN_FILENO, "<stdin>", most);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_failure(Fault::input, "cannot read", path, errno);
  Result<std::string> text = read_all(descriptor, path, most);
  ::close(descriptor);
  return text;
}

namespace {

/// The path of an experiment that comes along, where that is all that `name` can mean.
std::string library_experiment(const std::string& name) {
  if (name.find('/') != std::string::npos) return {};
  std::error_code error;
  for (const std::string& file : {name, name + ".gpx"})
    if (const fs::path at = fs::path(find_paths().experiments) / file;
        fs::is_regular_file(at, error))
      return at.string();
  return {};
}

}  // namespace

Result<Source> read_source(const std::string& path) {
  Result<std::string> text = read_text(path, kMostSourceBytes);
  if (!text) {
    Error error = std::move(text.error());
    if (const std::string known = library_experiment(path); !known.empty())
      error.diagnostics.front().hint = fmt::format("the one that comes with gpx: {}", known);
    return tl::unexpected<Error>(std::move(error));
  }
  return Source(path == "-" ? "<stdin>" : path, std::move(*text));
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::open(const std::string& path) {
  AtomicFile file;
  file.path_ = real_target(path);
  std::error_code error;
  if (fs::is_directory(file.path_, error))
    return system_failure(Fault::device, "cannot write", path, EISDIR);
  if (is_special(file.path_)) {
    file.descriptor_ = ::open(file.path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    file.temporary_ = file.path_ + ".XXXXXX";
    file.descriptor_ = ::mkostemp(file.temporary_.data(), O_CLOEXEC);
    if (file.descriptor_ < 0) file.temporary_.clear();
  }
  if (file.descriptor_ < 0) return system_failure(Fault::device, "cannot write", path, errno);
  return file;
}

Result<void> AtomicFile::commit(const std::string& text) {
  if (Result<void> written = write_all(descriptor_, text, path_); !written) return written;
  const bool renames = !temporary_.empty();
  if (renames && ::fchmod(descriptor_, result_mode(path_)) != 0)
    return system_failure(Fault::device, "cannot write", path_, errno);
  // The rename must not reach the disk before the contents do.
  if (renames && ::fsync(descriptor_) != 0)
    return system_failure(Fault::device, "cannot write", path_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0)
    return system_failure(Fault::device, "cannot write", path_, errno);
  if (renames && ::rename(temporary_.c_str(), path_.c_str()) != 0)
    return system_failure(Fault::device, "cannot write", path_, errno);
  temporary_.clear();
  return {};
}

Result<void> write_file(const std::string& path, const std::string& text) {
  Result<AtomicFile> file = AtomicFile::open(path);
  if (!file) return tl::unexpected<Error>(file.error());
  return file->commit(text);
}

Paths find_paths() {
  std::error_code error;
  if (const char* stdlib = std::getenv("GPX_STDLIB"); stdlib && *stdlib) {
    const fs::path beside = fs::path(stdlib).lexically_normal() / ".." / "experiments";
    return {stdlib, fs::is_directory(beside, error) ? beside.lexically_normal().string()
                                                    : std::string(GPX_SOURCE_EXPERIMENTS)};
  }
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  const fs::path data = executable.parent_path().parent_path() / GPX_INSTALL_DATADIR;
  if (!error && fs::is_directory(data / "stdlib", error))
    return {(data / "stdlib").string(), (data / "experiments").string()};
  return {GPX_SOURCE_STDLIB, GPX_SOURCE_EXPERIMENTS};
}

std::string display_path(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error || !fs::path(path).is_absolute()) return path;
  const fs::path relative = fs::path(path).lexically_relative(here);
  return relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

}  // namespace gpx::cli
