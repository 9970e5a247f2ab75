// Another GPU of the host, whose memory the kernels of ours access: its context, and what is
// written to its memory before kernels run.
//
// All of it happens in the peer's own context, which is current for that time alone: which calls of
// the driver take a pointer of another context is nowhere said as a whole.
// Covered by tests/runtime/cuda_peer_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "runtime/device/cuda/context.h"

namespace gpx::cuda {

class Peer {
 public:
  /// Opens the peer's primary context and lets the kernels of `own` access its memory.
  static Result<std::unique_ptr<Peer>> open(Context& own, const PeerDevice& device);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// work(context) while the peer's context is current; that of our own is again afterwards.
  template <typename Work>
  Result<void> within(Work&& work) {
    if (own_.hung()) context_->mark_hung("a kernel that accesses its memory does not end");
    Result<void> done = context_->use();
    if (done) done = work(*context_);
    const Result<void> back = own_.use();
    return done ? back : done;
  }

  /// From page-locked memory of the host; it is there when this returns.
  Result<void> copy(CUdeviceptr target, const void* source, std::uint64_t bytes);

 private:
  explicit Peer(Context& own) : own_(own) {}

  Context& own_;
  std::unique_ptr<Context> context_;
};

/// Memory of a peer.
class PeerMemory {
 public:
  PeerMemory() = default;
  ~PeerMemory();
  PeerMemory(PeerMemory&& other) noexcept { *this = std::move(other); }
  PeerMemory& operator=(PeerMemory&& other) noexcept;

  /// At least `bytes`; at a multiple of `alignment` where twice as much memory is free.
  Result<void> reserve(Peer& peer, std::uint64_t bytes, std::uint64_t alignment,
                       const std::string& what);
  CUdeviceptr pointer() const { return start_; }

 private:
  Peer* peer_ = nullptr;
  DeviceMemory memory_;
  CUdeviceptr start_ = 0;
};

}  // namespace gpx::cuda
