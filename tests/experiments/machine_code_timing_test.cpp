// What machine code takes against planted truth: registers that accesses read, the banks that hold
// those of arithmetic, and the fence of a cluster's barrier.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/codegen/support.h"
#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

namespace fs = std::filesystem;

const Changes kCode = {
    {"  compute_capability", "  machine_code = \"sm_90a\",\n  compute_capability"}};

/// An H100 that executes machine code, with some of its text replaced.
class CodePlanted {
 public:
  explicit CodePlanted(const Changes& changes) {
    static int made = 0;
    path_ = fs::temp_directory_path() / fmt::format("gpx-code-{}-{}.lua", getpid(), ++made);
    Changes all = kCode;
    all.insert(all.end(), changes.begin(), changes.end());
    std::ofstream(path_) << changed_description("hopper", all);
  }
  ~CodePlanted() { fs::remove(path_); }
  CodePlanted(const CodePlanted&) = delete;
  CodePlanted& operator=(const CodePlanted&) = delete;

  ExperimentResult run(const std::string& head, const std::string& body) const {
    RunOptions options;
    options.device = path_.string();
    Session session(source_paths());
    const std::string text = fmt::format("experiment e {{\n{}\n  < {} >\n}}\n", head, body);
    return test::run(session, Source("test.gpx", text), options).experiments.at(0);
  }
  std::vector<std::string> warnings(const std::string& body) const {
    return run("threads 32", body).warnings;
  }
  double latency(const std::string& head, const std::string& body) const {
    return run(head, body).samples.find("latency")->numbers.at(0);
  }

 private:
  fs::path path_;
};

Changes reading(int registers, int read) {
  return {{"  lsu = {", fmt::format("  lsu = {{ registers = \"{} clocks\", read = \"{} clocks\",",
                                    registers, read)}};
}

/// A partition reads so many registers in a clock.
Changes reads(const std::string& registers) {
  return {{"operand_reads = { 2,", "operand_reads = { " + registers + ","}};
}

}  // namespace

TEST_CASE("machine code: a store takes its partition for each register that it reads") {
  GPX_NEEDS_NVRTC();
  const std::string one = "store unique(4B) x1", six = "store unique(4B) x6";
  const CodePlanted three(reading(3, 20)), five(reading(5, 20));
  // An address of two registers and a word.
  CHECK(three.latency("threads 32", six) - three.latency("threads 32", one) == 5 * 3 * 3);
  CHECK(five.latency("threads 32", six) - five.latency("threads 32", one) == 5 * 3 * 5);
  // In shared memory an address is one register; the assembler leaves 4 clocks to the next store.
  const std::string shared = "store shared stride(4B) x";
  CHECK(three.latency("threads 32", shared + "6") - three.latency("threads 32", shared + "4") ==
        2 * 2 * 3);
}

TEST_CASE("machine code: who overwrites what a store reads waits until it is read") {
  GPX_NEEDS_NVRTC();
  const CodePlanted soon(reading(2, 20)), late(reading(2, 33));
  const std::string store = "store unique(4B) x1";
  CHECK(late.latency("threads 32", store) - soon.latency("threads 32", store) == 13);
}

TEST_CASE("machine code: a warp that exits keeps its place until its stores are read") {
  GPX_NEEDS_NVRTC();
  const fs::path file = fs::temp_directory_path() / fmt::format("gpx-last-{}.cu", getpid());
  std::ofstream(file) << "extern \"C\" __global__ void last(int* out) { out[threadIdx.x] = 1; }";
  const std::string head = fmt::format(
      "kernel last from \"{}\" entry last(out = buffer(4KB, zero))\n  threads 32\n  observe time",
      file.string());
  const auto seconds = [&](int read) {
    return CodePlanted(reading(2, read)).run(head, "run last").samples.find("time")->numbers.at(0);
  };
  const double clock = 1 / 1.98e9;
  CHECK(seconds(5020) - seconds(1020) == doctest::Approx(4000 * clock).epsilon(0.01));
  fs::remove(file);
}

TEST_CASE("machine code: two banks hand over the registers of arithmetic") {
  GPX_NEEDS_NVRTC();
  const CodePlanted one(reads("1")), two(reads("2")), four(reads("4"));
  const std::string chain = "fma.rn.f32 x128 chain";
  // One of the factors and the sum lie in one bank. Eight warps of a partition issue 128 each.
  const double slow = two.latency("threads 1024", chain),
               fast = four.latency("threads 1024", chain);
  CHECK(slow - fast == doctest::Approx(8 * 128).epsilon(0.05));
  CHECK(one.latency("threads 1024", chain) - slow == doctest::Approx(2 * 8 * 128).epsilon(0.05));
  CHECK(two.latency("threads 32", chain) == four.latency("threads 32", chain));
}

TEST_CASE(
    "machine code: shared_sums: of the lanes that meet in a bank one adds, the others again") {
  GPX_NEEDS_NVRTC();
  const CodePlanted device(Changes{});
  const auto clocks = [&](const std::string& where) {
    return device.latency("threads 32", "atom.add.f32 shared " + where + " x8 chain");
  };
  // All on one word, and on 32 words of one bank: 32 rounds; on eight words of eight banks: four.
  const double apart = clocks("stride(4B)"), same = clocks("same"), bank = clocks("stride(128B)"),
               four = clocks("merge(4, 4B)");
  CHECK(same > 20 * apart);
  CHECK(bank > same);
  CHECK(four > 2 * apart);
  CHECK(four < same / 4);
}

TEST_CASE("machine code: calls through pointers and returns take what their row says") {
  GPX_NEEDS_NVRTC();
  const fs::path file = fs::temp_directory_path() / fmt::format("gpx-calls-{}.cu", getpid());
  std::ofstream(file) << R"(
    __device__ __noinline__ float one(float x) { return x * 1.5f + 1; }
    __device__ __noinline__ float two(float x) { return x * 0.5f + 2; }
    extern "C" __global__ void calls(float* out, int rounds, int kinds) {
      float (*function[2])(float) = {one, two};
      float v = threadIdx.x;
      for (int i = 0; i < rounds; ++i) v = function[(threadIdx.x % kinds + i) & 1](v);
      out[threadIdx.x] = v;
    })";
  const auto plant = [](const std::string& latency) {
    return Changes{{"[\"sass.branch.register\"] = op(40, 25.6,",
                    "[\"sass.branch.register\"] = op(" + latency + ", 64,"}};
  };
  const CodePlanted soon(plant("10")), late(plant("50"));
  const auto clocks = [&](const CodePlanted& device, int rounds, int kinds) {
    const std::string head = fmt::format(
        "kernel k from \"{}\" entry calls(out = buffer(4KB, zero), rounds = {}, kinds = {})\n"
        "threads 32\nblocks 1\nobserve time",
        file.string(), rounds, kinds);
    return device.run(head, "run k").samples.find("time")->numbers.at(0) * 1.98e9;
  };
  const auto more = [&](int kinds) {
    return clocks(late, 72, kinds) - clocks(late, 8, kinds) - clocks(soon, 72, kinds) +
           clocks(soon, 8, kinds);
  };
  // A call and a return each, once for each function that lanes go to.
  CHECK(more(1) == doctest::Approx(64 * 2 * 40).epsilon(0.05));
  CHECK(more(2) == doctest::Approx(64 * 4 * 40).epsilon(0.05));
  fs::remove(file);
}

TEST_CASE("machine code: operations take what their rows say, and what the assembler counts") {
  GPX_NEEDS_NVRTC();
  struct Row {
    const char *operation, *from, *to;  ///< What is planted in place of what.
    int clocks, planted;                ///< Of one more execution.
  };
  constexpr Row kRows[] = {
      // A product of 15 clocks, and nothing for one that yields: the warp leaves out another.
      {"mma.m16n8k8.f32.f16", "", "", 17, 17},
      {"mma.m16n8k16.f32.f16", "", "", 24, 24},
      {"add.sat.s32", "", "", 18, 18},  // SIGN3
      {"griddepcontrol.wait", "", "", 1, 1},
      {"griddepcontrol.launch_dependents", "", "", 8, 8},
      // A product of 64 bits and a shift of its lower half, on another pipe.
      {"mul24.hi.u32", "wide\"]       = op(9", "wide\"]       = op(12", 20, 23},
      // The stall of six counts from two clocks later; who reads the product waits for it.
      {"mul.hi.u32", "wide\"]       = op(9", "wide\"]       = op(20", 9, 20},
      {"mul.hi.u32", "wide\"]       = op(9", "wide\"]       = op(4", 9, 8},
      {"mul.hi.u64", "", "", 33, 33},
      {"match.any.b64", "64\"] = op(435", "64\"] = op(500", 435, 500},
      {"atom.shared.cas.b32", "cas\"]  = op(30", "cas\"]  = op(40", 30, 40},
      {"stmatrix.x2", "store.2\"] = op(9", "store.2\"] = op(19", 34, 44},
      {"stmatrix.x4", "store.4\"] = op(17", "store.4\"] = op(27", 46, 56},
      // The barrier that is set takes what the assembler counts, not what a branch does.
      {"sqrt.rn.f32", "branch.sync\"] = op(13", "branch.sync\"] = op(23", 50, 60},
      // 31 further lanes.
      {"mbarrier.arrive.test_wait", "lane\"] = op(24", "lane\"] = op(25", 811, 842},
  };
  for (const Row& row : kRows) {
    CAPTURE(std::string(row.operation));
    const Changes changes = row.clocks == row.planted ? Changes{} : Changes{{row.from, row.to}};
    const CodePlanted plain(Changes{}), planted(changes);
    const auto one_more = [&](const CodePlanted& device) {
      const auto chain = [&](int n) { return fmt::format("{} x{} chain", row.operation, n); };
      return (device.latency("threads 32", chain(24)) - device.latency("threads 32", chain(16))) /
             8;
    };
    // An addition in a chain may take either of two pipes.
    CHECK(one_more(plain) == doctest::Approx(row.clocks).epsilon(0.01));
    CHECK(one_more(planted) == doctest::Approx(row.planted).epsilon(0.01));
  }
}

TEST_CASE("machine code: further lanes that arrive at an mbarrier take the unit, too") {
  GPX_NEEDS_NVRTC();
  const CodePlanted soon(Changes{{"op(24, 3.32)", "op(24, 3.2)"}}),
      late(Changes{{"op(24, 3.32)", "op(24, 1.6)"}});
  const std::string arrivals = "mbarrier.arrive.test_wait x16 streams 4";
  // 31 lanes of 16 arrivals of each of 32 warps, by 10 clocks.
  CHECK(late.latency("threads 1024", arrivals) - soon.latency("threads 1024", arrivals) ==
        doctest::Approx(31 * 16 * 32 * 10).epsilon(0.05));
}

TEST_CASE("machine code: barriers and reads of the clock take no pipe") {
  GPX_NEEDS_NVRTC();
  // 40 clocks of a partition for each instruction of the pipe.
  const Changes forty = {
      {"[\"sass.alu\"]        = op(4, 64)", "[\"sass.alu\"]        = op(4, 3.2)"}};
  const CodePlanted slow(forty);
  CHECK(slow.latency("threads 32", "bar.sync x9 chain") -
            slow.latency("threads 32", "bar.sync x5 chain") ==
        4 * 14);
}

TEST_CASE("machine code: a chase through a texture larger than 2 MB reads that texture") {
  GPX_NEEDS_NVRTC();
  const CodePlanted device(Changes{});
  // Sixteen more hits of four lines.
  const auto hits = [&](const std::string& array) {
    const std::string head = "threads 32\n  array a : " + array;
    const double sixteen = device.latency(head, "load a x16 chain");
    return device.latency(head, "load a x32 chain") - sixteen;
  };
  CHECK(hits("texture[4MB] chase(stride 1MB)") == hits("texture[2MB] chase(stride 512KB)"));
}

TEST_CASE("machine code: the warps of an SM arrive at a cluster's barrier one after another") {
  GPX_NEEDS_NVRTC();
  const auto clocks = [](const std::string& each, int warps) {
    const CodePlanted device(
        Changes{{"    release = { \"671",
                 "    per_warp = \"" + each + " clocks\",\n    release = { \"671"}});
    return device.latency(fmt::format("cluster 2\n  blocks 2\n  threads {}", 32 * warps),
                          "barrier.cluster.relaxed x4 chain");
  };
  CHECK(clocks("6.5", 1) == clocks("2.5", 1));
  CHECK(clocks("6.5", 9) - clocks("2.5", 9) == 4 * 8 * 4);
}

TEST_CASE("machine code: with a slower barrier nothing behind it comes earlier") {
  GPX_NEEDS_NVRTC();
  // Behind a barrier that is not complete a warp computes on; what asks an mbarrier waits for it.
  const auto clocks = [](const std::string& latency, const std::string& operation) {
    const std::string text = "latency = \"" + latency + " clocks\",\n    per_warp = \"2 clocks\"";
    const CodePlanted device(
        Changes{{"latency = \"14 clocks\",\n    per_warp = \"2 clocks\"", text + ", queue = 12"}});
    return device.latency("threads 32", "bar.sync x1 chain; " + operation + " x1 chain");
  };
  for (const std::string& operation :
       {std::string("mbarrier.test_wait"), std::string("shfl.bfly.b32")}) {
    CAPTURE(operation);
    CHECK(clocks("114", operation) >= clocks("14", operation));
  }
}

TEST_CASE("machine code: a barrier that publishes to its cluster takes the fence's time") {
  GPX_NEEDS_NVRTC();
  const CodePlanted plain(Changes{}), later(Changes{{"release = { \"671", "release = { \"771"}});
  const std::string head = "cluster 2\n  blocks 2\n  threads 32";
  for (const auto& [barrier, more] :
       {std::pair{"barrier.cluster", 100}, {"barrier.cluster.relaxed", 0}}) {
    const std::string chain = std::string(barrier) + " x4 chain";
    CHECK(later.latency(head, chain) - plain.latency(head, chain) == 4 * more);
  }
}

TEST_CASE("without NVRTC a device of machine code executes PTX, and a warning states it") {
  GPX_NEEDS_CLANG();
  const std::string note = "'planted-hopper' executes PTX, since NVRTC is not here";
  const auto notes = [&] {
    const auto all = CodePlanted(Changes{}).warnings("add.u32 x4 chain");
    return std::ranges::count_if(all, [&](const auto& each) { return each.starts_with(note); });
  };
  {
    const codegen::test::Environment off("GPX_NVRTC", "off");
    CHECK(notes() == 1);
  }
  GPX_NEEDS_NVRTC();
  CHECK(notes() == 0);
}

}  // namespace gpx::test
