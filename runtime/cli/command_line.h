// CommandLine: what commands take on the command line, apart from the library that reads it.
//
// parse_line() never prints and never exits: help and version are actions like the commands, and a
// wrong line is an Error with the nearest known name. Covered by tests/cli/options_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gpx::cli {

struct Console;

/// The nearest of `names`, else the only one that `word` abbreviates: "ops" is operations.
std::optional<std::string> near_name(const std::string& word,
                                     const std::vector<std::string>& names);

/// What may stand behind an option or as an argument, for completions.
enum class Values { none, files, experiments, scripts, kernels, devices, runs, documents, words };

struct ValueInfo {
  Values values = Values::none;
  std::vector<std::string> words;  ///< Of Values::words.
};

/// What one command takes. A name such as "--quiet,-q" is an option's; the texts are those of
/// --help. The variables must outlive the parsing.
class CommandLine {
 public:
  /// One option or argument, and what else holds for it.
  class Option {
   public:
    Option(CLI::Option* option, ValueInfo* completes) : option_(option), completes_(completes) {}
    Option& required();
    Option& count(int least, int most);
    Option& comma_separated();
    Option& one_each();  ///< Given again for another value: the word after a value is no value.
    Option& excludes(const Option& other);
    Option& shows_default();
    /// `mistake`: what is wrong with a text; empty: nothing.
    Option& checked(std::string (*mistake)(const std::string&));
    /// Else those of FILE and PATH are files. No experiment is taken where a run is meant.
    Option& completes(Values values);
    Option& completes(std::vector<std::string> words);

   private:
    CLI::Option* option_;
    ValueInfo* completes_;
  };

  CommandLine(CLI::App& app, std::function<ValueInfo*(CLI::Option*)> completes)
      : app_(app), completes_(std::move(completes)) {}

  /// `to`: a text, or several, that may be none; of an option also a number.
  template <class T>
  Option argument(const char* name, T& to, const char* help);
  template <class T>
  Option option(const char* name, T& to, const char* type, const char* help);
  /// Makes `to` the value of `is`.
  Option flag(const char* name, bool& to, const char* help, bool is = true);

  /// An option that was declared before.
  std::optional<Option> find(const char* name);

 private:
  Option made(CLI::Option* option);

  CLI::App& app_;
  std::function<ValueInfo*(CLI::Option*)> completes_;
};

/// Does what a line asks for and returns the process's exit status.
using Action = std::function<int(const Console&)>;

struct CommandRow {
  int rank;                ///< Its place in --help, the completions and the manual page.
  std::string name, help;  ///< "run"; of two words: "fleet compare".
  /// Declares what the command takes; the action runs it with what stood on the line.
  std::function<Action(CommandLine&)> take;
  /// gpx starts itself by this word and one argument, for a process of the command; empty: it does
  /// not.
  std::string own_word{};
  std::function<int(const Console&, const std::string& argument)> own{};
};

struct ParsedLine {
  std::string command;  ///< Empty: there is none on the line, and the REPL runs.
  Action run;
};

/// `arguments` without the program's name.
Result<ParsedLine> parse_line(const std::vector<CommandRow>& rows,
                              const std::vector<std::string>& arguments);

/// An option or an argument of a command, as --help tells it.
struct OptionInfo {
  std::vector<std::string> names;  ///< "--quiet", "-q"; of an argument its one name: "FILE".
  std::string value;               ///< "NAME"; empty: a flag, or an argument.
  std::string help;
  bool required = false, repeated = false;
  ValueInfo completes = {};
};
struct CommandInfo {
  std::string name, help;
  std::vector<OptionInfo> options, arguments;
};
/// All commands, as parse_line() takes them; the first row is gpx itself.
std::vector<CommandInfo> command_table(const std::vector<CommandRow>& rows);

}  // namespace gpx::cli
