// Matrix products of a warp, against a plain product over whole matrices: every shape and type,
// special values, and what refuses.
#include <cmath>
#include <limits>
#include <map>

#include "codegen/ptx/half.h"
#include "codegen/ptx/mma.h"
#include "codegen/ptx/ops.h"
#include "exec_support.h"

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
  bool satfinite = false, sparse = false;

  std::string text() const {
    return std::string(sparse ? "mma.sp::ordered_metadata" : "mma") + ".sync.aligned." + shape +
           ".row.col" + (satfinite ? ".satfinite" : "") + "." + d + "." + a + "." + b + "." + d +
           (a == "b1" ? ".and.popc" : "");
  }
  unsigned a_columns() const { return sparse ? k / 2 : k; }
};

unsigned bits_of(const std::string& type) {
  static const std::map<std::string, unsigned> kBits = {
      {"f64", 64}, {"f32", 32}, {"tf32", 32}, {"s32", 32}, {"f16", 16}, {"bf16", 16},
      {"s8", 8},   {"u8", 8},   {"e4m3", 8},  {"e5m2", 8}, {"b1", 1}};
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
  if (r.a == "b1" && r.m == 8) return {group, t * 32 + i};
  if (r.m == 8) return r.a == "f64" ? Place{group, t} : Place{group, t * 4 + i};
  if (r.a == "b1") {
    const bool upper = i < 32 || (i >= 64 && i < 96);
    return {upper ? group : group + 8, t * 32 + (i & 31) + (i < 64 ? 0 : 128)};
  }
  switch (bits_of(r.a)) {
    case 64: return {i % 2 == 0 ? group : group + 8, i / 2 * 4 + t};
    case 32: return {i == 0 || i == 2 ? group : group + 8, i < 2 ? t : t + 4};
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
    case 32: return {t + 4 * i, group};
    case 16: return {t * 2 + (i & 1) + i / 2 * 8, group};
    case 1: return {t * 32 + (i & 31) + (i < 32 ? 0 : 128), group};
    default: return {t * 4 + (i & 3) + i / 4 * 16, group};
  }
}
Place place_c(unsigned lane, unsigned i) {
  return {(lane >> 2) + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
}

/// Of four elements the first and the last; of 32 bits the second of two.
constexpr std::uint32_t kKept = 0xcccccccc, kKeptWords = 0xeeeeeeee;

class Product {
 public:
  explicit Product(const Row& row)
      : row_(row),
        wide_(row.d == "f64"),
        a_{row.m, row.a_columns()},
        b_{row.k, row.n},
        c_{row.m, row.n} {}

  Matrix& a() { return a_; }
  Matrix& b() { return b_; }
  Matrix& c() { return c_; }

  Matrix run() {
    const unsigned word = wide_ ? 64 : 32;
    const unsigned na = count(row_.m * row_.a_columns(), row_.a),
                   nb = count(row_.n * row_.k, row_.b), nc = count(row_.m * row_.n, row_.d);
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
         list(na + nb, nc) +
         (row_.sparse ? fmt::format(", 0x{:x}, 0", row_.a == "tf32" ? kKeptWords : kKept) : "") +
         ";\n";
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
  return ptx::float_to_half(static_cast<float>(v));
}
std::uint64_t single(double v) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(v));
}

/// `v` as a number of the type.
std::uint64_t encoded(const std::string& type, double v) {
  if (type == "f64") return std::bit_cast<std::uint64_t>(v);
  if (type == "f16") return half(v);
  if (type == "bf16") return ptx::float_to_bf16(static_cast<float>(v));
  if (type == "f32" || type == "tf32") return single(v);
  if (type == "e5m2") return half(v) >> 8;  // What half precision has more of is 0.
  if (type == "e4m3") return (v < 0 ? 0x80 : 0) | (half(std::abs(v) * 0x1p-8) >> 7);
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
      {"m8n8k128", 8, 8, 128, "s32", "b1", "b1"},
      {"m16n8k128", 16, 8, 128, "s32", "b1", "b1"},
      {"m16n8k256", 16, 8, 256, "s32", "b1", "b1"},
      {"m16n8k32", 16, 8, 32, "f32", "e4m3", "e4m3"},
      {"m16n8k32", 16, 8, 32, "f32", "e5m2", "e4m3"},
      {"m16n8k32", 16, 8, 32, "f16", "e5m2", "e5m2"},
      {"m16n8k8", 16, 8, 8, "f32", "tf32", "tf32", false, true},
      {"m16n8k16", 16, 8, 16, "f32", "tf32", "tf32", false, true},
      {"m16n8k16", 16, 8, 16, "f32", "f16", "f16", false, true},
      {"m16n8k32", 16, 8, 32, "f16", "f16", "f16", false, true},
      {"m16n8k32", 16, 8, 32, "f32", "bf16", "bf16", false, true},
      {"m16n8k32", 16, 8, 32, "s32", "s8", "u8", false, true},
      {"m16n8k64", 16, 8, 64, "s32", "u8", "s8", false, true},
  };
  Numbers numbers(7);
  for (const Row& row : rows) {
    INFO(row.text());
    Product product(row);
    const auto range = [&](const std::string& type) {
      if (type == "b1") return std::pair(0.0, 1.0);
      if (type == "u8") return std::pair(0.0, 255.0);
      if (type == "s8") return std::pair(-128.0, 127.0);
      // 3 and 4 bits of a number are what the smallest types have.
      return type == "e5m2" ? std::pair(-4.0, 4.0) : std::pair(-8.0, 8.0);
    };
    fill(product.a(), row.a, numbers, range(row.a).first, range(row.a).second);
    fill(product.b(), row.b, numbers, range(row.b).first, range(row.b).second);
    fill(product.c(), row.d, numbers, -100, 100);
    Matrix d = product.run();
    // Back to numbers: small ones, which every type has.
    const auto value = [](const std::string& type, std::uint64_t bits) -> double {
      if (type == "f64") return std::bit_cast<double>(bits);
      if (type == "f16") return ptx::half_to_float(static_cast<std::uint16_t>(bits));
      if (type == "bf16") return ptx::bf16_to_float(static_cast<std::uint16_t>(bits));
      if (type == "s32") return static_cast<std::int32_t>(bits);
      if (type == "s8") return static_cast<std::int8_t>(bits);
      if (type == "u8" || type == "b1") return static_cast<double>(bits);
      if (type == "e5m2") return ptx::half_to_float(static_cast<std::uint16_t>(bits << 8));
      if (type == "e4m3")
        return ptx::half_to_float(
                   static_cast<std::uint16_t>((bits & 0x80) << 8 | (bits & 0x7f) << 7)) *
               0x1p8;
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    };
    unsigned wrong = 0;
    for (unsigned i = 0; i < row.m; ++i)
      for (unsigned j = 0; j < row.n; ++j) {
        double sum = value(row.d, product.c().at(i, j));
        for (unsigned k = 0; k < row.a_columns(); ++k) {
          unsigned at = k;
          if (row.sparse) at = row.a == "tf32" ? 2 * k + 1 : 4 * (k / 2) + (k % 2) * 3;
          sum += value(row.a, product.a().at(i, k)) * value(row.b, product.b().at(at, j));
        }
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
    std::string type_b = {};  ///< Where it is another one.
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
      // Bytes are halves: 2^-9 is subnormal in e4m3, but its product with 2^15 counts as 2^6, and
      // 2^-18 stays. As 2^-6 * 2^15 it would be cut.
      {"f32", "e4m3", 32, 0x01, 0x78, 0x88, 0x0c, 0, single(64 - 0x1p-18), "e5m2"},
      {"f32", "e5m2", 32, 0x78, 0x01, 0x0c, 0x88, 0, single(64 - 0x1p-18), "e4m3"},
      {"f32", "e4m3", 32, 0x7f, 0x38, 0, 0, 0, 0x7fffffff},
      {"f32", "e4m3", 32, 0x7e, 0x38, 0, 0, 0, single(448)},
  };
  for (const Case& c : cases) {
    INFO(c.d, " ", c.type, " ", c.a0, " ", c.b0, " ", c.a1, " ", c.b1, " ", c.c);
    const std::string& type_b = c.type_b.empty() ? c.type : c.type_b;
    Product product({"m16n8k" + std::to_string(c.k), 16, 8, c.k, c.d, c.type, type_b});
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
  CHECK(error_of("mma.sync.aligned.m16n8k32.row.col.s32.u2.u2.s32" + lists) ==
        "'.u2' of instruction 'mma.sync.aligned.m16n8k32.row.col.s32.u2.u2.s32' is not supported "
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

TEST_CASE("what an 8-bit product adds first") {
  // The lower two of four columns, then the upper two, then the addend.
  Product product({"m16n8k32", 16, 8, 32, "f32", "e5m2", "e5m2"});
  const auto set = [&](unsigned k, double a, double b) {
    product.a().at(0, k) = encoded("e5m2", a), product.b().at(k, 0) = encoded("e5m2", b);
  };
  product.c().at(0, 0) = single(0x1p25);
  set(0, 1, 1), set(1, 1, 1), set(2, 1, 1);
  CHECK(product.run().at(0, 0) == single(0x1p25 + 4));  // 3 at once: rounded up to nearest.
  set(0, 0x1p15, 0x1p8), set(2, -0x1p15, 0x1p8);
  product.c().at(0, 0) = single(0);
  CHECK(product.run().at(0, 0) == single(1));
  set(0, 0x1p15, 0x1p10), set(2, -0x1p15, 0x1p10);
  CHECK(product.run().at(0, 0) == single(0));  // The first sum has 24 bits.
}

TEST_CASE("infinities and NaNs of sparse and of 8-bit products") {
  Product product({"m16n8k32", 16, 8, 32, "f32", "e5m2", "e5m2"});
  product.a().at(2, 30) = 0x7c, product.b().at(30, 1) = encoded("e5m2", -2);
  CHECK(product.run().at(2, 1) == 0xff800000u);
  CHECK(product.run().at(2, 0) == 0x7fffffffu);  // Infinity by 0.
  CHECK(product.run().at(1, 1) == 0);
  Product sparse({"m16n8k16", 16, 8, 16, "f32", "f16", "f16", false, true});
  sparse.a().at(0, 1) = 0x7c00;  // Column 3 of 16.
  sparse.b().at(3, 0) = half(1), sparse.b().at(1, 1) = half(1);
  CHECK(sparse.run().at(0, 0) == 0x7f800000u);
  CHECK(sparse.run().at(0, 1) == 0x7fffffffu);
}

TEST_CASE("rows of a sparse matrix that keep other elements are refused") {
  const auto report_of = [](const char* kept) {
    Device device(
        fmt::format(".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
                    "out) {{\n.reg .b32 r<16>; mov.u32 r12, {};\n"
                    "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{r0, r1, r2, r3}}, "
                    "{{r4, r5}}, {{r6, r7}}, {{r0, r1, r2, r3}}, r12, 0;\nret;\n}}\n",
                    kept));
    auto report = device.launch("k", grid_of(1, 32), std::uint64_t{0});
    return report ? std::string() : report.error().message;
  };
  CHECK(report_of("0xeeeeeeee") == "");
  CHECK(report_of("0x4444e444") ==
        "a sparse product whose rows keep elements of different places is not modelled");
  CHECK(report_of("%laneid") ==
        "a sparse product whose rows keep elements of different places is not modelled");
  CHECK(report_of("0x11111111") == "sparse metadata 0x11111111 names no two elements in order");
}

namespace {

/// Two bytes at `i` of shared memory are i / 2; register m of a lane after ldmatrix by rows of
/// matrix m at 256 m + 16 row, or stmatrix of such registers into the same places.
std::string matrices(const std::string& count, bool stores) {
  const unsigned n = static_cast<unsigned>(count[1] - '0');
  std::string list, out;
  for (unsigned m = 0; m < n; ++m) {
    list += fmt::format("{}r{}", m ? ", " : "", m);
    out += fmt::format("st.global.b32 [o+{}], r{};\n", 4 * m, m);
  }
  std::string s =
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
      ".reg .b32 r<4>, t, a, w, x; .reg .b64 o; .shared .align 16 .b8 words[1024];\n"
      "ld.param.u64 o, [out]; mov.u32 t, %tid.x; mov.u32 w, words;\n";
  if (!stores) {
    // Lane t writes the words t, t + 32, ...: 2 t and 2 t + 1.
    s += "mad.lo.u32 a, t, 4, w;\n";
    for (unsigned i = 0; i < 8; ++i)
      s += fmt::format("mad.lo.u32 x, t, 0x20002, {}; st.shared.u32 [a+{}], x;\n",
                       0x10000 + i * 64 * 0x10001, 128 * i);
  } else {
    for (unsigned m = 0; m < n; ++m)
      s += fmt::format("mad.lo.u32 r{}, t, 0x20002, {};\n", m, 0x10000 + m * 64 * 0x10001);
  }
  s += "bar.sync 0; mad.lo.u32 a, t, 16, w;\n";
  s += stores ? "stmatrix.sync.aligned.m8n8." + count + ".shared.b16 [a], {" + list + "};\n"
              : "ldmatrix.sync.aligned.m8n8." + count + ".shared.b16 {" + list + "}, [a];\n";
  s += "bar.sync 0;\n";
  if (!stores) return s + fmt::format("mad.wide.u32 o, t, {}, o;\n", 4 * n) + out + "ret;\n}\n";
  s += "mad.wide.u32 o, t, 4, o; mad.lo.u32 a, t, 4, w;\n";
  for (unsigned m = 0; m < n; ++m)
    s += fmt::format("ld.shared.u32 x, [a+{0}]; st.global.u32 [o+{0}], x;\n", 128 * m);
  return s + "ret;\n}\n";
}

}  // namespace

TEST_CASE("ldmatrix and stmatrix: every element of every matrix, by rows and by columns") {
  for (const unsigned n : {1u, 2u, 4u})
    for (const bool transposed : {false, true}) {
      CAPTURE(n);
      CAPTURE(transposed);
      const std::string count = fmt::format("x{}{}", n, transposed ? ".trans" : "");
      // Element `which` of lane's register m: number 64 m + 8 row + column of those that were
      // written.
      const auto element = [&](unsigned m, unsigned lane, unsigned which) {
        unsigned row = lane / 4, column = 2 * (lane % 4) + which;
        if (transposed) std::swap(row, column);
        return 64 * m + 8 * row + column;
      };
      Device load(matrices(count, false));
      const auto to = load.buffer(std::vector<std::uint32_t>(32 * n));
      load.run("k", grid_of(1, 32), to);
      const auto read = load.read<std::uint32_t>(to, 32 * n);
      Device store(matrices(count, true));
      const auto at = store.buffer(std::vector<std::uint32_t>(32 * n));
      store.run("k", grid_of(1, 32), at);
      const auto written = store.read<std::uint16_t>(at, 64 * n);
      unsigned wrong = 0;
      for (unsigned m = 0; m < n; ++m)
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned which = 0; which < 2; ++which) {
            const unsigned place = element(m, lane, which);
            wrong += (read[lane * n + m] >> (16 * which) & 0xffff) != place;
            wrong += written[place] != 64 * m + 2 * lane + which;
          }
      CHECK(wrong == 0);
    }
}

TEST_CASE("matrices that shared memory does not hold are refused") {
  const auto error_of = [](const std::string& line) {
    const std::string text =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
        ".reg .b32 r<4>; .reg .b64 d; .shared .align 16 .b8 words[128];\n" +
        line + "\nret;\n}\n";
    auto module = ptx::parse("ptx", text);
    if (!module) return module.error().diagnostics[0].message;
    Device device(text);
    auto report = device.launch("k", grid_of(1, 32), std::uint64_t{0});
    return report ? std::string() : report.error().message;
  };
  const std::string load = "ldmatrix.sync.aligned.m8n8.";
  CHECK(error_of("mov.u32 r0, words; " + load + "x1.shared.b16 {r1}, [r0];") == "");
  CHECK(error_of("mov.u32 r0, 8; " + load + "x1.shared.b16 {r1}, [r0];") ==
        "address 0x8 is not a multiple of the access' 16 bytes");
  CHECK(error_of("mov.u32 r0, words; add.u32 r0, r0, 128; " + load + "x1.shared.b16 {r1}, [r0];") ==
        "shared address 0x480 is out of range: there are 128 bytes from 0x400 on");
  CHECK(error_of("mov.u32 r0, words; " + load + "x2.shared.b16 {r1}, [r0];") ==
        "'ldmatrix.sync.aligned.m8n8.x2' takes 2 registers here");
  CHECK(error_of("mov.u64 d, 0; " + load + "x1.global.b16 {r1}, [d];") ==
        "instruction 'ldmatrix.sync.aligned.m8n8.x1': is of shared memory");
}
