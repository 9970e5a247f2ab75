// One GPU's context and stream, memory that frees itself, and what a CUDA error means for what may
// still be done. Covered by tests/runtime/cuda_backend_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/device/cuda/device.h"
#include "runtime/device/cuda/driver.h"

namespace gpx::cuda {

class Context;
class Peer;

/// Memory mapped at a multiple of `alignment`, a power of two, which may exceed what the device
/// has: addresses are reserved for it, not memory. A peer cannot access it.
class MappedMemory {
 public:
  MappedMemory() = default;
  ~MappedMemory() { reset(); }
  MappedMemory(MappedMemory&& other) noexcept { *this = std::move(other); }
  MappedMemory& operator=(MappedMemory&& other) noexcept;

  /// Anything but CUDA_SUCCESS leaves it empty.
  CUresult reserve(Context& context, std::uint64_t bytes, std::uint64_t alignment);
  CUdeviceptr pointer() const { return pointer_; }
  void reset();
  /// Whether it is as many bytes at such a place.
  bool holds(std::uint64_t bytes, std::uint64_t alignment) const {
    return pointer_ && bytes_ == whole_pages(bytes) && pointer_ % alignment == 0;
  }

 private:
  static std::uint64_t whole_pages(std::uint64_t bytes);

  Context* context_ = nullptr;
  CUdeviceptr pointer_ = 0;  ///< 0: nothing.
  std::uint64_t bytes_ = 0;
};

/// The primary context of a device and one stream in it. Everything below belongs to one context
/// and must be destroyed before it.
class Context {
 public:
  static Result<std::unique_ptr<Context>> open(const Driver& driver, int ordinal, int index,
                                               std::optional<PeerDevice> peer = std::nullopt);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return driver_; }
  CUstream stream() const { return stream_; }
  CUcontext handle() const { return handle_; }
  int ordinal() const { return ordinal_; }

  /// Makes the context current in this thread. An error if it was lost.
  Result<void> use();

  /// The GPU whose memory this one accesses, opened at the first call.
  Result<Peer*> peer();
  /// Closes the peer, which another process may then measure alone. Nothing of it is in use.
  void release_peer();

  /// "`what`: CUDA_ERROR_… (…)" where `result` is not success. An error after which the driver
  /// refuses every further call also marks the context as lost.
  Result<void> check(CUresult result, const std::string& what);
  /// Out of memory, with what was asked for and what is free.
  Result<void> check_allocation(CUresult result, std::uint64_t bytes, const std::string& what);

  /// The stream does not end. Nothing may be freed any more: the driver would wait for it.
  void mark_hung(const std::string& why);
  bool hung() const { return hung_; }

  /// Memory that was given back last is kept for who asks for as many bytes next: to free and
  /// allocate gigabytes takes tenths of a second, and a program that is loaded again needs the
  /// same.
  class Spares {
   public:
    using Free = CUresult (*)(const Driver&, void*);
    explicit Spares(Free free) : free_(free) {}
    void* take(std::uint64_t bytes);  ///< nullptr: there is none.
    void keep(const Driver& driver, void* memory, std::uint64_t bytes);
    void free_all(const Driver& driver);

   private:
    struct Spare {
      void* memory;
      std::uint64_t bytes;
    };
    Free free_;
    std::vector<Spare> spares_;  ///< The oldest first.
  };
  Spares& device_spares() { return device_spares_; }
  Spares& host_spares() { return host_spares_; }
  /// Mapped memory that was given back last.
  MappedMemory& mapped_spare() { return mapped_spare_; }
  /// Frees what is kept of the device's memory.
  void free_spares();

 private:
  Context(const Driver& driver, int ordinal);

  const Driver& driver_;
  int ordinal_;
  CUcontext handle_ = nullptr;
  CUstream stream_ = nullptr;
  std::string lost_;  ///< Why the context cannot be used any more; empty while it can.
  bool hung_ = false;
  std::optional<PeerDevice> peer_device_;
  std::unique_ptr<Peer> peer_;
  Spares device_spares_, host_spares_;
  MappedMemory mapped_spare_;
};

/// Memory on the GPU.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory() { reset(); }
  DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;

  /// At least `bytes`; what was there before is freed unless it is large enough.
  Result<void> reserve(Context& context, std::uint64_t bytes, const std::string& what);
  CUdeviceptr pointer() const { return pointer_; }
  /// The same; gives a place in it for `bytes`, at a multiple of `alignment` (1: anywhere) where
  /// there is room().
  Result<CUdeviceptr> reserve_aligned(Context& context, std::uint64_t bytes,
                                      std::uint64_t alignment, const std::string& what);
  /// Twice as much memory is free as an aligned place takes.
  static bool room(Context& context, std::uint64_t bytes, std::uint64_t alignment);

 private:
  void reset();
  Context* context_ = nullptr;
  CUdeviceptr pointer_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Page-locked memory of the host, which the GPU copies from and to by itself.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  ~PinnedMemory() { reset(); }
  PinnedMemory(PinnedMemory&& other) noexcept { *this = std::move(other); }
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;

  Result<void> reserve(Context& context, std::uint64_t bytes, const std::string& what);
  void* data() const { return data_; }

 private:
  void reset();
  Context* context_ = nullptr;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// "1.5 GB" for people; 1024 to a step.
std::string readable_bytes(std::uint64_t bytes);

}  // namespace gpx::cuda
