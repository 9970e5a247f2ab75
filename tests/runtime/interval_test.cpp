// The interval of a prediction: its quantiles, and that it covers families that it was not found
// from as often as it says.
#include "runtime/predict/interval.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "tests/folder.h"

using namespace gpx;

namespace {

std::vector<PredictionError> alike(std::initializer_list<double> families) {
  std::vector<PredictionError> errors;
  for (const double each : families)
    for (const double sign : {-1.0, 1.0})
      errors.push_back({"h100", "family " + std::to_string(errors.size() / 2), sign * each});
  return errors;
}

}  // namespace

TEST_CASE("the interval reaches as far as nine of ten families, and one more") {
  const auto nine = alike({.01, .02, .03, .04, .05, .06, .07, .08, .3});
  const auto interval = interval_of(nine, "h100");
  REQUIRE(interval.has_value());
  CHECK(interval->factor == doctest::Approx(std::exp(0.3)));  // rank 9 of 9
  CHECK(interval->families == 9);
  CHECK(interval->kernels == 18);
  auto more = alike({.01, .02, .03, .04, .05, .06, .07, .08, .09, .10, .11, .12, .13, .14, .15, .16,
                     .17, .18, .3});
  CHECK(interval_of(more, "h100")->factor == doctest::Approx(std::exp(0.18)));  // rank 18 of 19
}

TEST_CASE("too few families, or those of another device, give no interval") {
  CHECK_FALSE(interval_of(alike({.1, .1, .1, .1, .1, .1, .1, .1}), "h100").has_value());
  CHECK_FALSE(interval_of(alike({.1, .1, .1, .1, .1, .1, .1, .1, .1}), "h200").has_value());
}

TEST_CASE("nine of ten kernels of families that were not seen lie in it") {
  std::mt19937 random(7);
  std::normal_distribution<double> family(0, 0.1), kernel(0, 0.05);
  unsigned inside = 0, all = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<PredictionError> errors;
    for (int f = 0; f < 12; ++f) {
      const double shift = family(random);
      for (int k = 0; k < 6; ++k)
        errors.push_back({"h100", std::to_string(f), shift + kernel(random)});
    }
    const double reach = std::log(interval_of(errors, "h100")->factor);
    const double shift = family(random);
    for (int k = 0; k < 6; ++k, ++all) inside += std::abs(shift + kernel(random)) <= reach;
  }
  CHECK(inside >= 0.88 * all);
  CHECK(inside < all);
}

TEST_CASE("the records of errors are read line by line") {
  const test::TemporaryFolder folder;
  const auto write = [&](const char* text) { folder.write("predict/errors.csv", text); };
  write("device,family,name,log_ratio\nh200,scan,scan_warps,-0.25\n");
  const auto errors = read_errors(folder.path());
  REQUIRE(errors.has_value());
  REQUIRE(errors->size() == 1);
  CHECK(errors->front().family == "scan");
  CHECK(errors->front().log_ratio == -0.25);
  write("device,family,name,log_ratio\nh200,scan\n");
  const auto wrong = read_errors(folder.path());
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().diagnostics.front().message.find("errors.csv:2: expected") !=
        std::string::npos);
  std::filesystem::remove_all(folder.path());
  CHECK(read_errors(folder.path())->empty());
}
