// Interface: model.h. Covered by tests/runtime/predict_test.cpp.
#include "runtime/predict/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpx {
namespace {

constexpr double kRounding = 1e-6;

MwpCwpParameters parameters_of(const Modelled& of) {
  const vgpu::KernelCounts& c = of.facts.counts;
  MwpCwpParameters p;
  p.mem_ld = of.machine.mem_ld;
  p.departure_uncoal = of.machine.departure_uncoal;
  p.departure_coal = of.machine.departure_coal;
  p.issue_cycles = of.machine.issue_cycles;
  p.bandwidth = of.machine.bandwidth;
  p.clock_hz = of.device.clock_hz;
  p.threads_per_warp = of.device.warp_size;
  p.threads_per_block = static_cast<double>(of.launch.all_threads());
  p.blocks = static_cast<double>(of.launch.all_blocks());
  p.active_sms = active_sms(of.launch, of.device);
  p.active_blocks = active_blocks(of.launch, of.facts, of.device);
  p.comp_insts = c.computation;
  p.coal_insts = c.coalesced;
  p.uncoal_insts = c.uncoalesced;
  p.synch_insts = c.barriers;
  p.coal_per_mw = std::max(1.0, c.transactions_per_coalesced);
  p.uncoal_per_mw = c.transactions_per_uncoalesced;
  p.load_bytes = c.bytes_per_access;
  return p;
}

double warps_of_block(const Modelled& of) {
  return std::ceil(static_cast<double>(of.launch.all_threads()) / of.device.warp_size);
}

/// To the longest of what no launch goes below.
void raise(ModelResult& result, const Modelled& of) {
  const std::pair<Floor, double> floors[] = {{Floor::bandwidth, bandwidth_cycles(of)},
                                             {Floor::shared, shared_cycles(of)},
                                             {Floor::launch, launch_cycles(of)}};
  const auto& [floor, least] =
      *std::ranges::max_element(floors, {}, [](const auto& each) { return each.second; });
  if (result.cycles() >= (1 - kRounding) * least) return;
  result.equations = result.cycles();
  result.least = least;
  result.floor = floor;
}

}  // namespace

const char* to_string(Floor floor) {
  switch (floor) {
    case Floor::none: return "none";
    case Floor::bandwidth: return "bandwidth";
    case Floor::shared: return "shared";
    case Floor::launch: return "launch";
  }
  return "";
}

double bandwidth_cycles(const Modelled& of) {
  if (of.machine.bandwidth <= 0) return 0;
  const double warps = warps_of_block(of) * static_cast<double>(of.launch.all_blocks());
  const double bytes = of.facts.counts.memory() * of.facts.counts.bytes_per_access * warps;
  return bytes * of.device.clock_hz / of.machine.bandwidth;
}

double shared_cycles(const Modelled& of) {
  const vgpu::KernelCounts& c = of.facts.counts;
  const double blocks = static_cast<double>(of.launch.all_blocks());
  const double warps = warps_of_block(of) * std::ceil(blocks / active_sms(of.launch, of.device));
  return warps * (c.shared_accesses * of.machine.shared_access +
                  c.shared_conflicts * of.machine.shared_conflict);
}

double launch_cycles(const Modelled& of) {
  return static_cast<double>(of.launch.all_blocks()) *
         launch_interval(of.machine, of.launch.all_threads());
}

Result<ModelResult> run_model(const Modelled& of) {
  auto model = mwp_cwp(parameters_of(of));
  if (!model) return fail(Fault::input, "the MWP/CWP model: " + model.error());
  ModelResult result;
  result.why = fmt::format("{}; Equation ({})", model->why, model->equation);
  result.model = std::move(*model);
  raise(result, of);
  return result;
}

}  // namespace gpx
