// Kernel IR -> CUDA C++. Interface and the shape of the code: codegen/emit.h.
#include "codegen/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gpx::codegen {
namespace {

constexpr std::string_view kPrelude =
    "typedef unsigned int u32;\n"
    "typedef unsigned long long u64;\n";

std::string_view c_type(Type type) {
  switch (type) {
    case Type::buffer:
      return "unsigned char*";
    case Type::address:
    case Type::u64:
      return "u64";
    default:
      return "u32";
  }
}

class Emitter {
 public:
  Emitter(const Kernel& kernel, std::string_view file) : kernel_(kernel), file_(file) {
    latency_ = kernel.observe == Observe::latency;
    folds_ = !kernel.timed.back().operands.empty();
    orders_ = needs_order(kernel);
  }

  std::string run() {
    out_ += kPrelude;
    signature();
    for (const Instruction& instruction : kernel_.setup) expression(instruction);
    locals();
    region();
    tail();
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }

  const std::string& name(std::uint32_t reg) const { return kernel_.registers[reg].name; }
  Type type(std::uint32_t reg) const { return kernel_.registers[reg].type; }

  void signature() {
    put("\nextern \"C\" __global__ void __launch_bounds__({})\n{}(u64* result", kernel_.threads,
        kernel_.name);
    for (std::uint32_t i = 0; i < kernel_.parameters; ++i) put(", {} {}", c_type(type(i)), name(i));
    out_ += ") {\n";
  }

  // Replaces {0}, {1}, {r}, {i}, {c} of a spelling of the op table.
  template <typename Operand>
  std::string spell(const Instruction& instruction, Operand&& operand) const {
    std::string made;
    const std::string_view spelling = info(instruction.op).spelling;
    for (std::size_t i = 0; i < spelling.size(); ++i) {
      if (spelling[i] != '{' || i + 2 >= spelling.size() || spelling[i + 2] != '}') {
        made += spelling[i];
        continue;
      }
      const char what = spelling[i + 1];
      if (what == 'r') made += operand(instruction.result);
      if (what == 'i') made += std::to_string(instruction.immediate);
      if (what == 'c') made += cache_suffix(instruction.cache);
      if (what >= '0' && what <= '9')
        made += operand(instruction.operands[static_cast<std::size_t>(what - '0')]);
      i += 2;
    }
    return made;
  }

  void expression(const Instruction& instruction) {
    if (info(instruction.op).result == '-') return;
    put("  const {} {} = {};\n", c_type(type(instruction.result)), name(instruction.result),
        spell(instruction, [this](std::uint32_t reg) { return name(reg); }));
  }

  // ---- the asm block ----------------------------------------------------------------------

  void locals() {
    put("  u64* const sink = result + {};\n", latency_ ? 2 : 1);
    if (latency_) out_ += "  u64 start, end;\n";
    if (folds_) out_ += "  u32 fold;\n";
  }

  // Operands of the asm statement are numbered: first what it writes, then what it reads.
  void number_operands() {
    std::uint32_t next = 0;
    if (latency_) next = 2;  // %0 start, %1 end
    fold_ = next;
    if (folds_) ++next;
    sink_ = next++;
    never_ = next++;
    never_low_ = next++;
    numbers_.assign(kernel_.registers.size(), kNoRegister);
    for (std::uint32_t reg : kernel_.setup.back().operands) numbers_[reg] = next++;
  }

  // A register as the asm block spells it: an operand, a name, or a vector of either.
  std::string spelled(std::uint32_t reg) const {
    const std::uint32_t count = words(type(reg));
    std::string made;
    for (std::uint32_t w = 0; w < std::max(count, 1u); ++w) made += (w ? ", " : "") + word(reg, w);
    return count > 1 ? fmt::format("{{{}}}", made) : made;
  }

  std::string word(std::uint32_t reg, std::uint32_t index) const {
    if (numbers_[reg] != kNoRegister) return fmt::format("%{}", numbers_[reg]);
    return words(type(reg)) > 1 ? fmt::format("{}_{}", name(reg), index) : name(reg);
  }

  template <typename... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    out_ += "      \"";
    put(text, std::forward<Args>(args)...);
    out_ += "\\n\"\n";
  }

  void region() {
    number_operands();
    if (!file_.empty())
      put("#line {} \"{}\"\n", std::max(kernel_.timed.front().line, 1u), escaped(file_));
    out_ += "  asm volatile(\n";
    line("{{");
    declare();
    ready();
    if (latency_) line("  bar.sync 0;");
    if (latency_) line("  mov.u64 %0, %%clock64;");
    for (const Instruction& instruction : kernel_.timed)
      if (info(instruction.op).bytes > 0)
        line("  {}", spell(instruction, [this](std::uint32_t reg) { return spelled(reg); }));
    if (folds_) fold();
    if (latency_) line("  bar.sync 0;");
    if (latency_) line("  mov.u64 %1, %%clock64;");
    if (latency_ && folds_) line("  @hit st.global.u32 [%{}], %{};", sink_, fold_);
    if (orders_) line("  sub.u32 %{}, %{}, order;", fold_, fold_);
    line("}}");
    constraints();
    if (!file_.empty())
      put("#line {} \"{}.cu\"\n", std::count(out_.begin(), out_.end(), '\n') + 2, kernel_.name);
  }

  void declare() {
    line("  .reg .pred hit;");
    if (!folds_) return;
    std::vector<std::string> names;
    if (orders_) names.emplace_back("order");
    for (std::uint32_t value : kernel_.timed.back().operands)
      for (std::uint32_t w = 0; w < words(type(value)); ++w) names.push_back(word(value, w));
    constexpr std::size_t kOnALine = 12;
    for (std::size_t i = 0; i < names.size(); i += kOnALine)
      line("  .reg .u32 {};", fmt::join(names.begin() + static_cast<std::ptrdiff_t>(i),
                                        names.begin() + static_cast<std::ptrdiff_t>(
                                                            std::min(i + kOnALine, names.size())),
                                        ", "));
  }

  void ready() {
    const std::vector<std::uint32_t>& used = kernel_.setup.back().operands;
    const auto is_address = [this](std::uint32_t reg) { return type(reg) == Type::address; };
    const auto first = std::find_if(used.begin(), used.end(), is_address);
    line("  setp.eq.u64 hit, {}, %{};", word(*first, 0), never_);
    for (std::uint32_t reg : used)
      line("  @hit st.global.{} [%{}], {};", is_address(reg) ? "u64" : "u32", sink_, word(reg, 0));
  }

  void fold() {
    std::string sum;
    if (orders_) line("  mov.u32 order, %%clock;"), sum = "order";
    const std::string fold = fmt::format("%{}", fold_);
    for (std::uint32_t value : kernel_.timed.back().operands)
      for (std::uint32_t w = 0; w < words(type(value)); ++w) {
        if (sum.empty()) {
          line("  mov.u32 {}, {};", fold, word(value, w));
        } else {
          line("  add.u32 {}, {}, {};", fold, sum, word(value, w));
        }
        sum = fold;
      }
    line("  setp.eq.u32 hit, {}, %{};", fold, never_low_);
    line("  @hit st.global.u32 [%{}], {};", sink_, fold);
  }

  void constraints() {
    out_ += "      : ";
    std::string separator;
    if (latency_) out_ += "\"=&l\"(start), \"=&l\"(end)", separator = ", ";
    if (folds_) out_ += separator + "\"=&r\"(fold)";
    out_ += "\n      : \"l\"(sink), \"l\"(never), \"r\"((u32)never)";
    for (std::uint32_t reg : kernel_.setup.back().operands)
      put(", \"{}\"({})", type(reg) == Type::address ? "l" : "r", name(reg));
    out_ += "\n      : \"memory\");\n";
  }

  // ---- after the end clock ----------------------------------------------------------------

  void tail() {
    const int checksum = latency_ ? 1 : 0;
    // All lanes of a warp read the same clock: one of them reports it.
    if (latency_) out_ += "  if (threadIdx.x % 32 == 0) atomicMax(result, end - start);\n";
    if (!folds_) return;
    // Where the whole grid is timed, one thread of each block stands for the others.
    if (!latency_) out_ += "  if (threadIdx.x == 0)\n  ";
    put("  atomicAdd(result + {}, (u64)fold);\n", checksum);
  }

  static std::string escaped(std::string_view text) {
    std::string made;
    for (char c : text) {
      if (c == '"' || c == '\\') made += '\\';
      made += c == '\n' ? ' ' : c;
    }
    return made;
  }

  const Kernel& kernel_;
  std::string_view file_;
  bool latency_ = true, folds_ = true, orders_ = false;
  std::uint32_t fold_ = 0, sink_ = 0, never_ = 0, never_low_ = 0;
  std::vector<std::uint32_t> numbers_;  // Of the asm operand that holds a register.
  std::string out_;
};

}  // namespace

bool needs_order(const Kernel& kernel) {
  constexpr std::uint32_t kUnmixed = 12;
  const auto stores = [](const Instruction& i) { return is_store(i.op); };
  if (kernel.timed.back().operands.empty()) return false;
  if (std::any_of(kernel.timed.begin(), kernel.timed.end(), stores)) return true;
  std::uint32_t loaded = 0;
  for (std::uint32_t value : kernel.timed.back().operands)
    loaded += words(kernel.registers[value].type);
  return loaded > kUnmixed;
}

std::string emit_cuda(const Kernel& kernel, std::string_view file) {
  return Emitter(kernel, file).run();
}

}  // namespace gpx::codegen
