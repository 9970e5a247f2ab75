// Interface: trial.h. Covered by tests/runtime/trial_test.cpp.
#include "runtime/trial/trial.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "codegen/user/user_kernel.h"
#include "runtime/predict/request.h"
#include "runtime/trial/guess.h"

namespace gpx {
namespace {

void set_why(Trial& trial, Tried outcome, const Error& error) {
  trial.outcome = outcome;
  const Diagnostic& first = error.diagnostics.front();
  trial.why = first.message;
  for (const Diagnostic& each : error.diagnostics)
    if (trial.why_line == 0 && each.location && each.location->file == trial.file)
      trial.why_line = each.location->line;
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// "scan<int,128>" of "void scan<int, 128>(int*)".
std::string instance_of(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text) return symbol;
  std::string all(text.get());
  all.resize(std::min(all.find('('), all.size()));
  if (all.starts_with("void ")) all.erase(0, 5);
  return without_blanks(std::move(all));
}

/// Of a template without arguments, or of overloads, the first.
const codegen::KernelEntry* entry_of(const std::vector<codegen::KernelEntry>& entries,
                                     const std::string& name) {
  const auto last = [](const std::string& all) {
    const std::size_t at = all.rfind("::");
    return at == std::string::npos ? all : all.substr(at + 2);
  };
  const std::string wanted = without_blanks(name);
  const auto found = std::ranges::find_if(entries, [&](const codegen::KernelEntry& each) {
    return each.symbol == name || each.name == name || last(each.name) == name ||
           instance_of(each.symbol) == wanted;
  });
  return found == entries.end() ? nullptr : &*found;
}

/// The numbers behind a directive of an entry: {64, 1, 1} of `.maxntid 64, 1, 1`; empty: it has
/// none.
std::vector<std::uint32_t> directive_of(const std::string& ptx, const std::string& symbol,
                                        const std::string& directive) {
  const std::size_t begin = ptx.find(".entry " + symbol + "(");
  const std::size_t end = std::min(ptx.find('{', begin), ptx.size());
  const std::size_t at = begin == std::string::npos ? end : ptx.find(directive, begin);
  std::vector<std::uint32_t> numbers;
  if (at >= end) return numbers;
  const std::size_t line = std::min(ptx.find('\n', at), ptx.size());
  std::istringstream text(ptx.substr(at + directive.size(), line - at - directive.size()));
  std::uint32_t number = 0;
  char comma = ',';
  while (comma == ',' && text >> number) {
    numbers.push_back(number);
    comma = ' ';
    text >> comma;
  }
  return numbers;
}

/// A block that the kernel's bounds admit: of the size that it requires, else no larger than it
/// allows.
void keep_bounds(PredictRequest& request, const std::string& ptx, const std::string& symbol) {
  const std::vector<std::uint32_t> required = directive_of(ptx, symbol, ".reqntid");
  if (!required.empty()) {
    request.block.clear();
    for (const std::uint32_t extent : required) request.block.push_back(std::to_string(extent));
    return;
  }
  std::uint64_t most = 1;
  for (const std::uint32_t extent : directive_of(ptx, symbol, ".maxntid")) most *= extent;
  if (directive_of(ptx, symbol, ".maxntid").empty()) return;
  for (std::string& extent : request.block) {
    const std::uint64_t taken = std::min<std::uint64_t>(std::stoull(extent), most);
    extent = std::to_string(taken);
    most = std::max<std::uint64_t>(most / taken, 1);
  }
}

/// Whether a run ended by what the kernel did, which other arguments may change.
bool by_arguments(const Error& error) {
  constexpr const char* kSigns[] = {"outside",      "address",  "aligned", "deadlock",
                                    "instructions", "division", "null"};
  const std::string& message = error.diagnostics.front().message;
  return std::ranges::any_of(
      kSigns, [&](const char* sign) { return message.find(sign) != std::string::npos; });
}

/// Of a template the instances that the file launches, if they compile.
Result<codegen::CompiledFile> compiled_for(const codegen::Toolchain& toolchain, const Source& text,
                                           const FoundKernel& kernel) {
  std::vector<std::string> warnings;
  codegen::FileOptions options;
  if (kernel.is_template) {
    options.entry = kernel.name;
    if (auto made = toolchain.compile_file(text, options, &warnings)) return made;
    options.entry.clear();
  }
  return toolchain.compile_file(text, options, &warnings);
}

/// What a run calls an entry: of an instance that had to be asked for the name, else the symbol.
std::string name_of(const codegen::CompiledFile& file, const std::string& symbol) {
  const auto found = std::ranges::find(
      file.instances, symbol, [](const auto& each) -> const auto& { return each.second; });
  return found == file.instances.end() ? symbol : found->first;
}

/// One launch of all blocks, and what is expected of it.
void run(Session& session, const std::string& device, const PredictRequest& request, Trial& trial) {
  const auto asked = experiment_of(request, 1);
  if (!asked) return set_why(trial, Tried::wrong_arguments, asked.error());
  RunOptions options;
  options.device = device;
  const auto ran = session.run(asked->source(), options);
  if (!ran) {
    const Error error = asked->in_options(ran.error());
    return set_why(trial, Tried::refused, error);
  }
  const ExperimentResult& result = ran->experiments.front();
  if (result.failure) {
    const bool guessed = trial.guessed && by_arguments(*result.failure);
    return set_why(trial, guessed ? Tried::wrong_arguments : Tried::refused, *result.failure);
  }
  trial.outcome = Tried::runs;
  trial.why.clear();
  trial.why_line = 0;
  for (const ExpectationResult& each : result.expectations)
    if (!each.pass) {
      trial.outcome = Tried::wrong_result;
      trial.why = each.reason;
      return;
    }
}

}  // namespace

std::string_view to_string(Tried tried) {
  constexpr std::string_view kNames[] = {"runs",     "wrong_result", "wrong_arguments",
                                         "refused",  "no_instance",  "compile_error",
                                         "time_out", "crash"};
  return kNames[static_cast<std::size_t>(tried)];
}

Trial try_kernel(Session& session, const std::string& device, const Source& text,
                 const FoundKernel& kernel) {
  Trial trial{kernel.file, kernel.name, kernel.line, !kernel.given, Tried::crash, {}};
  const auto opened = session.open(device);
  if (!opened) {
    set_why(trial, Tried::refused, opened.error());
    return trial;
  }
  if (kernel.given) {  // A run finds the entry, instances of templates included.
    run(session, device, *kernel.given, trial);
    return trial;
  }
  const auto compiled = compiled_for((*opened)->toolchain(), text, kernel);
  if (!compiled) {
    set_why(trial, Tried::compile_error, compiled.error());
    return trial;
  }
  const auto entries =
      codegen::entries_of(compiled->artifact.ptx, text.text() + "\n" + compiled->included);
  const codegen::KernelEntry* entry = entry_of(entries, kernel.name);
  if (!entry) {
    trial.outcome = kernel.is_template ? Tried::no_instance : Tried::refused;
    trial.why = kernel.is_template ? "the file makes no instance of this template"
                                   : "the compiler leaves it out";
    return trial;
  }
  for (const Counts counts : {Counts::of_threads, Counts::ones}) {
    PredictRequest request = guess(kernel, *entry, counts);
    request.entry = name_of(*compiled, entry->symbol);
    keep_bounds(request, compiled->artifact.ptx, entry->symbol);
    run(session, device, request, trial);
    if (trial.outcome != Tried::wrong_arguments) break;
  }
  return trial;
}

}  // namespace gpx
