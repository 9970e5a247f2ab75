// Predictions: of three kernels that are no part of the library, with parameters that are given,
// and with a machine that is fitted.
#include "runtime/predict/predict.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "lang/lists.h"
#include "tests/folder.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};
const std::string kKernels = GPX_TESTS_DIR "/kernels/";

PredictRequest base(const std::string& file, const std::string& entry) {
  PredictRequest request;
  request.file = kKernels + file;
  request.entry = entry;
  request.device = "fx5600";
  request.model = "mwp_cwp";
  request.machine = {"Mem_LD=420", "Departure_del_uncoal=10", "Departure_del_coal=4",
                     "Issue_cycles=4", "Mem_Bandwidth=76.8e9"};
  return request;
}

PredictRequest heat() {
  PredictRequest request = base("stencil.cu", "heat");
  request.grid = {"8", "32"};
  request.block = {"32", "8"};
  request.arguments = {"width=256", "height=256", "rate=0.2"};
  request.buffers = {"out=256KB:zero", "in=256KB:uniform(0, 1)"};
  return request;
}

PredictRequest spmv(const std::string& row) {
  PredictRequest request = base("spmv.cu", "spmv");
  request.grid = {"16"};
  request.block = {"128"};
  request.arguments = {"rows=2048"};
  request.buffers = {"row=16KB" + row, "column=64KB:index", "value=64KB:uniform(0, 1)",
                     "x=64KB:uniform(0, 1)", "y=8KB:zero"};
  return request;
}

Prediction predicted(const PredictRequest& request) {
  Session session(kPaths);
  auto prediction = predict(session, request);
  if (!prediction) FAIL(render(prediction.error()));
  return std::move(*prediction);
}

Error refused(const PredictRequest& request) {
  Session session(kPaths);
  auto prediction = predict(session, request);
  REQUIRE(!prediction.has_value());
  return prediction.error();
}

const Limit* limit(const Prediction& p, const std::string& kind) {
  for (const Limit& each : p.limits)
    if (each.kind == kind) return &each;
  return nullptr;
}

const Variant* variant(const Prediction& p, const std::string& kind) {
  for (const Variant& each : p.variants)
    if (each.kind == kind) return &each;
  return nullptr;
}

}  // namespace

TEST_CASE("a stencil: counts, occupancy, the case, and what would change it") {
  const Prediction p = predicted(heat());
  CHECK(p.facts.counts.uncoalesced > 0);
  CHECK(p.facts.counts.transactions_per_uncoalesced == doctest::Approx(32).epsilon(0.1));
  CHECK(p.active_sms == 16);
  CHECK(p.model.cycles() > 0);
  CHECK(p.seconds == doctest::Approx(p.model.cycles() / p.device.clock_hz));
  CHECK(p.model.model.which == "memory");
  CHECK(contains(p.bound, "uncoalesced"));
  const Variant* coalesced = variant(p, "coalescing");
  REQUIRE(coalesced);
  CHECK(coalesced->model.cycles() < p.model.cycles() / 2);
  REQUIRE(variant(p, "block"));
  CHECK(!p.measured_seconds);
  CHECK(p.machine.origin == "given");
}

TEST_CASE("a sum in dynamic shared memory, with double and 64-bit arguments") {
  PredictRequest request = base("reduce.cu", "block_sum");
  request.device = "gtx280";
  request.grid = {"60"};
  request.block = {"128"};
  request.arguments = {"count=122880"};
  request.buffers = {"sums=480B:zero", "values=960KB:uniform(0, 1)"};
  request.shared_bytes = "1KB";
  request.measure = true;
  const Prediction p = predicted(request);
  CHECK(p.facts.shared_bytes == 1024);
  CHECK(p.facts.counts.barriers == 8);
  REQUIRE(p.facts.followed.has_value());
  CHECK(p.facts.followed->counts.barriers == 8);
  CHECK(p.loop_lines.size() == p.facts.followed->loops.size());
  for (const int line : p.loop_lines) CHECK(line > 0);
  REQUIRE(p.measured_seconds.has_value());
  CHECK(*p.measured_seconds > 0);
}

TEST_CASE("what the model leaves out is named where the kernel has it") {
  // One block an SM of one warp; nothing hides the 24 clocks of an instruction.
  PredictRequest request = base("nbody.cu", "forces");
  request.grid = {"16"};
  request.block = {"32"};
  request.arguments = {"count=512"};
  request.buffers = {"force=8KB:zero", "body=8KB:uniform(0, 1)"};
  const Prediction forces = predicted(request);
  CHECK(limit(forces, "slow"));
  // Lanes that share a word need it once.
  CHECK(forces.facts.counts.bytes_per_access < 520);

  request = base("transpose.cu", "transpose");
  request.grid = {"16", "16"};
  request.block = {"16", "16"};
  request.arguments = {"n=256"};
  request.buffers = {"out=256KB:zero", "in=256KB:index"};
  const Prediction transposed = predicted(request);
  const Limit* conflicts = limit(transposed, "conflicts");
  REQUIRE(conflicts);
  // 16 lanes in one bank: 15 passes more for each half-warp.
  CHECK(transposed.facts.counts.shared_conflicts == 30);
  CHECK(limit(transposed, "barriers"));

  request = base("histogram.cu", "histogram");
  request.device = "gtx280";
  request.grid = {"30"};
  request.block = {"256"};
  request.arguments = {"count=15360"};
  request.buffers = {"bins=1KB:zero", "data=15KB:hash"};
  const Prediction counted = predicted(request);
  CHECK(limit(counted, "atomics"));
  CHECK(counted.facts.counts.atomics == 1);

  request = heat();
  request.measure = true;
  const Prediction stencil = predicted(request);
  const Limit* transactions = limit(stencil, "transactions");
  REQUIRE(transactions);
  // No more than was measured, and nearer to it than the model.
  const double measured = *stencil.measured_seconds * stencil.device.clock_hz;
  CHECK(transactions->clocks < measured);
  CHECK(transactions->clocks > 0.85 * measured);
  CHECK(stencil.model.cycles() < 0.85 * measured);
  CHECK(!limit(stencil, "caches"));  // compute capability 1.0 has none
}

namespace {

/// Clocks of what all transactions move.
double moved(const Prediction& p) {
  const double warps =
      static_cast<double>(p.launch.all_blocks()) * p.facts.occupancy.warps_per_block;
  const double bytes = p.facts.counts.memory() * p.facts.counts.bytes_per_access * warps;
  return bytes * p.device.clock_hz / p.machine.bandwidth;
}

PredictRequest saxpy_on(const std::string& device, const std::string& bandwidth) {
  PredictRequest request = base("saxpy.cu", "saxpy");
  request.device = device;
  request.machine = {"Mem_LD=420", "Departure_del_uncoal=0", "Departure_del_coal=0",
                     "Issue_cycles=1", "Mem_Bandwidth=" + bandwidth};
  request.grid = {"512"};
  request.block = {"128"};
  request.arguments = {"a=2"};
  request.buffers = {"x=256KB:zero", "y=256KB:zero", "count=4B:65536"};
  return request;
}

}  // namespace

TEST_CASE("no prediction moves more than the bandwidth that it states") {
  GPX_NEEDS_NVRTC();
  unsigned raised = 0;
  for (const char* device : {"fx5600", "m2070", "k20", "h100"})
    for (const char* bandwidth : {"1e9", "5e9", "100e9", "3e12"}) {
      CAPTURE(device);
      CAPTURE(bandwidth);
      const Prediction p = predicted(saxpy_on(device, bandwidth));
      CHECK(p.model.cycles() >= 0.999 * moved(p));
      if (p.model.equations == 0) continue;
      ++raised;
      CHECK(p.model.equations < p.model.cycles());
      CHECK(p.model.cycles() == doctest::Approx(moved(p)));
      CHECK(p.seconds == doctest::Approx(moved(p) / p.device.clock_hz));
      CHECK(limit(p, "bandwidth"));
      CHECK(p.bound.starts_with("the bandwidth of the memory ("));
    }
  CHECK(raised > 0);
}

TEST_CASE("words apart move a sector each, and together what lanes ask for") {
  PredictRequest request = base("apart.cu", "apart");
  request.device = "k20";
  request.grid = {"128"};
  request.block = {"128"};
  request.arguments = {"stride=8"};
  request.buffers = {"out=64KB:zero", "in=512KB:zero"};
  const Prediction p = predicted(request);
  CHECK(p.facts.counts.bytes_per_access == (32 * 32 + 128) / 2);
  CHECK(p.facts.counts.needed_per_access == 128);
  CHECK(limit(p, "scattered"));
  CHECK(!limit(predicted(saxpy_on("k20", "100e9")), "scattered"));
  const Variant* coalesced = variant(p, "coalescing");
  REQUIRE(coalesced);
  CHECK(coalesced->model.model.given.load_bytes == 128);
}

TEST_CASE("a kernel unlike the micro-benchmarks is an extrapolation, and says how") {
  CHECK(contains(predicted(saxpy_on("k20", "100e9")).extrapolation,
                 "of its instructions access memory, of theirs at most 9 %"));
  PredictRequest few = base("fma.cu", "chain");
  few.grid = {"128"};
  few.block = {"128"};
  few.arguments = {"a=1"};
  few.buffers = {"out=64KB:zero"};
  CHECK(predicted(few).extrapolation.empty());
}

/// Where the fits of this test are kept, and no others.
struct OwnCache {
  OwnCache() { ::setenv("GPX_CACHE_DIR", folder.path().c_str(), 1); }
  ~OwnCache() { ::unsetenv("GPX_CACHE_DIR"); }
  test::TemporaryFolder folder;
};

TEST_CASE("issue cycles are fitted where enough warps hide what an instruction waits for") {
  const OwnCache cache;
  PredictRequest request = saxpy_on("k20", "1");
  request.machine.clear();
  const MachineParameters machine = predicted(request).machine;
  // stdlib/devices/k20.lua: 4 warp instructions a clock. 12 warps a latency of 9 have 0.75 clocks.
  CHECK(machine.issue_cycles == doctest::Approx(0.25).epsilon(0.1));
  CHECK(std::abs(machine.worst_error) >= machine.error);
  // A warp's access of shared memory each clock; the file gives no banks.
  CHECK(machine.shared_access == doctest::Approx(1).epsilon(0.05));
  CHECK(machine.shared_conflict == 0);
  // A block each 2 clocks; the 32 warps of one take 32 clocks of an SM, of which there are 13.
  REQUIRE(machine.launch.size() == 6);
  for (std::uint64_t threads : {32, 64, 100, 512})
    CHECK(launch_interval(machine, threads) == doctest::Approx(2).epsilon(0.02));
  CHECK(launch_interval(machine, 1024) == doctest::Approx(32.0 / 13).epsilon(0.02));
}

TEST_CASE("the bandwidth that is fitted is the memory's, whatever caches keep") {
  const OwnCache cache;
  PredictRequest request = saxpy_on("k20", "1");
  request.machine.clear();
  // stdlib/devices/k20.lua: 208 GB/s, of which 1536 KB of L2 would make 220 in a copy of 8 MB.
  CHECK(predicted(request).machine.bandwidth == doctest::Approx(208e9).epsilon(0.03));
}

TEST_CASE("a kernel that does not end, or leaves its buffers, is refused with its line") {
  PredictRequest request = base("endless.cu", "endless");
  request.grid = {"1"};
  request.block = {"32"};
  request.buffers = {"flag=4B:zero"};
  const Error endless = refused(request);
  CHECK(endless.fault == Fault::input);
  CHECK(contains(render(endless), "endless.cu:3"));
  CHECK(!contains(render(endless), "without its data"));

  request = base("saxpy.cu", "saxpy");
  request.grid = {"16"};
  request.block = {"128"};
  request.arguments = {"a=2"};
  request.buffers = {"x=8KB:zero", "y=8KB:zero", "count=4B"};
  CHECK(contains(render(refused(request)), "not yet given: count"));
  request.buffers[2] = "count=4B:2048";
  CHECK(predicted(request).facts.counts.memory() == doctest::Approx(4));
  request.buffers[0] = "x=4KB:zero";
  const Error small = refused(request);
  CHECK(contains(render(small), "saxpy.cu:5"));
  CHECK(!contains(render(small), "trip count"));
}

TEST_CASE(
    "rows whose length stands in memory need their contents; the line and the way out are "
    "named") {
  const Error error = refused(spmv(""));
  CHECK(error.fault == Fault::input);
  const Diagnostic& what = error.diagnostics.front();
  CHECK(contains(what.message, "trip count"));
  REQUIRE(what.location.has_value());
  CHECK(contains(what.location->file, "spmv.cu"));
  CHECK(what.location->line >= 7);
  CHECK(what.location->line <= 8);
  CHECK(contains(what.hint, "--buffer"));
  const Prediction told = predicted(spmv(":index(4)"));
  CHECK(told.facts.counts.memory() > 10);
  CHECK(told.model.cycles() > 0);
  // Where the registers are not known a note says that first.
  CHECK(std::ranges::any_of(
      told.notes, [](const std::string& note) { return contains(note, "the contents given"); }));
}

TEST_CASE("a call through a pointer is counted") {
  PredictRequest request = base("dispatch.cu", "dispatch");
  request.grid = {"1"};
  request.block = {"32"};
  request.buffers = {"a=128B:zero", "which=128B:zero"};
  const Prediction p = predicted(request);
  CHECK(p.seconds > 0);
}

TEST_CASE("requests that cannot be are refused, each with what is wrong") {
  PredictRequest request = heat();
  request.arguments.pop_back();
  CHECK(contains(render(refused(request)), "rate"));
  request = heat();
  request.arguments[0] = "width";
  CHECK(contains(render(refused(request)), "NAME=VALUE"));
  request = heat();
  request.block = {"32", "32"};
  CHECK(contains(render(refused(request)), "threads"));
  request = heat();
  request.machine[0] = "Mem_DL=420";
  CHECK(contains(render(refused(request)), "Mem_DL"));
  request = heat();
  request.registers = "60";
  CHECK(contains(render(refused(request)), "does not fit"));
}

TEST_CASE("what is wrong in an option is said of the option, not of a text that nobody wrote") {
  const auto told = [](auto change) {
    PredictRequest request = heat();
    change(request);
    const Error error = refused(request);
    for (const Diagnostic& each : error.diagnostics) CHECK(!each.location);
    return render(error);
  };
  CHECK(contains(told([](auto& r) { r.shared_bytes = "12"; }),
                 "error: --shared 12: shared_bytes must be bytes, this is a plain number\n"));
  CHECK(contains(told([](auto& r) { r.registers = "9q"; }), "error: --registers 9q: unknown unit"));
  CHECK(contains(told([](auto& r) {
                   r.grid = {"8x", "32"};
                 }),
                 "error: --grid 8x,32: unknown unit"));
  CHECK(contains(told([](auto& r) { r.buffers[1] = "in=256KB:zer"; }),
                 "error: --buffer in=256KB:zer: a buffer cannot hold 'zer'\n"));
  CHECK(contains(told([](auto& r) { r.arguments[0] = "width=4q"; }),
                 "error: --arg width=4q: unknown unit 'q'\n"));
}

TEST_CASE("a machine's parameter in another unit is refused with the unit that is wanted") {
  for (const char* wrong : {"Mem_Bandwidth=100", "Mem_Bandwidth=0", "Mem_Bandwidth=1e300"}) {
    PredictRequest request = heat();
    request.machine[4] = wrong;
    const std::string text = render(refused(request));
    CHECK(contains(text, std::string("--machine ") + wrong + ": Mem_Bandwidth is a number of B/s"));
    CHECK(contains(text, "such as Mem_Bandwidth=100e9 for 100 GB/s"));
  }
  PredictRequest request = heat();
  request.machine[0] = "Mem_LD=0";
  CHECK(contains(render(refused(request)), "Mem_LD is a number of clocks"));
  // The numbers as the paper prints them are left out where two decimals of an MWP are 0.
  request = heat();
  request.machine[4] = "Mem_Bandwidth=1e6";
  CHECK(predicted(request).model.cycles() > 0);
}

TEST_CASE(
    "the bandwidth as a bound says how much of it is used, and that the model has no caches") {
  GPX_NEEDS_NVRTC();
  PredictRequest request = saxpy_on("k20", "100e9");
  request.device = "fx5600";
  CHECK(predicted(request).bound == "the bandwidth of the memory (96.1 of 100.0 GB/s)");
  request = heat();
  request.device = "k20";
  request.machine = {"Mem_LD=300", "Departure_del_uncoal=0", "Departure_del_coal=0",
                     "Issue_cycles=0.3", "Mem_Bandwidth=60e9"};
  const Prediction cached = predicted(request);
  CHECK(contains(cached.bound, "of 60.0 GB/s) in a model without caches: "));
  CHECK(contains(cached.bound, "loaded before, and a cache may keep them"));
  // Barriers are most of the time.
  request = base("reduce.cu", "block_sum");
  request.device = "gtx280";
  request.grid = {"240"};
  request.block = {"128"};
  request.arguments = {"count=122880"};
  request.buffers = {"sums=1920B:zero", "values=960KB:uniform(0, 1)"};
  request.shared_bytes = "1KB";
  request.machine = {"Mem_LD=400", "Departure_del_uncoal=30", "Departure_del_coal=30",
                     "Issue_cycles=1", "Mem_Bandwidth=160e9"};
  CHECK(predicted(request).bound ==
        "the memory's parallelism: with 43.1 of 160.0 GB/s the bandwidth is not what bounds");
}

namespace {

PredictRequest tiles() {
  PredictRequest request = base("tile.cu", "mm");
  request.device = "gtx780";
  request.machine = {"Mem_LD=252", "Departure_del_uncoal=0", "Departure_del_coal=0",
                     "Issue_cycles=0.26", "Mem_Bandwidth=275e9"};
  request.grid = {"16", "16"};
  request.block = {"16", "16"};
  request.arguments = {"n=256"};
  request.buffers = {"a=256KB:uniform(0, 1)", "b=256KB:uniform(0, 1)", "c=256KB:zero"};
  return request;
}

}  // namespace

TEST_CASE("the accesses of shared memory bound a kernel from below, and are named as the reason") {
  PredictRequest request = tiles();
  const Prediction unknown = predicted(request);
  CHECK(unknown.facts.counts.shared_accesses == 544);
  CHECK(unknown.model.floor != Floor::shared);
  CHECK(contains(unknown.extrapolation, "access shared memory, of theirs none"));
  REQUIRE(limit(unknown, "shared"));
  CHECK(contains(limit(unknown, "shared")->text, "--machine Shared_access=1"));
  CHECK(limit(unknown, "shared")->clocks == 0);

  request.machine.push_back("Shared_access=1");
  const Prediction known = predicted(request);
  CHECK(known.model.floor == Floor::shared);
  CHECK(known.model.equations == doctest::Approx(unknown.model.cycles()));
  // 22 blocks of 8 warps at most on each of 12 SMs.
  CHECK(known.model.cycles() == doctest::Approx(22 * 8 * 544));
  CHECK(contains(known.bound, "the accesses of shared memory: 544 of a warp"));
  CHECK(limit(known, "shared")->clocks == doctest::Approx(known.model.cycles()));
  CHECK(!limit(known, "bandwidth"));
  for (const Variant& each : known.variants) CHECK(each.model.cycles() >= 20 * 8 * 544);

  request.machine.push_back("Shared_conflict=1");
  request.buffers[0] = "a=256KB:zero";
  CHECK(predicted(request).model.cycles() == doctest::Approx(known.model.cycles()));
}

namespace {

/// Each thread has one element: 2 M of them, of 8 MB a buffer.
PredictRequest one_each(unsigned threads, bool launch) {
  PredictRequest request = base("one_each.cu", "one_each");
  request.device = "h100";
  request.machine = {"Mem_LD=360", "Departure_del_uncoal=0", "Departure_del_coal=0",
                     "Issue_cycles=0.36", "Mem_Bandwidth=3e12"};
  if (launch) request.machine.emplace_back("Launch_interval=1.2");  // stdlib/devices/h100.lua
  request.grid = {std::to_string((2u << 20) / threads)};
  request.block = {std::to_string(threads)};
  request.arguments = {"a=2", "n=2097152"};
  request.buffers = {"y=8MB:zero", "x=8MB:uniform(0, 1)"};
  return request;
}

/// The h100's launch.overhead, 3.3 µs at 1.98 GHz, which a time has and the MWP/CWP model lacks.
constexpr double kLaunchClocks = 6534;

double clocks_measured(const Prediction& p) {
  return *p.measured_seconds * p.device.clock_hz;
}

}  // namespace

TEST_CASE(
    "the launch of many small blocks bounds a kernel from below, and is named as the reason") {
  GPX_NEEDS_NVRTC();
  PredictRequest request = one_each(64, true);
  request.measure = true;
  const Prediction p = predicted(request);
  CHECK(p.model.floor == Floor::launch);
  CHECK(p.model.cycles() == doctest::Approx(32768 * 1.2));
  CHECK(p.model.cycles() == doctest::Approx(clocks_measured(p) - kLaunchClocks).epsilon(0.1));
  CHECK(p.bound == "the launch of 32768 blocks, one every 1.20 clocks");
  REQUIRE(limit(p, "launch"));
  CHECK(limit(p, "launch")->clocks == doctest::Approx(32768 * 1.2));
  const Prediction unknown = predicted(one_each(64, false));
  CHECK(p.model.equations == doctest::Approx(unknown.model.cycles()).epsilon(0.1));
  CHECK(unknown.model.cycles() < p.model.cycles() / 2);
  CHECK(!limit(unknown, "launch"));
  // Each row has the launch of its own blocks.
  for (const Variant& each : p.variants) {
    if (each.kind != "block") continue;
    CAPTURE(each.change);
    const double blocks = each.model.model.given.blocks;
    CHECK(each.model.cycles() >= 1.2 * blocks);
    CHECK((each.model.floor == Floor::launch) == (blocks > 10000));
  }
}

TEST_CASE("the launch of fewer and larger blocks does not bound") {
  GPX_NEEDS_NVRTC();
  PredictRequest request = one_each(256, false);
  request.machine.emplace_back("Launch_interval=2");
  const Prediction p = predicted(request);
  CHECK(p.model.floor != Floor::launch);
  // It is named where it takes nearly as long.
  REQUIRE(limit(p, "launch"));
  CHECK(limit(p, "launch")->clocks == doctest::Approx(8192 * 2));
  CHECK(!limit(predicted(one_each(1024, true)), "launch"));
  CHECK(p.model.cycles() == predicted(one_each(256, false)).model.cycles());
  CHECK(predicted(one_each(1024, true)).model.cycles() ==
        predicted(one_each(1024, false)).model.cycles());
  request = heat();
  const double without = predicted(request).model.cycles();
  request.machine.emplace_back("Launch_interval=6");
  CHECK(predicted(request).model.cycles() == without);
}

TEST_CASE("between two sizes of a block its launch is on the line through theirs") {
  MachineParameters machine;
  CHECK(launch_interval(machine, 64) == 0);
  machine.launch = {{32, 1}, {64, 2}, {128, 6}};
  struct Row {
    std::uint64_t threads;
    double clocks;
  };
  for (const Row& row :
       {Row{1, 1}, Row{32, 1}, Row{48, 1.5}, Row{64, 2}, Row{96, 4}, Row{128, 6}, Row{1024, 6}}) {
    CAPTURE(row.threads);
    CHECK(launch_interval(machine, row.threads) == doctest::Approx(row.clocks));
  }
}

TEST_CASE("a block that registers keep out is told whose number they are of") {
  GPX_NEEDS_NVRTC();
  PredictRequest request = tiles();
  request.device = "fx5600";
  const std::string text = render(refused(request));
  CHECK(contains(text, "does not fit into an SM of 'fx5600': registers"));
  CHECK(contains(text, "of its machine code for sm_"));
  CHECK(contains(text, "--registers N"));
  request.registers = "200";
  CHECK(!contains(render(refused(request)), "--registers N"));
}

TEST_CASE("two extents in one word are told with a comma") {
  PredictRequest request = heat();
  request.grid = {"16x16"};
  std::string text = render(refused(request));
  CHECK(contains(text, "a comma stands between two extents, in '--grid 16x16'"));
  CHECK(contains(text, "hint: --grid 16,16"));
  request = heat();
  request.block = {"32x8"};
  CHECK(contains(render(refused(request)), "hint: --block 32,8"));
  request.block = {"32x"};
  CHECK(!contains(render(refused(request)), "a comma stands"));
}

TEST_CASE("a machine is fitted once, and kept") {
  const OwnCache cache;
  PredictRequest request = heat();
  request.machine.clear();
  int fits = 0;
  request.on_fit = [&] { ++fits; };
  const Prediction first = predicted(request), second = predicted(request);
  CHECK(fits == 1);
  CHECK(first.machine.origin == "fitted now");
  CHECK(second.machine.origin == "fitted earlier");
  CHECK(second.machine.mem_ld == first.machine.mem_ld);
  CHECK(second.machine.shared_access == first.machine.shared_access);
  CHECK(second.machine.shared_conflict == first.machine.shared_conflict);
  REQUIRE(first.machine.launch.size() == 5);  // of at most 512 threads
  for (const LaunchInterval& each : first.machine.launch)
    CHECK(launch_interval(second.machine, each.threads) == each.clocks);
  CHECK(second.model.cycles() == first.model.cycles());
  // What the device was made with, found without reading it.
  CHECK(first.machine.shared_conflict == doctest::Approx(2).epsilon(0.1));
  CHECK(first.machine.mem_ld == doctest::Approx(420).epsilon(0.05));
  CHECK(first.machine.departure_uncoal == doctest::Approx(10).epsilon(0.05));
  CHECK(first.machine.issue_cycles == doctest::Approx(4).epsilon(0.05));
  CHECK(first.machine.bandwidth > 76.8e9 / 2);
  CHECK(first.machine.bandwidth < 76.8e9 * 1.05);
}

TEST_CASE("registers limit what an SM of Kepler or of Fermi holds") {
  struct Row {
    const char *device, *registers;
    std::uint32_t blocks;
  };
  // 65,536 registers in units of 256 a warp; 32,768 in units of 64.
  for (const Row& row :
       {Row{"k20", "32", 8}, Row{"k20", "128", 2}, Row{"k20", "255", 1}, Row{"gtx780", "128", 2},
        Row{"m2070", "20", 6}, Row{"m2070", "63", 2}, Row{"gtx560ti", "63", 2}}) {
    CAPTURE(row.device);
    CAPTURE(row.registers);
    PredictRequest request = saxpy_on(row.device, "100e9");
    request.block = {"256"};
    request.registers = row.registers;
    const Prediction p = predicted(request);
    CHECK(p.facts.resident_blocks() == row.blocks);
    CHECK(p.facts.device_blocks == row.blocks);
  }
}
