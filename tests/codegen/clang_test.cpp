// clang in NVRTC's place: codegen/compile/clang/. Needs clang, no toolkit and no GPU.
#include "codegen/compile/clang/clang.h"

#include <regex>
#include <string>

#include "codegen/compile/compile.h"
#include "codegen/proof/timed_region.h"
#include "support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

constexpr Target kPtx{Target::Form::ptx, 75};

Result<Compiled> by_clang(const std::string& source) {
  return (*find_clang())->compile(source, "k.cu", kPtx);
}

TEST_CASE("a clang says what it is, and another one has another identity") {
  GPX_NEEDS_CLANG();
  const auto clang = *find_clang();
  CHECK(std::regex_match(clang->name(), std::regex("clang [0-9]+\\.[0-9]+\\.[0-9]+")));
  const Folder folder;
  const std::string other = folder / "clang";
  std::ofstream(other) << "#!/bin/sh\necho nothing\n";
  std::filesystem::permissions(other, std::filesystem::perms::owner_all);
  const Environment set("GPX_CLANG", other);
  CHECK((*find_clang())->identity() != clang->identity());
  CHECK((*find_clang())->name() == "clang");
}

TEST_CASE("old_clang_new_device") {
  GPX_NEEDS_CLANG();
  const auto clang = *find_clang();
  const Target future{Target::Form::ptx, 999};  // newer than any clang
  const int newest = clang->newest(future.sm);
  CHECK(newest >= 86);
  CHECK(newest < future.sm);
  const std::string note = clang->note(future);
  for (const std::string& part : {clang->name(), std::string("sm_999"),
                                  fmt::format("sm_{}", newest), std::string("GPX_CLANG")})
    CHECK_MESSAGE(note.find(part) != std::string::npos, part);
  const auto made = clang->compile("__global__ void k(int* o) { o[0] = 1; }", "k.cu", future);
  REQUIRE(made.has_value());
  CHECK_MESSAGE(made->ok, made->log);
  CHECK(clang->note({Target::Form::ptx, newest}).empty());
}

TEST_CASE("where there is no clang, the error says where it was looked for") {
  const Folder folder;
  {
    const Environment set("GPX_CLANG", folder / "nothing");
    REQUIRE_FALSE(find_clang().has_value());
    CHECK(render(find_clang().error()).find("GPX_CLANG is ") != std::string::npos);
  }
  const Environment none("GPX_CLANG", "");
  const Environment path("PATH", folder.string());
  REQUIRE_FALSE(find_clang().has_value());
  CHECK(find_clang().error().fault == Fault::device);
}

TEST_CASE("regions of every pattern, width, kind and cache operator are proven in clang's PTX") {
  GPX_NEEDS_CLANG();
  CompileOptions options;
  options.cache = ArtifactCache("");
  options.compiler = *find_clang();
  for (const char* body :
       {"load unique(16B) width 1B; load merge(2, 16B) width 2B cache ca; load stride(16B) cache "
        "cg",
        "load broadcast width 8B cache cs; load random(1KB, 1) width 16B cache cv",
        "load unique(16B) cache lu; load unique(16B) width 16B cache nc",
        "store unique(16B) width 1B; store stride(16B) width 2B cache cg",
        "store random(1KB, 2) width 8B; store broadcast width 16B",
        "copy unique(16B) width 1B; copy merge(2, 16B) width 2B; copy stride(16B) width 8B",
        "add.u32 x 8 streams 4", "sqrt.rn.f32 x 4"}) {
    for (const char* observe : {"latency", "time"}) {
      const Program program =
          program_of("threads 64 observe " + std::string(observe) + " < " + body + " >");
      CAPTURE(body);
      const auto artifacts = compile(program.kernels, kPtx, options, nullptr);
      if (!artifacts) FAIL(render(artifacts.error()));
      const RegionReport report = check_timed_region(program.kernels[0], artifacts->front());
      CAPTURE(report.reason);
      CHECK(report.verdict == RegionReport::Verdict::verified);
    }
  }
}

TEST_CASE("what is compiled does not depend on a toolkit, and machine code is NVRTC's") {
  GPX_NEEDS_CLANG();
  const Environment home("CUDA_PATH", "/no/such/folder");
  const auto made = by_clang("extern \"C\" __global__ void k(int* a) { a[threadIdx.x] = 1; }\n");
  REQUIRE(made.has_value());
  CAPTURE(made->log);
  REQUIRE(made->ok);
  CHECK(made->ptx.find(".visible .entry k(") != std::string::npos);
  CHECK(made->ptx.find(".target sm_75") != std::string::npos);
  CHECK(made->cubin.empty());
  CHECK(made->log.empty());
  const auto cubin = (*find_clang())->compile("", "k.cu", {Target::Form::cubin, 90});
  REQUIRE_FALSE(cubin.has_value());
  CHECK(render(cubin.error()).find("a real GPU needs NVRTC") != std::string::npos);
}

TEST_CASE("a mistake in the source is a compilation that is not ok, at its line") {
  GPX_NEEDS_CLANG();
  const auto compiled = by_clang("\nnonsense;\n");
  REQUIRE(compiled.has_value());
  CHECK_FALSE(compiled->ok);
  CHECK(compiled->log.find("k.cu(2): error: ") != std::string::npos);
}

TEST_CASE("a function that names no side is the device's, as NVRTC has it") {
  GPX_NEEDS_CLANG();
  const auto made = by_clang(
      "template <typename T> T twice(T x) { return 2 * x; }\n"
      "__global__ void k(int* a) { a[0] = twice(a[1]); }\n");
  REQUIRE(made.has_value());
  CAPTURE(made->log);
  CHECK(made->ok);
}

}  // namespace
}  // namespace gpx::codegen::test
