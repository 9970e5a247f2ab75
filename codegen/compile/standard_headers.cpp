// Interface: codegen/compile/standard_headers.h.
#include "codegen/compile/standard_headers.h"

#include <iterator>
#include <string>
#include <vector>

#include "codegen/compile/clang/device_text.h"

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

constexpr const char* kMinMax = R"(#pragma once
#if defined(GPX_WHOLE_STD) && __has_include(<cuda/std/utility>)
#include <cuda/std/utility>
namespace std { using namespace cuda::std; }
#endif
)";

constexpr const char* kNumericLimits = R"(#pragma once
#if __has_include(<cuda/std/limits>)
#include <cuda/std/limits>
namespace std { using cuda::std::numeric_limits; }
#endif
)";

// What kernels use of it; the rest launches kernels, and is for the host.
constexpr const char* kCub = R"(#pragma once
#if __has_include(<cub/block/block_reduce.cuh>)
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#endif
)";

// The toolkit's library takes a second to read: it is there where a file does not compile without.
#define GPX_LIBRARY(name)                                                               \
  {                                                                                     \
#name, "#pragma once\n#if defined(GPX_WHOLE_STD) && __has_include(<cuda/std/" #name \
           ">)\n#include <cuda/std/" #name                                              \
           ">\nnamespace std { using namespace cuda::std; }\n#endif\n"                  \
  }

constexpr StandardHeader kOwn[] = {
    {"stdint.h", kStdint},   {"cstdint", kCstdint},   {"stddef.h", kStddef},
    {"cstddef", kStddef},    {"limits.h", kLimits},   {"climits", kLimits},
    {"float.h", kFloat},     {"cfloat", kFloat},      {"math.h", kMath},
    {"cmath", kMath},        {"assert.h", kAssert},   {"cassert", kAssert},
    {"inttypes.h", kStdint}, {"cinttypes", kCstdint}, {"limits", kNumericLimits},
    {"cub/cub.cuh", kCub},   {"algorithm", kMinMax},  GPX_LIBRARY(array),
    GPX_LIBRARY(atomic),     GPX_LIBRARY(bit),        GPX_LIBRARY(chrono),
    GPX_LIBRARY(complex),    GPX_LIBRARY(functional), GPX_LIBRARY(iterator),
    GPX_LIBRARY(memory),     GPX_LIBRARY(numeric),    GPX_LIBRARY(optional),
    GPX_LIBRARY(span),       GPX_LIBRARY(tuple),      GPX_LIBRARY(type_traits),
    GPX_LIBRARY(utility),    GPX_LIBRARY(variant),    GPX_LIBRARY(initializer_list),
    GPX_LIBRARY(concepts),
};
#undef GPX_LIBRARY

// What they declare is for the host, or the compiler's own (printf, memcpy, malloc).
constexpr const char* kOfTheHost[] = {"bitset",        "cctype",        "cerrno",
                                      "clocale",       "codecvt",       "condition_variable",
                                      "csignal",       "cstdarg",       "cstdio",
                                      "cstdlib",       "cstring",       "ctime",
                                      "ctype.h",       "cwchar",        "deque",
                                      "dirent.h",      "errno.h",       "exception",
                                      "fcntl.h",       "filesystem",    "forward_list",
                                      "fstream",       "future",        "getopt.h",
                                      "iomanip",       "ios",           "iosfwd",
                                      "iostream",      "istream",       "list",
                                      "locale",        "locale.h",      "malloc.h",
                                      "map",           "memory.h",      "mpi.h",
                                      "mutex",         "new",           "omp.h",
                                      "ostream",       "pthread.h",     "queue",
                                      "random",        "regex",         "sched.h",
                                      "set",           "setjmp.h",      "shared_mutex",
                                      "signal.h",      "sstream",       "stack",
                                      "stdarg.h",      "stdbool.h",     "stdexcept",
                                      "stdio.h",       "stdlib.h",      "streambuf",
                                      "string",        "string.h",      "string_view",
                                      "strings.h",     "sys/mman.h",    "sys/resource.h",
                                      "sys/stat.h",    "sys/time.h",    "sys/types.h",
                                      "system_error",  "thread",        "time.h",
                                      "typeindex",     "typeinfo",      "unistd.h",
                                      "unordered_map", "unordered_set", "valarray",
                                      "values.h",      "vector",        "wchar.h"};

}  // namespace

std::span<const StandardHeader> standard_headers() {
  static const std::vector<StandardHeader> all = [] {
    std::vector<StandardHeader> made(std::begin(kOwn), std::end(kOwn));
    for (const char* name : kOfTheHost) made.push_back({name, "#pragma once\n"});
    static const std::string names(clang_text::names);
    made.push_back({kNamesHeader, names.c_str()});
    return made;
  }();
  return all;
}

}  // namespace gpx::codegen
