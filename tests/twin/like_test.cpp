// A twin whose runs leave values open, and another GPU of the chip that has them.
#include <doctest/doctest.h>

#include "runtime/twin/fit_table.h"
#include "tests/twin/made.h"

namespace gpx::test {
namespace {

using From = vgpu::FileValue::From;

Finding exactly(const std::string& name, double value) {
  return finding(name, value, value, value);
}

/// What another GPU of the chip measured, as its file, with values that were fitted or planted.
struct Other {
  std::string text;
  twin::Measured run;

  explicit Other(std::vector<Finding> findings) : run(made_of(std::move(findings))) {
    for (ExperimentResult& each : run.run.experiments) each.device.name = "Another Kepler";
    text = drafted({run}).text;
  }
  Other& with(const std::string& path, const std::string& value, const std::string& note) {
    text = twin::with_value(text, path, value, "source = \"" + note + "; Another Kepler\"");
    return *this;
  }
  Other& assuming(const std::string& path, const std::string& value) {
    text = twin::with_value(text, path, value, "assumed = \"planted\"");
    return *this;
  }
  twin::Like like(bool runs) const {
    twin::Draft draft;
    draft.text = text;
    vgpu::FileContents file = file_of(draft);
    file.name = "other";
    return {file, runs ? std::vector{run} : std::vector<twin::Measured>{}};
  }
};

vgpu::FileContents joined(std::vector<Finding> own, const Other& other, bool runs = false) {
  return file_of(drafted({made_of(std::move(own))}, other.like(runs)));
}

bool has(const vgpu::FileContents& file, const std::string& path) {
  return std::ranges::find(file.values, path, &vgpu::FileValue::path) != file.values.end();
}

double of(const vgpu::FileContents& file, const std::string& path) {
  return value(file, path).number.value_or(-1);
}

}  // namespace

TEST_CASE("what the runs do not say is as on another GPU of the chip, and the source names it") {
  const Other other({exactly("shared.latency", 40), exactly("barrier.latency", 14),
                     exactly("mbarrier.arrive", 31), exactly("mbarrier.test_wait", 36),
                     exactly("op.popc.b32.latency", 17), exactly("op.popc.b32.throughput", 16)});
  const vgpu::FileContents file = joined({exactly("shared.latency", 48)}, other);
  CHECK(of(file, "shared.latency") == 48);
  CHECK(value(file, "shared.latency").why == "shared.latency 48 exactly; Some Kepler, 2026-01-31");
  CHECK(of(file, "barrier.latency") == 14);  // in place of what is assumed
  CHECK(value(file, "barrier.latency").from == From::source);
  CHECK(value(file, "barrier.latency").why ==
        "barrier.latency 14 exactly; Another Kepler, 2026-01-31; as on the other");
  CHECK(of(file, "mbarrier.test") == 36);  // a section that the runs do not have
  CHECK(of(file, "op.popc.b32.latency") == 17);
  CHECK(of(file, "op.popc.b32.interval") == 2);
  CHECK(value(file, "op.popc.b32.latency").why.ends_with("; as on the other"));
  // Of two assumptions the own one stays.
  CHECK(value(file, "constant.latency").why == "constants were not measured");
}

TEST_CASE("a finding that counts before the own one does so from another GPU, too") {
  const std::vector<Finding> own = {exactly("l1.latency", 30),
                                    exactly("global.ca.level1.reach", 20 << 10)};
  const Other other({exactly("l1.latency", 33), exactly("l1.capacity", 24 << 10)});
  const vgpu::FileContents file = joined(own, other);
  CHECK(of(file, "l1.capacity") == 24 << 10);
  CHECK(of(file, "l1.latency") == 30);
  const Other same({exactly("l1.latency", 33), exactly("global.ca.level1.reach", 24 << 10)});
  CHECK(of(joined(own, same), "l1.capacity") == 20 << 10);
}

TEST_CASE("of one finding the narrower interval counts where both agree") {
  const Other narrow({finding("shared.latency", 46, 45, 47)}),
      far({finding("shared.latency", 60, 59, 61)}), wide({finding("shared.latency", 46, 30, 62)});
  const std::vector<Finding> own = {finding("shared.latency", 48, 40, 56)};
  CHECK(of(joined(own, narrow), "shared.latency") == 46);
  CHECK(of(joined(own, far), "shared.latency") == 48);
  CHECK(of(joined(own, wide), "shared.latency") == 48);
}

TEST_CASE("an own finding differs from a fitted value as the other GPU's finding does") {
  const std::vector<Finding> of_other = {exactly("clock.overhead", 10), exactly("l1.latency", 30),
                                         exactly("l1.capacity", 64 << 10),
                                         exactly("rate.hit_words", 8)};
  Other other(of_other);
  other.with("clock_register.cost", "\"7 clocks\"", "fitted: 7 clocks")
      .with("l1.bandwidth", "64", "fitted: 64")
      .with("lsu.split", "\"3 clocks\"", "fitted: 3 clocks");
  const std::vector<Finding> own = {exactly("clock.overhead", 30), exactly("l1.latency", 30),
                                    exactly("l1.capacity", 64 << 10), exactly("rate.hit_words", 4)};
  const vgpu::FileContents file = joined(own, other, true);
  CHECK(of(file, "clock_register.cost") == 27);  // three less
  CHECK(value(file, "clock_register.cost").why ==
        "clock.overhead 30 exactly: what a chain takes besides, less the test of its result and a "
        "barrier, and -3 as a fit made of it on the other; Some Kepler, 2026-01-31");
  CHECK(of(file, "l1.bandwidth") == 128);  // half of 256 B/clock
  CHECK(of(file, "lsu.split") == 3);       // no finding gives it
  // Where the other's findings are not known the fitted value stands.
  const vgpu::FileContents without = joined(own, other);
  CHECK(of(without, "clock_register.cost") == 7);
  CHECK(of(without, "l1.bandwidth") == 64);
}

// Slices: 512e9 B/s at 706 MHz are 11 of 64 B a clock.
TEST_CASE("the memory is the GPU's own: what was measured stays, and channels count by slices") {
  const std::vector<Finding> memory = {finding("l2.latency", 200, 197, 203),
                                       exactly("bandwidth.l2", 512e9),
                                       exactly("global.cg.level3.latency", 500)};
  Other other({finding("l2.latency", 201, 200, 202), exactly("bandwidth.l2", 1024e9),
               exactly("global.cg.level3.latency", 510), exactly("bandwidth.dram_read", 100e9)});
  REQUIRE(of(other.like(false).file, "l2_slices.count") == 23);
  other.with("dram.row", "\"1 KB\"", "rate.row_near 1 s")
      .with("l2_slices.request", "\"3 clocks\"", "rate.random_loads 1 s")
      .with("dram.activate", "\"0.2 clocks\"", "rate.row_apart 1 s")
      .assuming("l2_slices.count", "22")
      .assuming("l2_slices.distances",
                "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11");
  const vgpu::FileContents file = joined(memory, other);
  CHECK(of(file, "l2.latency") == 200);
  CHECK(of(file, "dram.latency") == 500);
  CHECK(of(file, "l2_slices.count") == 11);
  CHECK(of(file, "l2_slices.request") == 1.5);
  CHECK(of(file, "dram.row") == 1024);
  CHECK(of(file, "dram.activate") == doctest::Approx(0.4));
  CHECK(value(file, "dram.activate").why ==
        "rate.row_apart 1 s; Another Kepler, times 2 by slices of L2; as on the other");
  CHECK_FALSE(has(file, "l2_slices.distances"));  // of 22 slices
}

TEST_CASE("a GPU of another compute capability is none of the same chip") {
  twin::Like like = Other({exactly("shared.latency", 40)}).like(false);
  for (vgpu::FileValue& each : like.file.values)
    if (each.path == "compute_capability") each.text = "9.0";
  const auto draft =
      twin::draft(source_paths(), {made_of({exactly("shared.latency", 48)})}, "made", like);
  REQUIRE_FALSE(draft);
  CHECK(draft.error().diagnostics.front().message ==
        "'other' is of compute capability 9.0, 'Some Kepler' of 3.5");
}

TEST_CASE("any half of the findings of a board and a device of its chip make a file that loads") {
  twin::Measured whole = record("characterize/h100_memory.json");
  const auto h200 = vgpu::read_device_file(device_file("h200"));
  REQUIRE(h200);
  for (unsigned half = 0; half < 6; ++half) {
    CAPTURE(half);
    twin::Measured some = whole;
    unsigned at = 0;
    for (ExperimentResult& experiment : some.run.experiments)
      std::erase_if(experiment.findings,
                    [&](const Finding&) { return (++at * 2654435761u >> (20 + half)) % 2 == 0; });
    const vgpu::FileContents file = file_of(drafted({some}, twin::Like{*h200, {}}));
    CHECK(value(file, "machine_code").text == "sm_90a");
    CHECK(of(file, "store_buffer.queue") == of(*h200, "store_buffer.queue"));
    CHECK(of(file, "atomics.request") == of(*h200, "atomics.request"));
  }
}

}  // namespace gpx::test
