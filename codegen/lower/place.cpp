// Settings of an SM, and places. Interface: codegen/lower/place.h.
#include "codegen/lower/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

constexpr std::uint64_t kAbsent =
    kWord;  // The SM of a block that a point leaves out: there is none.

}  // namespace

SettingsLowering::SettingsLowering(LowerContext& context) : context_(context) {
  if (context.measure.bank_width) bank_width_.emplace(context.expr(*context.measure.bank_width));
  if (context.measure.carveout) carveout_.emplace(context.expr(*context.measure.carveout));
}

bool SettingsLowering::point(const SweepCursor& at, Launch& launch) {
  return bank_width(at, launch) && carveout(at, launch);
}

bool SettingsLowering::bank_width(const SweepCursor& at, Launch& launch) {
  if (!bank_width_) return true;
  const auto width = context_.whole(*bank_width_, at, "bank_width", 1, 64);
  if (!width) return false;
  const auto& widths = context_.limits.bank_widths;
  if (std::find(widths.begin(), widths.end(), *width) == widths.end()) {
    context_.blame(bank_width_->span(),
                   fmt::format("a bank width of {} B: the banks of this device are {} B wide",
                               *width, fmt::join(widths, " or ")),
                   widths.size() == 1 ? "they cannot be set" : "");
    return false;
  }
  launch.bank_width = static_cast<std::uint32_t>(*width);
  return true;
}

// A plain number is percent of the most that shared memory can have.
bool SettingsLowering::carveout(const SweepCursor& at, Launch& launch) {
  if (!carveout_) return true;
  const std::uint64_t most = context_.limits.shared_split;
  if (most == 0) {
    context_.blame(carveout_->span(),
                   "this device has no memory that L1 and shared memory divide between them");
    return false;
  }
  const Value* value = context_.value(*carveout_, at);
  const Quantity* amount = value ? std::get_if<Quantity>(value) : nullptr;
  const bool percent = amount && amount->unit == Unit::none;
  const auto wanted = context_.whole(*carveout_, at, "carveout", 0, percent ? 100 : most);
  if (!wanted) return false;
  launch.carveout = percent ? most * *wanted / 100 : *wanted;
  return true;
}

PlaceLowering::PlaceLowering(LowerContext& context, Numbering& numbers) : context_(context) {
  if (!context.measure.place) return;
  place_.emplace(context.expr(*context.measure.place));
  for (const Companion& one : context.measure.companions) {
    std::optional<PointExpr> condition;
    if (one.condition) condition.emplace(context.expr(*one.condition));
    beside_.push_back({context.expr(one.sm), std::move(condition),
                       BodyLowering(context, one.body, numbers, false)});
    for (const ArrayLowering& array : beside_.back().body.arrays()) {
      const Space space = array.array().space;
      if (space == Space::shared || space == Space::local)
        context.blame(one.span,
                      fmt::format("{} memory is of a block alone: a block beside it cannot "
                                  "use the array {}",
                                  gpx::to_string(space), array.array().name));
    }
  }
}

std::optional<std::uint64_t> PlaceLowering::sm(PointExpr& expr, const SweepCursor& at) {
  const auto number = context_.whole(expr, at, "the SM", 0, kAbsent - 1);
  if (!number || *number < context_.limits.sm_count) return number;
  context_.blame(expr.span(), fmt::format("there is no SM {}: the device has {}, the first is SM 0",
                                          *number, context_.limits.sm_count));
  return std::nullopt;
}

std::optional<bool> PlaceLowering::present(Beside& beside, const SweepCursor& at) {
  if (!beside.condition) return true;
  const Value* value = context_.value(*beside.condition, at);
  const bool* truth = value ? std::get_if<bool>(value) : nullptr;
  return truth ? std::optional(*truth) : std::nullopt;
}

bool PlaceLowering::point(const SweepCursor& at, Launch& launch) {
  if (!place_) return true;
  const auto own = sm(*place_, at);
  if (!own) return false;
  std::vector<std::uint64_t> sms = {*own};
  launch.placed = 1;
  for (Beside& beside : beside_) {
    const auto there = present(beside, at);
    const auto number = sm(beside.sm, at);
    if (!there || !number) return false;
    sms.push_back(*there ? *number : kAbsent);
    launch.placed += *there ? 1 : 0;
  }
  launch.scalars.push_back(launch.placed);
  launch.scalars.insert(launch.scalars.end(), sms.begin(), sms.end());
  return true;
}

bool PlaceLowering::bodies(const SweepCursor& at, std::vector<std::uint64_t>& shape,
                           std::vector<std::uint64_t>& scalars) {
  return std::all_of(beside_.begin(), beside_.end(),
                     [&](Beside& beside) { return beside.body.point(at, 0, shape, scalars); });
}

void PlaceLowering::scalar_names(std::vector<std::string>& out) const {
  if (!place_) return;
  out.emplace_back("blocks_met");
  for (std::size_t i = 0; i <= beside_.size(); ++i) out.push_back(fmt::format("sm{}", i));
}

void PlaceLowering::body_scalar_names(std::vector<std::string>& out) const {
  for (const Beside& beside : beside_) beside.body.scalar_names(out);
}

void PlaceLowering::add_arrays(std::vector<const ArrayLowering*>& list) const {
  for (const Beside& beside : beside_)
    for (const ArrayLowering& array : beside.body.arrays())
      if (std::none_of(list.begin(), list.end(), [&](const ArrayLowering* known) {
            return known->buffer() == array.buffer();
          }))
        list.push_back(&array);
}

void PlaceLowering::structure(const std::uint64_t*& next, Structure& made) const {
  made.placed = place_.has_value();
  for (const Beside& beside : beside_) {
    Structure other;
    other.observe = Observe::time;
    other.threads = made.threads;
    other.buffers = made.buffers;
    other.scalars = made.scalars;
    beside.body.structure(next, other);
    made.beside.push_back(std::move(other));
  }
}

void PlaceLowering::results(std::vector<ResultSlot>& slots) const {
  if (!place_) return;
  slots.push_back({"over", 0, ResultSlot::Role::scratch});
  slots.push_back({std::string(kMet), 0, ResultSlot::Role::scratch});
  for (std::size_t i = 0; i <= beside_.size(); ++i)
    slots.push_back({fmt::format("claim{}", i), 0, ResultSlot::Role::scratch});
}

std::uint32_t PlaceLowering::grid() const {
  return static_cast<std::uint32_t>(std::max(context_.limits.sm_count, 1u) * (beside_.size() + 1));
}

}  // namespace gpx::codegen
