// Files that are read whole. Covered by tests/runtime/analysis_test.cpp.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace gpx {

/// The bytes of a regular file; nothing where there is none, or it has more than `most`.
inline std::optional<std::string> file_text(const std::string& path,
                                            std::uintmax_t most = 16u << 20) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > most) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  return file ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace gpx
