#include "runtime/cli/output/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "codegen/files/files.h"
#include "codegen/files/packed.h"
#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/cli/output/library.h"

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

/// What a shell opened for gpx (`gpx run <(...)`). Any other pipe would be waited for.
bool is_stream(const std::string& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

Result<std::string> read_stream(const std::string& path, std::size_t most) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_failure(Fault::input, "cannot read", path, errno);
  Result<std::string> text = read_all(descriptor, path, most);
  ::close(descriptor);
  return text;
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

std::string folder_beside(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// A symbolic link is followed: its target is replaced, not the link.
std::string real_target(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::is_symlink(path, error) ? fs::canonical(path, error) : fs::path(path);
  return error ? path : target.string();
}

/// What a name that is no file may have meant: a file in its folder, an experiment that comes
/// along, a template. "" where nothing is near.
std::string near_experiment(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::vector<std::string> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, code))
    if (entry.path().extension() == ".gpx") files.push_back(entry.path().filename().string());
  const std::string name = fs::path(path).filename().string();
  const std::string file = name.ends_with(".gpx") ? name : name + ".gpx";
  const bool there = contains(files, file);
  if (const auto near = there ? file : nearest(file, files))
    return fmt::format("did you mean '{}'?", (folder / *near).string());
  if (path.find_first_of("/.") != std::string::npos) return {};
  if (const auto near = nearest(path, library_experiments()))
    return fmt::format("did you mean '{}'?", *near);
  std::vector<std::string> known;
  for (const Template& made : templates()) known.push_back(made.name);
  const bool exact = contains(known, path);
  if (const auto near = exact ? path : nearest(path, known))
    return fmt::format("'gpx new {}' writes an experiment of that name", *near);
  return {};
}

}  // namespace

Result<std::string> read_text(const std::string& path, std::size_t most) {
  if (path == "-") return read_all(STDIN_FILENO, "<stdin>", most);
  if (is_stream(path)) return read_stream(path, most);
  auto text = read_file_at(path, most);
  if (!text)
    return fail(Fault::input, fmt::format("cannot read '{}': {}", path, text.error().reason));
  return std::move(*text);
}

Result<Source> read_source(const std::string& path) {
  Result<std::string> text = read_text(path, kMostSourceBytes);
  if (!text) {
    Error error = std::move(text.error());
    const std::string stem = fs::path(path).stem().string();
    if (path.find('/') == std::string::npos && library_experiment(stem))
      error.diagnostics.front().hint = "the one that comes with gpx: gpx run " + stem;
    return tl::unexpected<Error>(std::move(error));
  }
  return Source(path == "-" ? "<stdin>" : path, std::move(*text));
}

Result<Source> read_experiment_file(const std::string& path) {
  if (auto known = library_experiment(path)) return std::move(*known);
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".cu")
    return fail(Fault::input, fmt::format("'{}' is CUDA, not an experiment", path),
                "gpx new kernel writes an experiment that runs a kernel from a file");
  if (ending == ".lua")
    return fail(Fault::input, fmt::format("'{}' is a script, not an experiment", path),
                fmt::format("gpx lua {} runs it", path));
  Result<Source> source = read_source(path);
  // What is there and cannot be read has no other name.
  std::error_code ignored;
  if (source || fs::exists(path, ignored)) return source;
  if (path.find('<') != std::string::npos && path.find('>') != std::string::npos)
    source.error().diagnostics.front().hint =
        "an experiment's text is read from standard input: echo 'TEXT' | gpx run -";
  else if (const std::string hint = near_experiment(path); !hint.empty())
    source.error().diagnostics.front().hint = hint;
  return source;
}

Result<Source> read_recordings_file(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  auto text = GPX_TRY(read_text(path, kMost));
  auto unpacked = unpacked_text(std::move(text), kMost);
  if (!unpacked)
    return fail(Fault::input, fmt::format("'{}' cannot be unpacked: it is damaged", path));
  return Source(path == "-" ? "<stdin>" : path, std::move(*unpacked));
}

Error no_experiment(const std::string& file) {
  return make_error(Fault::input, fmt::format("there is no experiment in '{}'", file),
                    "a line such as: sweep threads 32..64 step 32 < load unique(128B) >");
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      renames_(other.renames_),
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
    file.renames_ = true;
    file.descriptor_ =
        ::open(folder_beside(file.path_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (file.descriptor_ < 0) file.make_temporary();  // not every file system has such files
  }
  if (file.descriptor_ < 0) return system_failure(Fault::device, "cannot write", path, errno);
  return file;
}

void AtomicFile::make_temporary() {
  temporary_ = path_ + ".XXXXXX";
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) temporary_.clear();
}

// A file without a name gets one beside the path: a link cannot replace a file, a rename can.
bool AtomicFile::name_it() {
  const std::string unnamed = fmt::format("/proc/self/fd/{}", descriptor_);
  for (int i = 0; i < 1000; ++i) {
    temporary_ = fmt::format("{}.{}-{}", path_, ::getpid(), i);
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return true;
    if (errno != EEXIST) break;
  }
  temporary_.clear();
  return false;
}

Result<void> AtomicFile::commit(const std::string& text) {
  if (Result<void> written = write_all(descriptor_, text, path_); !written) return written;
  if (renames_ && ::fchmod(descriptor_, result_mode(path_)) != 0)
    return system_failure(Fault::device, "cannot write", path_, errno);
  // The rename must not reach the disk before the contents do.
  if (renames_ && ::fsync(descriptor_) != 0)
    return system_failure(Fault::device, "cannot write", path_, errno);
  if (renames_ && temporary_.empty() && !name_it()) {
    // Without /proc a file cannot be given a name: another one, which has one, takes the text.
    ::close(std::exchange(descriptor_, -1));
    make_temporary();
    if (descriptor_ < 0) return system_failure(Fault::device, "cannot write", path_, errno);
    return commit(text);
  }
  if (::close(std::exchange(descriptor_, -1)) != 0)
    return system_failure(Fault::device, "cannot write", path_, errno);
  if (renames_ && ::rename(temporary_.c_str(), path_.c_str()) != 0)
    return system_failure(Fault::device, "cannot write", path_, errno);
  temporary_.clear();
  return {};
}

Result<void> write_file(const std::string& path, const std::string& text) {
  auto file = GPX_TRY(AtomicFile::open(path));
  return file.commit(text);
}

Paths find_paths(const std::string& folder) {
  const fs::path here(folder), data = here.parent_path() / GPX_INSTALL_DATADIR;
  for (const fs::path& place : {here, data})
    if (!folder.empty() && is_folder((place / "stdlib").string()))
      return {(place / "stdlib").string(), (place / "experiments").string()};
  for (const char* tree : {GPX_SOURCE_TREE, GPX_BUILD_TREE})
    if ((folder + '/').starts_with(std::string(tree) + '/') && is_folder(GPX_SOURCE_TREE "/stdlib"))
      return {GPX_SOURCE_TREE "/stdlib", GPX_SOURCE_TREE "/experiments"};
  return {std::string(kEmbedded) + "stdlib", std::string(kEmbedded) + "experiments"};
}

Paths find_paths() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  Paths paths = find_paths(error ? std::string() : program.parent_path().string());
  const char* given = std::getenv("GPX_STDLIB");
  if (!given || !*given) return paths;
  paths.stdlib = given;
  const fs::path beside = fs::path(given).lexically_normal() / ".." / "experiments";
  if (is_folder(beside.string())) paths.experiments = beside.lexically_normal().string();
  return paths;
}

Paths session_paths(const std::string& program) {
  Paths paths = find_paths();
  paths.program = program;
  return paths;
}

std::string display_path(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error || !fs::path(path).is_absolute()) return path;
  const fs::path relative = fs::path(path).lexically_relative(here);
  return relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

}  // namespace gpx::cli
