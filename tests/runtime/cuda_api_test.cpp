// runtime/device/cuda/api.h against the toolkit's own header, where there is one.
#include <doctest/doctest.h>

#include "runtime/device/cuda/api.h"
#include "runtime/device/cuda/driver.h"

#if __has_include(<cuda.h>)
#include <cuda.h>

#include <cstddef>
#include <type_traits>

namespace {

namespace ours = gpx::cuda;

/// What can differ without a sign: how many arguments there are, and how large each is.
template <typename... Arguments>
struct Sizes {
  static constexpr std::size_t count = sizeof...(Arguments);
  template <typename... Others>
  static constexpr bool same() {
    if constexpr (sizeof...(Others) == count)
      return ((sizeof(Arguments) == sizeof(Others) &&
               std::is_pointer_v<Arguments> == std::is_pointer_v<Others>)&&...);
    else
      return false;
  }
};
template <typename... Mine, typename... Theirs>
constexpr bool same(ours::CUresult (*)(Mine...), ::CUresult (*)(Theirs...)) {
  return Sizes<Mine...>::template same<Theirs...>();
}

// Expanded behind cuda.h, whose macros lead to the newest version of a function: cuMemAlloc_v2.
#define GPX_SAME(field, symbol, ...) \
  static_assert(same(decltype(ours::Driver::field){}, decltype(&::symbol){}), #symbol);
GPX_CUDA_FUNCTIONS(GPX_SAME)

#define GPX_VALUE(name) CHECK(static_cast<long>(ours::name) == static_cast<long>(::name))

TEST_CASE("results of the driver have the header's numbers") {
  GPX_VALUE(CUDA_SUCCESS);
  GPX_VALUE(CUDA_ERROR_INVALID_VALUE);
  GPX_VALUE(CUDA_ERROR_OUT_OF_MEMORY);
  GPX_VALUE(CUDA_ERROR_STUB_LIBRARY);
  GPX_VALUE(CUDA_ERROR_DEVICE_UNAVAILABLE);
  GPX_VALUE(CUDA_ERROR_NO_DEVICE);
  GPX_VALUE(CUDA_ERROR_NO_BINARY_FOR_GPU);
  GPX_VALUE(CUDA_ERROR_ECC_UNCORRECTABLE);
  GPX_VALUE(CUDA_ERROR_NVLINK_UNCORRECTABLE);
  GPX_VALUE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  GPX_VALUE(CUDA_ERROR_NOT_FOUND);
  GPX_VALUE(CUDA_ERROR_NOT_READY);
  GPX_VALUE(CUDA_ERROR_ILLEGAL_ADDRESS);
  GPX_VALUE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  GPX_VALUE(CUDA_ERROR_LAUNCH_TIMEOUT);
  GPX_VALUE(CUDA_ERROR_ASSERT);
  GPX_VALUE(CUDA_ERROR_HARDWARE_STACK_ERROR);
  GPX_VALUE(CUDA_ERROR_ILLEGAL_INSTRUCTION);
  GPX_VALUE(CUDA_ERROR_MISALIGNED_ADDRESS);
  GPX_VALUE(CUDA_ERROR_INVALID_ADDRESS_SPACE);
  GPX_VALUE(CUDA_ERROR_INVALID_PC);
  GPX_VALUE(CUDA_ERROR_LAUNCH_FAILED);
  GPX_VALUE(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  GPX_VALUE(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  GPX_VALUE(CUDA_ERROR_INVALID_CLUSTER_SIZE);
  GPX_VALUE(CUDA_ERROR_UNKNOWN);
}

TEST_CASE("attributes, options and flags have the header's numbers") {
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  GPX_VALUE(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  GPX_VALUE(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  GPX_VALUE(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  GPX_VALUE(CU_FUNC_ATTRIBUTE_NUM_REGS);
  GPX_VALUE(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  GPX_VALUE(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  GPX_VALUE(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  GPX_VALUE(CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  GPX_VALUE(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  GPX_VALUE(CU_JIT_ERROR_LOG_BUFFER);
  GPX_VALUE(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  GPX_VALUE(CU_RESOURCE_TYPE_LINEAR);
  GPX_VALUE(CU_TENSOR_MAP_DATA_TYPE_UINT8);
  GPX_VALUE(CU_TENSOR_MAP_DATA_TYPE_UINT16);
  GPX_VALUE(CU_TENSOR_MAP_DATA_TYPE_UINT32);
  GPX_VALUE(CU_TENSOR_MAP_DATA_TYPE_UINT64);
  GPX_VALUE(CU_TENSOR_MAP_INTERLEAVE_NONE);
  GPX_VALUE(CU_TENSOR_MAP_SWIZZLE_NONE);
  GPX_VALUE(CU_TENSOR_MAP_L2_PROMOTION_NONE);
  GPX_VALUE(CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  GPX_VALUE(CU_AD_FORMAT_UNSIGNED_INT32);
  GPX_VALUE(CU_TR_FILTER_MODE_POINT);
  GPX_VALUE(CU_MEM_ALLOCATION_TYPE_PINNED);
  GPX_VALUE(CU_MEM_LOCATION_TYPE_DEVICE);
  GPX_VALUE(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  GPX_VALUE(CU_STREAM_NON_BLOCKING);
  GPX_VALUE(CU_EVENT_DEFAULT);
  CHECK(ours::kReadAsInteger == CU_TRSF_READ_AS_INTEGER);
}

#define GPX_LAYOUT(type, member) CHECK(offsetof(ours::type, member) == offsetof(::type, member))

TEST_CASE("descriptors have the header's layout") {
  CHECK(sizeof(ours::CUuuid) == sizeof(::CUuuid));
  CHECK(sizeof(ours::CUDA_RESOURCE_DESC) == sizeof(::CUDA_RESOURCE_DESC));
  GPX_LAYOUT(CUDA_RESOURCE_DESC, resType);
  GPX_LAYOUT(CUDA_RESOURCE_DESC, res.linear.devPtr);
  GPX_LAYOUT(CUDA_RESOURCE_DESC, res.linear.format);
  GPX_LAYOUT(CUDA_RESOURCE_DESC, res.linear.numChannels);
  GPX_LAYOUT(CUDA_RESOURCE_DESC, res.linear.sizeInBytes);
  GPX_LAYOUT(CUDA_RESOURCE_DESC, flags);
  CHECK(sizeof(ours::CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
  GPX_LAYOUT(CUlaunchAttribute, value.cooperative);
  GPX_LAYOUT(CUlaunchAttribute, value.clusterDim.x);
  CHECK(sizeof(ours::CUlaunchConfig) == sizeof(::CUlaunchConfig));
  GPX_LAYOUT(CUlaunchConfig, blockDimX);
  GPX_LAYOUT(CUlaunchConfig, sharedMemBytes);
  GPX_LAYOUT(CUlaunchConfig, hStream);
  GPX_LAYOUT(CUlaunchConfig, attrs);
  GPX_LAYOUT(CUlaunchConfig, numAttrs);
  CHECK(sizeof(ours::CUmemAllocationProp) == sizeof(::CUmemAllocationProp));
  GPX_LAYOUT(CUmemAllocationProp, location);
  CHECK(sizeof(ours::CUmemAccessDesc) == sizeof(::CUmemAccessDesc));
  GPX_LAYOUT(CUmemAccessDesc, flags);
  CHECK(sizeof(ours::CUtensorMap) == sizeof(::CUtensorMap));
  CHECK(alignof(ours::CUtensorMap) >= alignof(::CUtensorMap));
  CHECK(sizeof(ours::CUDA_TEXTURE_DESC) == sizeof(::CUDA_TEXTURE_DESC));
  GPX_LAYOUT(CUDA_TEXTURE_DESC, filterMode);
  GPX_LAYOUT(CUDA_TEXTURE_DESC, flags);
  GPX_LAYOUT(CUDA_TEXTURE_DESC, mipmapFilterMode);
}

}  // namespace
#else
TEST_CASE("the driver's API is declared as its header declares it") {
  MESSAGE("left out: it needs NVRTC");
}
#endif
