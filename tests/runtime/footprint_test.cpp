// What a grid reads, from some of its blocks: patterns whose distinct sectors are known, and a
// sample of a grid against all of its blocks.
#include "runtime/device/vgpu/counts/footprint.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <tuple>
#include <utility>

#include "codegen/files/files.h"
#include "runtime/device/vgpu/counts/reach.h"
#include "runtime/predict/predictor.h"
#include "tests/codegen/support.h"
#include "tests/device_files.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

constexpr const char* kReads = R"(
// Every thread a word of its own.
__global__ void own(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] == 9) out[0] = 1;
}
// The blocks of a row of the grid read the same 1024 words.
__global__ void rows(float* out, const float* in) {
  float sum = 0;
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) sum += in[1024 * blockIdx.y + k];
  if (sum == 9) out[0] = 1;
}
// The words of a thread's neighbours in the blocks before and after, too.
__global__ void halo(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  if (in[i] + in[(i + 64) % n] + in[(i + n - 64) % n] == 9) out[0] = 1;
}
// Words from all over 16384.
__global__ void scattered(float* out, const float* in) {
  unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  i = (i ^ i >> 15) * 2246822519u;
  if (in[(i ^ i >> 13) & 16383] == 9) out[0] = 1;
}
// Every thread adds to a word of its own.
__global__ void sums(float* out, float* in) {
  atomicAdd(&in[blockIdx.x * blockDim.x + threadIdx.x], 1.0f);
}
// Every block reads 2048 words of its own twice.
__global__ void twice(float* out, const float* in) {
  float sum = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) sum += in[2048 * blockIdx.x + k] * pass;
  if (sum == 9) out[0] = 1;
}
// A word of each of 128 rows: 32 blocks fill a line.
__global__ void columns(float* out, float* in) { in[threadIdx.x * gridDim.x + blockIdx.x] = 1; }
// A word of each sector, of each second one, and all words.
__global__ void words(float* out, float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  in[i * 8] = 1;
}
__global__ void fewer(float* out, float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  in[i * 16] = in[i * 16] + 1;
}
__global__ void all(float* out, float* in) { in[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
)";

struct ReadPattern {
  const char* entry;
  std::uint32_t across, down;
  double sectors;  ///< Of 32 B.
  double cached = 1e9;
  std::uint64_t wave = 1056;
};

constexpr std::uint32_t kThreadsOfBlock = 128;

/// What `use` makes of a kernel and its launch.
template <class Use>
auto of_launch(const ReadPattern& pattern, Use use) {
  const Source file("reads.cu", kReads);
  auto made = codegen::compile_file(file, {codegen::Target::Form::ptx, 75}, {},
                                    codegen::ArtifactCache::from_environment(), nullptr);
  if (!made) FAIL(render(made.error()));
  const auto entries = codegen::entries_of(made->artifact.ptx, kReads);
  const auto entry = std::ranges::find(entries, pattern.entry, &codegen::KernelEntry::name);
  REQUIRE(entry != entries.end());
  const auto counter = vgpu::KernelCounter::make(made->artifact.ptx, entry->symbol);
  REQUIRE(counter.has_value());
  codegen::Launch launch;
  launch.blocks = pattern.across, launch.blocks_down = pattern.down;
  launch.threads = kThreadsOfBlock;
  for (const std::int32_t buffer : {0, 1}) {
    launch.fills.emplace_back().bytes = 4 << 20;
    launch.arguments.emplace_back().parts.push_back({buffer, 8, 0, 0});
  }
  return use(*counter, launch);
}

vgpu::Footprint footprint(const ReadPattern& pattern, bool copies = false) {
  return of_launch(pattern, [&](const vgpu::KernelCounter& kernel, const codegen::Launch& launch) {
    return vgpu::footprint_of(kernel, launch,
                              {.wave = pattern.wave, .cached = pattern.cached, .copies = copies});
  });
}

PredictRequest gather_on(const std::string& device) {
  PredictRequest request;
  request.file = GPX_TESTS_DIR "/kernels/predict/gather.cu";
  request.entry = "gather_words";
  request.device = device;
  request.grid = {"4096"};
  request.block = {"256"};
  request.arguments = {"n=1048576"};
  request.buffers = {"out=4MB:zero", "in=4MB:uniform(0, 1)", "where=4MB:permutation(7)"};
  return request;
}

}  // namespace

TEST_CASE("distinct sectors of a grid follow from some of its blocks") {
  GPX_NEEDS_NVRTC();
  const double of_block = kThreadsOfBlock / 8.0;
  for (const ReadPattern& each :
       {ReadPattern{"own", 4096, 1, 4096 * of_block}, ReadPattern{"sums", 4096, 1, 4096 * of_block},
        ReadPattern{"rows", 32, 64, 64 * 128.0}, ReadPattern{"halo", 4096, 1, 4096 * of_block},
        ReadPattern{"scattered", 4096, 1, 16384 / 8.0},
        ReadPattern{"twice", 64, 1, 64 * 2048 / 8.0}}) {
    CAPTURE(each.entry);
    const vgpu::Footprint found = footprint(each);
    REQUIRE(found.buffers.size() == 2);
    CHECK(found.stays);
    CHECK(found.buffers[0].fetched == 0);  // nothing is read of what is only written
    CHECK(found.buffers[1].fetched == doctest::Approx(each.sectors).epsilon(0.15));
  }
}

TEST_CASE("a launch in a loop fetches again what a cache has lost since") {
  GPX_NEEDS_NVRTC();
  constexpr double kOwn = 4096 * kThreadsOfBlock / 8.0, kTwice = 64 * 2048 / 8.0;
  // What is read in order is lost if a line of it does not fit. So are a block's own words, if all
  // blocks run at the same time; eight of them find theirs.
  for (const ReadPattern& each :
       {ReadPattern{"own", 4096, 1, kOwn, kOwn / 4 - 1}, ReadPattern{"halo", 4096, 1, kOwn, 8000},
        ReadPattern{"twice", 64, 1, 2 * kTwice, 0.7 * kTwice / 4},
        ReadPattern{"twice", 64, 1, kTwice, 0.7 * kTwice / 4, 8}}) {
    CAPTURE(each.entry);
    CAPTURE(each.cached);
    const vgpu::Footprint found = footprint(each);
    REQUIRE(found.buffers.size() == 2);
    CHECK_FALSE(found.stays);
    CHECK(found.buffers[1].fetched == doctest::Approx(each.sectors).epsilon(0.15));
  }
}

// Accesses to 512 lines, anywhere: a line is there if one of `line_rate` lies in the window. A
// sector has been loaded if one of `sector_rate` does. The largest window is one of seven blocks,
// of which two are neighbours and count as a group.
TEST_CASE("of a table that is read anywhere a cache has the part that it holds") {
  GPX_NEEDS_NVRTC();
  constexpr double kBlocks = 4096, kLines = 512, kSectors = 2048, kThreads = kThreadsOfBlock;
  const auto seen_by_block = [](double of) { return of * (1 - std::exp(-kThreads / of)); };
  const double line_rate = kBlocks * seen_by_block(kLines) / kLines,
               sector_rate = kBlocks * seen_by_block(kSectors) / kSectors;
  for (const double held : {0.25, 0.5, 0.8}) {
    CAPTURE(held);
    const double window = -std::log(1 - held) / line_rate;
    const vgpu::Footprint found = footprint({"scattered", 4096, 1, 0, held * kLines});
    REQUIRE(found.buffers.size() == 2);
    CHECK_FALSE(found.stays);
    CHECK(found.buffers[1].fetched ==
          doctest::Approx(kSectors * sector_rate * std::exp(-sector_rate * window)).epsilon(0.2));
  }
}

TEST_CASE("in a cache of two halves a line that one block loads takes half of a line more") {
  GPX_NEEDS_NVRTC();
  constexpr double kOwn = 4096 * kThreadsOfBlock / 32.0;
  for (const auto& [entry, lines] :
       {std::pair{"own", 1.5 * kOwn}, std::pair{"sums", kOwn}, std::pair{"all", kOwn}}) {
    CAPTURE(entry);
    CHECK(footprint({entry, 4096, 1, 0}, true).lines == doctest::Approx(lines).epsilon(0.01));
    CHECK(footprint({entry, 4096, 1, 0}).lines == doctest::Approx(kOwn).epsilon(0.01));
  }
}

TEST_CASE("lines that several blocks fill leave the cache once, and whole") {
  GPX_NEEDS_NVRTC();
  constexpr double kLines = 1024 * kThreadsOfBlock / 32.0;
  for (const auto& [entry, written, lacking] :
       {std::tuple{"all", kLines, 0.0}, std::tuple{"columns", kLines, 0.0},
        std::tuple{"words", 8 * kLines, 4.0}}) {
    CAPTURE(entry);
    const vgpu::Footprint found = footprint({entry, 1024, 1, 0});
    REQUIRE(found.buffers.size() == 2);
    CHECK(found.buffers[1].stored == doctest::Approx(written).epsilon(0.15));
    CHECK(found.buffers[1].parts == 4);
    CHECK(found.buffers[1].lacking == lacking);
  }
}

TEST_CASE("the parts of its lines that a launch stores to, and those that it does not fill") {
  GPX_NEEDS_NVRTC();
  struct Stores {
    const char* entry;
    double written, parts, lacking;
  };
  constexpr double kThreads = 64.0 * kThreadsOfBlock;
  for (const Stores& each :
       {Stores{"words", kThreads / 4, 4, 4}, Stores{"fewer", kThreads / 2, 2, 0},
        Stores{"all", kThreads / 32, 4, 0}, Stores{"sums", kThreads / 32, 4, 0}}) {
    CAPTURE(each.entry);
    const auto reach = of_launch(
        {each.entry, 64, 1, 0},
        [](const auto& kernel, const auto& launch) { return vgpu::reach_of(kernel, launch); });
    REQUIRE(reach.size() == 1);
    CHECK(reach[0].written == each.written);
    CHECK(reach[0].parts == each.parts);
    CHECK(reach[0].lacking == each.lacking);
  }
}

TEST_CASE("a sample of a grid moves as much of DRAM as all blocks, where blocks share lines") {
  GPX_NEEDS_NVRTC();
  const codegen::test::Folder folder;
  std::string text = file_text(test::device_file("hopper")).value_or("");
  const std::string capacity = "capacity = { \"50 MB\"";
  REQUIRE(text.find(capacity) != std::string::npos);
  text.replace(text.find(capacity), capacity.size(), "capacity = { \"8 MB\"");
  text.replace(text.find("\"hopper\""), 8, "\"small\"");
  const std::string device = folder / "small.lua";
  std::ofstream(device) << text;
  const Paths library{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};
  PredictRequest transposed;
  transposed.file = GPX_TESTS_DIR "/kernels/predict/transposition.cu";
  transposed.entry = "transpose_naive";
  transposed.device = device;
  transposed.grid = {"64", "64"};
  transposed.block = {"32", "8"};
  transposed.arguments = {"n=2048"};
  transposed.buffers = {"out=16MB:zero", "in=16MB:index"};
  for (PredictRequest request : {gather_on(device), transposed}) {
    CAPTURE(request.entry);
    Session session(library);
    const auto part = predict(session, request);
    if (!part) FAIL(render(part.error()));
    request.all_blocks = true;
    const auto whole = predict(session, request);
    if (!whole) FAIL(render(whole.error()));
    REQUIRE(part->simulation->blocks_run < whole->simulation->blocks_run);
    const auto moved = [](const auto& predicted) {
      return predicted->simulation->counted("dram__bytes_read.sum") +
             predicted->simulation->counted("dram__bytes_write.sum");
    };
    CHECK(moved(part) == doctest::Approx(moved(whole)).epsilon(0.25));
    CHECK(part->seconds == doctest::Approx(whole->seconds).epsilon(0.15));
  }
}
