// Matrix products of a warpgroup, against plain sums over whole matrices: layouts of the tiles,
// types, forms, what refuses. The values of one product are those that tests/gpu/wgmma.cu prints.
#include <cmath>
#include <functional>

#include "codegen/ptx/half.h"
#include "codegen/ptx/shared_begin.h"
#include "exec_support.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned kTileBytes = 16384;  // A at 0, B at 8192.

/// A kernel of 128 threads: shared memory from `in`, sums of zero, the instruction, sums to `out`.
std::string kernel(const std::string& instruction, unsigned sums) {
  std::string s =
      ".version 8.6\n.target sm_90a\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 pa, .param .u64 pb) {\n"
      ".shared .align 1024 .b8 tile[16384];\n.reg .b32 t, i, w, at, a<4>, d<" +
      std::to_string(sums) +
      ">; .reg .b64 from, to, x, da, db; .reg .pred p;\n"
      "ld.param.u64 from, [in]; ld.param.u64 to, [out]; ld.param.u64 da, [pa];\n"
      "ld.param.u64 db, [pb]; mov.u32 t, %tid.x; mov.u32 i, t;\n"
      "fill: mul.wide.u32 x, i, 4; add.u64 x, x, from; ld.global.u32 w, [x];\n"
      "mov.u32 at, tile; mad.lo.u32 at, i, 4, at; st.shared.u32 [at], w;\n"
      "add.u32 i, i, 128; setp.lt.u32 p, i, 4096; @p bra fill;\n"
      "fence.proxy.async.shared::cta; bar.sync 0;\n";
  for (unsigned r = 0; r < 4; ++r)
    s += fmt::format(
        "mad.lo.u32 w, t, 4, {}; mul.wide.u32 x, w, 4; add.u64 x, x, from; "
        "ld.global.u32 a{}, [x];\n",
        r, r);
  for (unsigned r = 0; r < sums; ++r) s += fmt::format("mov.b32 d{}, 0;\n", r);
  s += "wgmma.fence.sync.aligned;\n" + instruction +
       "\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  for (unsigned r = 0; r < sums; ++r)
    s += fmt::format(
        "mad.lo.u32 w, t, {}, {}; mul.wide.u32 x, w, 4; add.u64 x, x, to; "
        "st.global.u32 [x], d{};\n",
        sums, r, r);
  return s + "ret; }\n";
}

std::string list(unsigned sums) {
  std::string s = "{d0";
  for (unsigned r = 1; r < sums; ++r) s += ", d" + std::to_string(r);
  return s + "}";
}

/// Words of sums of 64 x n, row by row.
std::vector<u32> run(const std::string& instruction, unsigned n, const std::vector<u32>& words,
                     u64 da, u64 db) {
  const unsigned sums = n / 2;
  Device device(kernel(instruction, sums));
  const auto in = device.buffer(words), out = device.buffer(std::vector<u32>(128 * sums));
  device.run("k", grid_of(1, 128), in, out, da, db);
  const auto found = device.read<u32>(out, 128 * sums);
  std::vector<u32> made(64 * n);
  for (unsigned t = 0; t < 128; ++t)
    for (unsigned i = 0; i < sums; ++i) {
      const unsigned row = t / 32 * 16 + t % 32 / 4 + (i & 2 ? 8 : 0);
      made[row * n + i / 4 * 8 + t % 4 * 2 + (i & 1)] = found[t * sums + i];
    }
  return made;
}

u32 hash(u32 x) {
  x *= 0x9e3779b1u;
  x ^= x >> 15;
  x *= 0x85ebca77u;
  return x ^ x >> 13;
}

constexpr u64 descriptor(unsigned address, unsigned leading, unsigned stride, unsigned mode) {
  return u64{(gpx::ptx::shared_begin(90) + address) / 16} | u64{leading / 16} << 16 |
         u64{stride / 16} << 32 | u64{mode} << 62;
}

std::string f16_product(unsigned n, const std::string& a, const std::string& tail) {
  return fmt::format("wgmma.mma_async.sync.aligned.m64n{}k16.f32.f16.f16 {}, {}, db, 1, 1, 1{};", n,
                     list(n / 2), a, tail);
}

TEST_CASE("one product has the values of tests/gpu/wgmma.cu") {
  // Rows of 128 bytes, swizzled over 128 bytes; B right behind A.
  std::vector<u32> words(kTileBytes / 4);
  for (u32 i = 0; i < words.size(); ++i) words[i] = (hash(i + 1) & 0x83ff83ffu) | 0x38003800u;
  const auto value = [&](u32 row, u32 k, u32 first) {
    const u32 plain = row * 128 + 2 * k, at = plain ^ (plain >> 7 & 7) << 4;
    const u32 word = words[first + at / 4];
    return static_cast<double>(
        gpx::ptx::half_to_float(static_cast<std::uint16_t>(at % 4 ? word >> 16 : word)));
  };
  const auto found = run(f16_product(8, "da", ", 0, 0"), 8, words, descriptor(0, 16, 1024, 1),
                         descriptor(8192, 16, 1024, 1));
  u64 digest = 0xcbf29ce484222325ull;
  for (u32 row = 0; row < 64; ++row)
    for (u32 column = 0; column < 8; ++column) {
      double exact = 0;
      for (u32 k = 0; k < 16; ++k) exact += value(row, k, 0) * value(column, k, 2048);
      const u32 bits = found[row * 8 + column];
      CHECK(static_cast<double>(std::bit_cast<float>(bits)) ==
            doctest::Approx(exact).epsilon(1e-5));
      for (int i = 0; i < 4; ++i) digest = (digest ^ (bits >> 8 * i & 255)) * 0x100000001b3ull;
    }
  CHECK(fmt::format("{:016x}", digest) == "87c1d9d24c124b91");
}

/// Small whole numbers, whose sums are exact in every order.
int small(unsigned row, unsigned k) {
  return static_cast<int>(hash(row * 64 + k) % 7) - 3;
}
std::uint16_t half(int value) {
  return gpx::ptx::float_to_half(static_cast<float>(value));
}

/// The layout of the ISA's figures: 8 rows of `width` bytes, chunks of 16 bytes of a row crossed
/// with the row's number where there is a swizzle.
unsigned place(unsigned row, unsigned byte, unsigned width, unsigned groups, unsigned chunks) {
  const unsigned inside = row % 8 * width + byte % width;
  const unsigned crossed = inside ^ ((inside / 128 % (width / 16)) * 16);
  return row / 8 * groups + byte / width * chunks + (width == 16 ? inside : crossed);
}

void check_exact(const std::vector<u32>& found, unsigned n,
                 const std::function<int(unsigned, unsigned, unsigned)>& factor_b) {
  unsigned wrong = 0;
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned column = 0; column < n; ++column) {
      int exact = 0;
      for (unsigned k = 0; k < 16; ++k) exact += small(row, k) * factor_b(row, k, column);
      wrong += std::bit_cast<float>(found[row * n + column]) != static_cast<float>(exact);
    }
  CHECK(wrong == 0);
}

TEST_CASE("tiles of every layout give the same product") {
  struct Layout {
    unsigned mode, width, groups, chunks;
  };
  for (const Layout& l : {Layout{0, 16, 256, 128}, Layout{3, 32, 256, 16}, Layout{2, 64, 512, 16},
                          Layout{1, 128, 1024, 16}}) {
    CAPTURE(l.width);
    std::vector<u32> words(kTileBytes / 4);
    auto* halves = reinterpret_cast<std::uint16_t*>(words.data());
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned k = 0; k < 16; ++k) {
        const unsigned at = place(row, 2 * k, l.width, l.groups, l.chunks) / 2;
        halves[at] = half(small(row, k));
        if (row < 16) halves[4096 + at] = half(small(100 + row, k));
      }
    const auto found =
        run(f16_product(16, "da", ", 0, 0"), 16, words, descriptor(0, l.chunks, l.groups, l.mode),
            descriptor(8192, l.chunks, l.groups, l.mode));
    check_exact(found, 16,
                [](unsigned, unsigned k, unsigned column) { return small(100 + column, k); });
  }
}

TEST_CASE("B may lie by columns, and A in registers") {
  std::vector<u32> words(kTileBytes / 4);
  auto* halves = reinterpret_cast<std::uint16_t*>(words.data());
  for (unsigned t = 0; t < 128; ++t)
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned row = t / 32 * 16 + t % 32 / 4 + (i / 2 % 2) * 8;
      halves[8 * t + i] = half(small(row, t % 4 * 2 + i % 2 + i / 4 * 8));
    }
  // Without a swizzle: 8 columns (k) of 8 elements follow another; 8 more of N SBO, of K LBO.
  for (unsigned column = 0; column < 16; ++column)
    for (unsigned k = 0; k < 16; ++k)
      halves[4096 + column / 8 * 64 + k / 8 * 128 + k % 8 * 8 + column % 8] =
          half(small(100 + column, k));
  const auto found =
      run(f16_product(16, "{a0, a1, a2, a3}", ", 1"), 16, words, 0, descriptor(8192, 256, 128, 0));
  check_exact(found, 16,
              [](unsigned, unsigned k, unsigned column) { return small(100 + column, k); });
}

TEST_CASE("bytes are summed as integers") {
  std::vector<u32> words(kTileBytes / 4);
  auto* bytes = reinterpret_cast<std::uint8_t*>(words.data());
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned k = 0; k < 32; ++k) {
      const unsigned at = row / 8 * 256 + k / 16 * 128 + row % 8 * 16 + k % 16;
      bytes[at] = static_cast<std::uint8_t>(small(row, k));
      if (row < 8) bytes[8192 + at] = static_cast<std::uint8_t>(small(100 + row, k));
    }
  const auto found =
      run("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {d0, d1, d2, d3}, da, db, "
          "1;",
          8, words, descriptor(0, 128, 256, 0), descriptor(8192, 128, 256, 0));
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      int exact = 0;
      for (unsigned k = 0; k < 32; ++k) exact += small(row, k) * small(100 + column, k);
      CHECK(static_cast<int>(found[row * 8 + column]) == exact);
    }
}

TEST_CASE("a descriptor beyond shared memory is a trap") {
  Device device(kernel(f16_product(8, "da", ", 0, 0"), 4));
  const auto in = device.buffer(std::vector<u32>(kTileBytes / 4)),
             out = device.buffer(std::vector<u32>(512));
  const auto report = device.launch("k", grid_of(1, 128), in, out, descriptor(0, 16, 1024, 1),
                                    descriptor(16384, 16, 1024, 1));
  REQUIRE_FALSE(report.has_value());
  CHECK(report.error().message.find("a matrix descriptor reaches byte") != std::string::npos);
}

}  // namespace
