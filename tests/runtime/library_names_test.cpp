#include "runtime/library_names.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "lang/language.h"
#include "runtime/device/select.h"
#include "tests/folder.h"

using namespace gpx;

namespace {

namespace fs = std::filesystem;

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

/// "line:column message" of each problem.
std::string problems(const std::string& text, const std::string& name = "typed",
                     const std::optional<std::string>& run_on = {}) {
  const Source source(name, text);
  const auto ast = parse(source);
  REQUIRE_MESSAGE(ast, text);
  const auto ok = check_library_names(*ast, source, kPaths, run_on);
  if (ok) return "";
  CHECK(ok.error().fault == Fault::input);
  std::string all;
  for (const Diagnostic& one : ok.error().diagnostics) {
    REQUIRE(one.location);
    all += std::to_string(one.location->line) + ":" + std::to_string(one.location->column) + " " +
           one.message + "; " + one.hint + "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("an axis with fewer values than an analysis needs is a warning before the run") {
  const auto warned = [](const std::string& values) {
    const auto checked = check_whole(
        Source("few.gpx", "experiment few {\n sweep operand in [a, b], k in " + values +
                              "\n < fma.rn.f32 x k chain operand >\n"
                              " analyze operands(op = \"fma.rn.f32\", operand = operand, "
                              "count = k)\n}"),
        kPaths);
    if (!checked) FAIL(render(checked.error()));
    return checked->front().warnings;
  };
  CHECK(warned("[64, 128, 192, 256]").empty());
  const auto few = warned("[64, 128, 256]");
  REQUIRE(few.size() == 1);
  CHECK(few.front().message == "operands needs 4 values of 'k', of 3 it concludes nothing");
  CHECK(few.front().location->line == 4);
}

TEST_CASE("what a text names of the standard library is there, or is pointed at") {
  const struct {
    const char *text, *said;
  } rows[] = {
      {"device k20 < load unique(128B) >", ""},
      {"device cuda < load unique(128B) >", ""},
      {"< load unique(128B) > analyze cache(space = \"texture\", level = \"l2\")", ""},
      {"< load unique(128B) > analyze mwp_cwp(Mem_LD = 420)", ""},
      {"< load unique(128B) > analyze outcomes(mine = \"my.outcome\")", ""},
      {"< load unique(128B) > analyze \"my.lua\"(any = 1)", ""},
      {"device mine < load unique(128B) >", ""},
      {"experiment a {\n measure latency { < add.u32 > }\n measure throughput { < add.u32 > }\n"
       " analyze pipelines(op = \"add.u32\", count = n, threads = 32)\n}",
       ""},
      {"experiment a {\n measure latency { < add.u32 > }\n measure troughput { < add.u32 > }\n"
       " analyze pipelines(op = \"add.u32\", count = n, threads = 32)\n}",
       "4:10 pipelines needs a measure 'throughput'; did you mean 'troughput'?\n"},
      {"experiment a {\n measure one { < add.u32 > }\n analyze speedup(base = \"naive\", name = "
       "\"s\")\n}",
       "3:25 no measure is named 'naive'; such as measure naive { < ... > }\n"},
      {"< load unique(128B) > analyze outstanding(loads = 2)",
       "1:31 outstanding needs the argument 'x'; it is called outstanding(x = threads, "},
      {"< load unique(128B) > analyze recah()",
       "1:31 no analysis is named 'recah'; did you mean 'reach'?\n"},
      {"< load unique(128B) > analyze reach(most = 1MB, cahce = \"ca\")",
       "1:49 reach has no argument 'cahce'; did you mean 'cache'?\n"},
      {"< load unique(128B) > analyze occupancy(x = 1)",
       "1:41 occupancy has no argument 'x'; it is called occupancy()\n"},
      {"experiment a {\n < load unique(128B) >\n analyze nothing()\n}",
       "3:10 no analysis is named 'nothing'; the analyses are "},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const std::string said = problems(row.text);
    CHECK_MESSAGE((row.said[0] == '\0' ? said.empty() : said.find(row.said) != std::string::npos),
                  said);
  }
}

TEST_CASE("a device counts where a run would take it") {
  const std::string text = "experiment a {\n device k2O\n < load unique(128B) >\n}";
  // Where there is a GPU, a run takes it.
  const bool is_virtual = resolve_device("auto", "k20", kPaths)->ends_with("k20.lua");
  const std::string named = problems(text, "typed", "auto");
  CHECK_MESSAGE(named.starts_with("2:9 no device is called 'k2O': there are cuda") == is_virtual,
                named);
  CHECK((named.find("did you mean 'k20'?") != std::string::npos) == is_virtual);
  CHECK(problems(text, "typed", "k2O") == "");  // Not the text's mistake alone.
  CHECK(problems(text, "typed", "gtx280") == "");
  CHECK(problems(text, "typed", "mine.lua") == "");
}

TEST_CASE("scripts and kernels of one's own are looked for beside the file that names them") {
  const test::TemporaryFolder folder;
  const std::string text = "< load unique(128B) > analyze \"my.lua\"()\n";
  const std::string file = folder.write("a.gpx", text);
  CHECK(problems(text, file) == "1:31 cannot read the analysis script '" + folder.path("my.lua") +
                                    "': No such file or directory; \n");
  folder.write("my.lua", "return function(\n  this is no Lua\n");
  CHECK(problems(text, file) == "1:31 " + folder.path("my.lua") + ":2: ')' expected near 'is'; \n");
  folder.write("my.lua", "error('it runs')\n");
  CHECK(problems(text, file) == "");
  const std::string run = "kernel k from \"KERNEL\" entry f()\n < run k >\n}";
  const auto of_kernel = [&](const std::string& name) {
    std::string body = "experiment a {\n " + run;
    return problems(body.replace(body.find("KERNEL"), 6, name), file);
  };
  CHECK(of_kernel("mine.cu").starts_with("2:16 there is no file 'mine.cu'; looked for " +
                                         folder.path("mine.cu") + " and "));
  folder.write("mine.cu", "__global__ void f() {}\n");
  CHECK(of_kernel("mine.cu") == "");
  folder.write("mine.cu", "// f\n__global__ void g(int n) {}\n");
  CHECK(of_kernel("mine.cu") ==
        "2:32 '" + folder.path("mine.cu") + "' has no __global__ function 'f'; it has g\n");
  CHECK(of_kernel("svm.cu").find("it has svm_naive,") != std::string::npos);  // Of the library.
}

TEST_CASE("the library's own texts name what it has") {
  for (const char* folder : {"experiments", "stdlib/papers", "stdlib/characterize"})
    for (const auto& entry : fs::directory_iterator(fs::path(GPX_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".gpx") continue;
      CAPTURE(entry.path().string());
      std::ifstream file(entry.path());
      std::ostringstream text;
      text << file.rdbuf();
      CHECK(problems(text.str(), entry.path().string()) == "");
    }
}
