// GPX_ASSERT: an invariant of this program, which no input can break, at a place where a type
// cannot state it. What an input can break is an Error with a place, never an assertion. Covered by
// tests/lang/assert_test.cpp and tests/lang/assert_off_test.cpp.
#pragma once

namespace gpx {

/// Prints "file:line: this must hold: condition" to stderr and aborts.
[[noreturn]] void assertion_failed(const char* file, int line, const char* condition);
/// The same with a message: `format` and what follows it as in printf.
[[noreturn, gnu::format(printf, 4, 5)]] void assertion_failed(const char* file, int line,
                                                              const char* condition,
                                                              const char* format, ...);

}  // namespace gpx

/// GPX_ASSERT(condition) or GPX_ASSERT(condition, "format of printf", arguments...). Checks where
/// GPX_ASSERTIONS is defined (an option of CMakeLists.txt); elsewhere evaluates nothing. A
/// condition with a comma outside of parentheses needs parentheses.
#ifdef GPX_ASSERTIONS
#define GPX_ASSERT(condition, ...) \
  ((condition)                     \
       ? static_cast<void>(0)      \
       : ::gpx::assertion_failed(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__))
#else
// Unevaluated, so that what only an assertion uses counts as used.
#define GPX_ASSERT(condition, ...) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
