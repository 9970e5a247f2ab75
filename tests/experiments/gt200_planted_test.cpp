// The GT200's experiments on GPUs that are built otherwise: each mechanism is changed in the
// device's description, and the experiment that looks for it must notice.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

/// A copy of the GTX 280's description with some of its text replaced.
std::string changed_device(const std::string& name, const Changes& changes) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("gpx-gt200-{}", getpid());
  std::filesystem::create_directories(folder);
  const std::string path = (folder / (name + ".lua")).string();
  std::ofstream(path) << changed_description("gtx280", changes);
  return path;
}

ExperimentResult run_on(const std::string& device, const std::string& experiment) {
  Session session(source_paths());
  RunOptions options;
  options.device = device;
  RunResult result =
      run(session, read_source(GPX_SOURCE_DIR "/experiments/" + experiment + ".gpx"), options);
  REQUIRE(result.experiments.size() == 1);
  return std::move(result.experiments[0]);
}

bool holds(const Finding& finding, double truth) {
  return (!finding.low || *finding.low <= truth) && (!finding.high || truth <= *finding.high);
}

TEST_CASE("other pipelines come back with their latency and throughput") {
  struct Pipes {
    int sp, sp_interval, sfu, sfu_interval, dpu, dpu_interval;
  };
  int number = 0;
  for (const Pipes& pipes : {Pipes{11, 2, 37, 8, 60, 16}, Pipes{30, 5, 22, 13, 90, 40}}) {
    const auto unit = [](int latency, int interval) {
      return fmt::format("latency = \"{} clocks\", interval = \"{} clocks\"", latency, interval);
    };
    const std::string device =
        changed_device(fmt::format("pipes{}", number++),
                       {{"alu    = { latency = \"24 clocks\", interval = \"4 clocks\"",
                         "alu    = { " + unit(pipes.sp, pipes.sp_interval)},
                        {"[\"rsqrt.approx.f32\"] = { latency = \"28 clocks\", interval = at(2.0)",
                         "[\"rsqrt.approx.f32\"] = { " + unit(pipes.sfu, pipes.sfu_interval)},
                        {"fp64   = { latency = \"48 clocks\", interval = \"32 clocks\"",
                         "fp64   = { " + unit(pipes.dpu, pipes.dpu_interval)}});
    const ExperimentResult result = run_on(device, "gt200_pipelines");
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
  const std::string sm = changed_device("clock-sm", {{"domain = \"tpc\"", "domain = \"sm\""},
                                                     {cost, "cost = \"40 clocks\""},
                                                     {step, "granularity = \"4 clocks\""}});
  const ExperimentResult one = run_on(sm, "gt200_clock");
  CHECK(text(get(one, "clock.domain")) == "SM");
  CHECK(number(get(one, "clock.sms_per_domain")) == 1);
  CHECK(holds(get(one, "clock.overhead"), 40));
  CHECK(number(get(one, "clock.granularity")) == 4);
  const std::string gpu = changed_device("clock-gpu", {{"domain = \"tpc\"", "domain = \"gpu\""},
                                                       {step, "granularity = \"1 clocks\""}});
  const ExperimentResult all = run_on(gpu, "gt200_clock");
  CHECK(text(get(all, "clock.domain")) == "GPU");
  CHECK(number(get(all, "clock.sms_per_domain")) == 30);
}

TEST_CASE("independent threads complete where a stack deadlocks, and a barrier waits for them") {
  const std::string device =
      changed_device("independent", {{"model = { \"stack\",", "model = { \"independent\","}});
  const ExperimentResult listings = run_on(device, "gt200_listings");
  CHECK(text(get(listings, "simt.listing4")) == "completed");
  CHECK(text(get(listings, "barrier.granularity")) == "thread");
  CHECK(text(get(listings, "barrier.listing7")) == "1-2-3 4");
  // Waiting at a barrier for a warp that spins is a deadlock in any model.
  CHECK(text(get(listings, "barrier.listing6")) == "deadlock");
}

TEST_CASE("another register file and another barrier") {
  const std::string device = changed_device(
      "file", {{"per_sm = 16384", "per_sm = 24576"},
               {"\n    thread_quantum = 64", "\n    thread_quantum = 96"},
               {"barrier = { latency = { \"20 clocks\"", "barrier = { latency = { \"33 clocks\""}});
  const ExperimentResult file = run_on(device, "gt200_registers");
  CHECK(holds(get(file, "regfile.registers"), 24576));
  CHECK(number(get(file, "regfile.thread_quantum")) == 96);
  CHECK(holds(get(run_on(device, "gt200_barrier"), "barrier.latency"), 33));
}

// The experiment for GPUs of today, on a virtual one whose cost does not depend on the source.
TEST_CASE("the latency through each source is the operation's") {
  Session session(source_paths());
  RunOptions options;
  options.device = "gtx780";
  options.settings = {*parse_setting("op=[fma.rn.f32, mad.lo.u32, fma.rn.f64]")};
  const RunResult result =
      run(session, read_source(GPX_SOURCE_DIR "/experiments/hopper_operands.gpx"), options);
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
