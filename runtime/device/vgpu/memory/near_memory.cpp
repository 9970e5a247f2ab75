// One function for each space. Interface: near_memory.h. Covered by tests/vgpu/hierarchy_test.cpp.
#include "runtime/device/vgpu/memory/near_memory.h"

#include <algorithm>
#include <array>
#include <bit>

namespace gpx::vgpu::timing {
namespace {

// The distinct values of `part(address)` over the active lanes, in their order.
template <class Part>
unsigned distinct(const exec::Effect& effect, Part part,
                  std::array<std::uint64_t, exec::kWarpSize>& out) {
  unsigned count = 0;
  for (exec::Mask rest = effect.active; rest != 0; rest &= rest - 1) {
    const std::uint64_t value =
        part((*effect.addresses)[static_cast<unsigned>(std::countr_zero(rest))]);
    if (std::find(out.begin(), out.begin() + count, value) == out.begin() + count)
      out[count++] = value;
  }
  return count;
}

// A load of a constant goes through the pipeline of arithmetic as well as to memory.
double load_latency(const Description& device) {
  const auto alu = device.ops.find("alu");
  return alu == device.ops.end() ? 0 : alu->second.latency;
}

double local_latency(const Description& device) {
  return device.l2 ? device.l2->latency : device.dram.latency;
}

std::uint64_t lines_of(const Description::Constant& constant) {
  return constant.level[0] ? constant.uniform / constant.level[0]->line : 0;
}

}  // namespace

NearMemory::NearMemory(const Description& device, MemorySystem& system, unsigned sm,
                       MemoryPath* path)
    : system_(system),
      sm_(sm),
      banks_line_(device.lsu.banks_line),
      banks_(device.shared),
      partition_pass_(device.shared.partition_pass),
      partition_free_(device.sm.partitions, 0),
      constant_("constant", system, sm, device.constant, 4),
      texture_("texture", system, sm, device.texture.value_or(Description::Texture{}), 4,
               system.texture_tlb(sm)),
      behind_uniform_("constant", system, sm, device.constant, 4),
      uniform_(lines_of(device.constant)),
      constant_latency_(whole(device.constant.latency)),
      local_latency_(whole(local_latency(device))),
      constant_load_(whole(load_latency(device))),
      clocks_per_address_(device.constant.clocks_per_address),
      constant_pass_(device.constant.pass) {
  for (std::size_t k = 0; k < device.constant.level.size(); ++k)
    if (device.constant.level[k]) constant_.add(system.constant(k), *device.constant.level[k]);
  add_uniform(device.constant);
  if (device.unified_texture) {
    unified_ = path;
    unified_extra_ = whole(*device.unified_texture);
    texture_shift_ = static_cast<unsigned>(std::countr_zero(device.coalescer_line));
  }
  if (!device.texture) return;
  for (std::size_t k = 0; k < device.texture->level.size(); ++k)
    if (device.texture->level[k]) texture_.add(system.texture(k), *device.texture->level[k]);
  texture_shift_ = static_cast<unsigned>(std::countr_zero(device.texture->level[0]->line));
}

Clk NearMemory::access(const exec::Effect& effect, Clk clk, std::optional<Clk> latency,
                       unsigned partition, double returned, Clk of_constant) {
  if (effect.space == ptx::Space::shared) return shared(effect, clk, latency, partition, returned);
  if (latency) return clk + *latency;
  switch (effect.space) {
    case ptx::Space::constant:
      return constant(effect, clk, of_constant > 0 ? of_constant - constant_hit_ : constant_load_);
    case ptx::Space::texture: return texture(effect, clk);
    case ptx::Space::local: return clk + local_latency_;
    default: return clk + 1;
  }
}

// The banks take one pass after another, of whichever warp; the way there and back does not keep
// them. A partition hands over its own passes more slowly than the banks take them: the last one
// comes by the slower of both.
Clk NearMemory::shared(const exec::Effect& effect, Clk clk, std::optional<Clk> latency,
                       unsigned partition, double returned) {
  const SharedBanks::Passes passes = passes_of(effect);
  tell_replays(clk, "shared", passes.further);
  const double there = static_cast<double>(clk), banks = std::max(banks_free_, there);
  banks_free_ = banks + passes.busy;
  if (partition_pass_ == 0)
    return whole(banks) +
           (latency ? *latency + whole(passes.later) : whole(banks_.latency() + passes.later));
  double& partition_free = partition_free_[partition];
  const double own = std::max(partition_free, there), before_last = passes.count - passes.first;
  partition_free = own + std::max(partition_pass_ * passes.count, returned * passes.merged);
  const double last = std::max(banks + passes.busy * before_last / passes.count,
                               own + partition_pass_ * before_last);
  return whole(last) + latency.value_or(whole(banks_.latency()));
}

// By hand: docs/results/h200/mechanisms.csv.
NearMemory::Sent NearMemory::sent(const exec::Effect& effect, exec::Mask active) const {
  constexpr unsigned kPiece = kSector / 2;
  exec::Effect part = effect;
  part.active = active;
  std::array<std::uint64_t, exec::kWarpSize> found;
  const auto count = [&](unsigned bytes) {
    return distinct(
        part, [&](std::uint64_t address) { return address / bytes; }, found);
  };
  Sent sent{kSector * count(kSector), 0, count(banks_.row())};
  const unsigned pieces = count(kPiece);
  std::array<std::uint8_t, exec::kWarpSize> filled{};
  for (exec::Mask rest = active; rest != 0; rest &= rest - 1) {
    const std::uint64_t address =
        (*effect.addresses)[static_cast<unsigned>(std::countr_zero(rest))];
    const auto piece = std::find(found.begin(), found.begin() + pieces, address / kPiece);
    filled[static_cast<std::size_t>(piece - found.begin())] += effect.bytes;
  }
  for (unsigned i = 0; i < pieces; ++i) sent.stored += filled[i] < kPiece ? 2 * kPiece : kPiece;
  return sent;
}

void NearMemory::add_uniform(const Description::Constant& constant) {
  if (constant.level[0]) constant_hit_ = whole(constant.level[0]->latency);
  if (lines_of(constant) == 0) return;
  uniform_shift_ = static_cast<unsigned>(std::countr_zero(constant.level[0]->line));
  behind_uniform_.reads(constant.level[0]->line);
  for (std::size_t k = 1; k < constant.level.size(); ++k)
    if (constant.level[k]) behind_uniform_.add(system_.constant(k), *constant.level[k]);
}

std::optional<Clk> NearMemory::uniform(const exec::Effect& effect, Clk clk) {
  if (uniform_shift_ == 0 || effect.active == 0 || !effect.addresses) return std::nullopt;
  const std::uint64_t address =
      (*effect.addresses)[static_cast<unsigned>(std::countr_zero(effect.active))];
  return uniform_.at_hand(address >> uniform_shift_, clk, [&](Clk at) {
    return std::max(at, behind_uniform_.read(address, at) - constant_hit_);
  });
}

// A constant cache hands what one address has to all lanes that want it, however wide; the next
// address follows.
Clk NearMemory::constant(const exec::Effect& effect, Clk clk, Clk load) {
  if (effect.active == 0 || !effect.addresses) return clk + load + constant_latency_;
  std::array<std::uint64_t, exec::kWarpSize> found;
  const bool passes = constant_pass_ > 0;
  const unsigned count = distinct(
      effect, [&](std::uint64_t address) { return passes ? address : address / 4 * 4; }, found);
  tell_replays(clk, "constant", count - 1);
  const double begin = std::max(constants_free_, static_cast<double>(clk)),
               apart = std::max(clocks_per_address_, constant_pass_);
  if (passes) constants_free_ = begin + constant_pass_ * count;
  Clk ready = clk;
  for (unsigned i = 0; i < count; ++i) {
    const Clk asked = whole(begin + apart * i);
    const Clk there =
        constant_.has_levels() ? constant_.read(found[i], asked) : asked + constant_latency_;
    ready = std::max(ready, there);
  }
  return ready + load;
}

Clk NearMemory::texture(const exec::Effect& effect, Clk clk) {
  if (effect.active == 0 || !effect.addresses || (!unified_ && !texture_.has_levels()))
    return clk + local_latency_;
  std::array<std::uint64_t, exec::kWarpSize> lines;
  const unsigned count = distinct(
      effect, [&](std::uint64_t address) { return address >> texture_shift_; }, lines);
  tell_replays(clk, "texture", count - 1);
  const bool in_banks = unified_ && banks_line_ > 0;
  const Clk begin = in_banks ? take_banks(clk, banks_line_ * count) : clk;
  Clk ready = begin;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t address = lines[i] << texture_shift_;
    ready = std::max(ready, unified_ ? unified_->read(address, begin) + unified_extra_
                                     : texture_.read(address, clk));
  }
  return ready;
}

}  // namespace gpx::vgpu::timing
