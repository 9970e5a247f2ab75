// Interface: codegen/compile/standard_headers.h.
#include "codegen/compile/standard_headers.h"

namespace gpx::codegen {
namespace {

// The types of the toolkit's own library, where there is one: a file may include both.
constexpr const char* kStdint = R"(#pragma once
#if __has_include(<cuda/std/cstdint>)
#include <cuda/std/cstdint>
#elif !defined(__clang__)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
#endif
#ifndef INT8_MAX
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807LL
#define INT8_MIN (-INT8_MAX - 1)
#define INT16_MIN (-INT16_MAX - 1)
#define INT32_MIN (-INT32_MAX - 1)
#define INT64_MIN (-INT64_MAX - 1)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615ULL
#endif
)";

constexpr const char* kCstdint = R"(#pragma once
#include <stdint.h>
namespace std {
using ::int8_t;
using ::uint8_t;
using ::int16_t;
using ::uint16_t;
using ::int32_t;
using ::uint32_t;
using ::int64_t;
using ::uint64_t;
using ::uintptr_t;
}
)";

constexpr const char* kStddef = R"(#pragma once
#if __has_include(<cuda/std/cstddef>)
#include <cuda/std/cstddef>
#endif
#ifndef NULL
#define NULL 0
#endif
)";

constexpr const char* kLimits = R"(#pragma once
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-LONG_MAX - 1)
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ULL
#endif
)";

constexpr const char* kFloat = R"(#pragma once
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
)";

constexpr const char* kMath = R"(#pragma once
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_SQRT2 1.41421356237309504880
#endif
#ifndef INFINITY
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
#endif
)";

// NVRTC has assert without its header. clang has none for a device without the toolkit.
constexpr const char* kAssert = R"(
#if defined NDEBUG || defined __clang__
#undef assert
#define assert(condition) ((void)0)
#endif
)";

// Their functions for the device (printf, memcpy, malloc) are the compiler's.
constexpr const char* kNothing = "#pragma once\n";

constexpr StandardHeader kHeaders[] = {
    {"stdint.h", kStdint},  {"cstdint", kCstdint}, {"stddef.h", kStddef},  {"cstddef", kStddef},
    {"limits.h", kLimits},  {"climits", kLimits},  {"float.h", kFloat},    {"cfloat", kFloat},
    {"math.h", kMath},      {"cmath", kMath},      {"assert.h", kAssert},  {"cassert", kAssert},
    {"stdio.h", kNothing},  {"cstdio", kNothing},  {"stdlib.h", kNothing}, {"cstdlib", kNothing},
    {"string.h", kNothing}, {"cstring", kNothing},
};

}  // namespace

std::span<const StandardHeader> standard_headers() {
  return kHeaders;
}

}  // namespace gpx::codegen
