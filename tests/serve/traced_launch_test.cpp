#include "runtime/serve/traced_launch.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace gpx::serve;

namespace {

std::string event(std::string_view name, std::string_view unit, int at, int clocks, int sm = 0,
                  int slot = 0) {
  return fmt::format(
      "{{\"name\":\"{}\",\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":{}}},"
      "\n",
      name, unit, at, clocks, sm + 1, slot);
}

std::string launch(int number, int at, int clocks) {
  return fmt::format(
      "{{\"name\":\"launch {}\",\"cat\":\"launch\",\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":0,"
      "\"tid\":0}},\n",
      number, at, clocks);
}

/// A launch before, which no case shows, then what `events` has.
std::string trace_of(const std::string& events, int clocks) {
  return "[\n" + event("add", "alu", 5, 1, 3, 3) + launch(1, 0, 100) + events +
         launch(2, 101, clocks) + "]\n";
}

}  // namespace

TEST_CASE("traced_launch: the last launch, in its own clocks, with the timed region") {
  const auto shown = traced_launch(
      trace_of(event("mov", "clock", 111, 1) + event("ld", "load_store", 112, 1) +
                   event("scoreboard", "stall", 113, 30) + event("mov", "clock", 143, 1, 1, 2),
               200));
  CHECK(shown["launch"]["number"] == 2);
  CHECK(shown["launch"]["clocks"] == 200);
  CHECK(shown["timed"] == gpx::lsp::Json{10, 42});
  REQUIRE(shown["lanes"].size() == 2);
  CHECK(shown["lanes"][0]["sm"] == 0);
  CHECK(shown["lanes"][0]["events"].size() == 3);
  CHECK(shown["lanes"][0]["events"][1] == gpx::lsp::Json{"ld", "load_store", 11, 1});
  CHECK(shown["lanes"][1]["sm"] == 1);
  CHECK(shown["lanes"][1]["slot"] == 2);
  CHECK(shown["events_left_out"] == 0);
  CHECK(shown["lanes_left_out"] == 0);
}

TEST_CASE("traced_launch: a kernel without clock reads has no timed region") {
  const auto shown = traced_launch(trace_of(event("add", "alu", 101, 1), 50));
  CHECK(shown["timed"].is_null());
  CHECK(shown["lanes"].size() == 1);
}

TEST_CASE("traced_launch: what is too much is left out and counted, not the timed region") {
  std::string events;
  for (int slot = 0; slot < 20; ++slot) events += event("add", "alu", 101, 1, 0, slot);
  for (int i = 0; i < 9000; ++i) events += event("add", "alu", 102 + i, 1);
  events += event("mov", "clock", 9102, 1) + event("mul", "alu", 9103, 1) +
            event("mov", "clock", 9110, 1);
  const auto shown = traced_launch(trace_of(events, 10000));
  CHECK(shown["lanes"].size() == 16);
  CHECK(shown["lanes_left_out"] == 4);
  CHECK(shown["timed"] == gpx::lsp::Json{9001, 9009});
  std::size_t kept = 0;
  bool has_timed = false;
  for (const auto& lane : shown["lanes"]) {
    kept += lane["events"].size();
    for (const auto& one : lane["events"]) has_timed |= one[0] == "mul";
  }
  CHECK(has_timed);
  CHECK(kept <= 6000);
  CHECK(kept + shown["events_left_out"].get<std::size_t>() == 16 + 9000 + 3);
}

TEST_CASE("traced_launch: text that is no trace shows nothing") {
  for (const char* text :
       {"", "[]", "{\"cat\":\"launch\"", "\"cat\":\"launch\"\n{\"ph\":\"X\"},\n"}) {
    const auto shown = traced_launch(text);
    CHECK(shown["lanes"].empty());
    CHECK(shown["timed"].is_null());
  }
}
