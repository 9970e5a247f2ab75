// The buffers of a program on the GPU: global memory, its own and its peer's, textures over it,
// constant memory of the modules, and the chases that launches want in them. Covered by
// tests/runtime/cuda_buffers_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/ir/program.h"
#include "runtime/device/cuda/context.h"
#include "runtime/device/cuda/peer.h"
#include "runtime/device/cuda/queue.h"

namespace gpx::cuda {

class Buffers {
 public:
  explicit Buffers(Context& context) : context_(context) {}
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  /// Allocates the buffers, finds those in constant memory in the modules, and fills all that have
  /// no contents of their own with the fixed hash of each word's index.
  Result<void> load(std::span<const codegen::Buffer> buffers, std::span<const CUmodule> modules,
                    Queue& queue);

  /// Queues what the launch wants in its buffers and is not there yet, and waits for it.
  Result<void> prepare(const codegen::Launch& launch, Queue& queue);

  /// What a kernel gets for a buffer in a launch: a pointer or a texture's handle.
  std::uint64_t argument(std::uint32_t index, const codegen::Launch& launch = {}) const {
    return held_[index].argument + launch.offset_of(held_[index].buffer);
  }

 private:
  struct Held {
    codegen::Buffer buffer;
    DeviceMemory memory;
    MappedMemory mapped;    ///< Instead of `memory`, where there is no room to align it within.
    PeerMemory far_memory;  ///< Instead of `memory`, of a buffer in the peer's.
    Peer* peer = nullptr;
    std::vector<CUdeviceptr> copies;  ///< One; of a constant buffer one in each module.
    std::uint64_t argument = 0;
    bool is_texture = false;
    std::optional<codegen::ChaseContents> holds;
    std::optional<codegen::TensorMap> describes;
    std::uint64_t described = 0;  ///< The address of what `describes` is of.
  };

  Result<void> allocate(Held& held);
  bool map(Held& held, std::uint64_t bytes, std::uint64_t alignment);
  Result<void> allocate_own(Held& held, std::uint64_t bytes, const std::string& what);
  Result<void> make_texture(Held& held);
  Result<void> find_constant(Held& held, std::span<const CUmodule> modules);
  Result<void> fill(Queue& queue);
  Result<void> write_chase(Held& held, const codegen::ChaseContents& contents, Queue& queue);
  Result<void> write_map(Held& held, const codegen::TensorMap& tensor, std::uint64_t address,
                         Queue& queue);
  Result<void> write_fill(Held& held, const codegen::BufferFill& fill, bool flushed, Queue& queue);
  Result<void> copy_to_all(const Held& held, std::uint64_t at, std::uint64_t bytes,
                           std::uint64_t staged, Queue& queue);

  Context& context_;
  std::vector<Held> held_;
  PinnedMemory staging_;
};

}  // namespace gpx::cuda
