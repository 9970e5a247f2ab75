// gpx try on the command line: the table, JSON, the limit of time.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "captured.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/trial/apart.h"
#include "runtime/cli/trial/trying.h"
#include "tests/left_out.h"

using namespace gpx;
using namespace gpx::cli;
using Json = nlohmann::json;

namespace {

Trial trial(const char* file, const char* kernel, Tried outcome, const char* why = "") {
  return {file, kernel, 3, true, outcome, why, 0, 0.5};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("outcomes are counted by folder, and what does not run is listed with its reason") {
  const std::vector<Trial> trials = {trial("k/a/x.cu", "one", Tried::runs),
                                     trial("k/a/y.cu", "two", Tried::refused, "unknown thing"),
                                     trial("k/b/z.cu", "three", Tried::runs)};
  const report::Style plain{false, true, 100};
  const std::string text = trials_text(trials, "k", "h100", false, plain);
  for (const char* part : {"3 kernels on h100", "folder", "refused", "50.0 %", "100.0 %", "66.7 %",
                           "unknown thing", "k/a/y.cu:3"})
    CHECK_MESSAGE(has(text, part), part);
  CHECK(!has(text, "one"));
  CHECK(has(trials_text(trials, "k", "h100", true, plain), "three"));
  const Json json = Json::parse(trials_json(trials, "h100"))["try"];
  REQUIRE(json["kernels"].size() == 3);
  CHECK(json["kernels"][1]["outcome"] == "refused");
  CHECK(json["kernels"][1]["why"] == "unknown thing");
  CHECK(json["totals"]["runs"] == 2);
}

TEST_CASE("what a kernel prints to standard output does not come between the outcomes") {
  int ends[2], kept[2] = {::dup(STDOUT_FILENO), ::dup(STDERR_FILENO)};
  REQUIRE(::pipe(ends) == 0);
  std::fflush(stdout);
  const int nothing = ::open("/dev/null", O_WRONLY);
  ::dup2(nothing, STDERR_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  {
    const OutputAside aside;
    std::printf("printed by a kernel");
  }
  std::printf("{}");
  std::fflush(stdout);
  ::dup2(kept[0], STDOUT_FILENO);
  ::dup2(kept[1], STDERR_FILENO);
  for (const int each : {ends[1], kept[0], kept[1], nothing}) ::close(each);
  char text[64] = {};
  CHECK(::read(ends[0], text, sizeof text - 1) == 2);
  CHECK(std::string(text) == "{}");
  ::close(ends[0]);
}

TEST_CASE(
    "a mark of byte order, ends of two bytes, bytes of Latin-1; words as macros of a comment") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  folder.write(
      "a.cu",
      "\xef\xbb\xbf// caf\xe9 \\\r\n  goes on\r\n#define SUM(a, b) \\\r\n  ((a) + \\\r\n   "
      "(b))\r\n__global__ void marked(int* out) {\r\n  out[threadIdx.x] = SUM(1, 2);\r\n}\r\n");
  folder.write("b.cu",
               "// gpx: --entry typed --block 4 --buffer ok=16B --define REAL=int --define "
               "'WIDE=unsigned int' --define K=2 expect ok==2\n"
               "__global__ void typed(REAL* ok) { ok[threadIdx.x] = static_cast<WIDE>(K); }\n");
  Captured captured;
  captured.console.program = GPX_PROGRAM;
  CHECK(gpx_main({"try", folder.path(""), "--json", "-"}, captured.console) == 0);
  const Json kernels = Json::parse(captured.out())["try"]["kernels"];
  REQUIRE(kernels.size() == 2);
  for (const Json& kernel : kernels) CHECK_MESSAGE(kernel["outcome"] == "runs", kernel.dump());
}

TEST_CASE("a kernel that never ends is stopped, and the next one is tried") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  folder.write("a.cu",
               "extern \"C\" __global__ void spins(volatile int* a) { while (*a == 0) ++a[1]; }\n"
               "extern \"C\" __global__ void ends(int* a) { *a = 1; }\n");
  Captured captured;
  captured.console.program = GPX_PROGRAM;
  const int status =
      gpx_main({"try", folder.path(""), "--limit", "4", "--json", "-"}, captured.console);
  CHECK(status == 0);
  const Json kernels = Json::parse(captured.out())["try"]["kernels"];
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0]["outcome"] != "runs");
  CHECK(kernels[0]["outcome"] != "crash");
  CHECK(kernels[1]["outcome"] == "runs");
}

// A virtual GPU goes the way of a real one: what a kernel leaves behind ends with its process.
TEST_CASE("kernels share a process until one of them does not run, and come out as each alone") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  folder.write("a.cu",
               "extern \"C\" __global__ void first(int* a) { *a = 1; }\n"
               "extern \"C\" __global__ void second(int* a) { *a = 2; }\n"
               "// gpx: --entry wrong --buffer ok=4B expect ok==2\n"
               "extern \"C\" __global__ void wrong(int* ok) { *ok = 1; }\n"
               "extern \"C\" __global__ void traps(int* a) { asm(\"trap;\"); }\n"
               "extern \"C\" __global__ void third(int* a) { *a = 3; }\n"
               "template <int N> __global__ void none(int* a) { *a = N; }\n"
               "extern \"C\" __global__ void fourth(int* a) { *a = 4; }\n");
  folder.write("b.cu", "extern \"C\" __global__ void broken(int* a) { *a = b; }\n");
  struct Row {
    const char *name, *outcome;
    std::size_t processes;  // that were started until then
  };
  // What does not run in a process of others is tried again in one of its own.
  const Row rows[] = {{"first", "runs", 1},         {"second", "runs", 1},
                      {"wrong", "wrong_result", 2}, {"traps", "refused", 3},
                      {"third", "runs", 4},         {"none", "no_instance", 4},
                      {"fourth", "runs", 4},        {"broken", "compile_error", 4}};
  TrialsApart together(GPX_PROGRAM, "h100", kTryLimits.seconds);
  std::size_t row = 0;
  for (const char* name : {"a.cu", "b.cu"}) {
    const auto kernels = find_kernels(*read_source(folder.path(name)));
    REQUIRE(kernels);
    for (const FoundKernel& kernel : *kernels) {
      REQUIRE(row < std::size(rows));
      INFO(kernel.name);
      const Trial trial = together.run(kernel, nullptr);
      CHECK(kernel.name == rows[row].name);
      CHECK(to_string(trial.outcome) == rows[row].outcome);
      CHECK(trial.kernel == kernel.name);
      CHECK(trial.line == kernel.line);
      CHECK(together.processes() == rows[row++].processes);
      const Trial alone = TrialsApart(GPX_PROGRAM, "h100", kTryLimits.seconds).run(kernel, nullptr);
      CHECK(alone.outcome == trial.outcome);
      CHECK(alone.why == trial.why);
      CHECK(alone.why_line == trial.why_line);
      CHECK(alone.guessed == trial.guessed);
    }
  }
  CHECK(row == std::size(rows));
}

// A device executes some 10 million instructions a second, and gpx refuses after 100 million.
TEST_CASE("a kernel that does not end costs its time and its process, and nothing else") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  folder.write("a.cu",
               "extern \"C\" __global__ void spins(volatile int* a) { while (*a == 0) ++a[1]; }\n");
  const auto kernels = find_kernels(*read_source(folder.path("a.cu")));
  REQUIRE(kernels);
  TrialsApart hasty(GPX_PROGRAM, "h100", 0.1);
  for (const std::size_t processes : {1u, 2u}) {
    const Trial trial = hasty.run(kernels->front(), nullptr);
    CHECK(to_string(trial.outcome) == "time_out");
    CHECK(trial.kernel == "spins");
    CHECK(trial.why == "it had not ended after 0.1 s of a processor");
    CHECK(hasty.processes() == processes);
  }
  const std::atomic<bool> stop = true;  // Ctrl-C
  TrialsApart stopped(GPX_PROGRAM, "h100", kTryLimits.seconds);
  CHECK(stopped.run(kernels->front(), &stop).outcome == Tried::crash);
}

TEST_CASE("what machine code is refused for is told with the line of the kernel's file") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  folder.write("a.cu",
               "// gpx: --entry far --grid 1 --block 32 --buffer out=128B\n"
               "__device__ __forceinline__ int twice(int x) { return 2 * x; }\n"
               "extern \"C\" __global__ void far(int* out) {\n"
               "  const int x = twice(out[threadIdx.x]);\n\n"
               "  out[x + 100000000] = 1;\n}\n");
  Captured captured;
  captured.console.program = GPX_PROGRAM;
  CHECK(gpx_main({"try", folder.path(""), "--json", "-"}, captured.console) == 0);
  const Json kernel = Json::parse(captured.out())["try"]["kernels"][0];
  CHECK(kernel["outcome"] == "refused");
  CHECK(kernel["why_line"] == 6);
  CHECK_MESSAGE(has(kernel["why"], "STG"), kernel["why"]);
}
