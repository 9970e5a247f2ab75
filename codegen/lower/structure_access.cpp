// Accesses: the address of every place, loads and stores.
// Interface: codegen/lower/structure_build.h.
#include <fmt/format.h>

#include "codegen/lower/structure_build.h"

namespace gpx::codegen {
namespace {

Op load_op(std::uint32_t width) {
  switch (width) {
    case 1:
      return Op::ld_b8;
    case 2:
      return Op::ld_b16;
    case 8:
      return Op::ld_b64;
    case 16:
      return Op::ld_b128;
    default:
      return Op::ld_b32;
  }
}

Op store_op(std::uint32_t width) {
  switch (width) {
    case 1:
      return Op::st_b8;
    case 2:
      return Op::st_b16;
    case 8:
      return Op::st_b64;
    case 16:
      return Op::st_b128;
    default:
      return Op::st_b32;
  }
}

Op word_op(std::uint32_t width) {
  return width == 16 ? Op::word_b128 : width == 8 ? Op::word_b64 : Op::word_b32;
}

}  // namespace

std::uint32_t KernelBuilder::scalar(const char* name) const {
  return frame_.accesses.size() == 1 ? parameters_.at(name) : parameter(name, access_);
}

// The address of a place in a buffer. Places whose offsets lie within reach of one address share
// it, so that a thread needs as few registers as it can.
std::pair<std::uint32_t, std::uint64_t> KernelBuilder::address(const std::string& buffer,
                                                               const Place& place) {
  const std::uint64_t window = place.add / kMaxOffset;
  auto [it, is_new] = addresses_.try_emplace({buffer, place.offset, window}, 0);
  if (is_new) {
    std::uint32_t offset = place.offset;
    if (window > 0) {
      const std::uint32_t base = temporary(Op::const_u64, {}, window * kMaxOffset);
      offset = temporary(Op::add_u64, {offset, base});
    }
    it->second =
        setup(fmt::format("a{}", addresses_.size() - 1), Op::at, {parameters_.at(buffer), offset});
    ready_.push_back(it->second);
  }
  return {it->second, place.add % kMaxOffset};
}

void KernelBuilder::add(const AccessShape& shape) {
  const Access::Kind kind = shape.access->kind;
  access_ = shape.number;
  const PatternCode& pattern = pattern_code(shape.access->pattern.name);
  const std::vector<Place> where =
      pattern.places(*this, {shape.width, shape.count, frame_.accesses[shape.number]});
  std::vector<std::uint32_t> values;
  if (kind != Access::Kind::store)
    for (const Place& place : where) values.push_back(load(shape, place));
  if (kind == Access::Kind::load) return;
  if (values.empty()) values.assign(where.size(), stored_value(shape.width));
  for (std::size_t i = 0; i < where.size(); ++i) store(shape, where[i], values[i]);
}

std::uint32_t KernelBuilder::load(const AccessShape& shape, const Place& place) {
  const auto [base, offset] = address("data", place);
  const Op op = load_op(shape.width);
  const auto value =
      add_register(fmt::format("v{}", loaded_.size()), static_cast<Type>(info(op).result));
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
  const auto [base, offset] = address("target", place);
  const bool copy = shape.access->kind == Access::Kind::copy;  // its operator belongs to the load
  list_->push_back({.op = store_op(shape.width),
                    .operands = {base, value},
                    .immediate = offset,
                    .cache = copy ? CacheOp::unspecified : shape.access->cache,
                    .line = line_});
}

// What a store writes: the thread's number, the same register for all stores of a width.
std::uint32_t KernelBuilder::stored_value(std::uint32_t width) {
  auto [it, is_new] = stored_.try_emplace(word_op(width), 0);
  if (is_new) {
    it->second = setup(fmt::format("w{}", stored_.size() - 1), it->first, {number_of_threads()});
    ready_.push_back(it->second);
  }
  return it->second;
}

}  // namespace gpx::codegen
