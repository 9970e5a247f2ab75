// The model of 2009 as a Predictor: fitted to the device, raised to its floors, with its limits and
// what would change it. Interface: predictor.h. Covered by tests/runtime/predict_test.cpp.
#include <fmt/format.h>

#include <cmath>

#include "lang/try.h"
#include "runtime/predict/limits.h"
#include "runtime/predict/machine_given.h"
#include "runtime/predict/model.h"
#include "runtime/predict/predictor.h"
#include "runtime/predict/variants.h"

namespace gpx {
namespace {

constexpr double kReloaded = 0.05;   ///< Of the lines that a block loads; fewer are not said.
constexpr double kMostlyIdle = 0.5;  ///< Of the bandwidth: below it does not bound.

/// MWP is limited by the bandwidth. The model has no caches, and the computation between accesses
/// adds to its time: what moves in it says how near the bandwidth is.
std::string bandwidth_bound(const Prediction& p, double moved_clocks) {
  const double used = moved_clocks / p.model.cycles();
  const std::string rate = fmt::format("{:.1f} of {:.1f} GB/s", used * p.machine.bandwidth / 1e9,
                                       p.machine.bandwidth / 1e9);
  if (used < kMostlyIdle)
    return fmt::format("the memory's parallelism: with {} the bandwidth is not what bounds", rate);
  const double reloads = p.facts.counts.reloads;
  if (p.device.sm_major < 2 || reloads < kReloaded)
    return fmt::format("the bandwidth of the memory ({})", rate);
  return fmt::format(
      "the bandwidth of the memory ({}) in a model without caches: {:.0f} % of the "
      "lines that a block loads it has loaded before, and a cache may keep them",
      rate, 100 * reloads);
}

/// What the case means, and what bounds the memory's parallelism.
std::string bound_of(const Prediction& p, double moved_clocks) {
  const ModelResult& m = p.model;
  const MwpCwp& model = m.model;
  const double mwp = model.mwp, warps = model.active_warps;
  if (m.floor == Floor::launch)
    return fmt::format("the launch of {} blocks, one every {:.2f} clocks", p.launch.all_blocks(),
                       launch_interval(p.machine, p.launch.all_threads()));
  if (m.floor == Floor::shared)
    return fmt::format(
        "the accesses of shared memory: {:.6g} of a warp, which leave an SM one "
        "after another",
        p.facts.counts.shared_accesses);
  if (m.floor == Floor::bandwidth) return bandwidth_bound(p, moved_clocks);
  if (model.which == "compute")
    return "the issue of instructions: memory is waited for behind them";
  if (model.which == "warps")
    return fmt::format("latency: {} an SM cannot hide it", plural(warps, "warp"));
  if (mwp >= warps) return fmt::format("latency: {} an SM cannot hide it", plural(warps, "warp"));
  if (mwp >= model.mwp_peak_bw) return bandwidth_bound(p, moved_clocks);
  const double uncoalesced =
      model.given.uncoal_insts * model.given.uncoal_per_mw * model.given.departure_uncoal;
  return uncoalesced > model.given.coal_insts * model.given.coal_per_mw * model.given.departure_coal
             ? "the transactions of uncoalesced accesses, which leave an SM one after another"
             : "the transactions of an SM, which leave it one after another";
}

class MwpCwpPredictor final : public Predictor {
 public:
  const char* name() const override { return kMwpCwp; }
  Result<void> predict(const Predicted& launch, Prediction& out) const override;
};

Result<void> MwpCwpPredictor::predict(const Predicted& launch, Prediction& out) const {
  auto machine = GPX_TRY(machine_of(launch.session, launch.request));
  out.machine = std::move(machine);
  const Modelled modelled{out.launch, out.facts, out.machine, out.device};
  auto model = GPX_TRY(run_model(modelled));
  out.model = std::move(model);
  out.table = mwp_cwp_table(out.model.model);
  out.seconds = out.model.cycles() / out.device.clock_hz;
  out.bound = bound_of(out, bandwidth_cycles(modelled));
  out.limits = limits_of(out);
  out.extrapolation = extrapolation_of(out);
  auto variants = GPX_TRY(variants_of(out));
  out.variants = std::move(variants);
  return {};
}

}  // namespace

std::unique_ptr<Predictor> mwp_cwp_predictor() {
  return std::make_unique<MwpCwpPredictor>();
}

}  // namespace gpx
