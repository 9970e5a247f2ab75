// What tells libFuzzer which code an input reached: g++ calls a function in every basic block,
// libFuzzer wants counters. Every program of a build with GPX_FUZZ has it, also those that do not
// fuzz.
#include <cstddef>
#include <cstdint>

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

/// Comparisons of floating point, which libFuzzer does not look at.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}

int LLVMFuzzerInitialize(int*, char***) {
  __sanitizer_cov_8bit_counters_init(counters, counters + kCounters);
  return 0;
}

}  // extern "C"
