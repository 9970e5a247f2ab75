// StoreBuffer: an SM's stores. They wait in a queue, those to shared memory too; one after another
// they become requests, which depart from a buffer. A store that finds no room in the queue keeps
// its warp until there is some. Covered by tests/vgpu/load_path_test.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class StoreBuffer {
 public:
  explicit StoreBuffer(const Description::StoreBuffer& buffer)
      : buffer_(buffer), begun_(std::max<std::size_t>(1, buffer.queue), 0) {}

  void start_launch() {
    served_ = departed_ = sent_ = 0;
    std::fill(begun_.begin(), begun_.end(), 0);
    next_ = 0;
  }

  /// When the warp goes on whose store of so many requests, `partial` lines among them, issues at
  /// `clk`.
  Clk admit(Clk clk, unsigned partial, unsigned requests) {
    const double room = departed_ - buffer_.interval * buffer_.entries;
    const double begin = serve(std::max(static_cast<double>(clk), room), buffer_.line);
    departed_ = std::max(departed_, begin) + buffer_.interval * requests + buffer_.line * partial;
    return std::max(clk, whole(held(begin)));
  }
  /// The same of one that keeps the banks of shared memory for so long.
  Clk admit_shared(Clk clk, double busy) {
    return std::max(clk, whole(held(serve(static_cast<double>(clk), busy))));
  }
  bool has_queue() const { return buffer_.queue > 0; }

  /// When a request departs that is there at `clk`. `partial`: it is the first of its line of
  /// which only a part is stored.
  Clk depart(Clk clk, bool partial) {
    const double at = std::max(sent_, static_cast<double>(clk));
    sent_ = at + buffer_.interval + (partial ? buffer_.line : 0);
    return whole(at);
  }
  /// When the requests of the stores before have departed, which loads do not overtake.
  Clk sent() const { return buffer_.line > 0 ? static_cast<Clk>(sent_) : 0; }

 private:
  double serve(double from, double clocks) {
    const double begin = std::max(served_, from);
    served_ = begin + clocks;
    return begin;
  }
  // A store has room when the one begins that is as many before it as the queue holds.
  double held(double begin) {
    if (buffer_.queue == 0) return begin;
    std::swap(begun_[next_], begin);
    next_ = (next_ + 1) % begun_.size();
    return begin;
  }

  Description::StoreBuffer buffer_;
  double served_ = 0;          // when the SM has served the stores before
  double departed_ = 0;        // when all that was admitted has departed
  double sent_ = 0;            // when the next request can depart
  std::vector<double> begun_;  // when the last stores began, in a ring
  std::size_t next_ = 0;
};

}  // namespace gpx::vgpu::timing
