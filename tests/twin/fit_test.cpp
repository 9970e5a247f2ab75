// Fits: values that were planted come back, and lines of a draft are rewritten in place.
#include "runtime/twin/fit.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/twin/fit_table.h"
#include "runtime/twin/gather.h"
#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

namespace fs = std::filesystem;

/// A device in the form of a draft, with these lines in its section `barrier` and its store buffer.
std::string device_with(const std::string& barrier, const std::string& stores) {
  std::string ops;
  for (const char* unit : {"alu", "fp64", "sfu", "warp", "branch"})
    ops += fmt::format("    {} = {{ latency = \"4 clocks\", interval = \"0.5 clocks\" }},\n", unit);
  return fmt::format(
      R"(return {{
  name = "planted",
  clock = "1000 MHz",
  compute_capability = "9.0",
  memory = "1 GB",

  sm = {{
    count = 4, warp_slots = 64, block_slots = 32, max_threads_per_block = 1024, schedulers = 4,
    shared = "64 KB",
  }},

  op = {{
{}  }},

  coalescer = {{
    line = {{ "32 B", assumed = "planted" }},
  }},

  lsu = {{
    pipelines = 1, clocks_per_load = 1, clocks_per_lane = 0, writeback_per_lane = 0,
  }},

  dram = {{
    latency = {{ "400 clocks", assumed = "planted" }},
    departure = {{ "0.1 clocks", assumed = "planted" }},
  }},

  shared = {{
    latency = {{ "23 clocks", assumed = "planted" }},
  }},

  constant = {{
    latency = {{ "300 clocks", assumed = "planted" }},
  }},

  barrier = {{
    latency = {{ "14 clocks", assumed = "planted" }},
    per_warp = {{ "2 clocks", assumed = "planted" }},
{}  }},

  clock_register = {{
    cost = {{ "7 clocks", assumed = "planted" }},
  }},
{}}}
)",
      ops, barrier, stores);
}

std::string planted_file(const std::string& text) {
  const fs::path path = fs::temp_directory_path() / fmt::format("gpx-fit-{}.lua", ::getpid());
  std::ofstream(path) << text;
  return path.string();
}

/// What the experiments of a library's file measure on a device.
twin::Measured measured_on(const std::string& device, const std::string& experiment) {
  std::string text(read_source(GPX_SOURCE_DIR "/experiments/twin_training.gpx").text());
  const std::size_t begin = text.find("experiment " + experiment + " ");
  const std::size_t end = text.find("\n}\n", begin) + 3;
  Session session(source_paths());
  auto run = twin::run_each(session, device,
                            Source("twin_training.gpx", text.substr(begin, end - begin)), {});
  if (!run) FAIL(render(run.error()));
  return {std::move(*run), "2026-01-31"};
}

twin::Draft fitted(const std::string& text, const twin::Measured& measured,
                   std::vector<twin::FitGroup>& groups) {
  twin::Draft draft{text, "planted, 2026-01-31", {}, 0, 1};
  auto done = twin::fit(source_paths(), {measured}, draft, {});
  if (!done) FAIL(render(done.error()));
  groups = std::move(*done);
  return draft;
}

const char* const kNote = "assumed = \"planted\"";

}  // namespace

TEST_CASE("a fit finds the first barrier and the buffer of stores that were planted") {
  struct Row {
    const char *experiment, *group, *path;
    std::string barrier, stores, other_barrier, other_stores;
    double least, most;
  };
  const std::string buffer =
      "\n  store_buffer = {{\n    entries = {{ {}, {} }},\n    interval = {{ \"{} clocks\", {} "
      "}},\n  }},\n";
  const auto stores = [&](int entries, double interval) {
    return fmt::format(fmt::runtime(buffer), entries, kNote, interval, kNote);
  };
  const auto first = [](int clocks, int per_warp) {
    return fmt::format(
        "    first = {{ \"{} clocks\", {} }},\n    first_per_warp = {{ \"{} clocks\", {} }},\n",
        clocks, kNote, per_warp, kNote);
  };
  for (const Row& row :
       {Row{"train_barriers", "barriers", "barrier.first", first(6, 1), "", first(12, 3), "", 4, 8},
        Row{"train_stores", "stores", "store_buffer.interval", "", stores(48, 1.5), "",
            stores(48, 3), 1.4, 1.6},
        Row{"train_stores", "stores", "store_buffer.entries", "", stores(48, 1.5), "",
            stores(400, 1.5), 44, 52}}) {
    CAPTURE(row.path);
    const std::string device = planted_file(device_with(row.barrier, row.stores));
    const twin::Measured measured = measured_on(device, row.experiment);
    fs::remove(device);
    std::vector<twin::FitGroup> groups;
    const twin::Draft draft =
        fitted(device_with(row.other_barrier, row.other_stores), measured, groups);
    const auto at = std::ranges::find(groups, row.group, &twin::FitGroup::name);
    REQUIRE(at != groups.end());
    CHECK(at->points > 10);
    CHECK(at->after < at->before / 5);
    const auto value = twin::value_in(draft.text, row.path);
    REQUIRE(value);
    CHECK(twin::number_of(*value).value_or(0) >= row.least);
    CHECK(twin::number_of(*value).value_or(0) <= row.most);
    CHECK(twin::note_in(draft.text, row.path).value_or("").starts_with("source = \"fitted: "));
  }
}

TEST_CASE("a fit leaves a file alone that repeats what was measured, or was not measured") {
  const std::string text = device_with("", "");
  const std::string device = planted_file(text);
  const twin::Measured measured = measured_on(device, "train_barriers");
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

}  // namespace gpx::test
