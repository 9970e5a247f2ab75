// Interface: model.h. Covered by tests/runtime/predict_test.cpp.
#include "runtime/predict/model.h"

#include <algorithm>
#include <cmath>

#include "runtime/analysis/analysis.h"

namespace gpx {
namespace {

using Parameters = std::map<std::string, double>;

constexpr double kRounding = 1e-6;

Parameters parameters_of(const Modelled& of) {
  const vgpu::KernelCounts& c = of.facts.counts;
  return {{"Mem_LD", of.machine.mem_ld},
          {"Departure_del_uncoal", of.machine.departure_uncoal},
          {"Departure_del_coal", of.machine.departure_coal},
          {"Issue_cycles", of.machine.issue_cycles},
          {"Mem_Bandwidth", of.machine.bandwidth},
          {"Freq", of.device.clock_hz},
          {"Threads_per_warp", of.device.warp_size},
          {"Threads_per_block", static_cast<double>(of.launch.all_threads())},
          {"Blocks", static_cast<double>(of.launch.all_blocks())},
          {"Active_SMs", active_sms(of.launch, of.device)},
          {"Active_blocks_per_SM", active_blocks(of.launch, of.facts, of.device)},
          {"Comp_insts", c.computation},
          {"Coal_Mem_insts", c.coalesced},
          {"Uncoal_Mem_insts", c.uncoalesced},
          {"Synch_insts", c.barriers},
          {"Coal_per_mw", std::max(1.0, c.transactions_per_coalesced)},
          {"Uncoal_per_mw", c.transactions_per_uncoalesced},
          {"Load_bytes_per_warp", c.bytes_per_access}};
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
  result.values["cycles"] = least;
  result.floor = floor;
}

}  // namespace

const char* to_string(Floor floor) {
  switch (floor) {
    case Floor::none:
      return "none";
    case Floor::bandwidth:
      return "bandwidth";
    case Floor::shared:
      return "shared";
    case Floor::launch:
      return "launch";
  }
  return "";
}

double ModelResult::get(const std::string& name) const {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
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

Result<ModelResult> run_model(const Modelled& of, const std::string& stdlib,
                              std::vector<std::string>* table) {
  Experiment experiment;
  Analyze model{"mwp_cwp", false, {}, {}};
  ModelResult result;
  result.values = parameters_of(of);
  for (const auto& [name, value] : result.values)
    model.args.push_back({name, false, Quantity{value, Unit::none}});
  experiment.analyses.push_back(std::move(model));
  auto analysis = analyze(experiment, {}, of.device, {stdlib, {}}, nullptr, nullptr, nullptr,
                          [&](const std::string& line) {
                            if (table) table->push_back(line);
                          });
  if (!analysis) return tl::unexpected(analysis.error());
  for (const Finding& finding : analysis->findings) {
    const std::string name = finding.name.substr(finding.name.find('.') + 1);
    if (name.ends_with(']')) continue;  // as the paper prints it
    if (name == "cycles") result.why = finding.note;
    if (const auto* value = std::get_if<double>(&finding.value)) result.values[name] = *value;
    if (const auto* text = std::get_if<std::string>(&finding.value); text && name == "case")
      result.which = *text;
  }
  raise(result, of);
  return result;
}

}  // namespace gpx
