// StoreBuffer: an SM's stores. They wait in a queue, those to shared memory too; one after another
// they become requests, which depart from a buffer. Registers of a store that finds no room in the
// queue are read when there is some; where more wait than may, its warp waits, too. Covered by
// tests/vgpu/load_path_test.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/memory/room.h"

namespace gpx::vgpu::timing {

class StoreBuffer {
 public:
  /// Each of the SM's partitions has as large a part of what may be pending.
  explicit StoreBuffer(const Description::StoreBuffer& buffer, unsigned partitions = 1)
      : buffer_(buffer), read_(buffer.queue) {
    if (buffer.pending > 0) pending_.assign(partitions, Room(buffer.pending / partitions));
  }

  struct Admitted {
    Clk read;     ///< When the store's registers can be read.
    Clk goes_on;  ///< When its warp does.
  };

  void start_launch() {
    served_ = departed_ = sent_ = 0;
    read_.clear();
    for (Room& each : pending_) each.clear();
  }

  /// Of a store of so many requests, `partial` lines among them, that issues at `clk`.
  Admitted admit(Clk clk, unsigned partial, unsigned requests, unsigned partition = 0) {
    const double room = departed_ - buffer_.interval * buffer_.entries;
    const double begin = serve(std::max(static_cast<double>(clk), room), buffer_.line);
    departed_ = std::max(departed_, begin) + buffer_.interval * requests + buffer_.line * partial;
    return admitted(clk, begin, partition);
  }
  /// The same of one that keeps the banks of shared memory for so long.
  Admitted admit_shared(Clk clk, double busy, unsigned partition = 0) {
    return admitted(clk, serve(static_cast<double>(clk), busy), partition);
  }
  bool has_queue() const { return read_.has_places(); }

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
  Admitted admitted(Clk clk, double begin, unsigned partition) {
    const Clk read = std::max(clk, whole(read_.enter(begin)));
    if (pending_.empty()) return {read, read};
    return {read, std::max(clk, whole(pending_[partition].enter(begin)))};
  }
  double serve(double from, double clocks) {
    const double begin = std::max(served_, from);
    served_ = begin + clocks;
    return begin;
  }

  Description::StoreBuffer buffer_;
  double served_ = 0;    // when the SM has served the stores before
  double departed_ = 0;  // when all that was admitted has departed
  double sent_ = 0;      // when the next request can depart
  Room read_;
  std::vector<Room> pending_;  // by partition
};

}  // namespace gpx::vgpu::timing
