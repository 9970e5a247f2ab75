// Walking what is timed. Interface: statements.h; covered by tests/lang/statements_test.cpp.
#include "lang/statements.h"

#include <algorithm>

namespace gpx {

void for_each_statement(const std::vector<Statement>& body,
                        const std::function<void(const Statement&)>& visit) {
  for (const Statement& one : body) {
    visit(one);
    if (const auto* when = std::get_if<When>(&one.node)) {
      for_each_statement(when->then, visit);
      for_each_statement(when->otherwise, visit);
    } else if (const auto* loop = std::get_if<While>(&one.node)) {
      for_each_statement(loop->body, visit);
    } else if (const auto* diverge = std::get_if<Diverge>(&one.node)) {
      for_each_statement(diverge->body, visit);
    }
  }
}

bool is_only_operations(const std::vector<Statement>& body) {
  return std::all_of(body.begin(), body.end(), [](const Statement& one) {
    return std::holds_alternative<Operate>(one.node) || std::holds_alternative<Sync>(one.node) ||
           std::holds_alternative<Code>(one.node);
  });
}

}  // namespace gpx
