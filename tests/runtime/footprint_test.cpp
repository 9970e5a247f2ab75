// What a grid reads, from some of its blocks: patterns whose distinct sectors are known, and a
// sample of a grid against all of its blocks.
#include "runtime/device/vgpu/counts/footprint.h"

#include <doctest/doctest.h>

#include <fstream>

#include "codegen/files/files.h"
#include "runtime/device/vgpu/counts/reach.h"
#include "runtime/predict/predictor.h"
#include "tests/codegen/support.h"
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
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[(i * 2654435761u >> 7) & 16383] == 9) out[0] = 1;
}
// Every thread adds to a word of its own.
__global__ void sums(float* out, float* in) {
  atomicAdd(&in[blockIdx.x * blockDim.x + threadIdx.x], 1.0f);
}
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
  double kept = 1e9;
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

std::vector<double> footprint(const ReadPattern& pattern) {
  return of_launch(pattern, [&](const vgpu::KernelCounter& kernel, const codegen::Launch& launch) {
    return vgpu::footprint_of(kernel, launch, {.wave = 1056, .kept = pattern.kept});
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
  // Of 4096 blocks 2111 may run at the same time as the one in the middle.
  const double scattered = 16384 / 8.0, of_sector = 4096.0 * kThreadsOfBlock / scattered;
  for (const ReadPattern& each :
       {ReadPattern{"own", 4096, 1, 4096 * of_block}, ReadPattern{"sums", 4096, 1, 4096 * of_block},
        ReadPattern{"rows", 32, 64, 64 * 128.0}, ReadPattern{"halo", 4096, 1, 4096 * of_block},
        ReadPattern{"scattered", 4096, 1, scattered},
        ReadPattern{"scattered", 4096, 1, scattered * of_sector / (1 + of_sector * 2111 / 4096),
                    1}}) {
    CAPTURE(each.entry);
    const std::vector<double> found = footprint(each);
    REQUIRE(found.size() == 2);
    CHECK(found[0] == 0);  // nothing is read of what is only written
    CHECK(found[1] == doctest::Approx(each.sectors).epsilon(0.15));
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

TEST_CASE("a sample of a grid reads as much of DRAM as all blocks, where blocks share sectors") {
  GPX_NEEDS_NVRTC();
  const codegen::test::Folder folder;
  std::string text = file_text(GPX_SOURCE_DIR "/stdlib/devices/h100.lua").value_or("");
  const std::string capacity = "capacity = { \"50 MB\"";
  REQUIRE(text.find(capacity) != std::string::npos);
  text.replace(text.find(capacity), capacity.size(), "capacity = { \"8 MB\"");
  text.replace(text.find("\"h100\""), 6, "\"small\"");
  const std::string device = folder / "small.lua";
  std::ofstream(device) << text;
  const Paths library{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};
  PredictRequest request = gather_on(device);
  Session session(library);
  const auto part = predict(session, request);
  if (!part) FAIL(render(part.error()));
  request.all_blocks = true;
  const auto whole = predict(session, request);
  if (!whole) FAIL(render(whole.error()));
  REQUIRE(part->simulation->blocks_run < whole->simulation->blocks_run);
  CHECK(part->simulation->counted("dram__bytes_read.sum") ==
        doctest::Approx(whole->simulation->counted("dram__bytes_read.sum")).epsilon(0.25));
  CHECK(part->seconds == doctest::Approx(whole->seconds).epsilon(0.15));
}
