// Walking what is timed: lang/statements.h.
#include "lang/statements.h"

#include <doctest/doctest.h>

using namespace gpx;

namespace {

Statement of(decltype(Statement::node) node) {
  return {std::move(node), {}};
}

}  // namespace

TEST_CASE("a walk visits the statements of every block, the outer one first") {
  When when;
  when.then = {of(Sync{}), of(Stamp{"a"})};
  when.otherwise = {of(While{{}, {of(Stamp{"b"})}})};
  Diverge diverge;
  diverge.body = {of(Stamp{"c"})};
  const std::vector<Statement> body = {of(when), of(diverge), of(Stamp{"d"})};
  std::string labels;
  std::size_t visits = 0;
  for_each_statement(body, [&](const Statement& one) {
    ++visits;
    if (const auto* stamp = std::get_if<Stamp>(&one.node)) labels += stamp->label;
  });
  CHECK(labels == "abcd");
  CHECK(visits == 8);
  CHECK(count_of<Stamp>(body) == 4);
  CHECK(count_of<Chase>(body) == 0);
}

TEST_CASE("only operations and barriers need nothing warm but their code") {
  CHECK(is_only_operations({}));
  CHECK(is_only_operations({of(Operate{}), of(Sync{})}));
  CHECK_FALSE(is_only_operations({of(Operate{}), of(Chase{})}));
  CHECK_FALSE(is_only_operations({of(While{})}));
}
