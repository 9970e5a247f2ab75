// Which blocks a sample of a grid takes, what it makes of their times, and how well it knows them.
#include "runtime/device/vgpu/timing/grid_sample.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

#include "runtime/device/backend.h"
#include "runtime/device/vgpu/exec/coalescing.h"
#include "runtime/device/vgpu/timing/sample_error.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::timing;

namespace {

using Blocks = std::function<Clk(std::uint64_t)>;

/// An SM that holds `resident` blocks and takes `clocks` for each, all at once: when it has ended,
/// and with it a memory that takes `behind` for what a block leaves, one block after another.
Clk ends(GridSample& sample, unsigned resident, const Blocks& clocks, std::set<std::uint64_t>* run,
         Clk behind = 0) {
  using End = std::pair<Clk, std::uint64_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> running;
  std::uint64_t number = 0;
  Clk now = 0, done = 0;
  const auto fill = [&] {
    while (running.size() < resident && !sample.empty(now)) {
      const std::uint64_t block = sample.take(now);
      if (run) run->insert(block);
      running.push({now + clocks(block), number++});
    }
  };
  for (fill(); !running.empty(); fill()) {
    now = running.top().first;
    done = std::max(done, now) + behind;
    sample.ended(running.top().second, now, done);
    running.pop();
  }
  return done;
}

/// The same of the whole grid on all SMs.
Clk whole(std::uint64_t blocks, unsigned sms, unsigned resident, const Blocks& clocks) {
  std::priority_queue<Clk, std::vector<Clk>, std::greater<>> running;
  Clk end = 0;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    Clk now = 0;
    if (running.size() == std::uint64_t{sms} * resident) now = running.top(), running.pop();
    running.push(now + clocks(block));
    end = std::max(end, now + clocks(block));
  }
  return end;
}

struct Row {
  const char* what;
  std::uint64_t blocks;
  unsigned sms, resident;
  Blocks clocks;
  double within;  ///< The error that it may state; above: it must refuse.
};

}  // namespace

TEST_CASE("a sample's time lies within the error that it states") {
  const Blocks alike = [](std::uint64_t) { return Clk{1000}; };
  const Blocks ramp = [](std::uint64_t b) { return static_cast<Clk>(100 + b); };
  const Blocks columns = [](std::uint64_t b) { return b % 2 == 0 ? Clk{500} : Clk{1000}; };
  const Blocks hill = [](std::uint64_t b) {
    const double y = static_cast<double>(b / 64) / 64 - 0.5,
                 x = static_cast<double>(b % 64) / 64 - 0.5;
    return x * x + y * y < 0.08 ? Clk{20000} : Clk{500};
  };
  for (const Row& row : {Row{"alike", 4096, 30, 4, alike, kLeastSampleError + 0.001},
                         Row{"few", 270, 30, 4, alike, kLeastSampleError + 0.001},
                         Row{"ragged", 30 * 41 + 7, 30, 5, alike, kLeastSampleError + 0.001},
                         Row{"a ramp", 4096, 16, 8, ramp, gpx::kMostTimeError},
                         Row{"columns that alternate", 3000, 30, 2, columns, gpx::kMostTimeError},
                         Row{"a hill", 4096, 16, 4, hill, gpx::kMostTimeError}}) {
    CAPTURE(row.what);
    GridSample sample({row.blocks, row.sms, row.resident});
    std::set<std::uint64_t> run;
    const Clk simulated = ends(sample, row.resident, row.clocks, &run);
    const auto time = static_cast<double>(sample.time(simulated));
    const auto truth = static_cast<double>(whole(row.blocks, row.sms, row.resident, row.clocks));
    const double error = sample.error(simulated);
    CAPTURE(sample.blocks_run());
    CAPTURE(time);
    CAPTURE(truth);
    CHECK(error >= kLeastSampleError);
    CHECK(error <= row.within);
    // The error is of 95 %; of 99 % it is 1.31 times as large.
    CHECK(std::abs(time / truth - 1) <= std::max(1.31 * error, 0.001));
    CHECK(*run.rbegin() < row.blocks);
    CHECK(sample.blocks_run() < row.blocks / 2);
  }
}

TEST_CASE("a memory that falls behind with each block does so with those that are not run") {
  const Blocks alike = [](std::uint64_t b) { return 990 + b % 21; };
  for (const Clk behind : {Clk{0}, Clk{100}, Clk{200}, Clk{400}}) {
    CAPTURE(behind);
    GridSample sample({60000, 30, 8});
    // 2,000 blocks of an SM; eight end in 1,000 clocks.
    const double truth = std::max(2000.0 * 1000 / 8, 2000.0 * static_cast<double>(behind));
    const Clk time = sample.time(ends(sample, 8, alike, nullptr, behind));
    CHECK(static_cast<double>(time) == doctest::Approx(truth).epsilon(0.04));
  }
}

TEST_CASE("a sample of blocks that differ too much says so") {
  const Blocks rare = [](std::uint64_t b) { return b % 4 == 1 ? Clk{1000000} : Clk{1000}; };
  GridSample sample({4096, 30, 4});
  CHECK(sample.error(ends(sample, 4, rare, nullptr)) > gpx::kMostTimeError);
  const Blocks unequal = [](std::uint64_t b) { return b % 2 == 0 ? Clk{100} : Clk{1000}; };
  GridSample wave({60, 15, 4});  // one wave: the slowest block is the time
  CHECK(wave.error(ends(wave, 4, unequal, nullptr)) > gpx::kMostTimeError);
  GridSample single({30, 30, 4});
  CHECK(std::isinf(single.error(ends(single, 1, unequal, nullptr))));
}

TEST_CASE("the error of a mean: none where all is alike, less where it changes slowly") {
  std::vector<SampledBlock> alike, slow, noisy;
  for (std::uint64_t i = 0; i < 64; ++i) {
    alike.push_back({i, 5});
    slow.push_back({i, static_cast<double>(i)});
    noisy.push_back({i, static_cast<double>(i * 37 % 64)});
  }
  CHECK(mean_error(alike) == 0);
  CHECK(mean_error(slow) < 0.01);
  CHECK(mean_error(noisy) > 0.05);
  CHECK(std::isinf(mean_error({{0, 1}})));
}
