// A caller's floating-point environment: lang/float_environment.h.
#include <doctest/doctest.h>

#include <cfenv>
#include <functional>
#include <string>
#include <vector>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "runtime/embed/gpx/gpx.h"

namespace {

/// What is sampled and found: steps that multiply, quotients, fits.
std::vector<double> numbers() {
  const std::string text =
      "experiment blocks {\n  sweep blocks 1..16 step x2\n  threads 64\n"
      "  < load unique(128B) >\n}\n"
      "experiment loads {\n  cite lashgar2015 LA8\n  sweep n 1..2, threads 32..1024 step 32\n"
      "  < load unique(128B) x n >\n  analyze outstanding(x = threads, loads = n)\n}\n";
  gpx::Session session({GPX_SOURCE_DIR, ""});
  gpx::RunOptions options;
  options.device = "k20";
  const auto run = session.run({"rounding.gpx", text}, options);
  REQUIRE_MESSAGE(run, (run ? "" : run.error().text));
  std::vector<double> all;
  for (const gpx::Outcome& outcome : *run) {
    for (const gpx::Column& column : outcome.samples.columns)
      all.insert(all.end(), column.numbers.begin(), column.numbers.end());
    for (const gpx::Finding& finding : outcome.findings)
      all.insert(all.end(), {finding.low.value_or(-1), finding.high.value_or(-1)});
  }
  return all;
}

struct Setting {
  const char* name;
  std::function<void()> set;
};

std::vector<Setting> settings() {
  std::vector<Setting> all = {
      {"up", [] { std::fesetround(FE_UPWARD); }},
      {"zero", [] { std::fesetround(FE_TOWARDZERO); }},
#ifdef __GLIBC__
      {"trap", [] { feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_INEXACT); }},
#endif
  };
#ifdef __SSE__
  all.push_back({"ftz", [] { _mm_setcsr(_mm_getcsr() | 0x8040); }});
#endif
  return all;
}

}  // namespace

TEST_CASE("fp_environment: the caller's rounding, flushing and traps do not count, and come back") {
  const std::vector<double> plain = numbers();
  CHECK_FALSE(plain.empty());
  for (const Setting& setting : settings()) {
    CAPTURE(std::string(setting.name));
    std::fenv_t before;
    std::fegetenv(&before);
    setting.set();
    const int rounding = std::fegetround();
#ifdef __SSE__
    const unsigned control = _mm_getcsr() & ~0x3fu;  // The rest says what has happened.
#endif
    const std::vector<double> seen = numbers();
    const int rounding_after = std::fegetround();
#ifdef __SSE__
    const unsigned control_after = _mm_getcsr() & ~0x3fu;
#endif
    std::fesetenv(&before);
    CHECK(seen == plain);
    CHECK(rounding_after == rounding);
#ifdef __SSE__
    CHECK(control_after == control);
#endif
  }
}
