// The REPL's :help. Interface: repl.h.
#include <fmt/format.h>

#include <algorithm>

#include "lang/vocabulary.h"
#include "runtime/cli/repl/repl_commands.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

std::string plural(std::string_view kind) {
  return kind.ends_with('s') ? std::string(kind) + "es" : std::string(kind) + 's';
}

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const Term& term : vocabulary())
    if (const std::string kind(to_string(term.kind)); std::ranges::find(names, kind) == names.end())
      names.push_back(kind);
  return names;
}

std::string paragraph(const std::string& text, const report::Style& style) {
  std::string out;
  for (const std::string& line : report::wrap(report::fit(style, text), style.width - 4))
    out += "  " + line + '\n';
  return out;
}

}  // namespace

void Repl::help(const std::string& topic) {
  const report::Style& style = console_.out_style;
  if (topic.empty()) {
    report::Table table({"", ""});
    for (const Command& command : commands())
      table.add({{std::string(command.name) + ' ' + command.argument, report::Paint::bold},
                 {command.help}});
    std::string all;
    for (const std::string& kind : kinds()) all += (all.empty() ? "" : ", ") + kind;
    return say(table.render(style) +
               "\n  A line is an experiment:\n"
               "    sweep threads 2..1024 step 2 < load unique(128B) x3 >\n" +
               paragraph("Blocks, experiment NAME { … }, may take several lines. Tab completes, "
                         "Ctrl-C stops a run and keeps its points.",
                         style) +
               paragraph("Topics of :help: every word of the language, and " + all + ".", style));
  }
  report::Table words({"word", "kind", "written", "what it does"});
  for (const Term& term : vocabulary())
    if (topic == term.name || topic == to_string(term.kind) ||
        topic == plural(to_string(term.kind)))
      words.add({{term.name, report::Paint::bold},
                 {std::string(to_string(term.kind))},
                 {term.syntax},
                 {term.help}});
  std::string text = words.empty() ? "" : words.render(style);
  for (const Command& command : commands()) {
    if (topic != command.name && ':' + topic != command.name) continue;
    text += paragraph(fmt::format("{} {}", command.name, command.argument), style) +
            paragraph(command.help, style) + paragraph(command.more, style);
  }
  if (!text.empty()) return say(text);
  std::vector<std::string> known = repl_command_names();
  for (const Term& term : vocabulary()) known.emplace_back(term.name);
  for (const std::string& kind : kinds()) known.push_back(kind);
  const auto near = nearest(topic, known);
  fail_with(make_error(Fault::input, "no topic '" + topic + "'",
                       near ? "did you mean '" + *near + "'?" : ":help lists the topics"));
}

}  // namespace gpx::cli
