// Kernels to artifacts: codegen/compile/compile.h. No GPU is needed.
#include "codegen/compile/compile.h"

#include <string>
#include <vector>

#include "support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

constexpr Target kPtx{Target::Form::ptx, 75};

CompileOptions options_for(const Folder& folder, const Source* source = nullptr) {
  CompileOptions options;
  options.source = source;
  options.cache = ArtifactCache(folder.string());
  return options;
}

std::vector<Artifact> compiled(const Program& program, const Target& target,
                               const CompileOptions& options) {
  std::vector<std::string> warnings;
  auto artifacts = compile(program.kernels, target, options, &warnings);
  if (!artifacts) FAIL(render(artifacts.error()));
  CHECK(warnings.empty());
  return std::move(*artifacts);
}

TEST_CASE("the second time everything comes from the cache, the same to the byte") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  const Program program = program_of("sweep n 1..4 threads 64 < load unique(128B) x n >");
  for (const Target& target : {kPtx, Target{Target::Form::cubin, 90}}) {
    const auto first = compiled(program, target, options_for(folder));
    const auto second = compiled(program, target, options_for(folder));
    REQUIRE(first.size() == 4);
    REQUIRE(second.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK_FALSE(first[i].from_cache);
      CHECK(second[i].from_cache);
      CHECK(first[i].entry == program.kernels[i].name);
      CHECK(first[i].ptx == second[i].ptx);
      CHECK(first[i].cubin == second[i].cubin);
      CHECK(first[i].cuda == second[i].cuda);
      CHECK(first[i].hash == second[i].hash);
      CHECK(second[i].target == target);
      CHECK(first[i].cubin.empty() == (target.form == Target::Form::ptx));
    }
  }
}

TEST_CASE("the same kernel on another line of another file is the same artifact") {
  const Folder folder;
  const Source one("one.gpx", "threads 64 < load unique(4B) >");
  const Source two("two.gpx", "# moved\n\nthreads 64 < load unique(4B) >");
  const auto first = compiled(*lower_text(one), kPtx, options_for(folder, &one));
  const auto second = compiled(*lower_text(two), kPtx, options_for(folder, &two));
  CHECK(second[0].from_cache);
  CHECK(second[0].hash == first[0].hash);
  CHECK(second[0].cuda.find("#line 3 \"two.gpx\"") != std::string::npos);
}

TEST_CASE("a damaged cache costs a compilation and a warning") {
  const Folder folder;
  const Program program = program_of("threads 64 < load unique(4B) >");
  const auto first = compiled(program, kPtx, options_for(folder));
  for (const auto& entry : std::filesystem::directory_iterator(folder.string()))
    std::filesystem::resize_file(entry.path(), 40);
  std::vector<std::string> warnings;
  const auto again = compile(program.kernels, kPtx, options_for(folder), &warnings);
  REQUIRE(again.has_value());
  CHECK_FALSE(again->front().from_cache);
  CHECK(again->front().ptx == first[0].ptx);
  REQUIRE(warnings.size() == 1);
  CHECK(compiled(program, kPtx, options_for(folder))[0].from_cache);
}

TEST_CASE("one thread and several give the same artifacts in the same order") {
  const Folder folder;
  const Program program = program_of("sweep n 1..6 threads 64 < load unique(4B) x n >");
  CompileOptions options = options_for(folder);
  options.cache = ArtifactCache("");
  options.jobs = 1;
  const auto alone = compiled(program, kPtx, options);
  options.jobs = 4;
  const auto together = compiled(program, kPtx, options);
  REQUIRE(together.size() == alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) CHECK(together[i].ptx == alone[i].ptx);
}

TEST_CASE("an error of the compiler points at the user's line") {
  const Folder folder;
  const Source source("broken.gpx", "# a comment\n  threads 64\n  < load unique(4B) >\n");
  Program program = program_of("threads 64 < load unique(4B) >");
  for (auto& instruction : program.kernels[0].timed) instruction.line = 3;
  // A name that CUDA C++ does not take: the emitter trusts verified kernels and passes it on.
  program.kernels[0].registers.back().name = "v 0";
  program.kernels[0].registers[3].name = "for";
  const auto artifacts = compile(program.kernels, kPtx, options_for(folder, &source), nullptr);
  REQUIRE_FALSE(artifacts.has_value());
  const std::string text = render(artifacts.error());
  CAPTURE(text);
  CHECK(text.find("broken.gpx:3:3: error: ") != std::string::npos);
  CHECK(text.find(" cannot compile this: ") != std::string::npos);
  CHECK(text.find("< load unique(4B) >") != std::string::npos);
  CHECK(artifacts.error().fault == Fault::device);
}

TEST_CASE("an error of ptxas, which knows no line of ours, points at what is timed") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  const Source source("broken.gpx", "threads 64 < store unique(4B) >");
  Program program = program_of(source.text());
  program.kernels[0].timed[0].cache = CacheOp::nc;  // st.global.nc: no such instruction
  const auto artifacts =
      compile(program.kernels, {Target::Form::cubin, 75}, options_for(folder, &source), nullptr);
  REQUIRE_FALSE(artifacts.has_value());
  const std::string text = render(artifacts.error());
  CAPTURE(text);
  CHECK(text.find("broken.gpx:1:1: error: NVRTC cannot compile this") != std::string::npos);
}

TEST_CASE("the first error of a log is found with its line") {
  struct Row {
    const char* log;
    int line;
    const char* text;
  };
  const Row rows[] = {
      {"a.gpx(7): error: expected a \")\"\n\n1 error detected", 7, "expected a \")\""},
      {"a.gpx(3): warning #177-D: unused\na.gpx(12): error: no\n", 12, "no"},
      {"k.cu(9): error: elsewhere", 0, "elsewhere"},
      {"ptxas application ptx input, line 24; error   : Unknown symbol 'x'", 0,
       "Unknown symbol 'x'"},
      {"", 0, "it gives no reason"},
      {"strange", 0, "strange"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.log);
    const CompilerMessage found = first_error(row.log, "a.gpx");
    CHECK(found.line == row.line);
    CHECK(found.text == row.text);
  }
}

TEST_CASE("without NVRTC the error says what to do") {
  const Folder folder;
  const Environment set("GPX_NVRTC", folder / "nothing.so");
  const Program program = program_of("threads 64 < load unique(4B) >");
  const auto artifacts = compile(program.kernels, kPtx, options_for(folder), nullptr);
  REQUIRE_FALSE(artifacts.has_value());
  CHECK(artifacts.error().fault == Fault::device);
  CHECK(render(artifacts.error()).find("install the CUDA toolkit") != std::string::npos);
}

}  // namespace
}  // namespace gpx::codegen::test
