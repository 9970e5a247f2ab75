// Unpacking the embedded library. Interface: codegen/files/embedded.h.
#include "codegen/files/embedded.h"

#include <zstd.h>

#include <charconv>
#include <map>

#include "codegen/files/files.h"
#include "lang/assert.h"

namespace gpx::embedded {
namespace {

struct Unpacked {
  std::string bytes;
  std::map<std::string, std::string_view, std::less<>> texts;
  std::vector<std::string> paths;

  Unpacked() : bytes(kUnpackedBytes, '\0') {
    const std::size_t got =
        ZSTD_decompress(bytes.data(), bytes.size(), kPacked.data(), kPacked.size());
    GPX_ASSERT(got == bytes.size(), "the build packed these bytes");
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const std::string_view name = field(rest), digits = field(rest);
      std::size_t size = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), size);
      paths.push_back(std::string(kEmbedded).append(name));
      texts.emplace(paths.back(), rest.substr(0, size));
      rest.remove_prefix(size);
    }
  }

  static std::string_view field(std::string_view& rest) {
    const std::size_t end = rest.find('\0');
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return word;
  }
};

const Unpacked& unpacked() {
  static const Unpacked all;
  return all;
}

}  // namespace

const std::vector<std::string>& paths() {
  return unpacked().paths;
}

std::optional<std::string_view> text(std::string_view path) {
  const auto found = unpacked().texts.find(path);
  return found == unpacked().texts.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace gpx::embedded
