// Parts of texts: lang/words.h.
#include "lang/words.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace gpx;

std::vector<std::string> parts(std::string_view rest, char separator) {
  std::vector<std::string> all;
  while (!rest.empty()) all.emplace_back(take_until(rest, separator));
  return all;
}

TEST_CASE("take_until gives the parts between separators, the last one with or without its own") {
  CHECK(parts("a\nbc\n", '\n') == std::vector<std::string>{"a", "bc"});
  CHECK(parts("a\nbc", '\n') == std::vector<std::string>{"a", "bc"});
  CHECK(parts(",,a", ',') == std::vector<std::string>{"", "", "a"});
  CHECK(parts("", ',').empty());
}

TEST_CASE("read_number takes a text that is a number and nothing else") {
  std::uint8_t small = 0;
  CHECK(read_number("255", small));
  CHECK(small == 255);
  CHECK_FALSE(read_number("256", small));
  int number = 0;
  for (const char* text : {"", " 1", "1 ", "+1", "0x1", "1.5"})
    CHECK_FALSE(read_number(text, number));
  CHECK(read_number("-12", number));
  CHECK(number == -12);
  CHECK(read_number("ff", number, 16));
  CHECK(number == 255);
  double real = 0;
  CHECK(read_number("1.5e3", real));
  CHECK(real == 1500);
}

}  // namespace
