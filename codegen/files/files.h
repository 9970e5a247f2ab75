// Files and folders, read in one way by every room: regular files alone, whole, without waiting for
// a pipe, and up to a size. A path below `kEmbedded` names a part of the library that the program
// carries (embedded.h). Covered by tests/codegen/files_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace gpx {

/// Where the embedded stdlib/ and experiments/ lie: "embedded:/stdlib/devices/k20.lua".
inline constexpr std::string_view kEmbedded = "embedded:/";
bool is_embedded(std::string_view path);

constexpr std::uintmax_t kMostTextBytes = 16u << 20;

/// Why a file was not read. `number` is that of errno; 0: it is no regular file, or too large.
struct ReadFailure {
  int number = 0;
  std::string reason;  ///< "Too many open files", "a pipe, not a file".
  /// Nothing has that name. Anything else must not be mistaken for it.
  bool missing() const;
};

/// The bytes of a regular file of at most `most` bytes.
tl::expected<std::string, ReadFailure> read_file_at(const std::string& path,
                                                    std::uintmax_t most = kMostTextBytes);
/// The first `most` bytes of a regular file, or all of a smaller one.
tl::expected<std::string, ReadFailure> read_file_start(const std::string& path,
                                                       std::uintmax_t most);
/// As read_file_at(); nothing where it cannot be read, whatever the reason.
std::optional<std::string> file_text(const std::string& path, std::uintmax_t most = kMostTextBytes);

/// A regular file, or a link to one.
bool is_file(const std::string& path);
bool is_folder(const std::string& path);

/// The paths of a folder's regular files that end in `ending`, sorted; `below`: those of the
/// folders in it, too. An error: the folder cannot be read; one that is missing has no files.
tl::expected<std::vector<std::string>, ReadFailure> list_files(const std::string& folder,
                                                               std::string_view ending = {},
                                                               bool below = false);
/// The same; empty where the folder cannot be read.
std::vector<std::string> files_in(const std::string& folder, std::string_view ending = {});

}  // namespace gpx
