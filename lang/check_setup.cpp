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

bool gives_nothing(std::string_view word) {
  return word == "store" || word.starts_with("red.");
}

/// The word of an access without a result, where it is one at some point; "": it never is. What is
/// asynchronous is waited for, or refused.
std::string resultless(const Experiment& experiment, const Access& access) {
  if (access.async) return {};
  if (access.by.kind.empty()) {
    const bool store = access.kind == Access::Kind::store;
    const std::string word = store ? "store" : access.operation;
    return gives_nothing(word) ? word : std::string();
  }
  for (const Axis* axis : experiment.sweep.axes()) {
    if (axis->name != access.by.kind) continue;
    for (const Value& value : axis->values)
      if (const auto* word = std::get_if<std::string>(&value); word && gives_nothing(*word))
        return *word;
  }
  return {};
}

/// The first access whose end the clock does not see, and its word. A barrier of the cluster waits
/// for the writes before it.
std::pair<const Statement*, std::string> unseen_write(const Experiment& experiment,
                                                      const Measure& measure) {
  std::pair<const Statement*, std::string> found = {};
  for_each_statement(measure.body, [&](const Statement& one) {
    const auto* sync = std::get_if<Sync>(&one.node);
    if (sync && sync->cluster) found = {};
    const auto* access = std::get_if<Access>(&one.node);
    if (found.first || !access) return;
    if (std::string word = resultless(experiment, *access); !word.empty())
      found = {&one, std::move(word)};
  });
  return found;
}

}  // namespace

void warn_of_unseen_writes(CheckContext& context) {
  Experiment& experiment = context.experiment;
  for (const Measure& measure : experiment.measures) {
    if (measure.observe != Observe::latency) continue;
    const auto [found, word] = unseen_write(experiment, measure);
    if (!found) continue;
    experiment.warnings.push_back(
        {fmt::format("{} returns no value to wait for: 'latency' is the time of its issue alone; "
                     "take {}the slope of 'time'",
                     word, word == "store" ? "" : "atom, or "),
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
