// A Markdown document as its fenced blocks: what a reader types, what is printed, which files there
// are. Interface: read_document(), commands_of(), matches(), rebased(). Covered by
// tests/docs/document_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpx::docs {

/// A fence's info string: its language, then words of ours. `console gpu`, `gpx size.gpx`.
struct Block {
  std::string language;
  std::vector<std::string> words;
  std::size_t line = 0;            ///< Of the opening fence, from 1.
  std::vector<std::string> lines;  ///< Between the fences.

  bool has(const std::string& word) const;
  /// The word that names a file (`size.gpx`), else empty.
  std::string file() const;
};

/// `code` between backquotes in running text.
struct Span {
  std::size_t line = 0;
  std::string text;
};

struct Document {
  std::string path;
  std::vector<std::string> lines;
  std::vector<Block> blocks;
  std::vector<Span> spans;
};

Document read_document(const std::string& path);
Document parse_document(const std::string& path, const std::string& text);

/// `$ command`, continued while a line ends in a backslash, and the lines printed after it.
struct Command {
  std::size_t line = 0;
  std::size_t lines = 1;  ///< That the command itself takes.
  std::string text;
  std::vector<std::string> output;
};
std::vector<Command> commands_of(const Block& block);

using Lines = std::vector<std::string>;

/// A line that is `…` stands for any lines, none too; `…` inside a line for any text of the line.
bool matches(const Lines& expected, const Lines& actual);

/// What the document should say: `actual`, with the `…` of `expected` kept where they still fit.
Lines rebased(const Lines& expected, const Lines& actual);

Lines split_lines(const std::string& text);

}  // namespace gpx::docs
