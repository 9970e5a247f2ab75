// Interface: predict.h. Covered by tests/runtime/predict_test.cpp.
#include "runtime/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "codegen/user/cubin_file.h"
#include "lang/lists.h"
#include "lang/read.h"
#include "lang/try.h"
#include "runtime/device/select.h"
#include "runtime/device/vgpu/virtual_gpu.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/prepare.h"
#include "runtime/predict/predictor.h"
#include "runtime/predict/request.h"

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

/// The kernel may read a buffer of this argument.
bool may_read(const vgpu::Unfollowed& why, const codegen::Program& program,
              const std::string& parameter) {
  bool found = false;
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const std::string& name = program.buffers[i].name;
    if (name != parameter && !name.starts_with(parameter + ".")) continue;
    if ((why.read & vgpu::Touched::bit(i)) != 0) return true;
    found = true;
  }
  return !found;
}

/// Parameters whose buffers the kernel may read, and of whose contents the user said nothing.
std::vector<std::string> untold_of(const LoweredMeasure& lowered, const vgpu::Unfollowed& why,
                                   const UserKernel& kernel) {
  std::vector<std::string> untold;
  for (const KernelArgument& argument : kernel.arguments)
    for (const KernelArgument* buffer : buffers_of(argument))
      if (buffer->buffer->kind == BufferContents::Kind::hash && !buffer->buffer->given &&
          may_read(why, lowered.program, argument.parameter))
        untold.push_back(argument.parameter);
  return untold;
}

/// A trip count that depends on data is known only where the user says what the data are.
Result<void> check_counted(const LoweredMeasure& lowered, const LaunchFacts& facts,
                           const UserKernel& kernel, std::vector<std::string>& notes) {
  const auto place_of = [&](int line) {
    return kernel_place(lowered.artifacts.front(), lowered.kernel_file, line);
  };
  if (lowered.artifacts.front().code_alone) {
    const auto untold = untold_of(lowered, facts.unfollowed, kernel);
    if (!untold.empty())
      notes.push_back(
          fmt::format("machine code is executed, not followed: what it takes of the "
                      "contents of {} is that of the default, hash",
                      fmt::join(untold, ", ")));
  } else if (!facts.followed && !facts.unfollowed.message.empty()) {
    const vgpu::Unfollowed& why = facts.unfollowed;
    const auto place = place_of(why.line), data = place_of(why.data_line);
    const std::vector<std::string> untold = untold_of(lowered, why, kernel);
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
  auto results = GPX_TRY(check_results(backend, experiment, measures, "", request.saved, never));
  out.expectations = std::move(results.expectations);
  out.values_digest = std::move(results.digest);
  return {};
}

std::string limit_names(const Occupancy& o) {
  return fmt::format("{}", fmt::join(o.limiters, " and "));
}

/// A virtual device's own compiler might have used fewer.
std::string registers_hint(const Prediction& p, const PredictRequest& request) {
  if (!request.registers.empty() || p.device.measured ||
      !contains(p.facts.occupancy.limiters, "registers"))
    return {};
  return fmt::format("a thread takes {} ({}); --registers N gives another number",
                     plural(p.facts.registers, "register"), p.registers_of);
}

/// What a launch is predicted by.
struct Basis {
  Backend* model = nullptr;       ///< The modelled GPU that stands for the device; else the device.
  std::unique_ptr<Backend> code;  ///< The same, executing machine code; nullptr: it cannot.
};

bool is_cubin(const PredictRequest& request) {
  return codegen::is_cubin_name(request.file);
}

Result<Basis> basis_of(Session& session, const PredictRequest& request, Backend& backend) {
  Basis basis{&backend, nullptr};
  const auto resolved = GPX_TRY(resolve_device(request.device, "", session.paths()));
  const auto path = GPX_TRY(model_device(backend.info(), resolved, request.twin, session.paths()));
  if (path.empty()) return basis;
  if (path != resolved) {
    auto opened = GPX_TRY(session.open(path));
    basis.model = opened;
  }
  if (basis.model->definition().empty()) return basis;
  auto code = vgpu::open_machine_code(
      path, is_cubin(request) ? vgpu::CodeFrom::cubins : vgpu::CodeFrom::source);
  if (code) basis.code = std::move(*code);
  return basis;
}

/// A cubin has no PTX, which the model of 2009 counts.
Result<void> check_code(const PredictRequest& request, const Basis& basis,
                        const std::string& predictor) {
  if (!is_cubin(request)) return {};
  if (predictor != kSimulation)
    return fail(
        Fault::input,
        fmt::format("'{}' is machine code: only --model simulation predicts it", request.file));
  if (basis.code) return {};
  return fail(Fault::input,
              fmt::format("'{}' is machine code, which '{}' does not execute", request.file,
                          basis.model->info().name),
              "h100, h200 and twins of Hopper execute machine code");
}

/// Parameters of the model of 2009 are for it alone.
std::string name_of_model(const PredictRequest& request) {
  const bool parameters = !request.machine.empty() || request.fit_anew;
  return request.model.empty() && parameters ? kMwpCwp : request.model;
}

/// What is known of the launch before it is predicted.
void describe(Prepared& prepared, Backend& basis, const Experiment& experiment,
              const PredictRequest& request, Prediction& out) {
  const LoweredMeasure& kernel = prepared.measures.front();
  out.notes = std::move(prepared.warnings);
  out.facts = std::move(prepared.facts.front().front());
  out.launch = kernel.program.launches.front();
  out.file = kernel.kernel_file;
  out.source = kernel.artifacts.front().cuda;
  out.entry = request.entry;
  out.after = request.after;
  out.registers_of =
      basis.toolchain().registers_origin(experiment.measures.front().registers.has_value());
  out.coalescing = to_string(vgpu::coalescing_rule(out.device.sm_major, out.device.sm_minor));
  if (out.facts.followed)
    for (const vgpu::LoopCounts& loop : out.facts.followed->loops)
      out.loop_lines.push_back(
          kernel_line(kernel.artifacts.front(), kernel.kernel_file, loop.ptx_line));
  out.active_blocks = active_blocks(out.launch, out.facts, out.device);
  out.active_sms = active_sms(out.launch, out.device);
}

Result<void> check_fits(const PredictRequest& request, Prediction& out) {
  if (out.facts.resident_blocks() == 0)
    return fail(Fault::input,
                fmt::format("a block of '{}' does not fit into an SM of '{}': {}", request.entry,
                            out.device.name, limit_names(out.facts.occupancy)),
                registers_hint(out, request));
  if (out.facts.device_blocks && out.facts.device_blocks != out.facts.occupancy.blocks)
    out.notes.push_back(fmt::format(
        "the device reports {} blocks per SM, the calculation {}: the device's number is used",
        out.facts.device_blocks, out.facts.occupancy.blocks));
  return {};
}

/// What stays the same whatever a launch is predicted by.
struct Asking {
  Session& session;
  const PredictRequest& request;
  const Asked& asked;
  const Source& source;
  const Experiment& experiment;
  Backend& backend;
  std::vector<EarlierLaunch> earlier;
};

/// What a block of each earlier launch takes.
Result<std::vector<double>> work_of_earlier(const Prepared& prepared, const Asking& a,
                                            std::vector<std::string>& notes) {
  std::vector<double> work;
  for (std::size_t i = 1; i <= a.earlier.size(); ++i) {
    const LaunchFacts& facts = prepared.facts[i].front();
    GPX_TRY(check_counted(prepared.measures[i], facts, a.experiment.kernels[i], notes));
    work.push_back(work_of_block(facts));
  }
  return work;
}

Result<Prediction> predict_by(const Predictor& predictor, const Asking& a, Backend& basis) {
  Prediction out;
  out.device = a.backend.info();
  out.predictor = predictor.name();
  const PrepareOptions options{.whole = a.request.all_blocks,
                               .brief = out.predictor == kSimulation};
  auto prepared = prepare(a.experiment, a.source, basis, a.session.paths(), options);
  if (!prepared) return tl::unexpected(a.asked.in_options(prepared.error()));
  describe(*prepared, basis, a.experiment, a.request, out);
  const LoweredMeasure& kernel = prepared->measures.front();
  const auto counted = check_counted(kernel, out.facts, a.experiment.kernels.front(), out.notes);
  if (!counted && !a.request.measure) return tl::unexpected(counted.error());
  if (counted) {
    GPX_TRY(check_fits(a.request, out));
    const auto work = GPX_TRY(work_of_earlier(*prepared, a, out.notes));
    const LoweredMeasure sequence = joined(prepared->measures, a.earlier);
    const Predicted launch{a.session, a.request, basis, sequence, work};
    GPX_TRY(predictor.predict(launch, out));
  } else {
    out.uncounted = place_and_message(counted.error());  // a device may well run it
  }
  return out;
}

/// Runs the kernel where that is asked for.
Result<void> run(const Asking& a, Prediction& out) {
  if (!a.request.measure && !needs_results(a.experiment, a.request.saved)) return {};
  auto prepared = prepare(a.experiment, a.source, a.backend, a.session.paths(),
                          {.whole = a.request.all_blocks});
  if (!prepared) return tl::unexpected(a.asked.in_options(prepared.error()));
  if (a.request.measure) GPX_TRY(measured(a.backend, a.experiment, prepared->measures, out));
  return checked(a.backend, a.experiment, prepared->measures, a.request, out);
}

}  // namespace

Result<Prediction> predict(Session& session, const PredictRequest& request) {
  const auto asked = GPX_TRY(experiment_of(request));
  const Source source = asked.source();
  const auto experiments = read_experiments(source);
  if (!experiments) return tl::unexpected(asked.in_options(experiments.error()));
  auto opened = GPX_TRY(session.open(request.device));
  auto basis = GPX_TRY(basis_of(session, request, *opened));
  const auto predictor = GPX_TRY(predictor_of(name_of_model(request), *basis.model));
  const std::string name = predictor->name();
  GPX_TRY(check_code(request, basis, name));
  if (!request.after.empty() && name != kSimulation)
    return fail(Fault::input, "--after: only --model simulation has an L2");
  const bool modelled = is_cubin(request) && !opened->info().measured;
  auto earlier = GPX_TRY(earlier_launches(request));
  const Asking a{session,
                 request,
                 asked,
                 source,
                 experiments->front(),
                 modelled ? *basis.code : *opened,
                 std::move(earlier)};
  const bool simulated = name == kSimulation;
  Result<Prediction> out = tl::unexpected(Error());
  if (simulated && basis.code) out = predict_by(*predictor, a, *basis.code);
  // What machine code is not executed here, PTX may be.
  if (!out && !is_cubin(request))
    out = predict_by(*predictor, a, simulated ? *basis.model : a.backend);
  if (!out) return out;
  GPX_TRY(run(a, *out));
  return out;
}

}  // namespace gpx
