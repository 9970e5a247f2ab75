// Interface: mwp_cwp.h. Covered by tests/runtime/mwp_cwp_test.cpp.
#include "runtime/analysis/mwp_cwp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpx {
namespace {

constexpr double kUnlimitedWarps = std::numeric_limits<double>::infinity();
using P = MwpCwpParameters;

constexpr MwpCwpParameterRow kParameters[] = {
#define PARAMETER(member, name, unit, from, otherwise) {name, unit, from, &P::member},
#define INTERMEDIATE(member, name, unit, from)
#include "runtime/analysis/mwp_cwp.def"
};
constexpr MwpCwpRow kIntermediates[] = {
#define PARAMETER(member, name, unit, from, otherwise)
#define INTERMEDIATE(member, name, unit, from) {name, unit, from, &MwpCwp::member},
#include "runtime/analysis/mwp_cwp.def"
};

bool may_be_zero(double P::*member) {
  for (const auto each :
       {&P::comp_insts, &P::uncoal_insts, &P::coal_insts, &P::synch_insts, &P::departure_coal,
        &P::departure_uncoal, &P::uncoal_per_mw, &P::load_bytes})
    if (each == member) return true;
  return false;
}

/// What is wrong with them; "": nothing.
std::string fault_of(const P& p) {
  for (const MwpCwpParameterRow& row : kParameters) {
    const double value = p.*row.member;
    if (!std::isfinite(value)) return fmt::format("the model needs a number for {}", row.name);
    if (value < 0 || (value == 0 && !may_be_zero(row.member)))
      return fmt::format("{} is {:g}; it must be more than 0", row.name, value);
  }
  if (p.comp_insts + p.uncoal_insts + p.coal_insts == 0)
    return "the model needs a kernel with at least one instruction";
  if (p.uncoal_insts > 0 && p.uncoal_per_mw == 0)
    return "Uncoal_per_mw is 0; uncoalesced instructions make transactions";
  return "";
}

double rounded(double value, double unit) {
  return std::isfinite(value) ? std::floor(value / unit + 0.5) * unit : value;
}

/// Equations (10) to (15): latency and departure delay of a warp's memory instruction. A coalesced
/// instruction of wide words makes several full transactions (Coal_per_mw > 1), which the paper's
/// micro-benchmarks do not have: they follow each other as uncoalesced ones do in Equation (10).
void memory(MwpCwp& r) {
  const P& p = r.given;
  r.mem_l_uncoal = p.mem_ld + std::max(0.0, p.uncoal_per_mw - 1) * p.departure_uncoal;
  r.mem_l_coal = p.mem_ld + (p.coal_per_mw - 1) * p.departure_coal;
  r.mem_insts = p.uncoal_insts + p.coal_insts;
  r.weight_uncoal = r.mem_insts > 0 ? p.uncoal_insts / r.mem_insts : 0;
  r.weight_coal = r.mem_insts > 0 ? p.coal_insts / r.mem_insts : 0;
  r.mem_l = r.mem_l_uncoal * r.weight_uncoal + r.mem_l_coal * r.weight_coal;
  r.departure_delay = p.departure_uncoal * p.uncoal_per_mw * r.weight_uncoal +
                      p.departure_coal * p.coal_per_mw * r.weight_coal;
}

/// Equations (5) to (7), (16), (17). `printed`: to the digits of the paper's Table 2.
void memory_parallelism(MwpCwp& r, bool printed) {
  const P& p = r.given;
  r.mwp_without_bw_full = r.departure_delay > 0 ? r.mem_l / r.departure_delay : kUnlimitedWarps;
  r.bw_per_warp = r.mem_l > 0 ? p.clock_hz * p.load_bytes / r.mem_l : 0;
  if (printed) {
    r.mwp_without_bw_full = rounded(r.mwp_without_bw_full, 0.01);
    r.bw_per_warp = rounded(r.bw_per_warp, 1e6);
  }
  r.mwp_without_bw = std::min(r.mwp_without_bw_full, r.active_warps);
  r.mwp_peak_bw =
      r.bw_per_warp > 0 ? p.bandwidth / (r.bw_per_warp * p.active_sms) : kUnlimitedWarps;
  if (printed) r.mwp_peak_bw = rounded(r.mwp_peak_bw, 0.01);
  r.mwp = std::min({r.mwp_without_bw, r.mwp_peak_bw, r.active_warps});
  r.limit = r.mwp == r.active_warps  ? "warps"
            : r.mwp == r.mwp_peak_bw ? "bandwidth"
                                     : "departure delay";
}

void choose(MwpCwp& r, int equation, const char* which, std::string why) {
  r.equation = equation, r.which = which, r.why = std::move(why);
}

/// Which of Equations (22) to (24) applies.
void choose_case(MwpCwp& r, bool printed) {
  if (r.mem_insts == 0) return choose(r, 24, "compute", "no memory instruction");
  if (r.mwp == r.active_warps && r.cwp == r.active_warps)
    return choose(r, 22, "warps",
                  fmt::format("MWP and CWP are both N = {:g}: too few warps", r.active_warps));
  if (r.comp_cycles > r.mem_cycles)
    return choose(
        r, printed ? 23 : 24, printed ? "memory" : "compute",
        fmt::format("Comp_cycles {:.6g} > Mem_cycles {:.6g}", r.comp_cycles, r.mem_cycles));
  if (r.cwp >= r.mwp)
    return choose(r, 23, "memory", fmt::format("CWP {:.4g} >= MWP {:.4g}", r.cwp, r.mwp));
  choose(r, 24, "compute", fmt::format("MWP {:.4g} > CWP {:.4g}", r.mwp, r.cwp));
}

double cycles_of(const MwpCwp& r) {
  if (r.equation == 22) return r.mem_cycles + r.comp_cycles + r.comp_p * (r.mwp - 1);
  if (r.equation == 23) return r.mem_cycles * r.active_warps / r.mwp + r.comp_p * (r.mwp - 1);
  return r.mem_l + r.comp_cycles * r.active_warps;
}

/// Equations (2), (8), (9), (18), (19).
void periods(MwpCwp& r, bool printed) {
  const P& p = r.given;
  r.total_insts = p.comp_insts + r.mem_insts;
  r.comp_cycles = p.issue_cycles * r.total_insts;
  r.mem_cycles = r.mem_l_uncoal * p.uncoal_insts + r.mem_l_coal * p.coal_insts;
  r.comp_p = r.mem_insts > 0 ? r.comp_cycles / r.mem_insts : r.comp_cycles;
  r.cwp_full = (r.mem_cycles + r.comp_cycles) / r.comp_cycles;
  if (printed) r.cwp_full = rounded(r.cwp_full, 0.01);
  r.cwp = std::min(r.cwp_full, r.active_warps);
}

std::string text_of(double value) {
  if (!std::isfinite(value)) return "no limit";
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

std::string line_of(const char* name, const std::string& from, double value, const char* unit) {
  return fmt::format("{:<24} {:<14} {}{}{}", name, from, text_of(value), *unit ? " " : "", unit);
}

}  // namespace

tl::expected<MwpCwp, std::string> mwp_cwp(const MwpCwpParameters& p, const MwpCwpOptions& options) {
  if (std::string fault = fault_of(p); !fault.empty()) return tl::unexpected(std::move(fault));
  MwpCwp r;
  r.given = p;
  const double warps_per_block = std::ceil(p.threads_per_block / p.threads_per_warp);
  r.active_warps = warps_per_block * p.active_blocks;
  memory(r);
  memory_parallelism(r, options.as_printed);
  periods(r, options.as_printed);
  r.rep = p.blocks / (p.active_blocks * p.active_sms);
  choose_case(r, options.printed_condition);
  r.exec_cycles_app = cycles_of(r) * r.rep;
  r.synch_cost = r.departure_delay * (r.mwp - 1) * p.synch_insts * p.active_blocks * r.rep;
  if (options.as_printed) {
    r.exec_cycles_app = std::ceil(r.exec_cycles_app);
    r.synch_cost = std::ceil(r.synch_cost - 1e-6);
  }
  r.exec_cycles = r.exec_cycles_app + r.synch_cost;
  r.cpi = r.exec_cycles / (r.total_insts * warps_per_block * p.blocks / p.active_sms);
  return r;
}

std::span<const MwpCwpParameterRow> mwp_cwp_parameters() {
  return kParameters;
}
std::span<const MwpCwpRow> mwp_cwp_intermediates() {
  return kIntermediates;
}

std::vector<std::string> mwp_cwp_table(const MwpCwp& model) {
  std::vector<std::string> lines = {
      fmt::format("{:<24} {:<14} {}", "Model parameter", "Obtained", "Value")};
  for (const MwpCwpParameterRow& row : kParameters)
    lines.push_back(line_of(row.name, row.from, model.given.*row.member, row.unit));
  for (const MwpCwpRow& row : kIntermediates)
    lines.push_back(line_of(row.name,
                            *row.from ? row.from : fmt::format("Equation ({})", model.equation),
                            model.*row.member, row.unit));
  return lines;
}

}  // namespace gpx
