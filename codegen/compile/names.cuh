// What nvcc declares by including the host's headers, and NVRTC does not: short names of types,
// limits, functions of mathematics for integers and of mixed types, and those of namespace std.
// It stands before a file of kernels that does not compile without it
// (codegen/user/file_compiler.h). Covered by tests/codegen/host_code_test.cpp.
#pragma once
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;
typedef unsigned long ulong;

#ifndef alloca
inline __device__ __attribute__((always_inline)) void* alloca(size_t bytes) {
  void* made;
  asm volatile(
      "{ .reg .b64 there; alloca.u64 there, %1, 16; cvta.local.u64 %0, there; }"
      : "=l"(made)
      : "l"(bytes));
  return made;
}
#endif

#ifndef __clang__
#define __builtin_popcount(x) __popc(x)
#define __builtin_popcountll(x) __popcll(x)
#define __builtin_clz(x) __clz((int)(x))
#define __builtin_clzll(x) __clzll((long long)(x))
#define __builtin_ctz(x) (__ffs((int)(x)) - 1)
#define __builtin_ctzll(x) (__ffsll((long long)(x)) - 1)
#define __builtin_ffs(x) __ffs(x)
#endif

namespace gpx_names {
template <class T>
struct kind {
  enum { value = 0 };
};
#define GPX_KIND(T, number) \
  template <> \
  struct kind<T> { \
    enum { value = number }; \
  };
GPX_KIND(float, 1)
GPX_KIND(double, 2)
GPX_KIND(bool, 4)
GPX_KIND(char, 4)
GPX_KIND(signed char, 4)
GPX_KIND(unsigned char, 4)
GPX_KIND(short, 4)
GPX_KIND(unsigned short, 4)
GPX_KIND(int, 4)
GPX_KIND(unsigned, 4)
GPX_KIND(long, 4)
GPX_KIND(unsigned long, 4)
GPX_KIND(long long, 4)
GPX_KIND(unsigned long long, 4)
#undef GPX_KIND
template <bool>
struct when {};
template <>
struct when<true> {
  typedef double type;
};
// Of an integer it is double, of two numbers of different types, too.
template <class T>
struct whole : when<int(kind<T>::value) == 4> {};
template <class A, class B>
struct mixed : when<int(kind<A>::value) != 0 && int(kind<B>::value) != 0 &&
                    (int(kind<A>::value) | int(kind<B>::value)) != 1 &&
                    (int(kind<A>::value) | int(kind<B>::value)) != 2> {};
}  // namespace gpx_names

#define GPX_OF_ONE(f) \
  template <class T> \
  inline __device__ typename gpx_names::whole<T>::type f(T a) { \
    return f(static_cast<double>(a)); \
  }
#define GPX_OF_TWO(f) \
  template <class A, class B> \
  inline __device__ typename gpx_names::mixed<A, B>::type f(A a, B b) { \
    return f(static_cast<double>(a), static_cast<double>(b)); \
  }
GPX_OF_ONE(sqrt)
GPX_OF_ONE(cbrt)
GPX_OF_ONE(exp)
GPX_OF_ONE(exp2)
GPX_OF_ONE(expm1)
GPX_OF_ONE(log)
GPX_OF_ONE(log2)
GPX_OF_ONE(log10)
GPX_OF_ONE(log1p)
GPX_OF_ONE(sin)
GPX_OF_ONE(cos)
GPX_OF_ONE(tan)
GPX_OF_ONE(asin)
GPX_OF_ONE(acos)
GPX_OF_ONE(atan)
GPX_OF_ONE(sinh)
GPX_OF_ONE(cosh)
GPX_OF_ONE(tanh)
GPX_OF_ONE(floor)
GPX_OF_ONE(ceil)
GPX_OF_ONE(round)
GPX_OF_ONE(trunc)
GPX_OF_ONE(rint)
GPX_OF_ONE(erf)
GPX_OF_ONE(fabs)
GPX_OF_TWO(pow)
GPX_OF_TWO(fmin)
GPX_OF_TWO(fmax)
GPX_OF_TWO(fmod)
GPX_OF_TWO(atan2)
GPX_OF_TWO(hypot)
GPX_OF_TWO(copysign)
GPX_OF_TWO(fdim)
#undef GPX_OF_ONE
#undef GPX_OF_TWO

namespace std {
using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::memcpy;
using ::memset;
using ::pow;
using ::printf;
using ::rint;
using ::round;
using ::signbit;
using ::sin;
using ::sinh;
using ::size_t;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
template <class T>
constexpr __device__ const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
constexpr __device__ const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
__device__ void swap(T& a, T& b) {
  T c = a;
  a = b;
  b = c;
}
}  // namespace std
