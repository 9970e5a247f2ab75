// Interface: user_measure.h. Covered by tests/runtime/user_measure_test.cpp.
#include "runtime/measure/user_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>
#include <utility>

#include "codegen/compile/parallel.h"
#include "codegen/files/files.h"
#include "codegen/ir/text.h"
#include "codegen/user/cubin_file.h"
#include "lang/lists.h"
#include "lang/stop.h"
#include "lang/try.h"
#include "lang/utf8.h"

namespace gpx {
namespace {

constexpr std::string_view kUncounted = "the instructions of '";  ///< Begins the warning.

namespace fs = std::filesystem;

/// Instructions of warps of a grid that is run whole because no sample stands for it: half a
/// minute.
constexpr std::uint64_t kMostDependent = 100'000'000;

/// A compiler ends a text at a NUL, and takes what follows half a character for a part of it, also
/// the end of a comment's line.
Result<void> check_text(const Source& file) {
  const std::string& text = file.text();
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = utf8_length(text, i);
    if (size == 0 || text[i] == '\0') {
      const auto at = static_cast<std::uint32_t>(i);
      return fail(Fault::input, file, Span{at, at + 1},
                  fmt::format("not a text: byte 0x{:02x}{}", static_cast<unsigned char>(text[i]),
                              size == 0 ? " is not UTF-8" : ""));
    }
    i += size;
  }
  return {};
}

/// The kernel's file: its path as it is shown, and its text.
Result<Source> read_kernel(const UserKernel& kernel, const Source& source, const Paths& paths,
                           std::span<const Source> kept) {
  const auto failed = [&](std::string message, std::string hint = {}) {
    return fail(Fault::input, source, kernel.file_span, std::move(message), std::move(hint));
  };
  const auto found = find_kernel_file(kernel.file, source, paths, kept);
  if (!found) return failed(fmt::format("there is no file '{}'", kernel.file), found.error());
  if (const Source* text = kept_file(kept, *found)) return *text;
  const bool cubin = codegen::is_cubin_name(*found);
  const auto text = read_file_at(*found, cubin ? codegen::kMostCubinBytes : kMostKernelBytes);
  if (!text) return failed(fmt::format("cannot read '{}': {}", *found, text.error().reason));
  if (cubin) return Source(*found, *text);
  Source file(*found, codegen::readable_text(*text));
  GPX_TRY(check_text(file));
  return file;
}

/// Warp instructions of the blocks that stand for a grid on a real GPU, where they do not differ.
constexpr std::uint64_t kEnoughOfMeasured = 400'000;

/// And of those that say how large a part of a grid is simulated: 10 % off is as good as exact.
constexpr std::uint64_t kEnoughOfSimulated = 1'000'000;

/// What the kernel did by way of the driver, whose time no model has; "": nothing.
std::string driver_calls(const vgpu::exec::DeviceOutput& output, const std::string& entry,
                         const vgpu::KernelCounts& counts) {
  const std::string blocks =
      counts.blocks_executed < counts.blocks
          ? fmt::format(" in {} of {} blocks", counts.blocks_executed, counts.blocks)
          : "";
  std::string text;
  if (output.allocations > 0)
    text = fmt::format(
        "'{}' calls malloc and free {}{}: the time that a GPU spends in them is not "
        "modelled",
        entry, plural(static_cast<double>(output.allocations), "time"), blocks);
  if (output.prints > 0)
    text += fmt::format("{}'{}' calls printf {}{}, whose time is not modelled:{}",
                        text.empty() ? "" : "; ", entry,
                        plural(static_cast<double>(output.prints), "time"), blocks, output.text());
  return text;
}

/// One launch's counts, executed and followed.
void count(LaunchFacts& facts, const Result<vgpu::KernelCounter>& counter,
           const codegen::Launch& launch, const LoweredMeasure& lowered, vgpu::CoalescingRule rule,
           const vgpu::CountOptions& options) {
  const codegen::Artifact& artifact = lowered.artifacts[launch.kernel];
  if (!counter) {
    const Diagnostic& why = counter.error().diagnostics.front();
    facts.problem = why.message;
    if (why.location)
      facts.problem_place = kernel_place(artifact, lowered.kernel_file, why.location->line);
    return;
  }
  vgpu::CountFailure failure;
  if (auto counts = counter->count(launch, rule, options, &failure)) {
    facts.counts = *counts;
    facts.counted = counts->sample_error <= kMostSampleError;
    if (!facts.counted)
      facts.problem = fmt::format(
          "its blocks differ too much for a sample: {} of {} were executed, which gives their mean "
          "to ±{:.0f} %; --whole executes all",
          counts->blocks_executed, counts->blocks, 100 * counts->sample_error);
  } else {
    facts.problem = counts.error().diagnostics.front().message;
    facts.problem_place = kernel_place(artifact, lowered.kernel_file, failure.line);
    facts.unsampled = failure.dependent;
  }
  if (artifact.code_alone) return;  // it is executed, not followed
  if (auto followed = vgpu::static_counts(*counter, launch, rule))
    facts.followed = std::move(*followed);
  else
    facts.unfollowed = std::move(followed.error());
}

/// The line of the kernel's file that a line of a listing of machine code ends with.
std::optional<KernelPlace> listed_place(const codegen::Artifact& artifact,
                                        const std::string& kernel_file, const std::string& listed) {
  constexpr std::string_view kMark = "// line ";
  const std::size_t at = listed.rfind(kMark);
  const Source file(kernel_file, artifact.cuda);
  const int line = at == listed.npos ? 0 : std::atoi(listed.c_str() + at + kMark.size());
  if (line <= 0 || line > 1 + std::ranges::count(artifact.cuda, '\n')) return std::nullopt;
  return KernelPlace{file.locate(file.line(line)), ""};
}

vgpu::CountOptions count_options(const DeviceInfo& device, bool whole, bool brief) {
  vgpu::CountOptions options;
  options.whole = whole;
  options.stop = StopScope::flag();
  // A GPU runs all blocks anyway, and counts are beside the point: those of blocks that are alike
  // take a tenth of a second.
  if (device.measured) {
    options.dependent_instructions = options.whole_instructions;
    options.enough_instructions = options.whole_instructions = kEnoughOfMeasured;
  }
  if (brief) {
    options.enough_instructions = kEnoughOfSimulated;
    options.whole_instructions = 2 * kEnoughOfSimulated;
    options.fair_instructions = 2 * kEnoughOfSimulated;
    options.fair_error = kMostSampleError;
  }
  return options;
}

bool lacks_sample(const LaunchFacts& facts, const codegen::Launch& launch,
                  const DeviceInfo& device) {
  return facts.unsampled && launch.sampled && !device.measured;
}

/// Counts as many launches at a time as there are cores, but none behind one that lacks a sample:
/// that ends the run.
void count_all(std::vector<LaunchFacts>& all,
               const std::vector<Result<vgpu::KernelCounter>>& counters,
               const LoweredMeasure& lowered, const DeviceInfo& device,
               const vgpu::CountOptions& options) {
  const auto rule = vgpu::coalescing_rule(device.sm_major, device.sm_minor);
  std::atomic<std::size_t> last = all.size();
  codegen::in_parallel(all.size(), 1, 0, [&](std::size_t i, std::size_t) {
    if (i > last) return;
    const codegen::Launch& launch = lowered.program.launches[i];
    vgpu::CountOptions own = options;
    own.resident = std::uint64_t{all[i].resident_blocks()} * device.sm_count;
    count(all[i], counters[launch.kernel], launch, lowered, rule, own);
    if (!lacks_sample(all[i], launch, device)) return;
    for (std::size_t known = last; i < known && !last.compare_exchange_weak(known, i);) {
    }
  });
}

/// A sample of the grid would state a time that is none of the grid's.
tl::unexpected<Error> cannot_sample(const codegen::Artifact& artifact, const LaunchFacts& facts) {
  Error error = make_error(Fault::input, fmt::format("'{}': {}", artifact.entry, facts.problem));
  if (facts.problem_place) error.diagnostics.front().location = facts.problem_place->location;
  return tl::unexpected(std::move(error));
}

// Arguments are bound once, for all values of the macros.
bool same_parameters(const codegen::KernelEntry& a, const codegen::KernelEntry& b) {
  const auto alike = [](const codegen::KernelParameter& x, const codegen::KernelParameter& y) {
    return x.name == y.name && x.kind == y.kind && x.bytes == y.bytes &&
           x.is_signed == y.is_signed && x.element == y.element;
  };
  return std::ranges::equal(a.parameters, b.parameters, alike);
}

// `registers N` bounds what the compiler takes: a GPU's occupancy is that of what the kernel needs.
std::string idle_registers(const std::string& entry, std::uint32_t needed,
                           const std::vector<std::uint32_t>& idle) {
  return fmt::format(
      "'{}' needs {} registers a thread: with registers {} its occupancy and time are of the model "
      "alone, a GPU takes no more than it needs",
      entry, needed, fmt::join(idle, ", "));
}

/// The compiler of another architecture does not know how many registers this one has.
std::string too_many_registers(const std::string& entry, std::uint32_t needed, std::uint32_t most,
                               const Backend& backend) {
  return fmt::format(
      "'{}' takes {} registers a thread ({}), and '{}' has {}: it is compiled for {}; what a "
      "compiler spills for that is not in its counts and time on a virtual device",
      entry, needed, backend.toolchain().registers_origin(false), backend.info().name, most, most);
}

}  // namespace

const Source* kept_file(std::span<const Source> kept, const std::string& name) {
  return find_in(kept, name, &Source::name);
}

tl::expected<std::string, std::string> find_kernel_file(const std::string& name,
                                                        const Source& source, const Paths& paths,
                                                        std::span<const Source> kept) {
  const fs::path written = name;
  std::vector<std::string> places = {(fs::path(source.name()).parent_path() / written).string()};
  if (written.is_relative())
    places.push_back((fs::path(paths.stdlib) / "kernels" / written).string());
  for (const std::string& place : places) {
    if (kept_file(kept, place) || is_file(place)) return place;
  }
  return tl::unexpected(fmt::format("looked for {}", fmt::join(places, " and ")));
}

Result<LoweredMeasure> lower_user_measure(const Experiment& experiment, const Measure& measure,
                                          const Source& source, const Backend& backend,
                                          const Paths& paths, std::span<const Source> kept,
                                          const codegen::Limits& limits,
                                          std::vector<std::string>& warnings) {
  const UserKernel& kernel =
      *std::ranges::find(experiment.kernels, measure.run()->kernel, &UserKernel::name);
  const auto file = GPX_TRY(read_kernel(kernel, source, paths, kept));
  const auto compile = [&](std::uint32_t registers, const std::vector<std::string>& defines) {
    return backend.toolchain().compile_file(
        file, {registers, defines, paths.includes, kernel.entry}, &warnings);
  };
  const auto entry_of = [&](const codegen::CompiledFile& compiled,
                            const std::vector<std::string>& defines) {
    const std::string text =
        compiled.artifact.code_alone ? ""
        : compiled.declarations.empty()
            ? codegen::with_macros(file.text() + "\n" + compiled.included, defines)
            : compiled.declarations;
    return codegen::find_entry(codegen::entries_of(compiled.artifact.ptx, text),
                               compiled.symbol_of(kernel.entry), kernel.file, source,
                               kernel.entry_span, compiled.artifact.code_alone ? "" : file.text());
  };
  const auto begun = codegen::defines_of(kernel, experiment.scope(experiment.sweep.at(0)));
  const auto first = compile(0, begun);
  if (!first) return tl::unexpected(first.error());
  const auto entry = GPX_TRY(entry_of(*first, begun));
  auto program = GPX_TRY(codegen::lower_user(experiment, measure, kernel, entry, source, limits));

  std::vector<std::string> contents;  // A run goes on only with the same ones.
  for (const KernelArgument& argument : kernel.arguments)
    for (const KernelArgument* each : buffers_of(argument))
      if (const std::string& data = each->buffer->file; !data.empty())
        contents.push_back(
            file_text((fs::path(source.name()).parent_path() / data).string()).value_or(""));

  LoweredMeasure lowered{&measure, std::move(program), {}};
  lowered.kernel_file = file.name();
  std::uint32_t needed = 0;
  std::vector<std::uint32_t> idle;  // Of `registers N`: more than the kernel needs.
  for (codegen::Kernel& each : lowered.program.kernels) {
    const auto plain = each.defines == begun ? first : compile(0, each.defines);
    if (!plain) return tl::unexpected(plain.error());
    const auto own = GPX_TRY(entry_of(*plain, each.defines));
    if (!same_parameters(entry, own))
      return fail(Fault::input, source, kernel.entry_span,
                  fmt::format("with '{}' the parameters of '{}' are others",
                              fmt::join(each.defines, ", "), kernel.entry),
                  "a kernel and a measure for each");
    needed = plain->registers_of(own.symbol);
    const std::uint32_t most = most_registers(backend.info());
    const bool spills = each.exact_registers == 0 && needed > most;
    auto compiled = GPX_TRY(spills                     ? compile(most, each.defines)
                            : each.exact_registers > 0 ? compile(each.exact_registers, each.defines)
                                                       : plain);
    if (spills) warnings.push_back(too_many_registers(kernel.entry, needed, most, backend));
    codegen::Artifact artifact = compiled.artifact;
    each.name = artifact.entry = own.symbol;
    artifact.registers = compiled.registers_of(own.symbol);
    if (artifact.registers == 0)
      warnings.push_back(fmt::format(
          "how many registers a thread of '{}' takes is {}; they bound no occupancy: `registers N` "
          "in the experiment sets their number",
          kernel.entry, backend.toolchain().registers_origin(false)));
    if (needed > 0 && artifact.registers > needed) idle.push_back(artifact.registers);
    for (const std::string& text : contents)
      artifact.hash = codegen::content_hash({artifact.hash, text});
    lowered.artifacts.push_back(std::move(artifact));
  }
  if (!idle.empty()) warnings.push_back(idle_registers(kernel.entry, needed, idle));
  return lowered;
}

Error in_kernel_file(Error error, const LoweredMeasure& lowered) {
  for (Diagnostic& diagnostic : error.diagnostics) {
    if (!diagnostic.location) continue;
    const std::string& name = diagnostic.location->file;
    for (const codegen::Artifact& artifact : lowered.artifacts) {
      const bool listed = name == artifact.entry + ".sass";
      if (!listed && name != artifact.entry + ".ptx") continue;
      // clang passes on what the file's `asm` says: only who reads the PTX sees that it is wrong.
      error.fault = Fault::input;
      const std::string text(codegen::trimmed(diagnostic.location->line_text));
      auto place = listed ? listed_place(artifact, lowered.kernel_file, text)
                          : kernel_place(artifact, lowered.kernel_file, diagnostic.location->line);
      if (!place) break;
      diagnostic.message +=
          fmt::format(" ({}{}{}{})", listed ? "" : "PTX: ", text.substr(0, text.find("  // line ")),
                      place->besides.empty() ? "" : "; ", place->besides);
      diagnostic.location = std::move(place->location);
      break;
    }
  }
  return error;
}

bool is_uncounted(const std::string& warning) {
  return warning.starts_with(kUncounted);
}

Result<std::vector<LaunchFacts>> launch_facts(const LoweredMeasure& lowered, Backend& backend,
                                              std::vector<std::string>& warnings, bool whole,
                                              bool brief) {
  const codegen::Program& program = lowered.program;
  if (auto loaded = backend.load(program, lowered.artifacts); !loaded)
    return tl::unexpected(in_kernel_file(loaded.error(), lowered));
  const DeviceInfo& device = backend.info();
  std::vector<Result<vgpu::KernelCounter>> counters;
  for (const codegen::Artifact& artifact : lowered.artifacts)
    counters.push_back(vgpu::KernelCounter::make(artifact));
  std::vector<LaunchFacts> all;
  for (const codegen::Launch& launch : program.launches) {
    const auto& counter = counters[launch.kernel];
    LaunchFacts& facts = all.emplace_back();
    facts.registers = lowered.artifacts[launch.kernel].registers;
    facts.shared_bytes = launch.shared_bytes + (counter ? counter->static_shared_bytes() : 0);
    facts.argument_bytes = counter ? counter->argument_bytes() : 0;
    facts.occupancy = occupancy_of(
        device, {launch.all_threads(), facts.registers, facts.shared_bytes, facts.argument_bytes});
    facts.device_blocks = GPX_TRY(backend.resident_blocks(launch));
  }
  count_all(all, counters, lowered, device, count_options(device, whole, brief));
  if (StopScope::raised()) return StopScope::error();
  bool warned = false, told = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const LaunchFacts& facts = all[i];
    const codegen::Artifact& artifact = lowered.artifacts[program.launches[i].kernel];
    if (lacks_sample(facts, program.launches[i], device)) return cannot_sample(artifact, facts);
    if (!facts.counted && !std::exchange(warned, true)) {
      const std::string place =
          facts.problem_place ? fmt::format(" ({})", facts.problem_place->text()) : std::string();
      warnings.push_back(fmt::format("{}{}' cannot be counted: {}{}", kUncounted, artifact.entry,
                                     facts.problem, place));
    }
    if (const std::string calls = driver_calls(facts.counts.output, artifact.entry, facts.counts);
        !calls.empty() && !std::exchange(told, true))
      warnings.push_back(calls);
  }
  return all;
}

std::uint32_t active_sms(const codegen::Launch& launch, const DeviceInfo& device) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(device.sm_count, launch.all_blocks()));
}

std::uint32_t active_blocks(const codegen::Launch& launch, const LaunchFacts& facts,
                            const DeviceInfo& device) {
  const std::uint64_t sms = std::max(active_sms(launch, device), 1u);
  const std::uint64_t share = (launch.all_blocks() + sms - 1) / sms;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(facts.resident_blocks(), share));
}

namespace {

Value number(double value, Unit unit = Unit::none) {
  return Quantity{value, unit};
}

/// The loop in which a warp executes most; nullptr: there is none, or it cannot be followed.
const vgpu::LoopCounts* largest_loop(const LaunchFacts& f) {
  if (!f.followed || f.followed->loops.empty()) return nullptr;
  return &*std::ranges::max_element(f.followed->loops, {}, [](const vgpu::LoopCounts& loop) {
    return loop.computation + loop.memory();
  });
}

/// In the order of the columns.
std::vector<Value> count_values(const LaunchFacts& f) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const vgpu::KernelCounts& c = f.counts;
  const vgpu::KernelCounts* s = f.followed ? &f.followed->counts : nullptr;
  std::vector<Value> row;
  for (const double value :
       {c.computation, c.coalesced, c.uncoalesced, c.barriers, c.transactions_per_coalesced,
        c.transactions_per_uncoalesced, c.bytes_per_access, c.folded,
        static_cast<double>(c.blocks_executed), c.sample_error})
    row.push_back(number(f.counted ? value : kUnknown));
  for (const double value :
       {s ? s->computation : 0, s ? s->coalesced : 0, s ? s->uncoalesced : 0, s ? s->barriers : 0})
    row.push_back(number(s ? value : kUnknown));
  const vgpu::LoopCounts* loop = largest_loop(f);
  for (const std::uint64_t value :
       {loop ? loop->trips : 0, loop ? loop->computation : 0, loop ? loop->coalesced : 0,
        loop ? loop->uncoalesced : 0, loop ? loop->barriers : 0})
    row.push_back(number(loop ? static_cast<double>(value) : kUnknown));
  return row;
}

}  // namespace

void add_fact_columns(LoweredMeasure& lowered, const std::vector<LaunchFacts>& facts,
                      const DeviceInfo& device) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  lowered.clock_hz = device.clock_hz;
  lowered.fact_columns = {{"comp_insts"},
                          {"coal_mem_insts"},
                          {"uncoal_mem_insts"},
                          {"sync_insts"},
                          {"coal_per_mw"},
                          {"uncoal_per_mw"},
                          {"load_bytes_per_warp", Unit::byte},
                          {"folded_insts"},
                          {"blocks_counted"},
                          {"count_error"},
                          {"static_comp_insts"},
                          {"static_coal_mem_insts"},
                          {"static_uncoal_mem_insts"},
                          {"static_sync_insts"},
                          {"loop_trips"},
                          {"loop_comp_insts"},
                          {"loop_coal_mem_insts"},
                          {"loop_uncoal_mem_insts"},
                          {"loop_sync_insts"},
                          {"warps_per_block"},
                          {"blocks"},
                          {"active_blocks_per_sm"},
                          {"active_sms"},
                          {"resident_blocks"},
                          {"occupancy"},
                          {"limiter", Unit::none, true},
                          {"registers"},
                          {"shared_bytes", Unit::byte}};
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const LaunchFacts& f = facts[i];
    codegen::Launch& launch = lowered.program.launches[i];
    if (f.counts.blocks > 0)
      launch.deviation = f.counts.deviation, launch.largest = f.counts.largest;
    if (launch.sampled && !(f.counts.blocks > 0 && f.counts.independent)) {
      launch.sampled = false;
      launch.most_instructions = kMostDependent;
    }
    const double warps = f.resident_blocks() * f.occupancy.warps_per_block;
    std::vector<Value> row = count_values(f);
    row.insert(
        row.end(),
        {number(f.occupancy.warps_per_block), number(static_cast<double>(launch.all_blocks())),
         number(active_blocks(launch, f, device)), number(active_sms(launch, device)),
         number(f.resident_blocks()),
         number(f.occupancy.max_warps ? warps / f.occupancy.max_warps : kUnknown),
         joined(f.occupancy.limiters, " and "), number(f.registers ? f.registers : kUnknown),
         number(static_cast<double>(f.shared_bytes), Unit::byte)});
    lowered.facts.push_back(std::move(row));
  }
}

}  // namespace gpx
