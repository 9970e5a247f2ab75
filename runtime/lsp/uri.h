// file: URIs and paths. Covered by tests/lsp/uri_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace gpx::lsp {

/// "" for a URI that names no file of this machine.
std::string path_of_uri(std::string_view uri);
/// `path` is absolute.
std::string uri_of_path(std::string_view path);

}  // namespace gpx::lsp
