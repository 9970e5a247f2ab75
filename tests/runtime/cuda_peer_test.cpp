// Memory of a peer on a driver made of host memory: where it is allocated, written and freed.
#include <doctest/doctest.h>

#include "runtime/device/cuda/buffers.h"
#include "runtime/device/cuda/peer.h"
#include "tests/runtime/cuda_fake.h"

using namespace gpx;
using cuda::fake::gpu;
using Place = codegen::Buffer::Place;

namespace {

constexpr cuda::CUdevice kOwn = 40, kPeer = 41;

struct Rig {
  explicit Rig(std::optional<cuda::PeerDevice> peer = cuda::PeerDevice{1, kPeer})
      : state(cuda::fake::reset()) {
    auto opened = cuda::Context::open(*state.driver, kOwn, 0, peer);
    REQUIRE(opened.has_value());
    context = std::move(*opened);
    queue = std::make_unique<cuda::Queue>(*context, cuda::QueueLimits{});
    buffers = std::make_unique<cuda::Buffers>(*context);
  }
  Result<void> load(const std::vector<codegen::Buffer>& wanted) {
    return buffers->load(wanted, {}, *queue);
  }
  std::uint32_t word(std::uint32_t buffer, std::uint64_t at) const {
    std::uint32_t out;
    std::memcpy(&out, reinterpret_cast<std::byte*>(buffers->argument(buffer)) + at, sizeof out);
    return out;
  }
  cuda::CUdevice owner(std::uint32_t buffer) const {
    auto block = gpu().owners.upper_bound(reinterpret_cast<void*>(buffers->argument(buffer)));
    REQUIRE(block != gpu().owners.begin());
    return (--block)->second;
  }
  void close() {
    buffers.reset();
    queue.reset();
    context.reset();
  }
  cuda::DriverState state;
  std::unique_ptr<cuda::Context> context;
  std::unique_ptr<cuda::Queue> queue;
  std::unique_ptr<cuda::Buffers> buffers;
};

codegen::Buffer far(const char* name, std::uint64_t bytes, bool has_contents = false) {
  return {name, bytes, false, Place::peer, has_contents};
}

}  // namespace

TEST_CASE("a peer is opened where memory of it is wanted, and its memory can be accessed then") {
  Rig rig;
  REQUIRE(rig.load({{"data", 64}}).has_value());
  CHECK(gpu().contexts == 1);
  CHECK(gpu().enabled.empty());
  rig.buffers = std::make_unique<cuda::Buffers>(*rig.context);
  REQUIRE(rig.load({{"data", 64}, far("peer_data", 64), far("array_a", 128)}).has_value());
  CHECK(gpu().contexts == 2);
  CHECK(gpu().enabled == std::vector<std::string>{"40 41"});
  CHECK(rig.owner(0) == kOwn);
  CHECK(rig.owner(1) == kPeer);
  CHECK(rig.owner(2) == kPeer);
  CHECK(gpu().current == kOwn);
  CHECK(gpu().misplaced == 0);
}

TEST_CASE("the peer's memory is written as the own is, in its own context") {
  Rig rig;
  REQUIRE(rig.load({far("array_a", 1 << 20, true), far("peer_data", 40 << 20)}).has_value());
  CHECK(rig.buffers->argument(0) % (1 << 20) == 0);
  for (const std::uint64_t at : {0u, 4u, (16u << 20) + 8, (40u << 20) - 4})
    CHECK(rig.word(1, at) == codegen::initial_word(at / 4));
  codegen::Launch launch;
  launch.contents = {{Array::Layout::Kind::list, 1 << 20, 4, {0, 1 << 19, 128}}};
  REQUIRE(rig.buffers->prepare(launch, *rig.queue).has_value());
  CHECK(rig.word(0, 0) == 1 << 19);
  CHECK(rig.word(0, 1 << 19) == 128);
  CHECK(rig.word(0, 128) == 0);
  CHECK(gpu().misplaced == 0);
  CHECK(gpu().current == kOwn);
}

TEST_CASE("the peer's memory is given back in its own context, and the peer before its GPU") {
  Rig rig;
  for (int i = 0; i < 4; ++i) {  // More than are kept for who comes next.
    rig.buffers = std::make_unique<cuda::Buffers>(*rig.context);
    REQUIRE(rig.load({{"data", 64u << i}, far("peer_data", 64u << i)}).has_value());
  }
  rig.close();
  CHECK(cuda::fake::leaks() == "");
  CHECK(gpu().misplaced == 0);
}

TEST_CASE("without a peer, memory of it is an error that says what is needed") {
  Rig rig(std::nullopt);
  const auto loaded = rig.load({far("peer_data", 64)});
  REQUIRE_FALSE(loaded.has_value());
  CHECK(loaded.error().diagnostics[0].message ==
        "this GPU has no peer whose memory it could access");
  CHECK(loaded.error().diagnostics[0].hint.find("two GPUs of one host") != std::string::npos);
  CHECK(gpu().contexts == 1);
}

TEST_CASE("a peer that cannot be opened or accessed is an error, and the own GPU stays usable") {
  struct Row {
    const char *function, *message;
    cuda::CUresult result;
  };
  const Row rows[] = {
      {"primary_ctx_retain", "cuda:1 cannot be opened", cuda::CUDA_ERROR_OUT_OF_MEMORY},
      {"ctx_enable_peer_access", "the memory of cuda:1 cannot be accessed from here",
       cuda::CUDA_ERROR_INVALID_VALUE},
      {"mem_alloc", "out of GPU memory: the peer's 'peer_data' needs 64 B",
       cuda::CUDA_ERROR_OUT_OF_MEMORY},
      {"memcpy_htod_async", "a copy to the peer's memory failed", cuda::CUDA_ERROR_INVALID_VALUE}};
  for (const Row& row : rows) {
    CAPTURE(row.function);
    Rig rig;
    gpu().fail[row.function] = row.result;
    const auto loaded = rig.load({far("peer_data", 64)});
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().diagnostics[0].message.rfind(row.message, 0) == 0);
    gpu().fail.clear();
    CHECK(gpu().current == kOwn);
    rig.buffers = std::make_unique<cuda::Buffers>(*rig.context);
    CHECK(rig.load({{"data", 64}}).has_value());
    rig.close();
    CHECK(cuda::fake::leaks() == "");
    CHECK(gpu().misplaced == 0);
  }
}

TEST_CASE("access that was enabled before is as good") {
  Rig rig;
  gpu().fail["ctx_enable_peer_access"] = cuda::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  CHECK(rig.load({far("peer_data", 64)}).has_value());
}

TEST_CASE("nothing of a peer is freed while a kernel that may use it does not end") {
  Rig rig;
  REQUIRE(rig.load({far("peer_data", 64)}).has_value());
  rig.context->mark_hung("it does not end");
  rig.close();
  CHECK(gpu().contexts == 2);
  CHECK(gpu().owners.size() == 1);
}
