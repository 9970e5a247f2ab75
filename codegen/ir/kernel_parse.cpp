// Kernel IR: reads what to_string(Kernel) prints. Interface: codegen/ir/kernel.h.
//
// Line by line, by hand: the text is machine-made and small, and every error has its place.
// Covered by tests/codegen/kernel_test.cpp.
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "codegen/ir/kernel.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

struct Token {
  std::string_view text;  ///< Empty at the end of the text.
  Span span;
};

bool is_kernel_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%';
}

const std::unordered_map<std::string_view, Op>& ops_by_name() {
  static const std::unordered_map<std::string_view, Op> table = {
#define GPX_OP(id, name, ...) {name, Op::id},
#include "codegen/ir/ops.def"
#undef GPX_OP
  };
  return table;
}

struct Opcode {
  Op op;
  CacheOp cache;
};

// "ld.global.b32.cg": an op of the table, then a cache operator.
std::optional<Opcode> find_opcode(std::string_view word) {
  const auto& table = ops_by_name();
  if (const auto it = table.find(word); it != table.end())
    return Opcode{it->second, CacheOp::unspecified};
  for (CacheOp cache :
       {CacheOp::ca, CacheOp::cg, CacheOp::cs, CacheOp::cv, CacheOp::lu, CacheOp::nc}) {
    const std::string_view suffix = cache_suffix(cache);
    if (!word.ends_with(suffix)) continue;
    const auto it = table.find(word.substr(0, word.size() - suffix.size()));
    if (it != table.end()) return Opcode{it->second, cache};
  }
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source), text_(source.text()) { advance(); }

  Result<std::vector<Kernel>> run() {
    std::vector<Kernel> kernels;
    while (!failed_ && !token_.text.empty()) kernels.push_back(kernel());
    if (failed_) return tl::unexpected<Error>(std::move(error_));
    return kernels;
  }

 private:
  void advance() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    std::size_t end = at_;
    while (end < text_.size() && is_kernel_word(text_[end])) ++end;
    if (end == at_ && end < text_.size()) ++end;
    token_ = {text_.substr(at_, end - at_),
              {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end)}};
    at_ = end;
  }

  void error(std::string_view expected) {
    if (!failed_)
      error_ = make_error(Fault::input, source_, token_.span,
                          token_.text.empty()
                              ? fmt::format("expected {}, found the end of the text", expected)
                              : fmt::format("expected {}, found '{}'", expected, token_.text));
    failed_ = true;
  }

  bool accept(std::string_view text) {
    if (failed_ || token_.text != text) return false;
    advance();
    return true;
  }

  void expect(std::string_view text) {
    if (!accept(text)) error(fmt::format("'{}'", text));
  }

  std::string_view word(std::string_view what) {
    if (failed_ || token_.text.empty() || !is_kernel_word(token_.text[0])) {
      error(what);
      return {};
    }
    const std::string_view text = token_.text;
    advance();
    return text;
  }

  std::uint64_t number(std::string_view what) {
    std::uint64_t value = 0;
    const std::string_view text = token_.text;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed_ || code != std::errc{} || end != text.data() + text.size()) {
      error(what);
      return 0;
    }
    advance();
    return value;
  }

  Kernel kernel() {
    Kernel kernel;
    names_.clear();
    expect("kernel");
    kernel.name = word("a kernel's name");
    expect("{");
    expect("threads");
    kernel.threads = static_cast<std::uint32_t>(number("a number of threads"));
    if (accept("registers"))
      kernel.exact_registers = static_cast<std::uint32_t>(number("a number of registers"));
    while (accept("param")) parameter(kernel);
    declarations(kernel);
    regions(kernel);
    expect("observe");
    kernel.observe = observed();
    kernel.placed = accept("placed");
    const Kernel shared = kernel;
    while (accept("beside")) kernel.beside.push_back(beside(shared));
    expect("}");
    return kernel;
  }

  void regions(Kernel& kernel) {
    expect("setup");
    kernel.setup = block(kernel);
    expect("timed");
    kernel.timed = block(kernel);
  }

  // What runs beside a kernel has its parameters.
  Kernel beside(const Kernel& kernel) {
    Kernel made;
    made.name = word("a name");
    made.threads = kernel.threads;
    made.observe = Observe::time;
    made.parameters = kernel.parameters;
    made.registers.assign(kernel.registers.begin(), kernel.registers.begin() + kernel.parameters);
    names_.clear();
    for (std::uint32_t i = 0; i < made.parameters; ++i) names_[made.registers[i].name] = i;
    expect("{");
    declarations(made);
    regions(made);
    expect("}");
    return made;
  }

  void parameter(Kernel& kernel) {
    const std::string name(word("a parameter's name"));
    expect(":");
    Type type = Type::u64;
    if (accept("buffer")) {
      type = Type::buffer;
    } else if (!accept("u64")) {
      error("buffer or u64");
    }
    names_[name] = kernel.parameters++;
    kernel.registers.push_back({name, type});
  }

  Observe observed() {
    for (const ObserveTraits& row : observations())
      if (accept(row.name)) return row.observe;
    error(observation_names(false));
    return {};
  }

  // One of an enumeration's values by its name; all of them start at 0 and none has a gap.
  template <typename Enum>
  Enum spelled(std::string_view what) {
    constexpr int kMost = 5;  // Space has so many.
    for (int i = 0; i < kMost; ++i)
      if (accept(gpx::to_string(static_cast<Enum>(i)))) return static_cast<Enum>(i);
    error(what);
    return {};
  }

  void declarations(Kernel& kernel) {
    while (accept("array")) {
      KernelArray array{std::string(word("an array's name"))};
      expect(":");
      array.space = spelled<Space>("a space");
      array.bytes = number("a number of bytes");
      kernel.arrays.push_back(std::move(array));
    }
    while (accept("stamp")) kernel.stamps.emplace_back(word("a stamp's label"));
    while (accept("keep")) kernel.keeps.emplace_back(word("a column's name"));
    if (!accept("each")) return;
    const bool streamed = accept("streamed");
    if (!streamed) expect("shared");
    kernel.each = {streamed, static_cast<std::uint32_t>(number("a number of accesses"))};
  }

  std::vector<Instruction> block(Kernel& kernel) {
    std::vector<Instruction> list;
    expect("{");
    while (!failed_ && !accept("}")) list.push_back(instruction(kernel));
    return list;
  }

  Instruction instruction(Kernel& kernel) {
    Instruction made;
    std::string result;
    if (token_.text.starts_with('%')) {
      result = token_.text.substr(1);
      advance();
      expect("=");
    }
    const auto opcode = find_opcode(token_.text);
    if (!opcode) {
      error("an op");
      return made;
    }
    made.op = opcode->op;
    made.cache = opcode->cache;
    advance();
    if (made.op != Op::loop) operands(made);
    if (made.op == Op::operate) executions(made);
    if (made.op == Op::diverge) selected(made);
    if (accept("@")) made.line = static_cast<std::uint32_t>(number("a line number"));
    regions(kernel, made);
    if (!result.empty()) {
      made.result = static_cast<std::uint32_t>(kernel.registers.size());
      names_[result] = made.result;
      kernel.registers.push_back({result, static_cast<Type>(info(made.op).result)});
    }
    return made;
  }

  void executions(Instruction& made) {
    expect("x");
    made.count = static_cast<std::uint32_t>(number("a number of executions"));
    expect("streams");
    made.streams = static_cast<std::uint32_t>(number("a number of streams"));
  }

  void selected(Instruction& made) {
    expect("over");
    do {
      made.values.push_back(static_cast<std::uint32_t>(number("a value")));
    } while (accept(","));
  }

  void regions(Kernel& kernel, Instruction& made) {
    if (made.op != Op::when && made.op != Op::loop && made.op != Op::diverge) return;
    made.regions.push_back(block(kernel));
    if (made.op == Op::diverge) return;
    if (made.op == Op::when) expect("else");
    if (made.op == Op::loop) operands(made);
    made.regions.push_back(block(kernel));
  }

  void operands(Instruction& made) {
    const OpInfo& row = info(made.op);
    bool first = true;
    for (std::size_t i = 0; i < row.operands.size() && !failed_; ++i) {
      const char letter = row.operands[i];
      const bool any = letter == 'R' || letter == 'V';
      if (any && !token_.text.starts_with('%')) return;
      if (!first) expect(",");
      first = false;
      if (letter == 'a' && row.bytes > 0) {
        expect("[");
        made.operands.push_back(reg());
        expect("+");
        made.immediate = number("an offset");
        expect("]");
        ++i;
      } else if (letter == 'n') {
        made.name = word("a name");
      } else if (letter == 'i') {
        made.immediate = number("a number");
      } else {
        made.operands.push_back(reg());
        while (any && accept(",")) made.operands.push_back(reg());
      }
    }
  }

  std::uint32_t reg() {
    const std::string_view text = token_.text;
    const auto it = text.starts_with('%') ? names_.find(std::string(text.substr(1))) : names_.end();
    if (failed_ || it == names_.end()) {
      error("a register that has a value");
      return 0;
    }
    advance();
    return it->second;
  }

  const Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
  bool failed_ = false;
  Error error_;
  std::unordered_map<std::string, std::uint32_t> names_;
};

}  // namespace

Result<std::vector<Kernel>> parse_kernels(const Source& source) {
  return Parser(source).run();
}

}  // namespace gpx::codegen
