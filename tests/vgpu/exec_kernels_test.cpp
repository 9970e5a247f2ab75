// Whole CUDA kernels, compiled by nvcc (tests/vgpu/ptx/kernels.cu), against C++ on the host.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "codegen/ptx/half.h"
#include "exec_support.h"

using namespace gpx;
using namespace gpx::vgpu::exec;

namespace {

const std::string& kernels() {
  static const std::string text = read_text(GPX_TESTS_DIR "/vgpu/ptx/kernels.ptx");
  return text;
}

template <class T, class F>
std::vector<T> generated(std::size_t n, F f) {
  std::vector<T> out(n);
  for (auto& v : out) v = static_cast<T>(f());
  return out;
}

}  // namespace

TEST_CASE("a tiled matrix product gives the host's values") {
  constexpr int n = 37;
  Numbers random(1);
  auto a = generated<float>(n * n, [&] { return random.unit() - 0.5; });
  auto b = generated<float>(n * n, [&] { return random.unit() - 0.5; });
  Device device(kernels());
  auto pa = device.buffer(a), pb = device.buffer(b), pc = device.buffer(std::vector<float>(n * n));
  device.run("matmul", {{3, 3, 1}, {16, 16, 1}, 0}, pa, pb, pc, n);
  auto c = device.read<float>(pc, n * n);
  for (int row = 0; row < n; ++row) {
    for (int col = 0; col < n; ++col) {
      float sum = 0;
      for (int k = 0; k < 48; ++k) {
        sum = k < n ? std::fma(a[row * n + k], b[k * n + col], sum) : std::fma(0.0f, 0.0f, sum);
      }
      CHECK(c[row * n + col] == sum);
    }
  }
}

TEST_CASE("a reduction by shuffles and an atomic sums all numbers") {
  for (const Model model : kModels) {
    Numbers random(2);
    auto in = generated<std::uint32_t>(5000, random);
    Device device(kernels());
    device.model = model;
    auto pin = device.buffer(in), pout = device.buffer(std::vector<std::uint64_t>(1));
    device.run("reduce", grid_of(3, 256), pin, pout, static_cast<int>(in.size()));
    CHECK(device.read<std::uint64_t>(pout, 1)[0] ==
          std::accumulate(in.begin(), in.end(), std::uint64_t{0}));
  }
}

TEST_CASE("a histogram by shared atomics counts every byte") {
  Numbers random(3);
  auto in = generated<std::uint8_t>(4321, [&] { return random() % 17 * (random() % 16); });
  std::vector<std::uint32_t> expected(256);
  for (auto v : in) ++expected[v];
  Device device(kernels());
  auto pin = device.buffer(in), pout = device.buffer(std::vector<std::uint32_t>(256));
  device.run("histogram", grid_of(2, 96), pin, pout, static_cast<int>(in.size()));
  CHECK(device.read<std::uint32_t>(pout, 256) == expected);
}

TEST_CASE("a scan in dynamic shared memory gives the prefix sums") {
  Numbers random(4);
  auto in = generated<std::int32_t>(300, [&] { return random() % 1000; });
  std::vector<std::int32_t> expected(300);
  std::partial_sum(in.begin(), in.end(), expected.begin());
  Device device(kernels());
  auto pin = device.buffer(in), pout = device.buffer(std::vector<std::int32_t>(300));
  device.run("scan", grid_of(1, 320, 320 * 4), pin, pout, 300);
  CHECK(device.read<std::int32_t>(pout, 300) == expected);
}

TEST_CASE("a bitonic sort with divergent exchanges sorts") {
  for (const Model model : kModels) {
    Numbers random(5);
    for (int n : {2, 32, 256, 1024}) {
      auto data = generated<std::int32_t>(static_cast<std::size_t>(n), random);
      Device device(kernels());
      device.model = model;
      auto p = device.buffer(data);
      device.run("bitonic", grid_of(1, 100, static_cast<std::uint32_t>(n) * 4), p, n);
      std::sort(data.begin(), data.end());
      CHECK(device.read<std::int32_t>(p, data.size()) == data);
    }
  }
}

namespace {
struct Pair {
  int a;
  double b;
  unsigned char c[5];
};
unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
Pair mix(Pair p, int k) {
  Pair q = p;
  q.a = p.a * k + p.c[k % 5];
  q.b = p.b / (k + 1);
  q.c[k % 5] = static_cast<unsigned char>(q.a >> 3);
  return q;
}
}  // namespace

TEST_CASE("calls inside divergent code, by value and recursive, return to the right lanes") {
  for (const Model model : kModels) {
    constexpr int n = 150;
    Device device(kernels());
    device.model = model;
    auto pout = device.buffer(std::vector<std::uint32_t>(n));
    auto pd = device.buffer(std::vector<double>(n));
    device.run("calls", grid_of(2, 96), pout, pd, n);
    auto out = device.read<std::uint32_t>(pout, n);
    auto d = device.read<double>(pd, n);
    for (int i = 0; i < n; ++i) {
      unsigned r = i & 1 ? fibonacci(static_cast<unsigned>(i % 12)) : 7u;
      Pair p = {i, i * 0.5, {1, 2, 3, 4, 5}};
      for (int k = 0; k < i % 4; ++k) p = mix(p, k + i);
      CHECK(out[i] == r * 1000003u + static_cast<unsigned>(p.a) + p.c[i % 5]);
      CHECK(d[i] == p.b);
    }
  }
}

namespace {
int switched(int v) {
  int r = 0;
  for (int k = 0; k < (v & 15); ++k) {
    switch ((v + k) % 11) {
      case 0: r += v; break;
      case 1: r ^= k * 77; break;
      case 2:
        r -= 3;
        if (r < 0) continue;
        r *= 2;
        break;
      case 3: r = r * 31 + 1; break;
      case 4: r |= 0x10; break;
      case 5: r &= ~0x4; break;
      case 6:
        if (k > 9) return r;
        r += 9;
        break;
      case 7: r = -r; break;
      case 8: r <<= 1; break;
      case 9: r >>= 2; break;
      default: r += k; break;
    }
    while (r > 1000 && (r & 3)) r -= v & 7 ? v & 7 : 1;
  }
  return r;
}
}  // namespace

TEST_CASE("a switch in a loop with divergent exits gives each lane its own value") {
  for (const Model model : kModels) {
    Numbers random(6);
    auto in = generated<std::int32_t>(500, [&] { return random() % 5000; });
    Device device(kernels());
    device.model = model;
    auto pin = device.buffer(in), pout = device.buffer(std::vector<std::int32_t>(500));
    device.run("switches", grid_of(4, 128), pin, pout, 500);
    auto out = device.read<std::int32_t>(pout, 500);
    for (int i = 0; i < 500; ++i) CHECK(out[i] == switched(in[i]));
  }
}

TEST_CASE("half precision rounds each operation once") {
  Numbers random(7);
  auto half = [&] { return ptx::float_to_half(static_cast<float>((random.unit() - 0.5) * 100)); };
  auto a = generated<std::uint16_t>(200, half), b = generated<std::uint16_t>(200, half);
  Device device(kernels());
  auto pa = device.buffer(a), pb = device.buffer(b);
  auto pout = device.buffer(std::vector<std::uint16_t>(800));
  auto pout2 = device.buffer(std::vector<std::uint32_t>(200));
  device.run("halves", grid_of(2, 128), pa, pb, pout, pout2, 200);
  auto out = device.read<std::uint16_t>(pout, 800);
  auto out2 = device.read<std::uint32_t>(pout2, 200);
  // Exact in double, as the exponents are small: one rounding each.
  auto value = [](std::uint16_t h) { return static_cast<double>(ptx::half_to_float(h)); };
  auto round = [](double v) { return ptx::float_to_half(ptx::odd_float(v)); };
  for (std::size_t i = 0; i < 200; ++i) {
    double x = value(a[i]), y = value(b[i]);
    std::uint16_t s = round(x + y), p = round(x * y), d = round(value(p) - x);
    CHECK(out[i * 4 + 0] == s);
    CHECK(out[i * 4 + 1] == p);
    CHECK(out[i * 4 + 2] == round(x * y + value(s)));
    CHECK(out[i * 4 + 3] == (x < y ? d : d ^ 0x8000));
    std::uint16_t low = round(x * value(round(x + x)) + 0.25);
    std::uint16_t high = round(y * value(round(y + y)) + 0.25);
    CHECK(out2[i] == (low | std::uint32_t{high} << 16));
  }
}

TEST_CASE("64-bit division, which NVIDIA's compiler leaves to the hardware's routines") {
  Numbers random(8);
  auto a = generated<std::int64_t>(256, [&] { return random() >> (random() % 60); });
  auto b = generated<std::int64_t>(256, [&] { return (random() >> (random() % 63)) | 1; });
  a[0] = INT64_MIN, b[0] = 3;
  a[1] = -7, b[1] = 2;
  Device device(kernels());
  auto pa = device.buffer(a), pb = device.buffer(b);
  auto pout = device.buffer(std::vector<std::int64_t>(1024));
  device.run("division", grid_of(2, 128), pa, pb, pout, 256);
  auto out = device.read<std::int64_t>(pout, 1024);
  for (std::size_t i = 0; i < 256; ++i) {
    int v = static_cast<int>(a[i]);
    CHECK(out[i * 4 + 0] == a[i] / b[i]);
    CHECK(out[i * 4 + 1] == a[i] % b[i]);
    CHECK(static_cast<std::uint64_t>(out[i * 4 + 2]) ==
          static_cast<std::uint64_t>(a[i]) / static_cast<std::uint64_t>(b[i]));
    CHECK(out[i * 4 + 3] ==
          v / 7 + v % 13 + static_cast<int>(static_cast<unsigned>(v) / 1000000007u));
  }
}

TEST_CASE("double precision is exact to the bit") {
  Numbers random(9);
  auto a = generated<double>(100, [&] { return random.unit() * 1000; });
  auto b = generated<double>(100, [&] { return (random.unit() - 0.5) * 3; });
  Device device(kernels());
  auto pa = device.buffer(a), pb = device.buffer(b);
  auto pout = device.buffer(std::vector<double>(500));
  device.run("doubles", grid_of(1, 128), pa, pb, pout, 100);
  auto out = device.read<double>(pout, 500);
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(out[i * 5 + 0] == std::sqrt(a[i]));
    CHECK(out[i * 5 + 1] == a[i] / b[i]);
    CHECK(out[i * 5 + 2] == std::fma(a[i], b[i], 1.0));
    CHECK(out[i * 5 + 3] == std::floor(a[i]) + std::trunc(b[i]) + std::rint(a[i] * 0.5));
    CHECK(out[i * 5 + 4] == static_cast<double>(static_cast<long long>(a[i] * 1e3)) +
                                static_cast<double>(static_cast<float>(b[i])));
  }
}

TEST_CASE("the library's float functions agree with the host within their error bounds") {
  Numbers random(10);
  auto a = generated<float>(256, [&] { return (random.unit() - 0.5) * 40; });
  a[0] = 1e6f;  // the slow argument reduction of sinf
  a[1] = 0;
  Device device(kernels());
  auto pa = device.buffer(a);
  auto pout = device.buffer(std::vector<float>(256 * 8));
  device.run("functions", grid_of(2, 128), pa, pout, 256);
  auto out = device.read<float>(pout, 256 * 8);
  auto near = [](float got, double want) {
    return std::fabs(static_cast<double>(got) - want) <= 4e-7 * std::max(1e-3, std::fabs(want));
  };
  for (std::size_t i = 0; i < 256; ++i) {
    double x = static_cast<double>(a[i]), ax = std::fabs(x);
    const float* o = &out[i * 8];
    CHECK(near(o[0], std::sin(x)));
    if (x < 80) CHECK(near(o[1], std::exp(x)));
    CHECK(near(o[2], std::log(ax + 1)));
    CHECK(o[3] == std::sqrt(std::fabs(a[i])));
    CHECK(o[4] == a[i] / 3.0f);
    CHECK(near(o[5], std::pow(static_cast<double>(std::fabs(a[i]) + 0.5f), 1.5)));
    CHECK(near(o[6], std::tanh(x)));
    if (ax < 30) {
      CHECK(std::fabs(static_cast<double>(o[7]) -
                      (std::sin(x) + std::exp(x * 0.1) + 1 / std::sqrt(ax + 1) + x / 3)) < 2e-5);
    }
  }
}

TEST_CASE("constant, global and local variables hold what they should, and globals persist") {
  Device device(kernels());
  auto pout = device.buffer(std::vector<std::int32_t>(128));
  constexpr int weights[8] = {1, -2, 3, -4, 5, -6, 7, -8};
  for (int launch = 0; launch < 2; ++launch) {
    device.run("globals", grid_of(1, 64), pout);
    auto out = device.read<std::int32_t>(pout, 128);
    for (int t = 0; t < 64; ++t) {
      int sum = 0;
      for (int k = 0; k < 16; ++k) {
        int j = (k * 7 + t) & 15;
        sum += weights[j & 7] * (j + t) * (k + 1);
      }
      CHECK(out[t] == sum);
      CHECK(out[64 + t] == 5 + launch * 64 + t);
    }
  }
}

TEST_CASE("a chase through a texture object and through constants that the launch gives") {
  Device device(kernels());
  CHECK(device.module.find("chases")->bounds.registers == 88);
  std::vector<std::uint32_t> texture(64), links(64);
  for (std::uint32_t i = 0; i < 64; ++i) texture[i] = (i * 5 + 3) % 64, links[i] = (i * 3 + 7) % 64;
  std::uint64_t end = 0, at = 0;
  for (const auto& v : device.module.variables) {
    if (v.space != gpx::ptx::Space::constant) continue;
    end = std::max(end, v.address + v.bytes);
    if (v.name == "links") at = v.address;
  }
  std::vector<std::uint8_t> image(end);
  std::memcpy(image.data() + at, links.data(), 256);
  device.constants = std::make_shared<const std::vector<std::uint8_t>>(image);
  auto handle = device.buffer(texture), pout = device.buffer(std::vector<std::uint32_t>(128));
  device.run("chases", grid_of(1, 64), texture_handle(handle), pout);
  auto out = device.read<std::uint32_t>(pout, 128);
  for (std::uint32_t t = 0; t < 64; ++t) {
    std::uint32_t i = t, j = t;
    for (int k = 0; k < 5; ++k) i = texture[i], j = links[j];
    CHECK(out[2 * t] == i);
    CHECK(out[2 * t + 1] == j + texture[t]);
  }
  auto outside = device.launch("chases", grid_of(1, 65), texture_handle(handle), pout);
  REQUIRE_FALSE(outside);
  auto none = device.launch("chases", grid_of(1, 64), handle, pout);
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("is no texture object") != std::string::npos);
}

TEST_CASE("warps hand a volatile shared word on between barriers of single paths") {
  for (const Model model : kModels) {
    Device device(kernels());
    device.model = model;
    const auto& bounds = device.module.find("relay")->bounds;
    CHECK(bounds.threads == 128);
    CHECK(bounds.blocks_per_sm == 2);
    auto pout = device.buffer(std::vector<std::uint32_t>(128));
    device.run("relay", grid_of(1, 128), pout);
    auto out = device.read<std::uint32_t>(pout, 128);
    for (std::uint32_t i = 0; i < 128; ++i) {
      std::uint32_t t = i + 1, product = 3 * t + (t == 64 ? 9 : 0);
      std::uint32_t sad = (t > 70 ? t - 70 : 70 - t) + 1;
      CHECK(out[i] == (1 + 2 + 3 + 4) * 1000 + product + sad +
                          static_cast<std::uint32_t>(std::countr_zero(t)) + 1);
    }
  }
}

TEST_CASE("generic pointers reach shared, local and global memory from one instruction") {
  Device device(kernels());
  std::vector<std::int32_t> data(128);
  for (int i = 0; i < 64; ++i) data[i] = 1000 + i;
  auto pout = device.buffer(data);
  device.run("pointers", grid_of(1, 64), pout, 50);
  auto out = device.read<std::int32_t>(pout, 128);
  for (int t = 0; t < 64; ++t) {
    CHECK(out[t] == 1000 + t + (t % 3 == 2));
    CHECK(out[64 + t] == t * 2 + (t % 3 == 0) + 50 + (t & 3) + (t % 3 == 1));
  }
}

TEST_CASE("votes, matches, shuffles and reducing barriers see the whole warp or block") {
  for (const Model model : kModels) {
    Numbers random(11);
    auto in = generated<std::int32_t>(64, [&] { return random() % 100; });
    Device device(kernels());
    device.model = model;
    auto pin = device.buffer(in), pout = device.buffer(std::vector<std::uint32_t>(640));
    device.run("votes", grid_of(1, 64), pin, pout);
    auto out = device.read<std::uint32_t>(pout, 640);
    auto count = [&](auto f) {
      return static_cast<unsigned>(std::count_if(in.begin(), in.end(), f));
    };
    for (int t = 0; t < 64; ++t) {
      const int* w = &in[t & 32];
      int lane = t & 31, v = in[t];
      auto mask = [&](auto f) {
        unsigned m = 0;
        for (int i = 0; i < 32; ++i) m |= f(w[i]) ? 1u << i : 0;
        return m;
      };
      const unsigned* o = &out[t * 10];
      unsigned odd = mask([](int x) { return x & 1; });
      CHECK(o[0] == odd);
      CHECK(o[1] == (mask([](int x) { return x > 90; }) != 0) * 2u +
                        (mask([](int x) { return x < 90; }) == ~0u));
      CHECK(o[2] == mask([&](int x) { return x % 5 == v % 5; }));
      CHECK(o[3] == 0xffffffffu);
      CHECK(o[4] == 1);
      unsigned both = odd & mask([](int x) { return x & 2; });
      CHECK(o[5] == (v & 1 ? 0xffffffffu ^ both : 0xffffffffu));
      CHECK(o[6] == static_cast<unsigned>((lane & 7) >= 3 ? w[lane - 3] : v));
      CHECK(o[7] == static_cast<unsigned>(w[(lane & 16) | (v & 15)]));
      auto u = static_cast<unsigned>(v);
      unsigned reversed = 0;
      for (int i = 0; i < 32; ++i) reversed |= (u >> i & 1) << (31 - i);
      CHECK(o[8] == static_cast<unsigned>(std::popcount(u) + std::countl_zero(u) * 100) +
                        (u ? static_cast<unsigned>(std::countr_zero(u)) + 1 : 0) * 10000 +
                        reversed);
      CHECK(o[9] == count([](int x) { return x & 1; }) +
                        1000u * (count([](int x) { return x < 100; }) == 64) +
                        2000u * (count([](int x) { return x > 98; }) > 0));
    }
  }
}

TEST_CASE("vector accesses, dot products, byte permutation and narrow stores") {
  Numbers random(12);
  constexpr std::size_t n = 70;
  auto in = generated<std::int32_t>(4 * n, random);
  auto bytes = generated<std::uint8_t>(n, random);
  auto shorts = generated<std::int16_t>(n, random);
  Device device(kernels());
  auto pin = device.buffer(in), pout = device.buffer(std::vector<std::int32_t>(4 * n));
  auto pb = device.buffer(bytes), ps = device.buffer(shorts);
  device.run("stencil", grid_of(3, 32), pin, pout, pb, ps, static_cast<int>(n));
  auto out = device.read<std::int32_t>(pout, 4 * n);
  auto got_bytes = device.read<std::uint8_t>(pb, n);
  auto got_shorts = device.read<std::int16_t>(ps, n);
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t x = in[4 * i + 2];
    auto y = static_cast<std::uint32_t>(in[4 * i + 1]),
         z = static_cast<std::uint32_t>(in[4 * i + 2]);
    auto w = static_cast<std::uint32_t>(in[4 * i + 3]);
    for (int k = 0; k < 4; ++k) {
      x += static_cast<std::int8_t>(in[4 * i] >> (8 * k)) * static_cast<std::int8_t>(y >> (8 * k));
    }
    auto vx = static_cast<std::uint32_t>(x);
    std::uint64_t both = std::uint64_t{z} << 32 | y;
    std::uint32_t vy = 0;
    for (int k = 0; k < 4; ++k) {
      vy |= static_cast<std::uint32_t>(both >> (8 * (0x6240 >> (4 * k) & 7)) & 255) << (8 * k);
    }
    std::uint32_t shift = vx & 31;
    std::uint32_t vz = shift ? w << shift | z >> (32 - shift) : w;
    auto vw = static_cast<std::uint32_t>((std::uint64_t{w} * vx) >> 32) +
              static_cast<std::uint32_t>((static_cast<std::int64_t>(static_cast<std::int32_t>(vy)) *
                                          static_cast<std::int32_t>(vz)) >>
                                         32);
    CHECK(static_cast<std::uint32_t>(out[4 * i]) == vx);
    CHECK(static_cast<std::uint32_t>(out[4 * i + 1]) == vy);
    CHECK(static_cast<std::uint32_t>(out[4 * i + 2]) == vz);
    CHECK(static_cast<std::uint32_t>(out[4 * i + 3]) == vw);
    CHECK(got_bytes[i] == static_cast<std::uint8_t>(bytes[i] * 3 + vx));
    CHECK(got_shorts[i] ==
          static_cast<std::int16_t>(shorts[i] / 3 - static_cast<std::int32_t>(vy)));
  }
}
