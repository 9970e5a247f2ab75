// From findings to device files: records of real boards, made findings, and devices whose truth is
// planted.
#include "runtime/twin/draft.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "runtime/device_parameters.h"
#include "runtime/report/document.h"
#include "runtime/twin/exam.h"
#include "runtime/twin/gather.h"
#include "tests/experiments/support.h"
#include "tests/golden.h"
#include "tests/left_out.h"
#include "tests/twin/made.h"

namespace gpx::test {
namespace {

namespace fs = std::filesystem;
using From = vgpu::FileValue::From;

}  // namespace

TEST_CASE("the records of an H200 make a device file whose values are those of the findings") {
  const twin::Draft draft =
      drafted({record("characterize/h200_memory.json"), record("operations/h200.json"),
               record("h200/hopper_wgmma.json"), record("h200/hopper_bandwidth.json"),
               record("h200/hopper_mbarrier.json"), record("h200/hopper_cluster.json"),
               record("h200/hopper_dsmem.json"), record("h200/hopper_async.json")});
  const vgpu::FileContents file = file_of(draft);
  struct Expected {
    const char* path;
    double number;
  };
  // By hand from the records: docs/results/h200-memory.md, docs/results/hopper.md.
  for (const Expected& row : {Expected{"l1.capacity", 262144},
                              {"l1.ways", 4},
                              {"l2.capacity", 62914560},
                              {"tlb_l1.entries", 16},
                              {"tlb_l2.page", 33554432},
                              {"shared.banks", 32},
                              {"wgmma.column", 0.5},
                              {"wgmma.sums", 25},
                              {"wgmma.latency", 34},
                              {"wgmma.shared_latency", 10},
                              {"mbarrier.arrive", 31},
                              {"cluster.barrier", 58},
                              {"op.fma.f32.latency", 4},
                              {"op.shfl.sync.bfly.b32.latency", 26},
                              {"op.sass.mufu.latency", 17},
                              {"op.sass.wide.sum.latency", 9},
                              {"op.sass.match.any.64.latency", 435},
                              {"op.sass.memory.store.4.latency", 17},
                              {"op.sass.memory.sync.latency", 36},
                              {"op.sass.memory.sync.lane.latency", 24},
                              {"op.sass.branch.sync.latency", 13}}) {
    CAPTURE(row.path);
    CHECK(value(file, row.path).number.value_or(0) == doctest::Approx(row.number));
    CHECK(value(file, row.path).from == From::source);
    CHECK(value(file, row.path).why.find("NVIDIA H200") != std::string::npos);
  }
  CHECK(value(file, "l1.latency").number.value_or(0) == doctest::Approx(32.05).epsilon(0.001));
  CHECK(value(file, "l1.latency").why.find("(29.3214 to 34.7801)") != std::string::npos);
  // Near 282.7, half far 514.0, beyond 660.2: the other half takes 170 more, memory 575.
  CHECK(value(file, "dram.latency").number.value_or(0) == doctest::Approx(575.1).epsilon(0.001));
  // 1024 threads at 7.81 a clock, less the 58 clocks of one warp, over 31 warps.
  CHECK(value(file, "cluster.per_warp").number.value_or(0) == doctest::Approx(2.36).epsilon(0.01));
  CHECK(value(file, "machine_code").text == "sm_90a");
  CHECK(value(file, "l1.policy").text == "aged");
  CHECK(value(file, "l1.local").text == "through");  // A word of Lua as a field.
  CHECK(value(file, "l1.local").from == From::assumed);
  CHECK(value(file, "constant.pass").from == From::assumed);
  for (const vgpu::FileValue& each : file.values) {
    CAPTURE(each.path);
    CHECK(each.from != From::none);
    CHECK(each.why != "");
  }
}

TEST_CASE("what no finding gives is assumed with a reason, or listed as not known") {
  const twin::Draft draft = drafted({made_of({finding("shared.latency", 48, 47.5, 48.5)})});
  const vgpu::FileContents file = file_of(draft);
  CHECK(value(file, "shared.latency").from == From::source);
  CHECK(value(file, "shared.latency").why ==
        "shared.latency 48 (47.5 to 48.5); Some Kepler, 2026-01-31");
  CHECK(value(file, "barrier.latency").from == From::assumed);
  CHECK(value(file, "sm.schedulers").from == From::assumed);
  CHECK(value(file, "sm.schedulers").number == 4);
  const auto unknown = [&](const std::string& path) {
    return std::ranges::find(draft.unknown, path, &twin::Unknown::path) != draft.unknown.end();
  };
  for (const char* path : {"l1", "l2", "tlb_l1", "wgmma", "atomics"})
    CHECK_MESSAGE(unknown(path), path);
  CHECK_FALSE(unknown("shared"));
  CHECK(draft.text.find("--   l1: ") != std::string::npos);
  CHECK(draft.measured > 5);
  CHECK(draft.assumed > 5);
}

TEST_CASE("what was looked for in vain is not known, and the file says why") {
  Finding absent = finding("scoreboard.loads_per_warp", 0, 0, 0);
  absent.value = std::monostate{};
  absent.verdict = Verdict::not_observed;
  absent.note = "no jump";
  const twin::Draft draft = drafted({made_of({absent})});
  const auto at = std::ranges::find(draft.unknown, "scoreboard", &twin::Unknown::path);
  REQUIRE(at != draft.unknown.end());
  CHECK(at->why == "no warp waited for its own loads");
}

TEST_CASE("of findings of one name the last that was measured counts") {
  Finding vague = finding("shared.latency", 0, 0, 0);
  vague.value = std::monostate{};
  vague.verdict = Verdict::inconclusive;
  const vgpu::FileContents file =
      file_of(drafted({made_of({finding("shared.latency", 40, 40, 40)}),
                       made_of({finding("shared.latency", 44, 44, 44)}), made_of({vague})}));
  CHECK(value(file, "shared.latency").number == 44);
}

// 1,056 warps at 706 MHz: a turn of 2 clocks for four lanes of a word, of 5 for 32 lanes.
TEST_CASE("units of atomics and their turns follow from reductions of all warps") {
  const auto rate = [](const char* name, double clocks) {
    const double seconds = 1056 * clocks / 706e6;
    return finding(name, seconds, seconds, seconds);
  };
  std::vector<Finding> atomics = {finding("rate.own_line", 512, 510, 514),
                                  finding("rate.one_word", 640, 638, 642),
                                  rate("rate.unit_sector", 4 * 2),
                                  rate("rate.unit_real", 32 * 5),
                                  rate("rate.unit_word", 3),
                                  rate("rate.unit_apart_32", 3),
                                  rate("rate.unit_apart_64", 2.6),
                                  rate("rate.unit_apart_256", 1.5)};
  // Without slices the file has no units, and loads.
  const vgpu::FileContents without = file_of(drafted({made_of(atomics)}));
  CHECK(std::ranges::none_of(without.values, [](const vgpu::FileValue& one) {
    return one.path == "atomics.unit_bits" && one.from == From::source;
  }));
  atomics.push_back(finding("l2.latency", 200, 190, 210));
  atomics.push_back(finding("bandwidth.l2", 512e9, 510e9, 514e9));
  const vgpu::FileContents file = file_of(drafted({made_of(atomics)}));
  CHECK(value(file, "atomics.turn").number.value_or(0) == doctest::Approx(2));
  CHECK(value(file, "atomics.real").number.value_or(0) == doctest::Approx(5));
  CHECK(value(file, "atomics.unit_bits").text.find('8') != std::string::npos);
  CHECK(value(file, "atomics.unit_bits").text.find('6') == std::string::npos);
}

// At 706 MHz: a warp with 32 addresses, and 16 warps with a line of 64 B each.
TEST_CASE("what a load of constants costs follows from its addresses, its lines and its cycle") {
  const auto rate = [](const std::string& name, double clocks) {
    return finding(name, clocks / 706e6, clocks / 706e6, clocks / 706e6);
  };
  const auto of = [](const std::string& name, double value) {
    return finding(name, value, value, value);
  };
  std::vector<Finding> constants = {
      of("const.l1.latency", 20),         of("const.l2.latency", 90),
      of("rate.constant_same", 30),       of("rate.constant_lanes", 30 + 31 * 11),
      rate("rate.constant_line", 16 * 8), rate("rate.constant_line_of_all", 16 * 32)};
  for (const int bytes : {64, 128, 256, 512, 1024})
    constants.push_back(rate("rate.uniform_" + std::to_string(bytes), bytes <= 256 ? 90 : 150));
  const vgpu::FileContents file = file_of(drafted({made_of(constants)}));
  const auto number = [&](const char* path) { return value(file, path).number.value_or(0); };
  CHECK(number("constant.clocks_per_address") == doctest::Approx(11));
  CHECK(number("constant.uniform") == 256);
  CHECK(number("constant_l2.bandwidth_per_sm") == doctest::Approx(8));
  CHECK(number("constant_l2.bandwidth") ==
        doctest::Approx(2 * value(file, "sm.count").number.value_or(0)));
}

// 512 B a clock in whole rows; words of each 256 B and of each 1 KB, 1024 of them a step.
TEST_CASE(
    "rows of DRAM follow from words that lie apart, and whether parts of sectors are filled") {
  const auto of = [](const std::string& name, double value) {
    return finding(name, value, value, value);
  };
  const double clock = 706e6, sector = 32, departure = sector / 512;
  for (const double row : {256., 512., 1024.})
    for (const double activate : {0.02, 0.05})
      for (const bool filled : {false, true}) {
        CAPTURE(row);
        CAPTURE(activate);
        const double burst = departure - activate * sector / row;
        const auto step = [&](double bytes) {
          return 1024 * (burst + activate * std::min(1.0, bytes / row)) / clock;
        };
        const std::vector<Finding> memory = {
            of("l2.latency", 200),
            of("l2.line", 128),
            of("l2.sector", sector),
            of("bandwidth.dram_read", 512 * clock),
            of("bandwidth.dram_write", 512 * clock),
            of("rate.row_near", step(256)),
            of("rate.row_apart", step(1024)),
            of("rate.row_parts", (filled ? 2 : 1) * 8192 / (512 * clock))};
        const vgpu::FileContents file = file_of(drafted({made_of(memory)}));
        const auto number = [&](const char* path) { return value(file, path).number.value_or(0); };
        CHECK(number("dram.row") == row);
        CHECK(number("dram.activate") == doctest::Approx(activate));
        CHECK(std::ranges::any_of(file.values, [](const vgpu::FileValue& one) {
                return one.path == "l2.part_stores";
              }) == filled);
      }
}

// Whatever is missing, what is left makes a device: levels in order, sections with all they need.
TEST_CASE("any half of the findings of a board makes a device file that loads") {
  const std::vector<twin::Measured> whole = {
      record("characterize/h200_memory.json"), record("operations/h200.json"),
      record("h200/hopper_wgmma.json"),        record("h200/hopper_bandwidth.json"),
      record("h200/hopper_cluster.json"),      record("h200/hopper_tma.json")};
  for (unsigned half = 0; half < 6; ++half) {
    CAPTURE(half);
    std::vector<twin::Measured> some = whole;
    unsigned at = 0;
    for (twin::Measured& each : some)
      for (ExperimentResult& experiment : each.run.experiments)
        std::erase_if(experiment.findings,
                      [&](const Finding&) { return (++at * 2654435761u >> (20 + half)) % 2 == 0; });
    CHECK(file_of(drafted(some)).values.size() > 40);
  }
}

TEST_CASE("runs of two models make no twin, and no run makes none") {
  twin::Measured other = made_of({});
  other.run.experiments.front().device.name = "Another";
  const auto mixed = twin::draft(source_paths(), {made_of({}), other}, "made");
  REQUIRE_FALSE(mixed);
  CHECK(mixed.error().diagnostics.front().message ==
        "these are runs of 'Some Kepler' and of 'Another'");
  CHECK_FALSE(twin::draft(source_paths(), {}, "made"));
}

TEST_CASE("a pass of shared memory keeps the banks shortly and the part of one warp for longer") {
  std::vector<Finding> findings = {finding("shared.banks", 32, 32, 32),
                                   finding("shared.conflict", 2, 1.5, 2.5),
                                   finding("rate.shared_words", 8.08, 8, 8.2)};
  const auto pass = [&] {
    const vgpu::FileContents file = file_of(drafted({made_of(findings)}));
    CHECK(value(file, "shared.pass").number == 2);
    CHECK(value(file, "shared.busy").number.value_or(0) == doctest::Approx(1.01));
    const auto at = std::ranges::find(file.values, "shared.partition_pass", &vgpu::FileValue::path);
    return at == file.values.end() ? 0 : at->number.value_or(-1);
  };
  CHECK(pass() == 0);  // no parts are known
  findings.push_back(finding("rate.one_warp", 8, 7.9, 8.1));
  findings.push_back(finding("op.rsqrt.approx.f32.throughput", 16, 15.8, 16.1));
  CHECK(pass() == 2);
  // Loads of all warps scatter on an H200: a rate of stores is as good a bound.
  findings[2] = finding("rate.shared_stores", 8.08, 7, 9);
  CHECK(pass() == 2);
  findings[1] = finding("shared.conflict", 1, 1, 1);
  findings[2] = finding("rate.shared_words", 8, 8, 8.2);
  const vgpu::FileContents alike = file_of(drafted({made_of(findings)}));
  CHECK(std::ranges::find(alike.values, "shared.partition_pass", &vgpu::FileValue::path) ==
        alike.values.end());
}

TEST_CASE("a device is called as its file") {
  CHECK(twin::name_of_file("out/h100.lua") == "h100");
  CHECK(twin::name_of_file("my gpu.lua") == "my_gpu");
}

// A part of the whole: latencies, barriers and shared memory that are planted come back in the
// file.
TEST_CASE("a twin of a virtual device has what was planted") {
  GPX_NEEDS_NVRTC();
  Session session(source_paths());
  twin::GatherOptions options;
  options.device = "k20";
  options.only = {"barrier", "clock", "scoreboard", "shared_banks"};
  options.run.jobs = 1;
  const auto run = twin::gather(session, options);
  if (!run) FAIL(render(run.error()));
  const vgpu::FileContents file = file_of(drafted({{*run, "2026-01-31"}}));
  CHECK(value(file, "barrier.latency").number.value_or(0) == doctest::Approx(16).epsilon(0.02));
  CHECK(value(file, "clock_register.cost").number.value_or(0) == doctest::Approx(16).epsilon(0.02));
  CHECK(value(file, "scoreboard.loads_per_warp").number == 3);
  CHECK(value(file, "shared.latency").number.value_or(0) == doctest::Approx(48).epsilon(0.02));
  CHECK(value(file, "sm.count").number == 13);
}

// A round trip: what was planted comes back in times of experiments that took no part.
TEST_CASE("a twin of a planted device repeats experiments that it was not made of") {
  GPX_NEEDS_NVRTC();
  const fs::path folder = fs::temp_directory_path() / fmt::format("gpx-trip-{}", ::getpid());
  fs::create_directories(folder);
  const std::string planted = (folder / "planted.lua").string(),
                    twin = (folder / "twin.lua").string();
  std::ofstream(planted) << changed_description(
      "k20", {{"latency = { \"48 clocks\"", "latency = { \"61 clocks\""},
              {"latency = { \"16 clocks\"", "latency = { \"23 clocks\""},
              {"cost = { \"16 clocks\"", "cost = { \"11 clocks\""}});
  Session session(source_paths());
  twin::GatherOptions options;
  options.device = planted;
  options.only = {"barrier", "clock", "shared_banks"};
  options.run.jobs = 1;
  const auto run = twin::gather(session, options);
  if (!run) FAIL(render(run.error()));
  std::ofstream(twin) << drafted({{*run, "2026-01-31"}}).text;
  const Source exam("exam.gpx",
                    "experiment held_barriers \"Barriers\" {\n  sweep n in [6, 20, 80]\n"
                    "  threads 32\n  < bar.sync x n chain >\n}\n"
                    "experiment held_shared \"Shared memory\" {\n  sweep n in [40, 120, 360]\n"
                    "  threads 1\n  array a : shared[4KB] chase(stride 36B)\n"
                    "  < load a x n chain >\n}\n");
  const auto there = twin::run_each(session, planted, exam, options.run);
  const auto here = twin::run_each(session, twin, exam, options.run);
  const auto library = twin::run_each(session, "k20", exam, options.run);
  fs::remove_all(folder);
  REQUIRE((there && here && library));
  const twin::Errors errors = twin::errors_of(twin::compare(*there, *here).points);
  CHECK(errors.points == 6);
  CHECK(errors.mean < 0.03);
  // The device without what was planted is further off.
  CHECK(twin::errors_of(twin::compare(*there, *library).points).mean > 0.15);
}

TEST_CASE("an unknown part is an error with the nearest name") {
  struct Row {
    const char *name, *hint;
  };
  for (const Row& row : {Row{"barriers", "did you mean 'barrier'?"},
                         {"traning", "did you mean 'training'?"},
                         {"xyzzy",
                          "parts are characterize, rates, training, bandwidth, hopper, "
                          "operations; gpx characterize --list shows the groups"}}) {
    CAPTURE(row.name);
    Session session(source_paths());
    twin::GatherOptions options;
    options.device = "fig4";
    options.only = {row.name};
    const auto run = twin::gather(session, options);
    REQUIRE_FALSE(run);
    CHECK(run.error().diagnostics.front().hint == row.hint);
  }
}

// twin_rates.gpx and hopper_bandwidth.gpx count blocks of their own; a group's parameter of that
// name made the former read L2 with 4 blocks of an H200.
TEST_CASE("of an experiment of a twin a device gives the SMs and the largest block alone") {
  DeviceInfo device;
  device.measured = true;
  device.sm_count = 99;
  device.max_threads_per_block = 77;
  device.l2_bytes = 60 << 20;
  for (const char* name :
       {"twin_rates", "twin_training", "hopper_bandwidth", "hopper_async", "hopper_mbarrier",
        "hopper_cluster", "hopper_dsmem", "hopper_tma", "hopper_wgmma"}) {
    CAPTURE(name);
    const std::string path = GPX_SOURCE_DIR "/experiments/" + std::string(name) + ".gpx";
    std::string own = test::read_text(path);
    const auto given = with_facts(Source(path, own), device);
    REQUIRE(given);
    own = std::regex_replace(own, std::regex("\nparam sms = [0-9]+"), "\nparam sms = 99");
    own = std::regex_replace(own, std::regex("\nparam full = [0-9]+"), "\nparam full = 77");
    CHECK(given->text() == own);
  }
}

}  // namespace gpx::test
