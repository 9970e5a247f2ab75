// Matrix products of a warp, against a plain product over whole matrices: every shape and type,
// special values, and what refuses.
#include <cmath>
#include <limits>
#include <map>

#include "codegen/ptx/mma.h"
#include "codegen/ptx/ops.h"
#include "exec_support.h"
#include "runtime/device/vgpu/exec/half.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;
namespace ptx = gpx::ptx;

namespace {

using Words = std::vector<std::uint64_t>;

/// A matrix of bit patterns.
struct Matrix {
  unsigned rows, columns;
  Words bits = Words(std::size_t{rows} * columns);
  std::uint64_t& at(unsigned row, unsigned column) { return bits[row * columns + column]; }
};

struct Row {
  std::string shape;
  unsigned m, n, k;
  std::string d, a, b;
  bool satfinite = false;

  std::string text() const {
    return "mma.sync.aligned." + shape + ".row.col" + (satfinite ? ".satfinite" : "") + "." + d +
           "." + a + "." + b + "." + d;
  }
};

unsigned bits_of(const std::string& type) {
  static const std::map<std::string, unsigned> kBits = {{"f64", 64}, {"f32", 32}, {"tf32", 32},
                                                        {"s32", 32}, {"f16", 16}, {"bf16", 16},
                                                        {"s8", 8},   {"u8", 8}};
  return kBits.at(type);
}

// The tables of the PTX ISA ("Matrix Fragments for mma.m..."), element by element: what the
// formulas of codegen/ptx/mma.h must come to. Element i of a lane's fragment, in the order of its
// registers.
struct Place {
  unsigned row, column;
};
Place place_a(const Row& r, unsigned lane, unsigned i) {
  const unsigned group = lane >> 2, t = lane % 4;
  if (r.m == 8) return r.a == "f64" ? Place{group, t} : Place{group, t * 4 + i};
  switch (bits_of(r.a)) {
    case 64:
      return {i % 2 == 0 ? group : group + 8, i / 2 * 4 + t};
    case 32:
      return {i == 0 || i == 2 ? group : group + 8, i < 2 ? t : t + 4};
    case 16: {
      const bool upper = i < 2 || (i >= 4 && i < 6);
      return {upper ? group : group + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8)};
    }
    default: {
      const bool upper = i < 4 || (i >= 8 && i < 12);
      return {upper ? group : group + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16)};
    }
  }
}
Place place_b(const Row& r, unsigned lane, unsigned i) {
  const unsigned group = lane >> 2, t = lane % 4;
  switch (bits_of(r.b)) {
    case 64:
    case 32:
      return {t + 4 * i, group};
    case 16:
      return {t * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
    default:
      return {t * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
  }
}
Place place_c(unsigned lane, unsigned i) {
  return {(lane >> 2) + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
}

class Product {
 public:
  explicit Product(const Row& row)
      : row_(row), wide_(row.d == "f64"), a_{row.m, row.k}, b_{row.k, row.n}, c_{row.m, row.n} {}

  Matrix& a() { return a_; }
  Matrix& b() { return b_; }
  Matrix& c() { return c_; }

  Matrix run() {
    const unsigned word = wide_ ? 64 : 32;
    const unsigned na = count(row_.m * row_.k, row_.a), nb = count(row_.n * row_.k, row_.b),
                   nc = count(row_.m * row_.n, row_.d);
    Words in;
    for (unsigned lane = 0; lane < 32; ++lane) {
      pack(in, na, word / bits_of(row_.a), bits_of(row_.a), [&](unsigned i) {
        const Place p = place_a(row_, lane, i);
        return a_.at(p.row, p.column);
      });
      pack(in, nb, word / bits_of(row_.b), bits_of(row_.b), [&](unsigned i) {
        const Place p = place_b(row_, lane, i);
        return b_.at(p.row, p.column);
      });
      pack(in, nc, word / bits_of(row_.d), bits_of(row_.d), [&](unsigned i) {
        const Place p = place_c(lane, i);
        return c_.at(p.row, p.column);
      });
    }
    Device device(text(na, nb, nc));
    const auto from = device.buffer(in), to = device.buffer(Words(std::size_t{32} * nc));
    device.run("k", grid_of(1, 32), from, to);
    const Words out = device.read<std::uint64_t>(to, std::size_t{32} * nc);
    Matrix d{row_.m, row_.n};
    const unsigned each = word / bits_of(row_.d);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < nc * each; ++i) {
        const Place p = place_c(lane, i);
        const std::uint64_t mask = bits_of(row_.d) == 64 ? ~0ull : (1ull << bits_of(row_.d)) - 1;
        d.at(p.row, p.column) = out[lane * nc + i / each] >> (i % each * bits_of(row_.d)) & mask;
      }
    return d;
  }

 private:
  unsigned count(unsigned elements, const std::string& type) const {
    return elements / 32 * bits_of(type) / (wide_ ? 64 : 32);
  }
  template <class Value>
  static void pack(Words& out, unsigned registers, unsigned each, unsigned bits, Value value) {
    for (unsigned r = 0; r < registers; ++r) {
      std::uint64_t word = 0;
      for (unsigned e = 0; e < each; ++e) word |= value(r * each + e) << (bits * e);
      out.push_back(word);
    }
  }
  std::string text(unsigned na, unsigned nb, unsigned nc) const {
    const std::string type = wide_ ? "b64" : "b32", out = wide_ ? "b64" : "u32";
    std::string s =
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out) {\n.reg .b32 t; .reg .b64 i, o, v;\n"
        ".reg ." +
        type +
        " r<64>;\n"
        "ld.param.u64 i, [in]; ld.param.u64 o, [out]; mov.u32 t, %tid.x;\n";
    const unsigned all = na + nb + nc;
    s += fmt::format("mad.wide.u32 i, t, {}, i; mad.wide.u32 o, t, {}, o;\n", 8 * all, 8 * nc);
    for (unsigned r = 0; r < all; ++r)
      s += fmt::format("ld.global.{} r{}, [i+{}];\n", type, r, 8 * r);
    const auto list = [](unsigned first, unsigned n) {
      std::string names;
      for (unsigned r = 0; r < n; ++r) names += fmt::format("{}r{}", r ? ", " : "", first + r);
      return "{" + names + "}";
    };
    // D lies on C's registers, as in a chain.
    s += row_.text() + " " + list(na + nb, nc) + ", " + list(0, na) + ", " + list(na, nb) + ", " +
         list(na + nb, nc) + ";\n";
    for (unsigned r = 0; r < nc; ++r)
      s += wide_
               ? fmt::format("st.global.b64 [o+{}], r{};\n", 8 * r, na + nb + r)
               : fmt::format("cvt.u64.u32 v, r{}; st.global.b64 [o+{}], v;\n", na + nb + r, 8 * r);
    return s + "ret;\n}\n";
  }

  Row row_;
  bool wide_;
  Matrix a_, b_, c_;
};

std::uint64_t half(double v) {
  return float_to_half(static_cast<float>(v));
}
std::uint64_t single(double v) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(v));
}

/// `v` as a number of the type.
std::uint64_t encoded(const std::string& type, double v) {
  if (type == "f64") return std::bit_cast<std::uint64_t>(v);
  if (type == "f16") return half(v);
  if (type == "bf16") return float_to_bf16(static_cast<float>(v));
  if (type == "f32" || type == "tf32") return single(v);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) & ((1ull << bits_of(type)) - 1);
}

void fill(Matrix& matrix, const std::string& type, Numbers& numbers, double low, double high) {
  for (std::uint64_t& bits : matrix.bits)
    bits = encoded(type, std::floor(low + (high - low + 1) * numbers.unit()));
}

}  // namespace

TEST_CASE("a product of small whole numbers is the plain product, whatever shape and type") {
  const Row rows[] = {
      {"m8n8k4", 8, 8, 4, "f64", "f64", "f64"},
      {"m16n8k4", 16, 8, 4, "f64", "f64", "f64"},
      {"m16n8k8", 16, 8, 8, "f64", "f64", "f64"},
      {"m16n8k16", 16, 8, 16, "f64", "f64", "f64"},
      {"m16n8k4", 16, 8, 4, "f32", "tf32", "tf32"},
      {"m16n8k8", 16, 8, 8, "f32", "tf32", "tf32"},
      {"m16n8k8", 16, 8, 8, "f32", "f16", "f16"},
      {"m16n8k16", 16, 8, 16, "f32", "f16", "f16"},
      {"m16n8k8", 16, 8, 8, "f16", "f16", "f16"},
      {"m16n8k16", 16, 8, 16, "f16", "f16", "f16"},
      {"m16n8k8", 16, 8, 8, "f32", "bf16", "bf16"},
      {"m16n8k16", 16, 8, 16, "f32", "bf16", "bf16"},
      {"m8n8k16", 8, 8, 16, "s32", "s8", "s8"},
      {"m16n8k16", 16, 8, 16, "s32", "s8", "u8"},
      {"m16n8k16", 16, 8, 16, "s32", "u8", "s8"},
      {"m16n8k32", 16, 8, 32, "s32", "s8", "s8"},
      {"m16n8k32", 16, 8, 32, "s32", "u8", "u8", true},
  };
  Numbers numbers(7);
  for (const Row& row : rows) {
    INFO(row.text());
    Product product(row);
    const auto range = [&](const std::string& type) {
      return std::pair(type == "u8"   ? 0.0
                       : type == "s8" ? -128.0
                                      : -8.0,
                       type == "u8"   ? 255.0
                       : type == "s8" ? 127.0
                                      : 8.0);
    };
    fill(product.a(), row.a, numbers, range(row.a).first, range(row.a).second);
    fill(product.b(), row.b, numbers, range(row.b).first, range(row.b).second);
    fill(product.c(), row.d, numbers, -100, 100);
    Matrix d = product.run();
    // Back to numbers: small ones, which every type has.
    const auto value = [](const std::string& type, std::uint64_t bits) -> double {
      if (type == "f64") return std::bit_cast<double>(bits);
      if (type == "f16") return half_to_float(static_cast<std::uint16_t>(bits));
      if (type == "bf16") return bf16_to_float(static_cast<std::uint16_t>(bits));
      if (type == "s32") return static_cast<std::int32_t>(bits);
      if (type == "s8") return static_cast<std::int8_t>(bits);
      if (type == "u8") return static_cast<double>(bits);
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    };
    unsigned wrong = 0;
    for (unsigned i = 0; i < row.m; ++i)
      for (unsigned j = 0; j < row.n; ++j) {
        double sum = value(row.d, product.c().at(i, j));
        for (unsigned k = 0; k < row.k; ++k)
          sum += value(row.a, product.a().at(i, k)) * value(row.b, product.b().at(k, j));
        wrong += value(row.d, d.at(i, j)) != sum;
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("what one element of a product rounds to") {
  // a0 * b0 + a1 * b1 + c in the first element, all others 0.
  struct Case {
    std::string d, type;
    unsigned k;
    std::uint64_t a0, b0, a1, b1, c, expected;
  };
  const std::uint64_t one = half(1), inf = 0x7c00, nan = 0x7e00;
  const std::uint64_t tiny = 1;  // 2^-24 in half precision
  const Case cases[] = {
      // 1 + 2^-24 is cut to 1, towards zero, and so is its opposite.
      {"f32", "f16", 16, one, one, tiny, one, 0, single(1)},
      {"f32", "f16", 16, half(-1), one, 0x8001, one, 0, single(-1)},
      // 25 bits below the largest exponent count, the next does not: 2 - 2^-24 and 2 - 2^-25.
      {"f32", "f16", 16, half(2), one, 0x8001, one, 0, single(2 - 0x1p-23)},
      {"f32", "f16", 16, half(2), one, 0x8001, half(0.5), 0, single(2)},
      {"f32", "f16", 16, one, one, 0x8001, half(0.5), 0, single(1 - 0x1p-24)},
      {"f32", "f16", 16, one, one, 0x8001, half(0.25), 0, single(1)},
      // The exponent of a product is the sum of its factors': 1.5 * 1.5 counts as 2^0.
      {"f32", "f16", 16, half(1.5), half(1.5), 0x8001, half(0.5), 0, single(2.25 - 0x1p-22)},
      // A sum in half precision is rounded to nearest, ties to even.
      {"f16", "f16", 16, one, one, half(0x1p-11), one, 0, one},
      {"f16", "f16", 16, half(1 + 0x1p-10), one, half(0x1p-11), one, 0, half(1 + 0x1p-9)},
      {"f16", "f16", 16, half(65504), one, half(16), one, 0, inf},
      {"f16", "f16", 16, half(65504), one, half(15), one, 0, half(65504)},
      // Subnormal numbers count.
      {"f16", "f16", 16, tiny, one, 0, 0, tiny, 2},
      {"f32", "bf16", 16, 0x0001, 0x3f80, 0, 0, 1, 0x00010001},
      // Infinities and NaN.
      {"f32", "f16", 16, inf, one, one, one, 0, 0x7f800000},
      {"f32", "f16", 16, inf, half(-1), one, one, 0, 0xff800000},
      {"f32", "f16", 16, inf, 0, one, one, 0, 0x7fffffff},
      {"f16", "f16", 16, inf, one, 0xfc00, one, 0, 0x7fff},
      {"f16", "f16", 16, nan, one, 0, 0, 0, 0x7fff},
      {"f32", "f16", 16, one, one, one, one, 0x7f800001, 0x7fffffff},
      {"f32", "bf16", 16, 0x7f00, 0x7f00, 0, 0, 0, 0x7f800000},  // beyond the largest number
      // tf32 ignores the last 13 bits of its registers.
      {"f32", "tf32", 8, 0x3f801fff, 0x3f800000, 0, 0, 0, single(1)},
      // Opposite products leave nothing, whatever the small addend was cut to.
      {"f32", "f16", 16, half(1024), half(1024), half(-1024), half(1024), 0x2f800000, 0},
  };
  for (const Case& c : cases) {
    INFO(c.d, " ", c.type, " ", c.a0, " ", c.b0, " ", c.a1, " ", c.b1, " ", c.c);
    Product product({"m16n8k" + std::to_string(c.k), 16, 8, c.k, c.d, c.type, c.type});
    product.a().at(0, 0) = c.a0, product.b().at(0, 0) = c.b0;
    product.a().at(0, 1) = c.a1, product.b().at(1, 0) = c.b1;
    product.c().at(0, 0) = c.c;
    CHECK(fmt::format("{:x}", product.run().at(0, 0)) == fmt::format("{:x}", c.expected));
  }
}

TEST_CASE("double precision is a chain of fused operations over k") {
  Numbers numbers(11);
  Product product({"m16n8k8", 16, 8, 8, "f64", "f64", "f64"});
  for (Matrix* matrix : {&product.a(), &product.b(), &product.c()})
    for (std::uint64_t& bits : matrix->bits)
      bits = std::bit_cast<std::uint64_t>((numbers.unit() - 0.5) * 1e3);
  Matrix d = product.run();
  unsigned wrong = 0;
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 8; ++j) {
      double sum = std::bit_cast<double>(product.c().at(i, j));
      for (unsigned k = 0; k < 8; ++k)
        sum = std::fma(std::bit_cast<double>(product.a().at(i, k)),
                       std::bit_cast<double>(product.b().at(k, j)), sum);
      wrong += std::bit_cast<std::uint64_t>(sum) != d.at(i, j);
    }
  CHECK(wrong == 0);
}

TEST_CASE("a sum of bytes wraps, or stays at the largest number with .satfinite") {
  for (const bool satfinite : {false, true}) {
    Product product({"m16n8k32", 16, 8, 32, "s32", "s8", "s8", satfinite});
    product.a().at(0, 0) = 100, product.b().at(0, 0) = 100;
    product.c().at(0, 0) = 0x7fffffff;
    CHECK(product.run().at(0, 0) == (satfinite ? 0x7fffffffu : 0x7fffffffu + 10000));
  }
}

TEST_CASE("a product that the virtual GPU has not, or that lanes are missing of, is refused") {
  const auto kernel = [](const std::string& line) {
    return ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
           ".reg .b32 r<16>; .reg .pred p;\n" +
           line + "\nret;\n}\n";
  };
  const std::string lists = " {r0, r1, r2, r3}, {r4, r5, r6, r7}, {r8, r9}, {r0, r1, r2, r3};";
  const auto error_of = [&](const std::string& line) {
    auto module = ptx::parse("ptx", kernel(line));
    REQUIRE(!module);
    return module.error().diagnostics[0].message;
  };
  CHECK(error_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32" + lists) ==
        "'mma.m16n8k16' has no product of these types");
  CHECK(error_of("mma.sync.m16n8k16.row.col.f32.f16.f16.f32" + lists) ==
        "instruction 'mma.sync.m16n8k16.row.col.f32.f16.f16.f32' needs .sync.aligned, .row and "
        ".col");
  CHECK(error_of("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16" + lists) ==
        "'mma.m16n8k16' takes 2 registers here");
  CHECK(error_of("mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32" + lists) ==
        "'.s4' of instruction 'mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32' is not supported "
        "by the virtual GPU");
  for (const Model model : kModels) {
    Device device(
        kernel("mov.u32 r10, %laneid; setp.lt.u32 p, r10, 16;\n"
               "@p mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" +
               lists));
    device.model = model;
    auto report = device.launch("k", grid_of(1, 32), std::uint64_t{0});
    REQUIRE(!report);
    CHECK(report.error().message ==
          "a matrix product needs all lanes of its warp: 0xffff0000 are not there");
  }
}
