// A peer's context and memory. Interface: runtime/device/cuda/peer.h. Covered by
// tests/runtime/cuda_peer_test.cpp.
#include "runtime/device/cuda/peer.h"

#include <fmt/format.h>

#include <chrono>

#include "lang/try.h"

namespace gpx::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(10);  // For a copy of staged bytes.

}  // namespace

Result<std::unique_ptr<Peer>> Peer::open(Context& own, const PeerDevice& device) {
  std::unique_ptr<Peer> peer(new Peer(own));
  auto context = Context::open(own.driver(), device.ordinal, device.index);
  if (auto back = own.use(); context && !back) return tl::unexpected(back.error());
  if (!context) return tl::unexpected(context.error());
  peer->context_ = std::move(*context);
  const CUresult result = own.driver().ctx_enable_peer_access(peer->context_->handle(), 0);
  if (result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return peer;
  GPX_TRY(own.check(
      result, fmt::format("the memory of cuda:{} cannot be accessed from here", device.index)));
  return peer;
}

Peer::~Peer() {
  if (!context_) return;
  if (own_.hung()) context_->mark_hung("a kernel that accesses its memory does not end");
  context_.reset();
  own_.driver().ctx_set_current(own_.handle());
}

Result<void> Peer::copy(CUdeviceptr target, const void* source, std::uint64_t bytes) {
  return within([&](Context& context) -> Result<void> {
    const Driver& d = context.driver();
    const char* what = "a copy to the peer's memory failed";
    const CUresult queued = d.memcpy_htod_async(target, source, bytes, context.stream());
    GPX_TRY(context.check(queued, what));
    const auto start = Clock::now();
    for (;;) {
      const CUresult result = d.stream_query(context.stream());
      if (result != CUDA_ERROR_NOT_READY) return context.check(result, what);
      if (Clock::now() - start < kPatience) continue;
      context.mark_hung("a copy to the peer's memory does not end");
      return fail(Fault::device, "a copy to the peer's memory does not end");
    }
  });
}

PeerMemory::~PeerMemory() {
  if (!peer_) return;
  // A context that was lost frees what was in it.
  (void)peer_->within([this](Context&) {
    memory_ = DeviceMemory();
    return Result<void>();
  });
}

PeerMemory& PeerMemory::operator=(PeerMemory&& other) noexcept {
  std::swap(peer_, other.peer_);
  std::swap(memory_, other.memory_);
  std::swap(start_, other.start_);
  return *this;
}

Result<void> PeerMemory::reserve(Peer& peer, std::uint64_t bytes, std::uint64_t alignment,
                                 const std::string& what) {
  peer_ = &peer;
  return peer.within([&](Context& context) -> Result<void> {
    auto start = GPX_TRY(memory_.reserve_aligned(context, bytes, alignment, "the peer's " + what));
    start_ = start;
    return {};
  });
}

}  // namespace gpx::cuda
