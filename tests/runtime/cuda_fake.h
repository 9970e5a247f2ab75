// A CUDA driver made of this process's memory, for tests without a GPU.
//
// What is queued on the stream is kept and runs, in order, when the stream is queried: a kernel is
// a C++ function. It records every call, and fails where a test tells it to.
#pragma once

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/device/cuda/driver.h"

namespace gpx::cuda::fake {

/// What a launch looked like: result, buffers and scalars as the kernel's arguments give them.
struct Launched {
  std::string kernel;
  unsigned blocks = 0, threads = 0;
  std::vector<std::uint64_t> arguments;
  unsigned blocks_down = 1, threads_down = 1, shared_bytes = 0;
  unsigned cluster = 0;  ///< Blocks; 0: launched without.
  bool cooperative = false;
};

struct Gpu {
  // What a test sets.
  int count = 1;
  std::uint64_t memory = 1u << 30;
  std::map<std::string, std::size_t> kernels;  ///< Name: number of 64-bit arguments.
  std::function<void(const Launched&)> execute = [](const Launched&) {};
  std::map<std::string, CUresult> fail;            ///< Function of the table: what it returns.
  unsigned most_threads = 1024;                    ///< Of a block that the registers allow.
  int fail_launch = -1;                            ///< The launch that fails while it runs.
  int hang_launch = -1;                            ///< The launch that never ends.
  float milliseconds = 2.5F;                       ///< Between any two events.
  std::map<std::string, std::uint64_t> constants;  ///< Arrays in every module: their bytes.
  std::set<std::pair<CUdevice, CUdevice>> access;  ///< Who can access whose memory.
  int own_shared = 0;                              ///< Bytes that each kernel's code has.
  bool peer_atomics = true;

  // What a test reads.
  std::vector<std::string> calls;  ///< Stream work as it was queued: "launch", "htod 64", ...
  std::vector<Launched> launches;  ///< As executed.
  std::set<void*> device_blocks, host_blocks;
  std::uint64_t used = 0;
  std::uint64_t waits = 0;  ///< Times that something queued was waited for.
  int module_loads = 0, modules = 0, events = 0, streams = 0, contexts = 0;
  int dynamic_shared = 0;                                ///< That a kernel asked for.
  bool non_portable = false;                             ///< Clusters of more than 8 blocks.
  std::map<std::uint64_t, CUDA_RESOURCE_DESC> textures;  ///< By handle.
  std::map<std::string, std::vector<std::vector<std::uint32_t>>>
      constant_words;  ///< Each module's.

  std::vector<std::string> enabled;  ///< "40 41": from the one's context to the other's memory.
  /// Allocations, copies and frees of memory of another device than that of the current context.
  int misplaced = 0;

  // Inside.
  std::map<CUcontext, CUdevice> context_devices;
  std::map<void*, CUdevice> owners;  ///< Of memory on devices.
  CUdevice current = 40;
  CUresult sticky = CUDA_SUCCESS;
  std::vector<std::function<CUresult()>> queue;
  std::map<void*, std::uint64_t> sizes;
  /// Handles and mappings by size: a test maps no two arrays of one size.
  std::map<std::uint64_t, int> mapped;
  std::map<CUfunction, std::string> functions;
  std::vector<std::unique_ptr<int>> handles;

  std::size_t count_calls(const std::string& prefix) const {
    std::size_t n = 0;
    for (const std::string& call : calls) n += call.rfind(prefix, 0) == 0;
    return n;
  }
};

/// The GPU behind the table. A test starts with reset().
inline Gpu& gpu() {
  static Gpu instance;
  return instance;
}

inline CUresult planned(const char* function) {
  if (gpu().sticky != CUDA_SUCCESS) return gpu().sticky;
  const auto found = gpu().fail.find(function);
  return found == gpu().fail.end() ? CUDA_SUCCESS : found->second;
}

template <typename Handle>
Handle make_handle() {
  gpu().handles.push_back(std::make_unique<int>());
  return reinterpret_cast<Handle>(gpu().handles.back().get());
}

inline CUresult allocate(std::set<void*>& blocks, void** out, std::size_t bytes) {
  *out = std::calloc(bytes, 1);
  blocks.insert(*out);
  gpu().sizes[*out] = bytes;
  return CUDA_SUCCESS;
}

inline CUresult release(std::set<void*>& blocks, void* pointer) {
  if (blocks.erase(pointer) == 0) return CUDA_ERROR_INVALID_VALUE;
  std::free(pointer);
  return CUDA_SUCCESS;
}

inline int attribute(CUdevice_attribute what) {
  switch (what) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return 0;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return 132;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: return 2048;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: return 1980000;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: return 4096;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: return 2619000;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: return 5120;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: return 232448;
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: return 1;
    default: return 0;
  }
}

inline CUresult execute_launch(const Launched& launched) {
  gpu().launches.push_back(launched);
  if (static_cast<int>(gpu().launches.size()) - 1 == gpu().fail_launch) {
    gpu().sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    return gpu().sticky;
  }
  gpu().execute(launched);
  return CUDA_SUCCESS;
}

inline CUresult run_queue() {
  if (gpu().sticky != CUDA_SUCCESS) return gpu().sticky;
  const bool any = !gpu().queue.empty();
  auto work = std::move(gpu().queue);
  gpu().queue.clear();
  for (std::size_t i = 0; i < work.size(); ++i) {
    const CUresult result = work[i]();
    if (result == CUDA_SUCCESS) continue;
    if (result == CUDA_ERROR_NOT_READY) {
      gpu().queue.assign(work.begin() + static_cast<long>(i), work.end());
    }
    return result;
  }
  gpu().waits += any;
  return CUDA_SUCCESS;
}

inline CUresult enqueue(const char* function, std::string call, std::function<CUresult()> work) {
  if (const CUresult r = planned(function)) return r;
  gpu().calls.push_back(std::move(call));
  gpu().queue.push_back(std::move(work));
  return CUDA_SUCCESS;
}

/// Whether a device's memory, from some place on, is not of the current context.
inline void expect_own(CUdeviceptr pointer) {
  auto block = gpu().owners.upper_bound(reinterpret_cast<void*>(pointer));
  if (block == gpu().owners.begin()) return;
  --block;
  const bool inside =
      pointer < reinterpret_cast<CUdeviceptr>(block->first) + gpu().sizes[block->first];
  if (inside && block->second != gpu().current) ++gpu().misplaced;
}

inline void fill_memory(Driver& d) {
  d.mem_alloc = [](CUdeviceptr* out, std::size_t bytes) {
    if (const CUresult r = planned("mem_alloc")) return r;
    if (gpu().used + bytes > gpu().memory) return CUDA_ERROR_OUT_OF_MEMORY;
    gpu().used += bytes;
    const CUresult made = allocate(gpu().device_blocks, reinterpret_cast<void**>(out), bytes);
    gpu().owners[reinterpret_cast<void*>(*out)] = gpu().current;
    return made;
  };
  d.mem_free = [](CUdeviceptr pointer) {
    expect_own(pointer);
    gpu().owners.erase(reinterpret_cast<void*>(pointer));
    gpu().used -= gpu().sizes[reinterpret_cast<void*>(pointer)];
    return release(gpu().device_blocks, reinterpret_cast<void*>(pointer));
  };
  d.mem_get_info = [](std::size_t* free, std::size_t* total) {
    *free = gpu().memory - gpu().used;
    *total = gpu().memory;
    return CUDA_SUCCESS;
  };
  d.mem_host_alloc = [](void** out, std::size_t bytes, unsigned) {
    if (const CUresult r = planned("mem_host_alloc")) return r;
    return allocate(gpu().host_blocks, out, bytes);
  };
  d.mem_free_host = [](void* pointer) { return release(gpu().host_blocks, pointer); };
}

inline CUresult unmap(CUmemGenericAllocationHandle bytes) {
  if (--gpu().mapped[bytes] > 0) return CUDA_SUCCESS;
  gpu().mapped.erase(bytes);
  gpu().used -= bytes;
  return CUDA_SUCCESS;
}

/// Addresses are memory of the host; what is mapped there counts as memory of the GPU.
inline void fill_mapping(Driver& d) {
  d.mem_create = [](CUmemGenericAllocationHandle* out, std::size_t bytes,
                    const CUmemAllocationProp*, unsigned long long) {
    gpu().calls.push_back("create " + std::to_string(bytes));
    if (const CUresult r = planned("mem_create")) return r;
    if (gpu().used + bytes > gpu().memory) return CUDA_ERROR_OUT_OF_MEMORY;
    gpu().used += bytes;
    gpu().mapped[bytes] = 1;
    *out = bytes;
    return CUDA_SUCCESS;
  };
  d.mem_release = &unmap;
  d.mem_address_reserve = [](CUdeviceptr* out, std::size_t bytes, std::size_t alignment,
                             CUdeviceptr, unsigned long long) {
    *out = reinterpret_cast<CUdeviceptr>(std::aligned_alloc(alignment, bytes));
    return planned("mem_address_reserve");
  };
  d.mem_address_free = [](CUdeviceptr at, std::size_t) {
    std::free(reinterpret_cast<void*>(at));
    return CUDA_SUCCESS;
  };
  d.mem_map = [](CUdeviceptr, std::size_t bytes, std::size_t, CUmemGenericAllocationHandle,
                 unsigned long long) {
    if (const CUresult r = planned("mem_map")) return r;
    ++gpu().mapped[bytes];
    return CUDA_SUCCESS;
  };
  d.mem_unmap = [](CUdeviceptr, std::size_t bytes) { return unmap(bytes); };
  d.mem_set_access = [](CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t) {
    return planned("mem_set_access");
  };
}

inline void fill_copies(Driver& d) {
  d.memcpy_htod_async = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
    expect_own(to);
    return enqueue("memcpy_htod_async", "htod " + std::to_string(bytes), [=] {
      std::memcpy(reinterpret_cast<void*>(to), from, bytes);
      return CUDA_SUCCESS;
    });
  };
  d.memcpy_dtoh_async = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
    return enqueue("memcpy_dtoh_async", "dtoh " + std::to_string(bytes), [=] {
      std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
      return CUDA_SUCCESS;
    });
  };
  d.memset_d32_async = [](CUdeviceptr to, unsigned value, std::size_t words, CUstream) {
    return enqueue("memset_d32_async", "memset " + std::to_string(words * 4), [=] {
      for (std::size_t i = 0; i < words; ++i) reinterpret_cast<unsigned*>(to)[i] = value;
      return CUDA_SUCCESS;
    });
  };
}

inline void fill_errors(Driver& d) {
  d.get_error_name = [](CUresult r, const char** out) {
    *out = r == CUDA_ERROR_OUT_OF_MEMORY       ? "CUDA_ERROR_OUT_OF_MEMORY"
           : r == CUDA_ERROR_ILLEGAL_ADDRESS   ? "CUDA_ERROR_ILLEGAL_ADDRESS"
           : r == CUDA_ERROR_NO_BINARY_FOR_GPU ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
                                               : "CUDA_ERROR_OTHER";
    return CUDA_SUCCESS;
  };
  d.get_error_string = [](CUresult, const char** out) {
    *out = "as the driver puts it";
    return CUDA_SUCCESS;
  };
}

inline void fill_device(Driver& d) {
  d.init = [](unsigned) { return planned("init"); };
  d.driver_get_version = [](int* version) {
    *version = 13000;
    return CUDA_SUCCESS;
  };
  d.device_get_count = [](int* count) {
    *count = gpu().count;
    return planned("device_get_count");
  };
  d.device_get = [](CUdevice* device, int index) {
    *device = 40 + index;
    return CUDA_SUCCESS;
  };
  d.device_get_name = [](char* name, int length, CUdevice) {
    std::strncpy(name, "Fake H100", static_cast<std::size_t>(length));
    return CUDA_SUCCESS;
  };
  d.device_get_uuid = [](CUuuid* uuid, CUdevice device) {
    for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(0xf0 + i - (device - 40));
    return CUDA_SUCCESS;
  };
  d.device_get_attribute = [](int* value, CUdevice_attribute what, CUdevice) {
    *value = attribute(what);
    return CUDA_SUCCESS;
  };
  d.device_total_mem = [](std::size_t* bytes, CUdevice) {
    *bytes = gpu().memory;
    return CUDA_SUCCESS;
  };
  d.primary_ctx_retain = [](CUcontext* out, CUdevice device) {
    if (const CUresult r = planned("primary_ctx_retain")) return r;
    ++gpu().contexts;
    *out = make_handle<CUcontext>();
    gpu().context_devices[*out] = device;
    return CUDA_SUCCESS;
  };
  d.primary_ctx_release = [](CUdevice) {
    --gpu().contexts;
    return CUDA_SUCCESS;
  };
  d.ctx_set_current = [](CUcontext context) {
    const auto known = gpu().context_devices.find(context);  // One of before reset() is not there.
    if (known != gpu().context_devices.end()) gpu().current = known->second;
    return CUDA_SUCCESS;
  };
  d.device_can_access_peer = [](int* can, CUdevice from, CUdevice to) {
    *can = gpu().access.count({from, to}) != 0;
    return CUDA_SUCCESS;
  };
  d.device_get_p2p_attribute = [](int* value, CUdevice_P2PAttribute what, CUdevice, CUdevice) {
    *value = what == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED && gpu().peer_atomics;
    return CUDA_SUCCESS;
  };
  d.ctx_enable_peer_access = [](CUcontext context, unsigned) {
    if (const CUresult r = planned("ctx_enable_peer_access")) return r;
    gpu().enabled.push_back(std::to_string(gpu().current) + " " +
                            std::to_string(gpu().context_devices[context]));
    return CUDA_SUCCESS;
  };
}

inline void fill_modules(Driver& d) {
  d.module_load_data_ex = [](CUmodule* out, const void*, unsigned n, CUjit_option* options,
                             void** values) {
    if (const CUresult r = planned("module_load_data_ex")) {
      for (unsigned i = 0; i < n; ++i) {
        if (options[i] != CU_JIT_ERROR_LOG_BUFFER) continue;
        std::strcpy(static_cast<char*>(values[i]), "ptxas error: line 3");
      }
      return r;
    }
    ++gpu().modules, ++gpu().module_loads;
    *out = make_handle<CUmodule>();
    return CUDA_SUCCESS;
  };
  d.module_unload = [](CUmodule) {
    --gpu().modules;
    return CUDA_SUCCESS;
  };
  d.module_get_function = [](CUfunction* out, CUmodule, const char* name) {
    if (!gpu().kernels.count(name)) return CUDA_ERROR_NOT_FOUND;
    *out = make_handle<CUfunction>();
    gpu().functions[*out] = name;
    return CUDA_SUCCESS;
  };
  d.module_get_global = [](CUdeviceptr* out, std::size_t* bytes, CUmodule, const char* name) {
    if (!gpu().constants.count(name)) return CUDA_ERROR_NOT_FOUND;
    *bytes = gpu().constants[name];
    auto& copies = gpu().constant_words[name];
    copies.emplace_back(*bytes / 4);  // a moved vector keeps its words where they are
    *out = reinterpret_cast<CUdeviceptr>(copies.back().data());
    return CUDA_SUCCESS;
  };
  d.tex_object_create = [](CUtexObject* out, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC*, const CUDA_RESOURCE_VIEW_DESC*) {
    if (const CUresult r = planned("tex_object_create")) return r;
    *out = 7000 + gpu().textures.size();
    gpu().textures[*out] = *resource;
    return CUDA_SUCCESS;
  };
  d.tex_object_destroy = [](CUtexObject object) {
    return gpu().textures.erase(object) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  d.func_get_attribute = [](int* value, CUfunction_attribute what, CUfunction) {
    *value = what == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 90
             : what == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? gpu().own_shared
                                                           : 640;
    return CUDA_SUCCESS;
  };
  d.func_set_attribute = [](CUfunction, CUfunction_attribute what, int value) {
    if (what == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) gpu().dynamic_shared = value;
    if (what == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
      gpu().non_portable = value == 1;
    return CUDA_SUCCESS;
  };
  d.occupancy_blocks = [](int* blocks, CUfunction, int threads, std::size_t shared) {
    *blocks = shared > 0 ? 1 : 2048 / threads;
    return planned("occupancy_blocks");
  };
  d.launch_kernel = [](CUfunction f, unsigned bx, unsigned by, unsigned bz, unsigned tx,
                       unsigned ty, unsigned tz, unsigned shared, CUstream, void** arguments,
                       void** extra) {
    if (bz * tz != 1 || extra) return CUDA_ERROR_INVALID_VALUE;
    if (tx * ty > gpu().most_threads) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    Launched launched{gpu().functions.at(f), bx, tx, {}, by, ty, shared};
    for (std::size_t i = 0; i < gpu().kernels.at(launched.kernel); ++i) {
      launched.arguments.push_back(*static_cast<std::uint64_t*>(arguments[i]));
    }
    return enqueue("launch_kernel", "launch", [launched] {
      const bool hangs = static_cast<int>(gpu().launches.size()) == gpu().hang_launch;
      return hangs ? CUDA_ERROR_NOT_READY : execute_launch(launched);
    });
  };
  // The map of the fake: address, then sides and boxes.
  d.tensor_map_encode = [](CUtensorMap* map, CUtensorMapDataType, unsigned sides, void* address,
                           const std::uint64_t* extents, const std::uint64_t* strides,
                           const std::uint32_t* box, const std::uint32_t* steps, auto...) {
    const CUresult result = planned("tensor_map_encode");
    if (result != CUDA_SUCCESS) return result;
    map->opaque[0] = reinterpret_cast<std::uintptr_t>(address);
    map->opaque[1] = sides;
    for (unsigned i = 0; i < sides; ++i) {
      map->opaque[2 + i] = extents[i] << 32 | box[i];
      if (steps[i] != 1 || (i > 1 && strides[i - 1] != strides[i - 2] * extents[i - 1]))
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  };
  d.launch_kernel_ex = [](const CUlaunchConfig* config, CUfunction f, void** arguments, void**) {
    unsigned cluster = 0;
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const CUlaunchAttribute& each = config->attrs[i];
      const auto& extents = each.value.clusterDim;
      if (each.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        cooperative = each.value.cooperative == 1;
      else if (each.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && extents.y * extents.z == 1)
        cluster = extents.x;
      else
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (cluster > (gpu().non_portable ? 16u : 8u)) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    Launched launched{gpu().functions.at(f),
                      config->gridDimX,
                      config->blockDimX,
                      {},
                      config->gridDimY,
                      config->blockDimY,
                      config->sharedMemBytes,
                      cluster,
                      cooperative};
    for (std::size_t i = 0; i < gpu().kernels.at(launched.kernel); ++i)
      launched.arguments.push_back(*static_cast<std::uint64_t*>(arguments[i]));
    return enqueue("launch_kernel_ex", "launch", [launched] { return execute_launch(launched); });
  };
}

inline void fill_streams(Driver& d) {
  d.launch_host_func = [](CUstream, CUhostFn function, void* data) {
    return enqueue("launch_host_func", "hold", [=] {
      function(data);
      return CUDA_SUCCESS;
    });
  };
  d.stream_create = [](CUstream* out, unsigned) {
    if (const CUresult r = planned("stream_create")) return r;
    ++gpu().streams;
    *out = make_handle<CUstream>();
    return CUDA_SUCCESS;
  };
  d.stream_destroy = [](CUstream) {
    --gpu().streams;
    return CUDA_SUCCESS;
  };
  d.stream_query = [](CUstream) { return run_queue(); };
  d.event_create = [](CUevent* out, unsigned) {
    ++gpu().events;
    *out = make_handle<CUevent>();
    return CUDA_SUCCESS;
  };
  d.event_record = [](CUevent, CUstream) {
    return enqueue("event_record", "event", [] { return CUDA_SUCCESS; });
  };
  d.event_query = [](CUevent) { return run_queue(); };
  d.event_elapsed_time = [](float* out, CUevent, CUevent) {
    *out = gpu().milliseconds;
    return planned("event_elapsed_time");
  };
  d.event_destroy = [](CUevent) {
    --gpu().events;
    return CUDA_SUCCESS;
  };
}

/// A GPU as new, and the state that a process with this driver would see.
inline DriverState reset() {
  gpu() = Gpu{};
  static Driver table;
  fill_device(table);
  fill_errors(table);
  fill_memory(table);
  fill_mapping(table);
  fill_copies(table);
  fill_modules(table);
  fill_streams(table);
  return {&table, "fake", 13000, {}};
}

/// What of the GPU is still held: empty when all was given back.
inline std::string leaks() {
  const Gpu& g = gpu();
  if (g.device_blocks.empty() && g.host_blocks.empty() && !g.modules && !g.events && !g.streams &&
      !g.contexts && g.textures.empty()) {
    return {};
  }
  return std::to_string(g.device_blocks.size()) + " device blocks, " +
         std::to_string(g.host_blocks.size()) + " host blocks, " + std::to_string(g.modules) +
         " modules, " + std::to_string(g.events) + " events, " + std::to_string(g.streams) +
         " streams, " + std::to_string(g.contexts) + " contexts";
}

}  // namespace gpx::cuda::fake
