// Which compiler is taken: codegen/compile/compiler.h.
#include "codegen/compile/compiler.h"

#include <string>

#include "codegen/toolchain/clang_toolchain.h"
#include "codegen/toolchain/nvrtc_toolchain.h"
#include "support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

constexpr Target kPtx{Target::Form::ptx, 75};

TEST_CASE("NVRTC is taken where it is") {
  GPX_NEEDS_NVRTC();
  const auto compiler = find_compiler(kPtx);
  REQUIRE(compiler.has_value());
  CHECK((*compiler)->title() == "NVRTC");
  CHECK((*compiler)->name().starts_with("libnvrtc"));
  CHECK(dynamic_cast<NvrtcToolchain*>(ptx_toolchain(75).get()) != nullptr);
}

TEST_CASE("without NVRTC clang compiles for what executes PTX, and nothing for a real GPU") {
  GPX_NEEDS_CLANG();
  const Environment off("GPX_NVRTC", "off");
  const auto compiler = find_compiler(kPtx);
  REQUIRE(compiler.has_value());
  CHECK((*compiler)->title() == "clang");
  const auto toolchain = ptx_toolchain(75);
  CHECK(toolchain->name() == (*compiler)->name());
  CHECK(dynamic_cast<ClangToolchain&>(*toolchain).target() == kPtx);
  const auto real = find_compiler({Target::Form::cubin, 90});
  REQUIRE_FALSE(real.has_value());
  CHECK(render(real.error()).find("switched off by GPX_NVRTC") != std::string::npos);
}

TEST_CASE("a library that GPX_NVRTC names is meant: without it nothing else is taken") {
  const Environment set("GPX_NVRTC", "/no/such/libnvrtc.so");
  const auto compiler = find_compiler(kPtx);
  REQUIRE_FALSE(compiler.has_value());
  CHECK(render(compiler.error()).find("there is no such file") != std::string::npos);
}

TEST_CASE("without any compiler the error names both that can be installed") {
  const Folder folder;
  const Environment off("GPX_NVRTC", "off");
  const Environment clang("GPX_CLANG", folder / "nothing");
  const auto kernels = program_of("threads 64 < load unique(4B) >").kernels;
  const auto made = ptx_toolchain(75)->compile(kernels, Source("x.gpx", ""), nullptr);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().fault == Fault::device);
  const std::string text = render(made.error());
  CHECK(text.find("install the CUDA toolkit") != std::string::npos);
  CHECK(text.find("clang-14") != std::string::npos);
  CHECK(ptx_toolchain(75)->name().empty());
}

}  // namespace
}  // namespace gpx::codegen::test
