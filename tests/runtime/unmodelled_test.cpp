// What an experiment asks of a modelled device that its model leaves out.
#include "runtime/measure/unmodelled.h"

#include "runtime/pipeline.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

/// The warnings of a run of one experiment.
std::vector<std::string> warnings(const std::string& text, const std::string& device) {
  Session session(kPaths);
  RunOptions options;
  options.device = device;
  const auto run = session.run(Source(GPX_TESTS_DIR "/kernels/test.gpx", text), options);
  if (!run) FAIL(render(run.error()));
  REQUIRE(run->experiments.size() == 1);
  return run->experiments.front().warnings;
}

const char* kBanks =
    "experiment a { sweep n in [1, 2]; array s : shared[8KB] chase(stride 4B); threads 32;"
    " < load s from lane * n x 8 chain > }";

}  // namespace

TEST_CASE("what a model leaves out is a warning, once, where an experiment asks for it") {
  CHECK(warnings(kBanks, "k20") ==
        std::vector<std::string>{"k20 does not model banks of shared memory: no lane waits for "
                                 "another one's bank"});
  CHECK(warnings(kBanks, "gtx280").empty());
  CHECK(warnings("experiment a { array s : shared[8KB] chase(stride 4B); < load s x 8 chain > }",
                 "k20")
            .empty());
  CHECK(warnings("threads 32 < load unique(128B) >", "k20").empty());
  CHECK(warnings("sweep where in [global, shared], s in [1, 2] threads 32"
                 " < load where stride(4B * s) >",
                 "k20") ==
        std::vector<std::string>{"k20 does not model banks of shared memory: no lane waits for "
                                 "another one's bank"});
  CHECK(warnings("threads 32 < load shared stride(8B) x2 >", "gtx560ti").empty());
  CHECK(
      warnings("threads 64 < atom.add.u32 same x2 >", "gtx560ti") ==
      std::vector<std::string>{"gtx560ti does not model contention of atomics on one address: "
                               "neither warps nor the lanes of one wait for each other's atomics"});
}

TEST_CASE("costs of operations and operands that all are the same are a warning") {
  const std::string of_c = "threads 32 < mad.f32 x64 chain c >";
  CHECK(warnings(of_c, "gtx280") ==
        std::vector<std::string>{"gtx280 does not model latencies of single operands: an operation "
                                 "waits for each of its operands alike"});
  CHECK(warnings("threads 32 < mad.f32 x64 chain >", "gtx280").empty());
  CHECK(warnings("threads 32 < div.rn.f32 x64 chain >", "k20") ==
        std::vector<std::string>{"k20 does not model costs of single operations: all operations of "
                                 "a unit take the same time"});
  const std::string table =
      "experiment a { sweep op in [add.u32, mul.lo.u32]; measure latency { threads 32; < op x64 "
      "chain > } measure throughput { threads 512; < op x64 > } analyze pipelines(op = op, count = "
      "64, threads = 512) }";
  CHECK(warnings(table, "gtx280").empty());
  CHECK(warnings(table, "k20") ==
        std::vector<std::string>{"k20 does not model costs of single operations: all operations of "
                                 "a unit take the same time"});
}

TEST_CASE("a ptx statement that the model folds is a warning, one that it times is none") {
  const auto folds = [](const std::string& ptx) {
    std::size_t found = 0;
    for (const std::string& warning :
         warnings("threads 32 < ptx \"" + ptx + "\" x64 chain >", "k20"))
      found += warning.find("takes no time for \"" + ptx + "\"") != std::string::npos;
    return found;
  };
  CHECK(folds("mov.u32 %d, %a") == 1);
  CHECK(folds("mov.u32 %t, %a; mov.u32 %d, %t") == 1);
  CHECK(folds("add.u32 %t, %a, %b; mov.u32 %d, %t") == 0);
  CHECK(folds("add.u32 %d, %a, %b") == 0);
}

TEST_CASE("an axis that nothing depends on is a warning, one that labels another is none") {
  CHECK(warnings("sweep round 1..3, threads in [32, 64] < load unique(128B) >", "k20") ==
        std::vector<std::string>{"nothing that runs depends on the axis 'round': its 3 values "
                                 "measure the same thing"});
  CHECK(warnings("sweep zip(which in [small, large], threads in [32, 64]) < load unique(128B) >",
                 "k20")
            .empty());
}
