// Completions for bash. Covered by tests/cli/shell_test.cpp.
#include <fmt/format.h>

#include "lang/lists.h"
#include "runtime/cli/completion/shells.h"

namespace gpx::cli {
namespace {

/// What the generated tables call: files by their ending and folders, words of gpx itself.
constexpr const char* kFunctions = R"bash(
_gpx_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_gpx_ask() { _gpx_words "$("$gpx" completions "$1" 2>/dev/null)"; }
_gpx_files() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    if [[ -d $path || $path == *"$1" ]]; then COMPREPLY+=("$path"); fi
  done < <(compgen -f -- "$cur")
}
# Experiments that lie here; where none begins so, those that come with gpx, by their names.
_gpx_experiments() {
  local path
  _gpx_files .gpx
  [[ ${#COMPREPLY[@]} -gt 0 ]] && return
  while IFS= read -r path; do
    if [[ ${path##*/} == "$cur"* ]]; then COMPREPLY+=("$path"); fi
  done < <("$gpx" completions experiments 2>/dev/null)
}
_gpx_devices() {
  _gpx_ask devices
  local devices=("${COMPREPLY[@]}")
  COMPREPLY=()
  _gpx_files .lua
  COMPREPLY=("${devices[@]}" "${COMPREPLY[@]}")
}
_gpx_documents() {
  _gpx_ask runs
  _gpx_files .json
}
)bash";

std::string call_of(const ValueInfo& info) {
  if (info.values == Values::words) return fmt::format("_gpx_words '{}'", joined(info.words, " "));
  return std::string(completions_of(info.values).bash);
}

std::string option_names(const CommandInfo& command) {
  return joined(command.options, " ",
                [](const OptionInfo& option) { return joined(option.names, " "); });
}

/// After the first word of commands of two words: the second ones.
std::string family_cases(const std::vector<CommandInfo>& table) {
  std::string out;
  for (const std::string& first : first_words(table)) {
    const std::vector<std::string> second = second_words(table, first);
    if (second.empty()) continue;
    out += fmt::format(
        "  if [[ $command == {0} ]]; then\n    command=\"{0} ${{COMP_WORDS[i+1]}}\"\n"
        "    if ((i + 1 >= COMP_CWORD)); then _gpx_words '{1}'; return; fi\n  fi\n",
        first, joined(second, " "));
  }
  return out;
}

/// Cases of "command option" whose option takes a value.
std::string value_cases(const CommandInfo& command) {
  std::string out;
  for (const OptionInfo& option : command.options) {
    if (option.value.empty()) continue;
    const std::string pattern = joined(option.names, "|", [&](const std::string& name) {
      return fmt::format("'{} {}'", command.name, name);
    });
    out += fmt::format("    {}) {}; return ;;\n", pattern, call_of(option.completes));
  }
  return out;
}

constexpr ShellCompletions kCompletions[] = {
    {Values::experiments, "_gpx_experiments", "_gpx_experiments",
     " -k -x -a '(__fish_complete_suffix .gpx) (gpx completions experiments)'"},
    {Values::devices, "_gpx_devices", "_gpx_devices",
     " -k -x -a '(gpx completions devices) (__fish_complete_suffix .lua)'"},
    {Values::runs, "_gpx_ask runs", "_gpx_ask runs", " -k -x -a '(gpx completions runs)'"},
    {Values::documents, "_gpx_documents", "_gpx_documents",
     " -k -x -a '(gpx completions runs) (__fish_complete_suffix .json)'"},
    {Values::scripts, "_gpx_files .lua", "_files -g \"*.lua\"",
     " -k -x -a '(__fish_complete_suffix .lua)'"},
    {Values::kernels, "_gpx_files .cu", "_files -g \"*.cu\"",
     " -k -x -a '(__fish_complete_suffix .cu)'"},
    {Values::files, "_gpx_files ''", "_files", " -r -F"},
    {Values::none, ":", " ", " -x"}};

}  // namespace

const ShellCompletions& completions_of(Values values) {
  return *std::ranges::find(kCompletions, values, &ShellCompletions::values);
}

std::vector<std::string> first_words(const std::vector<CommandInfo>& table) {
  std::vector<std::string> words;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const std::string first = table[i].name.substr(0, table[i].name.find(' '));
    add_once(words, first);
  }
  return words;
}

std::vector<std::string> second_words(const std::vector<CommandInfo>& table,
                                      const std::string& first) {
  std::vector<std::string> words;
  for (const CommandInfo& command : table)
    if (command.name.starts_with(first + ' '))
      words.push_back(command.name.substr(first.size() + 1));
  return words;
}

std::string bash_completions(const std::vector<CommandInfo>& table) {
  std::string values, rest;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const CommandInfo& command = table[i];
    values += value_cases(command);
    const std::string arguments =
        command.arguments.empty() ? ":" : call_of(command.arguments.front().completes);
    rest += fmt::format("    '{}')\n      options='{}'\n      arguments() {{ {}; }} ;;\n",
                        command.name, option_names(command), arguments);
  }
  return fmt::format(R"bash(# Completions of gpx for bash, made by: gpx completions bash
{}
_gpx() {{
  local gpx=$1 cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= options i
  COMPREPLY=()
  # --device=k20 is three words.
  if [[ $cur == = ]]; then cur=
  elif [[ $prev == = && COMP_CWORD -gt 2 ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then command=${{COMP_WORDS[i]}}; break; fi
  done
  if [[ -z $command ]]; then
    _gpx_words '{} {}'
    return
  fi
{}  case "$command $prev" in
{}  esac
  case $command in
{}    *) return ;;
  esac
  if [[ $cur == -* ]]; then _gpx_words "$options"; else arguments; fi
  unset -f arguments
}}
complete -F _gpx gpx
)bash",
                     kFunctions, joined(first_words(table), " "), option_names(table.front()),
                     family_cases(table), values, rest);
}

}  // namespace gpx::cli
