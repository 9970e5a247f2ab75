#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "captured.h"
#include "tests/left_out.h"

using namespace gpx::cli;
using Json = nlohmann::json;

namespace {

const char* kSmall = "sweep threads 32..128 step 32 < load unique(128B) x2 >\n";

Ended run_k20(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--device", "k20"});
  return command(arguments, input);
}

}  // namespace

TEST_CASE("JSON on standard output is the only thing there") {
  const TemporaryFolder folder;
  const Ended outcome = run_k20({folder.write("a.gpx", kSmall), "--json", "-"});
  CHECK(outcome.status == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json["experiments"][0]["device"]["kind"] == "virtual");
  CHECK(json["experiments"][0]["samples"]["rows"].size() == 4);
  CHECK(contains(outcome.err, "a model, not a measurement"));
}

TEST_CASE("the report says that the device is a model, and files hold the same run") {
  const TemporaryFolder folder;
  const Ended outcome = run_k20({folder.write("a.gpx", kSmall), "--json", folder.path("a.json"),
                                 "--csv", folder.path("a.csv")});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(contains(outcome.out, "virtual GPU k20: a model, not a measurement"));
  CHECK(Json::parse(folder.read("a.json")).at("schema") == 1);
  CHECK(contains(folder.read("a.csv"), "experiment,threads,repetition,latency"));
  CHECK(folder.listing() == "a.csv\na.gpx\na.json\n");
}

TEST_CASE("the report says which launches of a kernel from a file are timed, and what L2 holds") {
  const TemporaryFolder folder;
  folder.write("k.cu", "__global__ void add(int* a) { a[threadIdx.x] += 2; }\n");
  const auto told = [&](const std::string& clauses) {
    return run_k20({folder.write("a.gpx",
                                 "experiment e {\n kernel k from \"k.cu\" entry add(a = "
                                 "buffer(1KB))\n " +
                                     clauses + "\n < run k >\n}\n")})
        .out;
  };
  CHECK(contains(told(""), "1 point × 1 repetition after 1 untimed launch · seed 1"));
  CHECK(contains(told("warmup 3\n repeat 2"), "× 2 repetitions after 3 untimed launches · seed"));
  CHECK(contains(told("flush"), "× 1 repetition, each after a flush of L2 · seed 1"));
  const Ended own = run_k20({folder.write("b.gpx", kSmall)});
  CHECK(contains(own.out, "4 points × 1 repetition · seed 1"));
}

TEST_CASE("a point whose block no SM can hold is named, and the others are run") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  folder.write("k.cu",
               "__global__ void f(float* out, const float* in) {\n  float a[48];\n#pragma unroll\n"
               "  for (int i = 0; i < 48; ++i) a[i] = in[threadIdx.x * 48 + i];\n#pragma unroll\n"
               "  for (int k = 0; k < 192; ++k) a[k % 48] += a[(k + 7) % 48] * a[(k * 5) % 48];\n"
               "  float s = 0;\n#pragma unroll\n  for (int i = 0; i < 48; ++i) s += a[i];\n"
               "  out[threadIdx.x] = s;\n}\n");
  const auto ran = [&](const std::string& sweep) {
    const std::string file = folder.write(
        "a.gpx",
        "experiment e {\n kernel k from \"k.cu\" entry f(out = buffer(4KB, zero), in = "
        "buffer(128KB, uniform(0, 1)))\n " +
            sweep + "\n < run k >\n}\n");
    return command({"run", file, "--device", "gtx280"});
  };
  const Ended some = ran("sweep threads in [64, 512]");
  CHECK(some.status == 0);
  CHECK(contains(some.out,
                 "no SM of gtx280 can hold a block of 'f' at 1 of 2 points, the first at "
                 "threads=512: "));
  CHECK(contains(some.out, "launch_failure"));
  CHECK(contains(some.out, "those of a thread are of its machine code for sm_75"));
  const Ended none = ran("threads 512");
  CHECK(none.status != 0);
  CHECK(contains(none.err, "registers a block, an SM of 'gtx280' has 16384"));
}

TEST_CASE("registers that limit the occupancy are told where warps do not fill the SM") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  const auto warned = [&](int registers) {
    folder.write("k.cu",
                 "__global__ void __maxnreg__(" + std::to_string(registers) +
                     ") f(float*, const float*);\n"
                     "__global__ void f(float* out, const float* in) {\n  float a[64];\n"
                     "#pragma unroll\n  for (int i = 0; i < 64; ++i) a[i] = in[i];\n"
                     "#pragma unroll\n"
                     "  for (int k = 0; k < 256; ++k) a[k % 64] += a[(k + 7) % 64];\n"
                     "  float s = 0;\n#pragma unroll\n  for (int i = 0; i < 64; ++i) s += a[i];\n"
                     "  out[threadIdx.x] = s;\n}\n");
    const Ended ran = command(
        {"run",
         folder.write("a.gpx",
                      "experiment e {\n kernel k from \"k.cu\" entry f(out = buffer(4KB, zero), in "
                      "= buffer(4KB, uniform))\n threads 256\n < run k >\n}\n"),
         "--device", "h100"});
    CHECK(ran.status == 0);
    return contains(ran.out, "registers limit the occupancy");
  };
  CHECK(warned(64));
  CHECK_FALSE(warned(32));
}

TEST_CASE("a file without an experiment is the user's error, and leaves no result file") {
  const TemporaryFolder folder;
  for (const char* text : {"", "# nothing\n", "param n = 3\n"}) {
    const Ended outcome = run_k20({folder.write("a.gpx", text), "--json", folder.path("a.json")});
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "there is no experiment in"));
    CHECK(folder.listing() == "a.gpx\n");
  }
}

TEST_CASE("a trace goes to its file, statistics are shown") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kSmall), trace = folder.path("t.json");
  const Ended outcome = run_k20({file, "--quiet", "--dump=stats", "--trace", trace});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "stalled, warp clocks by reason"));
  CHECK(contains(outcome.out, "hit rate"));
  CHECK_FALSE(contains(outcome.out, "thread_name"));
  const Json events = Json::parse(folder.read("t.json"));
  CHECK(events.size() > 100);
  CHECK(events[0]["args"]["name"] == "GPU");
  CHECK(Json::parse(run_k20({file, "--quiet", "--dump=trace"}).out) == events);
  CHECK(run_k20({file, "--quiet", "--trace", folder.path("no/such/t.json")}).status == 3);
}

TEST_CASE("quiet leaves standard output to what was asked for") {
  const TemporaryFolder folder;
  const Ended outcome = run_k20({folder.write("a.gpx", kSmall), "--quiet"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out + outcome.err == "");
  CHECK(contains(run_k20({folder.path("a.gpx"), "--quiet", "--dump=ptx"}).out, ".entry"));
}

TEST_CASE("a run begins at a stage whose text it is given") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kSmall);
  const Ended whole = run_k20({file, "--quiet", "--csv", "-"});
  for (const char* stage : {"experiment", "program"}) {
    CAPTURE(stage);
    const Ended dumped = run_k20({file, "--quiet", "--dump", stage});
    const std::string text = folder.write("stage.txt", dumped.out);
    const Ended entered = run_k20({text, "--from", stage, "--quiet", "--csv", "-"});
    CHECK(entered.err == "");
    CHECK(entered.out == whole.out);
  }
  const std::string kernel = run_k20({file, "--quiet", "--dump=kernel"}).out;
  const std::string text = folder.write("kernel.txt", kernel);
  const Ended entered = run_k20({text, "--from=kernel", "--set", "data=1MB"});
  CHECK(entered.status == 2);
  CHECK(contains(entered.err, "kernel.txt:"));
  CHECK(contains(entered.err, "nothing gives the scalar"));
  const std::string wrong = folder.write("wrong.txt", "kernel k {\n  threads none\n");
  const Ended broken = run_k20({wrong, "--from=kernel"});
  CHECK(broken.status == 2);
  CHECK(contains(broken.err, "wrong.txt:2:11: error: expected a number of threads"));
  CHECK(run_k20({file, "--from=ptx"}).status == 2);
}

TEST_CASE("an expectation that fails is status 1 on the device that it is about, 0 on another") {
  const TemporaryFolder folder;
  const auto about = [&](const std::string& device) {
    return folder.write(device + ".gpx", "experiment a {\n  device " + device +
                                             "\n  sweep n 1..3, threads 64..1024 step 64\n"
                                             "  < load unique(128B) x n >\n"
                                             "  analyze outstanding(x = threads, loads = n)\n"
                                             "  expect outstanding.kind == \"nonsense\"\n}\n");
  };
  const Ended own = run_k20({about("k20")});
  CHECK(own.status == 1);
  CHECK(contains(own.out, "FAIL  outstanding.kind"));
  const Ended other = run_k20({about("m2070")});
  CHECK(other.status == 0);
  CHECK(contains(other.out, "written for m2070: a comparison here"));
}

TEST_CASE("an analysis that fails is reported with its place, and the samples are kept") {
  const TemporaryFolder folder;
  folder.write("bad.lua", "error('no idea')\n");
  const std::string file =
      folder.write("a.gpx",
                   "experiment a {\n  sweep threads 32..128 step 32\n  < load unique(128B) >\n"
                   "  analyze \"bad.lua\"\n}\n");
  const Ended outcome = run_k20({file, "--json", "-"});
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "bad.lua"));
  const Json experiment = Json::parse(outcome.out)["experiments"][0];
  CHECK(experiment["samples"]["rows"].size() == 4);
  CHECK(experiment["failure"]["fault"] == "input");
}

TEST_CASE("a result that cannot be written is status 3 and nothing runs") {
  const TemporaryFolder folder;
  const Ended outcome =
      run_k20({folder.write("a.gpx", kSmall), "--json", folder.path("no/a.json")});
  CHECK(outcome.status == 3);
  CHECK(outcome.out == "");
  CHECK(contains(outcome.err, "no/a.json"));
}

TEST_CASE("a full disk is status 3, and the report is not lost with the file") {
  const TemporaryFolder folder;
  const Ended outcome = run_k20({folder.write("a.gpx", kSmall), "--json", "/dev/full"});
  CHECK(outcome.status == 3);
  CHECK(contains(outcome.out, "latency"));
  CHECK(contains(outcome.err, "No space left"));
}

TEST_CASE("wrong input is status 2, runs nothing and leaves the old result") {
  const TemporaryFolder folder;
  folder.write("a.json", "old");
  const std::string bad = folder.write("bad.gpx", "sweep threads 2..64 < laod unique(128B) >\n");
  const Ended outcome =
      run_k20({folder.write("a.gpx", kSmall), bad, "--json", folder.path("a.json")});
  CHECK(outcome.status == 2);
  CHECK(outcome.out == "");
  CHECK(contains(outcome.err, "bad.gpx:1:"));
  CHECK(folder.read("a.json") == "old");
  CHECK(run_k20({folder.path("a.gpx"), "--json", "-", "--csv", "-"}).status == 2);
}

TEST_CASE("two files make one document") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kSmall);
  const Json json = Json::parse(run_k20({file, file, "--json", "-"}).out);
  CHECK(json["experiments"].size() == 2);
}
