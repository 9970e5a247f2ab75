// Lists: lang/lists.h.
#include "lang/lists.h"

#include <doctest/doctest.h>

#include <array>
#include <map>

namespace {

using namespace gpx;

struct Named {
  std::string name;
  int number = 0;
};

TEST_CASE("contains looks at the elements or at a part of them") {
  const std::vector<Named> all = {{"a", 1}, {"b", 2}};
  CHECK(contains(all, "b", &Named::name));
  CHECK_FALSE(contains(all, 3, &Named::number));
  static constexpr std::array kNumbers = {1, 2};
  CHECK(contains(kNumbers, 2));
  CHECK(contains("text", "ex"));
  CHECK_FALSE(contains("text", "et"));
}

TEST_CASE("find_in and find_value point into what they search") {
  std::vector<Named> all = {{"a", 1}, {"a", 2}};
  CHECK(find_in(all, "a", &Named::name) == &all.front());
  CHECK(find_in(all, "c", &Named::name) == nullptr);
  std::map<std::string, int> numbers = {{"one", 1}};
  *find_value(numbers, "one") = 11;
  CHECK(numbers.at("one") == 11);
  CHECK(find_value(numbers, "two") == nullptr);
}

TEST_CASE("add_once appends an element once") {
  std::vector<std::string> all;
  CHECK(add_once(all, "a"));
  CHECK_FALSE(add_once(all, "a"));
  CHECK(all == std::vector<std::string>{"a"});
}

TEST_CASE("joined sets separators between texts") {
  const std::vector<std::string> words = {"a", "b", "c"};
  CHECK(joined(words, ", ") == "a, b, c");
  CHECK(joined(std::vector<std::string>{}, ", ").empty());
  CHECK(joined(std::vector<std::string>{"", "b", ""}, ",") == "b,");
  const auto text = [](const Named& one) { return one.name + std::to_string(one.number); };
  CHECK(joined(std::vector<Named>{{"x", 1}, {"y", 2}}, "+", text) == "x1+y2");
}

}  // namespace
