// Interface: prediction.h. Covered by tests/cli/predict_command_test.cpp.
#include <cmath>
#include <map>

#include "runtime/report/json_values.h"
#include "runtime/report/prediction.h"

namespace gpx::report {
namespace {

Json counts_json(const vgpu::KernelCounts& c) {
  return {{"comp_insts", number(c.computation)},
          {"coal_mem_insts", number(c.coalesced)},
          {"uncoal_mem_insts", number(c.uncoalesced)},
          {"sync_insts", number(c.barriers)},
          {"coal_per_mw", number(c.transactions_per_coalesced)},
          {"uncoal_per_mw", number(c.transactions_per_uncoalesced)},
          {"load_bytes_per_warp", number(c.bytes_per_access)},
          {"folded_insts", number(c.folded)},
          {"slow_insts", number(c.slow)},
          {"atomic_insts", number(c.atomics)},
          {"shared_insts", number(c.shared_accesses)},
          {"shared_conflicts", number(c.shared_conflicts)},
          {"reloaded_lines", number(c.reloads)}};
}

Json loops_json(const Prediction& p) {
  Json loops = Json::array();
  const auto& all = p.facts.followed->loops;
  for (std::size_t i = 0; i < all.size(); ++i)
    loops.push_back({{"line", p.loop_lines[i] > 0 ? Json(p.loop_lines[i]) : Json(nullptr)},
                     {"entries", all[i].entries},
                     {"trips", all[i].trips},
                     {"comp_insts", all[i].computation},
                     {"mem_insts", all[i].memory()},
                     {"sync_insts", all[i].barriers}});
  return loops;
}

Json counted_json(const Prediction& p) {
  Json out = {{"coalescing", p.coalescing},
              {"blocks_executed", p.facts.counts.blocks_executed},
              {"sample_error", number(p.facts.counts.sample_error)},
              {"unseen", number(p.facts.counts.unseen)},
              {"independent_blocks", p.facts.counts.independent},
              {"executed", counts_json(p.facts.counts)},
              {"static", nullptr}};
  if (p.facts.followed) {
    out["static"] = counts_json(p.facts.followed->counts);
    out["static"]["both_ways"] = p.facts.followed->both_ways;
    out["static"]["memory_waits"] = p.facts.followed->waits;
    out["static"]["unknown_addresses"] = p.facts.followed->unknown_addresses;
    out["static"]["loops"] = loops_json(p);
  }
  return out;
}

Json occupancy_json(const Occupancy& o) {
  return {{"blocks", o.blocks},
          {"warps", o.warps},
          {"max_warps", o.max_warps},
          {"fraction", number(o.fraction)},
          {"limiters", o.limiters}};
}

Json launch_json(const MachineParameters& machine) {
  if (machine.launch.empty()) return nullptr;
  return list_of(machine.launch, [](const LaunchInterval& each) -> Json {
    return {{"threads", each.threads}, {"clocks", number(each.clocks)}};
  });
}

Json floor_json(const ModelResult& m) {
  return m.floor == Floor::none ? Json(nullptr) : Json(to_string(m.floor));
}

/// Parameters and intermediates by the paper's names; not those without a limit.
std::map<std::string, double> values_of(const ModelResult& m) {
  std::map<std::string, double> values = {{"cycles", m.cycles()}};
  for (const MwpCwpParameterRow& row : mwp_cwp_parameters())
    values[row.name] = m.model.given.*row.member;
  for (const MwpCwpRow& row : mwp_cwp_intermediates())
    if (std::isfinite(m.model.*row.member)) values[row.name] = m.model.*row.member;
  return values;
}

Json model_json(const Prediction& p) {
  const ModelResult& m = p.model;
  Json values = Json::object();
  for (const auto& [name, value] : values_of(m)) values[name] = number(value);
  return {{"case", m.model.which},
          {"why", m.why},
          {"floor", floor_json(m)},
          {"values", values},
          {"cycles", number(m.cycles())},
          {"seconds", number(p.seconds)},
          {"bound", p.bound},
          {"at_least", m.at_least()},
          {"extrapolation", text_or_null(p.extrapolation)}};
}

Json parts_json(const std::vector<StackPart>& parts) {
  Json out = Json::object();
  for (const StackPart& part : parts) out[part.name] = number(part.clocks);
  return out;
}

Json simulation_json(const Prediction& p) {
  const Simulation& s = *p.simulation;
  Json counters = Json::object(), interval;
  if (p.interval) interval = {p.seconds / p.interval->factor, p.seconds * p.interval->factor};
  for (const Counter& each : s.counters) counters[each.name] = number(each.value);
  const auto line = [](const StackLine& each) -> Json {
    return {{"line", each.line > 0 ? Json(each.line) : Json(nullptr)},
            {"share", number(each.share)},
            {"parts", parts_json(each.parts)}};
  };
  const auto change = [](const ChangedTime& each) -> Json {
    return {{"change", each.change}, {"seconds", number(each.seconds)}};
  };
  return {{"device", s.device},
          {"executed", s.machine_code ? "SASS" : "PTX"},
          {"seconds", number(p.seconds)},
          {"clocks", number(s.clocks)},
          {"overhead_clocks", number(s.overhead)},
          {"bound", p.bound},
          {"interval", interval},
          {"blocks_run", s.blocks_run},
          {"sms_run", s.sms_run},
          {"sms", s.sms},
          {"sample_error", number(s.error)},
          {"left_in_l2", s.left_in_l2},
          {"issue_use", number(s.issue_use)},
          {"dram_use", number(s.dram_use)},
          {"stack", parts_json(s.stack)},
          {"lines", list_of(s.lines, line)},
          {"counters", counters},
          {"what_if", list_of(p.changes, change)}};
}

Json machine_json(const MachineParameters& m) {
  const bool shared = m.shared_access > 0, erred = m.error > 0;
  return {{"origin", m.origin},
          {"Mem_LD", number(m.mem_ld)},
          {"Departure_del_uncoal", number(m.departure_uncoal)},
          {"Departure_del_coal", number(m.departure_coal)},
          {"Issue_cycles", number(m.issue_cycles)},
          {"Mem_Bandwidth", number(m.bandwidth)},
          {"Shared_access", shared ? number(m.shared_access) : nullptr},
          {"Shared_conflict", shared ? number(m.shared_conflict) : nullptr},
          {"Launch_interval", launch_json(m)},
          {"error_micro", erred ? number(m.error) : nullptr},
          {"error_worst", erred ? number(m.worst_error) : nullptr},
          {"notes", m.notes}};
}

Json limits_json(const Prediction& p) {
  return list_of(p.limits, [](const Limit& limit) -> Json {
    return {{"kind", limit.kind},
            {"text", limit.text},
            {"clocks", limit.clocks > 0 ? number(limit.clocks) : Json(nullptr)}};
  });
}

Json variants_json(const Prediction& p) {
  Json out = Json::array();
  for (const Variant& variant : p.variants)
    out.push_back(
        {{"kind", variant.kind},
         {"change", variant.change},
         {"cycles", number(variant.model.cycles())},
         {"ratio",
          p.model.cycles() > 0 ? number(variant.model.cycles() / p.model.cycles()) : Json(nullptr)},
         {"case", variant.model.model.which},
         {"floor", floor_json(variant.model)},
         {"occupancy", occupancy_json(variant.occupancy)}});
  return out;
}

Json expectations_json(const Prediction& p) {
  return list_of(p.expectations, [](const ExpectationResult& each) -> Json {
    return {{"text", each.text}, {"pass", each.pass}, {"reason", each.reason}};
  });
}

/// Two numbers, or three.
Json launch_extents(std::uint32_t across, std::uint32_t down, std::uint32_t deep) {
  Json all = {across, down};
  if (deep > 1) all.push_back(deep);
  return all;
}

}  // namespace

std::string prediction_json(const Prediction& p) {
  Json device = {
      {"name", p.device.name}, {"kind", p.device.kind}, {"clock_hz", number(p.device.clock_hz)}};
  Json kernel = {
      {"file", p.file},
      {"entry", p.entry},
      {"after", p.after},
      {"grid", launch_extents(p.launch.blocks, p.launch.blocks_down, p.launch.blocks_deep)},
      {"block", launch_extents(p.launch.threads, p.launch.threads_down, p.launch.threads_deep)},
      {"registers", p.facts.registers},
      {"registers_from", p.registers_of},
      {"shared_bytes", p.facts.shared_bytes}};
  Json occupancy = occupancy_json(p.facts.occupancy);
  occupancy["device_blocks"] = p.facts.device_blocks ? Json(p.facts.device_blocks) : Json(nullptr);
  occupancy["active_blocks_per_sm"] = p.active_blocks;
  occupancy["active_sms"] = p.active_sms;
  const bool predicted = p.uncounted.empty(), of_model = predicted && !p.simulation;
  Json measured = nullptr;
  if (p.measured_seconds)
    measured = {{"seconds", number(*p.measured_seconds)},
                {"clocks", number(*p.measured_seconds * p.device.clock_hz)},
                {"blocks_run", p.measured_blocks},
                {"sample_error", number(p.measured_sample ? p.measured_sample->worst : 0)},
                {"error", predicted && p.off() ? number(*p.off()) : Json(nullptr)},
                {"error_reason", !predicted ? Json(p.uncounted)
                                 : p.off()  ? Json(nullptr)
                                            : Json(report::kNoTime)}};
  const Json document = {{"schema", 1},
                         {"gpx", GPX_VERSION},
                         {"prediction",
                          {{"device", device},
                           {"kernel", kernel},
                           {"uncounted", text_or_null(p.uncounted)},
                           {"counts", predicted ? counted_json(p) : Json(nullptr)},
                           {"occupancy", occupancy},
                           {"predictor", p.predictor},
                           {"simulation", p.simulation ? simulation_json(p) : Json(nullptr)},
                           {"machine", of_model ? machine_json(p.machine) : Json(nullptr)},
                           {"model", of_model ? model_json(p) : Json(nullptr)},
                           {"limits", limits_json(p)},
                           {"what_if", variants_json(p)},
                           {"measured", measured},
                           {"expectations", expectations_json(p)},
                           {"values_digest", text_or_null(p.values_digest)},
                           {"notes", p.notes}}}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpx::report
