// Where a broken invariant is reported. Interface: assert.h; covered by tests/lang/assert_test.cpp.
#include "lang/assert.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace gpx {

void assertion_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: this must hold: %s\n", file, line, condition);
  std::abort();
}

void assertion_failed(const char* file, int line, const char* condition, const char* format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "%s:%d: this must hold: %s (%s)\n", file, line, condition, message);
  std::abort();
}

}  // namespace gpx
