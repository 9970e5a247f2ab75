// The REPL: experiments as lines, answers as plots, findings and tables; the device and the
// compiled kernels stay warm between lines. docs/repl.md describes it.
// Covered by tests/cli/repl_test.cpp.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/cli/completion/completion.h"
#include "runtime/cli/console.h"
#include "runtime/cli/repl/line_reader.h"
#include "runtime/cli/repl/script_host.h"
#include "runtime/cli/repl/session_text.h"
#include "runtime/pipeline.h"

namespace gpx::cli {

class Repl {
 public:
  /// `store`: where runs are kept; `talk`: how much is said.
  Repl(const Console& console, Paths paths, RunOptions options, StoreOptions store = {},
       Talk talk = {});

  /// Opens the device, so that the first line need not wait for it, and says which it is.
  void greet() { device({}); }

  /// Reads and answers until the end of the input or :quit. Returns 0 on a terminal; from a pipe
  /// the status of the first line that failed, as `gpx run` would give it.
  int run(LineReader& reader);

  /// One line, or one of several that belong together. False: the user wants to leave.
  bool take(const std::string& line, LineReader& reader);
  /// Whether a block is open, and the next line continues it.
  bool pending() const { return block_ != Block::none; }

  /// What completion asks for.
  SessionNames names();

 private:
  struct Command;
  friend std::vector<std::string> repl_command_names();
  static const std::vector<Command>& commands();
  enum class Block { none, experiment, lua, lua_until_blank };

  // Reading (repl.cpp).
  bool take_command(const std::string& line, LineReader& reader);
  bool block_is_over();
  bool is_worth_a_look();
  void drop_block();
  void finish_block(LineReader& reader);
  void refresh_style();
  void fail_with(const Error& error);
  void count_line(const std::string& line);
  void say(const std::string& text);

  // Running (repl_run.cpp).
  void answer(const std::string& text);
  void run_typed(const TypedText& text);
  bool run_source(const Source& source, const RunOptions& options, const TypedText* typed);
  Result<std::vector<Setting>> fitting_settings(const Source& source);
  void show(const RunResult& result);
  void show_parts(const std::function<std::string(const ExperimentResult&)>& part);
  void run(const std::string& what);
  void explain(const std::string& what);
  const SessionText::Entry* entry(const std::string& name) const;

  // Commands (repl_commands.cpp, repl_help.cpp, repl_lua.cpp).
  bool command(const std::string& line);
  void help(const std::string& topic);
  void device(const std::string& name);
  void set(const std::string& argument);
  void unset(const std::string& name);
  void save_session(const std::string& path);
  void load_session(const std::string& path);
  void write(const std::string& path, std::string (*text)(const RunResult&));
  void plot(const std::string& argument);
  static Result<Plot> read_plot(const std::string& arguments);
  void store_command(const char* name, const std::string& argument, std::size_t count,
                     const char* wants);
  void begin_script();
  bool set_it();
  std::vector<std::string> experiment_names() const;
  std::vector<std::string> setting_names() const;
  bool lua_begins(const std::string& text);
  void lua(const std::string& text);

  Console console_;
  RunOptions options_;
  StoreOptions store_;
  Talk talk_;
  Session session_;
  SessionText text_;
  RunResult last_;
  Block block_ = Block::none;
  std::vector<std::string> lines_;  ///< Of the block.
  std::size_t block_bytes_ = 0;     ///< Of its lines.
  std::size_t looked_at_ = 0;       ///< Lines of it when it was last read as a whole.
  int braces_ = 0, angles_ = 0;     ///< Open at its end.
  int line_ = 0, first_line_ = 0;   ///< Of the input: the last one read, and where the text began.
  std::set<std::string> noted_;     ///< Settings of which it was said that they do not fit.
  script::Options script_options_;
  ScriptHost host_;
  std::unique_ptr<script::TypedScript> script_;
  bool it_is_old_ = false;  ///< There is a newer run than what the script has.
  int status_ = kSuccess;
};

/// ":help", ":device", ...
std::vector<std::string> repl_command_names();

}  // namespace gpx::cli
