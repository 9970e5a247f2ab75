// Noise: seeded extra clocks of a memory request. The same seed gives the same sequence.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <cstdint>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class Noise {
 public:
  explicit Noise(const Description::Noise& noise)
      : span_(static_cast<std::uint64_t>(noise.jitter) + 1),
        outlier_(whole(noise.outlier)),
        threshold_(noise.outlier_probability >= 1
                       ? UINT64_MAX
                       : static_cast<std::uint64_t>(noise.outlier_probability * 0x1p64)),
        quiet_(span_ == 1 && (threshold_ == 0 || outlier_ == 0)),
        silent_(quiet_) {}

  void seed(std::uint64_t job, std::uint64_t launch) {
    state_ = mix(job ^ mix(launch + 0x632be59bd9b4e019ull));
  }

  /// Requests take up to so many clocks more from now on: other ones are under way.
  void crowd(Clk extra) {
    crowd_ = static_cast<std::uint64_t>(extra);
    silent_ = crowd_ == 0 && quiet_;
  }

  /// The next request's extra clocks.
  Clk next() {
    if (silent_) return 0;
    const std::uint64_t x = mix(state_ += kStep);
    Clk extra = static_cast<Clk>(((x >> 32) * (span_ + crowd_)) >> 32);
    if (threshold_ != 0 && mix(x ^ kStep) < threshold_) extra += outlier_;
    return extra;
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ull;
  static std::uint64_t mix(std::uint64_t x) {  // splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }

  std::uint64_t span_;
  Clk outlier_;
  std::uint64_t threshold_;
  std::uint64_t crowd_ = 0;
  bool quiet_, silent_;
  std::uint64_t state_ = 0;
};

}  // namespace gpx::vgpu::timing
