// Interface: language_help.h. Covered by tests/cli/options_test.cpp.
#include "runtime/cli/help/language_help.h"

#include <algorithm>

#include "lang/lists.h"
#include "lang/vocabulary.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

std::string plural(std::string_view kind) {
  return kind.ends_with('s') ? std::string(kind) + "es" : std::string(kind) + 's';
}

constexpr std::size_t kMostTerms = 200;     ///< More are shown by their families.
constexpr std::size_t kLeastMentioned = 4;  ///< Letters of a topic that is looked for in the help.
constexpr std::size_t kMostMentions = 12;   ///< More are no answer.
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

/// What stands before the first dot: add of add.u32.
std::string family_of(const Term& term) {
  const std::string_view name = term.name;
  return std::string(name.substr(0, name.find('.')));
}

/// Too many for a table: their families, and how to see the words of one.
std::string families(const std::vector<const Term*>& terms, const report::Style& style) {
  std::vector<std::pair<const Term*, std::size_t>> first;
  for (const Term* term : terms) {
    const auto known = std::ranges::find_if(
        first, [&](const auto& each) { return family_of(*each.first) == family_of(*term); });
    if (known == first.end())
      first.emplace_back(term, 1);
    else
      ++known->second;
  }
  report::Table table({"family", "words", "such as", "what it does"}, {false, true});
  for (const auto& [term, count] : first)
    table.add({{family_of(*term), report::Paint::bold},
               {std::to_string(count)},
               {term->name},
               {term->help}});
  const std::string kind = plural(to_string(terms.front()->kind));
  std::string text =
      table.render(style) + "\nfamilies of " + kind + ": gpx help FAMILY lists the words of one";
  if (terms.front()->kind == TermKind::operation)
    text += ",\ngpx operations --only FAMILY measures them";
  return text + "\n";
}

}  // namespace

std::vector<std::string> language_kinds() {
  std::vector<std::string> names;
  for (const Term& term : vocabulary())
    if (const std::string kind(to_string(term.kind)); !contains(names, kind)) names.push_back(kind);
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
  if (terms.size() > kMostTerms) return families(terms, style);
  return widest > style.width / kMostSyntax ? beneath(terms).render(style)
                                            : in_columns(terms).render(style);
}

std::string language_mentions(const std::string& topic, const report::Style& style) {
  if (topic.size() < kLeastMentioned) return {};
  std::vector<const Term*> terms;
  for (const Term& term : vocabulary())
    if (std::string_view(term.help).find(topic) != std::string_view::npos) terms.push_back(&term);
  if (terms.empty() || terms.size() > kMostMentions) return {};
  return "no word is called '" + topic + "'; the help of these has it:\n" +
         beneath(terms).render(style);
}

}  // namespace gpx::cli
