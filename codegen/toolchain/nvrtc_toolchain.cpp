// Interface: codegen/toolchain/nvrtc_toolchain.h. Covered by tests/codegen/toolchain_test.cpp.
#include "codegen/toolchain/nvrtc_toolchain.h"

#include <fmt/format.h>

#include "codegen/compile/compile.h"
#include "codegen/user/cubin_file.h"

namespace gpx::codegen {

Result<CompiledFile> Toolchain::compile_file(const Source& file, const FileOptions&,
                                             std::vector<std::string>*) const {
  return fail(Fault::input, fmt::format("'{}' cannot be compiled for this device", file.name()),
              "it runs generated kernels alone: write the region as < ... >");
}

std::string NvrtcToolchain::name() const {
  const auto compiler = find_nvrtc_compiler();
  return compiler ? (*compiler)->name() : "";
}

Result<std::vector<Artifact>> NvrtcToolchain::compile(std::span<const Kernel> kernels,
                                                      const Source& source,
                                                      std::vector<std::string>* warnings) const {
  // For PTX the error names all that could compile it.
  auto compiler = find_nvrtc_compiler();
  if (!compiler) compiler = find_compiler(target_);
  if (!compiler) return tl::unexpected(std::move(compiler.error()));
  CompileOptions options;
  options.source = &source;
  options.compiler = std::move(*compiler);
  return codegen::compile(kernels, target_, options, warnings);
}

RegionReport NvrtcToolchain::prove(const Kernel& kernel, const Artifact& artifact) const {
  RegionReport report = check_timed_region(kernel, artifact);
  report.form = artifact.sass.empty() ? "PTX" : "SASS";
  return report;
}

Result<CompiledFile> NvrtcToolchain::compile_file(const Source& file, const FileOptions& options,
                                                  std::vector<std::string>* warnings) const {
  if (is_cubin_name(file.name())) return read_cubin_file(file, target_, options);
  const std::uint32_t registers = options.registers;
  auto compiled =
      codegen::compile_file(file, target_, options, ArtifactCache::from_environment(), warnings);
  // What executes PTX takes the number that is asked for: its machine code is not there to see.
  if (compiled && registers > 0 && target_.form == Target::Form::ptx)
    for (auto& [symbol, taken] : compiled->registers) taken = registers;
  return compiled;
}

std::string NvrtcToolchain::registers_origin(bool given) const {
  if (given && target_.form == Target::Form::ptx) return "as given";
  return fmt::format("of its machine code for sm_{}", target_.sm);
}

}  // namespace gpx::codegen
