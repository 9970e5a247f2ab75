// What libFuzzer calls for the target that GPX_FUZZ_TARGET names. GPX_FUZZ_CPU_SECONDS: ends after
// so much time of the processor, which libFuzzer, whose limits are a clock's, does not count.
#ifdef GPX_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "mutate.h"
#include "targets.h"

static bool time_is_up() {
  static const char* const limit = std::getenv("GPX_FUZZ_CPU_SECONDS");
  static const double seconds = limit ? std::atof(limit) : 0;
  return seconds > 0 && static_cast<double>(std::clock()) / CLOCKS_PER_SEC >= seconds;
}

/// After many inputs: what is kept between two of them (inputs that were taken, the store) is no
/// leak, but would make libFuzzer look for one after each.
static bool leaks() {
#ifdef GPX_SANITIZED
  static unsigned inputs = 0;
  return ++inputs % 5000 == 0 && __lsan_do_recoverable_leak_check() != 0;
#else
  return false;
#endif
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  gpx::fuzz::taken = false;
  const std::string wrong = gpx::fuzz::GPX_FUZZ_TARGET(input);
  if (gpx::fuzz::taken) gpx::fuzz::keep(input);
  if (time_is_up()) std::raise(SIGINT);  // libFuzzer says how far it came and exits with 72.
  if (wrong.empty() && !leaks()) return 0;
  std::fprintf(stderr, "broken promise: %s\n", wrong.empty() ? "a leak" : wrong.c_str());
  std::abort();
}
