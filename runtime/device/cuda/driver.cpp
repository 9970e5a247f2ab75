// The CUDA driver as a table. Interface: runtime/device/cuda/driver.h. Covered by
// tests/runtime/cuda_driver_test.cpp.
#include "runtime/device/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "lang/float_environment.h"

namespace gpx::cuda {
namespace {

/// The symbol, or the unversioned one where the driver is older than CUDA 12.8. That is safe for
/// the two functions whose new version only widened what they report, not their arguments.
void* find_symbol(void* library, const std::string& symbol) {
  if (void* found = dlsym(library, symbol.c_str())) return found;
  if (symbol == "cuEventElapsedTime_v2") return dlsym(library, "cuEventElapsedTime");
  if (symbol == "cuDeviceGetUuid_v2") return dlsym(library, "cuDeviceGetUuid");
  return nullptr;
}

/// Fills the table; returns the first symbol that is missing, empty if none is.
std::string fill(Driver& driver, void* library) {
  const auto set = [&](auto& field, const char* symbol) {
    field = reinterpret_cast<std::decay_t<decltype(field)>>(find_symbol(library, symbol));
    return field != nullptr;
  };
#define GPX_CUDA_SET(field, symbol, ...) \
  if (!set(driver.field, #symbol)) {     \
    return #symbol;                      \
  }
  GPX_CUDA_FUNCTIONS(GPX_CUDA_SET)
#undef GPX_CUDA_SET
  set(driver.func_set_shared_config, "cuFuncSetSharedMemConfig");
  set(driver.launch_kernel_ex, "cuLaunchKernelEx");
  set(driver.tensor_map_encode, "cuTensorMapEncodeTiled");
  return {};
}

/// dlerror() without the path that it repeats: "cannot open shared object file: No such file".
std::string open_error(const std::string& library) {
  const char* text = dlerror();
  std::string_view rest = text ? text : "unknown error";
  if (rest.substr(0, library.size()) == library) rest.remove_prefix(library.size());
  if (rest.substr(0, 2) == ": ") rest.remove_prefix(2);
  return fmt::format("no CUDA driver: {}: {}", library, rest);
}

std::string init_error(const Driver& driver, CUresult result) {
  std::string text = "the CUDA driver does not start: " + describe(driver, result);
  switch (result) {
    case CUDA_ERROR_NO_DEVICE: return "the CUDA driver sees no GPU";
    case CUDA_ERROR_STUB_LIBRARY:
      return "the libcuda that was found is the toolkit's stub, not a driver";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return text + "; libcuda and the kernel module are of different versions";
    default: return text;
  }
}

}  // namespace

DriverState open_driver(const std::string& library) {
  DriverState state;
  state.library = library;
  const FloatEnvironment kept;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    state.reason = open_error(library);
    return state;
  }
  // Lives as long as the process: the library is never closed, and closing libcuda is not safe.
  auto* table = new Driver;
  if (const std::string missing = fill(*table, handle); !missing.empty()) {
    state.reason = fmt::format("{} is no CUDA driver, or too old: it has no {}", library, missing);
  } else if (const CUresult result = table->init(0); result != CUDA_SUCCESS) {
    state.reason = init_error(*table, result);
  } else {
    table->driver_get_version(&state.version);
    state.driver = table;
    return state;
  }
  delete table;
  return state;
}

const DriverState& driver() {
  static const DriverState state = [] {
    const char* given = std::getenv("GPX_LIBCUDA");
    return open_driver(given && *given ? given : "libcuda.so.1");
  }();
  return state;
}

std::string describe(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.get_error_name(result, &name);
  driver.get_error_string(result, &text);
  if (!name) return fmt::format("CUDA error {}", static_cast<int>(result));
  return text ? fmt::format("{} ({})", name, text) : std::string(name);
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace gpx::cuda
