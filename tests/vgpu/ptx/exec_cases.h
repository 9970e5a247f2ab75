// The instruction cases of instructions.txt: their kernels, operands and digests. Used by
// exec_hardware_test.cpp and, on a real GPU, by record.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace cases {

inline constexpr unsigned kBlocks = 16, kThreads = 256, kTuples = kBlocks * kThreads;

struct Case {
  std::vector<std::string> types;
  std::string out, text, line;
};

inline std::vector<Case> read(const std::string& path) {
  std::vector<Case> result;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::size_t arrow = line.find(" -> "), colon = line.find(": ");
    if (line.empty() || line[0] == '#' || arrow == std::string::npos) continue;
    Case c{{}, line.substr(arrow + 4, colon - arrow - 4), line.substr(colon + 2), line};
    std::istringstream words(line.substr(0, arrow));
    for (std::string word; words >> word;) c.types.push_back(word);
    result.push_back(c);
  }
  return result;
}

inline unsigned bits_of(const std::string& type) {
  static const std::map<std::string, unsigned> special = {
      {"f16x2", 32}, {"bf16x2", 32}, {"bf16", 16}, {"c32", 32},
      {"f32t", 32},  {"f64n", 64},   {"f16t", 16}};
  auto it = special.find(type);
  return it != special.end() ? it->second : static_cast<unsigned>(std::stoul(type.substr(1)));
}

inline std::string header() {
  return ".version 8.6\n.target sm_90\n.address_size 64\n";
}

inline std::string kernel(const Case& c, std::size_t index) {
  auto reg = [](unsigned bits) { return ".reg .b" + std::to_string(bits < 16 ? 16 : bits) + " "; };
  std::string s = ".visible .entry case_" + std::to_string(index) +
                  "(.param .u64 in, .param .u64 out) {\n"
                  ".reg .pred p, q; .reg .b32 i, t0, t1, t2, t3; .reg .b16 h0, h1, h2, h3;\n"
                  ".reg .b64 pi, po, w0, w1, r;\n";
  const char* names[] = {"a", "b", "c"};
  for (std::size_t k = 0; k < c.types.size(); ++k) s += reg(bits_of(c.types[k])) + names[k] + ";\n";
  s += reg(bits_of(c.out)) + "d;\n";
  s += "ld.param.u64 pi, [in]; ld.param.u64 po, [out];\n"
       "mov.u32 i, %tid.x; mov.u32 t0, %ctaid.x; mad.lo.u32 i, t0, 256, i;\n"
       "mad.wide.u32 pi, i, 24, pi; mad.wide.u32 po, i, 8, po;\n";
  for (std::size_t k = 0; k < c.types.size(); ++k) {
    unsigned bits = bits_of(c.types[k]);
    s += "ld.global.b" + std::to_string(bits < 16 ? 16 : bits) + " " + names[k] + ", [pi+" +
         std::to_string(8 * k) + "];\n";
  }
  s += c.text + "\n";
  unsigned bits = bits_of(c.out);
  s += bits <= 16 ? "cvt.u64.u16 r, d;\n" : bits == 32 ? "cvt.u64.u32 r, d;\n" : "mov.b64 r, d;\n";
  return s + "st.global.b64 [po], r; ret;\n}\n";
}

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// One operand: a corner value, a value near one, a plain number, or any bits.
inline std::uint64_t operand(const std::string& type, std::uint64_t r) {
  std::uint64_t kind = r & 7, x = mix(r);
  if (type == "c32") {
    constexpr std::uint64_t kCorners[] = {0, 1, 31, 32, 33, 63, 64, 65, 255, 256, 0xffffffff};
    return kind < 2 ? kCorners[x % std::size(kCorners)] : kind == 2 ? x & 0xffffffff : x % 70;
  }
  // Around the smallest normal number, 1 and 1/2: results at the edge of the subnormals.
  if (type == "f32t") {
    constexpr std::uint32_t kCentres[] = {0x800000, 0x1000000, 0x3f800000, 0x3f000000, 0x33000000};
    return ((kCentres[kind % 5] + (x & 31) - 16) ^ (x << 30 & 0x80000000u)) & 0xffffffff;
  }
  if (type == "f16t") {
    constexpr std::uint32_t kCentres[] = {0x400, 0x800, 0x3c00, 0x3800, 0x1000};
    return ((kCentres[kind % 5] + (x & 31) - 16) ^ (x << 10 & 0x8000)) & 0xffff;
  }
  if (type == "f64n") {
    std::uint64_t nan = 0x7ff0000000000000ull | (x & 0x800fffff00000000ull) | 1;
    return kind < 4 ? nan : kind == 4 ? 0x7ff0000000000000ull | (x & 1ull << 63) : x;
  }
  auto half = [](std::uint64_t k, std::uint64_t v) -> std::uint64_t {
    constexpr std::uint64_t kCorners[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,
                                          0x8400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x7bff,
                                          0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xffff,
                                          0x3f80, 0x7f80, 0xff80, 0x7f7f, 0x80};
    if (k < 2) return kCorners[v % std::size(kCorners)];
    return (k < 5 ? 0x3000 + (v & 0x1fff) : v) & 0xffff;
  };
  if (type == "f16" || type == "bf16") return half(kind, x);
  if (type == "f16x2" || type == "bf16x2") return half(kind, x) | half(x >> 8 & 7, mix(x)) << 16;
  if (type == "f32") {
    constexpr std::uint32_t kCorners[] = {
        0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,
        0x80800000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40200000, 0xc0200000,
        0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
        0x7fc00000, 0x7f800001, 0xffc12345, 0x4f000000, 0xcf000000, 0x4effffff,
        0x5f000000, 0x4b800001, 0x477fe000, 0x477ff000, 0x33800000, 0x42fe0000};
    if (kind < 2) return kCorners[x % std::size(kCorners)];
    if (kind == 2) return x & 0xffffffff;
    auto v = static_cast<float>(static_cast<std::int64_t>(x) >> (kind * 7)) * 0x1p-8f;
    return std::bit_cast<std::uint32_t>(v);
  }
  if (type == "f64") {
    constexpr std::uint64_t kCorners[] = {0,
                                          1ull << 63,
                                          1,
                                          0xfffffffffffffull,
                                          1ull << 52,
                                          0x3ff0000000000000,
                                          0xbff0000000000000,
                                          0x3fe0000000000000,
                                          0x4004000000000000,
                                          0xc004000000000000,
                                          0x7fefffffffffffff,
                                          0x7ff0000000000000,
                                          0xfff0000000000000,
                                          0x7ff8000000000000,
                                          0x7ff0000000000001,
                                          0xfff8000000012345,
                                          0x41e0000000000000,
                                          0xc1e0000000200000,
                                          0x43e0000000000000,
                                          0xc3e0000000000000,
                                          0x43f0000000000000,
                                          0x36a0000000000000,
                                          0x380fffffffffffff,
                                          0x47efffffe0000000,
                                          0x47effffff0000000,
                                          0x40effc0000000000,
                                          0x40effe0000000000};
    if (kind < 2) return kCorners[x % std::size(kCorners)];
    if (kind == 2) return x;
    auto v = static_cast<double>(static_cast<std::int64_t>(x) >> (kind * 7)) * 0x1p-8;
    return std::bit_cast<std::uint64_t>(v);
  }
  unsigned bits = bits_of(type);
  std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1, top = 1ull << (bits - 1);
  const std::uint64_t corners[] = {0, 1, 2, 3, ~0ull, ~1ull, top, top - 1, top + 1, 7, 10, 0x80};
  if (kind < 2) return corners[x % std::size(corners)] & mask;
  return kind < 5 ? (x >> (x & 63)) & mask : x & mask;
}

/// Three 64-bit slots for each thread. They depend on the case alone, not on its place in the file.
inline std::vector<std::uint64_t> operands(const Case& c) {
  std::vector<std::uint64_t> result(3 * kTuples);
  std::uint64_t seed = 0;
  for (char letter : c.text) seed = mix(seed ^ static_cast<unsigned char>(letter));
  for (std::size_t t = 0; t < kTuples; ++t) {
    for (std::size_t k = 0; k < c.types.size(); ++k) {
      result[3 * t + k] = operand(c.types[k], mix(seed + t * 7 + k));
    }
  }
  return result;
}

inline std::uint64_t digest(const std::vector<std::uint64_t>& values) {
  std::uint64_t result = 0;
  for (std::uint64_t v : values) result = mix(result ^ v);
  return result;
}

}  // namespace cases
