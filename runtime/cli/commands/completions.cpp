// gpx completions: scripts for shells, and the words that these ask for while one types.
// Covered by tests/cli/shell_test.cpp.
#include <filesystem>

#include "codegen/files/files.h"
#include "runtime/cli/command.h"
#include "runtime/cli/completion/shells.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/stored.h"
#include "runtime/device/select.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// The files of the library; those beside the user are the shell's to find.
Words experiments() {
  Words words;
  for (const std::string& file : files_in(find_paths().experiments, ".gpx")) {
    if (!is_embedded(file)) words.push_back(display_path(file));
    words.push_back(fs::path(file).stem().string());
  }
  std::sort(words.begin(), words.end());
  return words;
}

/// Without a store there are none.
Words runs() {
  Words words;
  const auto opened = open_store({}, false);
  if (!opened) return words;
  const auto found = opened->runs({.limit = 50, .device = {}, .experiment = {}});
  if (!found) return words;
  for (const store::RunEntry& run : *found) words.push_back(std::to_string(run.number));
  if (!words.empty()) words.push_back("last");
  return words;
}

std::string lines(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\n';
  return text;
}

struct CompletionsCommand : Talk {
  std::string of;  ///< A shell, or a kind of words.

  void take(CommandLine& line) {
    line.argument("SHELL", of, "bash, zsh or fish; devices, experiments or runs: those words alone")
        .required()
        .completes({"bash", "zsh", "fish"});
  }
  Result<int> run(const Console& console) const;
};

Result<int> CompletionsCommand::run(const Console& console) const {
  const struct {
    const char* of;
    std::string (*text)();
  } rows[] = {{"bash", [] { return bash_completions(command_table(command_rows())); }},
              {"zsh", [] { return zsh_completions(command_table(command_rows())); }},
              {"fish", [] { return fish_completions(command_table(command_rows())); }},
              {"devices", [] { return lines(device_names(find_paths())); }},
              {"experiments", [] { return lines(experiments()); }},
              {"runs", [] { return lines(runs()); }}};
  Words known;
  for (const auto& row : rows) {
    known.emplace_back(row.of);
    if (of != row.of) continue;
    print(console.out, row.text());
    return kSuccess;
  }
  const auto near = nearest(of, known);
  return fail(Fault::input, "no completions for '" + of + "'",
              near ? "did you mean '" + *near + "'?" : "gpx completions bash, zsh or fish");
}

}  // namespace

CommandRow completions_command() {
  return command_row<CompletionsCommand>(
      220, "completions", "Print a shell's completions of gpx, to be kept where it looks for them");
}

}  // namespace gpx::cli
