// What the driver reports, next to what was measured.
#include "runtime/reported.h"

#include <doctest/doctest.h>

using namespace gpx;

namespace {

std::string note_of(Finding finding, const DeviceInfo& device) {
  std::vector<Finding> findings = {std::move(finding)};
  note_reported(device, findings);
  return findings.front().note;
}

Finding finding_of(const std::string& name, double value, const std::string& unit,
                   std::optional<double> high = {}) {
  Finding finding;
  finding.name = name;
  finding.value = value;
  finding.unit = unit;
  finding.high = high;
  finding.verdict = Verdict::measured;
  finding.note = "measured so";
  return finding;
}

}  // namespace

TEST_CASE("half_of_l2: a capacity of 25 MB names the driver's 50 MB") {
  DeviceInfo device;
  const double mega = 1 << 20;
  const Finding half = finding_of("l2.capacity", 25 * mega, "B", 30 * mega);
  CHECK(note_of(half, device) == "measured so");  // The driver reports none.
  device.l2_bytes = 50 << 20;
  CHECK(note_of(half, device) ==
        "measured so; as seen from one SM, which may reach a part of L2 only by crossing; the "
        "driver reports 50 MB for the whole");
  CHECK(note_of(finding_of("l2.capacity", 48 * mega, "B"), device) == "measured so");
  CHECK(note_of(finding_of("l2.capacity", 25 * mega, "B", 51 * mega), device) == "measured so");
  CHECK(note_of(finding_of("tlb.l2.capacity", 25 * mega, "B"), device) == "measured so");
  Finding open = half;
  open.verdict = Verdict::inconclusive;
  CHECK(note_of(open, device) == "measured so");
}

TEST_CASE("whole_l2: the driver's size stands beside the whole alone, once that is measured") {
  DeviceInfo device;
  device.l2_bytes = 50 << 20;
  const double mega = 1 << 20;
  const Finding half = finding_of("l2.capacity", 25 * mega, "B", 30 * mega);
  Finding whole = finding_of("l2.whole_capacity", 49 * mega, "B", 52 * mega);
  CHECK(note_of(whole, device) == "measured so; the driver reports 50 MB");
  std::vector<Finding> both = {half, whole};
  note_reported(device, both);
  CHECK(both[0].note == "measured so");
  CHECK(both[1].note == "measured so; the driver reports 50 MB");
  whole.verdict = Verdict::inconclusive;
  both = {half, whole};
  note_reported(device, both);
  CHECK(both[0].note.ends_with("the driver reports 50 MB for the whole"));
  CHECK(both[1].note == "measured so");
}

TEST_CASE("percent_of_peak: rates of DRAM are a share of the reported peak") {
  DeviceInfo device;
  device.memory_bandwidth = 3352e9;
  for (const char* name :
       {"memory.bandwidth", "memory.bandwidth[measure=read]", "bandwidth.dram_copy"})
    CHECK(note_of(finding_of(name, 3018e9, "B/s"), device) ==
          "measured so; 90 % of the reported peak, 3352 GB/s");
  CHECK(note_of(finding_of("bandwidth.l2", 5e12, "B/s"), device) == "measured so");
  CHECK(note_of(finding_of("memory.bandwidth", 3, "B/clk"), device) == "measured so");
}

TEST_CASE("above_the_peak: a rate of DRAM that no memory has is inconclusive") {
  DeviceInfo device;
  device.memory_bandwidth = 3053e9;
  Finding copy = finding_of("bandwidth.dram_copy", 5353e9, "B/s", 5386e9);
  copy.low = 5320e9;
  copy.confidence = 0.99;
  std::vector<Finding> findings = {copy};
  note_reported(device, findings);
  CHECK(findings.front().verdict == Verdict::inconclusive);
  CHECK(!std::holds_alternative<double>(findings.front().value));
  CHECK(!findings.front().low);
  CHECK(findings.front().note ==
        "5353 GB/s would be 175 % of the reported peak, 3053 GB/s: caches served a part; move more "
        "than L2 holds. measured so");
  copy.low = 3000e9;  // The peak lies in the interval.
  CHECK(note_of(copy, device) == "measured so; 175 % of the reported peak, 3053 GB/s");
}
