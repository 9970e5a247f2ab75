// CUDA C++ compiled by an installed clang, for what executes PTX, the timed region proven in it.
// Covered by tests/codegen/toolchain_test.cpp.
#pragma once

#include <memory>
#include <string_view>

#include "codegen/compile/clang/clang.h"
#include "codegen/toolchain/toolchain.h"

namespace gpx::codegen {

class ClangToolchain final : public Toolchain {
 public:
  ClangToolchain(std::shared_ptr<const Clang> clang, const Target& target)
      : clang_(std::move(clang)), target_(target) {}

  const Target& target() const { return target_; }
  std::string name() const override { return clang_->name(); }
  Result<std::vector<Artifact>> compile(std::span<const Kernel> kernels, const Source& source,
                                        std::vector<std::string>* warnings) const override;
  RegionReport prove(const Kernel& kernel, const Artifact& artifact) const override;
  Result<CompiledFile> compile_file(const Source& file, const FileOptions& options,
                                    std::vector<std::string>* warnings) const override;
  std::string registers_origin(bool given) const override;

 private:
  std::shared_ptr<const Clang> clang_;
  Target target_;
};

/// What compiles for a virtual GPU: NVRTC's toolchain, or clang's where find_compiler() says so.
/// `sm`: the virtual architecture, 75 for compute_75. `lacks`: see Target.
std::unique_ptr<Toolchain> ptx_toolchain(int sm, std::vector<std::string_view> lacks = {});

}  // namespace gpx::codegen
