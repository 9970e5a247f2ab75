// Interface: codegen/compile/compiler.h. Covered by tests/codegen/compiler_test.cpp.
#include "codegen/compile/compiler.h"

#include <filesystem>

#include "codegen/compile/clang/clang.h"
#include "codegen/compile/nvrtc.h"
#include "codegen/ir/text.h"

namespace gpx::codegen {
namespace {

class NvrtcCompiler final : public Compiler {
 public:
  explicit NvrtcCompiler(NvrtcPlace place) : place_(std::move(place)) {}

  std::string title() const override { return "NVRTC"; }

  std::string name() const override {
    std::error_code ignored;
    const auto file = std::filesystem::canonical(place_.path, ignored);
    return ignored ? place_.path : file.filename().string();
  }

  const std::string& identity() const override { return place_.identity; }

  std::vector<std::string> options(const Target& target) const override {
    return nvrtc_options(target);
  }

  Result<Compiled> compile(const std::string& source, const std::string& name,
                           const Target& target) const override {
    const auto nvrtc = Nvrtc::open(place_);
    if (!nvrtc) return tl::unexpected(nvrtc.error());
    return (*nvrtc)->compile(source, name, target);
  }

 private:
  NvrtcPlace place_;
};

}  // namespace

Result<std::shared_ptr<const Compiler>> find_nvrtc_compiler() {
  auto place = find_nvrtc();
  if (!place) return tl::unexpected(std::move(place.error()));
  return std::make_shared<NvrtcCompiler>(std::move(*place));
}

Result<std::shared_ptr<const Compiler>> find_compiler(const Target& target) {
  auto nvrtc = find_nvrtc_compiler();
  if (nvrtc || target.form == Target::Form::cubin) return nvrtc;
  // Who names a library means that one.
  if (const std::string given = environment("GPX_NVRTC"); !given.empty() && given != kNoNvrtc)
    return nvrtc;
  auto clang = find_clang();
  if (clang) return std::shared_ptr<const Compiler>(std::move(*clang));
  Error error = nvrtc.error();
  error.diagnostics.front().message += "; " + clang.error().diagnostics.front().message;
  error.diagnostics.front().hint =
      "install the CUDA toolkit, or for virtual devices clang (Debian's clang-14)";
  return tl::unexpected(std::move(error));
}

}  // namespace gpx::codegen
