// Points: evaluation of expressions over a sweep. Interface: codegen/lower/points.h.
#include "codegen/lower/points.h"

#include <algorithm>
#include <memory>

namespace gpx::codegen {
namespace {

constexpr int kMaxDepth = 4;  // threads may name blocks, and blocks threads: not for ever

const Expr* built_in(const Measure& measure, std::string_view name) {
  if (name == "threads") return &measure.threads;
  if (name == "blocks") return &measure.blocks;
  return nullptr;
}

struct AxisPlace {
  std::uint32_t group;
  const Axis* axis;
};

std::optional<AxisPlace> find_axis(const Sweep& sweep, std::string_view name) {
  for (std::uint32_t g = 0; g < sweep.groups.size(); ++g)
    for (const Axis& axis : sweep.groups[g])
      if (axis.name == name) return AxisPlace{g, &axis};
  return std::nullopt;
}

// The scope of a point. What it looks up in `threads` and `blocks` lives in `made`.
class PointScope {
 public:
  PointScope(const Experiment& experiment, const Measure& measure, const SweepCursor& cursor)
      : experiment_(experiment), measure_(measure), cursor_(cursor) {}

  const Value* find(std::string_view name) {
    if (const auto place = find_axis(experiment_.sweep, name))
      return &place->axis->values[cursor_.index()[place->group]];
    const auto parameter = experiment_.parameters.find(std::string(name));
    if (parameter != experiment_.parameters.end()) return &parameter->second;
    const Expr* expr = built_in(measure_, name);
    if (!expr || depth_ >= kMaxDepth) return nullptr;
    ++depth_;
    auto value = evaluate(*expr, [this](std::string_view inner) { return find(inner); });
    --depth_;
    if (!value) return nullptr;
    made_.push_back(std::make_unique<Value>(std::move(*value)));
    return made_.back().get();
  }

 private:
  const Experiment& experiment_;
  const Measure& measure_;
  const SweepCursor& cursor_;
  int depth_ = 0;
  std::vector<std::unique_ptr<Value>> made_;
};

}  // namespace

SweepCursor::SweepCursor(const Sweep& sweep) {
  for (const auto& group : sweep.groups)
    sizes_.push_back(group.empty() ? 1 : static_cast<std::uint32_t>(group.front().values.size()));
  index_.resize(sizes_.size());
}

void SweepCursor::next() {
  for (std::size_t g = sizes_.size(); g-- > 0;) {
    if (++index_[g] < sizes_[g]) return;
    index_[g] = 0;
  }
}

PointExpr::PointExpr(const Experiment& experiment, const Measure& measure, const Expr& expr)
    : experiment_(experiment), measure_(measure), expr_(expr), span_(expr.span) {
  collect(expr, 0);
  std::sort(groups_.begin(), groups_.end());
  groups_.erase(std::unique(groups_.begin(), groups_.end()), groups_.end());
  std::size_t combinations = 1;
  for (std::uint32_t g : groups_) {
    const auto& group = experiment.sweep.groups[g];
    combinations *= group.front().values.size();
  }
  memo_.resize(combinations);
  if (expr.kind != Expr::Kind::name) return;
  if (const auto place = find_axis(experiment.sweep, expr.text)) span_ = place->axis->span;
}

void PointExpr::collect(const Expr& expr, int depth) {
  for_each_name(expr, [&](const Expr& name) {
    if (const auto place = find_axis(experiment_.sweep, name.text)) {
      groups_.push_back(place->group);
    } else if (experiment_.parameters.count(name.text) == 0) {
      const Expr* inner = built_in(measure_, name.text);
      if (inner && depth < kMaxDepth) collect(*inner, depth + 1);
    }
  });
}

const Value* PointExpr::at(const SweepCursor& cursor) {
  std::size_t slot = 0;
  for (std::uint32_t g : groups_) slot = slot * cursor.sizes()[g] + cursor.index()[g];
  std::optional<Value>& memo = memo_[slot];
  if (!memo) memo = evaluate_at(cursor);
  return memo ? &*memo : nullptr;
}

std::optional<Value> PointExpr::evaluate_at(const SweepCursor& cursor) {
  PointScope scope(experiment_, measure_, cursor);
  auto value = evaluate(expr_, [&](std::string_view name) { return scope.find(name); });
  if (value) return std::move(*value);
  error_ = value.error();
  return std::nullopt;
}

}  // namespace gpx::codegen
