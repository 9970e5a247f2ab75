#include "runtime/analysis/expectation.h"

#include <doctest/doctest.h>

using namespace gpx;

namespace {

Expr finding(std::string name) {
  Expr expr;
  expr.kind = Expr::Kind::finding;
  expr.text = std::move(name);
  return expr;
}

Expr word(std::string text) {
  Expr expr;
  expr.kind = Expr::Kind::word;
  expr.text = std::move(text);
  return expr;
}

Expr binary(Expr::Op op, Expr left, Expr right) {
  Expr expr;
  expr.kind = Expr::Kind::binary;
  expr.op = op;
  expr.args = {std::move(left), std::move(right)};
  return expr;
}

Expr negation(Expr inner) {
  Expr expr;
  expr.kind = Expr::Kind::unary;
  expr.op = Expr::Op::not_;
  expr.args = {std::move(inner)};
  return expr;
}

Expr range(double low, double high, Unit unit = Unit::none) {
  Expr expr;
  expr.kind = Expr::Kind::range;
  expr.args = {Expr::number(low, unit), Expr::number(high, unit)};
  return expr;
}

std::vector<Finding> findings() {
  Finding entries;
  entries.name = "entries";
  entries.value = 44.0;
  entries.unit = "entries";
  entries.low = 42;
  entries.high = 45;
  entries.verdict = Verdict::measured;
  Finding kind;
  kind.name = "kind";
  kind.value = std::string("PRT");
  kind.verdict = Verdict::measured;
  Finding none;
  none.name = "saturation[n=1]";
  none.verdict = Verdict::not_observed;
  none.note = "no step";
  Finding open;
  open.name = "merge";
  open.value = 8.0;
  open.low = 8;
  open.verdict = Verdict::measured;
  Finding bytes;
  bytes.name = "l2";
  bytes.value = 786432.0;
  bytes.unit = "B";
  bytes.low = 737280;
  bytes.high = 819200;
  bytes.verdict = Verdict::measured;
  Finding rate;
  rate.name = "bandwidth";
  rate.value = 3e9;
  rate.unit = "B/s";
  rate.verdict = Verdict::measured;
  Finding unsure;
  unsure.name = "unsure";
  unsure.value = 3.0;
  unsure.verdict = Verdict::inconclusive;
  Finding outcome;
  outcome.name = "outcome";
  outcome.verdict = Verdict::inconclusive;
  outcome.note = "completed in 1 sample, deadlock in 1 sample";
  Finding ended;
  ended.name = "outcome[n=2]";
  ended.value = std::string("deadlock");
  ended.verdict = Verdict::measured;
  return {entries, kind, none, open, bytes, rate, unsure, outcome, ended};
}

ExpectationResult judged(Expr condition, const std::string& on = "K20") {
  Experiment experiment;
  experiment.device = "k20";
  experiment.parameters["limit"] = Quantity{40, Unit::none};
  experiment.expects = {{std::move(condition), "as written"}};
  DeviceInfo device;
  device.name = on;
  return judge_expectations(experiment, findings(), device).front();
}

constexpr auto within = Expr::Op::within;
constexpr auto is = Expr::Op::is;

}  // namespace

TEST_CASE("conditions hold or fail with the finding as the reason") {
  struct Case {
    Expr condition;
    bool pass;
    const char* reason;
  };
  using Op = Expr::Op;
  const std::vector<Case> cases = {
      {binary(within, finding("entries"), range(42, 45)), true, ""},
      {binary(within, finding("entries"), range(43, 45)), false, "entries is 44 entries (42..45)"},
      {binary(within, finding("entries"), range(42, 44)), false, "entries is 44 entries (42..45)"},
      {binary(Op::eq, finding("entries"), Expr::number(44)), true, ""},
      {binary(Op::ge, finding("entries"), Expr::name_of("limit")), true, ""},
      {binary(Op::eq, finding("kind"), word("PRT")), true, ""},
      {binary(Op::eq, finding("kind"), word("MSHR")), false, "kind is PRT"},
      {binary(is, finding("saturation[n=1]"), word("not_observed")), true, ""},
      {binary(is, finding("entries"), Expr::name_of("not_observed")), false,
       "entries is 44 entries (42..45)"},
      {binary(Op::eq, finding("saturation[n=1]"), Expr::number(4)), false,
       "saturation[n=1] is not observed: no step"},
      {binary(Op::ne, finding("saturation[n=1]"), Expr::number(4)), false,
       "saturation[n=1] is not observed: no step"},
      {negation(binary(Op::eq, finding("saturation[n=1]"), Expr::number(4))), false,
       "saturation[n=1] is not observed: no step"},
      {negation(binary(Op::eq, finding("kind"), word("MSHR"))), true, ""},
      {binary(within, finding("unsure"), range(0, 9)), false, "unsure is inconclusive"},
      {binary(Op::ge, finding("merge"), Expr::number(8)), true, ""},
      {binary(within, finding("merge"), range(8, 32)), false,
       "merge is 8 (8..): the interval has an open end"},
      {binary(within, finding("l2"), range(720896, 851968, Unit::byte)), true, ""},
      {binary(within, finding("l2"), range(1, 2)), false,
       "cannot compare bytes with a plain number"},
      {binary(within, finding("l2"), range(786432, 851968, Unit::byte)), false,
       "l2 is 768KB (720KB..800KB)"},
      {binary(within, finding("bandwidth"), range(2e9, 4e9, Unit::byte_per_second)), true, ""},
      {binary(within, finding("bandwidth"), range(2e9, 4e9)), true, ""},
      {binary(within, finding("bandwidth"), range(4e9, 5e9, Unit::byte_per_second)), false,
       "bandwidth is 3000000000 B/s"},
      {binary(within, finding("bandwidth"), range(1, 2, Unit::clock)), false,
       "cannot compare a plain number with clocks"},
      {binary(within, binary(Op::div, finding("entries"), Expr::number(2)), range(21, 22.5)), true,
       ""},
      {binary(within, binary(Op::div, finding("entries"), Expr::number(2)), range(21, 22)), false,
       "entries is 44 entries (42..45)"},
      {binary(Op::and_, binary(Op::eq, finding("kind"), word("PRT")),
              binary(Op::eq, finding("kind"), word("MSHR"))),
       false, "kind is PRT"},
      {binary(Op::or_, binary(Op::eq, finding("saturation[n=1]"), Expr::number(1)),
              binary(Op::eq, finding("kind"), word("PRT"))),
       true, ""},
      {binary(Op::eq, finding("outcome[n=2]"), Expr::name_of("deadlock")), true, ""},
      {binary(Op::eq, finding("outcome[n=2]"), word("deadlock")), true, ""},
      {binary(Op::eq, finding("outcome[n=2]"), Expr::name_of("completed")), false,
       "outcome[n=2] is deadlock"},
      {binary(Op::eq, Expr::name_of("outcome"), Expr::name_of("deadlock")), false,
       "outcome is inconclusive: completed in 1 sample, deadlock in 1 sample"},
      {negation(binary(Op::eq, Expr::name_of("outcome"), Expr::name_of("deadlock"))), false,
       "outcome is inconclusive: completed in 1 sample, deadlock in 1 sample"},
      {binary(Op::eq, finding("entry"), Expr::number(1)), false,
       "no such finding: entry; found: entries, kind, saturation[n=1], merge, l2, bandwidth, "
       "unsure, outcome, "
       "outcome[n=2]"}};
  for (const Case& one : cases) {
    const ExpectationResult result = judged(one.condition);
    CHECK_MESSAGE(result.pass == one.pass, to_string(one.condition));
    CHECK_MESSAGE(result.reason == one.reason, to_string(one.condition));
    CHECK(result.text == "as written");
  }
}

TEST_CASE("an expectation applies on the device that the experiment names, in any case") {
  const Expr condition = binary(Expr::Op::eq, finding("kind"), word("PRT"));
  CHECK(judged(condition, "k20").applies);
  CHECK(judged(condition, "K20").applies);
  CHECK_FALSE(judged(condition, "k20m").applies);
  CHECK_FALSE(judged(condition, "NVIDIA H100 80GB HBM3").applies);
  Experiment anywhere;
  anywhere.expects = {{condition, ""}};
  CHECK(judge_expectations(anywhere, findings(), DeviceInfo{}).front().applies);
}

TEST_CASE("a claim is supported or not, and never an error") {
  Experiment experiment;
  experiment.claims = {
      {"nearly 32X", binary(within, finding("entries"), range(28, 36)), "c", "LA9"},
      {"a PRT", binary(Expr::Op::eq, finding("kind"), word("PRT")), "d", "LA9"}};
  const auto results = judge_claims(experiment, findings());
  REQUIRE(results.size() == 2);
  CHECK_FALSE(results[0].supported);
  CHECK(results[0].reason == "entries is 44 entries (42..45)");
  CHECK(results[0].sentence == "nearly 32X");
  CHECK(results[0].cite == "LA9");
  CHECK(results[1].supported);
  CHECK(results[1].reason.empty());
}

TEST_CASE("paper values go beside their findings, and those without one are named") {
  Experiment experiment;
  experiment.papers = {{"entries", Quantity{44, Unit::none}, Quantity{45, Unit::none}, "LA9"},
                       {"nothing", Quantity{1, Unit::none}, std::nullopt, "LA1"}};
  std::vector<Finding> made = findings();
  CHECK(attach_paper_values(experiment, made) == std::vector<std::string>{"nothing"});
  REQUIRE(made[0].paper);
  CHECK(std::get<Quantity>(made[0].paper->value).value == 44);
  CHECK(made[0].paper->high == 45.0);
  CHECK(made[0].paper->cite == "LA9");
  CHECK_FALSE(made[1].paper);
}
