// Accesses: the address of every place, loads and stores.
// Interface: codegen/lower/structure_build.h.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "codegen/lower/structure_build.h"
#include "lang/atomics.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

/// Of the widths 1, 2, 4, 8 and 16 bytes.
using Widths = std::array<Op, 5>;
constexpr Widths kLoads = {Op::ld_b8, Op::ld_b16, Op::ld_b32, Op::ld_b64, Op::ld_b128};
constexpr Widths kStores = {Op::st_b8, Op::st_b16, Op::st_b32, Op::st_b64, Op::st_b128};
constexpr Widths kSharedLoads = {Op::lds_b8, Op::lds_b16, Op::lds_b32, Op::lds_b64, Op::lds_b128};
constexpr Widths kRankLoads = {Op::ldr_b8, Op::ldr_b16, Op::ldr_b32, Op::ldr_b64, Op::ldr_b128};
constexpr Widths kRankStores = {Op::str_b8, Op::str_b16, Op::str_b32, Op::str_b64, Op::str_b128};
constexpr Widths kSharedStores = {Op::sts_b8, Op::sts_b16, Op::sts_b32, Op::sts_b64, Op::sts_b128};

Op of_width(const Widths& ops, std::uint32_t width) {
  return ops[static_cast<std::size_t>(std::countr_zero(width))];
}

Op word_op(std::uint32_t width) {
  return width == 16 ? Op::word_b128 : width == 8 ? Op::word_b64 : Op::word_b32;
}

/// What an atomic takes: a value that differs among the threads.
Op value_op(AtomicValue value) {
  switch (value) {
    case AtomicValue::word: return Op::word_b32;
    case AtomicValue::number32: return Op::number_f32;
    case AtomicValue::number64: return Op::number_f64;
    case AtomicValue::halves: return Op::number_f16x2;
    case AtomicValue::wide: break;
  }
  return Op::word_u64;
}

Op atomic_op(const AtomicName& atomic) {
  const bool wide = atomic.row->bytes == 8;
  if (atomic.row->compares) return wide ? Op::cas_b64 : Op::cas_b32;
  if (atomic.returns) return wide ? Op::atom_b64 : Op::atom_b32;
  return wide ? Op::red_b64 : Op::red_b32;
}

}  // namespace

std::uint32_t KernelBuilder::scalar(const char* name) const {
  return frame_.accesses == 1 ? parameters_.at(name) : parameter(name, access_);
}

// The address of a place in a buffer, or in a memory of the kernel's own. Places whose offsets lie
// within reach of one address share it, so that a thread needs as few registers as it can.
std::pair<std::uint32_t, std::uint64_t> KernelBuilder::address(const std::string& memory,
                                                               const Place& place) {
  const std::uint64_t window = place.add / kMaxOffset;
  auto [it, is_new] = addresses_.try_emplace({memory, place.offset, window, rank_}, 0);
  if (is_new) {
    std::uint32_t offset = place.offset;
    if (window > 0) {
      const std::uint32_t base = temporary(Op::const_u64, {}, window * kMaxOffset);
      offset = temporary(Op::add_u64, {offset, base});
    }
    const std::string name = fmt::format("a{}", addresses_.size() - 1);
    it->second = rank_ != kNoRegister      ? setup(name, Op::at_rank, {offset, rank_}, 0, memory)
                 : space_ == Space::shared ? setup(name, Op::at_shared, {offset}, 0, memory)
                                           : setup(name, Op::at, {parameters_.at(memory), offset});
    ready_.push_back(it->second);
  }
  return {it->second, place.add % kMaxOffset};
}

void KernelBuilder::add(const AccessShape& shape) {
  const Access::Kind kind = shape.access->kind;
  access_ = shape.number;
  space_ = shape.access->space;
  rank_ = rank_of(shape.rank);
  const PatternCode& pattern = pattern_code(shape.access->pattern.name);
  const std::vector<Place> where =
      pattern.places(*this, {shape.width, shape.count, frame_.spreads.at(shape.access)});
  if (shape.access->async) return copies(shape, where);
  if (kind == Access::Kind::atomic) return atomics(shape, where);
  std::vector<std::uint32_t> values;
  if (kind != Access::Kind::store)
    for (const Place& place : where) values.push_back(load(shape, place));
  if (kind == Access::Kind::load) return;
  if (values.empty()) values.assign(where.size(), stored_value(shape.width));
  for (std::size_t i = 0; i < where.size(); ++i) store(shape, where[i], values[i]);
}

/// A register for what an access gives.
std::uint32_t KernelBuilder::loaded_value(Op op) {
  return add_register(fmt::format("v{}", loads_++), static_cast<Type>(info(op).result));
}

std::uint32_t KernelBuilder::load(const AccessShape& shape, const Place& place) {
  const bool shared = space_ == Space::shared;
  const auto [base, offset] = address(memory_of(space_, false), place);
  const bool ranked = rank_ != kNoRegister;
  const Op op = of_width(ranked ? kRankLoads : shared ? kSharedLoads : kLoads, shape.width);
  const auto value = loaded_value(op);
  list_->push_back({.op = op,
                    .result = value,
                    .operands = {base},
                    .immediate = offset,
                    .cache = shape.access->cache,
                    .line = line_});
  loaded_.push_back(value);
  return value;
}

void KernelBuilder::store(const AccessShape& shape, const Place& place, std::uint32_t value) {
  const bool shared = space_ == Space::shared;
  const auto [base, offset] = address(memory_of(space_, true), place);
  const bool copy = shape.access->kind == Access::Kind::copy;  // its operator belongs to the load
  const bool ranked = rank_ != kNoRegister;
  const Widths& ops = ranked ? kRankStores : shared ? kSharedStores : kStores;
  list_->push_back({.op = of_width(ops, shape.width),
                    .operands = {base, value},
                    .immediate = offset,
                    .cache = copy ? CacheOp::unspecified : shape.access->cache,
                    .line = line_});
}

// Each takes the thread's value; of a chain, the old value that the one before it got: then the
// last one's value is what the end clock waits for.
void KernelBuilder::atomics(const AccessShape& shape, const std::vector<Place>& where) {
  const Access& access = *shape.access;
  const AtomicName& atomic = *find_atomic(access.operation);
  const Op op = atomic_op(atomic);
  const bool ranked = rank_ != kNoRegister;
  const Space space = is_global_memory(access.space) ? Space::global : access.space;
  std::uint32_t value = value_for(value_op(atomic.row->value), "n");
  for (const Place& place : where) {
    const auto [base, offset] = address(memory_of(access.space, true), place);
    std::vector<std::uint32_t> operands = {base, value};
    if (atomic.row->compares) operands.push_back(value);
    Instruction made{.op = op,
                     .operands = std::move(operands),
                     .immediate = offset,
                     .line = line_,
                     .name = atomic.ptx(ranked ? "" : gpx::to_string(space))};
    if (atomic.returns) {
      made.result = loaded_value(op);
      if (access.chained)
        value = made.result;
      else
        loaded_.push_back(made.result);
    }
    list_->push_back(std::move(made));
  }
  if (access.chained && !where.empty()) loaded_.push_back(value);
}

// What a store writes: the thread's number, the same register for all stores of a width.
std::uint32_t KernelBuilder::stored_value(std::uint32_t width) {
  return value_for(word_op(width), "w");
}

// Made of the thread's number, once for each op.
std::uint32_t KernelBuilder::value_for(Op op, const char* prefix) {
  auto [it, is_new] = stored_.try_emplace(op, 0);
  if (is_new)
    it->second =
        ready(setup(fmt::format("{}{}", prefix, stored_.size() - 1), op, {number_of_threads()}));
  return it->second;
}

}  // namespace gpx::codegen
