// What the driver reports of a GPU. Interface: runtime/device/cuda/device.h. Covered by
// tests/runtime/cuda_device_test.cpp.
#include "runtime/device/cuda/device.h"

#include <fmt/format.h>

#include "runtime/device/cuda/driver.h"

namespace gpx::cuda {
namespace {

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

/// Reads attributes and remembers the first failure, so that the caller checks once.
struct Attributes {
  const Driver& driver;
  CUdevice device;
  CUresult result = CUDA_SUCCESS;

  unsigned get(CUdevice_attribute attribute) {
    int value = 0;
    const CUresult r = driver.device_get_attribute(&value, attribute, device);
    if (r != CUDA_SUCCESS && result == CUDA_SUCCESS) result = r;
    return static_cast<unsigned>(value);
  }
  /// What an older driver may not know: 0 then.
  unsigned find(CUdevice_attribute attribute) const {
    int value = 0;
    const CUresult r = driver.device_get_attribute(&value, attribute, device);
    return r == CUDA_SUCCESS ? static_cast<unsigned>(value) : 0;
  }
};

std::string driver_text(const DriverState& state) {
  const std::string version = driver_version();
  const std::string cuda = version_text(state.version);
  return version.empty() ? cuda : fmt::format("{} ({})", cuda, version);
}

CUresult fill(Device& out, const Driver& d, CUdevice device) {
  Attributes a{d, device};
  DeviceInfo& info = out.info;
  info.kind = "cuda";
  info.measured = true;
  info.code = "SASS";
  info.sm_major = static_cast<int>(a.get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  info.sm_minor = static_cast<int>(a.get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.architecture = fmt::format("sm_{}{}", info.sm_major, info.sm_minor);
  info.sm_count = a.get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.warp_size = a.get(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  info.max_threads_per_block = a.get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.max_threads_per_sm = a.get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info.max_blocks_per_sm = a.get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  info.registers_per_sm = a.get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info.shared_per_sm = a.get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.reserved_shared_per_block = a.get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  info.clock_hz = 1e3 * a.get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);  // the driver gives kHz
  // What a kernel may declare; more must be asked for at each launch.
  info.shared_per_block = a.get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  // GPUs of Maxwell and Pascal have shared memory of its own.
  if (info.sm_major >= 7)
    info.shared_split = a.get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  if (info.sm_major == 3 && d.func_set_shared_config) info.bank_widths = {4, 8};
  info.instruction_bytes = info.sm_major >= 7 ? 16 : 8;
  info.l2_bytes = a.get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.shared_per_block_optin = a.find(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.max_persisting_l2_bytes = a.find(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
  info.memory_clock_hz = 1e3 * a.find(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);  // kHz
  info.memory_bus_bits = a.find(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  info.memory_bandwidth = 2 * info.memory_clock_hz * info.memory_bus_bits / 8;  // double data rate
  info.cooperative_launch = a.find(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
  info.cluster_launch = a.find(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0;
  if (a.result != CUDA_SUCCESS) return a.result;

  char name[256] = {};
  if (const CUresult r = d.device_get_name(name, sizeof name - 1, device)) return r;
  info.name = name;
  std::size_t memory = 0;
  if (const CUresult r = d.device_total_mem(&memory, device)) return r;
  info.memory_bytes = memory;
  CUuuid uuid{};
  if (const CUresult r = d.device_get_uuid(&uuid, device)) return r;
  info.uuid = uuid_text(uuid);
  info.energy_counter = read_energy(info.uuid).has_value();
  return CUDA_SUCCESS;
}

/// The first other GPU whose memory this one can access. One that cannot be asked is none.
std::optional<PeerDevice> find_peer(const Driver& d, int own, int count) {
  CUdevice device = 0;
  if (d.device_get(&device, own) != CUDA_SUCCESS) return std::nullopt;
  for (int index = 0; index < count; ++index) {
    CUdevice other = 0;
    int access = 0;
    if (index == own || d.device_get(&other, index) != CUDA_SUCCESS) continue;
    if (d.device_can_access_peer(&access, device, other) == CUDA_SUCCESS && access != 0)
      return PeerDevice{index, other};
  }
  return std::nullopt;
}

void fill_peer(Device& out, const Driver& d) {
  const CUdevice peer = out.peer->ordinal;
  char name[256] = {};
  std::size_t memory = 0;
  int atomics = 0;
  CUuuid uuid{};
  if (d.device_get_name(name, sizeof name - 1, peer) != CUDA_SUCCESS ||
      d.device_get_uuid(&uuid, peer) != CUDA_SUCCESS ||
      d.device_total_mem(&memory, peer) != CUDA_SUCCESS) {
    out.peer.reset();
    return;
  }
  out.info.peer = fmt::format("cuda:{} {}", out.peer->index, name);
  out.info.peer_uuid = uuid_text(uuid);
  out.info.peer_memory_bytes = memory;
  out.info.peer_native_atomics =
      d.device_get_p2p_attribute(&atomics, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
                                 out.ordinal, peer) == CUDA_SUCCESS &&
      atomics != 0;
}

}  // namespace

int device_count(const DriverState& state, std::string* reason) {
  std::string why = state.reason;
  int count = 0;
  if (state.driver) {
    const CUresult result = state.driver->device_get_count(&count);
    if (result != CUDA_SUCCESS) {
      count = 0;
      why = "the GPUs cannot be counted: " + describe(*state.driver, result);
    } else if (count == 0) {
      why = "the CUDA driver sees no GPU";
    }
  }
  if (reason) *reason = count == 0 ? why : std::string();
  return count;
}

int device_count(std::string* reason) {
  return device_count(driver(), reason);
}

Result<Device> query_device(const DriverState& state, int index) {
  std::string reason;
  const int count = device_count(state, &reason);
  if (count == 0)
    return fail(Fault::device, reason, "a virtual GPU runs without one: --device k20");
  if (index < 0 || index >= count) {
    return fail(Fault::device, fmt::format("there is no GPU cuda:{}", index),
                count == 1 ? "this machine has one GPU: cuda:0"
                           : fmt::format("this machine has cuda:0 to cuda:{}", count - 1));
  }
  Device out;
  CUdevice device = 0;
  CUresult result = state.driver->device_get(&device, index);
  if (result == CUDA_SUCCESS) result = fill(out, *state.driver, device);
  if (result != CUDA_SUCCESS) {
    return fail(Fault::device, fmt::format("cuda:{} cannot be queried: {}", index,
                                           describe(*state.driver, result)));
  }
  out.ordinal = device;
  out.peer = find_peer(*state.driver, index, count);
  if (out.peer) fill_peer(out, *state.driver);
  out.info.driver = driver_text(state);
  return out;
}

Result<Device> query_device(int index) {
  return query_device(driver(), index);
}

}  // namespace gpx::cuda
