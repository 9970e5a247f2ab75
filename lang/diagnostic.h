// Errors as values, for every stage of gpx.
//
// A stage that can fail returns `Result<T>`. An `Error` holds all that is wrong (a checker reports
// every mistake of a file at once) and whose fault it is, which fixes the exit status.
// Covered by tests/lang/diagnostic_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lang/source.h"

namespace gpx {

/// Whose fault an error is. The enumerator's value is the program's exit status.
enum class Fault {
  input = 2,   ///< Usage, experiment text, device file, analysis script.
  device = 3,  ///< A GPU, its driver, NVRTC, the file system.
};

struct Diagnostic {
  std::string message;               ///< One sentence, lower case, no full stop.
  std::optional<Location> location;  ///< Absent where there is no text to point into.
  std::string hint;                  ///< "did you mean 'unique'?"; empty if there is none.
  bool operator==(const Diagnostic&) const = default;
};

struct Error {
  Fault fault = Fault::input;
  std::vector<Diagnostic> diagnostics;  ///< Never empty; in the order of the text.
};

template <typename T>
using Result = tl::expected<T, Error>;

/// An error without a place.
Error make_error(Fault fault, std::string message, std::string hint = {});
/// An error at a place of a text.
Error make_error(Fault fault, const Source& source, Span span, std::string message,
                 std::string hint = {});
/// Shorthand: `return fail(Fault::input, "...")`.
inline tl::unexpected<Error> fail(Fault fault, std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(make_error(fault, std::move(message), std::move(hint)));
}
inline tl::unexpected<Error> fail(Fault fault, const Source& source, Span span, std::string message,
                                  std::string hint = {}) {
  return tl::unexpected<Error>(
      make_error(fault, source, span, std::move(message), std::move(hint)));
}

/// "file:line:column: error: message" followed by the line, a caret, and the hint.
/// `colour` adds ANSI escapes; the text is the same without them.
std::string render(const Diagnostic& diagnostic, bool colour = false);
/// The same as a warning.
std::string render_warning(const Diagnostic& diagnostic, bool colour = false);
std::string render(const Error& error, bool colour = false);

/// "1 round", "2 rounds", "1.5 rounds".
std::string plural(double count, std::string_view what);

/// The candidate nearest to `word` by edit distance, if near enough to be a likely slip.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace gpx
