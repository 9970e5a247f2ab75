// The only file that knows CLI11.
#include "runtime/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "lang/lists.h"
#include "lang/vocabulary.h"
#include "runtime/build_id.h"
#include "runtime/cli/console.h"
#include "runtime/cli/output/help_sections.h"

namespace gpx::cli {
namespace {

/// What runs where the line has no command.
constexpr const char* kDefaultCommand = "repl";

/// What commands of two words have in common.
std::string family_help(const std::string& word) {
  return word == "fleet" ? "Many devices: measure, gather and compare them" : std::string();
}

struct Parser {
  CLI::App app{"gpx: experiments on how GPUs work, on a real or a virtual GPU", "gpx"};
  bool version = false;
  std::map<std::string, Action> actions;
  std::map<const CLI::Option*, ValueInfo> completes;

  /// `arguments`: only commands that they may name get their options, which take half of the time
  /// in which gpx starts. nullptr: all.
  Parser(const std::vector<CommandRow>& rows, const std::vector<std::string>* arguments) {
    const auto wanted = [&](const std::string& name) {
      return !arguments || name == kDefaultCommand ||
             std::ranges::find(*arguments, name) != arguments->end();
    };
    app.require_subcommand(0, 1);
    app.add_flag("--version", version, "Print the version");
    for (const CommandRow& row : rows) {
      const std::size_t space = row.name.find(' ');
      const std::string word = row.name.substr(space == std::string::npos ? 0 : space + 1);
      CLI::App* sub = family(row.name.substr(0, space), word).add_subcommand(word, row.help);
      if (!wanted(word)) continue;
      CommandLine line(*sub, [this](CLI::Option* option) { return &completes[option]; });
      actions[row.name] = row.take(line);
    }
    app.footer([] {
      return joined(help_sections(), "\n", [](const HelpSection& each) {
        return std::string(each.heading) + ":\n" + each.text;
      });
    });
  }

  /// What a command is added to: gpx itself, or of "fleet compare" the word fleet.
  CLI::App& family(const std::string& first, const std::string& word) {
    if (first == word) return app;
    for (CLI::App* known : app.get_subcommands([](CLI::App*) { return true; }))
      if (known->get_name() == first) return *known;
    CLI::App* made = app.add_subcommand(first, family_help(first));
    made->require_subcommand(1);
    return *made;
  }
};

/// The command that the line names, or gpx itself.
const CLI::App& innermost(const CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  return subcommands.empty() ? app : innermost(*subcommands.front());
}

/// "run", "fleet compare"; "" of gpx itself.
std::string command_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  if (!parent) return {};
  const std::string before = command_name(*parent);
  return before.empty() ? app.get_name() : before + ' ' + app.get_name();
}

Action printing(std::string text) {
  return [text = std::move(text)](const Console& console) {
    print(console.out, text);
    return kSuccess;
  };
}

/// What the declaration says, else what the value is called.
ValueInfo values_of(const Parser& parser, const CLI::Option& option, const std::string& name) {
  const auto said = parser.completes.find(&option);
  if (said != parser.completes.end() && said->second.values != Values::none) return said->second;
  const bool is_file = name.starts_with("FILE") || name == "PATH";
  return {is_file ? Values::files : Values::none, {}};
}

OptionInfo info_of(const Parser& parser, const CLI::Option& option) {
  OptionInfo info;
  if (option.get_positional()) {
    info.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
    if (option.get_items_expected_max() > 0) info.value = option.get_type_name();
  }
  info.help = option.get_description();
  info.required = option.get_required();
  info.repeated = option.get_items_expected_max() > 1;
  info.completes =
      values_of(parser, option, option.get_positional() ? info.names.front() : info.value);
  return info;
}

CommandInfo info_of(const Parser& parser, const CLI::App& app) {
  CommandInfo info{
      app.get_parent() ? command_name(app) : app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? info.arguments : info.options).push_back(info_of(parser, *option));
  return info;
}

/// The option right before `word` on the line, where it takes no value; nullptr: there is none.
const CLI::Option* flag_before(const CLI::App& app, const std::vector<std::string>& line,
                               const std::string& word) {
  const auto at = std::ranges::find(line, word);
  if (at == line.begin() || at == line.end() || !std::prev(at)->starts_with('-')) return nullptr;
  const CLI::Option* option = app.get_option_no_throw(*std::prev(at));
  return option && option->get_items_expected_max() == 0 ? option : nullptr;
}

/// `--csv FILE` where --csv is a flag: where the file is named.
std::string flag_hint(const CLI::App& app, const std::vector<std::string>& line,
                      const std::string& word) {
  const CLI::Option* flag = flag_before(app, line, word);
  if (!flag) return {};
  const bool writes = app.get_option_no_throw("--output") != nullptr;
  return flag->get_name() + " takes no value" +
         (writes ? ": " + flag->get_name() + " --output " + word : "");
}

std::vector<std::string> names(const CLI::App& app, bool options) {
  std::vector<std::string> out;
  if (options) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  } else {
    for (const CLI::App* sub : app.get_subcommands({})) out.push_back(sub->get_name());
  }
  return out;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  const auto near = nearest(word, candidates);
  return near ? "did you mean '" + *near + "'?" : std::string();
}

/// The first letter, and others in their order.
bool abbreviates(const std::string& word, const std::string& name) {
  if (word.size() < 2 || word.front() != name.front()) return false;
  std::size_t at = 0;
  for (const char letter : name)
    if (at < word.size() && word[at] == letter) ++at;
  return at == word.size();
}

bool is_experiment(const std::string& word) {
  return word.size() > 4 && word.ends_with(".gpx");
}

std::string run_mistake(const std::string& word) {
  if (!is_experiment(word)) return {};
  return "'" + word + "' is an experiment, not a run: after 'gpx run " + word +
         "' its run is called last";
}

/// `--repeat 3`: what the experiment says is no option.
std::string clause_hint(const CLI::App& app, const std::string& option) {
  const std::string name = option.substr(std::min<std::size_t>(2, option.size()));
  const bool sets = app.get_option_no_throw("--set") != nullptr;
  const std::vector<std::string> clauses = names_of(TermKind::statement);
  if (!sets || !contains(clauses, name)) return {};
  return "'" + name +
         "' is a clause of the experiment; --set NAME=VALUE changes a parameter or "
         "an axis";
}

/// `where`: gpx itself, or the first word of commands of two words.
Error unknown_command(const CLI::App& where, const std::string& word) {
  const std::string name = command_name(where), before = name.empty() ? name : name + ' ';
  const auto command = near_name(word, names(where, false));
  std::string hint = command ? "did you mean '" + before + *command + "'?" : std::string();
  if (hint.empty()) hint = "gpx " + before + "--help lists the commands";
  return make_error(Fault::input, "unknown command '" + before + word + "'", hint);
}

/// `gpx fleet`, and what stands behind it.
Error incomplete_command(const CLI::App& family, const std::vector<std::string>& line) {
  const auto at = std::ranges::find(line, family.get_name());
  if (at != line.end() && std::next(at) != line.end())
    return unknown_command(family, *std::next(at));
  const std::string name = "gpx " + command_name(family);
  return make_error(
      Fault::input,
      fmt::format("'{}' needs one of {}", name, fmt::join(names(family, false), ", ")),
      name + " --help");
}

Error unknown_argument(const CLI::App& app, const std::vector<std::string>& line) {
  const CLI::App& where = innermost(app);
  std::vector<std::string> rest = where.remaining();
  if (rest.empty()) rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  if (word.size() > 1 && word[0] == '-') {
    const std::string name = word.substr(0, word.find('='));
    const std::string clause = clause_hint(where, name);
    return make_error(Fault::input, "unknown option '" + name + "'",
                      clause.empty() ? suggestion(name, names(where, true)) : clause);
  }
  const bool family = where.get_require_subcommand_min() > 0;
  if (where.get_parent() && !family) {
    std::string hint = flag_hint(where, line, word);
    if (hint.empty() && is_experiment(word)) hint = "gpx run " + word;
    if (hint.empty() && where.get_option_no_throw("--device")) hint = "--device " + word;
    return make_error(Fault::input,
                      "'gpx " + command_name(where) + "' takes no argument '" + word + "'", hint);
  }
  if (word == "-" || is_experiment(word))
    return make_error(Fault::input, "'" + word + "' is not a command", "gpx run " + word);
  return unknown_command(where, word);
}

/// The first that the command needs and does not have, arguments before options.
const CLI::Option* missing(const CLI::App& app) {
  const CLI::Option* found = nullptr;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    if (option->get_positional()) return option;
    if (!found) found = option;
  }
  return found;
}

/// An argument that was given, but not as often as the command needs it.
const CLI::Option* too_few(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional() && option->count() > 0 &&
        static_cast<int>(option->count()) < option->get_items_expected_min())
      return option;
  return nullptr;
}

/// "RUN", "--output FILE"
std::string needed_name(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true)
                                 : option.get_name() + " " + option.get_type_name();
}

std::string lower_first(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  return text;
}

/// Those of two words, too; not the words that several have in common.
std::vector<const CLI::App*> all_commands(const CLI::App& app) {
  std::vector<const CLI::App*> all;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    const auto within = all_commands(*one);
    if (within.empty()) all.push_back(one);
    all.insert(all.end(), within.begin(), within.end());
  }
  return all;
}

/// The command's option that takes a value, or nullptr.
const CLI::Option* valued(const CLI::App& command, const std::string& word) {
  const CLI::Option* option = word.starts_with('-') ? command.get_option_no_throw(word) : nullptr;
  return option && option->get_items_expected_min() > 0 ? option : nullptr;
}

/// `gpx run a.gpx --json --no-plot`: an option is no value of another one, and so is nothing.
std::optional<Error> valueless(const CLI::App& app, const std::vector<std::string>& line) {
  const CLI::App* command = nullptr;
  for (std::size_t i = 0; i < line.size() && line[i] != "--"; ++i) {
    if (!command) {
      for (const CLI::App* one : all_commands(app))
        if (one->get_name() == line[i]) command = one;
      continue;
    }
    const CLI::Option* option = valued(*command, line[i]);
    if (!option) continue;
    const bool last = i + 1 == line.size();
    if (!last && !(line[i + 1].starts_with('-') && command->get_option_no_throw(line[i + 1]))) {
      ++i;
      continue;
    }
    std::string message = "'" + line[i] + "' needs " + option->get_type_name();
    if (!last) message += ", and '" + line[i + 1] + "' is another option";
    return make_error(Fault::input, message,
                      line[i] + " " + option->get_type_name() + ": " + option->get_description());
  }
  return std::nullopt;
}

/// `gpx run --json a.gpx`: the option took what was meant as the file.
std::string taken_hint(const CLI::App& command, const std::vector<std::string>& line) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    const CLI::Option* option = valued(command, line[i - 1]);
    if (option && is_experiment(line[i]))
      return line[i - 1] + " took '" + line[i] + "' as its " + option->get_type_name();
  }
  return {};
}

template <class T>
CLI::Option* add(CLI::App& app, const char* name, T& to, const char* help) {
  return app.add_option(name, to, help);
}

/// That it was given is told from its value.
template <class T>
CLI::Option* add(CLI::App& app, const char* name, std::optional<T>& to, const char* help) {
  return app.add_option_function<T>(
      name, [&to](const T& given) { to = given; }, help);
}

}  // namespace

std::optional<std::string> near_name(const std::string& word,
                                     const std::vector<std::string>& names) {
  if (const auto near = nearest(word, names)) return near;
  const std::string* found = nullptr;
  for (const std::string& name : names) {
    if (!abbreviates(word, name)) continue;
    if (found) return std::nullopt;
    found = &name;
  }
  return found ? std::optional(*found) : std::nullopt;
}

CommandLine::Option& CommandLine::Option::required() {
  option_->required();
  return *this;
}
CommandLine::Option& CommandLine::Option::count(int least, int most) {
  option_->expected(least, most);
  return *this;
}
CommandLine::Option& CommandLine::Option::comma_separated() {
  option_->delimiter(',');
  return *this;
}
CommandLine::Option& CommandLine::Option::one_each() {
  option_->allow_extra_args(false);
  return *this;
}
CommandLine::Option& CommandLine::Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}
CommandLine::Option& CommandLine::Option::shows_default() {
  option_->capture_default_str();
  return *this;
}
CommandLine::Option& CommandLine::Option::checked(std::string (*mistake)(const std::string&)) {
  option_->check(CLI::Validator([mistake](const std::string& text) { return mistake(text); }, ""));
  return *this;
}
CommandLine::Option& CommandLine::Option::completes(Values values) {
  completes_->values = values;
  const bool runs = values == Values::runs || values == Values::documents;
  return runs ? checked(run_mistake) : *this;
}
CommandLine::Option& CommandLine::Option::completes(std::vector<std::string> words) {
  *completes_ = {Values::words, std::move(words)};
  return *this;
}

CommandLine::Option CommandLine::made(CLI::Option* option) {
  return {option, completes_(option)};
}

template <class T>
CommandLine::Option CommandLine::argument(const char* name, T& to, const char* help) {
  return made(add(app_, name, to, help));
}

template <class T>
CommandLine::Option CommandLine::option(const char* name, T& to, const char* type,
                                        const char* help) {
  return made(add(app_, name, to, help)->type_name(type));
}

#define GPX_TAKES(...)                                                                        \
  template CommandLine::Option CommandLine::argument(const char*, __VA_ARGS__&, const char*); \
  template CommandLine::Option CommandLine::option(const char*, __VA_ARGS__&, const char*,    \
                                                   const char*);
GPX_TAKES(std::string)
GPX_TAKES(std::optional<std::string>)
GPX_TAKES(std::vector<std::string>)
GPX_TAKES(unsigned)
GPX_TAKES(std::uint64_t)
GPX_TAKES(std::optional<std::uint64_t>)
GPX_TAKES(double)
#undef GPX_TAKES

CommandLine::Option CommandLine::flag(const char* name, bool& to, const char* help, bool is) {
  if (is) return made(app_.add_flag(name, to, help));
  return made(app_.add_flag_callback(
      name, [&to] { to = false; }, help));
}

std::optional<CommandLine::Option> CommandLine::find(const char* name) {
  CLI::Option* option = app_.get_option_no_throw(name);
  return option ? std::optional(made(option)) : std::nullopt;
}

std::vector<CommandInfo> command_table(const std::vector<CommandRow>& rows) {
  const Parser parser(rows, nullptr);
  std::vector<CommandInfo> table = {info_of(parser, parser.app)};
  for (const CLI::App* sub : all_commands(parser.app)) table.push_back(info_of(parser, *sub));
  return table;
}

Result<ParsedLine> parse_line(const std::vector<CommandRow>& rows,
                              const std::vector<std::string>& arguments) {
  Parser parser(rows, &arguments);
  if (auto error = valueless(parser.app, arguments)) return tl::unexpected(std::move(*error));
  try {
    // CLI11 takes the words last first.
    parser.app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return ParsedLine{"help", printing(parser.app.help())};
  } catch (const CLI::ExtrasError&) {
    return tl::unexpected<Error>(unknown_argument(parser.app, arguments));
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = innermost(parser.app);
    if (!command.get_parent()) return fail(Fault::input, lower_first(error.what()), "gpx --help");
    const std::string name = "gpx " + command_name(command);
    if (command.get_require_subcommand_min() > 0)
      return tl::unexpected<Error>(incomplete_command(command, arguments));
    const CLI::Option* needed = missing(command);
    if (needed && dynamic_cast<const CLI::RequiredError*>(&error)) {
      const std::string taken = taken_hint(command, arguments);
      return fail(Fault::input, "'" + name + "' needs " + needed_name(*needed),
                  taken.empty() ? needed->get_description() : taken);
    }
    if (const CLI::Option* few = too_few(command))
      return fail(Fault::input,
                  fmt::format("'{}' needs {} of {}, and got {}", name,
                              few->get_items_expected_min(), few->get_name(true), few->count()),
                  few->get_description());
    return fail(Fault::input, lower_first(error.what()), name + " --help");
  }
  if (parser.version)
    return ParsedLine{"version",
                      printing(fmt::format("gpx " GPX_VERSION " (build {})\n", build_id()))};
  const std::string name = command_name(innermost(parser.app));
  return ParsedLine{name, parser.actions.at(name.empty() ? kDefaultCommand : name)};
}

}  // namespace gpx::cli
