// Kernels -> artifacts. Interface: codegen/compile/compile.h. Covered by
// tests/codegen/compile_test.cpp.
#include "codegen/compile/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "codegen/compile/parallel.h"
#include "codegen/emit/emit.h"
#include "codegen/ir/inline_ptx.h"
#include "codegen/ir/operation.h"
#include "codegen/ir/region.h"
#include "codegen/ir/warpgroup.h"
#include "codegen/sass/cubin.h"
#include "codegen/sass/listing.h"
#include "lang/try.h"
#include "lang/words.h"

namespace gpx::codegen {
namespace {

struct Work {
  const Kernel* kernel = nullptr;
  Target target;
  std::string hash;
  std::string cuda;
  Artifact artifact;
  std::optional<Error> error;
};

/// The line of a text, from 1.
std::string_view line_of(std::string_view text, int number) {
  for (int n = 1; n < number; ++n)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

/// A row of PTX whose registers are named as those of the kernel's K-th operation, opK_: where the
/// instruction stands in the text of that `ptx` statement. Nothing: it is none of one.
std::optional<Span> place_in_statement(const Kernel& kernel, std::string_view row,
                                       const Source& source) {
  const std::size_t prefix = row.find("op");
  std::size_t number = 0;
  if (prefix == row.npos) return std::nullopt;
  const char* begin = row.data() + prefix + 2;
  const auto [end, code] = std::from_chars(begin, row.data() + row.size(), number);
  const std::vector<const Instruction*> operations = all_of(kernel, Op::operate);
  if (code != std::errc{} || number >= operations.size()) return std::nullopt;
  const Instruction& operation = *operations[number];
  const Span line = source.line(static_cast<int>(operation.line));
  const std::size_t text = source.slice(line).find(operation.name);
  if (!is_inline_ptx(operation.name) || text == std::string_view::npos) return std::nullopt;
  row.remove_prefix(std::min(row.find_first_not_of(" \t"), row.size()));
  if (row.starts_with('@')) row.remove_prefix(std::min(row.find(' ') + 1, row.size()));
  const std::string_view opcode = row.substr(0, row.find(' '));
  const std::size_t at = std::min(operation.name.find(opcode), operation.name.size() - 1);
  const auto first = line.begin + static_cast<std::uint32_t>(text + at);
  const std::size_t length = std::min(operation.name.find(';', at), operation.name.size()) - at;
  return Span{first, first + static_cast<std::uint32_t>(length)};
}

/// ptxas counts lines of a PTX that is not handed out where it fails: it is made again, without.
std::optional<Span> place_of_row(const Kernel& kernel, const Work& work, int number,
                                 const Compiler& compiler, const Source& source) {
  if (number == 0) return std::nullopt;
  Target target = work.target;
  target.form = Target::Form::ptx;
  const auto made = compiler.compile(work.cuda, kernel.name + ".cu", target);
  if (!made || !made->ok) return std::nullopt;
  return place_in_statement(kernel, line_of(made->ptx, number), source);
}

Error compile_error(const Work& work, const std::string& log, const Compiler& compiler,
                    const Source* source) {
  const Kernel& kernel = *work.kernel;
  const CompilerMessage found = first_error(log, source ? source->name() : "");
  const std::string message =
      fmt::format("{} cannot compile this: {}", compiler.title(), found.text);
  const std::string hint = fmt::format("the generated kernel is {}: see --dump=cuda", kernel.name);
  const int line = found.line > 0 ? found.line : static_cast<int>(kernel.timed.front().line);
  if (!source || line == 0) return make_error(Fault::device, message, hint);
  if (const auto place = place_of_row(kernel, work, found.ptx_line, compiler, *source))
    return make_error(
        Fault::input, *source, *place,
        fmt::format("the assembler for sm_{} refuses this: {}", work.target.sm, found.text));
  return make_error(Fault::device, *source, source->line(line), message, hint);
}

// The kernel's own registers may be more than it is to take: a target's smallest kernel needs some.
std::optional<Error> set_registers(Artifact& artifact, const Kernel& kernel, const Source* source) {
  if (kernel.exact_registers == 0) return std::nullopt;
  const auto failed = [&](const std::string& message) {
    const auto line = static_cast<int>(kernel.timed.front().line);
    if (!source || line == 0) return make_error(Fault::device, message);
    return make_error(Fault::device, *source, source->line(line), message);
  };
  if (artifact.registers > kernel.exact_registers)
    return failed(fmt::format("registers {}: the compiler uses {} for this kernel on sm_{}",
                              kernel.exact_registers, artifact.registers, artifact.target.sm));
  if (!set_cubin_registers(artifact.cubin, kernel.exact_registers))
    return failed("the cubin does not have its number of registers");
  artifact.registers = kernel.exact_registers;
  return std::nullopt;
}

void take(Work& work, Result<Compiled> compiled, const Compiler& compiler, const Source* source) {
  const Target& target = work.target;
  if (!compiled) {
    work.error = compiled.error();
  } else if (!compiled->ok) {
    work.error = compile_error(work, compiled->log, compiler, source);
  } else {
    work.artifact.entry = work.kernel->name;
    work.artifact.ptx = std::move(compiled->ptx);
    if (target.form == Target::Form::cubin) {
      work.artifact.cubin = std::move(compiled->cubin);
      work.artifact.target = target;
      work.artifact.registers = cubin_registers(work.artifact.cubin);
      work.error = set_registers(work.artifact, *work.kernel, source);
    }
    // Not every compiler writes the number that is asked for into the PTX.
    if (target.form == Target::Form::ptx) work.artifact.registers = work.kernel->exact_registers;
    work.artifact.log = std::move(compiled->log);
  }
}

/// Fewer kernels than this are compiled in this process: another one takes some milliseconds.
constexpr std::size_t kFew = 4;
/// Of one process. More would leave threads without work at the end of a sweep.
constexpr std::size_t kMostTogether = 8;

void compile_all(std::vector<Work*>& todo, const Compiler& compiler,
                 const CompileOptions& options) {
  const std::size_t wanted = jobs_of(options.jobs);
  const bool beside = wanted > 1 && todo.size() >= kFew;
  const std::size_t together =
      beside ? std::clamp<std::size_t>(todo.size() / (2 * wanted), 1, kMostTogether) : 1;
  in_parallel(todo.size(), together, wanted, [&](std::size_t begin, std::size_t end) {
    const std::span part(todo.data() + begin, end - begin);
    std::vector<ProgramText> programs;
    for (const Work* work : part)
      programs.push_back({work->cuda, work->kernel->name + ".cu", work->target});
    auto compiled = beside ? compiler.compile_beside(programs)
                           : std::vector{compiler.compile(programs[0].source, programs[0].name,
                                                          programs[0].target)};
    for (std::size_t k = 0; k < part.size(); ++k)
      take(*part[k], std::move(compiled[k]), compiler, options.source);
  });
}

std::string key_of(const Kernel& kernel, const Target& target, const Compiler& compiler) {
  // Without #line: the same kernel of another file, or on another line, is the same artifact.
  const std::string code = emit_cuda(kernel);
  const std::vector<std::string> options = compiler.options(target);
  std::vector<std::string_view> parts{code, compiler.identity()};
  parts.insert(parts.end(), options.begin(), options.end());
  return content_hash(parts);
}

/// What a warpgroup does is not in code that other GPUs could run, too.
Target target_of(const Kernel& kernel, Target target) {
  target.specific = !warpgroup_steps(kernel).empty();
  return target;
}

/// With its artifact where the cache has one.
Work begun(const Kernel& kernel, const Target& target, const CompileOptions& options,
           const Compiler& compiler, std::vector<std::string>& warnings) {
  Work work;
  work.kernel = &kernel;
  work.target = target_of(kernel, target);
  work.hash = key_of(kernel, work.target, compiler);
  work.cuda = emit_cuda(kernel, options.source ? options.source->name() : "");
  auto cached = options.cache.find(work.hash, &warnings);
  const bool usable = cached && cached->entry == kernel.name &&
                      cached->cubin.empty() == (target.form == Target::Form::ptx);
  if (usable) work.artifact = std::move(*cached);
  return work;
}

/// A virtual device may be older than all that compilers still know.
std::string what_it_has(const Target& target) {
  return fmt::format("{} {}.{}",
                     target.form == Target::Form::ptx
                         ? "kernels for this virtual device are compiled for"
                         : "this device has",
                     target.sm / 10, target.sm % 10);
}

/// Where an operation's name stands on its line, or the axis that has the name: the first word of a
/// statement that stands alone on its line.
Span name_on(const Source& source, int line, const std::string& name) {
  const Span whole = source.line(line);
  const std::string_view text =
      std::string_view(source.text()).substr(whole.begin, whole.end - whole.begin);
  std::size_t at = name.empty() ? text.npos : text.find(name), size = name.size();
  if (const std::size_t first = text.find_first_not_of("< ");
      at == text.npos && first != text.npos) {
    const std::string_view rest = text.substr(first);
    if (rest.find_first_of("<;{") != rest.npos) return whole;
    at = first;
    size = std::min(rest.find_first_of(" >#"), rest.size());
  }
  if (at == text.npos) return whole;
  const auto begin = whole.begin + static_cast<std::uint32_t>(at);
  return {begin, begin + static_cast<std::uint32_t>(size)};
}

// An operation that the target has not is the user's mistake, not the compiler's: it lets it
// pass in PTX, and ptxas names a line that the user never saw.
std::optional<Error> lacks_operation(const Kernel& kernel, const Target& target,
                                     const Source* source) {
  std::optional<Error> error;
  const auto refuse = [&](const Instruction& instruction, const std::string& message) {
    const auto line = static_cast<int>(instruction.line);
    error = source && line > 0 ? make_error(Fault::input, *source,
                                            name_on(*source, line, instruction.name), message)
                               : make_error(Fault::input, message);
  };
  for_each(kernel.timed, [&](const Instruction& instruction) {
    if (error) return;
    if (is_copy(instruction.op)) {
      const bool bulk = is_bulk(instruction.op);
      const int sm = bulk ? 90 : 80;
      const std::string_view unit = bulk ? "bulk_copy" : "async_copy";
      if (sm > target.sm)
        refuse(instruction, fmt::format("{} needs compute capability {}.0: {}",
                                        bulk ? "a bulk copy" : "an asynchronous copy", sm / 10,
                                        what_it_has(target)));
      else if (std::ranges::count(target.lacks, unit) > 0)
        refuse(instruction, fmt::format("{} needs the unit {}, which this device does not have",
                                        bulk ? "a bulk copy" : "an asynchronous copy", unit));
    }
    if (instruction.op != Op::operate) return;
    const Operation& row = operation_of(instruction);
    std::string message;
    if (row.sm > target.sm)
      message = fmt::format("{} needs compute capability {}.{}: {}", row.name, row.sm / 10,
                            row.sm % 10, what_it_has(target));
    else if (row.pipe == "wgmma" && row.sm != target.sm)
      message = fmt::format("{} needs compute capability 9.0, which no later one has: {}", row.name,
                            what_it_has(target));
    else if (std::ranges::count(target.lacks, row.pipe) > 0)
      message =
          fmt::format("{} needs the unit {}, which this device does not have", row.name, row.pipe);
    else
      return;
    refuse(instruction, message);
  });
  return error;
}

// Both errors of two kernels that fail alike would say the same: the first is enough for each line.
std::optional<Error> gather_errors(const std::vector<Work>& works) {
  std::optional<Error> all;
  for (const Work& work : works) {
    if (!work.error) continue;
    if (!all) all = Error{work.error->fault, {}};
    for (const Diagnostic& diagnostic : work.error->diagnostics)
      if (std::none_of(all->diagnostics.begin(), all->diagnostics.end(), [&](const auto& other) {
            return other.location == diagnostic.location && other.message == diagnostic.message;
          }))
        all->diagnostics.push_back(diagnostic);
  }
  return all;
}

std::string machine_code(const Artifact& artifact) {
  return sass::listing(cubin_code(artifact.cubin, artifact.entry), artifact.target.sm);
}

}  // namespace

CompilerMessage first_error(std::string_view log, std::string_view file) {
  CompilerMessage found;
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = take_until(rest, '\n');
    const std::size_t at = line.find("error");
    if (at == std::string_view::npos) continue;
    if (!file.empty() && line.starts_with(file) && line.substr(file.size()).starts_with("("))
      std::from_chars(line.data() + file.size() + 1, line.data() + line.size(), found.line);
    const std::size_t text = line.find(": ", at);
    constexpr std::string_view kRow = ", line ";
    if (const std::size_t row = line.find(kRow); row < at)
      std::from_chars(line.data() + row + kRow.size(), line.data() + line.size(), found.ptx_line);
    found.text = text == std::string_view::npos ? line : line.substr(text + 2);
    return found;
  }
  found.text = log.empty() ? "it gives no reason" : log.substr(0, log.find('\n'));
  return found;
}

Result<std::vector<Artifact>> compile(std::span<const Kernel> kernels, const Target& target,
                                      const CompileOptions& options,
                                      std::vector<std::string>* warnings) {
  for (const Kernel& kernel : kernels)
    if (auto error = lacks_operation(kernel, target, options.source))
      return tl::unexpected<Error>(std::move(*error));
  auto compiler = options.compiler;
  if (!compiler) {
    compiler = GPX_TRY(find_compiler(target));
  }
  if (const std::string note = compiler->note(target); warnings && !note.empty())
    warnings->push_back(note);
  std::vector<Work> works(kernels.size());
  std::vector<std::vector<std::string>> told(kernels.size());
  in_parallel(works.size(), kFewSteps, options.jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      works[i] = begun(kernels[i], target, options, *compiler, told[i]);
  });
  if (StopScope::raised()) return StopScope::error();
  std::vector<Work*> todo;
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (warnings) warnings->insert(warnings->end(), told[i].begin(), told[i].end());
    if (!works[i].artifact.from_cache) todo.push_back(&works[i]);
  }
  if (!todo.empty()) {
    compile_all(todo, *compiler, options);
    if (StopScope::raised()) return StopScope::error();
    if (auto error = gather_errors(works)) return tl::unexpected<Error>(std::move(*error));
  }
  std::vector<Artifact> made;
  for (Work& work : works) {
    work.artifact.cuda = std::move(work.cuda);
    work.artifact.hash = work.hash;
    work.artifact.target = work.target;
    if (!work.artifact.from_cache) options.cache.store(work.artifact, warnings);
    work.artifact.sass = machine_code(work.artifact);
    made.push_back(std::move(work.artifact));
  }
  return made;
}

}  // namespace gpx::codegen
