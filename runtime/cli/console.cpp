#include "runtime/cli/console.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace gpx::cli {

int worse(int a, int b) {
  constexpr int kRanks[] = {kSuccess, kExpectationFailed, kInterrupted, kInputWrong, kToolFailed};
  const auto rank = [&](int status) {
    return std::min(std::ranges::find(kRanks, status), std::end(kRanks) - 1);
  };
  return *std::max(rank(a), rank(b));
}

Console make_console(std::FILE* in, std::FILE* out, std::FILE* err) {
  Console console{in,
                  out,
                  err,
                  report::style_of(fileno(out)),
                  report::style_of(fileno(err)),
                  isatty(fileno(in)) == 1,
                  isatty(fileno(out)) == 1,
                  isatty(fileno(err)) == 1};
  return console;
}

void print(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

int print_error(const Console& console, const Error& error) {
  Error placed = error;
  for (Diagnostic& diagnostic : placed.diagnostics)
    if (!diagnostic.location) diagnostic.location = console.at;
  std::fflush(console.out);
  print(console.err, render(placed, console.err_style.colour));
  return static_cast<int>(error.fault);
}

}  // namespace gpx::cli
