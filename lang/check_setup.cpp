// What a kernel does before its region, and what then counts. Interface: check_context.h; covered
// by tests/lang/check_test.cpp.
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

}  // namespace

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
