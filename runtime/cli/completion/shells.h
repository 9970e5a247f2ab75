// What gpx prints of itself: completions for each shell, and the manual page.
// Covered by tests/cli/shell_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/cli/command_line.h"

namespace gpx::cli {

/// The first words of all commands, each once; of one of them the second ones: "fleet", "compare".
std::vector<std::string> first_words(const std::vector<CommandInfo>& table);
std::vector<std::string> second_words(const std::vector<CommandInfo>& table,
                                      const std::string& first);

/// What completes a value, as each shell is told; not of Values::words.
struct ShellCompletions {
  Values values;
  std::string_view bash, zsh, fish;
};
const ShellCompletions& completions_of(Values values);

/// A script for the shell.
std::string bash_completions(const std::vector<CommandInfo>& table);
std::string zsh_completions(const std::vector<CommandInfo>& table);
std::string fish_completions(const std::vector<CommandInfo>& table);

/// The manual page, for man.
std::string manual(const std::vector<CommandInfo>& table);

}  // namespace gpx::cli
