// Buffers on a driver made of host memory: chases, textures, constant arrays.
#include <doctest/doctest.h>

#include "runtime/device/cuda/buffers.h"
#include "tests/runtime/cuda_fake.h"

using namespace gpx;
using cuda::fake::gpu;
using Place = codegen::Buffer::Place;

namespace {

codegen::ChaseContents chase(std::vector<std::uint64_t> offsets, std::uint64_t bytes,
                             std::uint32_t width = 4) {
  return {Array::Layout::Kind::list, bytes, width, std::move(offsets)};
}

codegen::Launch wants(codegen::ChaseContents contents) {
  codegen::Launch launch;
  launch.contents = {std::move(contents)};
  return launch;
}

struct Rig {
  Rig() : state(cuda::fake::reset()) {
    auto opened = cuda::Context::open(*state.driver, 40, 0);
    REQUIRE(opened.has_value());
    context = std::move(*opened);
    queue = std::make_unique<cuda::Queue>(*context, cuda::QueueLimits{});
    buffers = std::make_unique<cuda::Buffers>(*context);
  }
  Result<void> load(std::vector<codegen::Buffer> wanted, std::size_t modules = 1) {
    return buffers->load(wanted, std::vector<cuda::CUmodule>(modules), *queue);
  }
  template <typename Word>
  Word word(std::uint64_t at) const {
    Word out;
    std::memcpy(&out, reinterpret_cast<std::byte*>(buffers->argument(0)) + at, sizeof out);
    return out;
  }
  cuda::DriverState state;
  std::unique_ptr<cuda::Context> context;
  std::unique_ptr<cuda::Queue> queue;
  std::unique_ptr<cuda::Buffers> buffers;
};

codegen::Buffer chased(std::uint64_t bytes, Place place = Place::global) {
  return {"a", bytes, false, place, true};
}

}  // namespace

TEST_CASE("each visited element holds where to go next") {
  Rig rig;
  REQUIRE(rig.load({chased(64)}).has_value());
  REQUIRE(rig.buffers->prepare(wants(chase({0, 32, 8}, 64)), *rig.queue).has_value());
  CHECK(rig.word<std::uint32_t>(0) == 32);
  CHECK(rig.word<std::uint32_t>(32) == 8);
  CHECK(rig.word<std::uint32_t>(8) == 0);
  CHECK(rig.word<std::uint32_t>(4) == codegen::initial_word(1));
}

TEST_CASE("a chased array begins at a multiple of its size, rounded up to a power of two") {
  Rig rig;
  REQUIRE(rig.load({chased(3 << 20)}).has_value());
  CHECK(rig.buffers->argument(0) % (4 << 20) == 0);
  REQUIRE(rig.buffers->prepare(wants(chase({0, (3 << 20) - 4}, 3 << 20)), *rig.queue).has_value());
  CHECK(rig.word<std::uint32_t>((3 << 20) - 4) == 0);
}

TEST_CASE("where half the memory is too little room, a chased array is mapped at such a place") {
  Rig rig;
  gpu().memory = 9 << 20;
  const codegen::Buffer array = chased(5 << 20);
  REQUIRE(rig.load({array}).has_value());
  CHECK(rig.buffers->argument(0) % (8 << 20) == 0);
  CHECK(gpu().count_calls("create 6291456") == 1);  // Whole pages of 2 MB.
  SUBCASE("it is kept for the next program that wants the same") {
    rig.buffers = std::make_unique<cuda::Buffers>(*rig.context);
    CHECK(gpu().used >= 6 << 20);
    REQUIRE(rig.load({array}).has_value());
    CHECK(gpu().count_calls("create") == 1);
  }
  SUBCASE("it makes room for one that wants another size") {
    rig.buffers = std::make_unique<cuda::Buffers>(*rig.context);
    REQUIRE(rig.load({chased(7 << 20)}).has_value());
    CHECK(rig.buffers->argument(0) % (8 << 20) == 0);
    CHECK(gpu().count_calls("create 8388608") == 2);  // The first time, memory was short.
  }
  SUBCASE("nothing is left at the end") {
    rig.buffers.reset();
    rig.queue.reset();
    rig.context.reset();
    CHECK(gpu().used == 0);
  }
}

TEST_CASE("where a driver maps nothing, a large array is anywhere") {
  for (const char* what : {"mem_create", "mem_address_reserve", "mem_map", "mem_set_access"}) {
    CAPTURE(what);
    Rig rig;
    gpu().memory = 9 << 20;
    gpu().fail[what] = cuda::CUDA_ERROR_INVALID_VALUE;
    REQUIRE(rig.load({chased(5 << 20)}).has_value());
    CHECK(gpu().used >= 5 << 20);
    CHECK(gpu().mapped.empty());
  }
}

TEST_CASE("wide links, and elements far apart, each written by a copy of its own") {
  Rig rig;
  REQUIRE(rig.load({chased(1 << 20)}).has_value());
  gpu().calls.clear();
  const auto far = chase({0, 1 << 19, 1 << 18, (1 << 18) + 16}, 1 << 20, 8);
  REQUIRE(rig.buffers->prepare(wants(far), *rig.queue).has_value());
  CHECK(gpu().calls == std::vector<std::string>{"htod 8", "htod 24", "htod 8"});
  CHECK(rig.word<std::uint64_t>(1 << 19) == 1 << 18);
  CHECK(rig.word<std::uint64_t>((1 << 18) + 16) == 0);
}

TEST_CASE("a chase larger than the staging memory arrives whole") {
  Rig rig;
  const std::uint64_t bytes = 40u << 20;
  REQUIRE(rig.load({chased(bytes)}).has_value());
  const codegen::ChaseContents strided{Array::Layout::Kind::stride, bytes, 4, {4096}};
  REQUIRE(rig.buffers->prepare(wants(strided), *rig.queue).has_value());
  for (std::uint64_t at = 0; at < bytes; at += 4096) {
    const std::uint64_t next = at + 4096 < bytes ? at + 4096 : 0;
    if (rig.word<std::uint32_t>(at) != next) FAIL_CHECK("at ", at);
  }
}

TEST_CASE("contents are written again only where they change or kernels store to the buffer") {
  Rig rig;
  REQUIRE(rig.load({chased(64)}).has_value());
  const auto one = wants(chase({0, 4}, 64)), other = wants(chase({0, 8}, 64));
  const auto copies = [&](const codegen::Launch& launch) {
    gpu().calls.clear();
    REQUIRE(rig.buffers->prepare(launch, *rig.queue).has_value());
    return gpu().count_calls("htod");
  };
  CHECK(copies(one) == 1);
  CHECK(copies(one) == 0);
  CHECK(copies(other) == 1);
  CHECK(copies(one) == 1);

  Rig stored;
  codegen::Buffer buffer = chased(64);
  buffer.written = true;
  REQUIRE(stored.load({buffer}).has_value());
  for (int i = 0; i < 2; ++i) {
    gpu().calls.clear();
    REQUIRE(stored.buffers->prepare(one, *stored.queue).has_value());
    CHECK(gpu().count_calls("htod") == 1);
  }
}

TEST_CASE("a chase that leaves its buffer, or that a launch lacks, is an error") {
  Rig rig;
  REQUIRE(rig.load({chased(64)}).has_value());
  for (const auto& offsets : {std::vector<std::uint64_t>{0, 62}, {0, 64}, {0, 6}}) {
    const auto done = rig.buffers->prepare(wants(chase(offsets, 64)), *rig.queue);
    REQUIRE(!done.has_value());
    CHECK(done.error().diagnostics[0].message == "the chase does not fit into 'a'");
  }
  CHECK(!rig.buffers->prepare(codegen::Launch{}, *rig.queue).has_value());
}

namespace {

codegen::Buffer map_buffer() {
  return {.name = "tensor0", .bytes = codegen::TensorMap::kBytes, .place = Place::tensor_map};
}

codegen::Launch wants_tensor(std::vector<std::uint64_t> extents, std::vector<std::uint32_t> box) {
  codegen::Launch launch;
  launch.tensors = {{0, 4, std::move(extents), std::move(box)}};
  return launch;
}

}  // namespace

TEST_CASE("a tensor's map is what the driver makes of it, once for each") {
  Rig rig;
  REQUIRE(rig.load({{.name = "data", .bytes = 4096}, map_buffer()}).has_value());
  const auto copies = [&](const codegen::Launch& launch) {
    gpu().calls.clear();
    REQUIRE(rig.buffers->prepare(launch, *rig.queue).has_value());
    return gpu().count_calls("htod");
  };
  CHECK(copies(wants_tensor({16, 8, 4}, {8, 4, 2})) == 1);
  const auto* map = reinterpret_cast<const std::uint64_t*>(rig.buffers->argument(1));
  CHECK(map[0] == rig.buffers->argument(0));
  CHECK(map[1] == 3);
  CHECK(map[2] == (16ull << 32 | 8));
  CHECK(copies(wants_tensor({16, 8, 4}, {8, 4, 2})) == 0);
  CHECK(copies(wants_tensor({16, 8}, {8, 4})) == 1);
  CHECK(!rig.buffers->prepare(codegen::Launch{}, *rig.queue).has_value());
}

TEST_CASE("an offset moves what patterns access, and a tensor's map with it") {
  Rig rig;
  REQUIRE(rig.load({{.name = "data", .bytes = 4096},
                    map_buffer(),
                    chased(64),
                    chased(64, Place::texture)})
              .has_value());
  codegen::Launch launch = wants_tensor({16, 8}, {8, 4});
  launch.contents = {chase({0, 32}, 64), chase({0, 16}, 64)};
  const auto copies = [&](std::uint64_t offset) {
    launch.offset = offset;
    gpu().calls.clear();
    REQUIRE(rig.buffers->prepare(launch, *rig.queue).has_value());
    return gpu().count_calls("htod");
  };
  copies(0);
  const auto* map = reinterpret_cast<const std::uint64_t*>(rig.buffers->argument(1));
  CHECK(map[0] == rig.buffers->argument(0));
  CHECK(copies(256) == 1);
  CHECK(map[0] == rig.buffers->argument(0) + 256);
  CHECK(copies(256) == 0);
  CHECK(rig.buffers->argument(0, launch) == rig.buffers->argument(0) + 256);
  for (const std::uint32_t still : {1, 2, 3})
    CHECK(rig.buffers->argument(still, launch) == rig.buffers->argument(still));
  CHECK(copies(0) == 1);
  CHECK(map[0] == rig.buffers->argument(0));
}

TEST_CASE("a tensor that the driver refuses, and a driver without maps") {
  Rig rig;
  REQUIRE(rig.load({{.name = "data", .bytes = 4096}, map_buffer()}).has_value());
  gpu().fail["tensor_map_encode"] = cuda::CUDA_ERROR_INVALID_VALUE;
  const auto refused = rig.buffers->prepare(wants_tensor({16, 8}, {8, 4}), *rig.queue);
  REQUIRE(!refused.has_value());
  CHECK(refused.error().diagnostics[0].message.find("the tensor 'tensor0' cannot be described") ==
        0);
}

TEST_CASE("a texture is an object of 32-bit words over the buffer, and is given back") {
  Rig rig;
  REQUIRE(rig.load({chased(64, Place::texture)}).has_value());
  const std::uint64_t handle = rig.buffers->argument(0);
  REQUIRE(gpu().textures.count(handle) == 1);
  const auto& linear = gpu().textures[handle].res.linear;
  CHECK(linear.format == cuda::CU_AD_FORMAT_UNSIGNED_INT32);
  CHECK(linear.numChannels == 1);
  CHECK(linear.sizeInBytes == 64);
  REQUIRE(rig.buffers->prepare(wants(chase({0, 32}, 64)), *rig.queue).has_value());
  CHECK(*reinterpret_cast<std::uint32_t*>(linear.devPtr) == 32);
  rig.buffers.reset();
  CHECK(gpu().textures.empty());
}

TEST_CASE("a texture that the driver refuses names the buffer") {
  Rig rig;
  gpu().fail["tex_object_create"] = cuda::CUDA_ERROR_INVALID_VALUE;
  const auto loaded = rig.load({chased(1 << 20, Place::texture)});
  REQUIRE(!loaded.has_value());
  CHECK(loaded.error().diagnostics[0].message.find("'a' (1.0 MB) cannot be read as a texture") ==
        0);
}

TEST_CASE("a constant array is filled in every module, and must be there whole") {
  Rig rig;
  gpu().constants["a"] = 64;
  REQUIRE(rig.load({chased(64, Place::constant)}, 2).has_value());
  REQUIRE(rig.buffers->prepare(wants(chase({0, 16}, 64)), *rig.queue).has_value());
  REQUIRE(gpu().constant_words["a"].size() == 2);
  for (const auto& words : gpu().constant_words["a"]) {
    CHECK(words[0] == 16);
    CHECK(words[4] == 0);
  }
  Rig hashed;
  gpu().constants["a"] = 8;
  REQUIRE(hashed.load({{"a", 8, false, Place::constant, false}}).has_value());
  CHECK(gpu().constant_words["a"][0][1] == codegen::initial_word(1));

  Rig cut;
  gpu().constants["a"] = 32;
  auto loaded = cut.load({chased(64, Place::constant)});
  REQUIRE(!loaded.has_value());
  CHECK(loaded.error().diagnostics[0].message == "constant 'a' has 32 B in a module instead of 64");
  Rig missing;
  loaded = missing.load({chased(64, Place::constant)});
  REQUIRE(!loaded.has_value());
  CHECK(loaded.error().diagnostics[0].message == "no module has the constant array 'a'");
}
