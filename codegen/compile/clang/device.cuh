// What CUDA C++ has without an #include, for a clang without the CUDA toolkit: it stands before
// each source that clang compiles (codegen/compile/clang/clang.cpp). Functions that the toolkit
// takes from its device library (expf, logf, sinf, ...) are the hardware's approximations here.
// Covered by tests/codegen/clang_test.cpp.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(n)
#define __cluster_dims__(...)
// Without lines of its own: what is inlined is of the line that calls it.
#define GPX_FN static inline __attribute__((always_inline, device, nodebug))

typedef __SIZE_TYPE__ size_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned long uintptr_t;

// ---- Indices, barriers, places in memory -------------------------------------------------------

#define GPX_REGISTER(axis, reg) \
  GPX_FN unsigned get_##axis() { return __nvvm_read_ptx_sreg_##reg##_##axis(); } \
  __declspec(property(get = get_##axis)) unsigned axis;
#define GPX_REGISTERS(name, reg) \
  struct gpx_##name##_t { \
    GPX_REGISTER(x, reg) \
    GPX_REGISTER(y, reg) \
    GPX_REGISTER(z, reg) \
  }; \
  extern const __attribute__((device, weak)) gpx_##name##_t name;
GPX_REGISTERS(threadIdx, tid)
GPX_REGISTERS(blockIdx, ctaid)
GPX_REGISTERS(blockDim, ntid)
GPX_REGISTERS(gridDim, nctaid)
constexpr int warpSize = 32;

GPX_FN int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
GPX_FN int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
GPX_FN int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
GPX_FN void __syncwarp(unsigned mask = ~0u) { __nvvm_bar_warp_sync(mask); }
GPX_FN void __threadfence() { __nvvm_membar_gl(); }
GPX_FN void __threadfence_block() { __nvvm_membar_cta(); }
GPX_FN void __threadfence_system() { __nvvm_membar_sys(); }

#define GPX_CVTA(space, number) \
  GPX_FN size_t __cvta_generic_to_##space(const void* at) { \
    return (size_t)(const __attribute__((address_space(number))) void*)at; \
  }
GPX_CVTA(global, 1)
GPX_CVTA(shared, 3)
GPX_CVTA(constant, 4)
GPX_CVTA(local, 5)

GPX_FN int clock() {
  int now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}
GPX_FN long long clock64() {
  long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

// ---- Atomics -----------------------------------------------------------------------------------

#define GPX_ATOMIC(name, T, builtin) \
  GPX_FN T name(T* at, T value) { return __nvvm_atom_##builtin(at, value); }
#define GPX_LOCKED(name, T, builtin) \
  GPX_FN T name(T* at, T value) { return __atomic_##builtin(at, value, __ATOMIC_RELAXED); }
#define GPX_ATOMICS(T) \
  GPX_LOCKED(atomicAdd, T, fetch_add) \
  GPX_LOCKED(atomicSub, T, fetch_sub) \
  GPX_LOCKED(atomicAnd, T, fetch_and) \
  GPX_LOCKED(atomicOr, T, fetch_or) \
  GPX_LOCKED(atomicXor, T, fetch_xor) \
  GPX_LOCKED(atomicExch, T, exchange_n) \
  GPX_FN T atomicCAS(T* at, T compare, T value) { \
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_RELAXED, \
                                __ATOMIC_RELAXED); \
    return compare; \
  }
GPX_ATOMICS(int)
GPX_ATOMICS(unsigned)
GPX_ATOMICS(unsigned long long)
GPX_ATOMIC(atomicMin, int, min_gen_i)
GPX_ATOMIC(atomicMax, int, max_gen_i)
GPX_ATOMIC(atomicMin, unsigned, min_gen_ui)
GPX_ATOMIC(atomicMax, unsigned, max_gen_ui)
GPX_ATOMIC(atomicMin, unsigned long long, min_gen_ull)
GPX_ATOMIC(atomicMax, unsigned long long, max_gen_ull)
GPX_ATOMIC(atomicAdd, float, add_gen_f)

// ---- Warps -------------------------------------------------------------------------------------

GPX_FN unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
GPX_FN unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
GPX_FN int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
GPX_FN int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }

#define GPX_SHUFFLE(name, T, kind, clamp) \
  GPX_FN T name(unsigned mask, T value, int lane, int width = 32) { \
    return __nvvm_shfl_sync_##kind(mask, value, lane, (32 - width) << 8 | clamp); \
  }
#define GPX_SHUFFLES(T, suffix) \
  GPX_SHUFFLE(__shfl_sync, T, idx_##suffix, 31) \
  GPX_SHUFFLE(__shfl_up_sync, T, up_##suffix, 0) \
  GPX_SHUFFLE(__shfl_down_sync, T, down_##suffix, 31) \
  GPX_SHUFFLE(__shfl_xor_sync, T, bfly_##suffix, 31)
GPX_SHUFFLES(int, i32)
GPX_SHUFFLES(unsigned, i32)
GPX_SHUFFLES(float, f32)

// ---- Vectors and loads of a kind ---------------------------------------------------------------

// The assignments are member by member: clang copies a structure in pieces of 64 bits, and members
// that lie beside each other in one access of 128, as NVRTC does.
#define GPX_METHOD __attribute__((always_inline, device, nodebug))
#define GPX_VECTORS(T, name, a2, a4) \
  struct __attribute__((aligned(a2))) name##2 { \
    T x, y; \
    GPX_METHOD name##2 & operator=(const name##2 & o) { x = o.x, y = o.y; return *this; } \
  }; \
  struct name##3 { T x, y, z; }; \
  struct __attribute__((aligned(a4))) name##4 { \
    T x, y, z, w; \
    GPX_METHOD name##4 & operator=(const name##4 & o) { \
      x = o.x, y = o.y, z = o.z, w = o.w; return *this; \
    } \
  }; \
  GPX_FN name##2 make_##name##2(T x, T y) { return {x, y}; } \
  GPX_FN name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  GPX_FN name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
GPX_VECTORS(unsigned char, uchar, 2, 4)
GPX_VECTORS(short, short, 4, 8)
GPX_VECTORS(unsigned short, ushort, 4, 8)
GPX_VECTORS(int, int, 8, 16)
GPX_VECTORS(unsigned, uint, 8, 16)
GPX_VECTORS(float, float, 8, 16)
GPX_VECTORS(double, double, 16, 16)
GPX_VECTORS(long long, longlong, 16, 16)
GPX_VECTORS(unsigned long long, ulonglong, 16, 16)

#define GPX_LOAD(name, op, T, type, letter) \
  GPX_FN T name(const T* at) { \
    T value; \
    asm volatile("ld.global." op "." type " %0, [%1];" : "=" letter(value) : "l"(at)); \
    return value; \
  }
#define GPX_LOADS(name, op) \
  GPX_LOAD(name, op, int, "s32", "r") \
  GPX_LOAD(name, op, unsigned, "u32", "r") \
  GPX_LOAD(name, op, long long, "s64", "l") \
  GPX_LOAD(name, op, unsigned long long, "u64", "l") \
  GPX_LOAD(name, op, float, "f32", "f") \
  GPX_LOAD(name, op, double, "f64", "d")
GPX_LOADS(__ldg, "nc")
GPX_LOADS(__ldca, "ca")
GPX_LOADS(__ldcg, "cg")
GPX_LOADS(__ldcs, "cs")
GPX_LOADS(__ldcv, "cv")

// ---- Numbers -----------------------------------------------------------------------------------

#define GPX_LEAST(T) \
  GPX_FN T min(T a, T b) { return a < b ? a : b; } \
  GPX_FN T max(T a, T b) { return a > b ? a : b; }
GPX_LEAST(int)
GPX_LEAST(unsigned)
GPX_LEAST(long long)
GPX_LEAST(unsigned long long)
GPX_FN int abs(int a) { return a < 0 ? -a : a; }

GPX_FN int __popc(unsigned a) { return __builtin_popcount(a); }
GPX_FN int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
GPX_FN int __clz(int a) { return a == 0 ? 32 : __builtin_clz(a); }
GPX_FN int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll(a); }
GPX_FN int __ffs(int a) { return __builtin_ffs(a); }
GPX_FN unsigned __brev(unsigned a) { return __builtin_bitreverse32(a); }
GPX_FN int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
GPX_FN unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
GPX_FN long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
GPX_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
GPX_FN int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
GPX_FN unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
GPX_FN float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
GPX_FN float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
GPX_FN int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
GPX_FN unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
GPX_FN double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
GPX_FN long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }

#define GPX_EXACT(T, f, suffix) \
  GPX_FN T fabs##f(T a) { return __builtin_fabs##f(a); } \
  GPX_FN T fmin##f(T a, T b) { return __nvvm_fmin_##suffix(a, b); } \
  GPX_FN T fmax##f(T a, T b) { return __nvvm_fmax_##suffix(a, b); } \
  GPX_FN T fma##f(T a, T b, T c) { return __nvvm_fma_rn_##suffix(a, b, c); } \
  GPX_FN T sqrt##f(T a) { return __nvvm_sqrt_rn_##suffix(a); } \
  GPX_FN T floor##f(T a) { return __nvvm_floor_##suffix(a); } \
  GPX_FN T ceil##f(T a) { return __nvvm_ceil_##suffix(a); } \
  GPX_FN T trunc##f(T a) { return __nvvm_trunc_##suffix(a); }
GPX_EXACT(float, f, f)
GPX_EXACT(double, , d)
GPX_FN float min(float a, float b) { return fminf(a, b); }
GPX_FN float max(float a, float b) { return fmaxf(a, b); }
GPX_FN double min(double a, double b) { return fmin(a, b); }
GPX_FN double max(double a, double b) { return fmax(a, b); }

GPX_FN float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
GPX_FN float exp2f(float a) { return __nvvm_ex2_approx_f(a); }
GPX_FN float log2f(float a) { return __nvvm_lg2_approx_f(a); }
GPX_FN float __expf(float a) { return exp2f(a * 1.4426950408889634f); }
GPX_FN float __logf(float a) { return log2f(a) * 0.6931471805599453f; }
GPX_FN float __sinf(float a) { return __nvvm_sin_approx_f(a); }
GPX_FN float __cosf(float a) { return __nvvm_cos_approx_f(a); }
GPX_FN float __powf(float a, float b) { return exp2f(b * log2f(a)); }
GPX_FN float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
GPX_FN float expf(float a) { return __expf(a); }
GPX_FN float logf(float a) { return __logf(a); }
GPX_FN float sinf(float a) { return __sinf(a); }
GPX_FN float cosf(float a) { return __cosf(a); }
GPX_FN float powf(float a, float b) { return __powf(a, b); }

// As by NVRTC's -default-device: a function that names no side is the device's, too.
#pragma clang force_cuda_host_device begin
