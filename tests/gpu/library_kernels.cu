// The kernels of stdlib/kernels on a real GPU against the same plain C++ that they are compared with
// on the virtual one (tests/vgpu/kernels_test.cpp). Build: tests/gpu/build.sh
//
// Usage: library_kernels      Output: a line for each kernel; exit status 1 if one is wrong.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../stdlib/kernels/blackscholes.cu"
#include "../../stdlib/kernels/linear.cu"
#include "../../stdlib/kernels/matmul.cu"
#include "../../stdlib/kernels/sepia.cu"
#include "../../stdlib/kernels/svm.cu"
#include "../kernel_references.h"

#include "check.h"

namespace {

namespace reference = gpx::reference;

template <class T>
class Buffer {
 public:
  explicit Buffer(const std::vector<T>& data) : count_(data.size()) {
    CHECK(cudaMalloc(&at_, count_ * sizeof(T)));
    CHECK(cudaMemcpy(at_, data.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  explicit Buffer(std::size_t count) : Buffer(std::vector<T>(count)) {}
  ~Buffer() { cudaFree(at_); }
  Buffer(const Buffer&) = delete;
  operator T*() const { return at_; }
  std::vector<T> read() const {
    CHECK(cudaGetLastError());
    std::vector<T> out(count_);
    CHECK(cudaMemcpy(out.data(), at_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }

 private:
  T* at_ = nullptr;
  std::size_t count_;
};

int wrong = 0;

void report(const char* kernel, std::size_t count, std::size_t far, std::size_t allowed) {
  std::printf("%-16s %zu values, %zu wrong%s\n", kernel, count, far, far <= allowed ? "" : "  <--");
  wrong += far > allowed;
}

void near(const char* kernel, const std::vector<float>& got, const std::vector<float>& expected,
          double within) {
  std::size_t far = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    far += !(std::fabs(got[i] - expected[i]) <= within * (1 + std::fabs(expected[i])));
  report(kernel, got.size(), far, 0);
}

/// At most one apart; roundings differ.
void bytes_near(const char* kernel, const std::vector<std::uint8_t>& got,
                const std::vector<std::uint8_t>& expected, int apart) {
  std::size_t far = 0;
  for (std::size_t i = 0; i < got.size(); ++i) far += std::abs(int{got[i]} - int{expected[i]}) > apart;
  report(kernel, got.size(), far, 0);
}

unsigned blocks(int count, int threads) { return (count + threads - 1) / threads; }

void images() {
  constexpr int kWidth = 613, kHeight = 401;
  const auto in = reference::bytes(3 * kWidth * kHeight);
  const Buffer<std::uint8_t> from(in), to(in.size());
  sepia<<<blocks(kWidth * kHeight, 128), 128>>>(to, from, kWidth, kWidth * kHeight);
  bytes_near("sepia", to.read(), reference::sepia(in, kWidth), 1);
  linear_filter<<<blocks(kWidth * kHeight, 128), 128>>>(to, from, kWidth, kHeight, 0);
  bytes_near("linear_filter", to.read(), reference::mean_of_nine(in, kWidth, kHeight), 0);
}

void vectors() {
  using reference::kFeatures;
  using reference::kVectors;
  constexpr int kWindows = 5000;
  constexpr float kBias = 0.25f;
  const auto features = reference::numbers(kWindows * kFeatures, 3);
  const auto scales = reference::numbers(kWindows * kFeatures / reference::kBand, 5, 0.5f, 1.5f);
  const auto ready = reference::scaled(features, scales);
  const auto expected = reference::svm(ready, kWindows, kBias);
  std::vector<float> interleaved(features.size()), table, weights;
  for (std::size_t i = 0; i < kWindows; ++i)
    for (std::size_t k = 0; k < kFeatures; ++k)
      interleaved[k * kWindows + i] = ready[i * kFeatures + k];
  for (int k = 0; k < kVectors * kFeatures; ++k) table.push_back(reference::vector_at(k));
  for (int k = 0; k < kVectors; ++k) weights.push_back(reference::weight_at(k));
  const Buffer<float> from(features), across(interleaved), scale(scales), of(table), by(weights),
      to(kWindows);
  svm_naive<<<blocks(kWindows, 128), 128>>>(to, from, scale, of, by, kWindows,
                                                         kBias);
  near("svm_naive", to.read(), expected, 1e-5);
  svm_constant<<<blocks(kWindows, 128), 128>>>(to, from, scale, kWindows, kBias);
  near("svm_constant", to.read(), expected, 1e-5);
  svm_optimized<<<blocks(kWindows, 128), 128>>>(to, across, kWindows, kBias);
  near("svm_optimized", to.read(), expected, 1e-5);
}

void products() {
  constexpr int kSize = 240;
  const auto a = reference::numbers(kSize * kSize, 1), b = reference::numbers(kSize * kSize, 2);
  const auto expected = reference::product(a, b, kSize);
  const Buffer<float> left(a), right(b), to(kSize * kSize);
  mat_naive<<<blocks(kSize * kSize, 128), 128>>>(to, left, right, kSize);
  near("mat_naive", to.read(), expected, 1e-5);
  for (const int tile : {4, 8, 10, 16, 20}) {
    mat_tiled<<<(kSize / tile) * (kSize / tile), tile * tile, 8 * tile * tile>>>(to, left, right,
                                                                               kSize, tile);
    near(("mat_tiled " + std::to_string(tile)).c_str(), to.read(), expected, 1e-5);
  }
}

void options() {
  constexpr int kCount = 20000;
  std::vector<float> all;
  const auto any = reference::numbers(5 * kCount, 9);
  for (std::size_t i = 0; i < any.size(); i += 5)
    all.insert(all.end(), {5 + 25 * any[i], 5 + 25 * any[i + 1], 0.25f + 9 * any[i + 2],
                           0.01f + 0.05f * any[i + 3], 0.1f + 0.4f * any[i + 4]});
  const Buffer<float> from(all), to(2 * kCount);
  blackscholes<<<blocks(kCount, 128), 128>>>(to, from, kCount);
  near("blackscholes", to.read(), reference::prices(all), 2e-4);
}

}  // namespace

int main() {
  images();
  vectors();
  products();
  options();
  return wrong != 0 ? 1 : 0;
}
