// Comparisons of parts of a word, for video instructions (PTX ISA, vset). Covered by
// tests/vgpu/exec_headers_test.cpp.
#pragma once

#include <cstdint>

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {

/// By value, whatever the types of both: lo, ls, hi and hs are lt, le, gt and ge.
inline bool holds(ptx::Compare compare, std::int64_t a, std::int64_t b) {
  switch (compare) {
    case ptx::Compare::eq: return a == b;
    case ptx::Compare::ne: return a != b;
    case ptx::Compare::lt:
    case ptx::Compare::lo: return a < b;
    case ptx::Compare::le:
    case ptx::Compare::ls: return a <= b;
    case ptx::Compare::gt:
    case ptx::Compare::hi: return a > b;
    default: return a >= b;
  }
}

}  // namespace gpx::vgpu::exec
