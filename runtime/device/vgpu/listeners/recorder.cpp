// Listeners by name. Interface: recorder.h. Covered by tests/vgpu/listeners_test.cpp.
#include "runtime/device/vgpu/listeners/recorder.h"

namespace gpx::vgpu {

Result<void> Recorder::record(const std::string& what) {
  if (what == "stats")
    statistics_.emplace();
  else if (what == "trace" && !trace_)
    trace_.emplace(kMostTrace);
  else if (what != "trace")
    return fail(Fault::input, "the virtual GPU records stats and trace, not '" + what + "'");
  tracing_ |= what == "trace";
  return {};
}

std::string Recorder::take(const std::string& what) {
  std::string text;
  if (what == "stats" && statistics_) text = statistics_->text();
  if (what == "stats") statistics_.reset();
  if (what != "trace" || !trace_) return text;
  tracing_ = false;
  return trace_->text();
}

timing::Listener* Recorder::listener() {
  if (statistics_ && tracing_) return &both_.emplace(*statistics_, *trace_);
  if (statistics_) return &*statistics_;
  return tracing_ ? &*trace_ : nullptr;
}

void Recorder::Both::job_starts() {
  for (timing::Listener* each : to_) each->job_starts();
}
void Recorder::Both::launch_starts(Clk clk, unsigned sms) {
  for (timing::Listener* each : to_) each->launch_starts(clk, sms);
}
void Recorder::Both::launch_ends(Clk clk) {
  for (timing::Listener* each : to_) each->launch_ends(clk);
}
void Recorder::Both::block_starts(Clk clk, unsigned sm, std::uint64_t block) {
  for (timing::Listener* each : to_) each->block_starts(clk, sm, block);
}
void Recorder::Both::block_ends(Clk clk, unsigned sm, std::uint64_t block) {
  for (timing::Listener* each : to_) each->block_ends(clk, sm, block);
}
void Recorder::Both::warp_starts(Clk clk, unsigned sm, unsigned slot) {
  for (timing::Listener* each : to_) each->warp_starts(clk, sm, slot);
}
void Recorder::Both::warp_ends(Clk clk, unsigned sm, unsigned slot) {
  for (timing::Listener* each : to_) each->warp_ends(clk, sm, slot);
}
void Recorder::Both::issues(Clk clk, unsigned sm, unsigned slot, std::string_view unit,
                            std::string_view instruction) {
  for (timing::Listener* each : to_) each->issues(clk, sm, slot, unit, instruction);
}
void Recorder::Both::stalls(Clk from, Clk to, unsigned sm, unsigned slot, timing::Stall reason) {
  for (timing::Listener* each : to_) each->stalls(from, to, sm, slot, reason);
}
void Recorder::Both::looks_up(Clk clk, unsigned sm, std::string_view level,
                              timing::Lookup outcome) {
  for (timing::Listener* each : to_) each->looks_up(clk, sm, level, outcome);
}
void Recorder::Both::transfers(Clk clk, unsigned sm, bool write, double bytes) {
  for (timing::Listener* each : to_) each->transfers(clk, sm, write, bytes);
}
void Recorder::Both::crosses(Clk clk, unsigned sm, unsigned requests) {
  for (timing::Listener* each : to_) each->crosses(clk, sm, requests);
}
void Recorder::Both::replays(Clk clk, unsigned sm, std::string_view space, unsigned passes) {
  for (timing::Listener* each : to_) each->replays(clk, sm, space, passes);
}

}  // namespace gpx::vgpu
