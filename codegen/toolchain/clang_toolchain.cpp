// Interface: codegen/toolchain/clang_toolchain.h. Covered by tests/codegen/toolchain_test.cpp.
#include "codegen/toolchain/clang_toolchain.h"

#include "codegen/compile/compile.h"
#include "codegen/toolchain/nvrtc_toolchain.h"
#include "codegen/user/cubin_file.h"

namespace gpx::codegen {

Result<std::vector<Artifact>> ClangToolchain::compile(std::span<const Kernel> kernels,
                                                      const Source& source,
                                                      std::vector<std::string>* warnings) const {
  CompileOptions options;
  options.source = &source;
  options.compiler = clang_;
  return codegen::compile(kernels, target_, options, warnings);
}

RegionReport ClangToolchain::prove(const Kernel& kernel, const Artifact& artifact) const {
  RegionReport report = check_timed_region(kernel, artifact);
  report.form = "PTX";
  return report;
}

// There is no machine code to see how many registers it takes: 0 where the experiment does not say.
Result<CompiledFile> ClangToolchain::compile_file(const Source& file, const FileOptions& options,
                                                  std::vector<std::string>* warnings) const {
  if (is_cubin_name(file.name())) return read_cubin_file(file, target_, options);
  if (const std::string note = clang_->note(target_); warnings && !note.empty())
    warnings->push_back(note);
  auto compiled = codegen::compile_file(file, *clang_, target_.sm, options);
  if (!compiled) return compiled;
  for (auto& [symbol, taken] : compiled->registers) taken = options.registers;
  return compiled;
}

std::string ClangToolchain::registers_origin(bool given) const {
  return given ? "as given" : "not known: clang makes no machine code";
}

std::unique_ptr<Toolchain> ptx_toolchain(int sm, std::vector<std::string_view> lacks) {
  const Target target{Target::Form::ptx, sm, std::move(lacks)};
  const auto compiler = find_compiler(target);
  if (compiler)
    if (auto clang = std::dynamic_pointer_cast<const Clang>(*compiler))
      return std::make_unique<ClangToolchain>(std::move(clang), target);
  return std::make_unique<NvrtcToolchain>(target);
}

}  // namespace gpx::codegen
