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

constexpr int kMostSyntax = 3;  ///< The part of a line, one in so many, that leaves room for help.

report::Table in_columns(const std::vector<const Term*>& terms) {
  report::Table words({"word", "kind", "written", "what it does"});
  for (const Term* term : terms)
    words.add({{term->name, report::Paint::bold},
               {std::string(to_string(term->kind))},
               {term->syntax},
               {term->help}});
  return words;
}

/// Long forms stand beneath what they do.
report::Table beneath(const std::vector<const Term*>& terms) {
  report::Table words({"word", "kind", "what it does, and how it is written"});
  for (const Term* term : terms) {
    words.add(
        {{term->name, report::Paint::bold}, {std::string(to_string(term->kind))}, {term->help}});
    words.note(term->syntax);
  }
  return words;
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
  std::vector<const Term*> terms;
  int widest = 0;
  for (const Term& term : vocabulary()) {
    const bool meant = topic == term.name || topic == to_string(term.kind) ||
                       topic == plural(to_string(term.kind));
    if (!meant) continue;
    terms.push_back(&term);
    widest = std::max(widest, report::display_width(term.syntax));
  }
  if (terms.empty()) return {};
  return widest > style.width / kMostSyntax ? beneath(terms).render(style)
                                            : in_columns(terms).render(style);
}

}  // namespace gpx::cli
