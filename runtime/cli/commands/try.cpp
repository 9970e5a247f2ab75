// gpx try: how many of a user's own kernels work. Covered by tests/cli/try_command_test.cpp.
#include "lang/try.h"

#include "codegen/user/user_kernel.h"
#include "runtime/cli/command.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/progress.h"
#include "runtime/cli/trial/apart.h"
#include "runtime/cli/trial/trying.h"
#include "runtime/trial/trial.h"

namespace gpx::cli {
namespace {

/// Kernels of a file, with its text for those that are tried in this process.
struct FileOfKernels {
  Source text;
  std::vector<FoundKernel> kernels;
};

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
    line.flag("--quiet,-q", quiet, "No table and no progress");
    line.flag("--verbose,-v", verbose, "Also the kernels that run");
    take_json(line, json, "Write all outcomes as JSON; - is standard output");
  }
  Result<std::vector<FileOfKernels>> wanted() const;
  Result<int> run(const Console& console) const;
};

Result<std::vector<FileOfKernels>> TryCommand::wanted() const {
  const auto files = GPX_TRY(kernel_files(path));
  std::vector<FileOfKernels> all;
  for (const std::string& file : files) {
    const auto bytes = GPX_TRY(read_source(file));
    FileOfKernels found{Source(file, codegen::readable_text(bytes.text())), {}};
    found.kernels = GPX_TRY(find_kernels(found.text));
    if (!only.empty())
      std::erase_if(found.kernels, [&](const FoundKernel& each) { return each.name != only; });
    if (most > 0 && found.kernels.size() > most) found.kernels.resize(most);
    all.push_back(std::move(found));
  }
  return all;
}

Result<int> TryCommand::run(const Console& console) const {
  const auto files = GPX_TRY(wanted());
  std::uint64_t total = 0;
  for (const FileOfKernels& file : files) total += file.kernels.size();
  const InterruptGuard interrupt;
  Session session(session_paths(console.program));
  TrialsApart apart(console.program, device, limit);
  std::vector<Trial> trials;
  ProgressBar bar(console.err, console.err_style, console.err_is_terminal && !quiet);
  SlowLines slow(console.err, console.err_style);
  for (const FileOfKernels& file : files) {
    for (const FoundKernel& kernel : file.kernels) {
      if (interrupt.flag()) return kInterrupted;
      if (inside) {
        const OutputAside aside;
        trials.push_back(try_kernel(session, device, file.text, kernel));
      } else {
        trials.push_back(apart.run(kernel, &InterruptGuard::flag()));
        if (interrupt.flag()) return kInterrupted;
      }
      const Progress progress{path, trials.size(), total, "kernel"};
      bar.update(progress);
      if (!quiet && !console.err_is_terminal) slow.update(progress);
    }
  }
  bar.clear();
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
