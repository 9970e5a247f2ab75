// Settings of an SM, and places. Interface: codegen/lower/place.h.
#include "codegen/lower/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/lists.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

/// The SM of a block that a point leaves out: there is none.
constexpr std::uint64_t kAbsent = 0xffff'ffff;

std::uint32_t bank_width(LowerContext& context, const Expr& expr) {
  const std::uint64_t width = context.whole(expr, rules::bank_width);
  const auto& widths = context.limits.bank_widths;
  if (!contains(widths, width))
    context.blame(context.of(expr).span(),
                  fmt::format("a bank width of {} B: the banks of this device are {} B wide", width,
                              fmt::join(widths, " or ")),
                  widths.size() == 1 ? "they cannot be set" : "");
  return static_cast<std::uint32_t>(width);
}

// A plain number is percent of the most that shared memory can have.
std::uint64_t carveout(LowerContext& context, const Expr& expr) {
  const std::uint64_t most = context.limits.shared_split;
  const Value* value = context.value(expr);
  const Quantity* amount = value ? std::get_if<Quantity>(value) : nullptr;
  if (amount && amount->unit == Unit::none)
    return most * context.whole(expr, rules::carveout_percent) / 100;
  const std::uint64_t bytes = context.whole(expr, rules::carveout);
  if (bytes > most && most > 0)
    context.blame(context.of(expr).span(),
                  fmt::format("a carveout of {} bytes: shared memory can have {}", bytes, most));
  return bytes;
}

}  // namespace

void set_memories(LowerContext& context, Launch& launch) {
  const Measure& measure = context.measure;
  if (measure.bank_width) launch.bank_width = bank_width(context, *measure.bank_width);
  if (!measure.carveout) return;
  if (context.limits.shared_split == 0)
    context.blame(context.of(*measure.carveout).span(),
                  "this device has no memory that L1 and shared memory divide between them");
  launch.carveout = carveout(context, *measure.carveout);
}

PlaceLowering::PlaceLowering(LowerContext& context, Numbering& numbers) : context_(context) {
  GPX_ASSERT(context.measure.place || context.measure.companions.empty());
  for (const Companion& one : context.measure.companions) {
    beside_.emplace_back(context, one.body, numbers, false);
    for (const ArrayLowering& array : beside_.back().arrays()) {
      const Space space = array.array().space;
      if (space == Space::shared || space == Space::local)
        context.blame(one.span, fmt::format("{} memory is of a block alone: a co-runner cannot "
                                            "use the array {}",
                                            gpx::to_string(space), array.array().name));
    }
  }
}

std::uint64_t PlaceLowering::sm(const Expr& expr) {
  const std::uint64_t number = context_.whole(expr, rules::sm);
  if (number >= context_.limits.sm_count)
    context_.blame(context_.of(expr).span(),
                   fmt::format("there is no SM {}: the device has {}, the first is SM 0", number,
                               context_.limits.sm_count));
  return number;
}

void PlaceLowering::point(Launch& launch) {
  if (!context_.measure.place) return;
  std::vector<std::uint64_t> sms = {sm(*context_.measure.place)};
  launch.placed = 1;
  for (const Companion& one : context_.measure.companions) {
    const bool there = context_.holds(one.condition);
    const std::uint64_t number = sm(one.sm);
    sms.push_back(there ? number : kAbsent);
    launch.placed += there ? 1 : 0;
  }
  context_.scalars.add("blocks_met", launch.placed);
  for (std::size_t i = 0; i < sms.size(); ++i) context_.scalars.add("sm", i, sms[i]);
}

std::vector<Structure> PlaceLowering::bodies() {
  std::vector<Structure> made;
  for (BodyLowering& body : beside_) made.push_back({0, body.point({}), {}});
  return made;
}

void PlaceLowering::add_arrays(std::vector<const ArrayLowering*>& list) const {
  for (const BodyLowering& body : beside_)
    for (const ArrayLowering& array : body.arrays())
      if (std::ranges::none_of(
              list, [&](const ArrayLowering* known) { return known->buffer() == array.buffer(); }))
        list.push_back(&array);
}

void PlaceLowering::frame(Frame& made) {
  made.placed = context_.measure.place.has_value();
  for (BodyLowering& body : beside_) {
    Frame other;
    other.observe = Observe::time;
    other.buffers = made.buffers;
    other.scalars = made.scalars;
    other.rehearsed = made.rehearsed;
    body.frame(other);
    made.beside.push_back(std::move(other));
  }
}

void PlaceLowering::results(std::vector<ResultSlot>& slots) const {
  if (!context_.measure.place) return;
  slots.push_back({"over", 0, ResultSlot::Role::scratch});
  slots.push_back({std::string(kMet), 0, ResultSlot::Role::scratch});
  for (std::size_t i = 0; i <= beside_.size(); ++i)
    slots.push_back({fmt::format("claim{}", i), 0, ResultSlot::Role::scratch});
}

std::uint32_t PlaceLowering::grid() const {
  return static_cast<std::uint32_t>(std::max(context_.limits.sm_count, 1u) * (beside_.size() + 1));
}

}  // namespace gpx::codegen
