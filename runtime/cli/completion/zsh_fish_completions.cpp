// Completions for zsh and fish. Covered by tests/cli/shell_test.cpp.
#include <fmt/format.h>

#include "lang/lists.h"
#include "runtime/cli/completion/shells.h"

namespace gpx::cli {
namespace {

// ---- zsh: the specifications of _arguments ----

/// Between single quotes, with what has a meaning in a specification taken literally.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') out += "'\\'";
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const ValueInfo& info) {
  if (info.values == Values::words) return fmt::format("({})", joined(info.words, " "));
  return std::string(completions_of(info.values).zsh);
}

std::string zsh_options(const CommandInfo& command) {
  std::string out;
  for (const OptionInfo& option : command.options)
    for (const std::string& name : option.names) {
      const bool is_long = name.starts_with("--");
      out += fmt::format(" \\\n        '*{}{}[{}]", name,
                         option.value.empty() ? ""
                         : is_long            ? "="
                                              : "+",
                         zsh_text(option.help));
      if (!option.value.empty())
        out += fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option.completes));
      out += '\'';
    }
  return out;
}

std::string zsh_arguments(const CommandInfo& command) {
  std::string out;
  for (const OptionInfo& option : command.arguments)
    out += fmt::format(" \\\n        '*:{}:{}'", zsh_text(option.names.front()),
                       zsh_action(option.completes));
  return out;
}

std::string zsh_case(const std::string& word, const CommandInfo& command) {
  return fmt::format("    {})\n      _arguments -s{}{} ;;\n", word, zsh_options(command),
                     zsh_arguments(command));
}

/// Commands whose first word is `first`, where there is a second one; adds the first to `commands`.
std::string zsh_family(const std::vector<CommandInfo>& table, const std::string& first,
                       std::string& commands) {
  const std::string second = joined(second_words(table, first), " ");
  if (second.empty()) return {};
  commands += fmt::format("    '{}:{}'\n", first, second);
  std::string cases;
  for (const CommandInfo& command : table)
    if (command.name.starts_with(first + ' '))
      cases += zsh_case(command.name.substr(first.size() + 1), command);
  return fmt::format(
      "    {})\n      _arguments -C '1:command:({})' '*::argument:->argument' && return\n"
      "      case $words[1] in\n{}      esac ;;\n",
      first, second, cases);
}

constexpr const char* kZshFunctions = R"zsh(
_gpx_ask() { compadd -- ${(f)"$(_call_program gpx $gpx completions $1 2>/dev/null)"} }
_gpx_devices() { _gpx_ask devices; _files -g "*.lua" }
_gpx_documents() { _gpx_ask runs; _files -g "*.json" }
# Experiments that lie here; where none begins so, those that come with gpx, by their names.
_gpx_experiments() {
  _files -g "*.gpx" && return
  local -a paths
  paths=(${(f)"$(_call_program gpx $gpx completions experiments 2>/dev/null)"})
  paths=(${(M)paths:#*/$PREFIX*})
  (( $#paths )) && compadd -U -- $paths
}
)zsh";

// ---- fish ----

std::string fish_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return '\'' + out + '\'';
}

std::string fish_values(const ValueInfo& info) {
  if (info.values == Values::words) return fmt::format(" -x -a '{}'", joined(info.words, " "));
  return std::string(completions_of(info.values).fish);
}

std::string fish_option(const std::string& condition, const OptionInfo& option) {
  std::string out = "complete -c gpx" + condition;
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) out += fish_values(option.completes);
  return out + " -d " + fish_text(option.help) + '\n';
}

}  // namespace

std::string zsh_completions(const std::vector<CommandInfo>& table) {
  std::string commands, cases;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const CommandInfo& command = table[i];
    if (command.name.find(' ') != std::string::npos) continue;
    commands += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.help));
    cases += zsh_case(command.name, command);
  }
  for (const std::string& first : first_words(table)) cases += zsh_family(table, first, commands);
  return fmt::format(R"zsh(#compdef gpx
# Completions of gpx for zsh, made by: gpx completions zsh
{}
_gpx() {{
  local context state state_descr line gpx=$words[1]
  typeset -A opt_args
  local -a commands
  commands=(
{}  )
  _arguments -C{} \
        '1:command:->command' '*::argument:->argument' && return
  if [[ $state == command ]]; then
    _describe command commands
    return
  fi
  case $words[1] in
{}  esac
}}

if [[ $funcstack[1] == _gpx ]]; then _gpx "$@"; else compdef _gpx gpx; fi
)zsh",
                     kZshFunctions, commands, zsh_options(table.front()), cases);
}

std::string fish_completions(const std::vector<CommandInfo>& table) {
  std::string out =
      "# Completions of gpx for fish, made by: gpx completions fish\ncomplete -c gpx -f\n";
  for (const OptionInfo& option : table.front().options)
    out += fish_option(" -n __fish_use_subcommand", option);
  for (std::size_t i = 1; i < table.size(); ++i) {
    const CommandInfo& command = table[i];
    const std::size_t space = command.name.find(' ');
    const bool pair = space != std::string::npos;
    const std::string first = command.name.substr(0, space),
                      word = command.name.substr(pair ? space + 1 : 0);
    out +=
        fmt::format("complete -c gpx -n {} -a {} -d {}\n",
                    pair ? "'__fish_seen_subcommand_from " + first + "'" : "__fish_use_subcommand",
                    word, fish_text(command.help));
    const std::string within = fmt::format(" -n '__fish_seen_subcommand_from {}'", word);
    for (const OptionInfo& option : command.options) out += fish_option(within, option);
    for (const OptionInfo& option : command.arguments)
      if (option.completes.values != Values::none)
        out += "complete -c gpx" + within + fish_values(option.completes) + '\n';
  }
  for (const std::string& first : first_words(table))
    if (!second_words(table, first).empty())
      out += fmt::format("complete -c gpx -n __fish_use_subcommand -a {}\n", first);
  return out;
}

}  // namespace gpx::cli
