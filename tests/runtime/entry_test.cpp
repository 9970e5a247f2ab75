// Stages of the pipeline as text: their goldens, and runs that enter at one of them.
#include "runtime/entry.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "codegen/ir/program_text.h"
#include "lang/lists.h"
#include "lang/read.h"
#include "runtime/pipeline.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

/// A run, and the text of each stage.
struct Watched {
  std::map<std::string, std::string> stages;
  Result<RunResult> result;

  Watched(const std::string& text, const std::string& from,
          const std::vector<std::string>& settings = {}, const char* device = "fig4") {
    Session session(kPaths);
    RunOptions options;
    options.device = device;
    options.from = from;
    for (const std::string& setting : settings) options.settings.push_back(*parse_setting(setting));
    options.dump.insert(dump_stages().begin(), dump_stages().end());
    options.on_dump = [&](const std::string& stage, const std::string& shown) {
      stages[stage] += shown;
    };
    result = session.run(Source(GPX_TESTS_DIR "/kernels/stage.gpx", text), options);
  }

  std::string error() const {
    if (!result) return render(result.error());
    const auto& failure = result->experiments.front().failure;
    return failure ? render(*failure) : std::string("no error");
  }
  std::string samples() {
    if (error() != "no error") FAIL(error());
    return stages["samples"];
  }
};

const std::string kTwo = R"(experiment two "loads, and a chase" {
  device fig4
  sweep n in [1, 2]
  array a : global[512B] chase(stride 32B)
  repeat 2
  measure loads { threads 32 < load unique(4B) x n > }
  measure chase { threads 1; observe average < load a x (16 * n) chain > }
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("each stage's text is its golden's") {
  Watched run(kTwo, "");
  run.samples();
  for (const char* stage : {"ast", "experiment", "program", "kernel", "samples"}) {
    const std::string path = fmt::format("{}/runtime/golden/two.{}", GPX_TESTS_DIR, stage);
    if (std::getenv("GPX_REBASE")) std::ofstream(path, std::ios::binary) << run.stages[stage];
    std::ifstream file(path, std::ios::binary);
    CAPTURE(path);
    CHECK(run.stages[stage] == std::string(std::istreambuf_iterator<char>(file), {}));
  }
}

TEST_CASE("a run that enters at a stage gives the samples of the whole run") {
  Watched whole(kTwo, "");
  for (const char* stage : {"experiment", "program"}) {
    CAPTURE(stage);
    Watched entered(whole.stages[stage], stage);
    CHECK(entered.samples() == whole.samples());
    // Lines are those of the text that was entered.
    if (stage == std::string("program")) CHECK(entered.stages[stage] == whole.stages[stage]);
    CHECK(entered.result->experiments.front().artifacts ==
          whole.result->experiments.front().artifacts);
    CHECK_FALSE(entered.stages.contains("ast"));
  }
}

TEST_CASE("every experiment that names a small device enters as its program") {
  for (const char* name : {"fig4_cache", "fermi_l1", "kepler_banks"}) {
    CAPTURE(name);
    std::ifstream file(fmt::format("{}/experiments/{}.gpx", GPX_SOURCE_DIR, name));
    const std::string text(std::istreambuf_iterator<char>(file), {});
    Watched whole(text, "", {}, "auto");
    Watched entered(whole.stages["program"], "program", {}, "auto");
    CHECK(entered.samples() == whole.samples());
    CHECK(entered.stages["findings"] == whole.stages["findings"]);
  }
}

TEST_CASE("a kernel runs with what settings say of its launch") {
  Watched whole("experiment load_unique { repeat 3; threads 64 < load unique(4B) x 2 > }", "");
  const std::string kernel = whole.stages["kernel"];
  const std::string launch = whole.stages["program"];
  const auto number = [&](const std::string& name) {
    const std::size_t at = launch.find(" " + name + "=") + name.size() + 2;
    return name + "=" + launch.substr(at, launch.find_first_of(" \n", at) - at);
  };
  std::vector<std::string> settings = {"threads=64", "repeat=3", "data=1MB"};
  const auto read = codegen::parse_kernels(Source("k", kernel));
  REQUIRE(read.has_value());
  for (const std::string& scalar : read->front().scalars())
    if (scalar != "never") settings.push_back(number(scalar));
  Watched entered(kernel, "kernel", settings);
  CHECK(entered.samples() == whole.samples());

  settings.erase(settings.begin() + 2);
  const std::string missing = Watched(kernel, "kernel", settings).error();
  CHECK(contains(missing, "the size of the buffer data is not given"));
  CHECK(contains(missing, "stage.gpx:3:3: error"));
  settings.push_back("data=1MB");
  settings.push_back("date=1");
  CHECK(contains(Watched(kernel, "kernel", settings).error(), "did you mean 'data'?"));
  settings.back() = "threads=100000";
  CHECK(contains(Watched(kernel, "kernel", settings).error(), "from 1 to "));
}

TEST_CASE("what cannot enter is refused at its place, as the user's mistake") {
  Watched whole(kTwo, "");
  const std::string program = whole.stages["program"], kernels = whole.stages["kernel"];
  struct Row {
    std::string text;
    const char* from;
    const char* complaint;
  };
  const Row rows[] = {
      {replaced(program, "await %v0", "await %a0"), "program", "await cannot take %a0"},
      {replaced(program, "program chase", "program chose"), "program",
       "expected the program of measure 'chase'"},
      {replaced(program, "program loads {\n  repetitions 2", "program loads {"), "program",
       "expected 'repetitions'"},
      {program.substr(0, program.find("kernel ")), "program", "more measures than programs"},
      {kernels, "kernel", "kernels: one is launched"},
      {"kernel k {\n  threads", "kernel", "stage.gpx:2:10"},
      {"experiment e { threads 0 < load unique(4B) > }", "experiment", "stage.gpx:1:24"},
  };
  for (const Row& row : rows) {
    const Watched entered(row.text, row.from);
    const std::string error = entered.error();
    CAPTURE(error);
    CHECK(contains(error, row.complaint));
    REQUIRE_FALSE(entered.result.has_value());
    CHECK(entered.result.error().fault == Fault::input);
  }
  CHECK(contains(Watched(program, "program", {"n=3"}).error(), "comes too late for a program"));
  const std::string chase = Watched(replaced(kTwo,
                                             "measure loads { threads 32 < load unique(4B) x "
                                             "n > }",
                                             ""),
                                    "")
                                .stages["kernel"];
  CHECK(contains(Watched(chase, "kernel").error(), "needs the array's contents"));
}

TEST_CASE("a program of a kernel from a file prints, and says that it does not read back") {
  const std::string text =
      "experiment e { kernel heat from \"stencil.cu\" entry heat(out = buffer(64KB, zero), in = "
      "buffer(64KB), width = 128, height = 128, rate = 0.25); threads (32, 4); blocks (4, 32); "
      "< run heat > }";
  Watched whole(text, "", {}, "k20");
  whole.samples();
  CHECK(contains(whole.stages["program"], "blocks 4 by 32 threads 32 by 4"));
  CHECK(contains(Watched(whole.stages["program"], "program", {}, "k20").error(),
                 "does not read back: --from=experiment"));
  CHECK(Watched(whole.stages["experiment"], "experiment", {}, "k20").samples() == whole.samples());
}

// What `place sm all` becomes depends on the device; a kernel from a file has no text of its own.
TEST_CASE("from_program_issue: the program of every experiment of the library reads back") {
  codegen::Limits limits;
  limits.sm_count = 4;
  limits.shared_per_block = 227 << 10;
  limits.shared_split = 228 << 10;
  limits.bank_widths = {4, 8};
  limits.blocks_per_cluster = 16;
  limits.energy = limits.peer_atomics = true;
  limits.peer_bytes = 80ull << 30;
  std::size_t programs = 0;
  std::set<Observe> observed;
  for (const char* folder : {"/experiments", "/stdlib/characterize"})
    for (const auto& file :
         std::filesystem::directory_iterator(GPX_SOURCE_DIR + std::string(folder))) {
      if (file.path().extension() != ".gpx") continue;
      CAPTURE(file.path().string());
      std::ifstream in(file.path(), std::ios::binary);
      const Source source(file.path().string(),
                          std::string(std::istreambuf_iterator<char>(in), {}));
      auto experiments = read_experiments(source);
      if (!experiments) FAIL(render(experiments.error()));
      for (Experiment& experiment : *experiments) {
        take_all_sms(experiment, limits.sm_count);
        if (experiment.sweep.points() > 2000) continue;
        for (const Measure& measure : experiment.measures) {
          if (measure.run()) continue;
          const auto program = codegen::lower(experiment, measure, source, limits);
          if (!program) FAIL(render(program.error()));
          const std::string text = codegen::to_string(*program, measure.name);
          const auto read = codegen::parse_programs(Source("p", text));
          if (!read) FAIL(render(read.error()));
          CHECK(codegen::to_string(read->front().program, measure.name) == text);
          observed.insert(measure.observe);
          ++programs;
        }
      }
    }
  CHECK(programs > 100);
  CHECK(observed.contains(Observe::timeline));
}
