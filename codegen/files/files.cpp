// Reading files. Interface: codegen/files/files.h.
#include "codegen/files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "codegen/files/embedded.h"

namespace gpx {
namespace {

namespace fs = std::filesystem;

tl::unexpected<ReadFailure> system_error(int number) {
  return tl::unexpected(ReadFailure{number, std::strerror(number)});
}

ReadFailure no_file(mode_t mode) {
  if (S_ISDIR(mode)) return {EISDIR, std::strerror(EISDIR)};
  if (S_ISFIFO(mode)) return {0, "it is a pipe, not a file"};
  if (S_ISSOCK(mode)) return {0, "it is a socket, not a file"};
  return {0, "it is a device, not a file"};
}

ReadFailure too_large(std::uintmax_t most) {
  const bool whole = most % (1 << 20) == 0;
  return {0, fmt::format("it is larger than {} {}", whole ? most >> 20 : most, whole ? "MB" : "B")};
}

/// Closes what it holds.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

/// At most `most` bytes of an open file that was `size` bytes long: it may have grown since.
tl::expected<std::string, ReadFailure> read_open(int file, std::uintmax_t size,
                                                 std::uintmax_t most) {
  std::string text(static_cast<std::size_t>(std::min(size, most)) + 1, '\0');
  std::size_t done = 0;
  while (done < most) {
    if (done == text.size()) text.resize(2 * text.size());
    const std::size_t rest = std::min<std::uintmax_t>(text.size(), most) - done;
    const ssize_t got = ::read(file, text.data() + done, rest);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

tl::expected<std::string, ReadFailure> read_from(const std::string& path, std::uintmax_t most,
                                                 bool whole) {
  if (is_embedded(path)) {
    const auto text = embedded::text(path);
    if (!text) return system_error(ENOENT);
    return std::string(*text);
  }
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (file.number < 0) return system_error(errno);
  struct stat status {};
  if (::fstat(file.number, &status) != 0) return system_error(errno);
  if (!S_ISREG(status.st_mode)) return tl::unexpected(no_file(status.st_mode));
  const auto size = static_cast<std::uintmax_t>(status.st_size);
  if (whole && size > most) return tl::unexpected(too_large(most));
  auto text = read_open(file.number, size, whole ? most + 1 : most);
  if (text && text->size() > most) return tl::unexpected(too_large(most));
  return text;
}

tl::expected<std::vector<std::string>, ReadFailure> list_embedded(const std::string& folder,
                                                                  std::string_view ending,
                                                                  bool below) {
  std::vector<std::string> found;
  const std::string begin = folder.ends_with('/') ? folder : folder + "/";
  for (const std::string& path : embedded::paths()) {
    if (!path.starts_with(begin) || !path.ends_with(ending)) continue;
    if (below || path.find('/', begin.size()) == std::string::npos) found.push_back(path);
  }
  return found;
}

}  // namespace

bool is_embedded(std::string_view path) {
  return path.starts_with(kEmbedded);
}

bool ReadFailure::missing() const {
  return number == ENOENT || number == ENOTDIR;
}

tl::expected<std::string, ReadFailure> read_file_at(const std::string& path, std::uintmax_t most) {
  return read_from(path, most, true);
}

tl::expected<std::string, ReadFailure> read_file_start(const std::string& path,
                                                       std::uintmax_t most) {
  return read_from(path, most, false);
}

std::optional<std::string> file_text(const std::string& path, std::uintmax_t most) {
  auto text = read_file_at(path, most);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

bool is_file(const std::string& path) {
  if (is_embedded(path)) return embedded::text(path).has_value();
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const std::string& path) {
  if (is_embedded(path)) return !list_embedded(path, {}, true)->empty();
  std::error_code error;
  return fs::is_directory(path, error);
}

tl::expected<std::vector<std::string>, ReadFailure> list_files(const std::string& folder,
                                                               std::string_view ending,
                                                               bool below) {
  if (is_embedded(folder)) return list_embedded(folder, ending, below);
  std::vector<std::string> found;
  std::error_code error, ignored;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (!below) at.disable_recursion_pending();
    if (at->path().native().ends_with(ending) && at->is_regular_file(ignored))
      found.push_back(at->path().string());
  }
  if (error && error.value() != ENOENT && error.value() != ENOTDIR)
    return system_error(error.value());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> files_in(const std::string& folder, std::string_view ending) {
  return list_files(folder, ending).value_or(std::vector<std::string>{});
}

}  // namespace gpx
