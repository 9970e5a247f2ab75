#include "runtime/analysis/analysis_head.h"

#include <doctest/doctest.h>

using namespace gpx;

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
  CHECK_FALSE(head.takes_any);
  CHECK(read_head("a", "a.lua", "-- a(x = 1, ...): more.\n").takes_any);
  CHECK(read_head("a", "a.lua", "-- a(x = 1\n").call == "a()");
  CHECK(read_head("a", "a.lua", "").about == "");
  CHECK(read_head("a", "a.lua", "-- a(): more.\n").measures.empty());
}

TEST_CASE("the head of an analysis says which measures and arguments it needs") {
  const auto head = read_head("a", "a.lua",
                              "-- a(x = n): more.\n"
                              "-- Measures: latency, throughput.\n"
                              "-- Arguments that name measures: base.\n"
                              "-- Arguments that must be given: x.\n");
  CHECK(head.measures == std::vector<std::string>{"latency", "throughput"});
  CHECK(head.of_measures == std::vector<std::string>{"base"});
  CHECK(head.needed == std::vector<std::string>{"x"});
  CHECK(head.least.empty());
  const auto few = read_head("a", "a.lua",
                             "-- a(x = n): more.\n"
                             "-- Arguments that need 12 values: x, y.\n");
  REQUIRE(few.least.size() == 2);
  CHECK(few.least[1].name == "y");
  CHECK(few.least[1].values == 12);
}
