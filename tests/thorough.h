// How much a test draws. The suite takes a few of what is drawn at random or measured at length;
// `./dev test -C Thorough` runs the same case with all of it, too (tests/doctest_main.cpp adds it
// for cases of the test suite kSamples).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <span>

namespace gpx::test {

/// `TEST_CASE("..." * doctest::test_suite(kSamples))`
inline constexpr const char* kSamples = "samples";

inline bool thorough() {
  return std::getenv("GPX_THOROUGH") != nullptr;
}

/// So many of something: few in the suite.
template <class Count>
Count sample_size(Count few, Count all) {
  return thorough() ? all : few;
}

/// The first of a table: those stand first of which each shows something that the others do not.
template <class Row, std::size_t n>
std::span<const Row> sampled(const Row (&table)[n], std::size_t few) {
  static_assert(n > 0);
  return std::span<const Row>(table, thorough() ? n : std::min(few, n));
}

}  // namespace gpx::test
