// What tells sampled times from measured ones.
#include "runtime/measure/sampled.h"

#include <doctest/doctest.h>

#include <limits>

using namespace gpx;

namespace {

Column column(const char* name, std::vector<double> numbers) {
  return {name, Unit::none, Column::Role::observed, false, std::move(numbers), {}};
}

}  // namespace

TEST_CASE("times of samples are counted, with the worst error") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Samples samples{{column("time", {1, 2, 3, none}), column("blocks_run", {8, 100, 9, none}),
                         column("sample_error", {0.01, 0, 0.0421, none}),
                         column("blocks", {100, 100, 100, 100})}};
  const auto sampled = sampled_times(samples);
  REQUIRE(sampled.has_value());
  CHECK(sampled->rows == 2);
  CHECK(sampled->of_rows == 3);
  CHECK(to_string(*sampled) ==
        "2 of 3 times are of a sample of the grid's blocks, known to ±4.3 % or better (columns "
        "blocks_run and sample_error); --whole runs all");
  CHECK(shown_name(samples, samples.columns[0]) == "time (sampled)");
  CHECK(shown_name(samples, samples.columns[1]) == "blocks_run");
}

TEST_CASE("where all blocks were run nothing is said") {
  const Samples whole{{column("time", {1}), column("blocks_run", {8}), column("sample_error", {0}),
                       column("blocks", {8})}};
  CHECK_FALSE(sampled_times(whole).has_value());
  CHECK_FALSE(sampled_times({{column("latency", {1})}}).has_value());
  CHECK(shown_name(whole, whole.columns[0]) == "time");
}
