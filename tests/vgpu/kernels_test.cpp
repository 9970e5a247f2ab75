// The kernels of stdlib/kernels: compiled, executed and compared with plain C++ that computes the
// same; and what their inner loops consist of.
#include <algorithm>
#include <cmath>
#include <map>

#include "../kernel_references.h"
#include "codegen/compile/compiler.h"
#include "exec_support.h"
#include "tests/left_out.h"

using namespace gpx;
using namespace gpx::vgpu;
using exec::Device;
using namespace gpx::reference;

namespace {

std::string compiled(const std::string& name) {
  static std::map<std::string, std::string> done;
  std::string& ptx = done[name];
  if (!ptx.empty()) return ptx;
  const codegen::Target target{codegen::Target::Form::ptx, 75};
  const auto compiler = codegen::find_compiler(target);
  if (!compiler) FAIL(render(compiler.error()));
  const std::string source = exec::read_text(GPX_SOURCE_DIR "/stdlib/kernels/" + name);
  REQUIRE_FALSE(source.empty());
  const auto result = (*compiler)->compile(source, name, target);
  if (!result) FAIL(render(result.error()));
  REQUIRE_MESSAGE(result->ok, result->log);
  return ptx = result->ptx;
}

/// Constant memory as the module's initial values have it.
void use_constants(Device& device) {
  std::vector<std::uint8_t> image;
  for (const ptx::Variable& v : device.module.variables) {
    if (v.space != ptx::Space::constant) continue;
    image.resize(std::max<std::size_t>(image.size(), v.address + v.bytes));
    std::copy(v.initial.begin(), v.initial.end(),
              image.begin() + static_cast<std::ptrdiff_t>(v.address));
  }
  device.constants = std::make_shared<const std::vector<std::uint8_t>>(std::move(image));
}

exec::Grid grid(unsigned blocks, unsigned threads) {
  return {{blocks, 1, 1}, {threads, 1, 1}};
}

void check_near(const std::vector<float>& got, const std::vector<float>& expected, double within) {
  REQUIRE(got.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    wrong += !(std::fabs(got[i] - expected[i]) <= within * (1 + std::fabs(expected[i])));
  CHECK(wrong == 0);
}

/// Instructions of a warp, without those that fold, and how many of them reach global memory.
struct Counts {
  std::uint64_t computation = 0, memory = 0;
};

class Counting {
 public:
  static Counts of(Device& device, const std::string& name, unsigned threads,
                   std::vector<std::uint8_t> parameters) {
    const ptx::Function* entry = device.module.find(name);
    REQUIRE(entry);
    exec::Executor executor(device.module, *entry, grid(1, threads), std::move(parameters),
                            device.memory);
    if (device.constants) executor.set_constants(device.constants);
    exec::Block block;
    executor.start(block, {0, 0, 0});
    Counts counts;
    for (bool running = true; running;) {
      const ptx::Instruction& next = executor.next(block.warps[0]);
      const exec::Effect* const effect = executor.step(block.warps[0], {});
      REQUIRE(effect);
      running = !effect->exited;
      if (next.folds) continue;
      const bool memory = effect->space == ptx::Space::global && effect->active != 0;
      ++(memory ? counts.memory : counts.computation);
    }
    return counts;
  }
};

template <class... Args>
std::vector<std::uint8_t> parameter_block(const Device& device, const std::string& name,
                                          Args... args) {
  const ptx::Function* entry = device.module.find(name);
  REQUIRE(entry);
  std::vector<std::uint8_t> block;
  std::size_t next = 0;
  const auto put = [&](auto arg) {
    const ptx::Variable& v = entry->parameters.at(next++);
    REQUIRE(v.bytes == sizeof(arg));
    block.resize(v.address + v.bytes);
    std::memcpy(block.data() + v.address, &arg, sizeof(arg));
  };
  (put(args), ...);
  return block;
}

}  // namespace

TEST_CASE("sepia ages every pixel as the reference does, but for roundings") {
  constexpr unsigned kWidth = 61, kPixels = 61 * 40;
  const auto in = bytes(3 * kPixels);
  Device device(compiled("sepia.cu"));
  const auto from = device.buffer(in), to = device.buffer(std::vector<std::uint8_t>(in.size()));
  device.run("sepia", grid((kPixels + 63) / 64, 64), to, from, kWidth, kPixels);
  const auto got = device.read<std::uint8_t>(to, in.size()), expected = sepia(in, kWidth);
  std::size_t off = 0, far = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    off += got[i] != expected[i];
    far += std::abs(int{got[i]} - int{expected[i]}) > 1;
  }
  CHECK(far == 0);
  CHECK(off < in.size() / 100);
}

TEST_CASE("linear_filter is the mean of nine pixels, to the last bit") {
  constexpr int kWidth = 37, kHeight = 21;
  const auto in = bytes(3 * kWidth * kHeight);
  Device device(compiled("linear.cu"));
  const auto from = device.buffer(in), to = device.buffer(std::vector<std::uint8_t>(in.size()));
  device.run("linear_filter", grid((kWidth * kHeight + 95) / 96, 96), to, from, kWidth, kHeight, 0);
  CHECK(device.read<std::uint8_t>(to, in.size()) == mean_of_nine(in, kWidth, kHeight));
}

TEST_CASE("the three versions of SVM decide alike") {
  constexpr int kWindows = 70;
  constexpr float kBias = 0.25f;
  const auto features = numbers(kWindows * kFeatures, 3);
  const auto scales = numbers(kWindows * kFeatures / kBand, 5, 0.5f, 1.5f);
  const auto ready = scaled(features, scales);
  const auto expected = svm(ready, kWindows, kBias);
  std::vector<float> interleaved(features.size()), vectors, weights;
  for (std::size_t i = 0; i < kWindows; ++i)
    for (std::size_t k = 0; k < kFeatures; ++k)
      interleaved[k * kWindows + i] = ready[i * kFeatures + k];
  for (int k = 0; k < kVectors * kFeatures; ++k) vectors.push_back(vector_at(k));
  for (int k = 0; k < kVectors; ++k) weights.push_back(weight_at(k));
  Device device(compiled("svm.cu"));
  use_constants(device);
  const auto from = device.buffer(features), to = device.buffer(std::vector<float>(kWindows));
  const auto by = device.buffer(scales);
  device.run("svm_naive", grid(3, 32), to, from, by, device.buffer(vectors), device.buffer(weights),
             kWindows, kBias);
  check_near(device.read<float>(to, kWindows), expected, 1e-5);
  device.run("svm_constant", grid(3, 32), to, from, by, kWindows, 2 * kBias);
  check_near(device.read<float>(to, kWindows), svm(ready, kWindows, 2 * kBias), 1e-5);
  device.run("svm_optimized", grid(3, 32), to, device.buffer(interleaved), kWindows, kBias);
  check_near(device.read<float>(to, kWindows), expected, 1e-5);
}

TEST_CASE("both products of matrices are products, with tiles of any size") {
  constexpr int kSize = 40;
  const auto a = numbers(kSize * kSize, 1), b = numbers(kSize * kSize, 2);
  const auto expected = product(a, b, kSize);
  Device device(compiled("matmul.cu"));
  const auto left = device.buffer(a), right = device.buffer(b);
  auto to = device.buffer(std::vector<float>(kSize * kSize));
  device.run("mat_naive", grid(kSize * kSize / 64, 64), to, left, right, kSize);
  check_near(device.read<float>(to, kSize * kSize), expected, 1e-5);
  for (const unsigned tile : {4u, 8u, 10u, 20u}) {
    CAPTURE(tile);
    to = device.buffer(std::vector<float>(kSize * kSize));
    exec::Grid launch = grid(kSize * kSize / (tile * tile), tile * tile);
    launch.dynamic_shared_bytes = 8 * tile * tile;
    device.run("mat_tiled", launch, to, left, right, kSize, static_cast<int>(tile));
    check_near(device.read<float>(to, kSize * kSize), expected, 1e-5);
  }
}

TEST_CASE("blackscholes prices options as the closed form does") {
  constexpr int kCount = 500;
  std::vector<float> options;
  const auto any = numbers(5 * kCount, 9);
  for (std::size_t i = 0; i < any.size(); i += 5)
    options.insert(options.end(), {5 + 25 * any[i], 5 + 25 * any[i + 1], 0.25f + 9 * any[i + 2],
                                   0.01f + 0.05f * any[i + 3], 0.1f + 0.4f * any[i + 4]});
  Device device(compiled("blackscholes.cu"));
  const auto from = device.buffer(options), to = device.buffer(std::vector<float>(2 * kCount));
  device.run("blackscholes", grid((kCount + 127) / 128, 128), to, from, kCount);
  check_near(device.read<float>(to, 2 * kCount), prices(options), 2e-4);
}

TEST_CASE("a loop of each micro-benchmark has the instructions of hong2009 Table 4") {
  GPX_NEEDS_NVRTC();  // clang ends these loops with two branches
  Device device(compiled("micro.cu"));
  constexpr unsigned kWords = 4096;
  const auto in = device.buffer(numbers(kWords, 4)), out = device.buffer(std::vector<float>(32));
  const auto counts = [&](int benchmark, int pattern, int iterations) {
    return Counting::of(
        device, "micro", 32,
        parameter_block(device, "micro", out, in, benchmark, pattern, iterations, kWords));
  };
  struct Row {
    int benchmark;
    unsigned memory, computation;
  };
  for (const Row& row : {Row{1, 0, 23}, Row{2, 1, 17}, Row{3, 1, 29}, Row{4, 2, 27}, Row{5, 2, 35},
                         Row{6, 4, 47}, Row{7, 6, 59}})
    for (const int pattern : {0, 1, 2, 3, 4}) {
      CAPTURE(row.benchmark);
      CAPTURE(pattern);
      const Counts few = counts(row.benchmark, pattern, 10);
      const Counts more = counts(row.benchmark, pattern, 20);
      const unsigned off = pattern % 4 == 0 ? row.memory : 0;  // the guard lets none through
      CHECK(more.memory - few.memory == 10 * (row.memory - off));
      CHECK(more.computation - few.computation == 10 * (row.computation + off));
    }
}
