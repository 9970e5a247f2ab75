// Any text as an experiment file: what parses must format and print to something that reads back
// as the same, and what does not has an error with a place.
#include "lang/language.h"
#include "targets.h"

namespace gpx::fuzz {
namespace {

std::string print(const std::vector<Experiment>& experiments) {
  std::string text;
  for (const Experiment& experiment : experiments) text += to_string(experiment);
  return text;
}

std::string check_error(const Error& error) {
  if (error.diagnostics.empty()) return "an error without a diagnostic";
  if (!error.diagnostics.front().location) return "an error without a place";
  return render(error).empty() ? "an error without a text" : "";
}

/// The formatted text has the same tree and the same comments, and is already formatted.
std::string check_format(const Ast& ast, const Source& source) {
  const Source formatted("formatted", format(ast, source));
  const auto again = parse(formatted);
  if (!again) return "formats to\n" + formatted.text() + render(again.error());
  if (to_string(*again) != to_string(ast)) return "formats to another tree:\n" + formatted.text();
  if (format(*again, formatted) != formatted.text())
    return "formatting twice changes more:\n" + formatted.text();
  if (again->comments.size() != ast.comments.size())
    return "formatting loses a comment:\n" + formatted.text();
  return "";
}

/// The printed experiments are a file that reads back as them.
std::string check_print(const std::vector<Experiment>& experiments) {
  const Source printed("printed", print(experiments));
  const auto ast = parse(printed);
  if (!ast) return "prints to\n" + printed.text() + render(ast.error());
  const auto again = check(*ast, printed);
  if (!again) return "prints to\n" + printed.text() + render(again.error());
  return print(*again) == printed.text() ? "" : "printing twice changes more:\n" + printed.text();
}

}  // namespace

std::string grammar(const std::string& input) {
  const Source source("input", input);
  (void)completeness(input);
  const auto ast = parse(source);
  if (!ast) return check_error(ast.error());
  if (std::string wrong = check_format(*ast, source); !wrong.empty()) return wrong;
  const auto experiments = check(*ast, source);
  if (!experiments) return check_error(experiments.error());
  taken = true;
  return check_print(*experiments);
}

}  // namespace gpx::fuzz
