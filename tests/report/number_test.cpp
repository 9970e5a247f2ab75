#include "runtime/report/number.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace gpx::report;

TEST_CASE("exact numbers read back as themselves and integers have no point") {
  CHECK(exact(44) == "44");
  CHECK(exact(-3) == "-3");
  CHECK(exact(0.1) == "0.1");
  CHECK(exact(9007199254740992.0) == "9007199254740992");
  CHECK(exact(1.0 / 3) == "0.3333333333333333");
  CHECK(exact(NAN) == "");
  CHECK(exact(INFINITY) == "");
}

TEST_CASE("a number with its unit is scaled as people write it") {
  const struct {
    double value;
    const char* unit;
    const char* text;
  } rows[] = {
      {46150000, "B", "44.01 MB"},      {16640, "B", "16640 B"},       {786432, "B", "768 KB"},
      {25565184, "B", "24.38 MB"},      {128, "B", "128 B"},           {1536, "B", "1536 B"},
      {5368709120, "B", "5 GB"},        {0.01, "s", "10 ms"},          {1.5e9, "Hz", "1.5 GHz"},
      {2.5e-6, "s", "2.5 µs"},          {44, "entries", "44 entries"}, {11.0, "", "11"},
      {0.98765, "", "0.9877"},          {NAN, "clocks", "–"},          {0, "s", "0 s"},
      {1e12, "clocks", "1e+12 clocks"},
  };
  for (const auto& row : rows) CHECK(with_unit(row.value, row.unit) == row.text);
}

TEST_CASE("brief numbers have four digits but large ones keep their whole part") {
  CHECK(brief(12345.67) == "12346");
  CHECK(brief(283.4567) == "283.5");
  CHECK(brief(1.5e9) == "1.5e+09");
  CHECK(brief(-INFINITY) == "-inf");
}

TEST_CASE("tick labels shorten thousands") {
  CHECK(tick(500, "clocks") == "500");
  CHECK(tick(1500, "clocks") == "1500");
  CHECK(tick(50000, "") == "50k");
  CHECK(tick(2.5e6, "") == "2.5M");
  CHECK(tick(1048576, "B") == "1 MB");
  CHECK(tick(0, "") == "0");
}
