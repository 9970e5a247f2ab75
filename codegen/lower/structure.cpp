// Structure -> kernel IR. Interface: codegen/lower/structure.h.
#include "codegen/lower/structure.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "codegen/lower/structure_build.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

std::size_t count_accesses(const std::vector<StatementShape>& list) {
  std::size_t count = 0;
  for (const StatementShape& shape : list)
    count += (shape.op == Op::ready ? 1 : 0) + count_accesses(shape.then) +
             count_accesses(shape.otherwise);
  return count;
}

// Registers in the order in which the text defines them, as the parser numbers them.
class Renumbering {
 public:
  explicit Renumbering(Kernel& kernel) : kernel_(kernel), number_(kernel.registers.size()) {
    ordered_.assign(kernel.registers.begin(), kernel.registers.begin() + kernel.parameters);
    for (std::uint32_t i = 0; i < kernel.parameters; ++i) number_[i] = i;
    list(kernel.setup);
    list(kernel.timed);
    kernel.registers = std::move(ordered_);
  }

 private:
  void list(std::vector<Instruction>& instructions) {
    for (Instruction& instruction : instructions) {
      if (instruction.op == Op::loop) list(instruction.regions[0]);
      for (std::uint32_t& operand : instruction.operands) operand = number_[operand];
      for (std::size_t r = instruction.op == Op::loop ? 1 : 0; r < instruction.regions.size(); ++r)
        list(instruction.regions[r]);
      if (instruction.result == kNoRegister) continue;
      number_[instruction.result] = static_cast<std::uint32_t>(ordered_.size());
      ordered_.push_back(std::move(kernel_.registers[instruction.result]));
      instruction.result = number_[instruction.result];
    }
  }

  Kernel& kernel_;
  std::vector<std::uint32_t> number_;
  std::vector<Register> ordered_;
};

// The text of a value: equal for equal values.
std::string text_of(const ValueShape& shape) {
  std::string text = fmt::format("{} {} {} {}(", static_cast<int>(shape.kind), shape.number,
                                 shape.name, static_cast<int>(shape.op));
  for (const ValueShape& arg : shape.args) text += text_of(arg) + ",";
  return text + ")";
}

}  // namespace

bool ValueShape::reads_shared() const {
  return kind == Kind::shared ||
         std::any_of(args.begin(), args.end(), [](const auto& arg) { return arg.reads_shared(); });
}

Kernel KernelBuilder::run() {
  kernel_.name = structure_name(structure_);
  kernel_.threads = structure_.threads;
  kernel_.observe = structure_.observe;
  kernel_.exact_registers = structure_.registers;
  kernel_.arrays = structure_.arrays;
  kernel_.stamps = structure_.stamps;
  kernel_.keeps = structure_.keeps;
  kernel_.each = structure_.each;
  for (const std::string& buffer : structure_.buffers) parameter(buffer, Type::buffer);
  parameter("never", Type::u64);
  for (const std::string& scalar : structure_.scalars) parameter(scalar, Type::u64);
  accesses_ = count_accesses(structure_.body);
  if (accesses_ > 0) number_of_threads();
  for (const SharedShape& word : structure_.shared) {
    const std::uint32_t initial = before(word.initial);
    kernel_.setup.push_back({.op = Op::shared, .operands = {initial}, .name = word.name});
  }
  list_ = &kernel_.timed;
  body(structure_.body);
  kernel_.setup.push_back({.op = Op::ready, .operands = ready_});
  kernel_.timed.push_back({.op = Op::await, .operands = loaded_, .line = line_});
  Renumbering{kernel_};
  kernel_.placed = structure_.placed;
  for (const Structure& beside : structure_.beside)
    kernel_.beside.push_back(KernelBuilder(beside).run());
  if (kernel_.name.empty()) {
    const std::string text = to_string(kernel_);
    kernel_.name = fmt::format("body_{:016x}", XXH3_64bits(text.data(), text.size()));
  }
  return std::move(kernel_);
}

std::uint32_t KernelBuilder::add_register(std::string name, Type type) {
  kernel_.registers.push_back({std::move(name), type});
  return static_cast<std::uint32_t>(kernel_.registers.size() - 1);
}

void KernelBuilder::parameter(const std::string& name, Type type) {
  parameters_[name] = add_register(name, type);
  ++kernel_.parameters;
}

std::uint32_t KernelBuilder::setup(std::string name, Op op, std::vector<std::uint32_t> operands,
                                   std::uint64_t immediate, const std::string& what) {
  const std::uint32_t result = add_register(std::move(name), static_cast<Type>(info(op).result));
  kernel_.setup.push_back({.op = op,
                           .result = result,
                           .operands = std::move(operands),
                           .immediate = immediate,
                           .name = what});
  return result;
}

std::uint32_t KernelBuilder::temporary(Op op, std::vector<std::uint32_t> operands,
                                       std::uint64_t immediate) {
  return setup(fmt::format("x{}", temporaries_++), op, std::move(operands), immediate);
}

std::uint32_t KernelBuilder::ready(std::uint32_t reg) {
  ready_.push_back(reg);
  return reg;
}

// The number of the thread in the grid, which patterns and stored values start from.
std::uint32_t KernelBuilder::number_of_threads() {
  if (thread_ == 0) thread_ = setup("t", Op::thread, {});
  return thread_;
}

// ---- statements -----------------------------------------------------------------------------

Instruction& KernelBuilder::timed(Op op, const std::string& name) {
  list_->push_back({.op = op, .line = line_, .name = name});
  return list_->back();
}

void KernelBuilder::body(const std::vector<StatementShape>& list) {
  for (const StatementShape& shape : list) statement(shape);
}

void KernelBuilder::statement(const StatementShape& shape) {
  line_ = shape.line;
  switch (shape.op) {
    case Op::ready:
      access(shape.access);
      ++access_;
      return;
    case Op::chase_b32:
    case Op::chase_b64:
      return chase(shape);
    case Op::operate: {
      Instruction& made = timed(Op::operate, shape.name);
      made.count = shape.count;
      made.streams = shape.streams;
      return;
    }
    case Op::st_shared:
    case Op::keep: {
      const std::uint32_t stored = value(shape.value);
      timed(shape.op, shape.name).operands = {stored};
      return;
    }
    case Op::when:
    case Op::loop:
    case Op::diverge:
      return branch(shape);
    case Op::sync:
      timed(depth_ > 0 ? Op::sync_div : Op::sync, {});
      return;
    default:
      timed(shape.op, shape.name);
  }
}

void KernelBuilder::chase(const StatementShape& shape) {
  const std::size_t number = loaded_.size();
  const auto offset = shape.from ? offset_of(shape) : parameters_.at(shape.first);
  const auto first = setup(fmt::format("link{}", number), Op::link, {offset}, 0, shape.name);
  const auto base = setup(fmt::format("base{}", number), Op::base, {}, 0, shape.name);
  const auto left =
      setup(fmt::format("left{}", number), Op::word_b32, {parameters_.at(shape.accesses)});
  for (std::uint32_t reg : {first, base, left}) ready(reg);
  const auto last = add_register(fmt::format("v{}", number), Type::b32);
  Instruction& made = timed(shape.op, shape.name);
  made.result = last;
  made.operands = {first, base, left};
  made.cache = shape.cache;
  loaded_.push_back(last);
}

// An element by its number, modulo how many there are.
std::uint32_t KernelBuilder::offset_of(const StatementShape& shape) {
  const auto elements = temporary(Op::word_b32, {parameters_.at(shape.elements)});
  const auto number = temporary(Op::rem_u32, {before(*shape.from), elements});
  return temporary(Op::mul_u64, {temporary(Op::wide, {number}), parameters_.at(shape.distance)});
}

void KernelBuilder::branch(const StatementShape& shape) {
  Instruction made{.op = shape.op, .line = line_};
  std::vector<Instruction>* const outer = list_;
  if (shape.op == Op::loop) {
    // The condition is computed anew in every pass.
    made.regions.emplace_back();
    list_ = &made.regions[0];
  }
  made.operands = {value(shape.value)};
  list_ = outer;
  made.values = shape.values;
  made.regions.push_back(region(shape.then));
  if (shape.op == Op::when) made.regions.push_back(region(shape.otherwise));
  list_->push_back(std::move(made));
}

std::vector<Instruction> KernelBuilder::region(const std::vector<StatementShape>& list) {
  std::vector<Instruction> made;
  std::vector<Instruction>* const outer = std::exchange(list_, &made);
  ++depth_;
  body(list);
  --depth_;
  list_ = outer;
  return made;
}

// ---- values of a thread ---------------------------------------------------------------------

// What does not read a shared variable is computed before the region, and once; comparisons are
// part of the statement that asks.
std::uint32_t KernelBuilder::value(const ValueShape& shape) {
  return shape.reads_shared() || shape.is_condition() ? computed(shape) : before(shape);
}

std::uint32_t KernelBuilder::before(const ValueShape& shape) {
  const std::string text = text_of(shape);
  if (const auto known = values_.find(text); known != values_.end()) return known->second;
  std::uint32_t made = 0;
  switch (shape.kind) {
    case ValueShape::Kind::constant:
      made = temporary(Op::const_b32, {}, shape.number);
      break;
    case ValueShape::Kind::argument:
      made = temporary(Op::word_b32, {parameters_.at(shape.name)});
      break;
    case ValueShape::Kind::thread:
      made = temporary(shape.op, {});
      break;
    default: {
      std::vector<std::uint32_t> operands;
      for (const ValueShape& arg : shape.args) operands.push_back(before(arg));
      made = temporary(shape.op, std::move(operands));
    }
  }
  values_[text] = ready(made);
  return made;
}

std::uint32_t KernelBuilder::computed(const ValueShape& shape) {
  std::vector<std::uint32_t> operands;
  for (const ValueShape& arg : shape.args) operands.push_back(value(arg));
  const Op op = shape.kind == ValueShape::Kind::shared ? Op::ld_shared : shape.op;
  const auto type = static_cast<Type>(info(op).result);
  const auto result = add_register(
      type == Type::pred ? fmt::format("p{}", conditions_++) : fmt::format("r{}", words_++), type);
  Instruction& made = timed(op, op == Op::ld_shared ? shape.name : std::string());
  made.result = result;
  made.operands = std::move(operands);
  return result;
}

std::string structure_name(const Structure& structure) {
  std::string name;
  for (const StatementShape& shape : structure.body) {
    if (!name.empty()) name += "_then_";
    if (shape.op == Op::operate) {
      name += fmt::format("{}_x{}_streams{}", shape.name, shape.count, shape.streams);
    } else if (is_chase(shape.op)) {
      name += fmt::format("chase_{}_{}B{}", shape.name, shape.op == Op::chase_b64 ? 8 : 4,
                          cache_suffix(shape.cache));
    } else if (shape.op == Op::ready) {
      const AccessShape& access = shape.access;
      name +=
          fmt::format("{}_{}_{}B", gpx::to_string(access.kind), access.pattern->name, access.width);
      if (access.cache != CacheOp::unspecified)
        name += fmt::format("_{}", gpx::to_string(access.cache));
      name += fmt::format("_x{}", access.count);
    } else {
      return {};
    }
  }
  const bool places = structure.placed || std::any_of(structure.body.begin(), structure.body.end(),
                                                      [](const auto& one) { return one.from; });
  if (name.empty() || places || !structure.shared.empty()) return {};
  if (structure.observe != Observe::latency)
    name = fmt::format("{}_{}", gpx::to_string(structure.observe), name);
  if (structure.registers > 0) name += fmt::format("_r{}", structure.registers);
  if (!structure.scalars.empty() && structure.scalars[0] == "rehearse") name += "_rehearsed";
  std::replace(name.begin(), name.end(), '.', '_');
  constexpr std::size_t kLongest = 100;
  if (name.size() > kLongest)
    name = fmt::format("region_{:016x}", XXH3_64bits(name.data(), name.size()));
  return name;
}

Kernel build_kernel(const Structure& structure) {
  return KernelBuilder(structure).run();
}

}  // namespace gpx::codegen
