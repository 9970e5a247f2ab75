// Counts as tables. Interface: statistics.h. Covered by tests/vgpu/listeners_test.cpp.
#include "runtime/device/vgpu/listeners/statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx::vgpu {
namespace {

double percent(double part, double whole) {
  return whole == 0 ? 0 : 100 * part / whole;
}

}  // namespace

void Statistics::launch_starts(Clk clk, unsigned sms) {
  launch_began_ = clk;
  sms_ = sms;
  change_.clear();
}

void Statistics::issues(Clk, unsigned, unsigned, std::string_view unit, std::string_view) {
  ++instructions_;
  ++at(units_, unit);
}

void Statistics::replays(Clk, unsigned, std::string_view space, unsigned passes) {
  Replays& seen = at(replays_, space);
  ++seen.accesses;
  seen.passes += passes;
}

// Each SM's warps over the time of the launch, from their starts and ends. A launch that failed
// leaves warps that have not ended.
void Statistics::launch_ends(Clk clk) {
  ++launches_;
  clocks_ += clk - launch_began_;
  std::ranges::sort(change_, [](const Change& a, const Change& b) {
    return std::pair(a.sm, a.clk) < std::pair(b.sm, b.clk);
  });
  Clk idle = sms_ * (clk - launch_began_);
  int warps = 0;
  for (std::size_t i = 0; i < change_.size(); ++i) {
    const bool last = i + 1 == change_.size() || change_[i + 1].sm != change_[i].sm;
    const Clk from = change_[i].clk, to = last ? std::max(from, clk) : change_[i + 1].clk;
    warps += change_[i].warps;
    if (warps != 0) {
      holds(from, to, static_cast<std::size_t>(warps), clk);
      idle -= to - from;
    }
    if (last) warps = 0;
  }
  holds(0, idle, 0, clk);
}

void Statistics::holds(Clk from, Clk to, std::size_t warps, Clk end) {
  resident_.resize(std::max(resident_.size(), warps + 1));
  resident_[warps] += to - from;
  const double tenth = static_cast<double>(end - launch_began_) / 10;
  for (std::size_t k = 0; k < by_tenth_.size() && tenth > 0 && warps != 0; ++k) {
    const double begin = static_cast<double>(launch_began_) + static_cast<double>(k) * tenth;
    const double shared = std::min(static_cast<double>(to), begin + tenth) -
                          std::max(static_cast<double>(from), begin);
    if (shared > 0) by_tenth_[k] += static_cast<double>(warps) * shared / tenth / sms_;
  }
}

std::string Statistics::text() const {
  std::string out = fmt::format("launches {}\nblocks {}\nclocks {}\nwarp instructions {}\n",
                                launches_, blocks_, clocks_, instructions_);
  out += "\nissued, by unit\n";
  for (const auto& [unit, count] : units_) out += fmt::format("  {:<16}{:>14}\n", unit, count);
  out += "\nstalled, warp clocks by reason\n";
  Clk stalled = 0;
  for (const Clk clocks : stalled_) stalled += clocks;
  for (std::size_t i = 0; i < stalled_.size(); ++i)
    out += fmt::format("  {:<16}{:>14}{:>8.1f} %\n", timing::kStallNames[i], stalled_[i],
                       percent(static_cast<double>(stalled_[i]), static_cast<double>(stalled)));
  out += fmt::format("\n{:<18}{:>14}{:>14}{:>14}{:>10}\n", "level", "hits", "misses", "merged",
                     "hit rate");
  for (const auto& [level, n] : levels_)
    out += fmt::format("  {:<16}{:>14}{:>14}{:>14}{:>8.1f} %\n", level, n[0], n[1], n[2],
                       percent(static_cast<double>(n[0]), static_cast<double>(n[0] + n[1] + n[2])));
  out += fmt::format("lines of DRAM {}\n", transfers_);
  out += fmt::format("\n{:<18}{:>14}{:>14}\n", "replays", "accesses", "extra passes");
  for (const auto& [space, n] : replays_)
    out += fmt::format("  {:<16}{:>14}{:>14}\n", space, n.accesses, n.passes);
  return out + occupancy();
}

std::string Statistics::occupancy() const {
  std::string out = "\noccupancy, SM clocks by resident warps\n";
  Clk all = 0;
  for (const Clk clocks : resident_) all += clocks;
  for (std::size_t warps = 0; warps < resident_.size(); ++warps)
    if (resident_[warps] != 0)
      out +=
          fmt::format("  {:<16}{:>14}{:>8.1f} %\n",
                      warps == 0 ? std::string("no warp") : std::to_string(warps), resident_[warps],
                      percent(static_cast<double>(resident_[warps]), static_cast<double>(all)));
  out += "\noccupancy, warps of an SM in each tenth of a launch, mean of launches\n ";
  for (const double warps : by_tenth_)
    out += fmt::format(" {:.1f}", launches_ == 0 ? 0 : warps / static_cast<double>(launches_));
  return out + "\n";
}

}  // namespace gpx::vgpu
