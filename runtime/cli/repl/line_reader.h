// Lines for the REPL: from a terminal with editing, history and completion, or from a pipe.
// Covered by tests/cli/repl_test.cpp (pipe) and tests/cli/history_test.cpp.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/completion/completion.h"

namespace gpx::cli {

class LineReader {
 public:
  virtual ~LineReader() = default;
  struct Line {
    std::string text;          ///< Without its end.
    bool interrupted = false;  ///< Ctrl-C: what was typed is dropped.
  };
  /// nothing at the end of the input.
  virtual std::optional<Line> read(const std::string& prompt) = 0;
  /// Remembers an entry for this session and the next ones.
  virtual void remember(const std::string& entry) = 0;
};

using Completer = std::function<Completion(const std::string& before_cursor)>;

/// libedit on a terminal. `history_file` may be empty.
std::unique_ptr<LineReader> make_terminal_reader(std::FILE* in, std::FILE* out, std::FILE* err,
                                                 std::string history_file, Completer completer);
/// Plain lines, no prompt.
std::unique_ptr<LineReader> make_stream_reader(std::FILE* in);

/// $XDG_STATE_HOME/gpx/history, else ~/.local/state/gpx/history; "" where there is no home.
std::string history_path();
/// One entry a line, oldest first; at most the last 1000.
std::vector<std::string> load_history(const std::string& path);
/// Appends, so that two sessions do not lose each other's entries. Creates the folders.
/// False where it cannot.
bool append_history(const std::string& path, const std::string& entry);

}  // namespace gpx::cli
