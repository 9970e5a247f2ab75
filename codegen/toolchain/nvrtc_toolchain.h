// CUDA C++ compiled by NVRTC, the timed region proven in the PTX and, where there is a cubin, in
// its machine code. Covered by tests/codegen/toolchain_test.cpp.
#pragma once

#include "codegen/toolchain/toolchain.h"

namespace gpx::codegen {

class NvrtcToolchain final : public Toolchain {
 public:
  explicit NvrtcToolchain(const Target& target) : target_(target) {}

  const Target& target() const { return target_; }

  std::string name() const override;
  Result<std::vector<Artifact>> compile(std::span<const Kernel> kernels, const Source& source,
                                        std::vector<std::string>* warnings) const override;
  RegionReport prove(const Kernel& kernel, const Artifact& artifact) const override;
  Result<CompiledFile> compile_file(const Source& file, const FileOptions& options,
                                    std::vector<std::string>* warnings) const override;
  std::string registers_origin(bool given) const override;

 private:
  Target target_;
};

}  // namespace gpx::codegen
