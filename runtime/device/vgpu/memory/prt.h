// Prt: the pending request table of an SM.
//
// One entry follows one warp load, however many requests it makes, until the last of them has
// returned. A load that finds the table full waits for the earliest release, unless its requests
// fit into what is left of `overflow_requests`. Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/assert.h"
#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/memory/releases.h"

namespace gpx::vgpu::timing {

class Prt {
 public:
  explicit Prt(const Description::Prt& prt)
      : table_(prt.entries), overflow_requests_(prt.overflow_requests) {}

  void clear() {
    table_.clear();
    overflow_.clear();
  }

  /// When a load with that many requests, ready at `clk`, may send them: at `clk` where admit() may
  /// follow, else when it is to be asked again.
  Clk next(Clk clk, unsigned requests) {
    return overflow_requests_ != 0 && fits_overflow(clk, requests) ? clk : table_.next(clk);
  }

  /// Admits a load at a clock that next() gave. book() follows.
  void admit(Clk clk, unsigned requests) {
    in_overflow_ = !table_.free_at(clk);
    GPX_ASSERT(!in_overflow_ || fits_overflow(clk, requests), "a load of %u requests has no entry",
               requests);
    requests_ = requests;
  }

  /// Books what admit() gave until the load's last request has returned.
  void book(Clk release) {
    if (in_overflow_)
      overflow_.push_back({release, requests_});
    else
      table_.take(release);
  }

 private:
  struct Overflow {
    Clk release;
    unsigned requests;
  };

  bool fits_overflow(Clk clk, unsigned requests) {
    std::erase_if(overflow_, [&](const Overflow& load) { return load.release <= clk; });
    unsigned used = 0;
    for (const Overflow& load : overflow_) used += load.requests;
    return used + requests <= overflow_requests_;
  }

  Releases table_;
  unsigned overflow_requests_;
  std::vector<Overflow> overflow_;
  bool in_overflow_ = false;
  unsigned requests_ = 0;
};

}  // namespace gpx::vgpu::timing
