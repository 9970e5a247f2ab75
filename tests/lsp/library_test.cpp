#include "runtime/lsp/library.h"

#include <algorithm>

#include "support.h"

using namespace gpx;
using namespace gpx::lsp;

TEST_CASE("the head of an analysis names its parameters and what it does") {
  const auto head = read_head("cache", "cache.lua",
                              "-- cache(space = \"global\", level = \"l1\",\n"
                              "--       first = 1): the caches of a space.\n--\n"
                              "-- More of it. Covered by tests/a.cpp.\n\nlocal x\n");
  CHECK(head.call == "cache(space = \"global\", level = \"l1\", first = 1)");
  CHECK(head.about == "the caches of a space.\n\nMore of it.");
  REQUIRE(head.parameters.size() == 3);
  CHECK(head.parameters[0].name == "space");
  CHECK(head.parameters[2].example == "1");
  CHECK(read_head("a", "a.lua", "-- a(): nothing.\n").parameters.empty());
  CHECK(read_head("a", "a.lua", "-- a(x = 1\n").call == "a()");
  CHECK(read_head("a", "a.lua", "").about == "");
}

TEST_CASE("every analysis and device of the standard library has something to say") {
  const Library library = load_library({GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"});
  REQUIRE(library.analyses.size() > 20);
  for (const LibraryAnalysis& one : library.analyses) {
    CAPTURE(one.name);
    CHECK(one.call.starts_with(one.name + "("));
    CHECK_FALSE(one.about.empty());
    CHECK(one.about.find("tests/") == std::string::npos);
  }
  REQUIRE(library.analysis("outstanding"));
  CHECK(library.analysis("outstanding")->parameters.size() == 3);
  REQUIRE(library.devices.size() > 5);
  for (const LibraryDevice& one : library.devices) {
    CAPTURE(one.name);
    CHECK(one.about.find("a model, not a measurement") != std::string::npos);
  }
}
