// What a backend compiles with: codegen/toolchain/.
#include <doctest/doctest.h>

#include "codegen/toolchain/clang_toolchain.h"
#include "codegen/toolchain/nvrtc_toolchain.h"
#include "tests/left_out.h"

namespace gpx::codegen {
namespace {

const Source kFile("two.cu", "__global__ void two(int* a) { a[threadIdx.x] = 2; }\n");

TEST_CASE("a virtual GPU gives a kernel the registers that are asked for, a real one what it has") {
  GPX_NEEDS_NVRTC();
  struct Row {
    Target target;
    std::uint32_t registers;
    bool exact;
    const char* origin;
  };
  const Row rows[] = {
      {{Target::Form::ptx, 75}, 0, false, "of its machine code for sm_75"},
      {{Target::Form::ptx, 75}, 100, true, "as given"},
      {{Target::Form::cubin, 90}, 100, false, "of its machine code for sm_90"},
  };
  for (const Row& row : rows) {
    const NvrtcToolchain toolchain(row.target);
    const auto compiled = toolchain.compile_file(kFile, {row.registers}, nullptr);
    REQUIRE(compiled.has_value());
    const std::uint32_t registers = compiled->registers_of("_Z3twoPi");
    CHECK(registers > 0);
    CHECK((registers == row.registers) == row.exact);
    CHECK(toolchain.registers_origin(row.registers > 0) == row.origin);
  }
}

TEST_CASE("clang gives a kernel the registers that are asked for, and knows of no others") {
  GPX_NEEDS_CLANG();
  const ClangToolchain toolchain(*find_clang(), {Target::Form::ptx, 75});
  for (const std::uint32_t registers : {0u, 100u}) {
    const auto compiled = toolchain.compile_file(kFile, {registers}, nullptr);
    REQUIRE(compiled.has_value());
    CHECK(compiled->registers_of("_Z3twoPi") == registers);
  }
  CHECK(toolchain.registers_origin(true) == "as given");
  CHECK(toolchain.registers_origin(false).starts_with("not known"));
}

/// Generated kernels alone.
class Bare final : public Toolchain {
  std::string name() const override { return "bare"; }
  Result<std::vector<Artifact>> compile(std::span<const Kernel>, const Source&,
                                        std::vector<std::string>*) const override {
    return std::vector<Artifact>{};
  }
  RegionReport prove(const Kernel&, const Artifact&) const override { return {}; }
};

TEST_CASE("a toolchain without a compiler for files says so") {
  const Bare bare;
  const Toolchain& toolchain = bare;
  const auto compiled = toolchain.compile_file(kFile, {}, nullptr);
  REQUIRE(!compiled.has_value());
  CHECK(compiled.error().fault == Fault::input);
  CHECK(compiled.error().diagnostics[0].message == "'two.cu' cannot be compiled for this device");
}

}  // namespace
}  // namespace gpx::codegen
