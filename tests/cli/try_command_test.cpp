// gpx try on the command line: the table, JSON, the limit of time.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "captured.h"
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
  const auto again = read_trials(trials_json(trials, "h100"));
  REQUIRE(again.size() == 3);
  CHECK(again[1].outcome == Tried::refused);
  CHECK(again[1].why == "unknown thing");
  CHECK(Json::parse(trials_json(trials, "h100"))["try"]["totals"]["runs"] == 2);
  CHECK(read_trials("no JSON").empty());
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
