// Instructions that no GPU of a virtual device's compute capability has.
#include "runtime/measure/lacked.h"

#include <doctest/doctest.h>

#include "runtime/pipeline.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

/// What a run warns of that begins with "compute capability".
std::string lacked_by(const std::string& device, const std::string& text) {
  Session session(kPaths);
  RunOptions options;
  options.device = device;
  const auto run = session.run(Source(GPX_TESTS_DIR "/kernels/test.gpx", text), options);
  if (!run) FAIL(render(run.error()));
  for (const std::string& warning : run->experiments.front().warnings)
    if (warning.starts_with("compute capability")) return warning;
  return {};
}

}  // namespace

TEST_CASE("an instruction that no GPU of the device's generation has is a warning with its line") {
  CHECK(lacked_by("gtx280", "experiment e {\n  < fma.rn.f32 x64 chain >\n}") ==
        "compute capability: fma.rn.f32 needs 2.0 (line 2); gtx280 has 1.3, and no GPU like it "
        "takes the clocks that its model gives");
  CHECK(lacked_by("m2070", "threads 32 < fma.rn.f32 x64 chain >").empty());
  CHECK(lacked_by("gtx280", "threads 32 < mad.f32 x64 chain >").empty());
  CHECK(lacked_by("gtx280", "threads 32 < mad.wide.u32 x64 chain >").empty());
}

TEST_CASE("the text of a ptx statement, an access and an atomic may be lacked, too") {
  GPX_NEEDS_NVRTC();
  const std::string lop =
      lacked_by("m2070", "threads 32 < ptx \"lop3.b32 %d, %a, %b, %c, 0x96\" x16 chain a >");
  CHECK(lop.find("needs 5.0 (line 1); m2070 has 2.0") != std::string::npos);
  CHECK(lacked_by("m2070", "threads 32 < load unique(4B) cache nc >")
            .starts_with("compute capability: ld.global.nc.u32 needs 3.2 (line 1)"));
  CHECK(lacked_by("gtx280", "threads 32 < atom.add.f32 same x2 >").find("needs 2.0") !=
        std::string::npos);
  CHECK(lacked_by("h100", "threads 32 < load unique(4B) cache nc; lop3.b32 x8 >").empty());
}
