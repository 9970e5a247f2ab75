// What a kernel does before its region, and what then counts. Interface: check_context.h; covered
// by tests/lang/check_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "lang/check_context.h"
#include "lang/statements.h"

namespace gpx {
namespace {

/// The statement's memory is in the block, and each launch fills it first.
bool fills_shared(const Experiment& experiment, const Statement& statement) {
  if (const auto* access = std::get_if<Access>(&statement.node))
    return access->async || access->space == Space::shared;
  const auto* chase = std::get_if<Chase>(&statement.node);
  if (!chase) return false;
  const auto array = std::ranges::find(experiment.arrays, chase->array, &Array::name);
  return array != experiment.arrays.end() && array->space == Space::shared;
}

/// The word of a reduction in memory, where the access is one at some point; "": it never is.
std::string reduction_of(const Experiment& experiment, const Access& access) {
  constexpr std::string_view kReduction = "red.";
  if (access.by.kind.empty())
    return access.operation.starts_with(kReduction) ? access.operation : std::string();
  for (const Axis* axis : experiment.sweep.axes()) {
    if (axis->name != access.by.kind) continue;
    for (const Value& value : axis->values)
      if (const auto* word = std::get_if<std::string>(&value);
          word && word->starts_with(kReduction))
        return *word;
  }
  return {};
}

}  // namespace

void warn_of_reductions(CheckContext& context) {
  Experiment& experiment = context.experiment;
  for (const Measure& measure : experiment.measures) {
    if (measure.observe != Observe::latency) continue;
    const Statement* found = nullptr;
    std::string word;
    for_each_statement(measure.body, [&](const Statement& one) {
      const auto* access = std::get_if<Access>(&one.node);
      if (found || !access) return;
      word = reduction_of(experiment, *access);
      if (!word.empty()) found = &one;
    });
    if (!found) continue;
    experiment.warnings.push_back(
        {fmt::format("{} returns no value to wait for: 'latency' is the time of its issue alone; "
                     "take atom, or the slope of 'time'",
                     word),
         context.problems.source().locate(found->span),
         "'observe time' is of the whole grid; its slope over the number of accesses is theirs"});
    return;
  }
}

void warn_of_setup_time(CheckContext& context) {
  Experiment& experiment = context.experiment;
  for (const Measure& measure : experiment.measures) {
    if (measure.observe != Observe::time) continue;
    const Statement* filled = nullptr;
    for_each_statement(measure.body, [&](const Statement& one) {
      if (!filled && fills_shared(experiment, one)) filled = &one;
    });
    if (!filled) continue;
    experiment.warnings.push_back(
        {"'time' is the whole kernel's, which fills shared memory first: only its slope over the "
         "count of accesses is the region's",
         context.problems.source().locate(filled->span), "'observe latency' has the region alone"});
    return;
  }
}

}  // namespace gpx
