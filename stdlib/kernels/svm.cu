// SVM: weighted kernel functions of the distances between a window's features and support vectors
// (Hong and Kim 2009, Figs. 3 and 4, Table 5). A thread decides on one window. Three versions:
//   svm_naive      features and support vectors in global memory, a window's features together; each
//                  band of four features has a scale
//   svm_constant   support vectors in constant memory
//   svm_optimized  besides, the windows' features scaled and interleaved beforehand (feature k of
//                  window i at k * windows + i), so that a warp's loads are coalesced, and each loaded
//                  once for two support vectors
// Covered by tests/vgpu/kernels_test.cpp.

constexpr int kFeatures = 48;  // a spectral histogram
constexpr int kBand = 4;       // features that share a scale
constexpr int kVectors = 34;   // even

namespace {

// What constant memory holds; svm_naive is given its vectors, such as these, in a buffer.
struct Vectors {
  float of[kVectors * kFeatures];
  float weight[kVectors];
  constexpr Vectors() : of(), weight() {
    for (int k = 0; k < kVectors * kFeatures; ++k) of[k] = (float)(k * 37 % 101) / 101.0f;
    for (int k = 0; k < kVectors; ++k) weight[k] = (float)(k * 13 % 29) / 29.0f - 0.5f;
  }
};
__constant__ Vectors support{};

__device__ __forceinline__ float kernel_of(float distance) {
  return __expf(-0.0625f * distance);
}

}  // namespace

extern "C" __global__ void svm_naive(float* out, const float* features, const float* scales,
                                     const float* vectors, const float* weights, int windows,
                                     float bias) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= windows) return;
  float sum = bias;
#pragma unroll 1
  for (int v = 0; v < kVectors; ++v) {
    float distance = 0;
#pragma unroll 1
    for (int band = 0; band < kFeatures / kBand; ++band) {
      const float scale = scales[i * (kFeatures / kBand) + band];
#pragma unroll 1
      for (int k = band * kBand; k < (band + 1) * kBand; ++k) {
        const float d = features[i * kFeatures + k] * scale - vectors[v * kFeatures + k];
        distance += d * d;
      }
    }
    sum += weights[v] * kernel_of(distance);
  }
  out[i] = sum;
}

extern "C" __global__ void svm_constant(float* out, const float* features, const float* scales,
                                        int windows, float bias) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= windows) return;
  float sum = bias;
#pragma unroll 1
  for (int v = 0; v < kVectors; ++v) {
    float distance = 0;
#pragma unroll 1
    for (int band = 0; band < kFeatures / kBand; ++band) {
      const float scale = scales[i * (kFeatures / kBand) + band];
#pragma unroll 1
      for (int k = band * kBand; k < (band + 1) * kBand; ++k) {
        const float d = features[i * kFeatures + k] * scale - support.of[v * kFeatures + k];
        distance += d * d;
      }
    }
    sum += support.weight[v] * kernel_of(distance);
  }
  out[i] = sum;
}

extern "C" __global__ void svm_optimized(float* out, const float* features, int windows,
                                         float bias) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= windows) return;
  float sum = bias;
#pragma unroll 1
  for (int v = 0; v < kVectors; v += 2) {
    float first = 0, second = 0;
    const float* at = features + i;
#pragma unroll 1
    for (int k = 0; k < kFeatures; ++k, at += windows) {
      const float x = *at;
      const float d = x - support.of[v * kFeatures + k];
      const float e = x - support.of[(v + 1) * kFeatures + k];
      first += d * d;
      second += e * e;
    }
    sum += support.weight[v] * kernel_of(first) + support.weight[v + 1] * kernel_of(second);
  }
  out[i] = sum;
}
