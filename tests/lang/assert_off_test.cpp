// GPX_ASSERT where it is off: it evaluates nothing, and what only it uses causes no warning.
#undef GPX_ASSERTIONS
#include <doctest/doctest.h>

#include "lang/assert.h"

namespace {

TEST_CASE("assertions that are off evaluate nothing") {
  int evaluated = 0;
  const auto fails = [&] { return ++evaluated < 0; };
  GPX_ASSERT(fails());
  GPX_ASSERT(fails(), "number %d", ++evaluated);
  CHECK(evaluated == 0);
}

}  // namespace
