// Fused multiply-adds against the host's, where a whole warp computes them and where some lanes do.
#include <cmath>

#include "exec_support.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;

namespace {

/// k(out, in): out[t] = in[3 t] * in[3 t + 1] + in[3 t + 2].
constexpr char kText[] = R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in) {
.reg .b32 t; .reg .b64 o, i; .reg .f32 x, y, z;
ld.param.u64 o, [out]; ld.param.u64 i, [in]; mov.u32 t, %tid.x;
mad.wide.u32 o, t, 4, o; mad.wide.u32 i, t, 12, i;
ld.global.f32 x, [i]; ld.global.f32 y, [i+4]; ld.global.f32 z, [i+8];
fma.rn.f32 x, x, y, z; st.global.f32 [o], x; ret;
}
)";

constexpr std::uint32_t kNaN = 0x7fffffff;

/// Near 1 (the square of 0x3f800800 is a tie), near the edges of what denormal summands decide,
/// denormal, zero, infinite.
std::vector<float> edges() {
  std::vector<float> all;
  for (const std::uint32_t bits :
       {0x3f800000u, 0x3f800001u, 0x3f800800u, 0x3fffffffu, 0x3f801000u, 0x2b800001u, 0x2c000000u,
        0x0c800000u, 0x00800000u, 0x7f7fffffu, 0x00000001u, 0x007fffffu, 0x00000000u, 0x7f800000u})
    for (const std::uint32_t sign : {0u, 0x80000000u})
      all.push_back(__builtin_bit_cast(float, bits | sign));
  return all;
}

}  // namespace

TEST_CASE("a multiply-add rounds once, of any operands and any lanes") {
  std::vector<float> operands;
  for (const float x : edges())
    for (const float y : edges())
      for (const float z : edges()) operands.insert(operands.end(), {x, y, z});
  const std::size_t triples = operands.size() / 3;
  for (const std::uint32_t threads : {32u, 31u, 1u}) {
    Device device(kText);
    const auto in = device.buffer(operands);
    const auto out = device.buffer(std::vector<std::uint32_t>(triples));
    for (std::size_t from = 0; from + threads <= triples; from += threads)
      device.run("k", grid_of(1, threads), out + 4 * from, in + 12 * from);
    const auto bits = device.read<std::uint32_t>(out, triples / threads * threads);
    for (std::size_t t = 0; t < bits.size(); ++t) {
      const float x = operands[3 * t], y = operands[3 * t + 1], z = operands[3 * t + 2];
      const float sum = std::fma(x, y, z);
      const auto expected = std::isnan(sum) ? kNaN : __builtin_bit_cast(std::uint32_t, sum);
      CHECK_MESSAGE(bits[t] == expected, x << " * " << y << " + " << z);
    }
  }
}
