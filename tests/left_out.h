// Tests that need a compiler which this machine may lack: they say that they are left out, and
// ctest counts them as skipped (tests/doctest_main.cpp).
#pragma once

#include <doctest/doctest.h>

#include "codegen/compile/clang/clang.h"
#include "codegen/compile/nvrtc.h"

/// Ends the test case where there is no NVRTC: machine code and its registers come from it alone.
#define GPX_NEEDS_NVRTC()                \
  if (!gpx::codegen::find_nvrtc()) {     \
    MESSAGE("left out: it needs NVRTC"); \
    return;                              \
  }

/// Ends the test case where there is no clang.
#define GPX_NEEDS_CLANG()                \
  if (!gpx::codegen::find_clang()) {     \
    MESSAGE("left out: it needs clang"); \
    return;                              \
  }
