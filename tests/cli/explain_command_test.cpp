#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "captured.h"
#include "tests/left_out.h"

using namespace gpx::cli;

namespace {

const char* kText =
    "experiment e {\n  sweep n in [1, 2], threads in [32, 64]\n  < load unique(128B) x n >\n}\n";

Ended explain(const std::string& place) {
  return command({"explain", place, "--device", "k20"});
}

}  // namespace

TEST_CASE("every stage of a point is shown, with what is timed marked") {
  const TemporaryFolder folder;
  const Ended outcome = explain(folder.write("a.gpx", kText) + ":3");
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(contains(outcome.out, "e: point 3 of 4: n=2, threads=64\n"));
  CHECK(contains(outcome.out, "1 block of 64 threads\n"));
  CHECK(contains(outcome.out, "proof: verified: 2 accesses in the PTX"));
  CHECK(contains(outcome.out, "a virtual GPU executes the PTX"));
  for (const char* title : {"source", "kernel", "CUDA", "PTX"})
    CHECK(contains(outcome.out, std::string("\n==== ") + title + " ====\n"));
  CHECK(contains(outcome.out, "\n>   < load unique(128B) x n >\n"));
  CHECK(contains(outcome.out, "\n>     %v1 = ld.global.b32"));
  CHECK(contains(outcome.out, "\n>   ld.global.u32 v1"));
  CHECK(contains(outcome.out, "\n    setp.eq.u64 hit"));
  CHECK_FALSE(contains(outcome.out, "\x1b"));
}

TEST_CASE("a point is a number, values of axes, or the first") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kText);
  CHECK(contains(explain(file).out, "e: point 0 of 4: n=1, threads=32\n"));
  CHECK(contains(explain(file + ":n=2").out, "e: point 2 of 4: n=2, threads=32\n"));
  CHECK(contains(explain(file + ":threads=64,n=2").out, "e: point 3 of 4"));
}

TEST_CASE("a point is of the experiments that have it, and of one measure where it says so") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("a.gpx",
                   "experiment one { sweep n in [1, 2] < add.u32 x n chain > }\n"
                   "experiment two { sweep m in [4, 8, 12]\n  measure a { < add.u32 x m chain > }\n"
                   "  measure b { < add.u32 x m chain > } }\n");
  const Ended axis = explain(file + ":m=8");
  CHECK(axis.status == 0);
  CHECK_FALSE(contains(axis.out, "one: "));
  CHECK(contains(axis.out, "two, a: point 1 of 6: m=8\n"));
  CHECK(contains(axis.out, "two, b: point 4 of 6: m=8\n"));
  const Ended measure = explain(file + ":measure=b,m=12");
  CHECK_FALSE(contains(measure.out, "two, a"));
  CHECK(contains(measure.out, "two, b: point 5 of 6: m=12\n"));
  CHECK(contains(explain(file + ":measure=a").out, "two, a: point 0 of 6"));
  const Ended third = explain(file + ":2");
  CHECK(contains(third.out, "two, a: point 2 of 6: m=12"));
  CHECK_FALSE(contains(third.out, "two, b"));
  CHECK_FALSE(contains(third.out, "one: "));
  const Ended fifth = explain(file + ":4");
  CHECK(contains(fifth.out, "two, b: point 4 of 6: m=8"));
  CHECK_FALSE(contains(fifth.out, "two, a"));
  const std::string two =
      folder.write("two.gpx",
                   "experiment two { sweep m in [4, 8]\n  measure a { < add.u32 x m chain > }\n"
                   "  measure b { < add.u32 x m chain > } }\n");
  const Ended beyond = explain(two + ":4");
  CHECK(contains(beyond.err, "there is no point 4: two has 4 points"));
  CHECK(contains(beyond.err, "two has m, measure=a or b"));
  const Ended none = explain(file + ":measure=c");
  CHECK(none.status == 2);
  CHECK(contains(none.err, "'measure=c' is no axis and value of one"));
  CHECK(contains(none.err, "one has n"));
}

TEST_CASE("a point that is not there is the user's error") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kText);
  struct Row {
    const char* point;
    const char* message;
  };
  const Row rows[] = {{":4", "there is no point 4: e has 4 points"},
                      {":m=1", "'m=1' is no axis and value of e"},
                      {":n", "'n' is no axis and value of e"},
                      {":n=3", "no point of e has n=3"}};
  for (const Row& row : rows) {
    const Ended outcome = explain(file + row.point);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, row.message));
    CHECK(outcome.out == "");
  }
  CHECK(explain(folder.path("none.gpx")).status != 0);
}

TEST_CASE("a finding of a stored run is explained by its steps, its points and its analysis") {
  const TemporaryFolder folder;
  const std::string store = folder.path("store.db");
  folder.write(
      "mine.lua",
      "local M = {}\n"
      "function M.run(input)\n"
      "  finding { name = \"growth[n=2]\", value = 3, unit = \"clocks\", low = 2, high = 4,\n"
      "            note = \"of two points\", steps = { \"asked twice\", \"ruled out: 4\" },\n"
      "            evidence = { { n = 2 } } }\n"
      "end\n"
      "return M\n");
  const std::string file =
      folder.write("a.gpx",
                   "experiment e {\n  sweep n in [1, 2]\n"
                   "  < load unique(128B) x n >\n  analyze \"mine.lua\"(x = n)\n}\n");
  REQUIRE(command({"run", file, "--device", "k20", "--store", store}).status == 0);
  const Ended told = command({"explain", "--finding", "growth", "--store", store});
  CHECK(told.status == 0);
  for (const char* line :
       {"growth[n=2]\n", "  value        3 clocks\n", "  interval     2..4\n",
        "  verdict      modelled\n", "  note         of two points\n",
        "  step 1       asked twice\n", "  step 2       ruled out: 4\n", "  point        n=2\n",
        "  from         run 1, experiment e on k20, seed 1\n",
        "  analysis     \"mine.lua\"(x = n)\n"})
    CHECK_MESSAGE(contains(told.out, line), told.out);
  CHECK(contains(command({"explain", "--finding", "growht", "last", "--store", store}).err,
                 "run 1 has no finding 'growht'"));
  const std::string document = folder.path("a.json");
  REQUIRE(command({"export", "last", "--store", store, "-o", document}).status == 0);
  const Ended of_document = command({"explain", "--finding", "growth", document});
  CHECK_MESSAGE(contains(of_document.out, "  step 2       ruled out: 4\n"), of_document.out);
  CHECK(contains(command({"explain", "--finding", "growht", document}).err,
                 document + " has no finding 'growht'"));
  CHECK(contains(command({"explain", "growth"}).err, "gpx explain --finding NAME [RUN]"));
  CHECK(contains(command({"explain"}).err, "a file or a finding to explain is missing"));
}

TEST_CASE("a kernel from a file is explained by its file, and needs no proof") {
  const TemporaryFolder folder;
  folder.write("k.cu", "__global__ void twice(int* a) { a[threadIdx.x] *= 2; }\n");
  const std::string file =
      folder.write("a.gpx",
                   "experiment e {\n  kernel k from \"k.cu\" entry twice(a = buffer(1KB))\n"
                   "  sweep threads in [32, 64]\n  < run k >\n}\n");
  const Ended outcome = explain(file + ":threads=64");
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "e: point 1 of 2: threads=64\n"));
  CHECK(contains(outcome.out, "1 block of 64 threads\n"));
  CHECK(contains(outcome.out, "k.cu ====\n  __global__ void twice"));
  CHECK(contains(outcome.out, "\n==== PTX ====\n"));
}

TEST_CASE("every experiment of the library is explained, and no kernel is refused") {
  for (const char* name : {"/experiments", "/stdlib/characterize"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(GPX_SOURCE_DIR + std::string(name))) {
      if (entry.path().extension() != ".gpx") continue;
      const Ended outcome = command({"explain", entry.path().string()});
      CAPTURE(entry.path().string());
      // An operation that k20 lacks; a counter and a peer that no virtual device has.
      if (contains(outcome.err, "needs compute capability") ||
          contains(outcome.err, "does not report its energy") ||
          contains(outcome.err, "bytes of shared memory: a block has") ||
          contains(outcome.err, "this device has no peer")) {
        CHECK(outcome.status == 2);
        continue;
      }
      CHECK(outcome.err == "");
      CHECK(outcome.status == 0);
      CHECK(contains(outcome.out, "\n==== PTX ====\n"));
      CHECK_FALSE(contains(outcome.out, "proof: refused"));
    }
  }
}

TEST_CASE("a ptx statement stands beside its PTX and its machine code") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  const std::string file =
      folder.write("a.gpx", "threads 32 < ptx \"fma.rn.f32 %d, %a, %b, %c\" x8 chain c >\n");
  const Ended outcome = explain(file);
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "proof: verified: the PTX is as written"));
  CHECK(contains(outcome.out, "\n==== statement, PTX, machine code ====\n"));
  CHECK(contains(outcome.out, "fma.rn.f32 %d, %a, %b, %c; | fma.rn.f32 op0_r0, op0_source_a_even"));
  CHECK(contains(outcome.out, "| FFMA R"));
  CHECK(contains(outcome.out, "machine code: of sm_90, as nothing here executes it\n"));
}

TEST_CASE("a mistake of a ptx statement is shown where it stands") {
  const TemporaryFolder folder;
  const Ended outcome = explain(folder.write(
      "a.gpx", "threads 32 < ptx \"mul.f32 %t, %a, %b; ld.global.f32 %d, %t\" x8 >\n"));
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "a.gpx:1:39: error: 'ld.global.f32' cannot stand here: it reaches"));
  CHECK(contains(outcome.err, "^~~~~~~~~~~~~"));
}

namespace {

using Json = nlohmann::json;

/// "4,4,5": the origins of the timed lines of a form that hold `part`.
std::string origins(const Json& explained, const std::string& form, const std::string& part) {
  std::string all;
  for (const Json& listing : explained["listings"]) {
    if (listing["form"] != form) continue;
    for (const Json& line : listing["lines"]) {
      if (!line.value("timed", false) || !contains(line["text"].get<std::string>(), part)) continue;
      all += (all.empty() ? "" : ",") + std::to_string(line.value("origin", 0));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("all stages as JSON name the line that each instruction comes from") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx",
                                        "experiment e {\n"
                                        "  threads 64\n"
                                        "  <\n"
                                        "    load unique(128B) x 2\n"
                                        "    fma.rn.f32 x 3 chain\n"
                                        "    load shared stride(8B) x 2\n"
                                        "    store unique(128B)\n"
                                        "  >\n"
                                        "}\n");
  const Ended outcome =
      command({"explain", file, "--device", "k20", "--arch", "sm_80", "--json", "-"});
  REQUIRE(outcome.status == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json["schema"] == 1);
  const Json& e = json["explained"][0];
  CHECK(e["heading"] == "e: point 0 of 1");
  CHECK(origins(e, "kernel", "ld.global") == "4,4");
  for (const char* form : {"CUDA", "PTX"}) {
    CHECK(origins(e, form, "ld.global") == "4,4");
    CHECK(origins(e, form, "fma.rn.f32") == "5,5,5");
    CHECK(origins(e, form, "ld.shared") == "6,6");
    CHECK(origins(e, form, "st.global") == "7");
  }
  if (e["listings"].size() < 5) return;  // No NVRTC: there is no machine code.
  CHECK(origins(e, "SASS", "LDG") == "4,4");
  CHECK(origins(e, "SASS", "FFMA") == "5,5,5");
  CHECK(origins(e, "SASS", "LDS") == "6,6");
  CHECK(origins(e, "SASS", "STG") == "7");
  CHECK(e["listings"][4]["of"] == "sm_80");
  CHECK(command({"explain", file, "--json", "-", "--arch", "ampere"}).status == 2);
}

TEST_CASE("shared memory: the passes of an access are those of the device's counters") {
  const TemporaryFolder folder;
  const auto fact_of = [&](const std::string& region, const std::string& device) {
    const std::string file = folder.write("a.gpx", "threads 32 < " + region + " >\n");
    const Ended outcome = command({"explain", file, "--device", device, "--json", "-"});
    REQUIRE(outcome.status == 0);
    const Json facts = Json::parse(outcome.out)["explained"][0]["facts"];
    for (const Json& fact : facts)
      if (const auto text = fact.get<std::string>(); text.starts_with("shared memory: "))
        return text;
    return std::string("none");
  };
  // Extra passes of all launches; the accesses before and behind the region have none.
  const auto counted = [&](const std::string& region, const std::string& device) {
    const std::string file = folder.write("a.gpx", "threads 32 < " + region + " >\n");
    const Ended outcome =
        command({"run", file, "--device", device, "--dump=stats", "--no-store", "--quiet"});
    const std::size_t begin = outcome.out.find("launches "), at = outcome.out.find("\n  shared ");
    REQUIRE(begin != std::string::npos);
    REQUIRE(at != std::string::npos);
    std::istringstream row(outcome.out.substr(at + 10));
    double accesses = 0, extra = 0;
    row >> accesses >> extra;
    return extra / std::stod(outcome.out.substr(begin + 9));
  };
  struct Case {
    const char *device, *region, *passes;
    double extra;  ///< Of one launch.
  };
  for (const Case& one :
       {Case{"gtx780", "load shared stride(128B) x 4", "takes 16 passes", 4 * 15},
        {"gtx780", "load shared stride(132B) x 4", "one pass", 0},
        {"gtx780", "load shared stride(8B) x 4", "1 to 2 passes, 1.5 on", 4 * 0.5},
        {"gtx560ti", "load shared stride(128B) x 4", "takes 32 passes", 4 * 31},
        {"gtx560ti", "load shared stride(8B) x 3", "takes 2 passes", 3},
        {"h200", "store shared stride(64B)", "takes 16 passes", 15},
        {"h200", "load shared broadcast(4B)", "one pass", 0},
        {"gtx280", "load shared stride(64B)", "16 lanes of a timed access takes 16 passes", 30}}) {
    CAPTURE(one.device);
    CAPTURE(one.region);
    CHECK(contains(fact_of(one.region, one.device), one.passes));
    CHECK(counted(one.region, one.device) == one.extra);
  }
  CHECK(fact_of("load shared stride(132B)", "gtx780") ==
        "shared memory: each timed access takes one pass: no bank conflict. 32 banks with rows of "
        "8 B; lanes are 132 B apart, so lane i wants bank i mod 32");
  CHECK(fact_of("load unique(128B)", "k20") == "none");
}
