// What a library that is loaded with a program may do to it: FPM=ftz, up, zero or trap. Used by
// fp_environment.sh.
#include <cfenv>
#include <cstdlib>
#include <string_view>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

__attribute__((constructor)) static void set_environment() {
  const char* text = std::getenv("FPM");
  const std::string_view mode = text ? text : "";
#ifdef __SSE__
  if (mode == "ftz") _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  if (mode == "up") std::fesetround(FE_UPWARD);
  if (mode == "zero") std::fesetround(FE_TOWARDZERO);
#ifdef __GLIBC__
  if (mode == "trap") feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
#endif
}
