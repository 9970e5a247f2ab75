// One open document: its text, what is wrong with it, what it declares, and the answers to what a
// client asks about a place in it. No JSON here. Covered by tests/lsp/document_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/lsp/candidates.h"
#include "runtime/lsp/text.h"

namespace gpx::lsp {

struct Problem {
  Range range;
  std::string message;      ///< With its hint.
  bool is_warning = false;  ///< The text can be run as it is.
};

struct Hover {
  Range range;
  std::string markdown;
};

/// A place in this document, or in the file `path`.
struct Target {
  std::string path;  ///< "" for this document.
  Range range;
};

class Document {
 public:
  /// `path` is what relative paths of the text start from; "" where the document is no file.
  Document(std::string path, std::string text);

  void set_text(std::string text);
  void replace(const Range& range, const std::string& with);

  const Text& text() const { return text_; }
  /// As `gpx check` has them.
  std::vector<Problem> problems(const Paths& paths) const;
  const std::vector<Declaration>& declared() const;

  std::optional<Hover> hover(Position position, const Library& library) const;
  std::vector<Candidate> completion(Position position, const Library& library) const;
  /// The part of the word at the position that stands before it: what a completion replaces.
  Range word_to(Position position) const;
  /// As `gpx fmt` has it; nothing where the text does not parse.
  std::optional<std::string> formatted() const;
  std::optional<Target> definition(Position position, const Library& library) const;

 private:
  /// What is read of the text anew after each change, when it is asked for.
  struct Reading {
    Source source;
    std::vector<Declaration> declared;
  };
  const Reading& reading() const;
  Place place(Position position) const;
  std::vector<Declaration> visible(const Place& place) const;

  std::string path_;
  Text text_;
  mutable std::optional<Reading> reading_;
};

}  // namespace gpx::lsp
