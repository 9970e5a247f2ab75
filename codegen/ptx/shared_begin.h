// Where the shared memory of a block begins, as code sees it. Covered by tests/vgpu/ptx_test.cpp.
#pragma once

#include <cstdint>

namespace gpx::ptx {

/// Bytes. From sm_90 on the system keeps the first KB: the ELF section .nv.shared of a cubin begins
/// with it, and addresses of shared variables that an H100 leaves in memory start behind it.
constexpr std::uint32_t shared_begin(int sm) {
  return sm >= 90 ? 1024 : 0;
}

}  // namespace gpx::ptx
