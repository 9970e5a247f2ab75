// What a session needs of an experiment's text: the words in it, the names that it gives, and the
// text with settings written into it. Covered by tests/cli/session_text_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/language.h"

namespace gpx::cli {

/// Everything in the text that could be a name.
std::vector<std::string> words_of(const std::string& text);

/// Parameters, axes, arrays, … that an experiment gives a name to.
std::vector<std::string> defined_by(const ast::Block& block);
/// The same of the text of a block, which parses.
std::vector<std::string> defined_by(const std::string& block);

/// The last setting of that name, else `value`.
std::string value_with(const std::vector<Setting>& settings, const std::string& name,
                       const std::string& value);

/// Files that a text names relative to `from` are to be named relative to `to`.
struct FileNames {
  std::string from, to;
};

/// The text of a block with settings in the place of what they replaced, and `clauses` after its
/// `{`. The device is named where the text names none and it is one of the library.
std::string with_settings(const std::string& block, const std::vector<Setting>& settings,
                          const std::string& clauses, const std::string& device,
                          const FileNames& files);

}  // namespace gpx::cli
