// What libFuzzer calls for the target that GPX_FUZZ_TARGET names, and what tells it which code an
// input reached: g++ calls a function in every basic block, libFuzzer wants counters.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "targets.h"

extern "C" {

void __sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end);

constexpr std::size_t kCounters = 1 << 17;
static std::uint8_t counters[kCounters];

/// The linker puts it in the place of libFuzzer's own, which refuses to count.
__attribute__((no_sanitize_coverage, no_sanitize("address"), no_sanitize("undefined"))) void
__wrap___sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ++counters[(place ^ place >> 17) % kCounters];
}

int LLVMFuzzerInitialize(int*, char***) {
  __sanitizer_cov_8bit_counters_init(counters, counters + kCounters);
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong =
      gpx::fuzz::GPX_FUZZ_TARGET(std::string(reinterpret_cast<const char*>(data), size));
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "broken promise: %s\n", wrong.c_str());
  std::abort();
}

}  // extern "C"
