// Asynchronous copies: where they lie in shared memory, what announces them and waits for them.
// Interface: codegen/lower/structure_build.h. Covered by tests/codegen/copy_test.cpp.
#include <fmt/format.h>

#include "codegen/lower/structure_build.h"
#include "lang/assert.h"

namespace gpx::codegen {
namespace {

// TMA likes 128; an address of 16 would do.
constexpr std::uint64_t kBulkUnit = 128;

Op copy_op(std::uint32_t width) {
  return width == 4 ? Op::copy_b32 : width == 8 ? Op::copy_b64 : Op::copy_b128;
}

}  // namespace

std::string tensor_name(std::size_t access) {
  return fmt::format("tensor{}", access);
}

std::uint64_t AccessShape::slot_bytes(std::uint32_t threads) const {
  if (access->is_bulk()) return (width + kBulkUnit - 1) / kBulkUnit * kBulkUnit;
  return std::uint64_t{threads} * width;
}

std::uint64_t copied_bytes(const Shapes& body, std::uint32_t threads) {
  std::uint64_t bytes = 0;
  for (const StatementShape& one : body)
    if (const auto* shape = std::get_if<AccessShape>(&one.node); shape && shape->access->async)
      bytes += shape->slots() * shape->slot_bytes(threads);
  return bytes;
}

// Each has a place of its own, as the one before it need not be there yet; of a chain all have one.
void KernelBuilder::copies(const AccessShape& shape, const std::vector<Place>& where) {
  const std::uint64_t unit = shape.slot_bytes(kernel_.threads);
  space_ = Space::shared;
  const std::uint32_t own =
      shape.access->is_bulk() ? temporary(Op::const_u64, {}, 0)
                              : temporary(Op::mul_u64, {thread_of_pattern(),
                                                        temporary(Op::const_u64, {}, shape.width)});
  if (shape.access->is_tensor()) {
    const auto zero = temporary(Op::const_u64, {}, 0);
    map_ = ready(setup(fmt::format("map{}", shape.number), Op::at,
                       {parameters_.at(tensor_name(shape.number)), zero}));
    corner_ = ready(temporary(Op::word_b32, {where.front().offset}));
  }
  for (std::size_t i = 0; i < where.size(); ++i) {
    copy(shape, where[i], {own, copied_ + (shape.access->chained ? 0 : i * unit)});
    if (shape.access->chained) wait();
  }
  copied_ += shape.slots() * unit;
}

// The first bulk load of a phase announces the bytes of all of them.
void KernelBuilder::copy(const AccessShape& shape, const Place& from, const Place& to) {
  const bool bulk = shape.access->is_bulk();
  const bool store = shape.access->kind == Access::Kind::store;
  const bool tensor = shape.access->is_tensor();
  space_ = Space::shared;
  const auto [shared, target] = address(kCopied, to);
  if (bulk && !store) {
    if (!expect_) {
      expect_ = list_->size();
      timed(Op::bulk_expect, {});
    }
    (*list_)[*expect_].immediate += shape.width;
  }
  stores_ |= store;
  copies_ |= !bulk;
  if (tensor)
    return list_->push_back({.op = store ? Op::tensor_store : Op::tensor_load,
                             .operands = {map_, corner_, scalar("pitch"), shared},
                             .immediate = from.add * shape.box.back(),
                             .line = line_,
                             .count = shape.width,
                             .target = target,
                             .box = shape.box});
  space_ = Space::global;
  const auto [global, offset] = address(memory_of(space_, store), from);
  const Op op = !bulk ? copy_op(shape.width) : store ? Op::bulk_store : Op::bulk_load;
  Instruction made{
      .op = op, .operands = {global, shared}, .immediate = offset, .line = line_, .target = target};
  if (bulk) made.count = shape.width;
  if (!bulk)
    made.cache = shape.access->cache == CacheOp::unspecified ? CacheOp::ca : shape.access->cache;
  list_->push_back(std::move(made));
}

void KernelBuilder::wait() {
  GPX_ASSERT(copies_ || stores_ || expect_);
  if (copies_) timed(Op::copy_wait, {});
  if (expect_) timed(Op::bulk_wait, {});
  if (stores_) timed(Op::bulk_group, {});
  copies_ = stores_ = false;
  expect_.reset();
}

}  // namespace gpx::codegen
