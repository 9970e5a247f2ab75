// Kernels for samples of grids, as bodies of probe_ptx(): those by which a bound was chosen, and
// others at random that were not looked at then. Used by tests/vgpu/sampled_grid_test.cpp.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

namespace gpx::vgpu {

struct SampledKernel {
  std::string name;
  std::string body;
};

/// %r10: the thread in the grid; %r11: all threads; %r12: of a block; %rd1: what is read and
/// written, of which each thread may use 64 B, and 1 Mi words that are there at least.
constexpr const char* kPlace =
    "  mov.u32 %r12, %ntid.x;\n  mad.lo.u32 %r10, %r2, %r12, %r1;\n"
    "  mov.u32 %r13, %nctaid.x;\n  mul.lo.u32 %r11, %r12, %r13;\n";

/// An array of a word for each of 256 threads, at address 0.
constexpr const char* kShared = "  .shared .align 4 .b8 words[1024];\n  mov.u32 %r50, words;\n";

/// `times` rounds of `body`, which may use %r20, the round.
inline std::string rounds(const std::string& times, const std::string& body) {
  return "  mov.u32 %r20, 0;\nagain:\n" + body +
         "  add.u32 %r20, %r20, 1;\n  setp.lt.u32 %p1, %r20, " + times + ";\n  @%p1 bra again;\n";
}

/// A load of word %r21 to %r22, and an addition that waits for it.
constexpr const char* kLoad =
    "  mul.wide.u32 %rd2, %r21, 4;\n  add.s64 %rd2, %rd1, %rd2;\n  ld.global.u32 %r22, [%rd2];\n"
    "  add.u32 %r23, %r23, %r22;\n";
/// A store of %r23 to the thread's word.
constexpr const char* kStore =
    "  mul.wide.u32 %rd3, %r10, 4;\n  add.s64 %rd3, %rd1, %rd3;\n  st.global.u32 [%rd3], %r23;\n";
constexpr const char* kWork = "  mad.lo.u32 %r23, %r23, %r22, %r20;\n";

/// %r21: a hash of thread and round, below `words`, a power of two.
inline std::string hashed(unsigned words, const char* of = "%r10") {
  return fmt::format(
      "  mad.lo.u32 %r21, %r20, 2654435769, {};\n  mul.lo.u32 %r21, %r21, 2246822519;\n"
      "  shr.u32 %r24, %r21, 15;\n  xor.b32 %r21, %r21, %r24;\n"
      "  and.b32 %r21, %r21, {};\n",
      of, words - 1);
}

/// Those that the least error of a sample was chosen by.
inline std::vector<SampledKernel> chosen_kernels() {
  const std::string neighbours = "  mad.lo.u32 %r21, %r20, %r11, %r10;\n";
  const std::string apart = "  mul.lo.u32 %r21, %r10, 8;\n  add.u32 %r21, %r21, %r20;\n";
  const std::string add =
      "  and.b32 %r21, %r10, 31;\n  mul.wide.u32 %rd2, %r21, 128;\n  add.s64 %rd2, %rd1, %rd2;\n"
      "  atom.global.add.u32 %r22, [%rd2], 1;\n";
  const std::string uneven = "  and.b32 %r30, %r2, 7;\n  mad.lo.u32 %r30, %r30, 3, 8;\n";
  return {{"neighbours", rounds("2", neighbours + kLoad) + kStore},
          {"apart", rounds("4", apart + kLoad)},
          {"a small table", rounds("4", hashed(1 << 14) + kLoad) + kStore},
          {"a large table", rounds("4", hashed(1 << 20) + kLoad) + kStore},
          {"arithmetic", rounds("40", kWork) + kStore},
          {"blocks that differ", uneven + rounds("%r30", kWork) + kStore},
          {"atomics", rounds("2", add)}};
}

/// A kernel of random parts: how much a block has to do, what it reads, computes and writes.
class RandomKernel {
 public:
  explicit RandomKernel(unsigned seed) : random_(seed) {}

  SampledKernel make() {
    std::string name;
    const unsigned uneven = below(6);
    const std::string count = uneven < 3 ? fmt::format("{}", 1 + below(8)) : "%r30";
    const std::string begin = uneven < 3 ? std::string() : extent(uneven);
    name += fmt::format("{} rounds", uneven < 3 ? count : std::string(kExtents[uneven - 3]));
    std::string body;
    for (unsigned reads = 1 + below(2); reads-- > 0;) body += read(name) + kLoad;
    const unsigned work = below(4) * below(8);
    name += fmt::format(", {} mad", work);
    for (unsigned i = 0; i < work; ++i) body += kWork;
    if (uneven < 3 && below(4) == 0) body += exchange(name);
    return {name, kShared + begin + rounds(count, body) + write(name)};
  }

 private:
  static constexpr const char* kExtents[] = {"hashed", "growing", "every fourth block's"};

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  std::string extent(unsigned kind) {
    const unsigned least = 2 + below(6), more = 1 + below(10);
    if (kind == 3)
      return fmt::format(
          "  mul.lo.u32 %r30, %r2, 3266489917;\n  xor.b32 %r30, %r30, 668265263;\n"
          "  shr.u32 %r31, %r30, 13;\n  xor.b32 %r30, %r30, %r31;\n"
          "  mul.lo.u32 %r30, %r30, 2246822519;\n  shr.u32 %r30, %r30, 16;\n"
          "  rem.u32 %r30, %r30, {};\n  add.u32 %r30, %r30, {};\n",
          more, least);
    if (kind == 4)
      return fmt::format(
          "  mul.lo.u32 %r30, %r2, {};\n  div.u32 %r30, %r30, %r13;\n"
          "  add.u32 %r30, %r30, {};\n",
          more, least);
    return fmt::format(
        "  and.b32 %r30, %r2, 3;\n  setp.eq.u32 %p4, %r30, 1;\n"
        "  selp.u32 %r30, {}, {}, %p4;\n",
        least + more, least);
  }

  std::string read(std::string& name) {
    const unsigned bits = 10 + below(11), step = 1u << below(4);
    switch (below(6)) {
      case 0:
        name += ", neighbours";
        return "  mad.lo.u32 %r21, %r20, %r11, %r10;\n  rem.u32 %r21, %r21, %r11;\n";
      case 1:
        name += fmt::format(", {} apart", step);
        return fmt::format("  mad.lo.u32 %r21, %r10, {}, %r20;\n", step);
      case 2:
        name += ", blocks beside";
        return "  mad.lo.u32 %r21, %r20, %r12, %r10;\n  rem.u32 %r21, %r21, %r11;\n";
      case 3: name += ", a word of a block"; return "  mad.lo.u32 %r21, %r2, 16, %r20;\n";
      default:
        name += fmt::format(", a table of {} KB", 4 * (1u << bits) >> 10);
        return hashed(1u << bits);
    }
  }

  std::string exchange(std::string& name) {
    const unsigned way = 1u << below(6);
    name += fmt::format(", shared memory {} apart", way);
    return fmt::format(
        "  mul.lo.u32 %r40, %r1, {};\n  and.b32 %r40, %r40, 63;\n  shl.b32 %r40, %r40, 2;\n"
        "  bar.sync 0;\n  st.shared.u32 [%r40], %r22;\n  bar.sync 0;\n"
        "  ld.shared.u32 %r22, [%r40];\n  add.u32 %r23, %r23, %r22;\n",
        way);
  }

  std::string write(std::string& name) {
    const unsigned bits = 8 + below(12);
    const std::string place = "  mov.u32 %r20, 77;\n" + hashed(1u << bits) +
                              "  mul.wide.u32 %rd2, %r21, 4;\n  add.s64 %rd2, %rd1, %rd2;\n";
    switch (below(5)) {
      case 0:
        name += fmt::format(", stores to {} KB", 4 * (1u << bits) >> 10);
        return place + "  st.global.u32 [%rd2], %r23;\n";
      case 1:
        name += fmt::format(", atomics on {} words", 1u << bits);
        return place + "  atom.global.add.u32 %r22, [%rd2], 1;\n";
      default: return kStore;
    }
  }

  std::mt19937 random_;
};

}  // namespace gpx::vgpu
