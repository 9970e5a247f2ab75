// Percent-encoding of paths (RFC 3986, RFC 8089). Interface: uri.h; covered by
// tests/lsp/uri_test.cpp.
#include "runtime/lsp/uri.h"

#include <fmt/format.h>

#include <cctype>

namespace gpx::lsp {
namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::string path_of_uri(std::string_view uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return {};
  uri.remove_prefix(scheme.size());
  if (uri.starts_with("localhost/")) uri.remove_prefix(9);
  if (!uri.starts_with('/')) return {};
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const bool coded =
        uri[i] == '%' && i + 2 < uri.size() && hex(uri[i + 1]) >= 0 && hex(uri[i + 2]) >= 0;
    const char c = coded ? static_cast<char>(hex(uri[i + 1]) * 16 + hex(uri[i + 2])) : uri[i];
    if (c == '\0') return {};
    path += c;
    if (coded) i += 2;
  }
  return path;
}

std::string uri_of_path(std::string_view path) {
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 &&
        (std::isalnum(byte) || std::string_view("/-._~").find(c) != std::string::npos))
      uri += c;
    else
      uri += fmt::format("%{:02X}", byte);
  }
  return uri;
}

}  // namespace gpx::lsp
