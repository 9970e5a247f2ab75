// Fits: values that were planted come back, and lines of a draft are rewritten in place.
#include "runtime/twin/fit.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "runtime/twin/fit_search.h"
#include "runtime/twin/fit_table.h"
#include "tests/twin/planted.h"

namespace gpx::test {
namespace {

namespace fs = std::filesystem;

twin::Draft fitted(const std::string& text, const twin::Measured& measured,
                   std::vector<twin::FitGroup>& groups, const twin::FitOptions& options = {}) {
  twin::Draft draft{text, "planted, 2026-01-31", {}, 0, 1, {}};
  auto done = twin::fit(source_paths(), {measured}, draft, options);
  if (!done) FAIL(render(done.error()));
  groups = std::move(*done);
  return draft;
}

/// The drafts of a search, each by itself.
template <typename One>
twin::FitSearch::Run each_by(const One& one) {
  return [one](const std::vector<twin::FitSearch::Values>& drafts) {
    std::vector<std::optional<twin::Residuals>> all;
    for (const twin::FitSearch::Values& values : drafts) all.push_back(one(values));
    return all;
  };
}

std::string store_buffer(int entries, double interval) {
  return fmt::format(
      "\n  store_buffer = {{\n    entries = {{ {}, {} }},\n    interval = {{ \"{} clocks\", {} "
      "}},\n  }},\n",
      entries, kPlantedNote, interval, kPlantedNote);
}

}  // namespace

TEST_CASE("a fit finds costs of clocks, stores, launches and places that were planted") {
  struct Range {
    const char* path;
    double least, most;
  };
  struct Row {
    std::vector<std::string> experiments;
    const char* group;
    std::array<int, 2> clocks;            // that are planted, and that a draft begins with
    std::array<std::string, 2> sections;  // the same
    std::vector<Range> found;
  };
  const auto launches = [&](int overhead, int refill) {
    return fmt::format(
        "\n  launch = {{\n    overhead = {{ \"{} clocks\", {} }},\n  }},\n"
        "\n  block_scheduler = {{\n    interval = \"2 clocks\",\n"
        "    refill = {{ \"{} clocks\", {} }},\n  }},\n",
        overhead, kPlantedNote, refill, kPlantedNote);
  };
  for (const Row& row :
       {Row{{"train_barriers"}, "barriers", {7, 12}, {"", ""}, {{"clock_register.cost", 6.9, 7.1}}},
        Row{{"train_stores"},
            "stores",
            {7, 7},
            {store_buffer(48, 1.5), store_buffer(100, 2.5)},
            {{"store_buffer.interval", 1.4, 1.6}, {"store_buffer.entries", 44, 52}}},
        Row{{"train_copies", "train_empty"},
            "launches",
            {7, 7},
            {launches(6400, 300), launches(5000, 500)},
            {{"launch.overhead", 6300, 6500}, {"block_scheduler.refill", 280, 320}}}}) {
    CAPTURE(row.group);
    const std::string device = planted_file(device_with(row.clocks[0], row.sections[0]));
    const twin::Measured measured = measured_on(device, row.experiments);
    fs::remove(device);
    std::vector<twin::FitGroup> groups;
    const twin::Draft draft = fitted(device_with(row.clocks[1], row.sections[1]), measured, groups);
    const auto at = std::ranges::find(groups, row.group, &twin::FitGroup::name);
    REQUIRE(at != groups.end());
    CHECK(at->points > 10);
    CHECK(at->after < at->before / 5);
    for (const Range& range : row.found) {
      CAPTURE(range.path);
      const auto value = twin::value_in(draft.text, range.path);
      REQUIRE(value);
      CHECK(twin::number_of(*value).value_or(0) >= range.least);
      CHECK(twin::number_of(*value).value_or(0) <= range.most);
      CHECK(twin::note_in(draft.text, range.path).value_or("").starts_with("source = \"fitted: "));
    }
  }
}

TEST_CASE("a fit goes on from a file of another, by groups, with the same result for any threads") {
  const std::string device = planted_file(device_with(7, store_buffer(48, 1.5)));
  const twin::Measured measured = measured_on(device, {"train_barriers", "train_stores"});
  fs::remove(device);
  const std::string first = device_with(12, store_buffer(100, 2.5));
  std::vector<twin::FitGroup> groups;
  twin::FitOptions options;
  options.threads = 1;
  const std::string whole = fitted(first, measured, groups, options).text;
  options.threads = 3;
  CHECK(fitted(first, measured, groups, options).text == whole);

  options.groups = {"barriers"};
  const std::string barriers = fitted(first, measured, groups, options).text;
  REQUIRE(groups.size() == 1);
  CHECK(groups.front().changed ==
        std::vector<std::string>{"clock_register.cost: 7 clocks, was 12 clocks"});
  CHECK(twin::value_in(barriers, "store_buffer.entries") == "100");

  // The rest from there is the whole, and from its own result nothing changes.
  options.start = barriers;
  options.groups = {"stores"};
  CHECK(fitted(first, measured, groups, options).text == whole);
  options.start = whole;
  options.groups = {};
  CHECK(fitted(first, measured, groups, options).text == whole);
  for (const twin::FitGroup& group : groups) CHECK(group.changed.empty());
}

TEST_CASE("a fit that is stopped keeps what it has, and says which groups it lacks") {
  const std::string device = planted_file(device_with(7, store_buffer(48, 1.5)));
  const twin::Measured measured = measured_on(device, {"train_barriers", "train_stores"});
  fs::remove(device);
  std::atomic<bool> stop = false;
  twin::FitOptions options;
  options.stop = &stop;
  options.on_group = [&](const twin::FitGroup&) { stop = true; };
  std::vector<twin::FitGroup> groups;
  const twin::Draft draft =
      fitted(device_with(12, store_buffer(100, 2.5)), measured, groups, options);
  CHECK(groups.size() == 1);
  CHECK(twin::value_in(draft.text, "clock_register.cost") == "\"7 clocks\"");
  CHECK(twin::value_in(draft.text, "store_buffer.entries") == "100");
  CHECK(std::ranges::any_of(draft.missing, [](const twin::Missing& one) {
    return one.finding == "fit of stores" && one.why == "stopped before its end";
  }));
}

TEST_CASE("groups that are none, and files that no fit made of this chip, are refused") {
  struct Row {
    std::vector<std::string> groups;
    std::string start;
    const char *message, *hint;
  };
  std::string other = device_with(7, "");
  other.replace(other.find("\"9.0\""), 5, "\"8.0\"");
  for (const Row& row :
       {Row{{"store"},
            "",
            "there is no group 'store' of a fit",
            "did you mean 'stores'? there are "
            "barriers, registers, "},
        Row{{"memory", "x"}, "", "there is no group 'x' of a fit", "there are barriers, "},
        Row{{}, other, "the file to start from is no twin of this compute capability", "it is one"},
        Row{{}, device_with(7, ""), "the file to start from has no fitted value", "gpx twin"}}) {
    CAPTURE(row.message);
    twin::Draft draft{device_with(7, ""), "planted", {}, 0, 1, {}};
    twin::FitOptions options;
    options.groups = row.groups;
    options.start = row.start;
    const auto done = twin::fit(source_paths(), {}, draft, options);
    REQUIRE_FALSE(done);
    CHECK(done.error().fault == Fault::input);
    CHECK(done.error().diagnostics.front().message == row.message);
    CHECK(done.error().diagnostics.front().hint.starts_with(row.hint));
  }
}

TEST_CASE("a fit leaves a file alone that repeats what was measured, or was not measured") {
  const std::string text = device_with(7, "");
  const std::string device = planted_file(text);
  const twin::Measured measured = measured_on(device, {"train_barriers"});
  fs::remove(device);
  std::vector<twin::FitGroup> groups;
  CHECK(fitted(text, measured, groups).text == text);
  REQUIRE_FALSE(groups.empty());
  CHECK(groups.front().runs == 1);
  CHECK(groups.front().after == 0);
  CHECK(fitted(text, {{}, ""}, groups).text == text);
  CHECK(groups.empty());
}

TEST_CASE("a value of a draft is replaced in its line, or added to its section, or with one") {
  const std::string text =
      "return {\n  name = \"a\",\n\n  l1 = {\n    latency = { \"30 clocks\", source = \"x\" },\n"
      "  },\n\n  lsu = {\n    latency = { \"1 clocks\", assumed = \"y\" },\n  },\n}\n-- Not "
      "known:\n";
  CHECK(twin::value_in(text, "lsu.latency") == "\"1 clocks\"");
  CHECK(twin::note_in(text, "lsu.latency") == "assumed = \"y\" },");
  CHECK(twin::value_in(text, "l1.miss") == std::nullopt);
  const std::string other = twin::with_value(text, "lsu.latency", "\"2 clocks\"", "source = \"z\"");
  CHECK(twin::value_in(other, "lsu.latency") == "\"2 clocks\"");
  CHECK(twin::value_in(other, "l1.latency") == "\"30 clocks\"");
  const std::string more = twin::with_value(other, "l1.miss", "3", "source = \"z\"");
  CHECK(twin::value_in(more, "l1.miss") == "3");
  CHECK(twin::value_in(twin::with_value(more, "atomics.turn", "4", "assumed = \"w\""),
                       "atomics.turn") == "4");
}

TEST_CASE("every field of the table of fits has a range, and steps or values to try") {
  const auto rows = twin::fit_rows(source_paths());
  if (!rows) FAIL(render(rows.error()));
  REQUIRE(rows->size() > 5);
  for (const twin::FitRow& row : *rows) {
    CAPTURE(row.name);
    CHECK_FALSE(row.runs.empty());
    for (const twin::FitField& field : row.fields) {
      CAPTURE(field.path);
      CHECK(field.path.find('.') != std::string::npos);
      CHECK((field.step > 0 || !field.tries.empty()));
      if (field.step > 0) CHECK((field.grain > 0 && field.most > field.least));
    }
  }
}

TEST_CASE("a search moves fields that depend on each other, and adds those that are absent") {
  const auto number = [](const std::string& text) { return twin::number_of(text).value_or(0); };
  // Two numbers whose sum and difference count, a third that is absent, and a word.
  const auto run = [&](const twin::FitSearch::Values& v) -> std::optional<twin::Residuals> {
    const double a = number(v[0]), b = number(v[1]), c = v[2].empty() ? 9 : number(v[2]);
    if (c > 40) return std::nullopt;
    const double word = v[3] == "\"right\"" ? 0 : 1;
    return twin::Residuals{0.1 * (a + b - 12), 0.02 * (a - b - 4),
                           0.1 * (a + b - 12) + 0.01 * (c - 3), 0.05 * word};
  };
  const auto field = [](const char* path, double step, std::vector<std::string> tries) {
    twin::FitField one{path, "clocks", std::move(tries), 0, 100, step, step / 8};
    return one;
  };
  twin::FitSearch search({field("x.a", 2, {}),
                          field("x.b", 2, {}),
                          field("x.c", 2, {"\"50 clocks\"", "\"6 clocks\""}),
                          {"x.word", "word", {"\"left\"", "\"right\""}},
                          field("x.none", 2, {"\"7 clocks\""})},
                         {"\"30 clocks\"", "\"1 clocks\"", "", "", ""}, each_by(run), nullptr);
  CHECK(search.first() > 0.5);
  search.search();
  CHECK(search.error() < 0.01);
  CHECK(number(search.values()[0]) == doctest::Approx(8).epsilon(0.05));
  CHECK(number(search.values()[1]) == doctest::Approx(4).epsilon(0.05));
  CHECK(number(search.values()[2]) == doctest::Approx(3).epsilon(0.2));
  CHECK(search.values()[3] == "\"right\"");
  CHECK(search.values()[4] == "");  // nothing depends on it
  CHECK(search.runs() < 100);
  bool matters = false;
  CHECK(search.end_of(2, 1, matters) > number(search.values()[2]));
  CHECK(matters);
}

// A draft has 1; 8 were planted, and each of 100 points or one of them depends on it.
TEST_CASE("a value differs from the draft's only where the points that depend on it say so") {
  struct Row {
    double each, of_one;  // by which a clock moves all points, and the first one
    const char* found;
  };
  for (const Row& row : {Row{0.0005, 0, "\"1 clocks\""}, Row{0.002, 0, "\"8 clocks\""},
                         Row{0, 0.002, "\"8 clocks\""}}) {
    const auto run = [&](const twin::FitSearch::Values& v) -> std::optional<twin::Residuals> {
      const double off = twin::number_of(v[0]).value_or(0) - 8;
      twin::Residuals all(100, row.each * off);
      all[0] += row.of_one * off;
      return all;
    };
    twin::FitSearch search({{"x.a", "clocks", {}, 0, 100, 4, 0.5}}, {"\"1 clocks\""}, each_by(run),
                           nullptr);
    search.first();
    search.search();
    CHECK(search.values()[0] == row.found);
  }
}

TEST_CASE("the least squares of columns that depend on each other stay finite") {
  const std::vector<double> x =
      twin::least_squares({{1, 0, 1}, {0, 2, 2}}, {-3, -4, -7}, {1, 1, 1}, 0);
  CHECK(x[0] == doctest::Approx(3));
  CHECK(x[1] == doctest::Approx(2));
  const std::vector<double> same = twin::least_squares({{1, 1}, {1, 1}}, {-2, -2}, {1, 1}, 1e-3);
  CHECK(same[0] + same[1] == doctest::Approx(2).epsilon(0.01));
}

TEST_CASE("the interval of a note, and numbers with units of bytes") {
  const auto interval =
      twin::interval_in("source = \"inst.l1.capacity 22528 B (22528 to 38912): sets\"");
  REQUIRE(interval);
  CHECK(interval->first == 22528);
  CHECK(interval->second == 38912);
  CHECK_FALSE(twin::interval_in("source = \"l1.line 128 B exactly\""));
  CHECK_FALSE(twin::interval_in("assumed = \"as (most to all)\""));
  CHECK(twin::number_of("\"22 KB\"") == 22528);
  CHECK(twin::number_of("\"3.5 clocks\"") == 3.5);
}

}  // namespace gpx::test
