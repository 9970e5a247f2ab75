// Interface: predict.h. Covered by tests/runtime/predict_test.cpp.
#include "runtime/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>

#include "codegen/ptx/text.h"
#include "lang/quoted.h"
#include "lang/read.h"
#include "runtime/analysis/analysis.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/prepare.h"
#include "runtime/predict/limits.h"

namespace gpx {
namespace {

constexpr int kRepetitions = 5;

// ---- The request as an experiment -------------------------------------------------------------

std::string extent(const std::vector<std::string>& values) {
  return values.size() == 1 ? values[0] : fmt::format("({})", fmt::join(values, ", "));
}

/// "a=4MB:hash" is "a = buffer(4MB, hash)".
/// "data.npy", "bytes.raw", "folder/x": not a number, nor uniform(0, 1).
bool is_file_name(const std::string& contents) {
  return contents.find('/') != std::string::npos || contents.ends_with(".npy") ||
         contents.ends_with(".raw") || contents.ends_with(".bin");
}

/// `--arg p.n=3`: a struct is given as a whole.
Result<void> check_whole(const char* option, const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {};
  return fail(
      Fault::input, fmt::format("{} {}: a struct is given as a whole", option, name),
      fmt::format("--arg '{}=struct(i32(2000), f32(0.5), buffer(4MB))', its members in their "
                  "order, each as its type",
                  name.substr(0, dot)));
}

/// The request as an experiment, and the option that each line of it is of.
class Asked {
 public:
  explicit Asked(std::string first) { add("", std::move(first)); }
  void add(std::string option, const std::string& line) {
    options_.push_back(std::move(option));
    text_ += line + '\n';
  }
  Source source() const { return Source(kName, text_); }

  /// Nobody wrote the experiment: what is wrong in it is so of the option.
  Error in_options(Error error) const {
    for (Diagnostic& diagnostic : error.diagnostics) {
      if (!diagnostic.location || diagnostic.location->file != kName) continue;
      const auto line = static_cast<std::size_t>(diagnostic.location->line);
      diagnostic.location.reset();
      if (line >= 1 && line <= options_.size() && !options_[line - 1].empty())
        diagnostic.message = options_[line - 1] + ": " + diagnostic.message;
    }
    return error;
  }

 private:
  static constexpr const char* kName = "gpx predict";
  std::vector<std::string> options_;
  std::string text_;
};

Result<void> add_arguments(Asked& asked, const PredictRequest& request) {
  std::vector<std::pair<std::string, std::string>> parts;  // an option, an argument of the kernel
  for (const std::string& text : request.arguments) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Fault::input, fmt::format("--arg {}: expected NAME=VALUE", text));
    if (const Result<void> whole = check_whole("--arg", text.substr(0, equals)); !whole)
      return tl::unexpected(whole.error());
    parts.emplace_back("--arg " + text,
                       fmt::format("{} = {}", text.substr(0, equals), text.substr(equals + 1)));
  }
  for (const std::string& text : request.buffers) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Fault::input, fmt::format("--buffer {}: expected NAME=SIZE[:CONTENTS]", text));
    if (const Result<void> whole = check_whole("--buffer", text.substr(0, equals)); !whole)
      return tl::unexpected(whole.error());
    const std::string value = text.substr(equals + 1);
    const std::size_t colon = value.find(':');
    std::string contents = colon == std::string::npos ? "" : value.substr(colon + 1);
    if (is_file_name(contents)) contents = gpx::quoted(contents);
    if (!contents.empty()) contents = ", " + contents;
    parts.emplace_back("--buffer " + text, fmt::format("{} = buffer({}{})", text.substr(0, equals),
                                                       value.substr(0, colon), contents));
  }
  for (const auto& [option, argument] : parts)
    asked.add(option, argument + (&argument == &parts.back().second ? "" : ","));
  return {};
}

Result<Asked> experiment_of(const PredictRequest& request) {
  for (const auto* extents : {&request.grid, &request.block})
    if (extents->empty() || extents->size() > 2)
      return fail(Fault::input, "a grid and a block have one extent or two",
                  "such as --grid 64,64");
  std::string file;
  for (const char c : request.file) {
    if (c == '"' || c == '\\') file += '\\';
    file += c;
  }
  Asked asked("experiment predict {");
  asked.add("", fmt::format("kernel k from \"{}\" entry {}(", file, request.entry));
  if (auto ok = add_arguments(asked, request); !ok) return tl::unexpected(ok.error());
  asked.add("", ")");
  const auto option = [&](const char* name, const char* clause, const std::string& value) {
    if (!value.empty())
      asked.add(fmt::format("{} {}", name, value), fmt::format("{} {}", clause, value));
  };
  const auto extents = [&](const char* name, const char* clause,
                           const std::vector<std::string>& values) {
    asked.add(fmt::format("{} {}", name, fmt::join(values, ",")),
              fmt::format("{} {}", clause, extent(values)));
  };
  extents("--grid", "blocks", request.grid);
  extents("--block", "threads", request.block);
  option("--shared", "shared_bytes", request.shared_bytes);
  option("--registers", "registers", request.registers);
  asked.add("", fmt::format("repeat {}\n< run k >\n}}", kRepetitions));
  return asked;
}

// ---- What could not be counted ----------------------------------------------------------------

tl::unexpected<Error> uncountable(const LoweredMeasure& lowered, const std::string& what, int line,
                                  const std::string& hint) {
  if (line == 0) return fail(Fault::input, what, hint);
  const Source file(lowered.kernel_file, lowered.artifacts.front().cuda);
  return fail(Fault::input, file, file.line(line), what, hint);
}

/// A trip count that depends on data is known only where the user says what the data are.
Result<void> check_counted(const LoweredMeasure& lowered, const LaunchFacts& facts,
                           const UserKernel& kernel, std::vector<std::string>& notes) {
  const std::string& ptx = lowered.artifacts.front().ptx;
  if (!facts.followed && !facts.unfollowed.message.empty()) {
    const vgpu::Unfollowed& why = facts.unfollowed;
    const int line = ptx::source_line(ptx, why.line);
    const int data = ptx::source_line(ptx, why.data_line);
    std::vector<std::string> untold;
    for (const KernelArgument& argument : kernel.arguments)
      for (const KernelArgument* buffer : buffers_of(argument))
        if (buffer->buffer->kind == BufferContents::Kind::hash)
          untold.push_back(argument.parameter);
    const std::string what =
        fmt::format("'{}' cannot be analysed without its data: {} (read on line {})", kernel.entry,
                    why.message, data);
    if (data > 0 && !untold.empty())
      return uncountable(
          lowered, what, line,
          fmt::format("say what its buffers hold, as in --buffer {}=4MB:index(8) (not yet said: "
                      "{}), or give it the count as an argument",
                      untold.front(), fmt::join(untold, ", ")));
    if (facts.counted)
      notes.push_back(fmt::format("line {}: {}; the counts are those of the contents given", line,
                                  why.message));
  }
  if (!facts.counted)
    return uncountable(lowered,
                       fmt::format("'{}' cannot be counted: {}", kernel.entry, facts.problem),
                       facts.problem_line, "");  // out of bounds, an endless loop
  return {};
}

// ---- The model --------------------------------------------------------------------------------

using Parameters = std::map<std::string, double>;

constexpr double kRounding = 1e-6;

/// What all transactions take of the memory's bandwidth. Where that lets less than one warp in
/// (MWP < 1) the equations give less.
double bandwidth_cycles(const Parameters& p) {
  const double warps =
      std::ceil(p.at("Threads_per_block") / p.at("Threads_per_warp")) * p.at("Blocks");
  const double bytes =
      (p.at("Coal_Mem_insts") + p.at("Uncoal_Mem_insts")) * p.at("Load_bytes_per_warp") * warps;
  return p.at("Mem_Bandwidth") > 0 ? bytes * p.at("Freq") / p.at("Mem_Bandwidth") : 0;
}

/// `shared`: clocks that no launch goes below, for its accesses of shared memory.
Result<ModelResult> run_model(const Parameters& parameters, double shared, const DeviceInfo& device,
                              const std::string& stdlib, std::vector<std::string>* table) {
  Experiment experiment;
  Analyze model{"mwp_cwp", false, {}, {}};
  for (const auto& [name, value] : parameters)
    model.args.push_back({name, false, Quantity{value, Unit::none}});
  experiment.analyses.push_back(std::move(model));
  auto analysis = analyze(experiment, {}, device, {stdlib, {}}, nullptr, nullptr, nullptr,
                          [&](const std::string& line) {
                            if (table) table->push_back(line);
                          });
  if (!analysis) return tl::unexpected(analysis.error());
  ModelResult result;
  const double moved = bandwidth_cycles(parameters);
  result.values = parameters;
  for (const Finding& finding : analysis->findings) {
    const std::string name = finding.name.substr(finding.name.find('.') + 1);
    if (name.ends_with(']')) continue;  // as the paper prints it
    if (name == "cycles") result.why = finding.note;
    if (const auto* value = std::get_if<double>(&finding.value)) result.values[name] = *value;
    if (const auto* text = std::get_if<std::string>(&finding.value); text && name == "case")
      result.which = *text;
  }
  const double least = std::max(moved, shared);
  if (result.cycles() < (1 - kRounding) * least) {
    result.equations = result.cycles();
    result.values["cycles"] = least;
    result.by_shared = shared > moved;
  }
  return result;
}

Parameters parameters_of(const codegen::Launch& launch, const LaunchFacts& facts,
                         const MachineParameters& machine, const DeviceInfo& device) {
  const vgpu::KernelCounts& c = facts.counts;
  return {{"Mem_LD", machine.mem_ld},
          {"Departure_del_uncoal", machine.departure_uncoal},
          {"Departure_del_coal", machine.departure_coal},
          {"Issue_cycles", machine.issue_cycles},
          {"Mem_Bandwidth", machine.bandwidth},
          {"Freq", device.clock_hz},
          {"Threads_per_warp", device.warp_size},
          {"Threads_per_block", static_cast<double>(launch.all_threads())},
          {"Blocks", static_cast<double>(launch.all_blocks())},
          {"Active_SMs", active_sms(launch, device)},
          {"Active_blocks_per_SM", active_blocks(launch, facts, device)},
          {"Comp_insts", c.computation},
          {"Coal_Mem_insts", c.coalesced},
          {"Uncoal_Mem_insts", c.uncoalesced},
          {"Synch_insts", c.barriers},
          {"Coal_per_mw", std::max(1.0, c.transactions_per_coalesced)},
          {"Uncoal_per_mw", c.transactions_per_uncoalesced},
          {"Load_bytes_per_warp", c.bytes_per_access}};
}

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
  if (m.by_shared)
    return fmt::format(
        "the accesses of shared memory: {:.6g} of a warp, which leave an SM one "
        "after another",
        p.facts.counts.shared_accesses);
  if (m.equations > 0) return bandwidth_bound(p, moved_clocks);
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

// ---- What would change it ---------------------------------------------------------------------

class Variants {
 public:
  Variants(const Prediction& base, const std::string& stdlib) : base_(base), stdlib_(stdlib) {}

  Result<std::vector<Variant>> all() {
    blocks();
    registers();
    coalescing();
    if (error_) return tl::unexpected(std::move(*error_));
    return std::move(made_);
  }

 private:
  void add(std::string kind, std::string change, const codegen::Launch& launch,
           const LaunchFacts& facts) {
    if (error_ || facts.occupancy.blocks == 0) return;
    auto model = run_model(parameters_of(launch, facts, base_.machine, base_.device),
                           shared_cycles(launch, facts, base_.machine, base_.device), base_.device,
                           stdlib_, nullptr);
    if (!model)
      error_ = std::move(model.error());
    else
      made_.push_back({std::move(kind), std::move(change), facts.occupancy, std::move(*model)});
  }

  LaunchFacts with(const BlockNeeds& needs) const {
    LaunchFacts facts = base_.facts;
    facts.device_blocks = 0;  // the device was asked about the launch as it is
    facts.occupancy = occupancy_of(base_.device, needs);
    return facts;
  }
  BlockNeeds needs() const {
    return {base_.launch.all_threads(), base_.facts.registers, base_.facts.shared_bytes,
            base_.facts.argument_bytes};
  }

  /// The same threads in other blocks, each thread with the same work.
  void blocks() {
    const std::uint64_t total = base_.launch.all_blocks() * base_.launch.all_threads();
    for (std::uint64_t threads = base_.device.warp_size;
         threads <= base_.device.max_threads_per_block; threads *= 2) {
      if (threads == base_.launch.all_threads()) continue;
      codegen::Launch launch = base_.launch;
      launch.threads = static_cast<std::uint32_t>(threads);
      launch.blocks = static_cast<std::uint32_t>((total + threads - 1) / threads);
      launch.threads_down = launch.blocks_down = 1;
      BlockNeeds changed = needs();
      changed.threads = threads;
      add("block", fmt::format("{} threads a block", threads), launch, with(changed));
    }
  }

  /// As many as let one more block in.
  void registers() {
    const std::uint32_t before = occupancy_of(base_.device, needs()).blocks;
    for (std::uint32_t registers = base_.facts.registers; registers-- > 1;) {
      BlockNeeds changed = needs();
      changed.registers = registers;
      if (occupancy_of(base_.device, changed).blocks <= before) continue;
      LaunchFacts facts = with(changed);
      facts.registers = registers;
      return add("registers", fmt::format("{} registers a thread", registers), base_.launch, facts);
    }
  }

  void coalescing() {
    if (base_.facts.counts.uncoalesced == 0) return;
    LaunchFacts facts = base_.facts;
    vgpu::KernelCounts& c = facts.counts;
    c.bytes_per_access = c.needed_per_access;
    c.transactions_per_coalesced = std::max(1.0, std::ceil(c.bytes_per_access / 128));
    c.coalesced += c.uncoalesced;
    c.uncoalesced = c.transactions_per_uncoalesced = 0;
    add("coalescing", "all accesses coalesced", base_.launch, facts);
  }

  const Prediction& base_;
  const std::string& stdlib_;
  std::vector<Variant> made_;
  std::optional<Error> error_;
};

// ---- Parts ------------------------------------------------------------------------------------

Result<void> override_machine(const std::vector<std::string>& given, MachineParameters& machine) {
  struct Row {
    const char* name;
    double* value;
    double least, most;  // Beyond, it is in another unit.
    const char *unit, *such;
  };
  constexpr double kLeastClocks = 1e-3, kMostClocks = 1e9;
  constexpr double kLeastRate = 1e6, kMostRate = 1e18;
  const Row rows[] = {
      {"Mem_LD", &machine.mem_ld, kLeastClocks, kMostClocks, "clocks", "420"},
      {"Departure_del_uncoal", &machine.departure_uncoal, 0, kMostClocks, "clocks", "10"},
      {"Departure_del_coal", &machine.departure_coal, 0, kMostClocks, "clocks", "4"},
      {"Issue_cycles", &machine.issue_cycles, kLeastClocks, kMostClocks, "clocks", "4"},
      {"Mem_Bandwidth", &machine.bandwidth, kLeastRate, kMostRate, "B/s", "100e9 for 100 GB/s"},
      {"Shared_access", &machine.shared_access, 0, kMostClocks, "clocks", "1"},
      {"Shared_conflict", &machine.shared_conflict, 0, kMostClocks, "clocks", "1"}};
  for (const std::string& text : given) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto found = std::ranges::find(rows, text.substr(0, equals), &Row::name);
    double value = 0;
    const char* begin = text.data() + std::min(equals + 1, text.size());
    const auto [end, code] = std::from_chars(begin, text.data() + text.size(), value);
    if (found == std::end(rows) || code != std::errc{} || end != text.data() + text.size())
      return fail(Fault::input, fmt::format("--machine {}: expected NAME=NUMBER", text),
                  "the names are Mem_LD, Departure_del_uncoal, Departure_del_coal, Issue_cycles, "
                  "Shared_access, Shared_conflict (clocks) and Mem_Bandwidth (B/s)");
    if (!(value >= found->least && value <= found->most))
      return fail(Fault::input,
                  fmt::format("--machine {}: {} is a number of {}, from {:g} to {:g}", text,
                              found->name, found->unit, found->least, found->most),
                  fmt::format("such as {}={}", found->name, found->such));
    *found->value = value;
    machine.origin += machine.origin.find("given") == std::string::npos ? ", some given" : "";
  }
  return {};
}

Result<MachineParameters> machine_of(Session& session, const PredictRequest& request) {
  MachineParameters machine;
  constexpr std::size_t kAll = 5;  // of the model's own
  const auto own = std::ranges::count_if(
      request.machine, [](const std::string& text) { return !text.starts_with("Shared_"); });
  if (static_cast<std::size_t>(own) < kAll) {
    auto fitted = machine_parameters(session, request.device, request.fit_anew, request.on_fit);
    if (!fitted) return fitted;
    machine = std::move(*fitted);
  } else {
    machine.origin = "given";
  }
  if (auto ok = override_machine(request.machine, machine); !ok) return tl::unexpected(ok.error());
  return machine;
}

Result<void> measured(Backend& backend, const Experiment& experiment,
                      const std::vector<LoweredMeasure>& measures, Prediction& out) {
  const std::atomic<bool> never{false};
  const Measurement measurement = measure(backend, experiment, measures, 1, never, {});
  if (measurement.failure) return tl::unexpected(*measurement.failure);
  const Column* time = measurement.samples.find("time");
  const double seconds = reduce_values(time->numbers, Reduce::median);
  if (!std::isfinite(seconds))
    return fail(Fault::device, "the kernel could not be launched with these resources");
  out.measured_seconds = seconds;
  out.measured_launches = kRepetitions;
  out.measured_sample = sampled_times(measurement.samples);
  out.measured_blocks =
      static_cast<std::uint64_t>(std::ranges::min(measurement.samples.find("blocks_run")->numbers));
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

double shared_cycles(const codegen::Launch& launch, const LaunchFacts& facts,
                     const MachineParameters& machine, const DeviceInfo& device) {
  const vgpu::KernelCounts& c = facts.counts;
  const double warps =
      std::ceil(static_cast<double>(launch.all_threads()) / device.warp_size) *
      std::ceil(static_cast<double>(launch.all_blocks()) / active_sms(launch, device));
  return warps *
         (c.shared_accesses * machine.shared_access + c.shared_conflicts * machine.shared_conflict);
}

double ModelResult::get(const std::string& name) const {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

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
  if (auto ok = check_counted(kernel, out.facts, experiment.kernels.front(), out.notes); !ok)
    return tl::unexpected(ok.error());
  if (out.facts.resident_blocks() == 0)
    return fail(Fault::input,
                fmt::format("a block of '{}' does not fit into an SM of '{}': {}", request.entry,
                            out.device.name, limit_names(out.facts.occupancy)),
                registers_hint(out, request));
  if (out.facts.device_blocks && out.facts.device_blocks != out.facts.occupancy.blocks)
    out.notes.push_back(fmt::format(
        "the device says that an SM holds {} blocks, the calculation {}: the device is followed",
        out.facts.device_blocks, out.facts.occupancy.blocks));
  if (out.facts.followed)
    for (const vgpu::LoopCounts& loop : out.facts.followed->loops)
      out.loop_lines.push_back(ptx::source_line(kernel.artifacts.front().ptx, loop.ptx_line));
  out.active_blocks = active_blocks(out.launch, out.facts, out.device);
  out.active_sms = active_sms(out.launch, out.device);

  auto machine = machine_of(session, request);
  if (!machine) return tl::unexpected(machine.error());
  out.machine = std::move(*machine);
  const std::string& stdlib = session.paths().stdlib;
  const Parameters parameters = parameters_of(out.launch, out.facts, out.machine, out.device);
  const double shared = shared_cycles(out.launch, out.facts, out.machine, out.device);
  auto model = run_model(parameters, shared, out.device, stdlib, &out.table);
  if (!model) return tl::unexpected(model.error());
  out.model = std::move(*model);
  out.seconds = out.model.cycles() / out.device.clock_hz;
  out.bound = bound_of(out, bandwidth_cycles(parameters));
  out.limits = limits_of(out);
  out.extrapolation = extrapolation_of(out);
  auto variants = Variants(out, stdlib).all();
  if (!variants) return tl::unexpected(variants.error());
  out.variants = std::move(*variants);
  if (!request.measure) return out;
  if (auto ok = measured(backend, experiment, prepared->measures, out); !ok)
    return tl::unexpected(ok.error());
  return out;
}

}  // namespace gpx
