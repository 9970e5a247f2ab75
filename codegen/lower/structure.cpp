// Structure -> kernel IR. Interface: codegen/lower/structure.h.
#include "codegen/lower/structure.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "codegen/ir/inline_ptx.h"
#include "codegen/lower/structure_build.h"
#include "lang/assert.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

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

}  // namespace

// Not defaulted: clang (14 and 16) crashes on a defaulted one that is recursive.
bool BranchShape::operator==(const BranchShape& other) const {
  return op == other.op && value == other.value && values == other.values && then == other.then &&
         otherwise == other.otherwise;
}

Kernel KernelBuilder::run() {
  kernel_.name = structure_name(structure_, frame_);
  kernel_.observe = frame_.observe;
  kernel_.exact_registers = structure_.registers;
  kernel_.arrays = frame_.arrays;
  kernel_.stamps = frame_.stamps;
  kernel_.keeps = frame_.keeps;
  kernel_.each = frame_.each;
  for (const std::string& buffer : frame_.buffers) parameter(buffer, Type::buffer);
  for (const std::string& scalar : frame_.scalars) parameter(scalar, Type::u64);
  kernel_.memories = frame_.memories;
  if (frame_.accesses > 0) number_of_threads();
  for (const SharedWord& word : frame_.shared) {
    const std::uint32_t initial = before(word.initial);
    kernel_.setup.push_back({.op = Op::shared, .operands = {initial}, .name = word.name});
  }
  list_ = &kernel_.timed;
  body(structure_.body);
  kernel_.setup.push_back({.op = Op::ready, .operands = ready_});
  kernel_.timed.push_back({.op = Op::await, .operands = loaded_, .line = line_});
  Renumbering{kernel_};
  kernel_.placed = frame_.placed;
  kernel_.clustered = frame_.clustered;
  GPX_ASSERT(structure_.beside.size() == frame_.beside.size());
  for (std::size_t i = 0; i < frame_.beside.size(); ++i)
    kernel_.beside.push_back(build_kernel(structure_.beside[i], frame_.beside[i], kernel_.threads));
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

std::uint32_t KernelBuilder::parameter(const char* name, std::size_t number) const {
  return parameters_.at(fmt::format("{}{}", name, number));
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

// The number of the thread in the grid, which stored values start from, and patterns in global
// memory.
std::uint32_t KernelBuilder::number_of_threads() {
  if (thread_ == 0) thread_ = setup("t", Op::thread, {});
  return thread_;
}

// The number that patterns start from: each block has its own shared memory.
std::uint32_t KernelBuilder::thread_of_pattern() {
  if (is_global_memory(space_)) return number_of_threads();
  if (in_block_ == 0) in_block_ = setup("t_block", Op::wide, {setup("t_word", Op::in_block, {})});
  return in_block_;
}

// ---- statements -----------------------------------------------------------------------------

Instruction& KernelBuilder::timed(Op op, std::string_view name) {
  list_->push_back({.op = op, .line = line_, .name = std::string(name)});
  return list_->back();
}

void KernelBuilder::body(const Shapes& list) {
  for (const StatementShape& shape : list) {
    line_ = static_cast<std::uint32_t>(frame_.source->locate(shape.span).line);
    std::visit([this](const auto& one) { add(one); }, shape.node);
  }
}

void KernelBuilder::add(const OperateShape& shape) {
  Instruction& made = timed(Op::operate, shape.operation);
  made.count = shape.count;
  made.streams = shape.streams;
  made.source = shape.source;
  made.data = shape.data;
}

void KernelBuilder::add(const PlainShape& shape) {
  if (shape.op == Op::copy_wait) return wait();
  std::vector<std::uint32_t> operands;
  if (shape.value) operands.push_back(value(*shape.value));
  Op op = shape.op;
  if (op == Op::sync && depth_ > 0) op = Op::sync_div;
  if (op == Op::sync_cluster && depth_ > 0) op = Op::sync_cluster_div;
  timed(op, shape.name).operands = std::move(operands);
}

void KernelBuilder::add(const ChaseShape& shape) {
  const std::uint32_t number = loads_++;
  const std::string& buffer = *shape.buffer;
  const auto offset = shape.from ? offset_of(shape) : parameter("first", shape.number);
  std::vector<std::uint32_t> where;
  if (shape.rank) where.push_back(rank_of(shape.rank));
  std::vector<std::uint32_t> link = where;
  link.insert(link.begin(), offset);
  const auto first =
      setup(fmt::format("link{}", number), shape.rank ? Op::link_rank : Op::link, link, 0, buffer);
  const auto base =
      setup(fmt::format("base{}", number), shape.rank ? Op::base_rank : Op::base, where, 0, buffer);
  const auto left =
      setup(fmt::format("left{}", number), Op::word_b32, {parameter("accesses", shape.number)});
  for (std::uint32_t reg : {first, base, left}) ready(reg);
  const auto last = add_register(fmt::format("v{}", number), Type::b32);
  Instruction& made = timed(shape.width == 8 ? Op::chase_b64 : Op::chase_b32, buffer);
  made.result = last;
  made.operands = {first, base, left};
  made.cache = shape.cache;
  loaded_.push_back(last);
}

// An element by its number, modulo how many there are.
std::uint32_t KernelBuilder::offset_of(const ChaseShape& shape) {
  const auto elements = temporary(Op::word_b32, {parameter("elements", shape.number)});
  const auto number = temporary(Op::rem_u32, {before(*shape.from), elements});
  return temporary(Op::mul_u64,
                   {temporary(Op::wide, {number}), parameter("distance", shape.number)});
}

// Modulo how many blocks the cluster has; none of the block's own memory.
std::uint32_t KernelBuilder::rank_of(const ThreadValue* rank) {
  if (!rank) return kNoRegister;
  if (ranks_ == kNoRegister) ranks_ = temporary(Op::ranks, {});
  return temporary(Op::rem_u32, {before(*rank), ranks_});
}

void KernelBuilder::add(const BranchShape& shape) {
  Instruction made{.op = shape.op, .line = line_};
  std::vector<Instruction>* const outer = list_;
  if (shape.op == Op::loop) {
    // The condition is computed anew in every pass.
    made.regions.emplace_back();
    list_ = &made.regions[0];
  }
  made.operands = {value(*shape.value)};
  list_ = outer;
  made.values = shape.values;
  made.regions.push_back(region(shape.then));
  if (shape.op == Op::when) made.regions.push_back(region(shape.otherwise));
  list_->push_back(std::move(made));
}

std::vector<Instruction> KernelBuilder::region(const Shapes& list) {
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
std::uint32_t KernelBuilder::value(const ThreadValue& shape) {
  return shape.reads_shared() || shape.is_condition() ? computed(shape) : before(shape);
}

std::uint32_t KernelBuilder::before(const ThreadValue& shape) {
  for (const auto& [known, reg] : values_)
    if (known == shape) return reg;
  std::uint32_t made = 0;
  switch (shape.kind) {
    case ThreadValue::Kind::constant: made = temporary(Op::const_b32, {}, shape.number); break;
    case ThreadValue::Kind::argument:
      made = temporary(Op::word_b32, {parameters_.at(shape.name)});
      break;
    case ThreadValue::Kind::thread: made = temporary(shape.op, {}); break;
    default: {
      std::vector<std::uint32_t> operands;
      for (const ThreadValue& arg : shape.args) operands.push_back(before(arg));
      made = temporary(shape.op, std::move(operands));
    }
  }
  values_.emplace_back(shape, ready(made));
  return made;
}

std::uint32_t KernelBuilder::computed(const ThreadValue& shape) {
  std::vector<std::uint32_t> operands;
  for (const ThreadValue& arg : shape.args) operands.push_back(value(arg));
  const Op op = shape.kind == ThreadValue::Kind::shared ? Op::ld_shared : shape.op;
  const auto type = static_cast<Type>(info(op).result);
  const auto result = add_register(
      type == Type::pred ? fmt::format("p{}", conditions_++) : fmt::format("r{}", words_++), type);
  Instruction& made = timed(op, op == Op::ld_shared ? shape.name : std::string());
  made.result = result;
  made.operands = std::move(operands);
  return result;
}

namespace {

std::string name_of(const AccessShape& shape) {
  if (shape.rank || !shape.box.empty()) return {};
  const Access& access = *shape.access;
  const bool atomic = access.kind == Access::Kind::atomic;
  const std::string space =
      access.space == Space::global ? "" : fmt::format("_{}", gpx::to_string(access.space));
  std::string name =
      fmt::format("{}{}_{}_{}B", atomic ? access.operation : gpx::to_string(access.kind), space,
                  access.pattern.name, shape.width);
  if (access.async) name = "async_" + name;
  if (access.chained) name += "_chain";
  if (access.cache != CacheOp::unspecified)
    name += fmt::format("_{}", gpx::to_string(access.cache));
  return name + fmt::format("_x{}", shape.count);
}

std::string name_of(const ChaseShape& shape) {
  if (shape.from || shape.rank) return {};
  return fmt::format("chase_{}_{}B{}", *shape.buffer, shape.width, cache_suffix(shape.cache));
}

std::string name_of(const OperateShape& shape) {
  if (is_inline_ptx(shape.operation)) return {};
  const std::string source = shape.source ? fmt::format("_{}", shape.source) : std::string();
  const std::string_view data = to_string(shape.data);
  return fmt::format("{}{}{}{}_x{}_streams{}", shape.operation, source, data.empty() ? "" : "_",
                     data, shape.count, shape.streams);
}

/// Of other statements the name does not tell enough.
template <typename Shape>
std::string name_of(const Shape&) {
  return {};
}

}  // namespace

std::string structure_name(const Structure& structure, const Frame& frame) {
  if (structure.body.empty() || frame.placed || !frame.shared.empty()) return {};
  std::string name;
  for (const StatementShape& shape : structure.body) {
    const std::string part = std::visit([](const auto& one) { return name_of(one); }, shape.node);
    if (part.empty()) return {};
    name += (name.empty() ? "" : "_then_") + part;
  }
  if (frame.observe != Frame().observe)
    name = fmt::format("{}_{}", gpx::to_string(frame.observe), name);
  if (structure.registers > 0) name += fmt::format("_r{}", structure.registers);
  if (frame.rehearsed) name += "_rehearsed";
  std::replace(name.begin(), name.end(), '.', '_');
  constexpr std::size_t kLongest = 100;
  if (name.size() > kLongest)
    name = fmt::format("region_{:016x}", XXH3_64bits(name.data(), name.size()));
  return name;
}

Kernel build_kernel(const Structure& structure, const Frame& frame, std::uint32_t threads) {
  return KernelBuilder(structure, frame, threads).run();
}

}  // namespace gpx::codegen
