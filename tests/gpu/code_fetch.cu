// Instruction caches from straight code with an entry point every 1 KB, for comparison with what the
// analysis `instruction_cache` finds. Nothing of gpx is used here: the PTX is written by this program
// and compiled by the driver, once for all sizes.
//
// One warp runs the last S KB of the code round and round: clocks an instruction over S rise in steps
// where a cache no longer holds the loop. A second warp beside it, on another SM or on the same one,
// runs the last S KB of a second copy: where the two share a cache, the step comes at half the size.
//
// Usage: code_fetch [print | CUBIN]    `print` prints the PTX, which takes half a minute to assemble;
//   a CUBIN made of it by ptxas saves that.    Output: alone,KB,clocks an instruction   and   beside,KB,SM,clocks
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "check.h"

namespace {

constexpr int kChunk = 64;  // instructions of 16 B: 1 KB
constexpr int kKb = 768;    // of each copy

// Where code may be entered, in KB before its end, largest first: the assembler takes long over many.
std::vector<int> entries() {
  std::vector<int> kb;
  for (int at = kKb; at > 256; at -= 16) kb.push_back(at);
  for (int at = 256; at > 64; at -= 4) kb.push_back(at);
  for (int at = 64; at >= 0; --at) kb.push_back(at);
  return kb;
}

std::string copy_of(char name) {
  std::string text;
  const std::string n = std::string("$L") + name;
  text += n + "T" + ": .branchtargets ";
  const std::vector<int> kb = entries();
  for (std::size_t c = 0; c < kb.size(); ++c) text += (c ? ", " : "") + n + std::to_string(c);
  text += ";\n";
  text += n + "G:\n setp.ne.u32 q, left, warm; @q bra " + n + "H;\n mov.u64 begin, %clock64;\n";
  text += n + "H:\n brx.idx skip, " + n + "T;\n";
  for (std::size_t c = 0; c + 1 < kb.size(); ++c) {
    text += n + std::to_string(c) + ":\n";
    for (int i = 0; i < (kb[c] - kb[c + 1]) * kChunk; ++i) {
      const std::string r = "f" + std::to_string(i % 8);
      text += " fma.rn.f32 " + r + ", " + r + ", x, y;\n";
    }
  }
  text += n + std::to_string(kb.size() - 1) + ":\n";
  text += " sub.u32 left, left, 1;\n setp.ne.u32 q, left, 0;\n @q bra " + n + "G;\n bra END;\n";
  return text;
}

std::string program() {
  std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry fetch(.param .u64 out, .param .u64 claims, .param .u32 entry, .param .u32 entry_other,
                      .param .u32 sm, .param .u32 other, .param .u32 rounds, .param .u32 rounds_other)
{
 .reg .pred q, p; .reg .u32 skip, left, warm, here, want, old; .reg .u64 begin, end, o, c;
 .reg .f32 f<8>; .reg .f32 x, y;
 ld.param.u64 o, [out]; ld.param.u64 c, [claims]; mov.u32 here, %smid;
 mov.f32 x, 0f3F800001; mov.f32 y, 0f00000001; mov.u64 begin, 0;
)";
  for (int i = 0; i < 8; ++i) text += " mov.f32 f" + std::to_string(i) + ", 0f3F800000;\n";
  text += R"(
 // The observed warp: the first block on SM `sm`. The other: the first one on SM `other` (the second
 // one where it is the same SM).
 ld.param.u32 want, [sm]; setp.ne.u32 q, here, want; @q bra TRY_OTHER;
 atom.global.add.u32 old, [c], 1; setp.eq.u32 q, old, 0; @q bra OBSERVED;
TRY_OTHER:
 ld.param.u32 want, [other]; setp.ne.u32 q, here, want; @q bra OUT;
 atom.global.add.u32 old, [c+4], 1; setp.ne.u32 q, old, 0; @q bra OUT;
 ld.param.u32 skip, [entry_other];
 ld.param.u32 left, [rounds_other]; mov.u32 warm, 0;
 st.volatile.global.u32 [c+8], 1;
 bra $LBG;
OBSERVED:
 ld.param.u32 skip, [entry];
 ld.param.u32 left, [rounds]; shr.u32 warm, left, 1;
 ld.param.u32 want, [other]; setp.eq.u32 q, want, 0xffffffff; @q bra $LAG;
WAIT:
 ld.volatile.global.u32 old, [c+8]; setp.eq.u32 q, old, 0; @q bra WAIT;
 bra $LAG;
)" + copy_of('A') + copy_of('B') + R"(
END:
 mov.u64 end, %clock64;
 add.f32 f0, f0, f1; add.f32 f2, f2, f3; add.f32 f4, f4, f5; add.f32 f6, f6, f7;
 add.f32 f0, f0, f2; add.f32 f4, f4, f6; add.f32 f0, f0, f4;
 setp.eq.u32 p, warm, 0; @p bra LAST;
 sub.u64 end, end, begin; st.global.u64 [o], end;
LAST:
 setp.eq.f32 q, f0, 0f00000000; @q st.global.f32 [o+8], f0;
OUT:
 ret;
}
)";
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string ptx = program();
  if (argc > 1 && std::string(argv[1]) == "print") return std::fputs(ptx.c_str(), stdout), 0;
  CHECK(cudaFree(nullptr));
  cudaLibrary_t library;
  if (argc > 1) {
    CHECK(cudaLibraryLoadFromFile(&library, argv[1], nullptr, nullptr, 0, nullptr, nullptr, 0));
  } else {
    CHECK(cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  }
  cudaKernel_t kernel;
  CHECK(cudaLibraryGetKernel(&kernel, library, "fetch"));
  std::uint64_t* out = nullptr;
  unsigned* claims = nullptr;
  CHECK(cudaMallocManaged(&out, 16));
  CHECK(cudaMalloc(&claims, 16));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  const std::vector<int> kbs = entries();
  const auto run = [&](int kb, int kb_other, int sm, int other, int rounds, int rounds_other) {
    int entry = static_cast<int>(std::find(kbs.begin(), kbs.end(), kb) - kbs.begin());
    int entry_other = static_cast<int>(std::find(kbs.begin(), kbs.end(), kb_other) - kbs.begin());
    CHECK(cudaMemset(claims, 0, 16));
    *out = 0;
    void* arguments[] = {&out, &claims, &entry, &entry_other, &sm, &other, &rounds, &rounds_other};
    CHECK(cudaLaunchKernel(reinterpret_cast<void*>(kernel), dim3(properties.multiProcessorCount * 4),
                           dim3(32), arguments, 0, nullptr));
    CHECK(cudaDeviceSynchronize());
    return static_cast<double>(*out) / (rounds / 2) / (kb * kChunk);
  };
  for (auto at = kbs.rbegin() + 1; at != kbs.rend(); ++at) {
    const int kb = *at;
    double least = 1e9;
    for (int i = 0; i < 3; ++i) least = std::min(least, run(kb, 1, 0, -1, 8, 1));
    std::printf("alone,%d,%.3f\n", kb, least);
  }
  for (const int kb : {12, 20, 24, 28, 40, 48, 56, 64, 80, 96, 112, 128})
    for (int other = 0; other < properties.multiProcessorCount; other += other < 20 ? 1 : 8)
      std::printf("beside,%d,%d,%.3f\n", kb, other, run(kb, kb, 0, other, 16, 64));
  return 0;
}
