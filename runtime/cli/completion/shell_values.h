// What may stand behind an option or as an argument: what the completions of all shells share.
// Covered by tests/cli/shell_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/cli/options.h"

namespace gpx::cli {

enum class Values { none, files, experiments, scripts, kernels, devices, runs, documents, words };

struct ValueInfo {
  Values values = Values::none;
  std::vector<std::string> words;  ///< Of Values::words.
};

ValueInfo values_of(const CommandInfo& command, const OptionInfo& option);

/// A script for the shell. Empty: there are none for that name.
std::string bash_completions(const std::vector<CommandInfo>& table);
std::string zsh_completions(const std::vector<CommandInfo>& table);
std::string fish_completions(const std::vector<CommandInfo>& table);

/// The manual page, for man.
std::string manual(const std::vector<CommandInfo>& table);

}  // namespace gpx::cli
