// gpx completions: scripts for shells, and the words that these ask for while one types.
// Covered by tests/cli/shell_test.cpp.
#include <filesystem>

#include "runtime/cli/commands/commands.h"
#include "runtime/cli/completion/shell_values.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/stored.h"
#include "runtime/device/select.h"
#include "runtime/pipeline.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words devices() {
  Words words = virtual_devices(find_paths());
  words.insert(words.begin(), {"auto", "cuda"});
  return words;
}

/// The files of the library; those beside the user are the shell's to find.
Words experiments() {
  Words words;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(find_paths().experiments, error))
    if (entry.path().extension() == ".gpx") words.push_back(display_path(entry.path().string()));
  std::sort(words.begin(), words.end());
  return words;
}

/// Without a store there are none.
Words runs(const Options& options) {
  Words words;
  const auto opened = open_store(options, false);
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

}  // namespace

ValueInfo values_of(const CommandInfo& command, const OptionInfo& option) {
  const std::string& name = option.names.front();
  const std::string& type = name.starts_with('-') ? option.value : name;
  if (name == "--dump") return {Values::words, dump_stages()};
  if (name == "--device" && command.name != "runs") return {Values::devices, {}};
  if (name == "SHELL") return {Values::words, {"bash", "zsh", "fish"}};
  if (type == "SCRIPT") return {Values::scripts, {}};
  const bool takes_documents = command.name == "report" || command.name == "plot";
  if (type == "RUN") return {takes_documents ? Values::documents : Values::runs, {}};
  if (name == "FILE" && command.name == "predict") return {Values::kernels, {}};
  const bool reads = name.starts_with("FILE") || name == "PATH";
  if (reads && command.name != "import") return {Values::experiments, {}};
  if (type.starts_with("FILE") || type == "PATH") return {Values::files, {}};
  return {};
}

int completions_command(const Options& options, const Console& console) {
  const std::string& name = options.completions_of;
  std::string text;
  if (name == "bash") text = bash_completions(command_table());
  if (name == "zsh") text = zsh_completions(command_table());
  if (name == "fish") text = fish_completions(command_table());
  if (name == "devices") text = lines(devices());
  if (name == "experiments") text = lines(experiments());
  const Words known = {"bash", "zsh", "fish", "devices", "experiments", "runs"};
  if (name == "runs") {
    text = lines(runs(options));
  } else if (std::find(known.begin(), known.end(), name) == known.end()) {
    const auto near = nearest(name, known);
    return print_error(console, make_error(Fault::input, "no completions for '" + name + "'",
                                           near ? "did you mean '" + *near + "'?"
                                                : "gpx completions bash, zsh or fish"));
  }
  print(console.out, text);
  return kSuccess;
}

int man_command(const Options&, const Console& console) {
  print(console.out, manual(command_table()));
  return kSuccess;
}

}  // namespace gpx::cli
