// Source text and places in it.
//
// A `Source` owns one text (a file, a REPL line, `--set` values); a `Span` is a byte range of it; a
// `Location` is a span made self-contained (name, line, column, the line's text) so that an error
// outlives the text it points into. Covered by tests/lang/source_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpx {

/// A half-open byte range [begin, end) of a Source.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

/// A place that prints without its Source. Lines and columns count from 1, columns in bytes.
struct Location {
  std::string file;  ///< As the user named it; "<stdin>", "<repl>" where there is no file.
  int line = 0;      ///< 0: the file as a whole.
  int column = 0;
  int length = 0;         ///< Bytes to underline on `line`; at least 1 where line > 0.
  std::string line_text;  ///< The line without its end, for the caret.
  bool operator==(const Location&) const = default;
};

class Source {
 public:
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  std::string_view slice(Span span) const;
  Location locate(Span span) const;
  /// Line `number`, from 1, without the blanks at its ends; the end of the text where it has fewer.
  Span line(int number) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace gpx
