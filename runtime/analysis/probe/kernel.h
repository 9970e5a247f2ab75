// KernelRequest: a question that a hand-written kernel of stdlib/probes asks the device.
//
// For what no region of the language says: working sets that all threads of a block visit, sets of
// addresses that depend on answers, nearly all of the memory at once. The kernel follows the
// calling convention of generated ones (codegen/ir/program.h): `result`, the arrays, the lists, the
// scalars. It is compiled with the backend's toolchain and runs on any backend; nothing proves its
// timed region, so it must return what shows that it did what it says.
// Covered by tests/runtime/kernel_probe_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/analysis/probe/request.h"

namespace gpx {

struct KernelRequest final : ProbeRequest {
  std::string name;  ///< Of the kernel's `extern "C"` function.
  std::string file;  ///< Its path, for messages.
  std::string text;  ///< CUDA C++.
  /// Bytes of each array; its words start as every buffer's (codegen::initial_word), and it begins
  /// at a multiple of its size where there is room.
  std::vector<std::uint64_t> arrays;
  bool bare = false;                    ///< The arrays are not filled.
  std::vector<std::uint64_t> textures;  ///< Bytes; behind the arrays, handles of 32-bit texels.
  std::vector<std::vector<std::uint64_t>> lists;  ///< 64-bit words, buffers of their own.
  std::vector<std::uint64_t> scalars;
  std::uint64_t results = 1;  ///< 64-bit words at `result`, which start as codegen::kNotKept.
  /// Words that each list and the results have room for, at least: requests of the same room share
  /// a program, and their arrays lie at the same place.
  std::uint64_t room = 4096;
  std::uint32_t blocks = 1, threads = 1;
  /// Blocks that are tried first, where one of them may run on the SM that the kernel asks for.
  std::uint32_t fewer = 0;

  Result<void> check(const DeviceInfo& device) const override;
  /// The kernel stands there by its name and a digest of its code, which comments do not change.
  std::string question() const override;
  std::vector<std::uint64_t> key() const override;
  Result<LoweredMeasure> prepared(Backend& backend) const override;
  std::uint32_t fewer_blocks() const override { return fewer; }
  void set(codegen::Launch& launch, const codegen::Kernel& kernel) const override;
  /// The words at `result`; an error: a word was not written.
  Result<std::vector<double>> read(const codegen::Program& program, const codegen::Launch& launch,
                                   std::span<const Repetition> repetitions) const override;

 private:
  std::uint64_t room_for(std::uint64_t words) const;
  codegen::Kernel declaration() const;
  codegen::Program program() const;
};

}  // namespace gpx
