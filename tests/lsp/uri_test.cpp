#include "runtime/lsp/uri.h"

#include <doctest/doctest.h>

using namespace gpx::lsp;

TEST_CASE("a path survives its way through a URI") {
  for (const char* path : {"/tmp/a.gpx", "/a b/é#?.gpx", "/100%/x", "/"})
    CHECK(path_of_uri(uri_of_path(path)) == path);
  CHECK(uri_of_path("/a b") == "file:///a%20b");
}

TEST_CASE("what is no file of this machine has no path") {
  CHECK(path_of_uri("untitled:Untitled-1") == "");
  CHECK(path_of_uri("file://server/share") == "");
  CHECK(path_of_uri("file:///a%00b") == "");
  CHECK(path_of_uri("") == "");
  CHECK(path_of_uri("file://localhost/a") == "/a");
  CHECK(path_of_uri("file:///a%2") == "/a%2");
}
