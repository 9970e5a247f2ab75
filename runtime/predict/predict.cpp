// Interface: predict.h. Covered by tests/runtime/predict_test.cpp.
#include "runtime/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "lang/read.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/prepare.h"
#include "runtime/predict/limits.h"
#include "runtime/predict/machine_given.h"
#include "runtime/predict/model.h"
#include "runtime/predict/request.h"
#include "runtime/predict/variants.h"

namespace gpx {
namespace {

// ---- What could not be counted ----------------------------------------------------------------

tl::unexpected<Error> uncountable(const std::string& what, const std::optional<KernelPlace>& place,
                                  const std::string& hint) {
  const std::string besides = place && !place->besides.empty() ? " (" + place->besides + ")" : "";
  Error error = make_error(Fault::input, what + besides, hint);
  if (place) error.diagnostics.front().location = place->location;
  return tl::unexpected(std::move(error));
}

/// "line 7", "line 7 of own.h" where that is another file.
std::string line_text(const LoweredMeasure& lowered, const std::optional<KernelPlace>& place) {
  if (!place) return "an unknown line";
  const Location& at = place->location;
  return fmt::format("line {}{}", at.line, at.file == lowered.kernel_file ? "" : " of " + at.file);
}

/// "a.cu:7: why"
std::string place_and_message(const Error& error) {
  const Diagnostic& why = error.diagnostics.front();
  if (!why.location) return why.message;
  return fmt::format("{}:{}: {}", why.location->file, why.location->line, why.message);
}

/// A trip count that depends on data is known only where the user says what the data are.
Result<void> check_counted(const LoweredMeasure& lowered, const LaunchFacts& facts,
                           const UserKernel& kernel, std::vector<std::string>& notes) {
  const auto place_of = [&](int line) {
    return kernel_place(lowered.artifacts.front(), lowered.kernel_file, line);
  };
  if (!facts.followed && !facts.unfollowed.message.empty()) {
    const vgpu::Unfollowed& why = facts.unfollowed;
    const auto place = place_of(why.line), data = place_of(why.data_line);
    std::vector<std::string> untold;
    for (const KernelArgument& argument : kernel.arguments)
      for (const KernelArgument* buffer : buffers_of(argument))
        if (buffer->buffer->kind == BufferContents::Kind::hash && !buffer->buffer->given)
          untold.push_back(argument.parameter);
    const std::string what =
        fmt::format("'{}' cannot be analysed without its data: {} (read on {})", kernel.entry,
                    why.message, line_text(lowered, data));
    if (data && !untold.empty())
      return uncountable(
          what, place,
          fmt::format(
              "give the contents of its buffers, as in --buffer {}=4MB:index(8) (not yet given: "
              "{}), or give it the count as an argument",
              untold.front(), fmt::join(untold, ", ")));
    if (facts.counted)
      notes.push_back(fmt::format("{}: {}; the counts are those of the contents given",
                                  line_text(lowered, place), why.message));
  }
  if (!facts.counted)
    return uncountable(fmt::format("'{}' cannot be counted: {}", kernel.entry, facts.problem),
                       facts.problem_place, "");  // out of bounds, an endless loop
  return {};
}

// ---- What bounds it ---------------------------------------------------------------------------

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
  const double mwp = m.get("MWP"), warps = m.get("Active_warps_per_SM");
  if (m.floor == Floor::launch)
    return fmt::format("the launch of {} blocks, one every {:.2f} clocks", p.launch.all_blocks(),
                       launch_interval(p.machine, p.launch.all_threads()));
  if (m.floor == Floor::shared)
    return fmt::format(
        "the accesses of shared memory: {:.6g} of a warp, which leave an SM one "
        "after another",
        p.facts.counts.shared_accesses);
  if (m.floor == Floor::bandwidth) return bandwidth_bound(p, moved_clocks);
  if (m.which == "compute") return "the issue of instructions: memory is waited for behind them";
  if (m.which == "warps")
    return fmt::format("latency: {} an SM cannot hide it", plural(warps, "warp"));
  const double peak = m.values.contains("MWP_peak_BW") ? m.get("MWP_peak_BW") : HUGE_VAL;
  if (mwp >= warps) return fmt::format("latency: {} an SM cannot hide it", plural(warps, "warp"));
  if (mwp >= peak) return bandwidth_bound(p, moved_clocks);
  const double uncoalesced =
      m.get("Uncoal_Mem_insts") * m.get("Uncoal_per_mw") * m.get("Departure_del_uncoal");
  return uncoalesced > m.get("Coal_Mem_insts") * m.get("Coal_per_mw") * m.get("Departure_del_coal")
             ? "the transactions of uncoalesced accesses, which leave an SM one after another"
             : "the transactions of an SM, which leave it one after another";
}

// ---- Parts ------------------------------------------------------------------------------------

Result<void> measured(Backend& backend, const Experiment& experiment,
                      const std::vector<LoweredMeasure>& measures, Prediction& out) {
  const std::atomic<bool> never{false};
  const Measurement measurement =
      measure(backend, experiment, std::span(measures).first(1), 1, never, {});
  if (measurement.failure)
    return tl::unexpected(in_kernel_file(*measurement.failure, measures.front()));
  const Column* time = measurement.samples.find("time");
  const double seconds = reduce_values(time->numbers, Reduce::median);
  if (!std::isfinite(seconds))
    return fail(Fault::device, "the kernel could not be launched with these resources");
  out.measured_seconds = seconds;
  out.measured_launches = kPredictRepetitions;
  out.measured_sample = sampled_times(measurement.samples);
  out.measured_blocks =
      static_cast<std::uint64_t>(std::ranges::min(measurement.samples.find("blocks_run")->numbers));
  return {};
}

Result<void> checked(Backend& backend, const Experiment& experiment,
                     const std::vector<LoweredMeasure>& measures, const PredictRequest& request,
                     Prediction& out) {
  if (!needs_results(experiment, request.saved)) return {};
  const std::atomic<bool> never{false};
  auto results = check_results(backend, experiment, measures, "", request.saved, never);
  if (!results) return tl::unexpected(results.error());
  out.expectations = std::move(results->expectations);
  out.values_digest = std::move(results->digest);
  return {};
}

std::string limit_names(const Occupancy& o) {
  return fmt::format("{}", fmt::join(o.limiters, " and "));
}

/// A virtual device's own compiler might have used fewer.
std::string registers_hint(const Prediction& p, const PredictRequest& request) {
  if (!request.registers.empty() || p.device.measured ||
      std::ranges::find(p.facts.occupancy.limiters, "registers") ==
          p.facts.occupancy.limiters.end())
    return {};
  return fmt::format("a thread takes {} ({}); --registers N gives another number",
                     plural(p.facts.registers, "register"), p.registers_of);
}

}  // namespace

Result<Prediction> predict(Session& session, const PredictRequest& request) {
  const auto asked = experiment_of(request);
  if (!asked) return tl::unexpected(asked.error());
  const Source source = asked->source();
  const auto experiments = read_experiments(source);
  if (!experiments) return tl::unexpected(asked->in_options(experiments.error()));
  const Experiment& experiment = experiments->front();

  auto opened = session.open(request.device);
  if (!opened) return tl::unexpected(opened.error());
  Backend& backend = **opened;
  Prediction out;
  out.device = backend.info();
  auto prepared =
      prepare(experiment, source, backend, session.paths(), {.whole = request.all_blocks});
  if (!prepared) return tl::unexpected(asked->in_options(prepared.error()));
  const LoweredMeasure& kernel = prepared->measures.front();
  out.notes = std::move(prepared->warnings);
  out.facts = std::move(prepared->facts.front().front());
  out.launch = kernel.program.launches.front();
  out.file = kernel.kernel_file;
  out.entry = request.entry;
  out.registers_of =
      backend.toolchain().registers_origin(experiment.measures.front().registers.has_value());
  out.coalescing = to_string(vgpu::coalescing_rule(out.device.sm_major, out.device.sm_minor));
  const auto counted = check_counted(kernel, out.facts, experiment.kernels.front(), out.notes);
  if (!counted && !request.measure) return tl::unexpected(counted.error());
  if (!counted) {
    // As `gpx run`: a device may well run what the interpreter does not.
    out.uncounted = place_and_message(counted.error());
    if (auto ok = measured(backend, experiment, prepared->measures, out); !ok)
      return tl::unexpected(ok.error());
    if (auto ok = checked(backend, experiment, prepared->measures, request, out); !ok)
      return tl::unexpected(ok.error());
    return out;
  }
  if (out.facts.resident_blocks() == 0)
    return fail(Fault::input,
                fmt::format("a block of '{}' does not fit into an SM of '{}': {}", request.entry,
                            out.device.name, limit_names(out.facts.occupancy)),
                registers_hint(out, request));
  if (out.facts.device_blocks && out.facts.device_blocks != out.facts.occupancy.blocks)
    out.notes.push_back(fmt::format(
        "the device reports {} blocks per SM, the calculation {}: the device's number is used",
        out.facts.device_blocks, out.facts.occupancy.blocks));
  if (out.facts.followed)
    for (const vgpu::LoopCounts& loop : out.facts.followed->loops)
      out.loop_lines.push_back(
          kernel_line(kernel.artifacts.front(), kernel.kernel_file, loop.ptx_line));
  out.active_blocks = active_blocks(out.launch, out.facts, out.device);
  out.active_sms = active_sms(out.launch, out.device);

  auto machine = machine_of(session, request);
  if (!machine) return tl::unexpected(machine.error());
  out.machine = std::move(*machine);
  const std::string& stdlib = session.paths().stdlib;
  const Modelled modelled{out.launch, out.facts, out.machine, out.device};
  auto model = run_model(modelled, stdlib, &out.table);
  if (!model) return tl::unexpected(model.error());
  out.model = std::move(*model);
  out.seconds = out.model.cycles() / out.device.clock_hz;
  out.bound = bound_of(out, bandwidth_cycles(modelled));
  out.limits = limits_of(out);
  out.extrapolation = extrapolation_of(out);
  auto variants = variants_of(out, stdlib);
  if (!variants) return tl::unexpected(variants.error());
  out.variants = std::move(*variants);
  if (request.measure)
    if (auto ok = measured(backend, experiment, prepared->measures, out); !ok)
      return tl::unexpected(ok.error());
  if (auto ok = checked(backend, experiment, prepared->measures, request, out); !ok)
    return tl::unexpected(ok.error());
  return out;
}

}  // namespace gpx
