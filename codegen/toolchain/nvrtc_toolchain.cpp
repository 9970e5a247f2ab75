// Interface: codegen/toolchain/nvrtc_toolchain.h. Covered by tests/codegen/toolchain_test.cpp.
#include "codegen/toolchain/nvrtc_toolchain.h"

#include <fmt/format.h>

#include <filesystem>

#include "codegen/compile/compile.h"
#include "codegen/compile/nvrtc.h"

namespace gpx::codegen {

Result<CompiledFile> Toolchain::compile_file(const Source& file, std::uint32_t,
                                             std::vector<std::string>*) const {
  return fail(Fault::input, fmt::format("'{}' cannot be compiled for this device", file.name()),
              "it runs generated kernels alone: write the region as < ... >");
}

std::string NvrtcToolchain::name() const {
  const auto place = find_nvrtc();
  if (!place) return {};
  std::error_code ignored;
  const auto file = std::filesystem::canonical(place->path, ignored);
  return ignored ? place->path : file.filename().string();
}

Result<std::vector<Artifact>> NvrtcToolchain::compile(std::span<const Kernel> kernels,
                                                      const Source& source,
                                                      std::vector<std::string>* warnings) const {
  CompileOptions options;
  options.source = &source;
  return codegen::compile(kernels, target_, options, warnings);
}

RegionReport NvrtcToolchain::prove(const Kernel& kernel, const Artifact& artifact) const {
  RegionReport report = check_timed_region(kernel, artifact);
  report.form = artifact.sass.empty() ? "PTX" : "SASS";
  return report;
}

Result<CompiledFile> NvrtcToolchain::compile_file(const Source& file, std::uint32_t registers,
                                                  std::vector<std::string>* warnings) const {
  auto compiled =
      codegen::compile_file(file, target_, registers, ArtifactCache::from_environment(), warnings);
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
