// The CUDA driver as a table of functions, opened at run time, so that one binary works with and
// without a GPU and a test can supply a driver of its own.
// Interface: driver() opens libcuda once. Covered by tests/runtime/cuda_driver_test.cpp.
#pragma once

#include <cuda.h>

#include <string>

namespace gpx::cuda {

// One row for each driver function that gpx calls: its name in the table, its name in cuda.h. The
// header maps some names to a versioned symbol (cuMemAlloc to cuMemAlloc_v2); the rows are expanded
// before they are used, so type and symbol follow the header. No row may be absent from a driver.
#define GPX_CUDA_FUNCTIONS(X)                                      \
  X(init, cuInit)                                                  \
  X(driver_get_version, cuDriverGetVersion)                        \
  X(get_error_name, cuGetErrorName)                                \
  X(get_error_string, cuGetErrorString)                            \
  X(device_get_count, cuDeviceGetCount)                            \
  X(device_get, cuDeviceGet)                                       \
  X(device_get_name, cuDeviceGetName)                              \
  X(device_get_uuid, cuDeviceGetUuid)                              \
  X(device_get_attribute, cuDeviceGetAttribute)                    \
  X(device_total_mem, cuDeviceTotalMem)                            \
  X(primary_ctx_retain, cuDevicePrimaryCtxRetain)                  \
  X(primary_ctx_release, cuDevicePrimaryCtxRelease)                \
  X(ctx_set_current, cuCtxSetCurrent)                              \
  X(module_load_data_ex, cuModuleLoadDataEx)                       \
  X(module_unload, cuModuleUnload)                                 \
  X(module_get_function, cuModuleGetFunction)                      \
  X(module_get_global, cuModuleGetGlobal)                          \
  X(tex_object_create, cuTexObjectCreate)                          \
  X(tex_object_destroy, cuTexObjectDestroy)                        \
  X(func_get_attribute, cuFuncGetAttribute)                        \
  X(launch_kernel, cuLaunchKernel)                                 \
  X(func_set_attribute, cuFuncSetAttribute)                        \
  X(occupancy_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(launch_host_func, cuLaunchHostFunc)                            \
  X(mem_alloc, cuMemAlloc)                                         \
  X(mem_free, cuMemFree)                                           \
  X(mem_get_info, cuMemGetInfo)                                    \
  X(mem_host_alloc, cuMemHostAlloc)                                \
  X(mem_free_host, cuMemFreeHost)                                  \
  X(memcpy_htod_async, cuMemcpyHtoDAsync)                          \
  X(memcpy_dtoh_async, cuMemcpyDtoHAsync)                          \
  X(memset_d32_async, cuMemsetD32Async)                            \
  X(stream_create, cuStreamCreate)                                 \
  X(stream_destroy, cuStreamDestroy)                               \
  X(stream_query, cuStreamQuery)                                   \
  X(event_create, cuEventCreate)                                   \
  X(event_record, cuEventRecord)                                   \
  X(event_elapsed_time, cuEventElapsedTime)                        \
  X(event_destroy, cuEventDestroy)

struct Driver {
#define GPX_CUDA_FIELD(field, symbol) decltype(&symbol) field = nullptr;
  GPX_CUDA_FUNCTIONS(GPX_CUDA_FIELD)
#undef GPX_CUDA_FIELD
  /// cuFuncSetSharedMemConfig, which new drivers may lack: nullptr then. The second argument is a
  /// CUsharedconfig, 1 for banks of four bytes, 2 for banks of eight.
  CUresult (*func_set_shared_config)(CUfunction, int) = nullptr;
};

/// What opening the driver gave. Exactly one of `driver` and `reason` is set.
struct DriverState {
  const Driver* driver = nullptr;
  std::string library;  ///< The name or path that was opened, or tried.
  int version = 0;      ///< 13000 is CUDA 13.0: the newest CUDA that the driver knows.
  std::string reason;   ///< Why there is no driver to use: "libcuda.so.1 was not found".
};

/// Opens `library`, fills the table and calls cuInit. The library stays open.
DriverState open_driver(const std::string& library);

/// The driver of this process: libcuda.so.1, or what the environment variable GPX_LIBCUDA names.
/// Opened at the first call. That there is none is a state of the machine, not an error.
const DriverState& driver();

/// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
std::string describe(const Driver& driver, CUresult result);

/// "13.0" for 13000.
std::string version_text(int version);

}  // namespace gpx::cuda
