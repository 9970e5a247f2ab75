// gpx sass: the machine code of a CUDA file or a cubin. Covered by tests/cli/sass_command_test.cpp.
#include <fmt/format.h>

#include <filesystem>

#include "codegen/compile/architecture.h"
#include "codegen/compile/cache.h"
#include "codegen/sass/cubin.h"
#include "codegen/user/cubin_file.h"
#include "codegen/user/user_kernel.h"
#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/output.h"
#include "runtime/report/machine_code.h"

namespace gpx::cli {
namespace {

constexpr const char* kDefaultArchitecture = "sm_90a";

struct SassCommand : Talk {
  std::string file, entry, architecture, json, html;

  void take(CommandLine& line) {
    line.argument("FILE.cu|FILE.cubin", file, "A CUDA file, which NVRTC compiles, or a cubin")
        .required()
        .completes(Values::files);
    line.option("--entry", entry, "NAME", "One kernel: k, a symbol, or an instance: k<float>");
    line.option("--arch", architecture, "ARCH",
                "The target of a CUDA file: sm_75, sm_90a (the default), ...");
    take_json(line, json, "Write it as JSON; - is standard output");
    line.option("--html", html, "PATH", "Write it as a page; - is standard output");
    line.flag("--quiet,-q", quiet, "No listing");
  }
  Result<int> run(const Console& console) const;
};

/// A cubin, and what of its source is known.
struct Loaded {
  std::vector<std::uint8_t> cubin;
  std::string title, symbol, source_file, source;
  std::vector<std::string> warnings = {};
};

Result<Loaded> compiled(const SassCommand& command) {
  const auto target = GPX_TRY(codegen::read_architecture(
      command.architecture.empty() ? kDefaultArchitecture : command.architecture));
  const auto source = GPX_TRY(read_source(command.file));
  codegen::FileOptions options;
  options.entry = command.entry;
  Loaded loaded;
  auto made = GPX_TRY(codegen::compile_file(
      source, target, options, codegen::ArtifactCache::from_environment(), &loaded.warnings));
  loaded.symbol = command.entry.empty() ? std::string() : made.symbol_of(command.entry);
  loaded.cubin = std::move(made.artifact.cubin);
  loaded.source_file = std::filesystem::path(command.file).filename().string();
  loaded.source = source.text();
  loaded.title =
      fmt::format("{} for sm_{}{}", loaded.source_file, target.sm, target.specific ? "a" : "");
  return loaded;
}

Result<Loaded> loaded_cubin(const SassCommand& command) {
  if (!command.architecture.empty())
    return fail(Fault::input, "--arch is of a CUDA file: a cubin has an architecture of its own");
  const auto text = GPX_TRY(read_text(command.file, codegen::kMostCubinBytes));
  Loaded loaded;
  loaded.cubin.assign(text.begin(), text.end());
  loaded.symbol = command.entry;
  loaded.title = std::filesystem::path(command.file).filename().string();
  return loaded;
}

bool is_source(const std::string& file) {
  return file == "-" || file.ends_with(".cu") || file.ends_with(".cuh");
}

Result<void> show(const SassCommand& command, const Console& console) {
  const auto loaded = GPX_TRY(is_source(command.file) ? compiled(command) : loaded_cubin(command));
  auto json = GPX_TRY(Output::open(command.json));
  auto html = GPX_TRY(Output::open(command.html));
  for (const std::string& warning : loaded.warnings)
    print(console.err, "warning: " + warning + "\n");
  auto program = GPX_TRY(codegen::sass::read_program(loaded.cubin, command.file, loaded.symbol));
  report::MachineCode code{loaded.title, std::move(program)};
  for (const auto& function : code.program.functions)
    code.registers.push_back(codegen::cubin_registers(loaded.cubin, function.name));
  code.source_file = loaded.source_file;
  code.source = loaded.source;
  if (!is_source(command.file)) code.title += fmt::format(" for sm_{}", code.program.sm);
  if (json.wanted()) GPX_TRY(json.write(report::to_json(code), console.out));
  if (html.wanted()) GPX_TRY(html.write(report::to_html(code), console.out));
  if (!command.quiet && !json.to_stdout() && !html.to_stdout())
    print(console.out, report::to_terminal(code, console.out_style));
  return {};
}

Result<int> SassCommand::run(const Console& console) const {
  GPX_TRY(show(*this, console));
  return kSuccess;
}

}  // namespace

CommandRow sass_command() {
  return command_row<SassCommand>(
      61, "sass", "Show the machine code of a CUDA file or a cubin, with control bits");
}

}  // namespace gpx::cli
