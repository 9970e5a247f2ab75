// Kernel IR: the op table's queries and the text form. Interface: codegen/ir/kernel.h.
// Covered by tests/codegen/kernel_test.cpp.
#include "codegen/ir/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "codegen/ir/inline_ptx.h"
#include "lang/lists.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

constexpr std::array kOps = {
#define GPX_OP(id, name, region, operands, result, pipe, bytes, spelling) \
  OpInfo{name, Region::region, operands, result, Pipe::pipe, bytes, spelling},
#include "codegen/ir/ops.def"
#undef GPX_OP
};

std::vector<std::string> parameters_of(const Kernel& kernel, bool buffers) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < kernel.parameters; ++i)
    if ((kernel.registers[i].type == Type::buffer) == buffers)
      names.push_back(kernel.registers[i].name);
  return names;
}

// Operands in the order of the op table's letters: an immediate stands where its letter is, and
// the address of a load or store is written with its offset: [%a0 + 128].
std::string operand_list(const Kernel& kernel, const Instruction& instruction) {
  const OpInfo& row = info(instruction.op);
  const auto name = [&](std::size_t i) {
    return fmt::format("%{}", kernel.registers[instruction.operands[i]].name);
  };
  std::vector<std::string> parts;
  std::size_t next = 0;
  for (char letter : row.operands) {
    if (letter == 'R' || letter == 'V') {
      for (; next < instruction.operands.size(); ++next) parts.push_back(name(next));
    } else if (letter == 'i' && row.bytes > 0) {
      parts.back() = fmt::format("[{} + {}]", parts.back(), instruction.immediate);
    } else if (letter == 'n') {
      parts.push_back(is_inline_ptx(instruction.name) ? fmt::format("\"{}\"", instruction.name)
                                                      : instruction.name);
    } else if (letter == 'i' || letter == 'j' || letter == 'k') {
      parts.push_back(std::to_string(letter == 'i'   ? instruction.immediate
                                     : letter == 'j' ? instruction.target
                                                     : instruction.count));
    } else {
      parts.push_back(name(next++));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Prints the instructions of a kernel, a region's indented by two more than what it belongs to.
class Printer {
 public:
  Printer(std::string& out, const Kernel& kernel) : out_(out), kernel_(kernel) {}

  void list(const std::vector<Instruction>& instructions, std::size_t indent) {
    for (const Instruction& instruction : instructions) print(instruction, indent);
  }

 private:
  void print(const Instruction& instruction, std::size_t indent) {
    out_.append(indent, ' ');
    if (instruction.result != kNoRegister) put("%{} = ", name(instruction.result));
    put("{}{}", info(instruction.op).name, cache_suffix(instruction.cache));
    if (instruction.op != Op::loop) {
      const std::string operands = operand_list(kernel_, instruction);
      if (!operands.empty()) put(" {}", operands);
    }
    if (instruction.op == Op::operate) {
      if (instruction.source) put(" source {}", instruction.source);
      if (instruction.data != OperandData::usual) put(" data {}", to_string(instruction.data));
      put(" x {} streams {}", instruction.count, instruction.streams);
    }
    if (!instruction.box.empty()) put(" box {}", fmt::join(instruction.box, ", "));
    if (instruction.op == Op::diverge) put(" over {}", fmt::join(instruction.values, ", "));
    if (instruction.line > 0) put(" @ {}", instruction.line);
    regions(instruction, indent);
    out_ += '\n';
  }

  void regions(const Instruction& instruction, std::size_t indent) {
    for (std::size_t i = 0; i < instruction.regions.size(); ++i) {
      if (i > 0 && instruction.op == Op::when) out_ += " else";
      if (i > 0 && instruction.op == Op::loop) put(" %{}", name(instruction.operands[0]));
      out_ += " {\n";
      list(instruction.regions[i], indent + 2);
      out_.append(indent, ' ');
      out_ += '}';
    }
  }

  template <typename... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }
  const std::string& name(std::uint32_t reg) const { return kernel_.registers[reg].name; }

  std::string& out_;
  const Kernel& kernel_;
};

// What a kernel has beside parameters and instructions.
std::string declarations(const Kernel& kernel) {
  std::string out;
  auto to = std::back_inserter(out);
  for (const KernelArray& array : kernel.arrays)
    fmt::format_to(to, "  array {} : {} {}\n", array.name, gpx::to_string(array.space),
                   array.bytes);
  for (const KernelMemory& memory : kernel.memories)
    fmt::format_to(to, "  memory {} {}\n", memory.name, memory.bytes);
  for (const std::string& label : kernel.stamps) fmt::format_to(to, "  stamp {}\n", label);
  for (const std::string& column : kernel.keeps) fmt::format_to(to, "  keep {}\n", column);
  if (kernel.each)
    fmt::format_to(to, "  each {} {}\n", kernel.each->streamed ? "streamed" : "shared",
                   kernel.each->capacity);
  return out;
}

std::string regions_of(const Kernel& kernel) {
  std::string out = "  setup {\n";
  Printer(out, kernel).list(kernel.setup, 4);
  out += "  }\n  timed {\n";
  Printer(out, kernel).list(kernel.timed, 4);
  return out + "  }\n";
}

}  // namespace

const OpInfo& info(Op op) {
  return kOps[static_cast<std::size_t>(op)];
}

std::string_view to_string(Type type) {
  switch (type) {
    case Type::buffer: return "buffer";
    case Type::address: return "address";
    case Type::u64: return "u64";
    case Type::b32: return "b32";
    case Type::b64: return "b64";
    case Type::b128: return "b128";
    case Type::wide: return "wide";
    case Type::pred: return "pred";
  }
  return "?";
}

std::uint32_t words(Type type) {
  switch (type) {
    case Type::b32:
    case Type::wide: return 1;
    case Type::b64: return 2;
    case Type::b128: return 4;
    default: return 0;
  }
}

bool is_load(Op op) {
  return info(op).bytes > 0 && info(op).result != '-';
}
bool is_store(Op op) {
  return info(op).bytes > 0 && info(op).result == '-';
}

bool is_chase(Op op) {
  return op == Op::chase_b32 || op == Op::chase_b64;
}

bool is_atomic(Op op) {
  return info(op).bytes > 0 && info(op).operands.starts_with('n');
}

bool is_on_rank(Op op) {
  return info(op).bytes > 0 && info(op).name.find(".rank") != std::string_view::npos;
}

bool is_on_rank(const Kernel& kernel, const Instruction& chase) {
  const auto first = std::ranges::find(kernel.setup, chase.operands[0], &Instruction::result);
  return first != kernel.setup.end() && first->op == Op::link_rank;
}

bool is_cluster_barrier(Op op) {
  return op == Op::sync_cluster || op == Op::sync_cluster_div;
}

bool is_copy(Op op) {
  return op == Op::copy_b32 || op == Op::copy_b64 || op == Op::copy_b128 || op == Op::bulk_load ||
         op == Op::bulk_store || is_tensor(op);
}

bool is_tensor(Op op) {
  return op == Op::tensor_load || op == Op::tensor_store;
}

bool is_bulk(Op op) {
  return op == Op::bulk_expect || op == Op::bulk_load || op == Op::bulk_wait ||
         op == Op::bulk_store || op == Op::bulk_group || is_tensor(op);
}

bool has_atomics(const Kernel& kernel) {
  bool found = false;
  for_each(kernel.timed, [&](const Instruction& i) { found = found || is_atomic(i.op); });
  return found;
}

bool only_accesses(const Kernel& kernel) {
  return std::all_of(kernel.timed.begin(), kernel.timed.end(), [](const Instruction& i) {
    return info(i.op).bytes > 0 || i.op == Op::await;
  });
}

bool only_operations(const Kernel& kernel) {
  return kernel.timed.size() > 1 &&
         std::all_of(kernel.timed.begin(), kernel.timed.end(),
                     [](const Instruction& i) { return i.op == Op::operate || i.op == Op::await; });
}

std::string_view cache_suffix(CacheOp cache) {
  switch (cache) {
    case CacheOp::unspecified: return "";
    case CacheOp::ca: return ".ca";
    case CacheOp::cg: return ".cg";
    case CacheOp::cs: return ".cs";
    case CacheOp::cv: return ".cv";
    case CacheOp::lu: return ".lu";
    case CacheOp::nc: return ".nc";
  }
  return "";
}

std::vector<std::string> Kernel::scalars() const {
  return parameters_of(*this, false);
}
std::vector<std::string> Kernel::buffers() const {
  return parameters_of(*this, true);
}

bool Kernel::rehearses() const {
  if (!clocked()) return false;
  const std::vector<std::string> names = scalars();
  return contains(names, "rehearse");
}
const KernelArray* Kernel::find_array(std::string_view array) const {
  const auto it = std::find_if(arrays.begin(), arrays.end(),
                               [&](const KernelArray& row) { return row.name == array; });
  return it == arrays.end() ? nullptr : &*it;
}
std::uint32_t Kernel::result_slots() const {
  const std::size_t meeting = placed ? 3 + beside.size() : 0;
  return static_cast<std::uint32_t>(traits_of(observe).result_slots() + 2 + meeting + keeps.size());
}

std::string to_string(const Kernel& kernel) {
  std::string out;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "kernel {} {{\n  threads {}\n", kernel.name, kernel.threads);
  if (kernel.exact_registers > 0) fmt::format_to(to, "  registers {}\n", kernel.exact_registers);
  for (std::uint32_t i = 0; i < kernel.parameters; ++i)
    fmt::format_to(to, "  param {} : {}\n", kernel.registers[i].name,
                   to_string(kernel.registers[i].type));
  out += declarations(kernel);
  out += regions_of(kernel);
  fmt::format_to(to, "  observe {}\n", gpx::to_string(kernel.observe));
  if (kernel.clustered) out += "  clustered\n";
  if (kernel.placed) out += "  placed\n";
  for (const Kernel& beside : kernel.beside)
    fmt::format_to(to, "  beside {} {{\n{}{}  }}\n", beside.name, declarations(beside),
                   regions_of(beside));
  return out + "}\n";
}

}  // namespace gpx::codegen
