// gpx try: how many of a user's own kernels work. Covered by tests/cli/try_command_test.cpp.
#include "lang/try.h"

#include "codegen/user/user_kernel.h"
#include "runtime/cli/command.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/trial/apart.h"
#include "runtime/cli/trial/trying.h"
#include "runtime/trial/trial.h"

namespace gpx::cli {
namespace {

struct TryCommand : Talk {
  std::string path, device = "h100", only, json;
  double limit = kTryLimits.seconds;
  std::uint32_t most = 0;
  bool inside = false;

  void take(CommandLine& line) {
    line.argument("PATH", path, "A folder with .cu and .cuh files, or one file").required();
    line.option("--device", device, "NAME", "A virtual device's name, cuda, …")
        .shows_default()
        .completes(Values::devices);
    line.option("--only", only, "NAME", "Only kernels of this name");
    line.option("--most", most, "N", "Only the first N kernels of each file");
    line.option("--limit", limit, "SECONDS", "For each kernel").shows_default();
    line.flag("--in-process", inside, "In this process: without limits of time and memory");
    line.flag("--quiet,-q", quiet, "No table");
    line.flag("--verbose,-v", verbose, "Also the kernels that run");
    take_json(line, json, "Write all outcomes as JSON; - is standard output");
  }
  Result<int> run(const Console& console) const;
};

Result<int> TryCommand::run(const Console& console) const {
  const auto files = GPX_TRY(kernel_files(path));
  const InterruptGuard interrupt;
  Session session(session_paths(console.program));
  TrialsApart apart(console.program, device, limit);
  std::vector<Trial> trials;
  for (const std::string& file : files) {
    const auto bytes = GPX_TRY(read_source(file));
    const Source text(file, codegen::readable_text(bytes.text()));
    const auto kernels = GPX_TRY(find_kernels(text));
    std::uint32_t taken = 0;
    for (const FoundKernel& kernel : kernels) {
      if (!only.empty() && kernel.name != only) continue;
      if (interrupt.flag()) return kInterrupted;
      if (most > 0 && taken++ == most) break;
      if (inside) {
        const OutputAside aside;
        trials.push_back(try_kernel(session, device, text, kernel));
      } else {
        trials.push_back(apart.run(kernel, &InterruptGuard::flag()));
        if (interrupt.flag()) return kInterrupted;
      }
    }
  }
  const std::string document = trials_json(trials, device);
  const bool to_stdout = json == "-";
  if (!json.empty() && !to_stdout) GPX_TRY(write_file(json, document));
  if (to_stdout)
    print(console.out, document);
  else if (!quiet)
    print(console.out, trials_text(trials, path, device, verbose, console.out_style));
  return kSuccess;
}

}  // namespace

CommandRow try_command() {
  CommandRow row =
      command_row<TryCommand>(25, "try", "Run every kernel of a folder, and count what works");
  row.own_word = kServeTrials;
  row.own = [](const Console& console, const std::string& device) {
    return serve_trials(console.program, device);
  };
  return row;
}

}  // namespace gpx::cli
