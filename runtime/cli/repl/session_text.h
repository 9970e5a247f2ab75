// SessionText: what was typed in a REPL, as text that stands alone: each piece as it is to run, and
// all of it as an experiment file. Knows no device and runs nothing.
// Covered by tests/cli/session_text_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/language.h"

namespace gpx::cli {

struct SessionParameter {
  std::string name, value;
};

/// One experiment of what was typed.
struct SessionPiece {
  std::string name;
  std::string text;                          ///< `experiment NAME … { … }`
  std::vector<SessionParameter> parameters;  ///< Those that it uses and does not set itself.
};

/// A typed text, ready to run: bare lines have become experiments with a name, and parameters that
/// were typed before and are named in it stand before it.
struct TypedText {
  Source typed{"", ""}, source{"", ""};
  std::vector<int> lines;  ///< Of `typed`, for each line of `source`; 0: of none.
  std::vector<SessionPiece> pieces;
  std::vector<SessionParameter> parameters;  ///< Of the file, that it sets.
  std::size_t bare_lines = 0;

  /// Places in `source` as places in `typed`.
  Error as_typed(Error error) const;
};

class SessionText {
 public:
  /// Errors: those of the language's syntax, at places in `typed`.
  Result<TypedText> compose(const Source& typed) const;

  /// The checker has taken it: its parameters hold from now on.
  void keep_parameters(const TypedText& text);
  /// Its experiments, as checked with these settings, ran on this device ("" where none was
  /// named). One of a name that is known takes its place.
  void keep_experiments(const TypedText& text, const std::vector<Setting>& settings,
                        const std::string& device, const std::vector<Experiment>& experiments);

  struct Entry {
    SessionPiece piece;
    std::string folder;             ///< What files it names are relative to.
    std::string device;             ///< Asked for; "" where none was.
    std::vector<Setting> settings;  ///< It ran with.
    std::string meaning;            ///< As checked, but for its device.
  };
  const std::vector<Entry>& entries() const { return entries_; }
  /// One of them as a text that runs alone; its settings are not in it.
  static Source standing_alone(const Entry& entry);

  const std::vector<SessionParameter>& parameters() const { return parameters_; }
  /// Whether there was one.
  bool forget_parameter(const std::string& name);

  /// All of it as an experiment file in the standard format, settings and devices in the text:
  /// checked, it gives the experiments that ran. Files that it names are named as seen from
  /// `folder`. `heading`: lines of comment. Errors: an experiment that cannot be written so.
  Result<std::string> file(const std::string& heading, const std::string& folder) const;

 private:
  Error syntax_error(TypedText text, const Error& alone) const;
  std::string fresh_name(TypedText& text, const std::vector<std::string>& taken) const;
  std::vector<SessionParameter> shared_parameters() const;
  std::string file_text(const std::string& heading, const std::string* folder) const;
  Result<void> check_same(const std::string& text) const;

  std::vector<Entry> entries_;
  std::vector<SessionParameter> parameters_;
  std::size_t bare_lines_ = 0;
};

}  // namespace gpx::cli
