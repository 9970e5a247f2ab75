// FloatEnvironment: while it lives this thread rounds to nearest, keeps subnormal numbers and does
// not trap, whatever the program around gpx has set: a module linked with -ffast-math flushes
// subnormals in the whole thread. A thread starts with its creator's environment, a forked process
// keeps it. A library that is opened may change it, too. Covered by
// tests/embed/float_environment_test.cpp.
#pragma once

#include <cfenv>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace gpx {

class FloatEnvironment {
 public:
  FloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
#ifdef __SSE__
    _mm_setcsr(0x1f80);  // Not every C library's default clears flush-to-zero.
#endif
  }
  ~FloatEnvironment() {
    std::fesetenv(&before_);
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace gpx
