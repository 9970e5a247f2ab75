// Cells: an experiment file as the page shows it. The cells' texts, one after the other, are the
// file; nothing else is kept of a page.
//
// A cell is one experiment, neighbouring parameters, a comment, or Lua written as a comment. Pure:
// text in, cells out. Covered by tests/serve/cells_test.cpp.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpx::serve {

/// A parameter of the file, and the values of the comment behind it: `param n = 3  # 1..16 step 1`.
struct Knob {
  std::string name, value;
  std::size_t begin = 0, end = 0;    ///< Bytes of the value in the cell's text.
  std::vector<std::string> choices;  ///< Empty: the comment names none.
  bool is_range = false;             ///< A slider; else a menu.
};

struct Cell {
  enum class Kind { note, parameters, experiment, lua };
  Kind kind = Kind::note;
  std::string name;  ///< Of an experiment, line1, ... of a bare line, lua1, ... of Lua.
  std::string title;
  std::string text;  ///< With its comments and the blank lines that follow it.
  std::vector<Knob> knobs;
  std::vector<std::string> uses;  ///< Parameters; of Lua, experiments.
  /// What `gpx run` is given of an experiment: the parameters that it uses, then the experiment.
  /// Of Lua: its code.
  std::string program;

  bool can_run() const { return kind == Kind::experiment || kind == Kind::lua; }
};
const char* to_string(Cell::Kind kind);

/// What leads from a line of the cell's program, behind those of the parameters that it uses, to
/// one of its text.
std::ptrdiff_t line_shift(const Cell& cell);
/// Messages of a process that read the program from standard input: "line 5 of loads, column 3"
/// in place of "<stdin>:2:3".
std::string in_cell(const std::string& messages, const Cell& cell);

/// Never fails: what cannot be read is an experiment with its errors, or a note. While one
/// experiment lacks its brace, those after it that begin a line remain cells of their own.
std::vector<Cell> cells_of(const std::string& text);

/// The begin of a comment that is Lua: `# :lua`, then lines that begin with `#`.
inline constexpr std::string_view kLuaMark = "# :lua";

/// The names in a text: not those in quotes, and none behind `comment` on its line.
std::set<std::string, std::less<>> names_in(std::string_view text, std::string_view comment = "#");

}  // namespace gpx::serve
