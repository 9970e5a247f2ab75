// Interface: entry.h. Covered by tests/runtime/entry_test.cpp.
#include "runtime/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "codegen/ir/convention.h"
#include "codegen/ir/kernel_parse.h"
#include "codegen/ir/program_text.h"
#include "codegen/ir/region.h"
#include "lang/check_context.h"
#include "lang/try.h"

namespace gpx {
namespace {

/// Calls `visit(line, is_ir)` for each line, its end included. IR and recordings begin in the first
/// column.
template <typename Visit>
void for_each_entry_line(const std::string& text, Visit&& visit) {
  bool is_ir = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    for (const std::string_view word : {"kernel ", "program ", "probes "})
      if (line.starts_with(word)) is_ir = true;
    if (line.starts_with("experiment ")) is_ir = false;
    visit(line, is_ir);
    begin = end;
  }
}

/// The text with blanks in place of its language or of its IR.
Source part_of(const Source& source, bool ir) {
  std::string text;
  for_each_entry_line(source.text(), [&](std::string_view line, bool is_ir) {
    if (is_ir == ir)
      text += line;
    else
      text.append(line.size() - (line.back() == '\n'), ' ').append(line.back() == '\n', '\n');
  });
  return Source(source.name(), std::move(text));
}

/// What settings say of a kernel's launch.
class LaunchSettings {
 public:
  explicit LaunchSettings(const std::vector<Setting>& settings)
      : settings_(settings.rbegin(), settings.rend()) {}

  /// The value of a setting in base units; nothing where there is none of this name.
  Result<std::optional<double>> value(const std::string& name) {
    known_.insert(name);
    const auto found = std::ranges::find(settings_, name, &Setting::name);
    if (found == settings_.end()) return std::nullopt;
    const Override given(*found);
    if (!given.is_valid) return tl::unexpected(given.problems.error());
    if (given.is_single) {
      const auto value = evaluate(given.value.list.front(), no_names);
      const auto* number = value ? std::get_if<Quantity>(&*value) : nullptr;
      if (number) return number->value;
    }
    return fail(Fault::input, given.source, given.value.values_span, "expected a number");
  }

  Result<std::uint64_t> whole(const std::string& name, std::uint64_t absent, std::uint64_t least,
                              std::uint64_t most) {
    const auto given = GPX_TRY(value(name));
    const double number = given.value_or(static_cast<double>(absent));
    if (number == std::floor(number) && number >= static_cast<double>(least) &&
        number <= static_cast<double>(most))
      return given.has_value() ? static_cast<std::uint64_t>(number) : absent;
    return fail(Fault::input,
                fmt::format("--set {}: expected a whole number from {} to {}", name, least, most));
  }

  /// An error for a setting that nothing asked for.
  Result<void> all_used() const {
    for (const Setting& setting : settings_) {
      if (known_.contains(setting.name)) continue;
      const auto near = nearest(setting.name, {known_.begin(), known_.end()});
      return fail(Fault::input,
                  fmt::format("--set {}: the kernel has no such parameter", setting.name),
                  near ? fmt::format("did you mean '{}'?", *near)
                       : fmt::format("there are {}", fmt::join(known_, ", ")));
    }
    return {};
  }

 private:
  static const Value* no_names(std::string_view) { return nullptr; }

  std::vector<Setting> settings_;  ///< The last first: of two of one name it counts.
  std::set<std::string> known_;
};

/// Whether a kernel stores to a buffer, through addresses that its setup makes of it.
bool stores_to(const codegen::Kernel& kernel, const std::string& buffer) {
  std::set<std::uint32_t> of_buffer;
  for (std::uint32_t i = 0; i < kernel.parameters; ++i)
    if (kernel.registers[i].name == buffer) of_buffer.insert(i);
  const auto any = [&](const codegen::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands,
                               [&](std::uint32_t each) { return of_buffer.contains(each); });
  };
  codegen::for_each(kernel.setup, [&](const codegen::Instruction& instruction) {
    if (instruction.result != codegen::kNoRegister && any(instruction))
      of_buffer.insert(instruction.result);
  });
  bool stores = false;
  codegen::for_each(kernel.timed, [&](const codegen::Instruction& instruction) {
    stores |= codegen::is_store(instruction.op) && any(instruction);
  });
  return stores;
}

/// One launch of a kernel, from settings.
class LaunchedKernel {
 public:
  LaunchedKernel(const Source& source, codegen::Kernel kernel, const std::vector<Setting>& settings)
      : source_(source), kernel_(std::move(kernel)), settings_(settings) {}

  Result<Entered> run() {
    GPX_TRY(launchable());
    for (auto step : {&LaunchedKernel::buffers, &LaunchedKernel::scalars, &LaunchedKernel::launch})
      GPX_TRY((this->*step)());
    GPX_TRY(settings_.all_used());
    program_.results = codegen::results_of(kernel_);
    program_.records = codegen::records_of(kernel_);
    if (kernel_.observe == Observe::timeline)
      launch_.record_extents = {launch_.blocks, launch_.threads, kernel_.stamps.size()};
    experiment_.name = kernel_.name;
    experiment_.measures.front().observe = kernel_.observe;
    program_.kernels.push_back(std::move(kernel_));
    program_.launches.push_back(std::move(launch_));
    return Entered{std::move(experiment_), {std::move(program_)}, {}};
  }

 private:
  tl::unexpected<Error> at(const std::string& text, std::string message, std::string hint) const {
    const std::size_t found = std::min(source_.text().find(text), source_.text().size());
    const auto begin = static_cast<std::uint32_t>(found);
    return fail(Fault::input, source_, {begin, begin + static_cast<std::uint32_t>(text.size())},
                std::move(message), std::move(hint));
  }

  /// Settings cannot say what an array holds and which blocks run on which SM.
  Result<void> launchable() const {
    const char* hint = "a program has them: --dump=program prints one, --from=program reads it";
    if (!kernel_.arrays.empty())
      return at("array " + kernel_.arrays.front().name,
                "a kernel that chases an array needs the array's contents", hint);
    if (const auto maps = codegen::tensor_maps(kernel_); !maps.empty())
      return at("param " + maps.front(), "a kernel that copies a tensor needs the tensor's map",
                hint);
    if (kernel_.placed) return at("placed", "a kernel with a place needs its blocks' SMs", hint);
    return {};
  }

  Result<void> buffers() {
    for (const std::string& name : kernel_.buffers()) {
      const auto bytes = GPX_TRY(settings_.whole(name, 0, 0, std::uint64_t{1} << 48));
      if (bytes == 0)
        return at("param " + name, fmt::format("the size of the buffer {} is not given", name),
                  fmt::format("such as --set {}=4MB", name));
      program_.buffers.push_back({name, (bytes + 7) / 8 * 8, stores_to(kernel_, name)});
    }
    return {};
  }

  Result<void> scalars() {
    for (const std::string& name : kernel_.scalars()) {
      const auto given = GPX_TRY(settings_.value(name));
      const bool never = name == "never";
      if (!given && !never)
        return at("param " + name, fmt::format("nothing gives the scalar {} a value", name),
                  fmt::format("such as --set {}=4", name));
      const auto value = settings_.whole(name, codegen::kNeverWord, 0, std::uint64_t{1} << 53);
      if (!value && given) return tl::unexpected(value.error());
      launch_.scalars.push_back(given ? *value : codegen::kNeverWord);
    }
    return {};
  }

  Result<void> launch() {
    Measure& measure = experiment_.measures.front();
    const auto threads = settings_.whole("threads", kernel_.threads, 1, kernel_.threads);
    const auto blocks = settings_.whole("blocks", 1, 1, 2147483647);
    const auto repeat = settings_.whole("repeat", 1, 1, 10000);
    const auto warmup = settings_.whole("warmup", 1, 0, 1000);
    for (const auto* each : {&threads, &blocks, &repeat, &warmup})
      if (!*each) return tl::unexpected(each->error());
    launch_.threads = static_cast<std::uint32_t>(*threads);
    launch_.blocks = static_cast<std::uint32_t>(*blocks);
    launch_.warmup = static_cast<std::uint32_t>(*warmup);
    experiment_.repeat = program_.repetitions = static_cast<std::uint32_t>(*repeat);
    measure.threads = Expr::number(launch_.threads);
    measure.blocks = Expr::number(launch_.blocks);
    measure.warmup = Expr::number(launch_.warmup);
    return watchdog(measure);
  }

  Result<void> watchdog(Measure& measure) {
    const auto seconds = GPX_TRY(settings_.value("watchdog"));
    codegen::for_each(kernel_.timed, [&](const codegen::Instruction& instruction) {
      program_.may_hang |= instruction.op == codegen::Op::loop;
    });
    if (program_.may_hang && !seconds)
      return at("while", "a kernel with 'while' may never end: it needs a watchdog",
                "such as --set watchdog=10ms");
    if (!seconds) return {};
    launch_.watchdog = *seconds;
    measure.watchdog = Expr::number(*seconds, Unit::second);
    program_.outcomes = true;
    return {};
  }

  const Source& source_;
  codegen::Kernel kernel_;
  LaunchSettings settings_;
  Experiment experiment_;
  codegen::Program program_;
  codegen::Launch launch_;
};

}  // namespace

const std::vector<std::string>& entry_stages() {
  static const std::vector<std::string> stages = {"experiment", "program", "kernel", "probes"};
  return stages;
}

Source language_part(const Source& source) {
  return part_of(source, false);
}

Result<std::vector<Entered>> enter_programs(const Source& source,
                                            std::vector<Experiment> experiments,
                                            const std::vector<Setting>& settings) {
  if (!settings.empty())
    return fail(Fault::input,
                fmt::format("--set {} comes too late for a program", settings.front().name),
                "set it where the program is made: --set with --dump=program");
  const Source ir = part_of(source, true);
  auto programs = GPX_TRY(codegen::parse_programs(ir));
  std::vector<Entered> all;
  auto next = programs.begin();
  for (Experiment& experiment : experiments) {
    Entered& entered = all.emplace_back();
    for (const Measure& measure : experiment.measures) {
      if (next == programs.end())
        return fail(Fault::input, source, experiment.span,
                    fmt::format("experiment {} has more measures than programs", experiment.name));
      if (next->measure != measure.name)
        return fail(Fault::input, source, next->place,
                    fmt::format("expected the program of measure '{}'", measure.name));
      // `place sm all` has as many points more as the device has SMs.
      if (next->program.launches.size() % experiment.sweep.points() != 0 ||
          (next->program.launches.size() != experiment.sweep.points() &&
           std::ranges::none_of(experiment.sweep.axes(), &Axis::all_sms)))
        return fail(Fault::input, source, next->place,
                    fmt::format("{} launches for {} points of the sweep",
                                next->program.launches.size(), experiment.sweep.points()));
      entered.programs.push_back(std::move((next++)->program));
    }
    entered.experiment = std::move(experiment);
  }
  if (next == programs.end()) return all;
  return fail(Fault::input, source, next->place, "a program of no measure");
}

Result<std::vector<Entered>> enter_recorded(const Source& source,
                                            std::vector<Experiment> experiments,
                                            const std::vector<Setting>& settings) {
  if (!settings.empty())
    return fail(Fault::input, fmt::format("--set {} comes too late for what was measured",
                                          settings.front().name));
  auto recordings = GPX_TRY(recordings_in(part_of(source, true).text()));
  if (recordings.size() != experiments.size())
    return fail(Fault::input, fmt::format("{} recordings for {} experiments", recordings.size(),
                                          experiments.size()));
  std::vector<Entered> all;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    if (recordings.at(i).name != experiments[i].name)
      return fail(Fault::input, fmt::format("the probes of {} follow, those of {} should",
                                            recordings.at(i).name, experiments[i].name));
    all.push_back({std::move(experiments[i]), {}, std::move(recordings.at(i))});
  }
  return all;
}

Result<Entered> enter_kernel(const Source& source, const std::vector<Setting>& settings) {
  auto kernels = GPX_TRY(codegen::parse_verified_kernels(source));
  if (kernels.size() != 1)
    return fail(Fault::input,
                fmt::format("'{}' has {} kernels: one is launched", source.name(), kernels.size()));
  return LaunchedKernel(source, std::move(kernels.front()), settings).run();
}

}  // namespace gpx
