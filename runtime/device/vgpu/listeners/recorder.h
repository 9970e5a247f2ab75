// Recorder: what a user wants to know of the inside of the virtual GPU, by name: "stats", "trace".
// Covered by tests/vgpu/listeners_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "lang/diagnostic.h"
#include "runtime/device/vgpu/listeners/statistics.h"
#include "runtime/device/vgpu/listeners/trace.h"

namespace gpx::vgpu {

class Recorder {
 public:
  static constexpr std::size_t kMostTrace = 64 << 20;  ///< Bytes of a trace.

  /// Errors: there is no such text.
  Result<void> record(const std::string& what);
  /// The text, to which nothing is added before the next record(). Statistics then begin anew, a
  /// trace goes on.
  std::string take(const std::string& what);

  /// nullptr: nothing is recorded.
  timing::Listener* listener();

 private:
  /// Tells two listeners.
  class Both final : public timing::Listener {
   public:
    Both(timing::Listener& first, timing::Listener& second) : to_{&first, &second} {}
    using Clk = timing::Clk;
    void job_starts() override;
    void launch_starts(Clk clk, unsigned sms) override;
    void launch_ends(Clk clk) override;
    void block_starts(Clk clk, unsigned sm, std::uint64_t block) override;
    void block_ends(Clk clk, unsigned sm, std::uint64_t block) override;
    void warp_starts(Clk clk, unsigned sm, unsigned slot) override;
    void warp_ends(Clk clk, unsigned sm, unsigned slot) override;
    void issues(Clk clk, unsigned sm, unsigned slot, std::string_view unit,
                std::string_view instruction) override;
    void stalls(Clk from, Clk to, unsigned sm, unsigned slot, timing::Stall reason) override;
    void looks_up(Clk clk, unsigned sm, std::string_view level, timing::Lookup outcome) override;
    void transfers(Clk clk, unsigned sm, bool write, double bytes) override;
    void crosses(Clk clk, unsigned sm, unsigned requests) override;
    void replays(Clk clk, unsigned sm, std::string_view space, unsigned passes) override;

   private:
    std::array<timing::Listener*, 2> to_;
  };

  std::optional<Statistics> statistics_;
  std::optional<Trace> trace_;
  bool tracing_ = false;
  std::optional<Both> both_;
};

}  // namespace gpx::vgpu
