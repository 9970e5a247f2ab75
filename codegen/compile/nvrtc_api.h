// What gpx takes from NVRTC, declared here so that building needs no toolkit: names, types and
// numbers are those of nvrtc.h. tests/codegen/nvrtc_api_test.cpp compares them with the toolkit's
// header where there is one.
#pragma once

#include <cstddef>

namespace gpx::codegen {

using nvrtcProgram = struct _nvrtcProgram*;

enum nvrtcResult : unsigned { NVRTC_SUCCESS = 0, NVRTC_ERROR_COMPILATION = 6 };

// One row for each function: its name in the table, its result, its symbol, its arguments.
#define GPX_NVRTC_FUNCTIONS(X)                                                               \
  X(version, nvrtcResult, nvrtcVersion, int*, int*)                                          \
  X(error_string, const char*, nvrtcGetErrorString, nvrtcResult)                             \
  X(arch_count, nvrtcResult, nvrtcGetNumSupportedArchs, int*)                                \
  X(archs, nvrtcResult, nvrtcGetSupportedArchs, int*)                                        \
  X(create, nvrtcResult, nvrtcCreateProgram, nvrtcProgram*, const char*, const char*, int,   \
    const char* const*, const char* const*)                                                  \
  X(add_name, nvrtcResult, nvrtcAddNameExpression, nvrtcProgram, const char*)                \
  X(lowered_name, nvrtcResult, nvrtcGetLoweredName, nvrtcProgram, const char*, const char**) \
  X(destroy, nvrtcResult, nvrtcDestroyProgram, nvrtcProgram*)                                \
  X(compile, nvrtcResult, nvrtcCompileProgram, nvrtcProgram, int, const char* const*)        \
  X(ptx_size, nvrtcResult, nvrtcGetPTXSize, nvrtcProgram, std::size_t*)                      \
  X(ptx, nvrtcResult, nvrtcGetPTX, nvrtcProgram, char*)                                      \
  X(cubin_size, nvrtcResult, nvrtcGetCUBINSize, nvrtcProgram, std::size_t*)                  \
  X(cubin, nvrtcResult, nvrtcGetCUBIN, nvrtcProgram, char*)                                  \
  X(log_size, nvrtcResult, nvrtcGetProgramLogSize, nvrtcProgram, std::size_t*)               \
  X(log, nvrtcResult, nvrtcGetProgramLog, nvrtcProgram, char*)

}  // namespace gpx::codegen
