#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "captured.h"
#include "codegen/files/files.h"
#include "runtime/build_id.h"

using namespace gpx::cli;
using Json = nlohmann::json;

namespace {

const char* kStored =
    "experiment small { sweep threads 32..320 step 32 repeat 3 < load unique(128B) x2 > }\n";

/// A folder with a store of its own.
struct Workshop {
  TemporaryFolder folder;

  Ended gpx(const std::vector<std::string>& arguments, const std::string& input = {}) const {
    Captured captured(input);
    const int status = gpx_main(arguments, captured.console);
    return {status, captured.out(), captured.err()};
  }
  Ended with_store(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--store", folder.path("gpx.db")});
    return gpx(arguments);
  }
  Ended run(const std::vector<std::string>& more = {}, const char* text = kStored) const {
    std::vector<std::string> arguments = {"run", folder.write("a.gpx", text), "--device", "k20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return with_store(arguments);
  }
};

}  // namespace

TEST_CASE("a run is kept, listed, shown as it was reported, and exported") {
  const Workshop work;
  const Ended ran = work.run({"--json", work.folder.path("a.json")});
  REQUIRE(ran.status == 0);
  const Ended list = work.with_store({"runs"});
  CHECK(list.status == 0);
  CHECK(contains(list.out, "complete"));
  CHECK(contains(list.out, "small"));
  CHECK(contains(list.out, "k20 (virtual)"));
  const Json entries = Json::parse(work.with_store({"runs", "--json"}).out);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0]["points"] == 10);
  CHECK(contains(entries[0]["command"].get<std::string>(), "gpx run "));
  CHECK(Json::parse(work.with_store({"runs", "--json", "--device", "h100"}).out).empty());

  CHECK(contains(work.with_store({"show", "last"}).out, ran.out));
  CHECK(work.with_store({"show", "1", "--json"}).out == work.folder.read("a.json"));
  const std::string csv = work.with_store({"show", "1", "--samples"}).out;
  CHECK(contains(csv, "experiment,threads,repetition,latency\nsmall,32,0,"));
  CHECK(work.with_store({"export", "1", "--csv"}).out == csv);
  CHECK(contains(work.with_store({"export", "--csv", "x.csv"}).err,
                 "hint: a file to write is --output x.csv, RUN is a run such as last"));
  CHECK(work.with_store({"export", "1", "-o", work.folder.path("e.json")}).status == 0);
  const std::string other = work.folder.path("other.db");
  CHECK(work.gpx({"import", work.folder.path("e.json"), "--store", other}).out ==
        work.folder.path("e.json") + ": run 1\n");
  CHECK(work.gpx({"export", "1", "--store", other}).out == work.folder.read("e.json"));
  CHECK(work.gpx({"import", work.folder.path("e.json"), "--store", other}).status == 2);
}

TEST_CASE("the ending of a file says what is exported; an option says it better") {
  const Workshop work;
  REQUIRE(work.run({"-q"},
                   "experiment small { device k20\n sweep operand in [a, c], n in [4, 8, 12, 16]\n"
                   "< fma.rn.f32 x n chain operand >\n"
                   "analyze operands(op = \"fma.rn.f32\", operand = operand, count = n) }\n")
              .status == 0);
  const struct {
    const char* file;
    std::vector<std::string> more;
    const char* begins;
  } rows[] = {
      {"a.csv", {}, "experiment,operand,n,repetition,latency\n"},
      {"a.json", {}, "{\n"},
      {"a.txt", {}, "{\n"},
      {"a.md", {}, "**small** on k20 (virtual)"},
      {"a.tex", {}, "%"},
      {"b.csv", {"--json"}, "{\n"},
      {"b.csv", {"--findings", "csv"}, "experiment,"},
      {"b.json", {"--csv"}, "experiment,operand,n,"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.file));
    const std::string path = work.folder.path(row.file);
    std::vector<std::string> arguments = {"export", "last", "-o", path};
    arguments.insert(arguments.end(), row.more.begin(), row.more.end());
    const Ended ended = work.with_store(arguments);
    CHECK(ended.status == 0);
    CHECK(ended.out == "wrote " + path + ": small on k20 (virtual)\n");
    CHECK(work.folder.read(row.file).starts_with(row.begins));
  }
  CHECK(work.with_store({"export", "last", "-q", "-o", work.folder.path("q.csv")}).out == "");
}

TEST_CASE("a run without findings has no table of them to export") {
  const Workshop work;
  REQUIRE(work.run({"-q"}, "experiment plain { device k20\n < load unique(4B) > }\n").status == 0);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"export", "last", "--findings", "md"},
        std::vector<std::string>{"export", "last", "-o", work.folder.path("x.tex")}}) {
    const Ended ended = work.with_store(arguments);
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, "the run 'last' (plain of "));
    CHECK(contains(ended.err, ") has no findings: its experiments have no analyze clause"));
    CHECK(contains(ended.err, "--csv writes its samples"));
  }
}

TEST_CASE("a run whose analysis failed says so where its findings are wanted") {
  const Workshop work;
  REQUIRE(
      work.run({"-q"},
               "experiment wrong { device k20 sweep n in [1, 2, 3, 4], m in [1, 2], r in [1, 2]\n"
               " < add.u32 x n * m * r chain a >\n analyze operands(op = \"add.u32\", "
               "operand = m, count = n) }\n")
          .status != 0);
  const Ended ended = work.with_store({"export", "last", "--findings", "md"});
  CHECK(ended.status == 2);
  CHECK(contains(ended.err, "(wrong of "));
  CHECK(contains(ended.err, "has no findings: it failed: "));
}

TEST_CASE("of a run that failed before its first point there are no samples to export") {
  const Workshop work;
  work.folder.write("k.cu", "extern \"C\" __global__ void k(int* out, int n) { out[n] = 1; }\n");
  const Ended ran = work.run({},
                             "experiment outside {\n  kernel k from \"k.cu\" entry k(out = "
                             "buffer(4KB), n = 2000000000)\n  < run k >\n}\n");
  REQUIRE(ran.status == 2);
  const Ended csv = work.with_store({"export", "last", "-o", work.folder.path("x.csv")});
  CHECK(csv.status == 2);
  CHECK(
      contains(csv.err, "the run 'last' failed before anything was measured: kernel 'k', 1 block"));
  CHECK(contains(csv.err, "hint: gpx runs lists the runs"));
  CHECK(work.with_store({"export", "last", "--findings", "md"}).status == 2);
  const Ended json = work.with_store({"export", "last", "-o", work.folder.path("x.json")});
  CHECK(json.status == 0);
  CHECK(contains(json.out, "x.json: outside on k20 (virtual); the run failed: kernel 'k'"));
}

TEST_CASE("runs with no experiment in common are no comparison: status 2") {
  const Workshop work;
  const std::string a = work.folder.write("a.json", ""), b = work.folder.write("b.json", "");
  for (const auto& [name, file] : {std::pair("one", a), std::pair("two", b)}) {
    const std::string source = work.folder.write(
        fmt::format("{}.gpx", name), fmt::format("experiment {} {{ < load broadcast > }}", name));
    REQUIRE(
        command({"run", source, "--device", "k20", "-q", "--no-store", "--json", file}).status ==
        0);
  }
  const Ended none = command({"diff", a, b});
  CHECK(none.status == 2);
  CHECK(contains(none.out, "0 same, 0 different, 2 cannot tell"));
  CHECK_FALSE(contains(none.out, "status 0"));
  CHECK(contains(none.err, "no experiment in common: nothing was compared"));
  CHECK(command({"diff", a, a}).status == 0);
  CHECK(
      contains(gpx::file_text(a).value_or(""), fmt::format("\"build\": \"{}\"", gpx::build_id())));
}

TEST_CASE("a run is repeated, and two runs are compared") {
  const Workshop work;
  REQUIRE(work.run({"-q", "--set", "repeat=5"}).status ==
          2);  // No such parameter: nothing is kept.
  REQUIRE(work.run({"-q", "--set", "threads=64..1024 step 64"}).status == 0);
  CHECK(work.with_store({"rerun", "1", "-q"}).status == 0);
  const Ended same = work.with_store({"diff", "1", "2"});
  CHECK(same.status == 0);
  CHECK(contains(same.out, "all samples of 16 points are equal"));
  CHECK(contains(same.out, "1 same, 0 different, 0 cannot tell"));
  CHECK(work.with_store({"rerun", "1", "-q", "--device", "m2070"}).status == 0);
  const Ended other = work.with_store({"diff", "1", "last"});
  CHECK(other.status == 1);
  CHECK(contains(other.out, "second: run 3 (complete, on m2070 (virtual))"));
  CHECK(contains(other.out, "0 same, 1 different"));
  CHECK(contains(other.out,
                 "caution: the first counts clocks of 706 MHz, the second of 1.15 GHz: in time a "
                 "ratio of clocks is 0.6139 times that"));
  CHECK_FALSE(contains(same.out, "caution"));
}

TEST_CASE("a run is repeated with the kernel's file as it was then") {
  const Workshop work;
  work.folder.write("k.cu", "__global__ void add(int* a) { a[threadIdx.x] += 2; }\n");
  const char* text =
      "experiment e {\n  kernel k from \"k.cu\" entry add(a = buffer(1KB))\n"
      "  sweep threads in [32, 64]\n  < run k >\n}\n";
  REQUIRE(work.run({"-q"}, text).status == 0);
  work.folder.write("k.cu", "__global__ void add(int* a) { a[threadIdx.x] += a[0] * a[1]; }\n");
  CHECK(work.with_store({"rerun", "1", "-q"}).status == 0);
  work.folder.write("k.cu", "no kernel (");
  CHECK(work.with_store({"rerun", "1", "-q"}).status == 0);
  std::filesystem::remove(work.folder.path("k.cu"));
  CHECK(work.with_store({"rerun", "2", "-q"}).status == 0);
  const Json first = Json::parse(work.with_store({"show", "1", "--json"}).out);
  for (const char* number : {"2", "3", "4"}) {
    const Json again = Json::parse(work.with_store({"show", number, "--json"}).out);
    for (const char* key : {"kernel_files", "samples"})
      CHECK(again["experiments"][0][key] == first["experiments"][0][key]);
  }
  CHECK(contains(first["experiments"][0]["kernel_files"][0]["text"].get<std::string>(), "+= 2"));
}

TEST_CASE("where runs go is the user's choice") {
  const Workshop work;
  const std::string file = work.folder.write("a.gpx", kStored);
  CHECK(work.gpx({"run", file, "-q", "--device", "k20", "--no-store"}).status == 0);
  CHECK(work.folder.listing() == "a.gpx\n");
  CHECK(work.gpx({"run", file, "--no-store", "--store", "x"}).status == 2);
  CHECK(contains(work.gpx({"runs"}).err, "GPX_STORE is empty"));
  CHECK(contains(work.with_store({"runs"}).err, "there is no store"));
  CHECK(work.with_store({"runs"}).status == 2);
  CHECK(work.folder.listing() == "a.gpx\n");
}

TEST_CASE("a store that cannot be used: named, nothing runs; by itself, the result is not lost") {
  const Workshop work;
  work.folder.write("gpx.db", "no database but a text that is long enough to be looked at");
  const Ended named = work.run();
  CHECK(named.status == 3);
  CHECK(contains(named.err, "is not a store of gpx"));
  CHECK(named.out == "");
  CHECK(work.with_store({"show", "1"}).status == 3);

  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(work.folder.path("."));
  std::filesystem::create_directory("gpx");
  std::filesystem::rename("gpx.db", "gpx/gpx.db");
  ::unsetenv("GPX_STORE");
  ::setenv("XDG_DATA_HOME", work.folder.path(".").c_str(), 1);
  const Ended unnamed = work.gpx({"run", "a.gpx", "--device", "k20"});
  ::unsetenv("XDG_DATA_HOME");
  ::setenv("GPX_STORE", "", 1);
  std::filesystem::current_path(before);
  CHECK(unnamed.status == 0);
  CHECK(contains(unnamed.out, "small on k20 (virtual)"));
  CHECK(contains(unnamed.err, "warning: this run is not kept: the store '"));
  CHECK(contains(unnamed.err, "is not a store of gpx"));
}

TEST_CASE("wrong runs and options are errors with a hint") {
  const Workshop work;
  REQUIRE(work.run({"-q"}).status == 0);
  CHECK(contains(work.with_store({"show", "9"}).err, "there is no run '9'"));
  CHECK(work.with_store({"show", "9"}).status == 2);
  CHECK(work.with_store({"show"}).status == 2);
  CHECK(work.with_store({"diff", "1"}).status == 2);
  CHECK(contains(work.with_store({"resume"}).err, "which run should continue?"));
  CHECK(contains(work.with_store({"resume", "--last"}).err, "ended early"));
  const Ended complete = work.with_store({"resume", "1"});
  CHECK(complete.status == 2);
  CHECK(contains(complete.err, "run 1 is complete"));
  CHECK(contains(complete.err, "gpx rerun 1"));
  const std::string bad = work.folder.write("bad.json", "{\"schema\": 1}");
  CHECK(work.with_store({"import", bad}).status == 2);
  CHECK(work.with_store({"import", work.folder.path("none.json")}).status == 2);
  CHECK(work.with_store({"export", "1", "-o", "/no/such/folder/x"}).status == 3);
  CHECK(contains(work.gpx({"rnus"}).err, "did you mean 'runs'?"));
}

TEST_CASE("each experiment of the REPL is a run of the store") {
  const Workshop work;
  Captured captured("threads 32 < load unique(128B) >\nthreads 64 < load unique(128B) >\n");
  REQUIRE(gpx_main({"repl", "--device", "k20", "--store", work.folder.path("gpx.db")},
                   captured.console) == 0);
  const Json entries = Json::parse(work.with_store({"runs", "--json"}).out);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0]["status"] == "complete");
  const Json document = Json::parse(work.with_store({"show", "1", "--json"}).out);
  CHECK(document["sources"][0]["text"] ==
        "experiment line1 {\nthreads 32 < load unique(128B) >\n}\n");
}

TEST_CASE("gpx lua runs a script, keeps what it runs and reads what is kept") {
  const Workshop work;
  const std::string script =
      work.folder.write("compare.lua",
                        "local r = gpx.run('threads 32 < load unique(128B) >', {device = 'k20'})\n"
                        "print(#r.samples, gpx.runs()[1].devices[1], #gpx.load('last').samples)\n");
  const Ended ran = work.with_store({"lua", script});
  CHECK(ran.status == 0);
  CHECK(ran.out == "1\tk20 (virtual)\t1\n");
  CHECK(Json::parse(work.with_store({"runs", "--json"}).out).size() == 1);
  const Ended wrong = work.with_store({"lua", work.folder.write("bad.lua", "\nio.open('x')\n")});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "bad.lua:2:1: error: attempt to index a nil value (global 'io')"));
  CHECK(work.gpx({"lua", work.folder.write("ok.lua", "print(io ~= nil)"), "--trust"}).out ==
        "true\n");
  CHECK(work.with_store({"lua", work.folder.path("none.lua")}).status == 2);
}

TEST_CASE("gpx lua prints the warnings of its runs, each once") {
  const Workshop work;
  const std::string script =
      work.folder.write("warned.lua",
                        "for i = 1, 2 do\n"
                        "  local r = gpx.run('sweep spare 1..2 threads 32 < load unique(128B) >',\n"
                        "                    {device = 'k20'})\n"
                        "  print(#r.warnings)\n"
                        "end\n");
  const Ended ran = work.with_store({"lua", script});
  CHECK(ran.out == "1\n1\n");
  const std::size_t first = ran.err.find("warning: ");
  REQUIRE(first != std::string::npos);
  CHECK(ran.err.find("'spare'", first) != std::string::npos);
  CHECK(ran.err.find("warning: ", first + 1) == std::string::npos);
  CHECK_FALSE(contains(work.with_store({"lua", script, "--quiet"}).err, "warning: "));
}
