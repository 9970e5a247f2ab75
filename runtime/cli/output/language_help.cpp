// Interface: language_help.h. Covered by tests/cli/options_test.cpp.
#include "runtime/cli/output/language_help.h"

#include <algorithm>

#include "lang/vocabulary.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

std::string plural(std::string_view kind) {
  return kind.ends_with('s') ? std::string(kind) + "es" : std::string(kind) + 's';
}

}  // namespace

std::vector<std::string> language_kinds() {
  std::vector<std::string> names;
  for (const Term& term : vocabulary())
    if (const std::string kind(to_string(term.kind)); std::ranges::find(names, kind) == names.end())
      names.push_back(kind);
  return names;
}

std::vector<std::string> language_topics() {
  std::vector<std::string> topics;
  for (const Term& term : vocabulary()) topics.emplace_back(term.name);
  for (const std::string& kind : language_kinds()) topics.push_back(kind);
  return topics;
}

std::string language_help(const std::string& topic, const report::Style& style) {
  report::Table words({"word", "kind", "written", "what it does"});
  for (const Term& term : vocabulary())
    if (topic == term.name || topic == to_string(term.kind) ||
        topic == plural(to_string(term.kind)))
      words.add({{term.name, report::Paint::bold},
                 {std::string(to_string(term.kind))},
                 {term.syntax},
                 {term.help}});
  return words.empty() ? "" : words.render(style);
}

}  // namespace gpx::cli
