// Language: what an editor asks about a text, by the language server's own code.
// Covered by tests/serve/serve_test.py.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "runtime/lsp/document.h"
#include "runtime/lsp/messages.h"

namespace gpx::serve {

using lsp::Json;

class Language {
 public:
  /// `path`: of the document; files that it names are looked for beside it.
  Language(Paths paths, std::string path) : paths_(std::move(paths)), path_(std::move(path)) {}

  /// Problems, completions, a hover (or null) and edits as the Language Server Protocol has them.
  Json problems(const std::string& text);
  Json completion(const std::string& text, lsp::Position position);
  Json hover(const std::string& text, lsp::Position position);
  /// The whole text, or null where it does not parse.
  Json formatted(const std::string& text);
  /// {"words": {word: kind}, "devices": [{name, about}]}: for colours and menus.
  Json words();

 private:
  lsp::Document document(const std::string& text) const { return {path_, text}; }
  const lsp::Library& library();

  Paths paths_;
  std::string path_;
  std::mutex mutex_;
  std::optional<lsp::Library> library_;  ///< Read when it is needed for the first time.
};

}  // namespace gpx::serve
