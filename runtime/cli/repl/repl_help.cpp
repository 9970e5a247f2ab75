// The REPL's :help. Interface: repl.h.
#include <fmt/format.h>

#include "lang/lists.h"
#include "runtime/cli/help/language_help.h"
#include "runtime/cli/help/library_help.h"
#include "runtime/cli/repl/repl_commands.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

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
    const std::string all = joined(language_kinds(), ", ");
    return say(
        table.render(style) +
        "\n  A line is an experiment:\n"
        "    sweep threads 2..1024 step 2 < load unique(128B) x3 >\n" +
        paragraph("Blocks, experiment NAME { … }, may take several lines. Tab completes, "
                  "Ctrl-C stops a run and keeps its points.",
                  style) +
        paragraph(
            "Topics of :help: every word of the language, analyses, findings, experiments, and " +
                all + ".",
            style));
  }
  std::string text = topic_help(topic, style);
  for (const Command& command : commands()) {
    if (topic != command.name && ':' + topic != command.name) continue;
    text += paragraph(fmt::format("{} {}", command.name, command.argument), style) +
            paragraph(command.help, style) + paragraph(command.more, style);
  }
  if (!text.empty()) return say(text);
  std::vector<std::string> known = repl_command_names();
  for (const std::string& word : language_topics()) known.push_back(word);
  for (const std::string& word : library_topics()) known.push_back(word);
  const auto near = nearest(topic, known);
  fail_with(make_error(Fault::input, "no topic '" + topic + "'",
                       near ? "did you mean '" + *near + "'?" : ":help lists the topics"));
}

}  // namespace gpx::cli
