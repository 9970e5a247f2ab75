// Interface: tenant.h.
#include "runtime/device/vgpu/timing/tenant.h"

#include <algorithm>
#include <cmath>

namespace gpx::vgpu::timing {
namespace {

constexpr double kLaunch_s = 5e-6;  ///< Between two jobs, by the host.
constexpr Clk kStep = 1000;         ///< Clocks between two times that lines come, beside.

}  // namespace

Tenant::Tenant(const Description::Tenant& tenant, double clock_hz)
    : tenant_(tenant),
      clock_hz_(clock_hz),
      slice_(whole(tenant.slice)),
      extra_(whole(tenant.latency)),
      state_(tenant.seed) {
  until_ = drawn(tenant.burst * (1 - tenant.duty) / tenant.duty);
  at_ = until_;
}

/// Exponentially distributed: splitmix64's next number.
Clk Tenant::drawn(double mean) {
  std::uint64_t x = state_ += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  const double uniform = (static_cast<double>((x ^ (x >> 31)) >> 11) + 1) * 0x1p-53;
  return std::max<Clk>(1, whole(-std::log(uniform) * mean));
}

// A burst begins or ends at until_.
void Tenant::toggle() {
  on_ = !on_;
  at_ = until_;
  until_ += drawn(on_ ? tenant_.burst : tenant_.burst * (1 - tenant_.duty) / tenant_.duty);
  if (!on_) at_ = until_;
}

void Tenant::see_next() {
  // A burst that ends within a slice has ended when the job goes on.
  next_ = std::max(next_, std::min(at_, until_) - base_ - stolen_);
}

void Tenant::start_job() {
  now_ += whole(kLaunch_s * clock_hz_);
  for (;;) {
    if (now_ >= until_)
      toggle();
    else if (on_ && slice_ > 0 && now_ >= at_ + slice_)
      at_ += 2 * slice_;
    else if (on_ && slice_ > 0 && now_ >= at_)
      now_ = at_ + slice_;
    else
      break;
  }
  if (on_ && slice_ == 0) at_ = std::max(at_, now_);
  base_ = now_;
  stolen_ = next_ = 0;
  see_next();
}

Tenant::Turn Tenant::turn() {
  Turn turn;
  const Clk here = base_ + next_ + stolen_;
  if (here >= until_) {
    toggle();
  } else if (slice_ > 0) {
    stolen_ += slice_;
    at_ += 2 * slice_;
    turn.switched = true;
    turn.lines = tenant_.lines;
  } else {
    at_ = here + kStep;
    turn.lines = tenant_.lines;
  }
  turn.latency = latency();
  see_next();
  return turn;
}

}  // namespace gpx::vgpu::timing
