// The GT200's experiments on GPUs that are built otherwise: each mechanism is changed in the
// device's description, and the experiment that looks for it must notice.
#include <fmt/format.h>

#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

TEST_CASE("other pipelines come back with their latency and throughput") {
  struct Pipes {
    int sp, sp_interval, sfu, sfu_interval, dpu, dpu_interval;
  };
  for (const Pipes& pipes : {Pipes{11, 2, 37, 8, 60, 16}, Pipes{30, 5, 22, 13, 90, 40}}) {
    const auto unit = [](int latency, int interval) {
      return fmt::format("latency = \"{} clocks\", interval = \"{} clocks\"", latency, interval);
    };
    const PlantedDevice device(
        "gtx280", {{"alu    = { latency = \"24 clocks\", interval = \"4 clocks\"",
                    "alu    = { " + unit(pipes.sp, pipes.sp_interval)},
                   {"[\"rsqrt.approx.f32\"] = { latency = \"28 clocks\", interval = at(2.0)",
                    "[\"rsqrt.approx.f32\"] = { " + unit(pipes.sfu, pipes.sfu_interval)},
                   {"fp64   = { latency = \"48 clocks\", interval = \"32 clocks\"",
                    "fp64   = { " + unit(pipes.dpu, pipes.dpu_interval)}});
    const ExperimentResult result = device.first("gt200_pipelines");
    CHECK(holds(get(result, "pipe.sp.latency"), pipes.sp));
    CHECK(holds(get(result, "pipe.sfu.latency"), pipes.sfu));
    CHECK(holds(get(result, "pipe.dpu.latency"), pipes.dpu));
    CHECK(holds(get(result, "pipe.sp.issue"), pipes.sp_interval));
    CHECK(holds(get(result, "pipe.sfu.issue"), pipes.sfu_interval));
    CHECK(holds(get(result, "pipe.dpu.issue"), pipes.dpu_interval));
  }
}

TEST_CASE("a clock of each SM, of the whole GPU, slower and coarser") {
  const std::string cost = "cost = \"28 clocks\"", step = "granularity = \"2 clocks\"";
  const PlantedDevice sm("gtx280", {{"domain = \"tpc\"", "domain = \"sm\""},
                                    {cost, "cost = \"40 clocks\""},
                                    {step, "granularity = \"4 clocks\""}});
  const ExperimentResult one = sm.first("gt200_clock");
  CHECK(text(get(one, "clock.domain")) == "SM");
  CHECK(number(get(one, "clock.sms_per_domain")) == 1);
  CHECK(holds(get(one, "clock.overhead"), 40));
  CHECK(number(get(one, "clock.granularity")) == 4);
  const PlantedDevice gpu(
      "gtx280", {{"domain = \"tpc\"", "domain = \"gpu\""}, {step, "granularity = \"1 clocks\""}});
  const ExperimentResult all = gpu.first("gt200_clock");
  CHECK(text(get(all, "clock.domain")) == "GPU");
  CHECK(number(get(all, "clock.sms_per_domain")) == 30);
}

TEST_CASE("independent threads complete where a stack deadlocks, and a barrier waits for them") {
  const PlantedDevice device("gtx280", {{"model = { \"stack\",", "model = { \"independent\","}});
  const ExperimentResult listings = device.first("gt200_listings");
  CHECK(text(get(listings, "simt.listing4")) == "completed");
  CHECK(text(get(listings, "barrier.granularity")) == "thread");
  CHECK(text(get(listings, "barrier.listing7")) == "1-2-3 4");
  // Waiting at a barrier for a warp that spins is a deadlock in any model.
  CHECK(text(get(listings, "barrier.listing6")) == "deadlock");
}

TEST_CASE("another register file and another barrier") {
  const PlantedDevice device("gtx280", {{"per_sm = 16384", "per_sm = 24576"},
                                        {"\n    thread_quantum = 64", "\n    thread_quantum = 96"},
                                        {"barrier = { latency = { \"20 clocks\"",
                                         "barrier = { latency = { \"33 clocks\""}});
  const ExperimentResult file = device.first("gt200_registers");
  CHECK(holds(get(file, "regfile.registers"), 24576));
  CHECK(number(get(file, "regfile.thread_quantum")) == 96);
  CHECK(holds(get(device.first("gt200_barrier"), "barrier.latency"), 33));
}

// The experiment for GPUs of today, on a virtual one whose cost does not depend on the source.
TEST_CASE("the latency through each source is the operation's") {
  Session session(source_paths());
  RunOptions options;
  options.device = "gtx780";
  options.settings = {*parse_setting("op=[fma.rn.f32, mad.lo.u32, fma.rn.f64]")};
  const RunResult result = run(session, experiment_source("hopper_operands"), options);
  const ExperimentResult& three = result.experiments.at(0);
  for (const char* operand : {"a", "b", "c"}) {
    const auto latency = [&](const char* op) {
      return get(three, fmt::format("op.{}.latency[operand={}]", op, operand));
    };
    CHECK(holds(latency("fma.rn.f32"), 9));
    CHECK(holds(latency("mad.lo.u32"), 9));
    CHECK(holds(latency("fma.rn.f64"), 10));
  }
}

}  // namespace
}  // namespace gpx::test
