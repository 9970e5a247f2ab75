// The virtual H200 and a real one in the experiments that its mechanisms were found with
// (tests/gpu/mechanisms.gpx).
#include <doctest/doctest.h>

#include <map>

#include "runtime/twin/exam.h"
#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {

TEST_CASE("the virtual H200 does what a real one does at barriers, between blocks, and in queues") {
  GPX_NEEDS_NVRTC();
  const Source record = read_source(GPX_SOURCE_DIR "/docs/results/h200/mechanisms.csv");
  const auto measured =
      twin::run_from_csv(std::string(record.text()), "mechanisms.csv", "NVIDIA H200");
  REQUIRE(measured.has_value());
  Session session(source_paths());
  RunOptions options;
  options.device = "h200";
  const RunResult modelled =
      run(session, read_source(GPX_SOURCE_DIR "/tests/gpu/mechanisms.gpx"), options);
  // A third more than the mean errors of the day on which the mechanisms were built; of doubles,
  // on which banks of registers got to deliver while the next instruction issues; of reductions and
  // stores, on which warps got to start and to read special registers one after another.
  const std::map<std::string, double> most = {
      {"mech_reductions", 0.14},    {"mech_reduction_kinds", 0.12}, {"mech_remote_stride", 0.07},
      {"mech_remote_number", 0.06}, {"mech_barriers", 0.03},        {"mech_shared_order", 0.03},
      {"mech_doubles", 0.07},       {"mech_wide_stores", 0.17},     {"mech_many_warps", 0.04},
      {"mech_atomic_kinds", 0.21},  {"mech_remote_kinds", 0.10},    {"mech_stores", 0.28},
      {"mech_shared_stores", 0.06}, {"mech_shared_wide", 0.12}};
  for (const auto& family : twin::families_of(twin::compare(*measured, modelled))) {
    const twin::Errors errors = twin::errors_of(family);
    CAPTURE(family.front().family);
    CAPTURE(errors.worst.place);
    CHECK(errors.mean < most.at(family.front().family));
  }
}

}  // namespace gpx::test
