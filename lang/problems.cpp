// Problems of one text, collected and ordered. Interface: problems.h; covered by
// tests/lang/diagnostic_test.cpp.
#include "lang/problems.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx {
namespace {

constexpr std::size_t max_kept = 1000;  ///< Beyond this problems are only counted.

}  // namespace

void Problems::add(Span span, std::string message, std::string hint) {
  for (const Problem& problem : found_)
    if (problem.span.begin == span.begin) return;
  if (found_.size() >= max_kept) {
    ++more_;
    return;
  }
  found_.push_back({span, std::move(message), std::move(hint)});
}

Error Problems::error(std::size_t limit) const {
  std::vector<Problem> sorted = found_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem& a, const Problem& b) { return a.span.begin < b.span.begin; });
  Error error;
  error.diagnostics = elsewhere_;
  for (const Problem& problem : sorted) {
    if (error.diagnostics.size() >= limit) break;
    error.diagnostics.push_back({problem.message, source_->locate(problem.span), problem.hint});
  }
  const std::size_t all = found_.size() + elsewhere_.size() + more_;
  if (all > error.diagnostics.size()) {
    Diagnostic rest;
    rest.message = "and " + plural(all - error.diagnostics.size(), "more error");
    rest.location = Location{source_->name(), 0, 0, 0, {}};
    error.diagnostics.push_back(std::move(rest));
  }
  return error;
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto near = nearest(word, candidates);
  return near ? fmt::format("did you mean '{}'?", *near) : std::string();
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates,
                    std::string_view what) {
  const std::string near = suggest(word, candidates);
  return near.empty() ? fmt::format("the {} are {}", what, fmt::join(candidates, ", ")) : near;
}

}  // namespace gpx
