#include "runtime/cli/completion.h"

#include <algorithm>
#include <cctype>
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

std::vector<std::string> all_words() {
  std::vector<std::string> words;
  for (const Term& term : vocabulary()) words.emplace_back(term.name);
  return words;
}

std::vector<std::string> topics() {
  std::vector<std::string> words = all_words();
  for (const Term& term : vocabulary()) words.emplace_back(to_string(term.kind));
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
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
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

/// ":device k" and the like; `text` begins with ':'.
Completion complete_command(const std::string& text, const Paths& paths) {
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return matching(text, repl_command_names());
  const std::string command = text.substr(0, space);
  const std::string typed = text.substr(text.find_last_of(' ') + 1);
  if (command == ":device") return matching(typed, device_names(paths));
  if (command == ":help") {
    std::vector<std::string> words = topics();
    for (const std::string& name : repl_command_names()) words.push_back(name);
    return matching(typed, std::move(words));
  }
  if (command == ":run" || command == ":json" || command == ":csv")
    return matching(typed, files(typed));
  return {};
}

}  // namespace

Completion complete(const std::string& before_cursor, const Paths& paths) {
  if (before_cursor.starts_with(':')) return complete_command(before_cursor, paths);
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
