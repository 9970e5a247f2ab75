// Tenant: another process on the device, in clocks of the device that go on from job to job.
//
// It uses the device in bursts. With time slices a kernel stands still during each of them, with
// nothing left in the caches of the SMs behind it: a launch has clocks of its own, and what the
// slices took of the device's is stolen(). Without, a burst makes requests slower and brings lines
// into L2. Covered by tests/vgpu/tenant_test.cpp.
#pragma once

#include <cstdint>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class Tenant {
 public:
  Tenant(const Description::Tenant& tenant, double clock_hz);

  /// A job begins once the host has launched it and no slice is in the way: its clock 0 is now.
  void start_job();
  /// The job's clock at which the tenant does something; kNever: never.
  Clk next() const { return next_; }
  /// What it does then.
  struct Turn {
    bool switched = false;    ///< A slice has passed.
    std::uint64_t lines = 0;  ///< That entered L2.
    Clk latency = 0;          ///< Largest extra clocks of a request from now on.
  };
  Turn turn();
  /// Clocks of the device, since the job began, that slices took.
  Clk stolen() const { return stolen_; }
  /// The job has got so far.
  void reached(Clk clk) { now_ = base_ + clk + stolen_; }

  /// The host lets so many seconds pass.
  void rest(double seconds) { now_ += whole(seconds * clock_hz_); }
  /// Seconds of the device.
  double seconds() const { return static_cast<double>(now_) / clock_hz_; }
  Clk latency() const { return on_ ? extra_ : 0; }

 private:
  Clk drawn(double mean);
  void toggle();
  void see_next();

  Description::Tenant tenant_;
  double clock_hz_;
  Clk slice_, extra_;
  std::uint64_t state_;
  bool on_ = false;            // within a burst
  Clk until_ = 0;              // of the device: the burst or the pause ends
  Clk at_ = 0;                 // of the device: the next slice, or the next lines
  Clk now_ = 0;                // of the device
  Clk base_ = 0, stolen_ = 0;  // of the job
  Clk next_ = kNever;
};

}  // namespace gpx::vgpu::timing
