// Sepia: ages an image (Hong and Kim 2009, Table 5, after the Merge benchmarks): three bytes read and
// three written for each pixel, one after another, so that a warp's accesses are not coalesced.
// Covered by tests/vgpu/kernels_test.cpp.

namespace {

__device__ __forceinline__ float tone(float r, float g, float b, float wr, float wg, float wb) {
  return r * wr + g * wg + b * wb;
}

// The corners darken and the paper's grain shows: both grow with the tone's distance from white.
__device__ __forceinline__ unsigned char aged(float value, float dark, float grain) {
  float v = value * (1.0f - dark);
  v = v + grain * (255.0f - v) * 0.125f;
  v = fminf(fmaxf(v, 0.0f), 255.0f);
  return (unsigned char)v;
}

}  // namespace

extern "C" __global__ void sepia(unsigned char* out, const unsigned char* in, unsigned width,
                                 unsigned pixels) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const float r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
  const unsigned y = (unsigned)((float)i / (float)width), x = i - y * width;
  const float u = (float)x / (float)width - 0.5f, v = (float)y / (float)width - 0.5f;
  const float dark = 0.4f * (u * u + v * v);
  unsigned hash = x * 2654435761u ^ y * 2246822519u;
  hash = (hash ^ hash >> 15) * 2246822519u;
  const float grain = (float)(hash >> 24) * (1.0f / 256.0f) * dark;
  out[3 * i] = aged(tone(r, g, b, 0.393f, 0.769f, 0.189f), dark, grain);
  out[3 * i + 1] = aged(tone(r, g, b, 0.349f, 0.686f, 0.168f), dark, grain);
  out[3 * i + 2] = aged(tone(r, g, b, 0.272f, 0.534f, 0.131f), dark, grain);
}
