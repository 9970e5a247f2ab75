// Trace: what happened as events of Chrome's trace viewer (about:tracing, ui.perfetto.dev), the
// "JSON array format": one process for each SM, one thread for each warp slot, complete events
// whose times are clocks. Process 0 is the GPU: its launches, one after another, and each SM's
// process has its blocks as asynchronous events. Covered by tests/vgpu/listeners_test.cpp.
#pragma once

#include <map>
#include <string>

#include "runtime/device/vgpu/events.h"

namespace gpx::vgpu {

class Trace : public timing::Listener {
 public:
  using Clk = timing::Clk;

  /// No event is taken after so many bytes of text.
  explicit Trace(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  void job_starts() override { offset_ = end_; }
  void launch_starts(Clk clk, unsigned sms) override;
  void launch_ends(Clk clk) override;
  void block_starts(Clk clk, unsigned sm, std::uint64_t block) override;
  void block_ends(Clk clk, unsigned sm, std::uint64_t block) override;
  void warp_starts(Clk clk, unsigned sm, unsigned slot) override;
  void issues(Clk clk, unsigned sm, unsigned slot, std::string_view unit,
              std::string_view instruction) override;
  void stalls(Clk from, Clk to, unsigned sm, unsigned slot, timing::Stall reason) override;

  /// The whole document. What did not fit is counted in an event of its own at the end.
  std::string text() const;
  std::uint64_t left_out() const { return left_out_; }

 private:
  bool add(const std::string& event);
  void complete(std::string_view name, std::string_view category, Clk from, Clk to,
                unsigned process, unsigned thread);
  void block(char phase, Clk clk, unsigned sm, std::uint64_t block);

  std::size_t most_bytes_;
  std::string events_;
  std::uint64_t left_out_ = 0, launches_ = 0;
  Clk offset_ = 0;  // of the job's clock
  Clk end_ = 0;     // of the jobs before
  Clk launch_began_ = 0;
  std::map<std::pair<unsigned, unsigned>, bool> named_;  // threads, by process
};

}  // namespace gpx::vgpu
