// What the kernels of stdlib/kernels compute, in plain C++17, and inputs for them: shared by
// tests/vgpu/kernels_test.cpp (the virtual GPU) and tests/gpu/library_kernels.cu (a real one).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpx::reference {

/// Numbers from 0 to 1, any.
inline std::vector<float> numbers(std::size_t count, unsigned seed, float low = 0, float high = 1) {
  std::vector<float> out(count);
  std::uint32_t x = seed * 2654435761u + 1;
  for (float& value : out) {
    x = x * 1664525u + 1013904223u;
    value = low + (high - low) * static_cast<float>(x >> 8) / 16777216.0f;
  }
  return out;
}

inline std::vector<std::uint8_t> bytes(std::size_t count) {
  std::vector<std::uint8_t> out(count);
  std::uint32_t x = 7;
  for (auto& value : out) value = static_cast<std::uint8_t>((x = x * 1664525u + 1013904223u) >> 24);
  return out;
}

inline std::uint8_t aged(float value, float dark, float grain) {
  float v = value * (1.0f - dark);
  v += grain * (255.0f - v) * 0.125f;
  return static_cast<std::uint8_t>(std::min(std::max(v, 0.0f), 255.0f));
}

inline std::vector<std::uint8_t> sepia(const std::vector<std::uint8_t>& in, unsigned width) {
  std::vector<std::uint8_t> out(in.size());
  for (unsigned i = 0; i < in.size() / 3; ++i) {
    const float r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    const unsigned y = i / width, x = i % width;
    const float w = static_cast<float>(width);
    const float u = static_cast<float>(x) / w - 0.5f, v = static_cast<float>(y) / w - 0.5f;
    const float dark = 0.4f * (u * u + v * v);
    unsigned hash = x * 2654435761u ^ y * 2246822519u;
    hash = (hash ^ hash >> 15) * 2246822519u;
    const float grain = static_cast<float>(hash >> 24) / 256.0f * dark;
    out[3 * i] = aged(r * 0.393f + g * 0.769f + b * 0.189f, dark, grain);
    out[3 * i + 1] = aged(r * 0.349f + g * 0.686f + b * 0.168f, dark, grain);
    out[3 * i + 2] = aged(r * 0.272f + g * 0.534f + b * 0.131f, dark, grain);
  }
  return out;
}

inline std::vector<std::uint8_t> mean_of_nine(const std::vector<std::uint8_t>& in, int width,
                                              int height) {
  std::vector<std::uint8_t> out(in.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) {
        int sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            sum += in[static_cast<std::size_t>(
                3 * (std::clamp(y + dy, 0, height - 1) * width + std::clamp(x + dx, 0, width - 1)) +
                c)];
        out[static_cast<std::size_t>(3 * (y * width + x) + c)] = static_cast<std::uint8_t>(sum / 9);
      }
  return out;
}

inline constexpr int kFeatures = 48, kBand = 4, kVectors = 34;
inline float vector_at(int k) {
  return static_cast<float>(k * 37 % 101) / 101.0f;
}
inline float weight_at(int k) {
  return static_cast<float>(k * 13 % 29) / 29.0f - 0.5f;
}

/// Every feature times the scale of its band.
inline std::vector<float> scaled(std::vector<float> features, const std::vector<float>& scales) {
  for (std::size_t i = 0; i < features.size(); ++i) features[i] *= scales[i / kBand];
  return features;
}

/// Of scaled features.
inline std::vector<float> svm(const std::vector<float>& features, int windows, float bias) {
  std::vector<float> out;
  for (int i = 0; i < windows; ++i) {
    double sum = bias;
    for (int v = 0; v < kVectors; ++v) {
      double distance = 0;
      for (int k = 0; k < kFeatures; ++k) {
        const double d =
            features[static_cast<std::size_t>(i * kFeatures + k)] - vector_at(v * kFeatures + k);
        distance += d * d;
      }
      sum += weight_at(v) * std::exp(-0.0625 * distance);
    }
    out.push_back(static_cast<float>(sum));
  }
  return out;
}

inline std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b,
                                  std::size_t n) {
  std::vector<float> c(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = static_cast<float>(sum);
    }
  return c;
}

inline double normal(double d) {
  return 0.5 * std::erfc(-d / std::sqrt(2.0));
}

inline std::vector<float> prices(const std::vector<float>& options) {
  std::vector<float> out;
  for (std::size_t i = 0; i + 4 < options.size(); i += 5) {
    const double s = options[i], k = options[i + 1], t = options[i + 2], r = options[i + 3],
                 v = options[i + 4];
    const double d1 = (std::log(s / k) + (r + v * v / 2) * t) / (v * std::sqrt(t));
    const double d2 = d1 - v * std::sqrt(t);
    const double discounted = k * std::exp(-r * t);
    out.push_back(static_cast<float>(s * normal(d1) - discounted * normal(d2)));
    out.push_back(static_cast<float>(discounted * normal(-d2) - s * normal(-d1)));
  }
  return out;
}

}  // namespace gpx::reference
