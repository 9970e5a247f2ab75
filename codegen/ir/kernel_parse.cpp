// Kernel IR: reads what to_string(Kernel) prints. Interface: codegen/ir/kernel.h.
//
// Line by line, by hand: the text is machine-made and small, and every error has its place.
// Covered by tests/codegen/kernel_test.cpp.
#include "codegen/ir/kernel_parse.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "codegen/ir/text.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

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

class KernelParser {
 public:
  explicit KernelParser(IrReader& reader) : reader_(reader) {}

  Kernel kernel() {
    Kernel kernel;
    names_.clear();
    expect("kernel");
    kernel.name = word("a kernel's name");
    expect("{");
    expect("threads");
    kernel.threads = number32("a number of threads");
    if (accept("registers")) kernel.exact_registers = number32("a number of registers");
    while (accept("param")) parameter(kernel);
    declarations(kernel);
    regions(kernel);
    expect("observe");
    kernel.observe = observed();
    kernel.clustered = accept("clustered");
    kernel.placed = accept("placed");
    const Kernel shared = kernel;
    while (accept("beside")) kernel.beside.push_back(beside(shared));
    expect("}");
    return kernel;
  }

 private:
  bool accept(std::string_view text) { return reader_.accept(text); }
  void expect(std::string_view text) { reader_.expect(text); }
  void error(std::string_view expected) { reader_.error(expected); }
  std::string_view word(std::string_view what) { return reader_.word(what); }
  std::uint64_t number(std::string_view what) { return reader_.number(what); }
  std::uint32_t number32(std::string_view what) { return reader_.number32(what); }

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
    constexpr int kMost = 6;  // Space has so many.
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
    while (accept("memory")) {
      KernelMemory memory{std::string(word("a memory's name"))};
      memory.bytes = number("a number of bytes");
      kernel.memories.push_back(std::move(memory));
    }
    while (accept("stamp")) kernel.stamps.emplace_back(word("a stamp's label"));
    while (accept("keep")) kernel.keeps.emplace_back(word("a column's name"));
    if (!accept("each")) return;
    const bool streamed = accept("streamed");
    if (!streamed) expect("shared");
    kernel.each = {streamed, number32("a number of accesses")};
  }

  std::vector<Instruction> block(Kernel& kernel) {
    std::vector<Instruction> list;
    expect("{");
    while (!reader_.failed() && !accept("}")) list.push_back(instruction(kernel));
    return list;
  }

  Instruction instruction(Kernel& kernel) {
    Instruction made;
    std::string result;
    if (reader_.token().starts_with('%')) {
      result = reader_.token().substr(1);
      reader_.advance();
      expect("=");
    }
    const auto opcode = find_opcode(reader_.token());
    if (!opcode) {
      error("an op");
      return made;
    }
    made.op = opcode->op;
    made.cache = opcode->cache;
    reader_.advance();
    if (made.op != Op::loop) operands(made);
    if (made.op == Op::operate) executions(made);
    if (made.op == Op::diverge) selected(made);
    if (is_tensor(made.op)) box(made);
    if (accept("@")) made.line = number32("a line number");
    regions(kernel, made);
    if (!result.empty()) {
      made.result = static_cast<std::uint32_t>(kernel.registers.size());
      names_[result] = made.result;
      kernel.registers.push_back({result, static_cast<Type>(info(made.op).result)});
    }
    return made;
  }

  void executions(Instruction& made) {
    if (accept("source")) {
      const std::string_view letter = word("a source such as c");
      made.source = letter.empty() ? '\0' : letter.front();
    }
    if (accept("data")) {
      const auto data = find_operand_data(word("zeros or random"));
      if (!data) error("zeros or random");
      made.data = data.value_or(OperandData::usual);
    }
    expect("x");
    made.count = number32("a number of executions");
    expect("streams");
    made.streams = number32("a number of streams");
  }

  void selected(Instruction& made) {
    expect("over");
    do {
      made.values.push_back(number32("a value"));
    } while (accept(","));
  }

  void box(Instruction& made) {
    expect("box");
    do {
      made.box.push_back(number32("a side of the box"));
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
    for (std::size_t i = 0; i < row.operands.size() && !reader_.failed(); ++i) {
      const char letter = row.operands[i];
      const bool any = letter == 'R' || letter == 'V';
      if (any && !reader_.token().starts_with('%')) return;
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
        made.name = reader_.is("\"") ? reader_.quoted() : word("a name");
      } else if (letter == 'i') {
        made.immediate = number("a number");
      } else if (letter == 'j') {
        made.target = number("a number");
      } else if (letter == 'k') {
        made.count = number32("a number");
      } else {
        made.operands.push_back(reg());
        while (any && accept(",")) made.operands.push_back(reg());
      }
    }
  }

  std::uint32_t reg() {
    const std::string_view text = reader_.token();
    const auto it = text.starts_with('%') ? names_.find(std::string(text.substr(1))) : names_.end();
    if (reader_.failed() || it == names_.end()) {
      error("a register that has a value");
      return 0;
    }
    reader_.advance();
    return it->second;
  }

  IrReader& reader_;
  std::unordered_map<std::string, std::uint32_t> names_;
};

/// Where a mistake of a kernel is: the last use of the register that it names, else the kernel's
/// own name.
Span place_of(const Source& source, Span kernel, std::string_view mistake) {
  const std::size_t percent = mistake.find('%');
  const std::string_view text = source.slice(kernel);
  if (percent != std::string_view::npos) {
    std::size_t end = percent + 1;
    while (end < mistake.size() && in_word(mistake[end])) ++end;
    const std::string_view name = mistake.substr(percent, end - percent);
    for (std::size_t at = text.rfind(name); at != text.npos && at > 0;
         at = text.rfind(name, at - 1))
      if (at + name.size() == text.size() || !in_word(text[at + name.size()])) {
        const auto begin = kernel.begin + static_cast<std::uint32_t>(at);
        return {begin, begin + static_cast<std::uint32_t>(name.size())};
      }
  }
  const std::size_t space = text.find(' ');
  const std::size_t end = std::min(text.find_first_of(" \n{", space + 1), text.size());
  return {kernel.begin + static_cast<std::uint32_t>(space + 1),
          kernel.begin + static_cast<std::uint32_t>(end)};
}

template <typename One>
Result<std::vector<Kernel>> all_kernels(const Source& source, One&& one) {
  IrReader reader(source);
  std::vector<Kernel> kernels;
  while (!reader.at_end()) kernels.push_back(one(reader));
  if (reader.failed()) return tl::unexpected<Error>(reader.take_error());
  return kernels;
}

}  // namespace

Kernel parse_kernel(IrReader& reader) {
  return KernelParser(reader).kernel();
}

Kernel parse_verified_kernel(IrReader& reader, const Source& source) {
  const std::uint32_t begin = reader.span().begin;
  Kernel kernel = parse_kernel(reader);
  if (reader.failed()) return kernel;
  const auto verified = verify(kernel);
  const Span whole{begin, reader.at_end() ? static_cast<std::uint32_t>(source.text().size())
                                          : reader.span().begin};
  if (!verified) {
    const std::string& mistake = verified.error().diagnostics.front().message;
    reader.fail_at(place_of(source, whole, mistake), mistake);
  }
  return kernel;
}

Result<std::vector<Kernel>> parse_kernels(const Source& source) {
  return all_kernels(source, [](IrReader& reader) { return parse_kernel(reader); });
}

Result<std::vector<Kernel>> parse_verified_kernels(const Source& source) {
  return all_kernels(source,
                     [&](IrReader& reader) { return parse_verified_kernel(reader, source); });
}

}  // namespace gpx::codegen
