// PTX as written. Interface: text.h. Covered by tests/codegen/ptx_text_test.cpp.
#include "codegen/ptx/text.h"

#include <fmt/format.h>

#include <bit>

#include "codegen/ptx/ops.h"

namespace gpx::ptx {
namespace {

constexpr std::uint64_t kMaxElements = 1ull << 40;

class TextReader {
 public:
  TextReader(std::string_view text, bool bodies) : text_(text), at_(text), bodies_(bodies) {}

  std::vector<FunctionText> functions() {
    std::vector<FunctionText> found;
    while (!at_.done()) {
      if (at_.peek() == '{') {  // An initialiser, a section.
        if (!at_.skip_braces()) break;
      } else if (at_.accept('.')) {
        const std::string_view word = at_.name();
        if (word == "file" || word == "loc") at_.skip_line();
        if (word == "entry" || word == "func") found.push_back(function(word == "entry"));
      } else {
        at_.token();
      }
    }
    return found;
  }

  /// Up to the brace that closes the body, or the end of the text.
  std::vector<Statement> statements() {
    std::vector<Statement> found;
    for (int depth = 0; !at_.done();) {
      if (at_.peek() == '}' && depth == 0) break;
      depth += at_.peek() == '{' ? 1 : at_.peek() == '}' ? -1 : 0;
      Statement next = statement();
      if (!next.text.empty()) found.push_back(std::move(next));
    }
    return found;
  }

 private:
  FunctionText function(bool is_entry) {
    FunctionText made{.is_entry = is_entry};
    if (at_.peek() == '(') parameters(made.parameters);  // What it returns.
    made.name = at_.name();
    made.parameters.clear();
    if (at_.peek() == '(') parameters(made.parameters);
    while (!at_.done() && at_.peek() != '{' && at_.peek() != ';') at_.token();
    if (at_.peek() != '{' || !bodies_) return made;
    at_.accept('{');
    made.statements = statements();
    at_.accept('}');
    return made;
  }

  void parameters(std::vector<Parameter>& out) {
    at_.accept('(');
    while (!at_.done() && !at_.accept(')')) {
      if (at_.accept(',')) continue;
      if (read_parameter(at_, out.emplace_back()))
        while (!at_.done() && at_.peek() != ',' && at_.peek() != ')') at_.token();
    }
  }

  Statement statement() {
    using Kind = Statement::Kind;
    Statement made{.inline_asm = at_.inline_asm(), .line = at_.line()};
    const std::uint32_t begin = at_.position();
    const auto view = [&](std::uint32_t end) { return text_.substr(begin, end - begin); };
    const char first = at_.peek();
    if (first == ';') return at_.accept(';'), made;
    if (first == '{' || first == '}') {
      made.kind = Kind::brace;
      made.text = made.opcode = view(begin + 1);
      at_.accept(first);
      return made;
    }
    if (at_.accept('.')) {
      made.kind = Kind::directive;
      const std::string_view word = at_.name();
      if (word == "loc" || word == "file") return at_.skip_line(), made;
      made.opcode = view(begin + 1 + static_cast<std::uint32_t>(word.size()));
    } else {
      const StatementHead head = read_head(at_);
      made.guard = head.guard;
      made.negated = head.negated;
      made.kind = head.label.empty() ? Kind::instruction : Kind::label;
      made.opcode = head.label.empty() ? at_.mnemonic() : head.label;
      made.text = view(begin + static_cast<std::uint32_t>(head.label.size()) + 1);
      if (!head.label.empty()) return made;
    }
    while (!at_.done() && at_.peek() != ';') made.tokens.push_back(at_.token());
    made.text = view(at_.position() + (at_.done() ? 0 : 1));
    at_.accept(';');
    return made;
  }

  std::string_view text_;
  Cursor at_;
  bool bodies_;
};

/// `.loc FILE LINE COLUMN`, and what follows: `, function_name NAME, inlined_at FILE LINE COLUMN`.
struct Loc {
  struct At {
    unsigned file = 0;
    int line = 0, column = 0;
    bool operator==(const At&) const = default;
  };
  At at;
  std::optional<At> inlined_at = std::nullopt;
};

/// The `.file` and `.loc` of a text; these up to a line.
class LocReader {
 public:
  LocReader(std::string_view text, int line) {
    for (Cursor at(text); !at.done();) {
      if (!at.accept('.')) {
        if (std::string_view quoted; !at.string(quoted)) at.token();
        continue;
      }
      const int row = at.line();
      const std::string_view word = at.name();
      if (word == "file") read_file(at);
      if (row > line) continue;
      if (word == "entry" || word == "func") begin_ = locs_.size();
      if (word == "loc") read_loc(at, row);
    }
  }

  /// Line 0 is what no line of the source is for.
  const Loc* last() const {
    for (std::size_t i = locs_.size(); i-- > begin_;)
      if (locs_[i].at.line > 0) return &locs_[i];
    return nullptr;
  }
  /// What an earlier one has said of the place; that alone, where none has.
  const Loc* inlined_at(const Loc& loc) const {
    if (!loc.inlined_at) return nullptr;
    for (const Loc* before = &loc; before-- != locs_.data();)
      if (before->at == *loc.inlined_at) return before;
    return nullptr;
  }
  std::string_view file(unsigned number) const {
    for (const auto& [known, name] : files_)
      if (known == number) return name;
    return "";
  }

 private:
  void read_file(Cursor& at) {
    Number number;
    std::string_view name;
    if (at.number(number) && at.string(name))
      files_.emplace_back(static_cast<unsigned>(number.bits), name);
  }

  static bool read_at(Cursor& at, Loc::At& out) {
    Number file, line, column;
    if (!at.number(file) || !at.number(line) || !at.number(column)) return false;
    out = {static_cast<unsigned>(file.bits), static_cast<int>(line.bits),
           static_cast<int>(column.bits)};
    return true;
  }

  // It ends with its line.
  void read_loc(Cursor& at, int row) {
    Loc loc;
    if (!read_at(at, loc.at)) return;
    while (!at.done() && at.line() == row) {
      Loc::At inlined;
      if (at.name() == "inlined_at" && read_at(at, inlined))
        loc.inlined_at = inlined;
      else if (at.line() == row)
        at.token();
    }
    locs_.push_back(loc);
  }

  std::vector<Loc> locs_;
  std::size_t begin_ = 0;  ///< The first one of the function.
  std::vector<std::pair<unsigned, std::string_view>> files_;
};

}  // namespace

std::vector<FunctionText> read_functions(std::string_view text, bool bodies) {
  return TextReader(text, bodies).functions();
}

std::vector<Statement> read_statements(std::string_view text) {
  return TextReader(text, true).statements();
}

std::vector<SourcePlace> source_places(std::string_view text, int line) {
  const LocReader reader(text, line);
  std::vector<SourcePlace> places;
  for (const Loc* loc = reader.last(); loc; loc = reader.inlined_at(*loc))
    places.push_back({reader.file(loc->at.file), loc->at.line});
  return places;
}

std::optional<Mistake> read_dimensions(Cursor& at, std::uint64_t& elements, bool& unsized) {
  while (at.accept('[')) {
    Number number;
    if (at.accept(']')) {
      unsized = true;
      continue;
    }
    if (!at.number(number) || number.kind != Number::Kind::integer)
      return Mistake{at.position(), "an array size is expected here"};
    if (number.bits > kMaxElements || elements * number.bits > kMaxElements)
      return Mistake{at.position(), "the array is larger than 1 TiB"};
    elements *= number.bits;
    if (!at.accept(']')) return Mistake{at.position(), "']' is expected here"};
  }
  return std::nullopt;
}

std::optional<Mistake> read_parameter(Cursor& at, Parameter& out) {
  const std::uint32_t begin = at.position();
  const auto wrong = [](std::uint32_t position, std::string message) {
    return Mistake{position, std::move(message)};
  };
  if (!at.accept('.') || at.name() != "param")
    return wrong(begin, "only .param parameters are supported");
  while (at.accept('.')) {
    const std::string_view word = at.name();
    Number number;
    if (word == "align") {
      if (!at.number(number) || !std::has_single_bit(number.bits) || number.bits > 4096)
        return wrong(at.position(), "an alignment is expected here");
      // Behind .ptr it is of the memory that is pointed to.
      if (!out.is_pointer) out.align = static_cast<std::uint32_t>(number.bits);
    } else if (word == "ptr") {
      out.is_pointer = true;
    } else if (out.type == Type::none && type_named(word) != Type::none) {
      out.type = type_named(word);
    } else if (word != "global" && word != "shared" && word != "const" && word != "local") {
      return wrong(begin, fmt::format("'.{}' of a parameter is not supported", word));
    }
  }
  out.position = at.position();
  out.name = at.name();
  if (out.type == Type::none || out.type == Type::pred || out.name.empty())
    return wrong(out.position, "a parameter's type and name are expected here");
  bool unsized = false;
  out.is_array = at.peek() == '[';
  if (auto mistake = read_dimensions(at, out.elements, unsized)) return mistake;
  if (unsized || out.elements > 65536)
    return wrong(out.position, "a parameter needs a sensible size");
  return std::nullopt;
}

StatementHead read_head(Cursor& at) {
  StatementHead head{.position = at.position()};
  if (at.accept('@')) {
    head.negated = at.accept('!');
    head.guard = at.name();
    return head;
  }
  // A label, or an instruction: only a label is followed by a single colon.
  const Cursor before = at;
  const std::string_view name = at.name();
  if (!name.empty() && at.peek() == ':' && at.peek(1) != ':') {
    at.accept(':');
    head.label = name;
  } else {
    at = before;
  }
  return head;
}

}  // namespace gpx::ptx
