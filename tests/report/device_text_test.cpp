// A device's facts and state in words.
#include <doctest/doctest.h>

#include <algorithm>

#include "runtime/report/report.h"

using namespace gpx;

TEST_CASE("a fact is written with its unit") {
  DeviceInfo device;
  device.l2_bytes = 1536 << 10;
  device.memory_clock_hz = 2.619e9;
  device.bank_widths = {4, 8};
  device.cooperative_launch = true;
  struct Row {
    const char* key;
    const char* text;
  };
  const Row rows[] = {{"kind", "virtual"},         {"warp_size", "32"},
                      {"l2_bytes", "1536 KB"},     {"memory_clock_hz", "2.619 GHz"},
                      {"bank_widths", "4 B, 8 B"}, {"cooperative_launch", "yes"},
                      {"cluster_launch", "no"}};
  const auto facts = reported_facts(device);
  for (const Row& row : rows) {
    CAPTURE(row.key);
    const auto found = std::ranges::find_if(
        facts, [&](const ReportedFact& reported) { return reported.fact->key == row.key; });
    REQUIRE(found != facts.end());
    CHECK(report::fact_text(*found) == row.text);
  }
}

TEST_CASE("a state is what is known of it") {
  Telemetry state;
  CHECK(report::state_text(state).empty());
  state.temperature_c = 61;
  CHECK(report::state_text(state) == "61 °C");
  state.sm_clock_mhz = 1980;
  state.memory_clock_mhz = 2619;
  CHECK(report::state_text(state) == "1980 MHz (SM), 2619 MHz (memory), 61 °C");
}

TEST_CASE("a device of no known architecture has a line of its own") {
  DeviceInfo device;
  device.name = "one";
  device.sm_count = 2;
  CHECK(report::device_line(device, {}) == " virtual GPU one: a model, not a measurement  2 SMs");
  device.measured = true;
  device.architecture = "gfx90a";
  device.driver = "6.1";
  CHECK(report::device_line(device, {}) == "one (gfx90a, 2 SMs, driver 6.1)");
}
