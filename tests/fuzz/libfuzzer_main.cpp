// What libFuzzer calls for the target that GPX_FUZZ_TARGET names.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong =
      gpx::fuzz::GPX_FUZZ_TARGET(std::string(reinterpret_cast<const char*>(data), size));
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "broken promise: %s\n", wrong.c_str());
  std::abort();
}
