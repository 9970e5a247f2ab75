// What was planted, as the findings should say it: one truth for each parameter of a level, with
// the reason where there is nothing to decide. Covered by tests/bench/recover_test.cpp.
#pragma once

#include <string>

#include "tests/bench/planted.h"
#include "tests/bench/random_device.h"

namespace gpx::bench {

/// Plants truths in a device; what is set here holds for what is planted from then on.
class Truths {
 public:
  explicit Truths(RandomDevice& device) : device_(device) {}

  double noise = 0;                ///< The most that noise adds to an access.
  std::string hidden;              ///< Truth::hidden.
  std::string undecidable;         ///< Truth::undecidable...
  bool latency_shows = false;      ///< ...but not of latencies.
  std::string policy_undecidable;  ///< The same of policies alone.
  bool set_functions = false;      ///< Which lines share a set is planted, too.

  void number(const std::string& finding, const std::string& parameter, std::uint64_t value);
  void word(const std::string& finding, const std::string& parameter, const std::string& value);
  /// Of accesses at several distances: between the nearest and the farthest.
  void latency(const std::string& finding, double least, double most);
  void level(const std::string& prefix, const Cache& cache, const std::string& line, double least,
             double most);
  /// What follows lies behind `near`, and nothing goes round that.
  void hide_behind(const Cache& near);

 private:
  void policy(const std::string& prefix, const Cache& cache);
  void set_function(const std::string& prefix, const Cache& cache);
  void add(Truth truth);

  RandomDevice& device_;
};

}  // namespace gpx::bench
