#include "runtime/cli/completion/completion.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "codegen/ir/text.h"
#include "lang/vocabulary.h"
#include "runtime/cli/repl/repl.h"
#include "runtime/device/select.h"
#include "runtime/lsp/document.h"
#include "runtime/lsp/place.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> topics() {
  std::vector<std::string> words;
  for (const Term& term : vocabulary()) {
    words.emplace_back(term.name);
    words.emplace_back(to_string(term.kind));
  }
  return words;
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

std::vector<std::string> appended(std::vector<std::string> some,
                                  const std::vector<std::string>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

/// What may follow a command. `typed`: the word at the cursor.
std::vector<std::string> arguments_of(const std::string& command, const std::string& typed,
                                      const Paths& paths, const SessionNames& names) {
  if (command == ":device")
    return typed.empty() ? device_names(paths)
                         : appended(device_names(paths), files(typed, ".lua"));
  if (command == ":help") return appended(topics(), repl_command_names());
  if (command == ":run") return appended(names.experiments, files(typed, ".gpx"));
  if (command == ":save" || command == ":load") return files(typed, ".gpx");
  if (command == ":json" || command == ":csv") return files(typed);
  if (command == ":explain") return names.experiments;
  if (command == ":unset") return names.settings;
  if (command == ":show" || command == ":diff") return {"last"};
  std::vector<std::string> settings;
  if (command == ":set")
    for (const std::string& name : names.settings) settings.push_back(name + '=');
  return settings;
}

/// Names of Lua, field by field: behind "it.samples:wh" those of it.samples that begin with "wh".
Completion complete_lua(const std::string& text, const SessionNames& names) {
  std::size_t word = text.size();
  while (word > 0 && codegen::in_word(text[word - 1])) --word;
  std::size_t begin = word;
  while (begin > 0 &&
         (codegen::in_word(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == ':'))
    --begin;
  if (!names.lua) return {};
  const std::string typed = text.substr(word);
  if (begin == word) return matching(typed, names.lua(""));
  const std::string path = text.substr(begin, word - begin - 1);
  return path.empty() ? Completion{} : matching(typed, names.lua(path));
}

/// With the parenthesis that always follows some of them: unique(
std::string inserted(const lsp::Candidate& one) {
  return one.detail.starts_with(one.name + '(') ? one.name + '(' : one.name;
}

/// In an experiment, as in an editor.
Completion complete_text(const std::string& line, const lsp::Library& library,
                         const SessionNames& names) {
  const std::string text = names.before + line;
  const lsp::Place place = lsp::place_at(text, text.size());
  const std::string typed = text.substr(place.word.begin);
  if (place.in_text) {
    const std::string path = typed.substr(1);
    return matching(path, files(path));
  }
  const lsp::Document document("", text + names.after);
  std::vector<std::string> words;
  for (const lsp::Candidate& one :
       document.completion(document.text().position(text.size()), library))
    words.push_back(inserted(one));
  return matching(typed, std::move(words));
}

/// ":device k" and the like; `text` begins with ':'.
Completion complete_command(const std::string& text, const Paths& paths,
                            const SessionNames& names) {
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return matching(text, repl_command_names());
  const std::string command = text.substr(0, space);
  if (command == ":lua") return complete_lua(text.substr(space + 1), names);
  const std::string typed = text.substr(text.find_last_of(' ') + 1);
  return matching(typed, arguments_of(command, typed, paths, names));
}

}  // namespace

Completion complete(const std::string& before_cursor, const lsp::Library& library,
                    const SessionNames& names) {
  if (names.in_lua) return complete_lua(before_cursor, names);
  if (before_cursor.starts_with(':')) return complete_command(before_cursor, library.paths, names);
  return complete_text(before_cursor, library, names);
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
