// The language's front door: text in, checked experiments out.
//
//   Source --parse--> Ast --check--> Experiments
//                      `---format--> the same text, laid out
//
// Errors of one file are reported together: a file with syntax errors is also checked as far as it
// could be read. Nothing here knows a device or CUDA. Covered by tests/lang/golden_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/diagnostic.h"
#include "lang/experiment.h"
#include "lang/vocabulary.h"

namespace gpx {

/// `--set name=text`: `text` is an expression, or for an axis also a range or a list:
/// `64`, `2..64 step 2`, `[1, 2]`. Errors point into "--set name".
struct Setting {
  std::string name;
  std::string text;
};

/// Splits "name=value"; an error where there is no '=' or no name.
Result<Setting> parse_setting(const std::string& argument);

Result<Ast> parse(const Source& source);

/// The experiments of a file, in order: blocks, and bare lines named line1, line2, ... A setting
/// replaces a parameter or an axis in every experiment that has it (`threads` and `blocks` are in
/// every one); the last of two settings of one name counts. A setting that no experiment has
/// is an error.
Result<std::vector<Experiment>> check(const Ast& ast, const Source& source,
                                      const std::vector<Setting>& settings = {});

/// The text in canonical layout: format(format(x)) == format(x); comments and blank lines between
/// groups are kept.
std::string format(const Ast& ast, const Source& source);

/// What a REPL must know of the lines typed so far.
enum class Completeness {
  complete,    ///< Parses; may be empty.
  incomplete,  ///< So far so good, but a brace, a bracket or a `<` is open.
  wrong,       ///< Has an error that more text cannot mend: parse() tells which.
};
Completeness completeness(const std::string& text);

}  // namespace gpx
