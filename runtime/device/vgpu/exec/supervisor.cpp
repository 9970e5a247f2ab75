// What ends a launch that does not end. Interface: supervisor.h. Covered by
// tests/vgpu/control_flow_test.cpp.
#include "runtime/device/vgpu/exec/supervisor.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx::vgpu::exec {
namespace {

constexpr std::uint64_t kStopEvery = 1 << 16;    // a few milliseconds
constexpr std::uint64_t kFirstProbe = 1 << 14;   // most launches are shorter
constexpr std::uint64_t kProbeLength = 1 << 14;  // at least
constexpr unsigned kMostMismatches = 4;          // a loop that counts is not looked at any longer

}  // namespace

// Besides its registers, what the warp executes next depends on nothing else of its own.
bool Supervisor::Probe::at_same_place(const Warp& warp) const {
  return warp.stack.back().pc == group.stack.back().pc && warp.turn == turn &&
         static_cast<const Group&>(warp) == group && warp.others == others;
}

void Supervisor::start_launch(const Executor& executor, Running running, Most most,
                              const std::atomic<bool>* stop) {
  executor_ = &executor;
  running_ = std::move(running);
  most_ = std::move(most);
  stop_ = stop;
  count_ = 0;
  probing_ = false;
  probe_at_ = kFirstProbe;
  next_ = std::min(kFirstProbe, most_.count + 1);
}

std::optional<Trap> Supervisor::look(int line) {
  if (count_ > most_.count)
    return Trap{fmt::format("the watchdog stopped it after {} warp instructions ({})", most_.count,
                            most_.what),
                line};
  if (stop_ && *stop_) return Trap{"stopped", line};
  if (count_ >= probe_at_) probing_ ? end_probe() : begin_probe();
  next_ = std::min({count_ + kStopEvery, probe_at_, most_.count + 1});
  return std::nullopt;
}

void Supervisor::begin_probe() {
  warps_.clear();
  running_(warps_);
  probes_.resize(warps_.size());
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    const Warp& warp = *warps_[i];
    probes_[i] = {warp, warp.others, warp.turn, {}, 0, false};
    warps_[i]->mark = static_cast<std::uint32_t>(i);
  }
  left_ = warps_.size();
  changes_ = executor_->changes();
  probing_ = true;
  // Every warp must come round; how long that takes is not known.
  probe_at_ = count_ + std::max(kProbeLength, count_ / 2);
}

// The next one begins when the launch has become twice as long: probes take a small part of it.
void Supervisor::end_probe() {
  probing_ = false;
  probe_at_ = 2 * count_;
  next_ = std::min(next_, probe_at_);
}

std::optional<Trap> Supervisor::observe(const Warp& warp, int line) {
  if (executor_->changes() != changes_) return end_probe(), std::nullopt;
  if (warp.mark >= warps_.size() || warps_[warp.mark] != &warp) return std::nullopt;
  Probe& probe = probes_[warp.mark];
  if (probe.done || !probe.at_same_place(warp)) return std::nullopt;
  if (probe.registers != warp.registers) {
    if (++probe.mismatches > kMostMismatches) return end_probe(), std::nullopt;
    probe.registers = warp.registers;
    return std::nullopt;
  }
  probe.done = true;
  if (--left_ != 0) return std::nullopt;
  return Trap{fmt::format("deadlock: the {} warp{} not at a barrier repeat{} without any "
                          "change, for ever",
                          warps_.size(), warps_.size() == 1 ? " that is" : "s that are",
                          warps_.size() == 1 ? "s itself" : " themselves"),
              line, true};
}

}  // namespace gpx::vgpu::exec
