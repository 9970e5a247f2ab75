// Another process on a virtual GPU: its bursts, its time slices, and what a launch sees of them.
#include "runtime/device/vgpu/timing/tenant.h"

#include <doctest/doctest.h>

using namespace gpx::vgpu;
using namespace gpx::vgpu::timing;

namespace {

constexpr double kClock = 1e9;

Description::Tenant half_of_the_time() {
  Description::Tenant tenant;
  tenant.duty = 0.5;
  tenant.burst = 2e6;
  tenant.lines = 64;
  tenant.seed = 3;
  return tenant;
}

}  // namespace

TEST_CASE("another_tenant takes whole slices, a quarter of the time where it is half busy") {
  Description::Tenant described = half_of_the_time();
  described.slice = 1e5;
  Tenant tenant(described, kClock);
  tenant.start_job();
  Clk last = 0;
  unsigned switches = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Clk at = tenant.next();
    CHECK(at >= last);
    last = at;
    const Clk before = tenant.stolen();
    const Tenant::Turn turn = tenant.turn();
    CHECK(tenant.stolen() - before == (turn.switched ? 100'000 : 0));
    CHECK(turn.lines == (turn.switched ? 64 : 0));
    switches += turn.switched;
  }
  CHECK(switches > 5'000);
  const double share =
      static_cast<double>(tenant.stolen()) / static_cast<double>(last + tenant.stolen());
  CHECK(share > 0.2);
  CHECK(share < 0.3);
}

TEST_CASE("another_tenant beside slows requests during its bursts alone") {
  Description::Tenant described = half_of_the_time();
  described.latency = 150;
  Tenant tenant(described, kClock);
  tenant.start_job();
  Clk slow = 0, last = 0;
  for (int i = 0; i < 50'000; ++i) {
    const Clk at = tenant.next();
    if (tenant.latency() > 0) slow += at - last;
    last = at;
    const Tenant::Turn turn = tenant.turn();
    CHECK((turn.latency == 0 || turn.latency == 150));
    CHECK(!turn.switched);
  }
  CHECK(tenant.stolen() == 0);
  CHECK(static_cast<double>(slow) / static_cast<double>(last) > 0.4);
  CHECK(static_cast<double>(slow) / static_cast<double>(last) < 0.6);
}

TEST_CASE("another_tenant's time goes on between jobs, and a job waits for the end of a slice") {
  Description::Tenant described = half_of_the_time();
  described.duty = 1;
  described.burst = 1e12;
  described.slice = 1e6;
  Tenant tenant(described, kClock);
  double before = tenant.seconds();
  for (int i = 0; i < 20; ++i) {
    tenant.start_job();
    CHECK(tenant.next() > 0);           // not within a slice
    CHECK(tenant.next() <= 1'000'000);  // its own slice is as long
    tenant.reached(300'000);
    CHECK(tenant.seconds() > before);
    before = tenant.seconds();
  }
  tenant.rest(0.5);
  CHECK(tenant.seconds() == doctest::Approx(before + 0.5));
}
