// StoreBuffer: an SM's stores. They wait in a queue, those to shared memory too; one after another
// they become requests, which depart from a buffer. Registers of a store that finds no room in the
// queue are read when there is some; where more wait than may, its warp waits, too.
//
// A store to sectors that one before it stores to joins it, if that one still waits and not many
// lines do: words of a structure, stored one after another, leave as whole
// sectors. So do those of an H200 (docs/results/h200/merged_stores.csv). A store waits at least
// until its lines have been looked up, one in a clock. Covered by tests/vgpu/load_path_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
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
    waiting_.clear();
    lines_waiting_ = 0;
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
  bool joins_any() const { return buffer_.window > 0; }
  bool has_queue() const { return read_.has_places(); }

  /// A store of `lines` lines, those of `sectors` in ascending order, is there at `clk`. Whether it
  /// joins one that waits; `partial` of its lines are stored in part.
  bool joins(std::span<const std::uint64_t> sectors, unsigned lines, unsigned partial, Clk clk) {
    while (!waiting_.empty() && waiting_.front().begins <= clk) {
      lines_waiting_ -= waiting_.front().lines;
      waiting_.pop_front();
    }
    const auto same = [&](const Waiting& each) {
      return std::ranges::includes(each.sectors, sectors);
    };
    if (lines_waiting_ <= buffer_.window && std::ranges::any_of(waiting_, same)) {
      departed_ -= buffer_.interval * static_cast<double>(sectors.size()) + buffer_.line * partial;
      return true;
    }
    lines_waiting_ += lines;
    waiting_.push_back(
        {std::max(whole(sent_), clk + lines), lines, {sectors.begin(), sectors.end()}});
    return false;
  }

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

  struct Waiting {
    Clk begins;  // to depart
    unsigned lines;
    std::vector<std::uint64_t> sectors;
  };

  Description::StoreBuffer buffer_;
  std::deque<Waiting> waiting_;
  unsigned lines_waiting_ = 0;
  double served_ = 0;    // when the SM has served the stores before
  double departed_ = 0;  // when all that was admitted has departed
  double sent_ = 0;      // when the next request can depart
  Room read_;
  std::vector<Room> pending_;  // by partition
};

}  // namespace gpx::vgpu::timing
