// GPX_TRY: lang/try.h.
#include "lang/try.h"

#include <doctest/doctest.h>

#include <memory>

#include "lang/diagnostic.h"

namespace {

using namespace gpx;

Result<std::unique_ptr<int>> made(bool fails) {
  if (fails) return fail(Fault::device, "it failed");
  return std::make_unique<int>(7);
}

Result<void> checked(bool fails) {
  if (fails) return fail(Fault::input, "it is wrong");
  return {};
}

Result<int> both(bool wrong, bool fails, int& reached) {
  GPX_TRY(checked(wrong));
  ++reached;
  const auto number = GPX_TRY(made(fails));
  ++reached;
  return *number;
}

TEST_CASE("GPX_TRY gives the value, or leaves with the error") {
  int reached = 0;
  CHECK(both(false, false, reached) == 7);
  CHECK(reached == 2);
  const auto wrong = both(true, true, reached);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().diagnostics.front().message == "it is wrong");
  CHECK(reached == 2);
  const auto failed = both(false, true, reached);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().fault == Fault::device);
  CHECK(reached == 3);
}

}  // namespace
