// docs/pictures/rooms.svg and the table of rooms in docs/architecture.md are those of the source.
#include "tests/house/picture.h"

#include <doctest/doctest.h>

#include "tests/golden.h"

namespace gpx::house {
namespace {

TEST_CASE("arrows that others imply are left out") {
  const Arrows all = {{1, {0}}, {2, {0, 1}}, {3, {0, 2}}, {4, {0}}};
  CHECK(reduced(all) == Arrows{{1, {0}}, {2, {1}}, {3, {2}}, {4, {0}}});
}

TEST_CASE("the picture has a box for each room and an arrow for each that is left") {
  const std::vector<Room> three = {{"low", ""}, {"middle", ""}, {"high", ""}};
  const std::string svg = draw_rooms(three, {{1, {0}}, {2, {0, 1}}});
  std::size_t arrows = 0;
  for (std::size_t at = 0; (at = svg.find("url(#end)", at)) != std::string::npos; ++at) ++arrows;
  CHECK(arrows == 2);
  for (const char* name : {">low<", ">middle<", ">high<"})
    CHECK(svg.find(name) != std::string::npos);
}

TEST_CASE("the picture of the rooms is drawn from the includes") {
  const auto all = rooms();
  test::check_golden(GPX_SOURCE_DIR "/docs/pictures/rooms.svg", draw_rooms(all, arrows(all)));
}

TEST_CASE("the table of rooms in docs/architecture.md is rooms.txt") {
  const std::string path = GPX_SOURCE_DIR "/docs/architecture.md";
  const std::string begin = "<!-- rooms -->\n", end = "<!-- end of rooms -->\n";
  std::string text = read(path), table = "| room | holds |\n|---|---|\n";
  for (const Room& room : rooms()) table += "| `" + room.path + "` | " + room.holds + " |\n";
  const std::size_t from = text.find(begin), to = text.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  test::check_golden(path, text.replace(from + begin.size(), to - from - begin.size(), table));
}

}  // namespace
}  // namespace gpx::house
