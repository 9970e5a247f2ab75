// What the numbers of an experiment may be: lang/rules.h.
#include "lang/rules.h"

#include <doctest/doctest.h>

using namespace gpx;

TEST_CASE("a rule admits whole numbers within its limits, and any time") {
  const NumberRule width{"the width", Unit::byte, 1, 16};
  const NumberRule count{"threads", Unit::none, 1, max_count};
  const NumberRule watchdog{"the watchdog", Unit::second, 1e-6, 60};
  struct Row {
    const NumberRule& rule;
    double value;
    bool admitted;
  };
  const Row rows[] = {{width, 0, false},
                      {width, 1, true},
                      {width, 16, true},
                      {width, 17, false},
                      {width, 4.5, false},
                      {count, max_count, true},
                      {count, max_count + 1, false},
                      {watchdog, 0.01, true},
                      {watchdog, 61, false}};
  for (const Row& row : rows) {
    CAPTURE(row.value);
    CHECK(row.rule.admits(row.value) == row.admitted);
  }
  CHECK(width.limits() == "a whole number of bytes from 1B to 16B");
  CHECK(count.limits() == "a whole number, at least 1");
  CHECK(watchdog.limits().find("a time from") == 0);
}

TEST_CASE("an access has a width of the machine, at multiples of it") {
  for (const double width : {1, 2, 4, 8, 16}) CHECK(width_fault(width).empty());
  for (const double width : {3, 5, 6, 12, 15})
    CHECK(width_fault(width).find("it must be 1B, 2B, 4B, 8B or 16B") != std::string::npos);
  CHECK(alignment_fault(128, 16).empty());
  CHECK(alignment_fault(6, 4) ==
        "6B is no multiple of the width 4B: the accesses would not be aligned");
}
