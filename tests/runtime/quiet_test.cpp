// Controls beside measurements: what is late, and a batch that another process disturbs.
#include "runtime/quiet.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "codegen/files/files.h"
#include "runtime/analysis/probe/chase.h"
#include "runtime/analysis/prober.h"
#include "runtime/device/vgpu/virtual_gpu.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

std::vector<double> normal_times(std::mt19937& random, std::size_t count, double mean,
                                 double sigma) {
  std::normal_distribution<double> normal(mean, sigma);
  std::vector<double> times(count);
  for (double& time : times) time = normal(random);
  return times;
}

/// Fig. 4's cache with another process, behind controls.
class Shared {
 public:
  explicit Shared(const std::string& tenant)
      : file_(std::filesystem::temp_directory_path() / fmt::format("gpx-quiet-{}.lua", getpid())) {
    auto text = file_text(GPX_SOURCE_DIR "/stdlib/devices/fig4.lua");
    REQUIRE(text);
    text->replace(text->find("\"fig4\""), 6, "\"shared_fig4\"");
    text->insert(text->rfind('}'), "  tenant = { " + tenant + " },\n");
    std::ofstream(file_) << *text;
    auto opened = vgpu::open(file_.string(), 1);
    if (!opened) FAIL(render(opened.error()));
    backend = watched(std::move(*opened), GPX_SOURCE_DIR "/stdlib");
    prober = make_prober(*backend, stop, 1);
  }
  ~Shared() { std::filesystem::remove(file_); }

  Result<ChaseLatencies> hits() {
    ChaseRequest request;
    request.array_bytes = 1 << 16;
    request.offsets = {0, 32, 64, 96};
    request.warm_passes = 2;
    request.observed_passes = 16;
    return prober->ask(request);
  }

  std::unique_ptr<Backend> backend;
  std::atomic<bool> stop = false;
  std::unique_ptr<Prober> prober;

 private:
  std::filesystem::path file_;
};

}  // namespace

TEST_CASE("a reference of normal times takes none of ten thousand more for late or early") {
  std::mt19937 random(7);
  unsigned off = 0, repeat = 0;
  for (int device = 0; device < 100; ++device) {
    const Reference reference(normal_times(random, 32, 1000, 20));
    repeat += reference.repeats();
    for (const double time : normal_times(random, 100, 1000, 20))
      off += reference.late(time) || reference.early(time);
  }
  CHECK(repeat >= 90);  // one that does not is taken again
  CHECK(off <= 20);     // the scatter itself is known from 32 times only
}

TEST_CASE("a reference that another process disturbs half of the time does not repeat") {
  std::mt19937 random(7);
  std::vector<double> times = normal_times(random, 16, 1000, 5);
  for (const double slow : normal_times(random, 16, 1300, 5)) times.push_back(slow);
  const Reference mixed(times);
  CHECK(!mixed.repeats());
  CHECK(mixed.late(1300));
  CHECK(!mixed.late(1000));
}

TEST_CASE("a quiet control is early beside a reference that was disturbed all along") {
  std::mt19937 random(7);
  const Reference reference(normal_times(random, 32, 1300, 10));
  CHECK(reference.repeats());
  CHECK(reference.early(1000));
}

TEST_CASE("few controls are late by chance") {
  CHECK(late_by_chance(0) == 0);
  CHECK(late_by_chance(1'000) <= 3);
  CHECK(late_by_chance(100'000) >= late_by_chance(1'000));
}

TEST_CASE("a device that nobody else can use has no controls") {
  auto opened = vgpu::open(GPX_SOURCE_DIR "/stdlib/devices/fig4.lua", 1);
  REQUIRE(opened);
  Backend* const direct = opened->get();
  CHECK(watched(std::move(*opened), GPX_SOURCE_DIR "/stdlib").get() == direct);
}

TEST_CASE("another_tenant: hits are measured between its bursts, and it is said") {
  GPX_NEEDS_NVRTC();
  Shared device("duty = 0.5, burst = \"2000 us\", latency = \"300 clocks\", listed = 1");
  for (int i = 0; i < 60; ++i) {
    const auto hits = device.hits();
    if (!hits) FAIL(render(hits.error()));
    CHECK(std::accumulate(hits->begin(), hits->end(), 0.0) / static_cast<double>(hits->size()) <
          40);  // 20 clocks, and what reading a clock takes
  }
  const CoRunner seen = device.backend->co_runner();
  CHECK(seen.seen());
  CHECK(seen.again > 0);
  CHECK(to_string(seen).find("another process used the device") != std::string::npos);
}

TEST_CASE("a control that is faster than its reference is no other process") {
  const CoRunner seen{.controls = 100, .again = 1, .voided = 1};
  CHECK(!seen.seen());
  CHECK(to_string(seen) ==
        "a control measurement was faster than the reference, which was taken anew: 0 of 100 "
        "control measurements were disturbed; 1 batches were run again");
}

TEST_CASE("another_tenant that never rests: no value, and the reason") {
  GPX_NEEDS_NVRTC();
  Shared device("duty = 0.95, burst = \"50 us\", latency = \"300 clocks\"");
  const auto hits = device.hits();
  if (hits) return;  // by chance between two bursts
  CHECK(hits.error().fault == Fault::input);
  CHECK(hits.error().diagnostics.front().message.find("another process") != std::string::npos);
  CHECK(device.backend->co_runner().given_up > 0);
}

TEST_CASE("another_tenant's memory is not asked for: a refusal, not a failure") {
  GPX_NEEDS_NVRTC();
  Shared device("duty = 0.01, burst = \"10 us\", memory = \"3 GB\"");
  ChaseRequest request;
  request.array_bytes = device.backend->free_memory() + (1 << 20);
  request.offsets = {0};
  request.warm_passes = request.observed_passes = 1;
  const auto answer = device.prober->ask(request);
  REQUIRE(!answer);
  CHECK(answer.error().fault == Fault::input);
}
