// The one way from an experiment to what runs: what each caller asks of it.
#include "runtime/measure/prepare.h"

#include <doctest/doctest.h>

#include "lang/read.h"
#include "runtime/pipeline.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

/// An experiment on a device, prepared as asked.
struct Asked {
  Session session{kPaths};
  Source source;
  Experiment experiment;
  Result<Prepared> prepared;

  Asked(std::string text, const PrepareOptions& options, const char* device = "k20")
      : source(GPX_TESTS_DIR "/kernels/test.gpx", std::move(text)) {
    auto experiments = read_experiments(source);
    if (!experiments) FAIL(render(experiments.error()));
    experiment = experiments->front();
    auto backend = session.open(device);
    if (!backend) FAIL(render(backend.error()));
    prepared = prepare(experiment, source, **backend, kPaths, options);
  }
};

const char* kSweep = "sweep n in [1, 2], threads in [32, 64] < load unique(128B) x n >";
const char* kHeat =
    "experiment e { sweep t in [32, 64]; kernel heat from \"stencil.cu\" entry heat(out = "
    "buffer(64KB, zero), in = buffer(64KB), width = 128, height = 128, rate = 0.25); threads t; "
    "blocks 4; < run heat > }";

}  // namespace

TEST_CASE("every launch of a sweep has its kernel, every kernel its artifact and its proof") {
  const Asked asked(kSweep, {});
  REQUIRE(asked.prepared.has_value());
  const LoweredMeasure& measure = asked.prepared->measures.front();
  CHECK(measure.program.launches.size() == 4);
  CHECK(measure.program.kernels.size() == 2);
  CHECK(measure.artifacts.size() == 2);
  CHECK(measure.regions.size() == 2);
  CHECK(asked.prepared->proof() == "verified");
}

TEST_CASE("one point has the kernel that it has in the whole sweep, and no other") {
  const Asked all(kSweep, {}), one(kSweep, {.point = 3});
  REQUIRE(one.prepared.has_value());
  const LoweredMeasure& measure = one.prepared->measures.front();
  REQUIRE(measure.program.launches.size() == 1);
  CHECK(measure.program.launches.front().threads == 64);
  CHECK(measure.program.launches.front().kernel == 0);
  REQUIRE(measure.artifacts.size() == 1);
  CHECK(measure.artifacts.front().hash == all.prepared->measures.front().artifacts[1].hash);
}

TEST_CASE("a kernel from a file is described, unless nobody asks for it") {
  const Asked described(kHeat, {});
  REQUIRE(described.prepared.has_value());
  CHECK(described.prepared->proof() == "");
  REQUIRE(described.prepared->facts.front().size() == 2);
  CHECK(described.prepared->facts.front()[1].occupancy.warps_per_block == 2);
  CHECK(described.prepared->measures.front().facts.size() == 2);
  const Asked point(kHeat, {.point = 1, .facts = false});
  REQUIRE(point.prepared.has_value());
  CHECK(point.prepared->facts.empty());
  CHECK(point.prepared->measures.front().program.launches.front().threads == 64);
}

TEST_CASE("the device's limits hold, whoever asks; shared memory can be limited further") {
  const Asked wide("threads 1025 < load unique(128B) >", {});
  REQUIRE_FALSE(wide.prepared.has_value());
  CHECK(wide.prepared.error().diagnostics.front().location->column == 9);
  const char* chase =
      "experiment e { threads 1; array a : shared[16KB] chase(stride 64B); < load a x 64 chain > }";
  CHECK(Asked(chase, {}).prepared.has_value());
  CHECK_FALSE(Asked(chase, {.shared_per_block = 8 << 10}).prepared.has_value());
}
