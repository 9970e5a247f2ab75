// A loop whose steps need nothing of each other, over the machine's cores.
// Covered by tests/codegen/compile_test.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "lang/float_environment.h"
#include "lang/stop.h"

namespace gpx::codegen {

/// 0: as many as the machine has cores.
inline std::size_t jobs_of(std::size_t wanted) {
  return wanted ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

/// step(begin, end) for parts of [0, count) of `together` at most, each on the next thread that is
/// free. Returns when all are done, or when the caller's StopScope is raised: who calls it looks.
/// `step` throws nothing.
template <class Step>
void in_parallel(std::size_t count, std::size_t together, std::size_t jobs, Step step) {
  std::atomic<std::size_t> next{0};
  const auto worker = [&, flag = StopScope::flag()] {
    const StopScope scope(flag);
    const FloatEnvironment plain_numbers;
    for (std::size_t i = next.fetch_add(together); i < count && !StopScope::raised();
         i = next.fetch_add(together))
      step(i, std::min(i + together, count));
  };
  const std::size_t parts = (count + together - 1) / together;
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(jobs_of(jobs), parts); ++i) threads.emplace_back(worker);
  worker();
  for (std::thread& thread : threads) thread.join();
}

/// Steps of milliseconds each, such as proofs: a thread takes some of them at once.
inline constexpr std::size_t kFewSteps = 4;

}  // namespace gpx::codegen
