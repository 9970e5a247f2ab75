// Interface: host_code.h.
#include "codegen/user/host_code.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "codegen/ir/text.h"
#include "lang/lists.h"

namespace gpx::codegen {
namespace {

// ---- Blanks for what is no code -----------------------------------------------------------------

/// The end of a text literal that begins at `at`, also of R"tag(...)tag".
std::size_t after_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool raw = quote == '"' && at > 0 && text[at - 1] == 'R' &&
                   (at < 2 || !in_word(text[at - 2]) || text[at - 2] == '8');
  if (raw) {
    const std::size_t open = std::min(text.find('(', at), text.size());
    const std::string closing = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    const std::size_t end = text.find(closing, open);
    return end == text.npos ? text.size() : end + closing.size();
  }
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != quote && text[end] != '\n')
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

/// The end of a line of the preprocessor, behind those that it is continued on.
std::size_t after_directive(std::string_view text, std::size_t at) {
  std::size_t end = std::min(text.find('\n', at), text.size());
  while (end < text.size() && end > 0 &&
         (text[end - 1] == '\\' || (text[end - 1] == '\r' && end > 1 && text[end - 2] == '\\')))
    end = std::min(text.find('\n', end + 1), text.size());
  return end;
}

/// Which lines of a group of #if count: the first branch alone, unless it is plainly for another
/// system.
class Branches {
 public:
  void directive(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
    if (line.starts_with("if")) {
      taken_.push_back(!line.starts_with("if 0") && !of_another_system(line));
      on_.push_back(taken_.back());
    } else if (line.starts_with("el") && !on_.empty()) {
      on_.back() = !taken_.back();
      taken_.back() = true;
    } else if (line.starts_with("endif") && !on_.empty()) {
      on_.pop_back();
      taken_.pop_back();
    }
  }
  bool off() const { return contains(on_, false); }

 private:
  static bool of_another_system(std::string_view line) {
    if (line.starts_with("ifndef") || line.find('!') != line.npos) return false;
    constexpr std::string_view kOthers[] = {"WIN32",     "_WIN64",  "_MSC_VER",
                                            "__APPLE__", "__MINGW", "__CYGWIN__"};
    return std::ranges::any_of(kOthers,
                               [&](std::string_view name) { return line.find(name) != line.npos; });
  }

  std::vector<bool> on_, taken_;
};

bool begins_line(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

}  // namespace

std::string only_code(std::string_view text, bool one_branch) {
  std::string out(text);
  Branches branches;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, out.size()); ++i)
      if (out[i] != '\n') out[i] = ' ';
    return to;
  };
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (text.substr(i, 2) == "//") {
      i = blank(i, after_directive(text, i));
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t end = text.find("*/", i + 2);
      i = blank(i, end == text.npos ? text.size() : end + 2);
    } else if (c == '"' || (c == '\'' && (i == 0 || !in_word(text[i - 1])))) {
      i = blank(i, after_literal(text, i));
    } else if (c == '#' && (!one_branch || begins_line(text, i))) {
      const std::size_t end = after_directive(text, i);
      branches.directive(text.substr(i, end - i));
      i = blank(i, end);
    } else {
      if (one_branch && branches.off()) blank(i, i + 1);
      ++i;
    }
  }
  return out;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end])))
      return true;
  }
  return false;
}

// ---- Definitions --------------------------------------------------------------------------------

namespace {

/// "__device__", "__global__" and the macros whose text has one of them. `macros`: those that take
/// arguments.
std::set<std::string> device_words(std::string_view text, std::set<std::string>& macros) {
  std::set<std::string> words = {"__device__", "__global__", "__constant__", "__shared__",
                                 "__managed__"};
  constexpr std::string_view kDefine = "define";
  for (int pass = 0; pass < 3; ++pass)
    for (std::size_t at = text.find(kDefine); at != text.npos; at = text.find(kDefine, at + 1)) {
      const std::size_t end = after_directive(text, at);
      std::size_t begin = at + kDefine.size();
      while (begin < end && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
      std::size_t after = begin;
      while (after < end && in_word(text[after])) ++after;
      const std::string_view value = text.substr(after, end - after);
      if (value.starts_with('(')) macros.emplace(text.substr(begin, after - begin));
      const auto named = [&](const std::string& word) { return has_word(value, word); };
      if (after > begin && std::ranges::any_of(words, named))
        words.insert(std::string(text.substr(begin, after - begin)));
    }
  return words;
}

}  // namespace

/// Finds the definitions of a text by their brackets. What stands within a function's body is part
/// of the function.
class HostCode::Finder {
 public:
  Finder(std::string_view text, std::vector<Region>& out)
      : code_(only_code(text, true)), words_(device_words(text, macros_)), out_(out) {}

  /// False: the brackets do not match.
  bool run() {
    scope(0, code_.size(), -1, false);
    return !broken_;
  }

 private:
  /// What a statement begins with, up to its first brace or its end.
  struct Head {
    std::string_view text;
    std::size_t call = std::string_view::npos;   ///< The first bracket that may be of parameters.
    std::size_t colon = std::string_view::npos;  ///< Behind the parameters: of initialisers.
    bool assigned = false;                       ///< It has a '=' of its own.
  };

  void scope(std::size_t at, std::size_t end, int parent, bool members) {
    while (at < end && !broken_) {
      while (at < end && (std::isspace(static_cast<unsigned char>(code_[at])) || code_[at] == ';'))
        ++at;
      if (at < end) at = statement(at, end, parent, members);
    }
  }

  std::size_t statement(std::size_t begin, std::size_t end, int parent, bool members) {
    if (members)
      for (const std::string_view label : {"public", "private", "protected"})
        if (code_.compare(begin, label.size(), label) == 0) {
          const std::size_t colon = code_.find_first_not_of(" \t\r\n", begin + label.size());
          if (colon < end && code_[colon] == ':' && code_[colon + 1] != ':') return colon + 1;
        }
    std::size_t at = begin;
    while (at < end) {
      const char c = code_[at];
      if (c == '(' || c == '[') {
        const bool first = c == '(' && macros_.contains(std::string(trimmed(view(begin, at))));
        at = after_bracket(at, end);
        if (first && ends_at(at, end))
          return add(begin, at, at, parent, members, head_of(begin, at));
      } else if (c == '<' && has_word(view(begin, at), "template") && is_template(begin, at)) {
        at = after_angle(at, end);
      } else if (c == ';') {
        return add(begin, at + 1, at + 1, parent, members, head_of(begin, at));
      } else if (c == '{') {
        bool more = false;
        at = block(begin, at, end, parent, members, more);
        if (!more) return at;
      } else if (c == '}') {
        broken_ = true;
        return end;
      } else {
        ++at;
      }
    }
    return end;  // a macro without a ';' at the end of a text
  }

  /// A macro's call that is all of a statement: what follows begins another line with a word.
  bool ends_at(std::size_t at, std::size_t end) const {
    const std::size_t next = std::min(code_.find_first_not_of(" \t\r\n", at), code_.size());
    const bool line = std::find(code_.begin() + static_cast<std::ptrdiff_t>(at),
                                code_.begin() + static_cast<std::ptrdiff_t>(next),
                                '\n') != code_.begin() + static_cast<std::ptrdiff_t>(next);
    return next >= end || (line && in_word(code_[next]));
  }

  /// The block at `open` of the statement at `begin`. `more`: the statement goes on behind it.
  std::size_t block(std::size_t begin, std::size_t open, std::size_t end, int parent, bool members,
                    bool& more) {
    const Head head = head_of(begin, open);
    const std::size_t close = after_bracket(open, end);
    if (broken_) return end;
    const bool function = head.call != head.text.npos && !head.assigned;
    if (!function && (has_word(head.text, "namespace") || has_word(head.text, "extern"))) {
      if (!has_word(head.text, "namespace") && head.text.find_first_of("=") != head.text.npos)
        return more = true, close;
      scope(open + 1, close - 1, parent, false);
      return close;
    }
    if (!function && is_class(head.text)) {
      const std::size_t after = std::min(code_.find(';', close), end);
      const int index = static_cast<int>(out_.size());
      add(begin, std::min(after + 1, end), std::min(after + 1, end), parent, members, head);
      out_[static_cast<std::size_t>(index)].function = false;
      scope(open + 1, close - 1, index, true);
      return std::min(after + 1, end);
    }
    if (!function || initialises(head, open)) return more = true, close;
    const std::size_t body = head.colon != head.text.npos ? begin + head.colon : open;
    add(begin, close, body, parent, members, head);
    return close;
  }

  std::size_t add(std::size_t begin, std::size_t end, std::size_t body, int parent, bool members,
                  const Head& head) {
    Region made{begin, end, body, parent};
    made.member = members;
    made.function = head.call != head.text.npos && !head.assigned;
    made.is_virtual = has_word(head.text, "virtual") || has_word(head.text, "override") ||
                      has_word(head.text, "final");
    made.device = std::ranges::any_of(
        words_, [&](const std::string& word) { return has_word(head.text, word); });
    for (int up = parent; made.device && up >= 0; up = out_[static_cast<std::size_t>(up)].parent)
      out_[static_cast<std::size_t>(up)].device = true;
    out_.push_back(made);
    return end;
  }

  std::string_view view(std::size_t begin, std::size_t end) const {
    return std::string_view(code_).substr(begin, end - begin);
  }

  Head head_of(std::size_t begin, std::size_t end) {
    Head head{view(begin, end)};
    bool template_head = has_word(head.text, "template");
    for (std::size_t i = 0; i < head.text.size();) {
      const char c = head.text[i];
      const char next = i + 1 < head.text.size() ? head.text[i + 1] : ' ';
      if (c == '<' && template_head) {
        i = after_angle(begin + i, end) - begin;
        template_head = false;
      } else if (c == '(' || c == '[') {
        if (c == '(' && head.call == head.text.npos && !before_is_attribute(head.text, i))
          head.call = i;
        i = after_bracket(begin + i, end) - begin;
      } else if (c == ':' && next == ':') {
        i += 2;
      } else {
        if (c == ':' && head.call != head.text.npos && head.colon == head.text.npos) head.colon = i;
        if (c == '=' && head.colon == head.text.npos && !before_is_operator(head.text, i))
          head.assigned = true;
        ++i;
      }
    }
    return head;
  }

  /// "__launch_bounds__(128)", "alignas(16)"
  static bool before_is_attribute(std::string_view text, std::size_t at) {
    const std::string_view before = word_before(text, at);
    return (before.starts_with("__") && before.ends_with("__")) || before == "alignas" ||
           before == "decltype" || before == "noexcept" || before == "__declspec" ||
           before == "__align__";
  }
  static bool before_is_operator(std::string_view text, std::size_t at) {
    const std::size_t found = text.substr(0, at).rfind("operator");
    return found != text.npos &&
           text.substr(found + 8, at - found - 8).find_first_not_of(" +-*/%&|^<>=!") == text.npos;
  }
  static std::string_view word_before(std::string_view text, std::size_t at) {
    while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1]))) --at;
    std::size_t begin = at;
    while (begin > 0 && in_word(text[begin - 1])) --begin;
    return text.substr(begin, at - begin);
  }

  static bool is_class(std::string_view head) {
    return has_word(head, "class") || has_word(head, "struct") || has_word(head, "union");
  }

  /// The brace of "Foo() : a{1} {" that follows a name.
  bool initialises(const Head& head, std::size_t open) const {
    if (head.colon == head.text.npos) return false;
    std::size_t at = open;
    while (at > 0 && std::isspace(static_cast<unsigned char>(code_[at - 1]))) --at;
    return at > 0 && (in_word(code_[at - 1]) || code_[at - 1] == '>');
  }

  bool is_template(std::size_t begin, std::size_t at) const {
    return word_before(view(begin, at), at - begin) == "template";
  }

  std::size_t after_angle(std::size_t at, std::size_t end) {
    int depth = 0;
    while (at < end) {
      const char c = code_[at];
      if (c == '(' || c == '[') {
        at = after_bracket(at, end);
        continue;
      }
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      ++at;
      if (depth == 0) return at;
    }
    return end;
  }

  /// Behind the bracket or brace that closes the one at `at`.
  std::size_t after_bracket(std::size_t at, std::size_t end) {
    int depth = 0;
    for (; at < end; ++at) {
      const char c = code_[at];
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      if (depth == 0) return at + 1;
    }
    broken_ = true;
    return end;
  }

  std::string code_;
  std::set<std::string> macros_;
  std::set<std::string> words_;
  std::vector<Region>& out_;
  bool broken_ = false;
};

// ---- Cutting ------------------------------------------------------------------------------------

HostCode::HostCode(std::string text) : text_(std::move(text)), original_(text_) {
  if (!Finder(text_, regions_).run()) regions_.clear();
  lines_ = {0};
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lines_.push_back(i + 1);
}

bool HostCode::cut(int line, int column) {
  if (line < 1 || static_cast<std::size_t>(line) > lines_.size()) return false;
  const auto index = static_cast<std::size_t>(line - 1);
  std::size_t begin = lines_[index];
  std::size_t end = index + 1 < lines_.size() ? lines_[index + 1] : text_.size();
  if (column > 0 && begin + static_cast<std::size_t>(column) <= end) {
    begin += static_cast<std::size_t>(column) - 1;
    end = begin + 1;
  }
  std::vector<bool> holds(regions_.size());  // another one on that line
  bool any = false;
  for (std::size_t i = regions_.size(); i-- > 0;) {
    const Region& region = regions_[i];
    if (region.begin >= end || region.end <= begin) continue;
    if (region.parent >= 0) holds[static_cast<std::size_t>(region.parent)] = true;
    if (holds[i]) continue;
    bool done = false;
    for (int at = static_cast<int>(i); at >= 0 && !done;
         at = regions_[static_cast<std::size_t>(at)].parent)
      done = cut(regions_[static_cast<std::size_t>(at)]);
    any = any || done;
  }
  return any;
}

/// A class without some of its data or virtual functions would be another class: those stay.
bool HostCode::cut(Region& region) {
  if (region.device || region.cuts == 2) return false;
  if (region.cuts == 0 && region.function && region.body < region.end) {
    region.cuts = 1;
    blank(region.body, region.end, true);
    return true;
  }
  if (region.member && (!region.function || region.is_virtual)) return false;
  region.cuts = 2;
  blank(region.begin, region.end, false);
  return true;
}

/// A function's name stands before its first bracket, a class's before its brace or its bases.
bool HostCode::defines(const Region& region, std::string_view name) const {
  const std::string code =
      only_code(std::string_view(original_).substr(region.begin, region.end - region.begin));
  const std::size_t end = code.find_first_of(region.function ? "(" : "{:=;");
  const std::string_view head = trimmed(std::string_view(code).substr(0, end));
  if (!region.function) return has_word(head, name);
  return head.ends_with(name) &&
         (head.size() == name.size() || !in_word(head[head.size() - name.size() - 1]));
}

bool HostCode::restore(std::string_view name) {
  bool any = false;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    Region& region = regions_[i];
    if (region.cuts != 2 || region.member || !defines(region, name)) continue;
    any = true;
    region.cuts = 0;
    region.device = true;
    text_.replace(region.begin, region.end - region.begin, original_, region.begin,
                  region.end - region.begin);
    for (const Region& inner : regions_)  // members stay out
      if (inner.parent == static_cast<int>(i) && inner.cuts > 0)
        blank(inner.cuts == 1 ? inner.body : inner.begin, inner.end, inner.cuts == 1);
  }
  return any;
}

/// Lines of the preprocessor stay: others depend on them.
void HostCode::blank(std::size_t begin, std::size_t end, bool declared) {
  bool first = declared;
  for (std::size_t i = begin; i < end;) {
    const std::size_t start = text_.find_first_not_of(" \t", i);
    if (start < end && text_[start] == '#' && begins_line(text_, start)) {
      i = after_directive(text_, start);
      continue;
    }
    if (text_[i] != '\n') text_[i] = first ? ';' : ' ';
    first = false;
    ++i;
  }
}

}  // namespace gpx::codegen
