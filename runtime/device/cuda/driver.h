// The CUDA driver as a table of functions, opened at run time, so that one binary works with and
// without a GPU and a test can supply a driver of its own.
// Interface: driver() opens libcuda once. Covered by tests/runtime/cuda_driver_test.cpp.
#pragma once

#include <string>

#include "runtime/device/cuda/api.h"

namespace gpx::cuda {

// One row for each driver function that gpx calls: its name in the table, its symbol (cuda.h maps
// cuMemAlloc to cuMemAlloc_v2) and its arguments. No row may be absent from a driver.
#define GPX_CUDA_FUNCTIONS(X)                                                                      \
  X(init, cuInit, unsigned)                                                                        \
  X(driver_get_version, cuDriverGetVersion, int*)                                                  \
  X(get_error_name, cuGetErrorName, CUresult, const char**)                                        \
  X(get_error_string, cuGetErrorString, CUresult, const char**)                                    \
  X(device_get_count, cuDeviceGetCount, int*)                                                      \
  X(device_get, cuDeviceGet, CUdevice*, int)                                                       \
  X(device_get_name, cuDeviceGetName, char*, int, CUdevice)                                        \
  X(device_get_uuid, cuDeviceGetUuid_v2, CUuuid*, CUdevice)                                        \
  X(device_get_attribute, cuDeviceGetAttribute, int*, CUdevice_attribute, CUdevice)                \
  X(device_total_mem, cuDeviceTotalMem_v2, std::size_t*, CUdevice)                                 \
  X(primary_ctx_retain, cuDevicePrimaryCtxRetain, CUcontext*, CUdevice)                            \
  X(primary_ctx_release, cuDevicePrimaryCtxRelease_v2, CUdevice)                                   \
  X(ctx_set_current, cuCtxSetCurrent, CUcontext)                                                   \
  X(device_can_access_peer, cuDeviceCanAccessPeer, int*, CUdevice, CUdevice)                       \
  X(device_get_p2p_attribute, cuDeviceGetP2PAttribute, int*, CUdevice_P2PAttribute, CUdevice,      \
    CUdevice)                                                                                      \
  X(ctx_enable_peer_access, cuCtxEnablePeerAccess, CUcontext, unsigned)                            \
  X(module_load_data_ex, cuModuleLoadDataEx, CUmodule*, const void*, unsigned, CUjit_option*,      \
    void**)                                                                                        \
  X(module_unload, cuModuleUnload, CUmodule)                                                       \
  X(module_get_function, cuModuleGetFunction, CUfunction*, CUmodule, const char*)                  \
  X(module_get_global, cuModuleGetGlobal_v2, CUdeviceptr*, std::size_t*, CUmodule, const char*)    \
  X(tex_object_create, cuTexObjectCreate, CUtexObject*, const CUDA_RESOURCE_DESC*,                 \
    const CUDA_TEXTURE_DESC*, const CUDA_RESOURCE_VIEW_DESC*)                                      \
  X(tex_object_destroy, cuTexObjectDestroy, CUtexObject)                                           \
  X(func_get_attribute, cuFuncGetAttribute, int*, CUfunction_attribute, CUfunction)                \
  X(launch_kernel, cuLaunchKernel, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,   \
    unsigned, unsigned, CUstream, void**, void**)                                                  \
  X(func_set_attribute, cuFuncSetAttribute, CUfunction, CUfunction_attribute, int)                 \
  X(occupancy_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor, int*, CUfunction, int,          \
    std::size_t)                                                                                   \
  X(launch_host_func, cuLaunchHostFunc, CUstream, CUhostFn, void*)                                 \
  X(mem_alloc, cuMemAlloc_v2, CUdeviceptr*, std::size_t)                                           \
  X(mem_free, cuMemFree_v2, CUdeviceptr)                                                           \
  X(mem_get_info, cuMemGetInfo_v2, std::size_t*, std::size_t*)                                     \
  X(mem_address_reserve, cuMemAddressReserve, CUdeviceptr*, std::size_t, std::size_t, CUdeviceptr, \
    unsigned long long)                                                                            \
  X(mem_address_free, cuMemAddressFree, CUdeviceptr, std::size_t)                                  \
  X(mem_create, cuMemCreate, CUmemGenericAllocationHandle*, std::size_t,                           \
    const CUmemAllocationProp*, unsigned long long)                                                \
  X(mem_release, cuMemRelease, CUmemGenericAllocationHandle)                                       \
  X(mem_map, cuMemMap, CUdeviceptr, std::size_t, std::size_t, CUmemGenericAllocationHandle,        \
    unsigned long long)                                                                            \
  X(mem_unmap, cuMemUnmap, CUdeviceptr, std::size_t)                                               \
  X(mem_set_access, cuMemSetAccess, CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t) \
  X(mem_host_alloc, cuMemHostAlloc, void**, std::size_t, unsigned)                                 \
  X(mem_free_host, cuMemFreeHost, void*)                                                           \
  X(memcpy_htod_async, cuMemcpyHtoDAsync_v2, CUdeviceptr, const void*, std::size_t, CUstream)      \
  X(memcpy_dtoh_async, cuMemcpyDtoHAsync_v2, void*, CUdeviceptr, std::size_t, CUstream)            \
  X(memset_d32_async, cuMemsetD32Async, CUdeviceptr, unsigned, std::size_t, CUstream)              \
  X(stream_create, cuStreamCreate, CUstream*, unsigned)                                            \
  X(stream_destroy, cuStreamDestroy_v2, CUstream)                                                  \
  X(stream_query, cuStreamQuery, CUstream)                                                         \
  X(event_create, cuEventCreate, CUevent*, unsigned)                                               \
  X(event_record, cuEventRecord, CUevent, CUstream)                                                \
  X(event_query, cuEventQuery, CUevent)                                                            \
  X(event_elapsed_time, cuEventElapsedTime_v2, float*, CUevent, CUevent)                           \
  X(event_destroy, cuEventDestroy_v2, CUevent)

struct Driver {
#define GPX_CUDA_FIELD(field, symbol, ...) CUresult (*field)(__VA_ARGS__) = nullptr;
  GPX_CUDA_FUNCTIONS(GPX_CUDA_FIELD)
#undef GPX_CUDA_FIELD
  /// cuFuncSetSharedMemConfig, which new drivers may lack: nullptr then. The second argument is a
  /// CUsharedconfig, 1 for banks of four bytes, 2 for banks of eight.
  CUresult (*func_set_shared_config)(CUfunction, int) = nullptr;
  /// cuLaunchKernelEx, which drivers before CUDA 11.8 lack: nullptr then.
  CUresult (*launch_kernel_ex)(const CUlaunchConfig*, CUfunction, void**, void**) = nullptr;
  /// cuTensorMapEncodeTiled, which drivers before CUDA 12.0 lack: nullptr then. Map, type, sides,
  /// address, extents, strides of the sides but the first, box, steps.
  CUresult (*tensor_map_encode)(CUtensorMap*, CUtensorMapDataType, unsigned, void*,
                                const std::uint64_t*, const std::uint64_t*, const std::uint32_t*,
                                const std::uint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill) = nullptr;
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
