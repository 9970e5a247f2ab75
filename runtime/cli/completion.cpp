#include "runtime/cli/completion.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "lang/vocabulary.h"
#include "runtime/cli/repl.h"
#include "runtime/device_select.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// With the dots inside of a word (add.u32), not those of a range (1..n).
std::string last_word(const std::string& text) {
  std::size_t begin = text.size();
  const auto joins = [&](std::size_t i) {
    const bool doubled = i + 1 < text.size() && text[i + 1] == '.';
    return text[i] == '.' && i > 0 && is_word(text[i - 1]) && !doubled;
  };
  while (begin > 0 && (is_word(text[begin - 1]) || joins(begin - 1))) --begin;
  return text.substr(begin);
}

/// The word before the one that is being typed.
std::string word_before(const std::string& text, std::size_t word_size) {
  std::string rest = text.substr(0, text.size() - word_size);
  rest.erase(rest.find_last_not_of(' ') + 1);
  return last_word(rest);
}

/// With the parenthesis that always follows some of them: unique(
std::vector<std::string> all_words() {
  std::vector<std::string> words;
  for (const Term& term : vocabulary()) {
    const std::string name = term.name;
    words.push_back(std::string(term.syntax).starts_with(name + '(') ? name + '(' : name);
  }
  return words;
}

std::vector<std::string> topics() {
  std::vector<std::string> words;
  for (const Term& term : vocabulary()) {
    words.emplace_back(term.name);
    words.emplace_back(to_string(term.kind));
  }
  return words;
}

std::vector<std::string> device_names(const Paths& paths) {
  std::vector<std::string> names = virtual_devices(paths);
  names.insert(names.end(), {"auto", "cuda"});
  return names;
}

std::vector<std::string> analyses(const Paths& paths) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(paths.stdlib + "/analysis", error))
    if (entry.path().extension() == ".lua") names.push_back(entry.path().stem().string());
  return names;
}

std::vector<std::string> files(const std::string& typed) {
  const std::size_t slash = typed.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : typed.substr(0, slash + 1);
  std::vector<std::string> names;
  std::error_code error;
  const char* home = std::getenv("HOME");
  const std::string at = folder.starts_with("~/") && home ? home + folder.substr(1) : folder;
  for (const auto& entry : fs::directory_iterator(at.empty() ? "." : at, error)) {
    const std::string name = entry.path().filename().string();
    if (name[0] == '.' && typed.substr(folder.size(), 1) != ".") continue;
    names.push_back(folder + name + (entry.is_directory(error) ? "/" : ""));
  }
  return names;
}

Completion matching(const std::string& typed, std::vector<std::string> candidates) {
  std::erase_if(candidates, [&](const std::string& c) { return !c.starts_with(typed); });
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return {typed.size(), std::move(candidates)};
}

/// Files that end so, and folders; "~/" stays as it is typed.
std::vector<std::string> files(const std::string& typed, const std::string& ending) {
  std::vector<std::string> names = files(typed);
  std::erase_if(names, [&](const std::string& name) {
    return !name.ends_with('/') && !name.ends_with(ending);
  });
  return names;
}

std::vector<std::string> joined(std::vector<std::string> some,
                                const std::vector<std::string>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

/// What may follow a command. `typed`: the word at the cursor.
std::vector<std::string> arguments_of(const std::string& command, const std::string& typed,
                                      const Paths& paths, const SessionNames& names) {
  if (command == ":device")
    return typed.empty() ? device_names(paths) : joined(device_names(paths), files(typed, ".lua"));
  if (command == ":help") return joined(topics(), repl_command_names());
  if (command == ":run") return joined(names.experiments, files(typed, ".gpx"));
  if (command == ":save" || command == ":load") return files(typed, ".gpx");
  if (command == ":json" || command == ":csv") return files(typed);
  if (command == ":explain") return names.experiments;
  if (command == ":unset") return names.settings;
  if (command == ":show" || command == ":diff") return {"last"};
  if (command == ":lua")
    return {"it.curves", "it.device",  "it.expectations", "it.experiments", "it.findings",
            "it.name",   "it.printed", "it.samples",      "it.title",       "it.warnings",
            "it.whole",  "gpx.load",   "gpx.run",         "gpx.run_file",   "gpx.runs",
            "print",     "stats",      "fit_line"};
  std::vector<std::string> settings;
  if (command == ":set")
    for (const std::string& name : names.settings) settings.push_back(name + '=');
  return settings;
}

/// ":device k" and the like; `text` begins with ':'.
Completion complete_command(const std::string& text, const Paths& paths,
                            const SessionNames& names) {
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return matching(text, repl_command_names());
  const std::string command = text.substr(0, space);
  // Within an expression a word begins after whatever is no part of a name.
  const std::string typed = command == ":lua" ? last_word(text.substr(space + 1))
                                              : text.substr(text.find_last_of(' ') + 1);
  return matching(typed, arguments_of(command, typed, paths, names));
}

}  // namespace

Completion complete(const std::string& before_cursor, const Paths& paths,
                    const SessionNames& names) {
  if (before_cursor.starts_with(':')) return complete_command(before_cursor, paths, names);
  if (std::count(before_cursor.begin(), before_cursor.end(), '"') % 2 == 1) {
    const std::string typed = before_cursor.substr(before_cursor.rfind('"') + 1);
    return matching(typed, files(typed));
  }
  const std::string typed = last_word(before_cursor);
  const std::string before = word_before(before_cursor, typed.size());
  if (before == "device") return matching(typed, device_names(paths));
  if (before == "analyze") return matching(typed, analyses(paths));
  return matching(typed, all_words());
}

std::string common_prefix(const std::vector<std::string>& candidates) {
  if (candidates.empty()) return {};
  std::string prefix = candidates.front();
  for (const std::string& candidate : candidates) {
    const auto [at, other] =
        std::mismatch(prefix.begin(), prefix.end(), candidate.begin(), candidate.end());
    prefix.erase(at, prefix.end());
  }
  return prefix;
}

}  // namespace gpx::cli
