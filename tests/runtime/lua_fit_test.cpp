// fit_line and stats.levels on curves whose parameters are known.
#include <doctest/doctest.h>

#include <random>

#include "runtime/analysis/lua/api.h"

namespace gpx {
namespace {

std::vector<std::string> printed(const std::string& code) {
  LuaSandbox sandbox{LuaBudget{}};
  const auto done = sandbox.protect([&](lua_State* state) {
    open_stats(state);
    open_fit(state);
    sandbox.load(state, "test.lua", code);
    lua_call(state, 0, 0);
  });
  if (!done) return {done.error().diagnostics.front().message};
  return sandbox.printed();
}

std::string list(const std::vector<double>& values) {
  std::string text = "{";
  for (const double value : values) text += std::to_string(value) + ",";
  return text + "}";
}

/// "first-last" of each level.
std::string stretches(const std::vector<double>& values, const std::string& rest) {
  const auto lines =
      printed("local t = {} for _, p in ipairs(stats.levels(" + list(values) + "," + rest +
              ")) do t[#t+1] = p.first .. '-' .. p.last end " + "print(table.concat(t, ' '))");
  return lines.empty() ? "" : lines.front();
}

TEST_CASE("an interval of a slope holds the true slope as often as it says") {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 3);
  int inside = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<double> x, y;
    for (int i = 1; i <= 6; ++i) {
      x.push_back(i);
      y.push_back(10 + 4 * i + noise(random));
    }
    const auto lines = printed("local l = fit_line(" + list(x) + "," + list(y) +
                               ", 0.9) print(l.slope_low <= 4 and 4 <= l.slope_high)");
    inside += lines == std::vector<std::string>{"true"};
  }
  // 360 are expected, with a standard deviation of 6; the seed is fixed.
  CHECK(inside > 336);
  CHECK(inside < 384);
}

TEST_CASE("levels: steps are found at their place, noise and single outliers make none") {
  struct Case {
    const char* what;
    std::vector<double> values;
    const char* rest;
    const char* found;
  };
  const std::vector<Case> cases = {
      {"flat", {5, 5, 5, 5, 5, 5}, "1", "1-6"},
      {"one step", {5, 5, 5, 9, 9, 9}, "2", "1-3 4-6"},
      {"a step that is too low", {5, 5, 5, 6, 6, 6}, "2", "1-6"},
      {"up and down", {5, 5, 9, 9, 5, 5}, "2", "1-2 3-4 5-6"},
      {"outliers, one of them the last", {5, 5, 5, 30, 5, 5, 5, 9, 9, 9, 9, 1}, "2", "1-7 8-12"},
      {"an outlier that may be a level", {5, 5, 5, 30, 5, 5, 5}, "2, 1", "1-3 4-4 5-7"},
      {"two values", {1, 9}, "2", "1-2"},
      {"two values that may as well be noise", {1, 9}, "2, 1", "1-2"}};
  for (const Case& one : cases)
    CHECK_MESSAGE(stretches(one.values, one.rest) == std::string(one.found), one.what);
}

TEST_CASE("levels in noise: three planted ones come back, white noise alone has one") {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 2);
  int wrong = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> flat, stepped;
    for (int i = 0; i < 90; ++i) {
      flat.push_back(300 + noise(random));
      stepped.push_back((i < 30 ? 300 : i < 60 ? 320 : 350) + noise(random));
    }
    wrong += stretches(flat, "0.1") != "1-90";
    wrong += stretches(stepped, "0.1") != "1-30 31-60 61-90";
  }
  CHECK(wrong == 0);
}

TEST_CASE("values that are large and close together lose nothing") {
  CHECK(stretches({1e9, 1e9, 1e9, 1e9 + 1, 1e9 + 1, 1e9 + 1}, "0.5") == "1-3 4-6");
}

TEST_CASE("wrong arguments are errors") {
  struct Case {
    const char* code;
    const char* error;
  };
  const std::vector<Case> cases = {
      {"stats.levels({1, 2}, 0)", "the smallest step that counts is more than 0"},
      {"stats.levels({1, 2}, 1, 0)", "a level has at least one value"},
      {"stats.levels({1}, 1)", "needs at least 2 numbers"},
      {"stats.median({1, 0/0})", "element 2 has no value (NaN)"},
      {"fit_line({1, 2}, {1, 2}, 0.9)", "an interval needs at least 3 points"},
      {"fit_line({1, 2, 3}, {1, 2, 3}, 1)", "a confidence lies between 0 and 1"}};
  for (const Case& one : cases)
    CHECK_MESSAGE(printed(one.code).at(0).find(one.error) != std::string::npos, one.code);
}

}  // namespace
}  // namespace gpx
