// KernelImage: what executing one kernel of a cubin takes beside its instructions: constant banks,
// where its parameters lie, its stack and shared memory, initial values, and the addresses that
// only a launch can fill in. Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/sass/elf.h"
#include "codegen/sass/program.h"
#include "lang/diagnostic.h"

namespace gpx::codegen::sass {

/// Eight bytes of a section that are an address.
struct Fixup {
  std::uint64_t offset = 0;  ///< In the section.
  std::uint32_t type = 0;    ///< R_CUDA_64 is 2.
  std::string symbol;        ///< A variable, a function, or one of the driver's functions.
  std::uint64_t value = 0;   ///< Of the symbol in its section, plus the addend.
  bool function = false;     ///< A function of the cubin.
};

struct ImageSection {
  std::vector<std::uint8_t> bytes;  ///< Of sections without contents: zeros.
  std::vector<Fixup> fixups;
};

/// A variable of the module, as the cubin lays it out.
struct ImageVariable {
  std::string name;
  std::uint64_t address = 0, bytes = 0;  ///< In its section.
  bool initialised = false;              ///< It lies in .nv.global.init.
  bool constant = false;                 ///< In bank 3.
};

struct ImageParameter {
  std::uint32_t offset = 0;  ///< Behind the place in bank 0 where parameters begin.
  std::uint32_t bytes = 0;
};

struct KernelImage {
  Function function;
  int sm = 0;
  std::uint32_t registers = 0;             ///< Of a thread.
  std::uint64_t frame_bytes = 0;           ///< A thread's stack, callees included where known.
  std::uint64_t shared_bytes = 0;          ///< Static, without what the system keeps.
  std::uint32_t shared_begin = 0;          ///< The first address of shared memory.
  std::uint32_t parameters_begin = 0;      ///< In bank 0.
  std::vector<ImageParameter> parameters;  ///< In their order.
  std::array<std::uint32_t, 3> cluster{};  ///< Blocks of a cluster that the kernel demands; zeros.
  std::map<unsigned, ImageSection> banks;  ///< 2, 3 and 4, where the cubin has them.
  ImageSection initial;                    ///< .nv.global.init
  std::vector<ImageVariable> variables;
};

/// The symbols of the kernels of a cubin, in the file's order.
std::vector<std::string> kernels_of(const Elf& elf);

/// All but the code. `entry`: the symbol.
KernelImage read_kernel_interface(const Elf& elf, std::string_view entry);

/// Errors (Fault::input): those of read_program(). `entry`: the symbol.
Result<KernelImage> read_kernel_image(std::span<const std::uint8_t> cubin, std::string_view entry);

}  // namespace gpx::codegen::sass
