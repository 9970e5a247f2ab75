// The REPL: experiments as lines, answers as plots, findings and tables; the device and the
// compiled kernels stay warm between lines. Covered by tests/cli/repl_test.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cli/commands.h"
#include "runtime/cli/line_reader.h"
#include "runtime/pipeline.h"

namespace gpx::cli {

class Repl {
 public:
  /// `command` says where runs are kept.
  Repl(const Console& console, Paths paths, RunOptions options, Options command = {});

  /// Opens the device, so that the first line need not wait for it, and says which it is.
  void greet() { device({}); }

  /// Reads and answers until the end of the input or :quit. Returns 0 on a terminal; from a pipe
  /// the status of the first line that failed, as `gpx run` would give it.
  int run(LineReader& reader);

  /// One line, or one of several that belong together. False: the user wants to leave.
  bool take(const std::string& line, LineReader& reader);
  /// Whether a block is open, and the next line continues it.
  bool pending() const { return !block_.empty(); }

 private:
  struct Command;
  friend std::vector<std::string> repl_command_names();
  static const std::vector<Command>& commands();

  void answer(const std::string& text);
  void show(const RunResult& result);
  void show_parts(const std::function<std::string(const ExperimentResult&)>& part);
  void run_source(const Source& source);
  void finish_block(LineReader& reader);
  void fail_with(const Error& error);
  void say(const std::string& text);
  std::vector<Setting> fitting_settings(const Source& source);

  bool command(const std::string& line);
  void help(const std::string& topic);
  void device(const std::string& name);
  void devices();
  void set(const std::string& argument);
  void unset(const std::string& name);
  void run_file(const std::string& path);
  void save(const std::string& path, std::string (*text)(const RunResult&));

  const Console& console_;
  RunOptions options_;
  Options command_;
  Session session_;
  RunResult last_;
  std::vector<std::string> block_;
  int lines_ = 0;
  int status_ = kSuccess;
};

/// ":help", ":device", ...
std::vector<std::string> repl_command_names();

}  // namespace gpx::cli
