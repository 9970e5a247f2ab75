// Straight code with an entry point every 64 instructions: one binary for all sizes. One warp runs the
// last N parts round and round; a second warp, on another SM or on the same one, runs the last parts of a
// second copy meanwhile. Used by stdlib/analysis/parts/code_plateaus.lua.
//
// result[0]: clocks of the timed rounds. result[1]: rounds that the other warp has begun.
// result[2], result[3]: claims. result[4]: never used by a reader (the sums, so that all is executed).
typedef unsigned long long u64;

#define FMA(r) " fma.rn.f32 " #r ", " #r ", x, y;\n"
#define EIGHT FMA(f0) FMA(f1) FMA(f2) FMA(f3) FMA(f4) FMA(f5) FMA(f6) FMA(f7)
#define PART(copy, n) "$" #copy #n ":\n" EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
#define LABEL(copy, n) "$" #copy #n ", "
#define TEN(what, copy, d)                                                                     \
  what(copy, d##0) what(copy, d##1) what(copy, d##2) what(copy, d##3) what(copy, d##4)         \
      what(copy, d##5) what(copy, d##6) what(copy, d##7) what(copy, d##8) what(copy, d##9)
#define HALF(what, copy)                                                                       \
  TEN(what, copy, 0) TEN(what, copy, 1) TEN(what, copy, 2) TEN(what, copy, 3)                  \
  TEN(what, copy, 4) TEN(what, copy, 5) TEN(what, copy, 6) TEN(what, copy, 7)                  \
  TEN(what, copy, 8) TEN(what, copy, 9) TEN(what, copy, 10) TEN(what, copy, 11)                \
  TEN(what, copy, 12)
#define WHOLE(what, copy)                                                                      \
  HALF(what, copy)                                                                             \
  TEN(what, copy, 13) TEN(what, copy, 14) TEN(what, copy, 15) TEN(what, copy, 16)              \
  TEN(what, copy, 17) TEN(what, copy, 18) TEN(what, copy, 19) TEN(what, copy, 20)              \
  TEN(what, copy, 21) TEN(what, copy, 22) TEN(what, copy, 23) TEN(what, copy, 24)              \
  TEN(what, copy, 25)

// %0: clocks, %1: a sum, %2: the first part, %3: rounds, %4: rounds that are left when time begins.
#define CODE(copy, parts)                                                                      \
  "{\n .reg .pred q;\n .reg .u32 left;\n .reg .u64 begin, end;\n .reg .f32 x, y, f<8>;\n"       \
  " mov.f32 x, 0f3F800001; mov.f32 y, 0f00000001;\n mov.u64 begin, 0;\n mov.u32 left, %3;\n"    \
  " mov.f32 f0, 0f3F800000; mov.f32 f1, f0; mov.f32 f2, f0; mov.f32 f3, f0;\n"                  \
  " mov.f32 f4, f0; mov.f32 f5, f0; mov.f32 f6, f0; mov.f32 f7, f0;\n"                          \
  "$" #copy "T: .branchtargets " parts(LABEL, copy) "$" #copy "E;\n"                            \
  "$" #copy "G:\n setp.ne.u32 q, left, %4;\n @q bra $" #copy "H;\n mov.u64 begin, %%clock64;\n" \
  "$" #copy "H:\n brx.idx %2, $" #copy "T;\n" parts(PART, copy)                                 \
  "$" #copy "E:\n sub.u32 left, left, 1;\n setp.ne.u32 q, left, 0;\n @q bra $" #copy "G;\n"     \
  " mov.u64 end, %%clock64;\n sub.u64 %0, end, begin;\n"                                        \
  " add.f32 f0, f0, f1; add.f32 f2, f2, f3; add.f32 f4, f4, f5; add.f32 f6, f6, f7;\n"          \
  " add.f32 f0, f0, f2; add.f32 f4, f4, f6; add.f32 %1, f0, f4;\n}"

extern "C" __global__ void fetch(u64* result, u64 first, u64 rounds, u64 timed, u64 first_other,
                                 u64 rounds_other, u64 sm, u64 other) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  volatile u64* shared = result;
  u64 clocks = 0;
  float sum = 0;
  if (here == sm && atomicCAS(result + 2, ~0ull, 0ull) == ~0ull) {
    if (rounds_other == 0) {
      shared[1] = 0;
      shared[3] = 0;
    }
    for (u64 i = 0; i < 1u << 22 && shared[1] == ~0ull; ++i) {
    }
    asm volatile(CODE(A, WHOLE)
                 : "=l"(clocks), "=f"(sum)
                 : "r"(static_cast<unsigned>(first)), "r"(static_cast<unsigned>(rounds)),
                   "r"(static_cast<unsigned>(timed))
                 : "memory");
    shared[0] = clocks;
    shared[4] = sum == 0 ? 1 : 0;
  } else if (rounds_other != 0 && here == other && atomicCAS(result + 3, ~0ull, 0ull) == ~0ull) {
    shared[1] = 1;
    asm volatile(CODE(B, HALF)
                 : "=l"(clocks), "=f"(sum)
                 : "r"(static_cast<unsigned>(first_other)), "r"(static_cast<unsigned>(rounds_other)),
                   "r"(0u)
                 : "memory");
    if (sum == 0) shared[4] = 2;
  }
}
