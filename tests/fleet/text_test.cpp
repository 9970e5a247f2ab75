#include "runtime/fleet/text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "made_boards.h"

using namespace gpx;

namespace {

struct Compared {
  fleet::Fleet fleet;
  std::vector<fleet::Likeness> all;
};

Compared compared(const test::Planted& planted) {
  static const test::BoardModel model(GPX_SOURCE_DIR);
  test::BoardMaker maker(model, 5);
  fleet::Gathering gathering;
  maker.add(gathering, "GPU-0", 2, planted);
  for (const char* serial : {"GPU-1", "GPU-2"}) maker.add(gathering, serial, 2, {});
  Compared both;
  both.fleet = gathering.take();
  both.all = fleet::compare(both.fleet, {});
  return both;
}

}  // namespace

TEST_CASE("a comparison for people names the board, the finding and the cause") {
  const Compared both = compared({test::Plant::walks, 0.3, "", ""});
  const std::string text = fleet::to_terminal(both.fleet, both.all, {false, true, 120}, false);
  CHECK(text.find("GPU-0  differs from its peers") == 0);
  CHECK(text.find("tlb.miss.latency") != std::string::npos);
  CHECK(text.find("likely cause: page walks") != std::string::npos);
  CHECK(text.find("GPU-1  ") == text.rfind("GPU-1  "));
}

TEST_CASE("a comparison as JSON has every finding that is not the same") {
  const Compared both = compared({test::Plant::walks, 0.3, "", ""});
  const auto json = nlohmann::json::parse(fleet::to_json(both.fleet, both.all, {}));
  CHECK(json["schema"] == 1);
  const auto& board = json["boards"][0];
  CHECK(board["verdict"] == "differs from its peers");
  CHECK(board["causes"][0]["name"] == "page walks");
  CHECK(board["same"].get<std::size_t>() == both.all[0].count(fleet::Standing::same));
  CHECK(board["findings"].size() ==
        both.all[0].judged.size() - both.all[0].count(fleet::Standing::same));
}
