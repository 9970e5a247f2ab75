// gpx help: what --help says, of gpx or of one command; what a word of the language means. Covered
// by tests/cli/options_test.cpp.
#include <algorithm>

#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/characterize.h"
#include "runtime/cli/command.h"
#include "runtime/cli/help/language_help.h"
#include "runtime/cli/help/library_help.h"
#include "runtime/cli/output/files.h"
#include "runtime/library.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandRow& row : command_rows()) {
    const std::string first = row.name.substr(0, row.name.find(' '));
    add_once(names, first);
  }
  return names;
}

struct HelpCommand : Talk {
  std::string of;  ///< A command, or a word of the language; empty: gpx itself.

  void take(CommandLine& line) {
    line.argument("TOPIC", of, "A command, a word of the language, an analysis, a finding, …")
        .completes(command_names());
  }
  Result<int> run(const Console& console) const;
};

/// What measures a part of the GPU, by the names of gpx characterize: "l1", "memory", "tlb".
std::string group_help(const std::string& topic, const report::Style& style) {
  const auto found = characterize_groups(find_paths()).and_then([&](auto all) {
    return select_groups(std::move(all), {topic});
  });
  if (!found) return {};
  report::Table table({"group", "what gpx characterize measures"});
  for (const CharacterizeGroup& group : *found)
    table.add({{group.name, report::Paint::bold}, {group.title}});
  table.note("gpx characterize --device DEVICE --only " + topic);
  return table.render(style);
}

Error unknown_topic(const std::string& topic, const std::vector<std::string>& commands) {
  std::vector<std::string> known = commands;
  for (const std::string& word : language_topics()) known.push_back(word);
  for (const std::string& word : library_topics()) known.push_back(word);
  auto near = nearest(topic, known);
  if (!near) near = near_name(topic, commands);
  return make_error(
      Fault::input, "no command and no word is called '" + topic + "'",
      near ? "did you mean '" + *near + "'?"
           : "gpx help lists the commands, gpx help statement the clauses, gpx list the "
             "experiments");
}

Result<int> HelpCommand::run(const Console& console) const {
  std::vector<std::string> words = {"--help"};
  if (!of.empty()) words.insert(words.begin(), of);
  const std::vector<std::string> names = command_names();
  const std::string text = of.empty() ? "" : topic_help(of, console.out_style);
  if (!of.empty() && !contains(names, of)) {
    std::string mentions = text.empty() ? language_mentions(of, console.out_style) : "";
    if (text.empty()) mentions = group_help(of, console.out_style) + mentions;
    if (text.empty() && mentions.empty()) {
      print_error(console, unknown_topic(of, names));
      if (const auto whole = require_library(find_paths()); !whole)
        print_error(console, whole.error());
      return kInputWrong;
    }
    print(console.out, text + mentions);
    return kSuccess;
  }
  const auto line = GPX_TRY(parse_line(command_rows(), words));
  const int status = line.run(console);
  if (!text.empty()) print(console.out, "\nIn experiments:\n" + text);
  return status;
}

}  // namespace

CommandRow help_command() {
  return command_row<HelpCommand>(225, "help",
                                  "Show what a command or a word of the language does");
}

}  // namespace gpx::cli
