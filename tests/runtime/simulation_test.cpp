// Predictions by the simulation of a part of a launch: what they say of kernels whose bottleneck is
// known, and that a part of a grid stands for the whole.
#include "runtime/predict/simulation.h"

#include <doctest/doctest.h>

#include <cmath>

#include "runtime/predict/predictor.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

const Paths kLibrary{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};
const std::string kFolder = GPX_TESTS_DIR "/kernels/predict/";

PredictRequest on_h100(const std::string& file, const std::string& entry) {
  PredictRequest request;
  request.file = kFolder + file;
  request.entry = entry;
  request.device = "h100";
  return request;
}

PredictRequest transposition(const std::string& pad) {
  PredictRequest request = on_h100("transposition.cu", "transpose_shared");
  request.grid = {"16", "16"};
  request.block = {"32", "8"};
  request.defines = {"PAD=" + pad};
  request.arguments = {"n=512"};
  request.buffers = {"out=1MB:zero", "in=1MB:index"};
  return request;
}

/// Each of 1056 blocks copies its part of 64 MB.
PredictRequest copy() {
  PredictRequest request = on_h100("streaming.cu", "copy_quads");
  request.grid = {"1056"};
  request.block = {"256"};
  request.arguments = {"n=4194304"};
  request.buffers = {"out=64MB:zero", "in=64MB:zero"};
  return request;
}

Prediction simulated(const PredictRequest& request) {
  Session session(kLibrary);
  auto prediction = predict(session, request);
  if (!prediction) FAIL(render(prediction.error()));
  REQUIRE(prediction->simulation.has_value());
  return std::move(*prediction);
}

double counter(const Prediction& prediction, const std::string& name) {
  for (const Counter& each : prediction.simulation->counters)
    if (each.name == name) return each.value;
  FAIL(name);
  return 0;
}

/// Seconds with that change; 0: it was not simulated.
double changed(const Prediction& prediction, const std::string& change) {
  for (const ChangedTime& each : prediction.changes)
    if (each.change == change) return each.seconds;
  return 0;
}

double sum_of_stack(const Simulation& simulation) {
  double sum = 0;
  for (const StackPart& part : simulation.stack) sum += part.clocks;
  return sum;
}

}  // namespace

TEST_CASE("a transposition without padding is bound by bank conflicts, with padding it is not") {
  PredictRequest request = transposition("0");
  request.what_if = true;
  const Prediction without = simulated(request), with = simulated(transposition("1"));
  CHECK(without.predictor == "simulation");
  CHECK(without.bound.starts_with("bank conflicts of shared memory"));
  CHECK(with.bound.find("bank conflicts") == std::string::npos);
  CHECK(with.seconds < without.seconds);
  CHECK(counter(with, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") == 0);
  // 256 blocks of 8 warps, four reads of a column each: 31 further passes.
  CHECK(counter(without, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") == 256 * 8 * 4 * 31);
  CHECK(counter(without, "lts__t_sectors_srcunit_tex.sum") == 2 * 512 * 512 * 4 / 32);
  CHECK(counter(without, "dram__bytes.sum") == 0);  // L2 holds what the launch before left
  CHECK(sum_of_stack(*without.simulation) ==
        doctest::Approx(without.simulation->clocks + without.simulation->overhead));
  REQUIRE(without.simulation->lines.size() > 2);
  CHECK(without.simulation->lines.front().line == 16);  // the reads of columns
  CHECK(changed(without, "no bank conflicts") == doctest::Approx(with.seconds).epsilon(0.03));
  CHECK(changed(without, "512 threads a block") == 0);  // its threads share memory
  CHECK(without.notes.back().starts_with("what-ifs have no other block sizes: the grid"));
}

TEST_CASE("what crosses L2 is counted beside what SMs ask, and each turn of an atomic") {
  const Prediction copies = simulated(copy());
  const double asked = counter(copies, "lts__t_sectors_srcunit_tex.sum"),
               crossed = counter(copies, "lts__t_sectors_srcunit_ltcfabric.sum");
  CHECK(asked == doctest::Approx(2 * (64 << 20) / 32).epsilon(0.01));
  CHECK(crossed == doctest::Approx(asked / 2).epsilon(0.05));  // half of it is on the other side
  CHECK(counter(copies, "lts__t_sectors.sum") == doctest::Approx(asked + crossed));
  CHECK(counter(copies, "lts__t_bytes.sum") == doctest::Approx(32 * (asked + crossed)));
  PredictRequest sums = on_h100("atomics.cu", "count_few");
  sums.grid = {"264"};
  sums.block = {"256"};
  sums.arguments = {"words=1", "rounds=8"};
  sums.buffers = {"out=4B:zero"};
  // As ncu counts on an H200: 32 for each of 264 x 8 x 8 warps.
  CHECK(counter(simulated(sums), "lts__t_sectors_srcunit_tex.sum") == 540672);
}

TEST_CASE("a what-if of a block size is the prediction of a launch in such blocks") {
  PredictRequest request = on_h100("streaming.cu", "copy_words");
  request.grid = {"64"};
  request.block = {"256"};
  request.arguments = {"n=16000"};
  request.buffers = {"out=64KB:zero", "in=64KB:index"};
  request.what_if = true;
  const Prediction with = simulated(request);
  request.what_if = false;
  request.grid = {"128"};
  request.block = {"128"};
  CHECK(changed(with, "128 threads a block") == simulated(request).seconds);
  CHECK(changed(with, "64 threads a block") > with.seconds);  // more blocks to launch
  CHECK(changed(with, "256 threads a block") == 0);           // as it is
}

TEST_CASE("a what-if of shared memory is the prediction of one more block an SM") {
  PredictRequest request = transposition("0");
  request.shared_bytes = "200KB";  // one block
  request.what_if = true;
  const Prediction one = simulated(request);
  request.what_if = false;
  request.shared_bytes = "100KB";  // two
  CHECK(changed(one, "115712 B of shared memory a block") == simulated(request).seconds);
}

TEST_CASE("a what-if of registers lets one more block in") {
  PredictRequest request = on_h100("gemm.cu", "gemm_registers");
  request.grid = {"20", "27"};  // more blocks than fit at once
  request.block = {"256"};
  request.arguments = {"n=128"};  // products, not stores, take most of the time
  request.buffers = {"c=1MB:zero", "a=1MB:zero", "b=1MB:zero"};
  request.what_if = true;
  const Prediction four = simulated(request);
  CHECK(four.facts.occupancy.blocks == 4);
  // 65536 registers are enough for five blocks of 256 threads with 48, given out by eights.
  const double five = changed(four, "48 registers a thread, if none spills");
  CHECK(five > 0);
  CHECK(five < four.seconds);
}

TEST_CASE("a copy beyond L2 is bound by the bandwidth of DRAM, from a part of its blocks") {
  const Prediction large = simulated(copy());
  CHECK(large.bound.starts_with("the bandwidth of DRAM"));
  CHECK(large.simulation->blocks_run < large.simulation->blocks / 2);
  CHECK_FALSE(large.simulation->left_in_l2);
  CHECK(large.simulation->dram_use > 0.8);
  CHECK(counter(large, "dram__bytes.sum") == doctest::Approx(128 * 1024 * 1024.0).epsilon(0.05));
}

TEST_CASE("what a device is predicted by") {
  Session session(kLibrary);
  PredictRequest request = copy();
  request.device = "fx5600";  // no caches
  request.machine = {"Mem_LD=420", "Departure_del_uncoal=10", "Departure_del_coal=4",
                     "Issue_cycles=4", "Mem_Bandwidth=76.8e9"};
  auto old = predict(session, request);
  REQUIRE(old.has_value());
  CHECK(old->predictor == "mwp_cwp");
  CHECK_FALSE(old->simulation.has_value());
  request.device = "h100";
  request.model = "mwp_cwp";
  auto asked = predict(session, request);
  REQUIRE(asked.has_value());
  CHECK(asked->predictor == "mwp_cwp");
  request.model = "oracle";
  auto unknown = predict(session, request);
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().diagnostics.front().message ==
        "--model oracle: there are mwp_cwp and simulation");
}

TEST_CASE("the device of the library that stands for a real GPU is the one of its name") {
  DeviceInfo real;
  real.measured = true;
  real.name = "NVIDIA H100 80GB HBM3";
  CHECK(model_device(real, "cuda:0", "", kLibrary) == kLibrary.stdlib + "/devices/h100.lua");
  real.name = "NVIDIA H900";
  CHECK(model_device(real, "cuda:0", "", kLibrary) == "");
  CHECK(model_device(real, "cuda:0", "k20", kLibrary) == kLibrary.stdlib + "/devices/k20.lua");
  real.measured = false;
  CHECK(model_device(real, "my.lua", "", kLibrary) == "my.lua");
}
