// NVRTC: codegen/compile/nvrtc.h. Needs the library, no GPU.
#include "codegen/compile/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "codegen/emit/emit.h"
#include "support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

std::shared_ptr<const Nvrtc> nvrtc() {
  const auto place = find_nvrtc();
  if (!place) FAIL(render(place.error()));
  const auto opened = Nvrtc::open(*place);
  if (!opened) FAIL(render(opened.error()));
  return *opened;
}

TEST_CASE("a machine with NVRTC says which and where") {
  GPX_NEEDS_NVRTC();
  const std::string text = describe_nvrtc();
  CAPTURE(text);
  CHECK(text.starts_with("NVRTC "));
  CHECK(text.find("libnvrtc") != std::string::npos);
}

TEST_CASE("NVRTC's builtins are open with it, where the loader does not know their folder") {
  GPX_NEEDS_NVRTC();
  const auto opened = nvrtc();
  const auto folder = std::filesystem::canonical(opened->path()).parent_path();
  const auto file = fmt::format("libnvrtc-builtins.so.{}.{}", opened->major(), opened->minor());
  if (!std::filesystem::exists(folder / file)) return;
  CHECK(dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr);
}

TEST_CASE("GPX_NVRTC that names nothing usable is an error that says so") {
  const Folder folder;
  {
    const Environment set("GPX_NVRTC", folder / "nothing.so");
    CHECK(describe_nvrtc().find("there is no such file") != std::string::npos);
  }
  {
    const Environment set("GPX_NVRTC", folder.string());
    CHECK(describe_nvrtc().find("a folder without libnvrtc.so") != std::string::npos);
  }
  std::ofstream(folder / "libnvrtc.so") << "not a library";
  const Environment set("GPX_NVRTC", folder.string());
  const std::string text = describe_nvrtc();
  CAPTURE(text);
  CHECK(text.find("cannot open NVRTC") != std::string::npos);
}

TEST_CASE("another file in the same place has another identity") {
  const Folder folder;
  std::ofstream(folder / "libnvrtc.so") << "one";
  const Environment set("GPX_NVRTC", folder.string());
  const std::string first = find_nvrtc()->identity;
  CHECK(find_nvrtc()->identity == first);
  std::ofstream(folder / "libnvrtc.so") << "two and more";
  CHECK(find_nvrtc()->identity != first);
}

TEST_CASE("every pattern, width, kind and cache operator compiles to PTX and to machine code") {
  GPX_NEEDS_NVRTC();
  std::string body;
  for (const char* access :
       {"load unique(16B) width 1B", "load merge(2, 16B) width 2B cache ca",
        "load stride(16B) cache cg", "load broadcast width 8B cache cs",
        "load random(1KB, 1) width 16B cache cv", "load unique(16B) cache lu",
        "load unique(16B) width 16B cache nc", "store unique(16B) width 1B",
        "store stride(16B) width 2B cache cg", "store unique(16B) cache cs",
        "store random(1KB, 2) width 8B", "store broadcast width 16B", "copy unique(16B) width 1B",
        "copy merge(2, 16B) width 2B", "copy unique(16B) cache nc", "copy stride(16B) width 8B",
        "copy unique(16B) width 16B"})
    body += std::string(access) + " x 2; ";
  for (const char* observe : {"latency", "time"}) {
    const Program program =
        program_of("threads 64 observe " + std::string(observe) + " < " + body + " >");
    const std::string cuda = emit_cuda(program.kernels[0]);
    for (const Target& target : {Target{Target::Form::ptx, 75}, Target{Target::Form::cubin, 75},
                                 Target{Target::Form::cubin, 90}}) {
      CAPTURE(target.sm);
      const auto compiled = nvrtc()->compile(cuda, "k.cu", target);
      REQUIRE(compiled.has_value());
      CAPTURE(compiled->log);
      REQUIRE(compiled->ok);
      CHECK(compiled->ptx.find(".entry " + program.kernels[0].name) != std::string::npos);
      CHECK(compiled->ptx.back() != '\0');
      CHECK(compiled->cubin.empty() == (target.form == Target::Form::ptx));
    }
  }
}

TEST_CASE("an architecture that NVRTC does not know is refused with those it knows") {
  GPX_NEEDS_NVRTC();
  const auto compiled = nvrtc()->compile("", "k.cu", {Target::Form::cubin, 999});
  REQUIRE_FALSE(compiled.has_value());
  const std::string text = render(compiled.error());
  CAPTURE(text);
  CHECK(text.find("not for sm_999") != std::string::npos);
  CHECK(text.find("newer CUDA toolkit") != std::string::npos);
  CHECK(compiled.error().fault == Fault::device);
}

TEST_CASE("a mistake in the source is a compilation that is not ok, with a log") {
  GPX_NEEDS_NVRTC();
  const auto compiled = nvrtc()->compile("nonsense;\n", "k.cu", {Target::Form::ptx, 75});
  REQUIRE(compiled.has_value());
  CHECK_FALSE(compiled->ok);
  CHECK(compiled->log.find("k.cu(1): error") != std::string::npos);
}

}  // namespace
}  // namespace gpx::codegen::test
