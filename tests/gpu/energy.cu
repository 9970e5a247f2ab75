// The energy and the clock of loads, by hand: what experiments/hopper_energy.gpx measures. Nothing
// of gpx is used here.
//
// A load is one kernel on all SMs, launched again and again with four launches in the queue.
// Operations: eight chains a thread, 256 executions in a loop. Levels: reads of 16 bytes a thread,
// eight in a loop, with eight other instructions at most. NVML's energy counter of the board is
// polled meanwhile. Power is the slope of the least squares through its steps, over 0.75 s and
// more, behind 0.25 s that do not count. Energy is power times the time of a launch (events). Two
// powers are subtracted, both measured in each repeat: pj lacks that of the idle board, as in gpx;
// pj_awake that of SMs whose warps sleep, and so what clocks and memory take at full speed. Repeats
// go through the loads forwards, backwards and forwards.
//
// Data are random. A chain of fma alternates between two numbers, integers change for long; ex2
// settles at 0.64. fma.*.same: the factor and the addend are the same in all executions;
// mul.*.same: the factor is one of two. shared: 32 KB; l1: 44 KB of each SM's own, as ld.ca; l2: 16
// MB, as ld.cg; dram: 4 GB, likewise. An execution is that of a thread, whose share of mma.m16n8k16
// is 64 products and sums, of wgmma.m64n256k16 2048.
//
// Output, CSV: load,repeat,unit,pj,error,pj_awake,error_awake,watts,mhz,mhz_clock64,rate,celsius,
// throttled. unit: pJ (an execution) or pJ/bit. mhz: by NVML; mhz_clock64: clocks of one SM over
// nanoseconds of %globaltimer. rate: executions or bits of an SM in a clock. throttled: the part of
// the time in which NVML tells a reason for a lower clock (power, heat). repeat = all: means;
// error: half of the 99 % interval, by the three repeats alone. Status 1: L1 is no faster than L2,
// or that than DRAM; 3: no GPU, NVML or counter. About 60 s. Needs sm_90a. Usage: energy
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "measure.h"

namespace {

using u32 = unsigned;
using u64 = unsigned long long;

constexpr int kThreads = 1024, kChains = 8, kReads = 8, kRepeats = 3, kQueued = 4;
constexpr u64 kBytes = u64{4} << 30, kL2Bytes = 16 << 20;
constexpr u32 kChunk = kReads * kThreads;             // words of 16 B that a block reads in a round
constexpr u32 kL1Words = 11 << 8, kL1Apart = 1 << 8;  // of an SM; between reads of a thread
constexpr double kSettle_s = 0.25, kSpan_s = 0.75, kRest_s = 0.5, kIdle_s = 1.0, kPatience_s = 4;
constexpr double kLaunch_ms = 8, kT99 = 9.925;  // Student's t, two degrees of freedom

struct Ticks {
  u64 clocks, ns;  // of one thread, in all launches
};

struct Arguments {
  const uint4* data;
  u32* sink;
  Ticks* ticks;
  int sms;
};

__device__ u32 hash(u32 x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

__device__ u32 seed_of(u32 numbers) {
  return (blockIdx.x * blockDim.x + threadIdx.x) * numbers;
}

__global__ void fill(uint4* data, u64 words) {
  for (u64 i = blockIdx.x * u64{blockDim.x} + threadIdx.x; i < words;
       i += u64{gridDim.x} * blockDim.x) {
    const u32 first = 4 * static_cast<u32>(i);
    data[i] = make_uint4(hash(first), hash(first + 1), hash(first + 2), hash(first + 3));
  }
}

// Of one thread of the grid: what passes between its construction and stop().
class Watch {
 public:
  __device__ explicit Watch(Ticks* ticks) : ticks_(ticks) {
    if (!mine()) return;
    ns_ = nanoseconds_now();
    clocks_ = clock_now();
  }
  __device__ void stop() {
    if (!mine()) return;
    ticks_->clocks += clock_now() - clocks_;
    ticks_->ns += nanoseconds_now() - ns_;
  }

 private:
  __device__ static bool mine() { return blockIdx.x == 0 && threadIdx.x == 0; }
  Ticks* ticks_;
  u64 clocks_ = 0, ns_ = 0;
};

// A store that never is, but may be for all that an assembler knows: else it drops the loop.
template <typename T>
__device__ void keep(const T& value, u32* sink) {
  u32 words[sizeof(T) / 4], all = 0;
  memcpy(words, &value, sizeof value);
#pragma unroll
  for (const u32 word : words) all ^= word;
  if (all == 0x9e3779b9) *sink = all;
}

struct Halves {
  u32 bits;
};

// Numbers of [1, 2), odd integers. half(x): of the inverse, so that its product with x is 1/2.
struct Number {
  __device__ static void random(u32& x, u32 seed) { x = hash(seed) | 1; }
  __device__ static void random(float& x, u32 seed) { x = 1 + (hash(seed) >> 9) * 0x1p-23f; }
  __device__ static void random(double& x, u32 seed) {
    x = 1 + (hash(seed) + (hash(~seed) >> 12) * 0x1p-20) * 0x1p-32;
  }
  __device__ static void random(Halves& x, u32 seed) {
    x.bits = (hash(seed) & 0x03ff03ff) | 0x3c003c00;
  }
  // The same in all threads.
  __device__ static u32 minus_one(u32) { return ~0u; }
  __device__ static float minus_one(float) { return -1; }
  __device__ static double minus_one(double) { return -1; }
  __device__ static Halves minus_one(Halves) { return {0xbc00bc00}; }
  __device__ static u32 sum(u32) { return 5; }
  __device__ static float sum(float) { return 1.25f; }
  __device__ static double sum(double) { return 1.25; }
  __device__ static Halves sum(Halves) { return {0x3d003d00}; }
  __device__ static u32 half(u32 x) { return x; }
  __device__ static float half(float x) { return 0.5f / x; }
  __device__ static double half(double x) { return 0.5 / x; }
  __device__ static Halves half(Halves x) { return {f16(x.bits) | f16(x.bits >> 16) << 16}; }

 private:
  // 1/4 to 1/2, from the mantissa of 1 to 2.
  __device__ static u32 f16(u32 x) {
    return 0x3400 + static_cast<u32>(1024 * (2048.0f / (1024 + (x & 0x3ff)) - 1)) % 1024;
  }
};

struct Execute {
  __device__ static void add(u32& r, u32 x) {
    asm volatile("add.u32 %0, %0, %1;" : "+r"(r) : "r"(x));
  }
  __device__ static void mul(u32& r, u32 x) {
    asm volatile("mul.lo.u32 %0, %0, %1;" : "+r"(r) : "r"(x));
  }
  __device__ static void fma(float& r, float x, float y) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(r) : "f"(x), "f"(y));
  }
  __device__ static void fma(double& r, double x, double y) {
    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(r) : "d"(x), "d"(y));
  }
  __device__ static void fma(Halves& r, Halves x, Halves y) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(r.bits) : "r"(x.bits), "r"(y.bits));
  }
  __device__ static void ex2_of_minus(float& r) {
    asm volatile("{.reg .f32 n;\nneg.f32 n, %0;\nex2.approx.ftz.f32 %0, n;}" : "+f"(r));
  }
};

enum Operation { kAdd, kMul, kMulSame, kFma, kFmaSame, kEx2 };

// 256 executions. Integers take the next chain as their factor: else an assembler may join two
// additions. fma: r * x + y, then r * w + y of the next chain, w being 1/2x: what a chain began
// with is halved each time, and the two numbers that are left have other bits than each other.
// kFmaSame: 5/4 - r, in all chains of all threads, so that two of three operands never change.
// kMulSame: by two large odd numbers in turn, the same ones in all threads, as gpx has them.
template <Operation operation, typename T>
__global__ void __launch_bounds__(kThreads) operate(Arguments to, int rounds) {
  const u32 seed = seed_of(32);
  T r[kChains], y[kChains], x;
#pragma unroll
  for (int i = 0; i < kChains; ++i) {
    Number::random(r[i], seed + i);
    Number::random(y[i], seed + kChains + i);
  }
  Number::random(x, seed + 2 * kChains);
  const T w = Number::half(x), minus = Number::minus_one(x), five_quarters = Number::sum(x);
  // No constants, for all that an assembler knows.
  const u32 factors[2] = {0x7fffffd5u + (to.sms < 0), 0x7fffffe1u + (to.sms < 0)};
  Watch watch(to.ticks);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 256; ++i) {
      T &own = r[i % kChains], &next = r[(i + 1) % kChains];
      const int half = i / kChains % 2;
      if constexpr (operation == kAdd) Execute::add(own, next);
      if constexpr (operation == kMul) Execute::mul(own, next);
      if constexpr (operation == kMulSame) Execute::mul(own, factors[half]);
      if constexpr (operation == kFma)
        Execute::fma(own, half == 0 ? x : w, y[(i + half) % kChains]);
      if constexpr (operation == kFmaSame) Execute::fma(own, minus, five_quarters);
      if constexpr (operation == kEx2) Execute::ex2_of_minus(own);
    }
  }
  watch.stop();
  keep(r, to.sink);
}

// Two halves of 1/2 to 1 of either sign.
__device__ u32 random_halves(u32 seed) {
  return (hash(seed) & 0x83ff83ff) | 0x38003800;
}

__global__ void __launch_bounds__(kThreads) mma_sync(Arguments to, int rounds) {
  const u32 seed = seed_of(16);
  u32 a[2][4], b[2][2];
#pragma unroll
  for (int i = 0; i < 8; ++i) a[i / 4][i % 4] = random_halves(seed + i);
#pragma unroll
  for (int i = 0; i < 4; ++i) b[i / 2][i % 2] = random_halves(seed + 8 + i);
  float sums[4][4] = {};
  Watch watch(to.ticks);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < 64; ++k) {
      float(&d)[4] = sums[k % 4];
      const u32(&f)[4] = a[k % 2], (&g)[2] = b[k / 2 % 2];
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
          "{%8, %9}, {%0, %1, %2, %3};"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[0]), "r"(g[1]));
    }
  }
  watch.stop();
  keep(sums, to.sink);
}

#define SUMS4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUMS16(i) SUMS4(i), SUMS4(i + 4), SUMS4(i + 8), SUMS4(i + 12)
#define SUMS64(i) SUMS16(i), SUMS16(i + 16), SUMS16(i + 32), SUMS16(i + 48)
#define TEN(t) "%" t "0,%" t "1,%" t "2,%" t "3,%" t "4,%" t "5,%" t "6,%" t "7,%" t "8,%" t "9,"
#define FIFTY(a, b, c, d, e) TEN(a) TEN(b) TEN(c) TEN(d) TEN(e)

__device__ void product(float (&d)[128], u64 a, u64 b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" FIFTY("", "1", "2", "3", "4")
          FIFTY("5", "6", "7", "8", "9") TEN("10") TEN("11") "%120,%121,%122,%123,%124,%125,%126,"
      "%127}, %128, %129, 1, 1, 1, 0, 0;"
      : SUMS64(0), SUMS64(64)
      : "l"(a), "l"(b));
}

// Of a K-major tile with a 128-byte swizzle: groups of eight rows 1024 B apart.
__device__ u64 descriptor(const void* tile) {
  const u64 address = __cvta_generic_to_shared(tile) & 0x3ffff;
  return address >> 4 | u64{1} << 16 | u64{1024 / 16} << 32 | u64{1} << 62;
}

// Two warpgroups with rows of their own; the 64 halves of a row are four products deep.
__global__ void __launch_bounds__(256) wgmma(Arguments to, int rounds) {
  __shared__ __align__(1024) u32 tiles[48 << 8];  // 16 KB of rows, 32 KB of columns
  for (u32 i = threadIdx.x; i < 48 << 8; i += 256) tiles[i] = random_halves(i);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const u64 a = descriptor(tiles + threadIdx.x / 128 * (8 << 8)), b = descriptor(tiles + (16 << 8));
  float d[128] = {};
  Watch watch(to.ticks);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 8; ++k) product(d, a + k % 4 * 2, b + k % 4 * 2);
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  watch.stop();
  keep(d, to.sink);
}

#define READ(WHERE, KIND)                                    \
  asm volatile("ld." WHERE ".v4.u32 {%0, %1, %2, %3}, [%4];" \
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)  \
               : KIND(at))
// Relaxed reads of a block and of the GPU are, bit for bit, the machine instructions of ld.ca and
// ld.cg. Of these an assembler drops words that nothing uses, and takes reads out of loops.
enum Way { kShared, kCa, kCg };
template <Way way, typename Address>
__device__ uint4 read(Address at) {
  uint4 v;
  if constexpr (way == kShared) READ("volatile.shared", "r");
  if constexpr (way == kCa) READ("relaxed.cta.global", "l");
  if constexpr (way == kCg) READ("relaxed.gpu.global", "l");
  return v;
}

__global__ void __launch_bounds__(kThreads) shared_memory(Arguments to, int rounds) {
  __shared__ uint4 words[2 * kThreads];
  for (u32 i = threadIdx.x; i < 2 * kThreads; i += kThreads) words[i] = to.data[i];
  __syncthreads();
  const auto at = static_cast<u32>(__cvta_generic_to_shared(words + threadIdx.x));
  uint4 v[kReads] = {};
  Watch watch(to.ticks);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) v[k] = read<kShared>(at + k % 2 * 16 * kThreads);
  }
  watch.stop();
  keep(v, to.sink);
}

__global__ void __launch_bounds__(kThreads) l1(Arguments to, int rounds) {
  const uint4* const own = to.data + this_sm() % to.sms * kL1Words;
  u32 at = threadIdx.x;
  uint4 v[kReads] = {};
  Watch watch(to.ticks);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) v[k] = read<kCa>(own + at + k * kL1Apart);
    at ^= 32;  // what the warp beside it has read
  }
  watch.stop();
  keep(v, to.sink);
}

// Over so many bytes, a power of two. A block goes so many chunks on; 0: as many as blocks.
template <u64 bytes, u32 chunks>
__global__ void __launch_bounds__(kThreads) past_l1(Arguments to, int rounds) {
  constexpr u32 kLast = bytes / 16 - 1;
  const u32 step = (chunks == 0 ? gridDim.x : chunks) * kChunk;
  u32 at = (blockIdx.x * kChunk & kLast) + threadIdx.x;
  uint4 v[kReads] = {};
  Watch watch(to.ticks);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) v[k] = read<kCg>(to.data + at + k * kThreads);
    at = (at + step) & kLast;
  }
  watch.stop();
  keep(v, to.sink);
}

__global__ void __launch_bounds__(kThreads) doze(Arguments to, int rounds) {
  Watch watch(to.ticks);
  for (int round = 0; round < rounds; ++round) __nanosleep(20000);
  watch.stop();
}

struct Load {
  const char* name;
  const char* unit;
  int of_round;  // executions or bits of a thread
  int threads;   // of the block that each SM has
  void (*kernel)(Arguments to, int rounds);
};
constexpr int kBits = kReads * 128;
enum { kIdle, kAwake, kFirst };  // what is subtracted, and what it is subtracted from
const Load kLoads[] = {{"idle", "", 0, 0, nullptr},
                       {"awake", "", 1, kThreads, doze},
                       {"add.u32", "pJ", 256, kThreads, operate<kAdd, u32>},
                       {"mul.lo.u32", "pJ", 256, kThreads, operate<kMul, u32>},
                       {"mul.lo.u32.same", "pJ", 256, kThreads, operate<kMulSame, u32>},
                       {"fma.rn.f32", "pJ", 256, kThreads, operate<kFma, float>},
                       {"fma.rn.f32.same", "pJ", 256, kThreads, operate<kFmaSame, float>},
                       {"fma.rn.f16x2", "pJ", 256, kThreads, operate<kFma, Halves>},
                       {"fma.rn.f16x2.same", "pJ", 256, kThreads, operate<kFmaSame, Halves>},
                       {"fma.rn.f64", "pJ", 256, kThreads, operate<kFma, double>},
                       {"fma.rn.f64.same", "pJ", 256, kThreads, operate<kFmaSame, double>},
                       {"ex2.approx.f32", "pJ", 256, kThreads, operate<kEx2, float>},
                       {"mma.m16n8k16.f32.f16", "pJ", 64, kThreads, mma_sync},
                       {"wgmma.m64n256k16.f32.f16", "pJ", 8, 256, wgmma},
                       {"shared", "pJ/bit", kBits, kThreads, shared_memory},
                       {"l1", "pJ/bit", kBits, kThreads, l1},
                       {"l2", "pJ/bit", kBits, kThreads, past_l1<kL2Bytes, 37>},
                       {"dram", "pJ/bit", kBits, kThreads, past_l1<kBytes, 0>}};
constexpr int kCount = sizeof kLoads / sizeof *kLoads, kGlobal = 3;  // levels, the last ones

// NVML of GPU 0 of CUDA. The toolkit need not have its header.
class Board {
 public:
  Board() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    if (!library_) fail("no libnvidia-ml.so.1");
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    std::string uuid = "GPU";
    for (int i = 0; i < 16; ++i) {
      char text[3];
      std::snprintf(text, sizeof text, "%02x", properties.uuid.bytes[i] & 0xff);
      uuid += std::string(i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + text;
    }
    call("nvmlInit_v2");
    call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device_);
  }
  double joules() const {
    u64 millijoules = 0;
    call("nvmlDeviceGetTotalEnergyConsumption", device_, &millijoules);
    return 1e-3 * static_cast<double>(millijoules);
  }
  // NaN where it is not told.
  double megahertz() const { return number("nvmlDeviceGetClockInfo", 1); }  // of the SMs
  double celsius() const { return number("nvmlDeviceGetTemperature", 0); }  // of the chip
  // Reasons: the cap of power, hardware, heat as software and as hardware see it, an outer brake.
  double throttled() const {
    u64 reasons = 0;
    if (result("nvmlDeviceGetCurrentClocksThrottleReasons", device_, &reasons) != 0) return NAN;
    return (reasons & (0x04 | 0x08 | 0x20 | 0x40 | 0x80)) != 0;
  }
  [[noreturn]] static void fail(const char* what) {
    std::fprintf(stderr, "energy: %s\n", what);
    std::exit(3);
  }

 private:
  template <typename... A>
  int result(const char* name, A... arguments) const {
    const auto function = reinterpret_cast<int (*)(A...)>(dlsym(library_, name));
    return function ? function(arguments...) : -1;
  }
  template <typename... A>
  void call(const char* name, A... arguments) const {
    if (result(name, arguments...) != 0) fail(name);
  }
  double number(const char* name, u32 kind) const {
    u32 value = 0;
    return result(name, device_, kind, &value) == 0 ? value : NAN;
  }

  void* library_;
  void* device_ = nullptr;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Step {
  double at, joules;
};

double slope(const std::vector<Step>& steps) {
  double x = 0, y = 0, both = 0, square = 0;
  for (const Step& step : steps) x += step.at / steps.size(), y += step.joules / steps.size();
  for (const Step& step : steps) {
    both += (step.at - x) * (step.joules - y);
    square += (step.at - x) * (step.at - x);
  }
  return both / square;
}

// A row of the output. NaN: there is none.
enum Column { kPj, kPjAwake, kWatts, kMhz, kMhzClock64, kRate, kCelsius, kThrottled, kColumns };
using Row = std::array<double, kColumns>;

// Polls until steps of the counter lie `span` seconds apart, `settle` seconds from now on. work()
// keeps a load going; begin() is called when it counts.
template <typename Work, typename Begin>
Row watched(const Board& board, double settle, double span, Work work, Begin begin) {
  std::vector<Step> steps;
  std::vector<double> mhz, throttled;
  const double start = now();
  double last = -1, looked = 0;
  bool counts = false;
  while (steps.empty() || steps.back().at - steps.front().at < span) {
    work();
    if (!counts && now() - start > settle) counts = true, begin();
    const double before = now(), joules = board.joules(), after = now();
    if (counts && last >= 0 && joules != last) steps.push_back({(before + after) / 2, joules});
    last = joules;
    if (counts && after - looked > 0.05) {
      mhz.push_back(board.megahertz());
      throttled.push_back(board.throttled());
      looked = after;
    }
    if (after - start > settle + span + kPatience_s) Board::fail("the counter does not advance");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Row row;
  row.fill(NAN);
  row[kWatts] = slope(steps), row[kMhz] = mean(mhz);
  row[kCelsius] = board.celsius(), row[kThrottled] = mean(throttled);
  return row;
}

class Bench {
 public:
  Bench() {
    to_.sms = count_of_sms();
    auto* const data = device<uint4>(kBytes / 16);
    fill<<<8 * to_.sms, 1024>>>(data, kBytes / 16);
    to_.data = data, to_.sink = device<u32>(1), to_.ticks = device<Ticks>(1);
    for (cudaEvent_t& event : queued_) CHECK(cudaEventCreate(&event));
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
    // What is not shared memory is L1.
    CHECK(cudaFuncSetAttribute(l1, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    for (const Load& load : kLoads) rounds_.push_back(rounds_of(load));
  }

  // Watts that are subtracted: of the idle board and of one that is awake.
  Row measure(int load, double idle, double awake) {
    const auto nothing = [] {};
    if (load == kIdle) return watched(board_, kRest_s, kIdle_s, nothing, nothing);
    u64 launched = 0, before = 0;
    const auto work = [&] { fill_queue(load, launched); };
    Row row = watched(board_, kSettle_s, kSpan_s, work, [&] {
      CHECK(cudaMemsetAsync(to_.ticks, 0, sizeof(Ticks)));
      CHECK(cudaEventRecord(begin_));
      before = launched;
    });
    const double seconds = 1e-3 * milliseconds() / static_cast<double>(launched - before);
    const Ticks ticks = host_copy(to_.ticks, 1)[0];
    row[kMhzClock64] = 1e3 * static_cast<double>(ticks.clocks) / static_cast<double>(ticks.ns);
    if (load == kAwake) return row;
    const double of_sm = double(kLoads[load].of_round) * kLoads[load].threads * rounds_[load];
    row[kPj] = 1e12 * (row[kWatts] - idle) * seconds / (of_sm * to_.sms);
    row[kPjAwake] = 1e12 * (row[kWatts] - awake) * seconds / (of_sm * to_.sms);
    row[kRate] = of_sm / (seconds * 1e6 * row[kMhzClock64]);
    return row;
  }

 private:
  // So many that a launch takes some milliseconds.
  int rounds_of(const Load& load) {
    int rounds = load.kernel ? 16 : 0;
    for (int i = 0; i < 4 && load.kernel; ++i) {
      load.kernel<<<to_.sms, load.threads>>>(to_, rounds);  // brings the code
      CHECK(cudaEventRecord(begin_));
      load.kernel<<<to_.sms, load.threads>>>(to_, rounds);
      CHECK(cudaGetLastError());
      rounds = std::max(1, static_cast<int>(rounds * std::min(64.0, kLaunch_ms / milliseconds())));
    }
    return rounds;
  }

  void fill_queue(int load, u64& launched) {
    for (;;) {
      const cudaError_t oldest =
          launched < kQueued ? cudaSuccess : cudaEventQuery(queued_[launched % kQueued]);
      if (oldest == cudaErrorNotReady) break;
      CHECK(oldest);
      kLoads[load].kernel<<<to_.sms, kLoads[load].threads>>>(to_, rounds_[load]);
      CHECK(cudaGetLastError());
      CHECK(cudaEventRecord(queued_[launched++ % kQueued]));
    }
    (void)cudaGetLastError();  // not ready is no error
  }

  // From begin_ to now, of the GPU.
  double milliseconds() {
    float ms = 0;
    CHECK(cudaEventRecord(end_));
    CHECK(cudaEventSynchronize(end_));
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

  Board board_;
  Arguments to_{};
  std::vector<int> rounds_;
  cudaEvent_t queued_[kQueued], begin_, end_;
};

// Half of the 99 % interval of a mean of three.
double error_of(const std::vector<double>& all) {
  double square = 0;
  for (const double one : all) square += (one - mean(all)) * (one - mean(all));
  return kT99 * std::sqrt(square / (kRepeats - 1) / kRepeats);
}

std::string text(double value) {
  char written[32];
  std::snprintf(written, sizeof written, "%.5g", value);
  return std::isnan(value) ? "" : written;
}

void print(int load, const std::string& repeat, const Row& row, double error, double error_awake) {
  std::printf("%s,%s,%s,%s,%s,%s,%s", kLoads[load].name, repeat.c_str(), kLoads[load].unit,
              text(row[kPj]).c_str(), text(error).c_str(), text(row[kPjAwake]).c_str(),
              text(error_awake).c_str());
  for (int i = kWatts; i < kColumns; ++i) std::printf(",%s", text(row[i]).c_str());
  std::printf("\n");
  std::fflush(stdout);
}

class Report {
 public:
  void repeat(Bench& bench, int number) {
    double watts[kFirst] = {};
    for (int i = 0; i < kCount; ++i) {
      const int load = i < kFirst || number % 2 == 0 ? i : kCount - 1 - (i - kFirst);
      const Row row = bench.measure(load, watts[kIdle], watts[kAwake]);
      if (load < kFirst) watts[load] = row[kWatts];
      for (int c = 0; c < kColumns; ++c) all_[load][c].push_back(row[c]);
      print(load, std::to_string(number), row, NAN, NAN);
    }
  }

  // Whether L1 is faster than L2, and that than DRAM.
  bool finish() const {
    for (int load = 0; load < kCount; ++load) {
      Row row;
      for (int c = 0; c < kColumns; ++c) row[c] = mean(all_[load][c]);
      print(load, "all", row, error_of(all_[load][kPj]), error_of(all_[load][kPjAwake]));
    }
    bool good = true;
    for (int load = kCount - kGlobal + 1; load < kCount; ++load)
      good = good && mean(all_[load][kRate]) < mean(all_[load - 1][kRate]);
    return good;
  }

 private:
  std::vector<double> all_[kCount][kColumns];
};

}  // namespace

int main() {
  Bench bench;
  std::printf("load,repeat,unit,pj,error,pj_awake,error_awake,watts,mhz,mhz_clock64,rate,celsius,");
  std::printf("throttled\n");
  Report report;
  for (int repeat = 0; repeat < kRepeats; ++repeat) report.repeat(bench, repeat);
  if (report.finish()) return 0;
  std::fprintf(stderr, "energy: a level is no faster than the one behind it\n");
  return 1;
}
