// Walking what is timed: the statements of a measure with those inside their blocks.
// Covered by tests/lang/statements_test.cpp.
#pragma once

#include <functional>
#include <vector>

#include "lang/experiment.h"

namespace gpx {

/// Calls `visit` with each statement, an outer one before those of its blocks, in the order of the
/// text.
void for_each_statement(const std::vector<Statement>& body,
                        const std::function<void(const Statement&)>& visit);

/// True for a body of operations, code and barriers alone: its threads need nothing warm but its
/// code.
bool is_only_operations(const std::vector<Statement>& body);

/// Statements of one kind, anywhere in the body.
template <typename T>
std::size_t count_of(const std::vector<Statement>& body) {
  std::size_t count = 0;
  for_each_statement(body,
                     [&](const Statement& one) { count += std::holds_alternative<T>(one.node); });
  return count;
}

}  // namespace gpx
