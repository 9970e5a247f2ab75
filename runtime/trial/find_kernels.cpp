// Interface: find_kernels.h. Covered by tests/runtime/trial_test.cpp.
#include "runtime/trial/find_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "codegen/ir/text.h"
#include "codegen/user/host_code.h"
#include "lang/try.h"

namespace gpx {
namespace {

namespace fs = std::filesystem;

/// The place behind the bracket that closes the one at `open`.
std::size_t after_closing(const std::string& code, std::size_t open, char opens, char closes) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    depth += code[i] == opens ? 1 : code[i] == closes ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return code.size();
}

/// `__launch_bounds__(256)`, `__attribute__((...))`: what stands between `__global__` and the name.
bool is_attribute(std::string_view name) {
  return name.starts_with("__") && name.ends_with("__");
}

/// The function that is defined behind `at`: its name, and where its body ends; nothing of a
/// declaration.
struct Definition {
  std::string name;
  std::size_t end;
};
std::optional<Definition> definition_at(const std::string& code, std::size_t at) {
  std::size_t open = code.find('(', at);
  while (open != std::string::npos) {
    std::size_t end = open;
    while (end > at && !codegen::in_word(code[end - 1])) --end;
    std::size_t begin = end;
    while (begin > at && codegen::in_word(code[begin - 1])) --begin;
    const std::string name = code.substr(begin, end - begin);
    const std::size_t close = after_closing(code, open, '(', ')');
    if (!is_attribute(name)) {
      const std::size_t next = code.find_first_of("{;", close);
      if (name.empty() || next == std::string::npos || code[next] == ';') return std::nullopt;
      return Definition{name, after_closing(code, next, '{', '}')};
    }
    open = code.find('(', close);
  }
  return std::nullopt;
}

/// `template <...>` ends right before `at`, but for words such as `static`.
bool templated(const std::string& code, std::size_t at) {
  const std::size_t before = code.find_last_of(";}{", at == 0 ? 0 : at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t word = code.find("template", begin);
  return word < at && (word == 0 || !codegen::in_word(code[word - 1]));
}

int extents_of(const std::string& code, std::size_t begin, std::size_t end) {
  const std::string body = code.substr(begin, end - begin);
  for (const auto& [part, extents] : {std::pair(".z", 3), std::pair(".y", 2)})
    for (const char* of : {"threadIdx", "blockIdx", "blockDim", "gridDim"})
      if (body.find(std::string(of) + part) != std::string::npos) return extents;
  return 1;
}

/// Words, and texts in quotes, of which several may make one word.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool open = false;
  char quote = '\0';
  for (const char c : line) {
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\r')) {
      open = false;
    } else if (c == '\'' && (quote == '\0' || quote == c)) {
      quote = quote == c ? '\0' : c;
      if (!std::exchange(open, true)) words.emplace_back();
    } else {
      if (!std::exchange(open, true)) words.emplace_back();
      words.back() += c;
    }
  }
  return words;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// "ok==1": every element.
std::string condition_of(const std::string& word) {
  const std::size_t equals = word.find("==");
  if (equals == std::string::npos || word.find('(') < equals) return word;
  return fmt::format("buffer({}) == {}", word.substr(0, equals), word.substr(equals + 2));
}

/// What is wrong; "": nothing.
std::string read_option(const std::string& option, const std::string& value,
                        PredictRequest& request) {
  if (option == "--entry")
    request.entry = value;
  else if (option == "--grid")
    request.grid = split(value);
  else if (option == "--block")
    request.block = split(value);
  else if (option == "--buffer")
    request.buffers.push_back(value);
  else if (option == "--arg")
    request.arguments.push_back(value);
  else if (option == "--shared")
    request.shared_bytes =
        value.find_first_not_of("0123456789") == value.npos ? value + "B" : value;
  else if (option == "--registers")
    request.registers = value;
  else if (option == "--define")
    request.defines.push_back(value);
  else if (option == "expect")
    request.expects.push_back(condition_of(value));
  else
    return fmt::format("'{}' is no option of such a comment", option);
  return {};
}

Result<PredictRequest> read_comment(const Source& text, Span line, std::string_view options) {
  PredictRequest request;
  request.file = text.name();
  request.grid = {"1"};
  request.block = {"32"};
  const auto failed = [&](std::string why) {
    return fail(
        Fault::input, text, line, std::move(why),
        "--entry, --grid, --block, --buffer, --arg, --shared, --registers, --define, expect");
  };
  const std::vector<std::string> words = words_of(options);
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return failed(fmt::format("'{}' has no value", words[i]));
    if (std::string why = read_option(words[i], words[i + 1], request); !why.empty())
      return failed(std::move(why));
  }
  if (request.entry.empty()) return failed("the comment names no kernel: --entry NAME");
  return request;
}

Result<void> add_comments(const Source& text, std::vector<FoundKernel>& found) {
  constexpr std::string_view kMark = "// gpx:";
  const std::string& all = text.text();
  int number = 1;
  for (std::size_t at = 0; at < all.size(); ++number) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view line = std::string_view(all).substr(at, end - at);
    if (line.starts_with(kMark)) {
      const Span span{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
      auto request = GPX_TRY(read_comment(text, span, line.substr(kMark.size())));
      const auto known = std::ranges::find_if(found, [&](const FoundKernel& each) {
        return each.name == request.entry && !each.given && !each.is_template;
      });
      if (known == found.end()) {
        std::string name = request.entry;
        found.push_back({text.name(), std::move(name), number, false, 1, std::move(request)});
      } else {
        known->given = std::move(request);
      }
    }
    at = end + 1;
  }
  return {};
}

}  // namespace

Result<std::vector<FoundKernel>> find_kernels(const Source& text) {
  const std::string code = codegen::only_code(text.text());
  std::vector<FoundKernel> found;
  for (std::size_t at = code.find("__global__"); at != std::string::npos;
       at = code.find("__global__", at + 1)) {
    const auto definition = definition_at(code, at + std::string_view("__global__").size());
    if (!definition) continue;
    const auto line =
        std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    found.push_back({text.name(), definition->name, static_cast<int>(line) + 1, templated(code, at),
                     extents_of(code, at, definition->end)});
  }
  GPX_TRY(add_comments(text, found));
  // A template of which comments name instances is tried by those.
  std::set<std::string> instances;
  for (const FoundKernel& each : found)
    if (const std::size_t open = each.name.find('<'); each.given && open != std::string::npos)
      instances.insert(each.name.substr(0, open));
  std::erase_if(found, [&](const FoundKernel& each) {
    return each.is_template && !each.given && instances.contains(each.name);
  });
  return found;
}

Result<std::vector<std::string>> kernel_files(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (auto it = fs::recursive_directory_iterator(path, error); !error && it != fs::end(it);
       it.increment(error)) {
    const fs::path extension = it->path().extension();
    if (it->is_regular_file() && (extension == ".cu" || extension == ".cuh"))
      files.push_back(it->path().string());
  }
  if (error) return fail(Fault::input, "cannot read '" + path + "': " + error.message());
  std::ranges::sort(files);
  return files;
}

}  // namespace gpx
