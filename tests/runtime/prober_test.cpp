// Chases on a device small enough to follow by hand: the cache of wong2010 Fig. 4, 4 sets of 3
// ways, lines of 32 B, LRU; a hit takes 20 clocks, a miss 100.
#include "runtime/analysis/prober.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <numeric>
#include <regex>

#include "lang/language.h"
#include "lang/read.h"
#include "runtime/analysis/probe/chase.h"
#include "runtime/analysis/probe/code.h"
#include "runtime/analysis/probe/parts.h"
#include "runtime/device/vgpu/virtual_gpu.h"
#include "runtime/measure/prepare.h"
#include "tests/left_out.h"

namespace gpx {
namespace {

constexpr double kHit = 20, kMiss = 100;

/// A prober on a device of the standard library. Its backend outlives it.
struct Device {
  std::unique_ptr<Backend> backend;
  std::atomic<bool> stop = false;
  std::unique_ptr<Prober> prober;

  explicit Device(const std::string& name) {
    auto opened = vgpu::open(GPX_SOURCE_DIR "/stdlib/devices/" + name + ".lua", 1);
    if (!opened) FAIL(render(opened.error()));
    backend = std::move(*opened);
    prober = make_prober(*backend, stop, 1);
  }
};

ChaseRequest list_of(std::vector<std::uint64_t> offsets, std::uint32_t warm, std::uint32_t passes) {
  ChaseRequest request;
  request.array_bytes = 1 << 16;
  request.offsets = std::move(offsets);
  request.warm_passes = warm;
  request.observed_passes = passes;
  return request;
}

ChaseLatencies clocks_of(Device& device, const ChaseRequest& request) {
  auto clocks = device.prober->ask(request);
  if (!clocks) FAIL(render(clocks.error()));
  return *clocks;
}

std::string error_of(Device& device, const ChaseRequest& request) {
  const auto clocks = device.prober->ask(request);
  REQUIRE_FALSE(clocks);
  return clocks.error().diagnostics.front().message;
}

/// The kernel as text, without the lines that it comes from and the name that may tell them.
std::string kernel_of(const Prepared& prepared) {
  const std::string text = codegen::to_string(prepared.measures.front().program.kernels.front());
  return std::regex_replace(text, std::regex("( @ [0-9]+|body_[0-9a-f]+)"), "");
}

/// What a chase takes besides its load: of one that hits.
double overhead(Device& device) {
  return clocks_of(device, list_of({0}, 2, 4)).back() - kHit;
}

/// 'h' for each observed access that takes a hit's clocks, 'm' for a miss.
std::string hits(Device& device, const ChaseRequest& request) {
  const double beside = overhead(device);
  std::string text;
  for (const double clocks : clocks_of(device, request))
    text += clocks == kHit + beside ? 'h' : clocks == kMiss + beside ? 'm' : '?';
  return text;
}

}  // namespace

TEST_CASE("a chase visits its list in order, and each access takes what the cache says") {
  struct Case {
    const char* what;
    std::vector<std::uint64_t> offsets;
    std::uint32_t warm, passes;
    const char* expected;
  };
  const std::vector<Case> cases = {
      {"lines are cold at first, then held", {0, 32, 64}, 0, 2, "mmmhhh"},
      {"a second word of a line", {0, 4, 32, 28}, 0, 1, "mhmh"},
      {"three lines of a set fit", {0, 128, 256}, 1, 1, "hhh"},
      {"four do not, whatever is visited before", {0, 128, 256, 384}, 3, 2, "mmmmmmmm"},
      {"the least recently used of a set leaves", {0, 128, 4, 256, 384, 8}, 0, 2, "mmhmmhhmhmmh"},
      {"another set is not disturbed", {0, 128, 256, 384, 32}, 1, 1, "mmmmh"},
      {"backwards", {96, 64, 32, 0}, 0, 1, "mmmm"},
      {"warm passes are rounded up to observed ones", {0, 32}, 1, 4, "hhhhhhhh"},
  };
  Device device("fig4");
  for (const Case& each : cases)
    CHECK_MESSAGE(hits(device, list_of(each.offsets, each.warm, each.passes)) == each.expected,
                  each.what);
}

TEST_CASE("more accesses than shared memory holds are observed all the same") {
  Device device("fig4");
  std::string expected;
  for (int pass = 0; pass < 700; ++pass) expected += "mmmmh";
  CHECK(hits(device, list_of({0, 128, 256, 384, 32}, 1, 700)) == expected);
}

TEST_CASE("a record grows with what is observed, until the device's memory is too small for it") {
  Device device("fig4");
  constexpr std::uint32_t kPasses = (1 << 19) + 1;  // of two accesses: more than 2^20
  const ChaseLatencies clocks = clocks_of(device, list_of({0, 32}, 1, kPasses));
  REQUIRE(clocks.size() == 2 * kPasses);
  CHECK(clocks == ChaseLatencies(2 * kPasses, kHit + overhead(device)));
  const auto refused = device.prober->ask(list_of({0}, 0, 1 << 27));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::input);
  CHECK(refused.error().diagnostics.front().message ==
        "a chase of 134217728 observed accesses: at most 8388608 are recorded on this device");
}

TEST_CASE("an average is the clocks of all passes over their accesses") {
  Device device("fig4");
  const auto average = [&](std::vector<std::uint64_t> offsets, std::uint32_t passes) {
    ChaseRequest request = list_of(std::move(offsets), 2, passes);
    request.average = true;
    const ChaseLatencies clocks = clocks_of(device, request);
    REQUIRE(clocks.size() == 1);
    return clocks.front();
  };
  // What stands around a region is the same for both.
  CHECK(average({0, 128, 256, 384}, 64) - average({0, 32, 64, 96}, 64) == kMiss - kHit);
  CHECK(average({0, 128, 256, 384, 32}, 64) - average({0, 32, 64, 96, 4}, 64) ==
        doctest::Approx(0.8 * (kMiss - kHit)));
}

TEST_CASE("a flushed L2 answers no first visit, as one that has lines of the launch before does") {
  GPX_NEEDS_NVRTC();
  Device device("h100");
  ChaseRequest request = list_of({0, 4096, 8192, 12288}, 2, 1);
  request.cache = CacheOp::cg;
  clocks_of(device, request);
  request.warm_passes = 0;
  const double held = clocks_of(device, request).back();
  request.flush = true;
  CHECK(clocks_of(device, request).back() > held + 200);
}

TEST_CASE("a wide link, an array of another kind, and one kernel after the other") {
  Device device("fig4");
  ChaseRequest wide = list_of({0, 8, 32}, 0, 1);
  wide.width = 8;
  ChaseRequest constant = list_of({0, 4096, 64}, 0, 1);
  constant.space = Space::constant;
  for (int turn = 0; turn < 2; ++turn) {
    const ChaseLatencies clocks = clocks_of(device, wide);
    CHECK(clocks[0] - clocks[1] == kMiss - kHit);
    CHECK(clocks[0] == clocks[2]);
    const ChaseLatencies flat = clocks_of(device, constant);
    CHECK(flat == ChaseLatencies(3, flat.front()));
  }
}

TEST_CASE("each copy of a kernel chases its own constants") {
  Device device("fig4");
  ChaseRequest request = list_of({0, 4096, 64}, 0, 1);
  request.space = Space::constant;
  request.copies = 3;
  for (request.copy = 0; request.copy < 3; ++request.copy) {
    const ChaseLatencies clocks = clocks_of(device, request);
    CHECK(clocks == ChaseLatencies(3, clocks.front()));
  }
  CHECK(error_of(device, request) == "a chase by copy 3 of 3 of its kernel");
}

TEST_CASE("what runs beside is asked for by SM, and must be there") {
  Device device("fig4");
  ChaseRequest request = list_of({0, 32}, 1, 1);
  request.place.sm = 1;
  request.place.beside = {{0, 0, 4096, {0, 128}}};
  CHECK(clocks_of(device, request).size() == 2);
  request.place.sm = 7;
  CHECK_FALSE(device.prober->ask(request));
}

TEST_CASE("requests that cannot be measured are errors that say why, and cost nothing later") {
  Device device("fig4");
  // Its links would lead round a part of the list.
  ChaseRequest twice = list_of({0, 64, 32, 64}, 1, 1);
  CHECK(error_of(device, twice) == "the list of a chase holds offset 64 twice");
  twice.average = true;
  CHECK(error_of(device, twice) == "the list of a chase holds offset 64 twice");
  ChaseRequest large = list_of({0}, 0, 1);
  large.array_bytes = 1ull << 40;
  CHECK_FALSE(device.prober->ask(large));
  CHECK(hits(device, list_of({0, 32, 64}, 0, 2)) == "mmmhhh");
  device.stop = true;
  CHECK(error_of(device, list_of({0}, 0, 1)) == "interrupted");
}

TEST_CASE("arrays have half of the memory, constants 64 KB") {
  Device device("fig4");
  CHECK(device.prober->most_bytes(Space::global) == 1ull << 29);
  CHECK(device.prober->most_bytes(Space::texture) == 1ull << 29);
  CHECK(device.prober->most_bytes(Space::constant) == 64 << 10);
}

TEST_CASE("straight code takes as much longer as it is longer, the same in each repetition") {
  Device device("fig4");
  const auto clocks = [&](std::uint64_t bytes) {
    CodeRequest request;
    request.bytes = bytes;
    request.runs = 2;
    const auto all = device.prober->ask(request);
    if (!all) FAIL(render(all.error()));
    REQUIRE(all->size() == 2);
    CHECK(all->front() == all->back());
    return all->front();
  };
  const double few = clocks(1024), more = clocks(2048), many = clocks(4096);
  CHECK(more > few);
  CHECK(many - more == 2 * (more - few));
}

TEST_CASE("a request is an experiment that could have been written, with the same kernel") {
  struct Case {
    std::unique_ptr<ExperimentProbe> request;
    std::string text;
  };
  std::vector<Case> cases;
  const auto add = [&](auto request, const std::string& body) {
    cases.push_back({std::make_unique<decltype(request)>(std::move(request)),
                     "experiment probe {\n  warmup 0\n  rehearse 1\n" + body + "}\n"});
  };
  add(list_of({0, 64}, 2, 1),
      "array a : global[64KB] chase(list [0B]) width 4B\n observe each\n < load a x1920 chain >\n");
  ChaseRequest around = list_of({0, 64}, 2, 4000);
  around.cache = CacheOp::cg;
  around.width = 8;
  add(around,
      "array a : global[64KB] chase(list [0B]) width 8B\n observe each\n"
      "< load a cache cg x1048576 chain >\n");
  ChaseRequest shared = list_of({0, 64}, 2, 1);
  shared.space = Space::constant;
  shared.average = true;
  shared.place.sm = 1;
  shared.place.beside = {{0, 4096, 0, {}}, {1, 0, 4096, {0, 128}}};
  add(shared,
      "array a : constant[64KB] chase(list [0B]) width 4B\n"
      "array b1 : constant[4KB] chase(list [0B]) width 4B\n"
      "place sm 0\n beside sm 0 { code 4096B }\n beside sm 0 { load b1 x1 chain }\n"
      "observe average\n < load a x1920 chain >\n");
  CodeRequest code;
  code.bytes = 8192;
  add(code, "< code 8192B >\n");
  Device device("fig4");
  const PrepareOptions options{.shared_per_block = kProbeSharedBytes};
  for (const Case& each : cases) {
    const Source source("probe", each.text);
    const auto written = read_experiments(source);
    if (!written) FAIL(render(written.error()));
    const Experiment made = each.request->experiment();
    CHECK(to_string(made) == to_string(written->front()));
    const auto a = prepare(made, Source("probe", ""), *device.backend, {}, options);
    const auto b = prepare(written->front(), source, *device.backend, {}, options);
    REQUIRE(a.has_value());
    REQUIRE(b.has_value());
    CAPTURE(each.text);
    CHECK(kernel_of(*a) == kernel_of(*b));
  }
}

}  // namespace gpx
