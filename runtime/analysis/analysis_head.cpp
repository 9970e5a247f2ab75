// Reading the head of an analysis. Interface: analysis_head.h; covered by
// tests/runtime/analysis_head_test.cpp.
#include "runtime/analysis/analysis_head.h"

#include <charconv>

#include "codegen/ir/text.h"
#include "lang/words.h"

namespace gpx {
namespace {

std::string trimmed(std::string_view text) {
  return std::string(codegen::trimmed(text));
}

/// The lines of the comment, without their dashes.
std::string comment_of(std::string_view text) {
  std::string comment;
  while (text.starts_with("--")) {
    const std::string_view line = take_until(text, '\n');
    comment += line.substr(line.starts_with("-- ") ? 3 : 2);
    comment += '\n';
  }
  return comment;
}

/// What the tests are is of no use to who writes an experiment.
std::string without_tests(std::string text) {
  const std::size_t covered = text.find("Covered by");
  return trimmed(std::string_view(text).substr(0, covered));
}

/// The place after the parenthesis that closes the one at `open`; npos if there is none.
std::size_t after_call(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::vector<AnalysisHead::Parameter> parameters_of(std::string_view inside) {
  std::vector<AnalysisHead::Parameter> parameters;
  while (!inside.empty()) {
    const std::string_view part = take_until(inside, ',');
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    parameters.push_back({trimmed(part.substr(0, equals)), trimmed(part.substr(equals + 1))});
  }
  return parameters;
}

/// "a, b" of the line "LABEL: a, b."
std::vector<std::string> listed(std::string_view comment, std::string_view label) {
  std::vector<std::string> names;
  const std::size_t at = comment.find(label);
  if (at == std::string_view::npos) return names;
  comment.remove_prefix(at + label.size());
  std::string_view list = comment.substr(0, comment.find('.'));
  while (!list.empty()) names.push_back(trimmed(take_until(list, ',')));
  return names;
}

/// "Arguments that need 4 values: a, b."
std::vector<AnalysisHead::Least> least_of(std::string_view comment) {
  constexpr std::string_view kLabel = "\nArguments that need ";
  std::vector<AnalysisHead::Least> least;
  const std::size_t at = comment.find(kLabel);
  if (at == std::string_view::npos) return least;
  comment.remove_prefix(at + kLabel.size());
  std::size_t values = 0;
  std::from_chars(comment.data(), comment.data() + comment.size(), values);
  for (std::string& name : listed(comment, " values: ")) least.push_back({std::move(name), values});
  return least;
}

/// Runs of white space become one blank, outside of what the author laid out in columns.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  return line;
}

}  // namespace

AnalysisHead read_head(std::string name, std::string path, std::string_view text) {
  AnalysisHead analysis{std::move(name), std::move(path), {}, {}, {}, {}, {}, {}, {}, false};
  const std::string comment = comment_of(text);
  analysis.measures = listed(comment, "\nMeasures: ");
  analysis.of_measures = listed(comment, "\nArguments that name measures: ");
  analysis.needed = listed(comment, "\nArguments that must be given: ");
  analysis.least = least_of(comment);
  const std::size_t open = analysis.name.size();
  const bool has_call = comment.starts_with(analysis.name + "(");
  const std::size_t end = has_call ? after_call(comment, open) : std::string::npos;
  if (end == std::string::npos) {
    analysis.call = analysis.name + "()";
    analysis.about = without_tests(comment);
    analysis.takes_any = true;
    return analysis;
  }
  analysis.call = on_one_line(std::string_view(comment).substr(0, end));
  analysis.parameters = parameters_of(std::string_view(comment).substr(open + 1, end - open - 2));
  analysis.takes_any = analysis.call.ends_with("...)");
  std::size_t about = end;
  while (about < comment.size() && (comment[about] == ':' || comment[about] == ' ')) ++about;
  analysis.about = without_tests(comment.substr(about));
  return analysis;
}

}  // namespace gpx
