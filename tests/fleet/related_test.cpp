// Findings that boards move together: what one of them differs by beyond the others.
#include "runtime/fleet/related.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace gpx::fleet;

namespace {

/// A number of three runs of a board that differs by so much from its peers.
Test number(const char* name, const char* unit, double difference) {
  Test test;
  test.open = true;
  test.kind = &kind_of(name, unit);
  test.value = 100 * (1 + difference);
  test.difference = difference;
  test.board_variance = test.kind->board * test.kind->board;
  test.run_variance = test.kind->run * test.kind->run / 3;
  test.error = test.resolution = std::sqrt(2 * (test.board_variance + test.run_variance));
  test.freedom = test.resolution_freedom = test.kind->freedom;
  test.judged.chance = chance(difference / test.error, test.freedom);
  test.judged.standing = difference > 0 ? Standing::above : Standing::below;
  return test;
}

using Tests = std::vector<Test>;

/// Latencies of L2: from one SM by two operators, its far half, the mean over SMs.
Tests of_l2(double ca, double cg, double far, double mean) {
  return {number("global.ca.level2.latency", "clocks", ca),
          number("global.cg.level1.latency", "clocks", cg),
          number("global.cg.level2.latency", "clocks", far), number("l2.latency", "clocks", mean)};
}

/// The tests of the first board, among peers.
Tests tested(const Tests& board, const std::vector<Tests>& peers = {of_l2(0, 0, 0, 0)}) {
  std::map<std::size_t, Tests> boards = {{0, board}};
  for (const Tests& peer : peers) boards[boards.size()] = peer;
  for (auto& [number, tests] : boards)
    for (std::size_t at = 0; at < tests.size(); ++at) tests[at].column = at;
  test_related(boards);
  return boards[0];
}

std::vector<bool> clear(const Tests& board, const std::vector<Tests>& peers = {of_l2(0, 0, 0, 0)}) {
  std::vector<bool> out;
  for (const Test& test : tested(board, peers)) out.push_back(test.judged.chance < 1e-4);
  return out;
}

using Clear = std::vector<bool>;

}  // namespace

TEST_CASE("a latency that moves alone is clear, whichever it is, and the others are not") {
  CHECK(clear(of_l2(0.03, 0, 0, 0)) == Clear{true, false, false, false});
  CHECK(clear(of_l2(0, -0.03, 0, 0)) == Clear{false, true, false, false});
  CHECK(clear(of_l2(0, 0, 0.03, 0)) == Clear{false, false, true, false});
  CHECK(clear(of_l2(0, 0, 0, 0.03)) == Clear{false, false, false, true});
}

TEST_CASE("latencies that a board moves together are as likely as its scatter") {
  CHECK(clear(of_l2(0.02, 0.0201, 0.0055, 0.002)) == Clear(4, false));
  CHECK(clear(of_l2(-0.03, -0.0298, -0.008, -0.003)) == Clear(4, false));
}

TEST_CASE("of two that do not fit each other, the rest decides which one moved") {
  // SM 0 is 2 % nearer to L2, and one of its latencies is 3 % longer for another reason.
  CHECK(clear(of_l2(0.01, -0.02, -0.007, -0.002)) == Clear{true, false, false, false});
  CHECK(clear(of_l2(0.01, -0.02, 0.003, 0.001)) == Clear{false, true, false, false});
}

TEST_CASE("peers that lie at different places are no reason, nor is one that is odd itself") {
  const std::vector<Tests> peers = {of_l2(0.021, 0.02, 0.006, 0.002),
                                    of_l2(-0.01, -0.0105, -0.003, -0.001),
                                    of_l2(0.002, 0.0025, 0, 0), of_l2(0.03, 0, 0, 0)};
  CHECK(clear(of_l2(0.0102, 0.01, 0.003, 0.001), peers) == Clear(4, false));
  CHECK(clear(of_l2(-0.02, -0.0205, -0.006, -0.002), peers) == Clear(4, false));
  CHECK(clear(of_l2(0.01, 0.04, 0.003, 0.001), peers) == Clear{false, true, false, false});
}

TEST_CASE("a finding differs the way of its own part, with what was expected") {
  const Tests tests = tested(of_l2(0, 0.03, 0.009, 0.0033));
  CHECK(tests[0].judged.standing == Standing::below);
  CHECK(tests[0].expected == "related findings let expect +2.9 %");
  CHECK(tests[0].resolution < 0.2 * tests[0].error);
}

TEST_CASE("a finding alone, and kinds that share nothing, have no second test") {
  const auto some = [](double first) {
    return Tests{number("global.cg.level1.latency", "clocks", first),
                 number("miss.latency", "clocks", 0.01), number("global.latency", "clocks", 0)};
  };
  const Tests tests = tested(some(0.03), {some(0)});
  CHECK(tests[0].judged.chance == some(0.03)[0].judged.chance);
  for (const Test& test : tests) CHECK(test.expected.empty());
}
