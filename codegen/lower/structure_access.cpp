// The address of every access, as experiment.h's Pattern defines it.
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

std::string KernelBuilder::suffix() const {
  return accesses_ == 1 ? "" : std::to_string(access_);
}

std::uint32_t KernelBuilder::scalar(const char* name) const {
  return parameters_.at(name + suffix());
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

std::vector<KernelBuilder::Place> KernelBuilder::places(const AccessShape& shape) {
  switch (shape.pattern) {
    case Pattern::Kind::unique: {
      const auto offset = temporary(Op::mul_u64, {number_of_threads(), scalar("pitch")});
      return apart(offset, shape.count, shape.span);
    }
    case Pattern::Kind::merge: {
      // t / k as the high half of 2t * ceil(2^63 / k): a division is a subroutine, and a kernel
      // that has run one meets a colder instruction cache in its timed region (on an H100, 60
      // clocks more wherever a scheduler holds a second warp).
      const auto twice = temporary(Op::add_u64, {number_of_threads(), number_of_threads()});
      const auto block = temporary(Op::mulhi_u64, {twice, scalar("reciprocal")});
      const auto offset = temporary(Op::mul_u64, {block, scalar("pitch")});
      return apart(offset, shape.count, shape.span);
    }
    case Pattern::Kind::stride: {
      const auto offset = temporary(Op::mul_u64, {number_of_threads(), scalar("pitch")});
      return apart(offset, shape.count, shape.width);
    }
    case Pattern::Kind::broadcast:
      return broadcast(shape);
    case Pattern::Kind::random:
      return random(shape);
  }
  return {};
}

std::vector<KernelBuilder::Place> KernelBuilder::apart(std::uint32_t offset, std::uint32_t count,
                                                       std::uint64_t by) {
  std::vector<Place> made;
  for (std::uint32_t i = 0; i < count; ++i) made.push_back({offset, i * by});
  return made;
}

std::vector<KernelBuilder::Place> KernelBuilder::broadcast(const AccessShape& shape) {
  if (shape.pitch) return apart(temporary(Op::const_u64, {}, 0), shape.count, *shape.pitch);
  std::vector<Place> made;
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    const auto index = temporary(Op::const_u64, {}, i);
    made.push_back({temporary(Op::mul_u64, {index, scalar("pitch")}), 0});
  }
  return made;
}

// splitmix64 of (seed, i, t), scaled to the number of words by the high half of a product.
std::vector<KernelBuilder::Place> KernelBuilder::random(const AccessShape& shape) {
  const auto width = temporary(Op::const_u64, {}, shape.width);
  const auto weyl = temporary(Op::const_u64, {}, 0x9e3779b97f4a7c15ull);
  const auto first = temporary(Op::const_u64, {}, 0xbf58476d1ce4e5b9ull);
  const auto second = temporary(Op::const_u64, {}, 0x94d049bb133111ebull);
  const auto seed = temporary(Op::mul_u64, {scalar("seed"), second});
  const auto thread = temporary(Op::mul_u64, {number_of_threads(), weyl});
  const auto key = temporary(Op::add_u64, {thread, seed});
  const auto shifted = [this](std::uint32_t x, std::uint64_t by) {
    return temporary(Op::shr_u64, {x}, by);
  };
  std::vector<Place> made;
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    const auto index = temporary(Op::const_u64, {}, std::uint64_t{i} << 40);
    auto x = temporary(Op::xor_u64, {key, index});
    x = temporary(Op::mul_u64, {temporary(Op::xor_u64, {x, shifted(x, 30)}), first});
    x = temporary(Op::mul_u64, {temporary(Op::xor_u64, {x, shifted(x, 27)}), second});
    x = temporary(Op::xor_u64, {x, shifted(x, 31)});
    const auto word = temporary(Op::mulhi_u64, {x, scalar("words")});
    made.push_back({temporary(Op::mul_u64, {word, width}), 0});
  }
  return made;
}

void KernelBuilder::access(const AccessShape& shape) {
  const std::vector<Place> where = places(shape);
  std::vector<std::uint32_t> values;
  if (shape.kind != Access::Kind::store)
    for (const Place& place : where) values.push_back(load(shape, place));
  if (shape.kind == Access::Kind::load) return;
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
                    .cache = shape.cache,
                    .line = shape.line});
  loaded_.push_back(value);
  return value;
}

void KernelBuilder::store(const AccessShape& shape, const Place& place, std::uint32_t value) {
  const auto [base, offset] = address("target", place);
  const bool copy = shape.kind == Access::Kind::copy;  // its operator belongs to the load
  list_->push_back({.op = store_op(shape.width),
                    .operands = {base, value},
                    .immediate = offset,
                    .cache = copy ? CacheOp::unspecified : shape.cache,
                    .line = shape.line});
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
