// Context, memory, errors. Interface: runtime/device/cuda/context.h. Covered by
// tests/runtime/cuda_backend_test.cpp.
#include "runtime/device/cuda/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/try.h"
#include "runtime/device/cuda/peer.h"

namespace gpx::cuda {
namespace {

/// Errors that cuda.h documents with "must be terminated and relaunched", and those that leave a
/// device in a state that nobody vouches for.
bool is_sticky(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_UNKNOWN: return true;
    default: return false;
  }
}

/// What memory is mapped in: cuMemGetAllocationGranularity gives 2 MB on all GPUs that gpx knows.
constexpr std::uint64_t kMappedPage = 2u << 20;
constexpr std::size_t kSpares = 2;  ///< What two kernels that take turns need.

CUresult free_device(const Driver& driver, void* memory) {
  return driver.mem_free(reinterpret_cast<CUdeviceptr>(memory));
}

CUresult free_host(const Driver& driver, void* memory) {
  return driver.mem_free_host(memory);
}

constexpr const char* kLost = "the GPU cannot be used again by this process: start gpx anew";

}  // namespace

Context::Context(const Driver& driver, int ordinal)
    : driver_(driver), ordinal_(ordinal), device_spares_(&free_device), host_spares_(&free_host) {}

void* Context::Spares::take(std::uint64_t bytes) {
  const auto found = std::ranges::find(spares_, bytes, &Spare::bytes);
  if (found == spares_.end()) return nullptr;
  void* memory = found->memory;
  spares_.erase(found);
  return memory;
}

void Context::Spares::keep(const Driver& driver, void* memory, std::uint64_t bytes) {
  spares_.push_back({memory, bytes});
  if (spares_.size() <= kSpares) return;
  free_(driver, spares_.front().memory);
  spares_.erase(spares_.begin());
}

void Context::Spares::free_all(const Driver& driver) {
  for (const Spare& spare : spares_) free_(driver, spare.memory);
  spares_.clear();
}

Result<std::unique_ptr<Context>> Context::open(const Driver& driver, int ordinal, int index,
                                               std::optional<PeerDevice> peer) {
  std::unique_ptr<Context> context(new Context(driver, ordinal));
  context->peer_device_ = peer;
  const std::string what = fmt::format("cuda:{} cannot be opened", index);
  const CUresult retained = driver.primary_ctx_retain(&context->handle_, ordinal);
  if (retained == CUDA_ERROR_DEVICE_UNAVAILABLE) {
    return fail(Fault::device, what + ": " + describe(driver, retained),
                "another process may hold the GPU for itself (nvidia-smi shows which)");
  }
  GPX_TRY(context->check(retained, what));
  GPX_TRY(context->use());
  // Non-blocking: work of the legacy default stream would otherwise be waited for.
  const CUresult created = driver.stream_create(&context->stream_, CU_STREAM_NON_BLOCKING);
  GPX_TRY(context->check(created, what));
  return context;
}

Context::~Context() {
  peer_.reset();
  if (hung_) return;
  if (handle_) driver_.ctx_set_current(handle_);
  free_spares();
  host_spares_.free_all(driver_);
  if (stream_) driver_.stream_destroy(stream_);
  if (handle_) driver_.primary_ctx_release(ordinal_);
}

Result<Peer*> Context::peer() {
  if (peer_) return peer_.get();
  if (!peer_device_)
    return fail(Fault::device, "this GPU has no peer whose memory it could access",
                "it takes two GPUs of one host that can access each other's memory");
  peer_ = GPX_TRY(Peer::open(*this, *peer_device_));
  return peer_.get();
}

void Context::release_peer() {
  peer_.reset();
}

Result<void> Context::use() {
  if (!lost_.empty()) return fail(Fault::device, "the GPU was lost earlier: " + lost_, kLost);
  return check(driver_.ctx_set_current(handle_), "the GPU's context cannot be used");
}

Result<void> Context::check(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return {};
  const std::string text = what + ": " + describe(driver_, result);
  if (!is_sticky(result)) return fail(Fault::device, text);
  if (lost_.empty()) lost_ = text;
  return fail(Fault::device, text, kLost);
}

Result<void> Context::check_allocation(CUresult result, std::uint64_t bytes,
                                       const std::string& what) {
  if (result != CUDA_ERROR_OUT_OF_MEMORY) return check(result, what + " cannot be allocated");
  std::size_t free = 0, total = 0;
  if (driver_.mem_get_info(&free, &total) != CUDA_SUCCESS) {
    return fail(Fault::device,
                fmt::format("out of GPU memory: {} needs {}", what, readable_bytes(bytes)));
  }
  return fail(Fault::device,
              fmt::format("out of GPU memory: {} needs {}, {} of {} are free", what,
                          readable_bytes(bytes), readable_bytes(free), readable_bytes(total)));
}

void Context::mark_hung(const std::string& why) {
  hung_ = true;
  if (lost_.empty()) lost_ = why;
}

void Context::free_spares() {
  device_spares_.free_all(driver_);
  mapped_spare_.reset();
}

MappedMemory& MappedMemory::operator=(MappedMemory&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(pointer_, other.pointer_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

std::uint64_t MappedMemory::whole_pages(std::uint64_t bytes) {
  return (bytes + kMappedPage - 1) / kMappedPage * kMappedPage;
}

CUresult MappedMemory::reserve(Context& context, std::uint64_t bytes, std::uint64_t alignment) {
  reset();
  const Driver& d = context.driver();
  bytes = whole_pages(bytes);
  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location = {CU_MEM_LOCATION_TYPE_DEVICE, context.ordinal()};
  const CUmemAccessDesc access{kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemGenericAllocationHandle memory = 0;
  CUresult result = d.mem_create(&memory, bytes, &kind, 0);
  if (result != CUDA_SUCCESS) return result;
  CUdeviceptr at = 0;
  result = d.mem_address_reserve(&at, bytes, std::max(alignment, kMappedPage), 0, 0);
  if (result == CUDA_SUCCESS) {
    result = d.mem_map(at, bytes, 0, memory, 0);
    if (result == CUDA_SUCCESS) {
      result = d.mem_set_access(at, bytes, &access, 1);
      if (result != CUDA_SUCCESS) d.mem_unmap(at, bytes);
    }
    if (result != CUDA_SUCCESS) d.mem_address_free(at, bytes);
  }
  d.mem_release(memory);  // What is mapped stays until it is unmapped.
  if (result != CUDA_SUCCESS) return result;
  context_ = &context, pointer_ = at, bytes_ = bytes;
  return CUDA_SUCCESS;
}

void MappedMemory::reset() {
  if (pointer_ && !context_->hung()) {
    context_->driver().mem_unmap(pointer_, bytes_);
    context_->driver().mem_address_free(pointer_, bytes_);
  }
  pointer_ = 0;
  bytes_ = 0;
}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(pointer_, other.pointer_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Result<void> DeviceMemory::reserve(Context& context, std::uint64_t bytes, const std::string& what) {
  if (pointer_ && bytes_ >= bytes) return {};
  reset();
  pointer_ = reinterpret_cast<CUdeviceptr>(context.device_spares().take(bytes));
  CUresult result = pointer_ ? CUDA_SUCCESS : context.driver().mem_alloc(&pointer_, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    context.free_spares();
    result = context.driver().mem_alloc(&pointer_, bytes);
  }
  if (result != CUDA_SUCCESS) {
    pointer_ = 0;
    return context.check_allocation(result, bytes, what);
  }
  context_ = &context;
  bytes_ = bytes;
  return {};
}

bool DeviceMemory::room(Context& context, std::uint64_t bytes, std::uint64_t alignment) {
  std::size_t free = 0, total = 0;
  return context.driver().mem_get_info(&free, &total) == CUDA_SUCCESS &&
         2 * (bytes + alignment) <= free;
}

Result<CUdeviceptr> DeviceMemory::reserve_aligned(Context& context, std::uint64_t bytes,
                                                  std::uint64_t alignment,
                                                  const std::string& what) {
  const bool padded = alignment > 1 && room(context, bytes, alignment);
  GPX_TRY(reserve(context, padded ? bytes + alignment : bytes, what));
  return padded ? (pointer_ + alignment - 1) / alignment * alignment : pointer_;
}

void DeviceMemory::reset() {
  if (pointer_ && !context_->hung())
    context_->device_spares().keep(context_->driver(), reinterpret_cast<void*>(pointer_), bytes_);
  pointer_ = 0;
  bytes_ = 0;
}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Result<void> PinnedMemory::reserve(Context& context, std::uint64_t bytes, const std::string& what) {
  if (data_ && bytes_ >= bytes) return {};
  reset();
  data_ = context.host_spares().take(bytes);
  const CUresult result = data_ ? CUDA_SUCCESS : context.driver().mem_host_alloc(&data_, bytes, 0);
  if (result != CUDA_SUCCESS) {
    data_ = nullptr;
    return context.check(
        result, fmt::format("{} ({} of page-locked host memory)", what, readable_bytes(bytes)));
  }
  context_ = &context;
  bytes_ = bytes;
  return {};
}

void PinnedMemory::reset() {
  if (data_ && !context_->hung()) context_->host_spares().keep(context_->driver(), data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

std::string readable_bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace gpx::cuda
