// Kernel IR: the op table's queries and the text form. Interface: codegen/kernel.h.
// Covered by tests/codegen/kernel_test.cpp.
#include "codegen/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace gpx::codegen {
namespace {

constexpr std::array kOps = {
#define GPX_OP(id, name, region, operands, result, pipe, bytes, spelling) \
  OpInfo{name, Region::region, operands, result, Pipe::pipe, bytes, spelling},
#include "codegen/ops.def"
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
    } else if (letter == 'i') {
      parts.push_back(std::to_string(instruction.immediate));
    } else {
      parts.push_back(name(next++));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print(std::string& out, const Kernel& kernel, const Instruction& instruction) {
  auto to = std::back_inserter(out);
  out += "    ";
  if (instruction.result != kNoRegister)
    fmt::format_to(to, "%{} = ", kernel.registers[instruction.result].name);
  fmt::format_to(to, "{}{}", info(instruction.op).name, cache_suffix(instruction.cache));
  const std::string operands = operand_list(kernel, instruction);
  if (!operands.empty()) fmt::format_to(to, " {}", operands);
  if (instruction.line > 0) fmt::format_to(to, " @ {}", instruction.line);
  out += '\n';
}

}  // namespace

const OpInfo& info(Op op) {
  return kOps[static_cast<std::size_t>(op)];
}

std::string_view to_string(Type type) {
  switch (type) {
    case Type::buffer:
      return "buffer";
    case Type::address:
      return "address";
    case Type::u64:
      return "u64";
    case Type::b32:
      return "b32";
    case Type::b64:
      return "b64";
    case Type::b128:
      return "b128";
  }
  return "?";
}

std::uint32_t words(Type type) {
  switch (type) {
    case Type::b32:
      return 1;
    case Type::b64:
      return 2;
    case Type::b128:
      return 4;
    default:
      return 0;
  }
}

bool is_load(Op op) {
  return info(op).bytes > 0 && info(op).result != '-';
}
bool is_store(Op op) {
  return info(op).bytes > 0 && info(op).result == '-';
}

std::string_view cache_suffix(CacheOp cache) {
  switch (cache) {
    case CacheOp::unspecified:
      return "";
    case CacheOp::ca:
      return ".ca";
    case CacheOp::cg:
      return ".cg";
    case CacheOp::cs:
      return ".cs";
    case CacheOp::cv:
      return ".cv";
    case CacheOp::lu:
      return ".lu";
    case CacheOp::nc:
      return ".nc";
  }
  return "";
}

std::vector<std::string> Kernel::scalars() const {
  return parameters_of(*this, false);
}
std::vector<std::string> Kernel::buffers() const {
  return parameters_of(*this, true);
}

std::string to_string(const Kernel& kernel) {
  std::string out;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "kernel {} {{\n  threads {}\n", kernel.name, kernel.threads);
  for (std::uint32_t i = 0; i < kernel.parameters; ++i)
    fmt::format_to(to, "  param {} : {}\n", kernel.registers[i].name,
                   to_string(kernel.registers[i].type));
  out += "  setup {\n";
  for (const Instruction& instruction : kernel.setup) print(out, kernel, instruction);
  out += "  }\n  timed {\n";
  for (const Instruction& instruction : kernel.timed) print(out, kernel, instruction);
  fmt::format_to(to, "  }}\n  observe {}\n}}\n",
                 kernel.observe == Observe::latency ? "latency" : "time");
  return out;
}

}  // namespace gpx::codegen
