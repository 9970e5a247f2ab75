// Kernels of tests/public/kernels that check themselves: each writes 1 to `ok`, or traps. Executed
// from their PTX, on both models of divergence.
#include <algorithm>
#include <filesystem>

#include "codegen/user/user_kernel.h"
#include "exec_support.h"
#include "tests/left_out.h"
#include "tests/thorough.h"

using namespace gpx;
using namespace gpx::vgpu;

namespace {

namespace fs = std::filesystem;

/// "--shared 1024" of the first line: 1024; 0: it has none.
std::uint32_t shared_of(const std::string& text) {
  const std::string option = "--shared ";
  const std::size_t at = text.substr(0, text.find('\n')).find(option);
  return at == std::string::npos
             ? 0
             : static_cast<std::uint32_t>(std::stoul(text.substr(at + option.size())));
}

void check(const std::string& text, const ptx::Module& module) {
  for (const exec::Model model : exec::kModels)
    for (const std::uint32_t turn : {1u, 16u}) {
      CAPTURE(turn);
      exec::GlobalMemory memory;
      const std::uint64_t ok = memory.allocate(128, nullptr);
      std::vector<std::uint8_t> parameters(8);
      std::memcpy(parameters.data(), &ok, 8);
      const exec::Grid grid = exec::grid_of(1, 32, shared_of(text));
      exec::Executor executor(module, *module.find("k"), grid, parameters, memory);
      executor.set_model(model, turn);
      const auto report = exec::run(executor, {1u << 22, 64});
      if (!report) FAIL(report.error().line << ": " << report.error().message);
      std::vector<int> written(32);
      REQUIRE(memory.read(ok, written.data(), 128));
      CHECK(written == std::vector<int>(32, 1));
    }
}

void check_kind(const std::string& kind) {
  std::vector<fs::path> files;
  for (const auto& each : fs::directory_iterator(GPX_TESTS_DIR "/public/kernels/" + kind))
    files.push_back(each.path());
  CHECK(files.size() >= 10);
  std::ranges::sort(files);
  for (std::size_t i = 0; i < files.size(); i += test::sample_size(3u, 1u)) {
    const fs::path& file = files[i];
    CAPTURE(file.string());
    const std::string text = exec::read_text(file.string());
    const auto made =
        codegen::compile_file(Source(file.string(), text), {codegen::Target::Form::ptx, 75}, {},
                              codegen::ArtifactCache(""), nullptr);
    if (!made) FAIL(render(made.error()));
    const auto module = ptx::parse_entry("k", made->artifact.ptx);
    if (!module) FAIL(render(module.error()));
    check(text, *module);
  }
}

}  // namespace

#define GPX_KIND(kind)                                                                     \
  TEST_CASE("kernels that check themselves: " kind* doctest::test_suite(test::kSamples)) { \
    GPX_NEEDS_NVRTC();                                                                     \
    check_kind(kind);                                                                      \
  }
GPX_KIND("addresses")
GPX_KIND("virtuals")
GPX_KIND("printf")
GPX_KIND("asserts")
GPX_KIND("heap")
GPX_KIND("recursion")
GPX_KIND("switches")
GPX_KIND("lambdas")
GPX_KIND("constants")
GPX_KIND("locals")
GPX_KIND("dynamic_shared")
