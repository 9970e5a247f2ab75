// The checker beyond the goldens: lang/language.h.
#include <doctest/doctest.h>

#include "lang/language.h"

using namespace gpx;

namespace {

Result<std::vector<Experiment>> run(const std::string& text,
                                    const std::vector<Setting>& settings = {}) {
  const Source source("t", text);
  const auto ast = parse(source);
  if (!ast) return tl::unexpected<Error>(ast.error());
  return check(*ast, source, settings);
}

Experiment only(const std::string& text, const std::vector<Setting>& settings = {}) {
  auto result = run(text, settings);
  if (!result) FAIL(render(result.error()));
  REQUIRE(result->size() == 1);
  return result->at(0);
}

std::string errors(const std::string& text, const std::vector<Setting>& settings = {}) {
  const auto result = run(text, settings);
  std::string out;
  if (!result)
    for (const Diagnostic& diagnostic : result.error().diagnostics)
      out += diagnostic.message + "\n";
  return out;
}

double number(const Experiment& e, const Expr& expr, std::uint64_t point) {
  const auto values = e.sweep.at(point);
  return std::get<Quantity>(*evaluate(expr, e.scope(values))).value;
}

}  // namespace

TEST_CASE("the mission's line is a whole experiment") {
  const Experiment e = only("sweep threads 2..1024 step 2 < load unique(128B) x3 >");
  CHECK(e.name == "line1");
  CHECK(e.sweep.points() == 512);
  CHECK(number(e, e.measures[0].threads, 511) == 1024);
  CHECK(e.measures[0].blocks.quantity.value == 1);
  CHECK(e.repeat == 1);
  CHECK(e.measures[0].observe == Observe::latency);
  CHECK_FALSE(e.measures[0].flush.has_value());
  const auto& access = std::get<Access>(e.measures[0].body.at(0).node);
  CHECK(access.kind == Access::Kind::load);
  CHECK(access.pattern.kind == Pattern::Kind::unique);
  CHECK(access.pattern.args.at(0).quantity == Quantity{128, Unit::byte});
  CHECK(access.width.quantity == Quantity{4, Unit::byte});
  CHECK(access.count.quantity.value == 3);
}

TEST_CASE("an axis and a pattern may share a name") {
  const Experiment e = only(
      "sweep zip(merge in [1, 2], n in [1, 3]), threads 2..4 step 2 "
      "< load merge(merge, 128B) x n >");
  const auto& access = std::get<Access>(e.measures[0].body.at(0).node);
  CHECK(access.pattern.kind == Pattern::Kind::merge);
  CHECK(number(e, access.pattern.args.at(0), 3) == 2);
  CHECK(number(e, access.count, 3) == 3);
}

TEST_CASE("bare lines are named by their order, experiments keep their names") {
  const auto result =
      run("< load broadcast >\nexperiment a { < load broadcast > }\n< load broadcast >");
  REQUIRE(result.has_value());
  REQUIRE(result->size() == 3);
  CHECK(result->at(0).name == "line1");
  CHECK(result->at(1).name == "a");
  CHECK(result->at(2).name == "line2");
}

TEST_CASE("threads and blocks stand for what was given, unless an axis shadows them") {
  const Experiment e = only(
      "sweep n 1..4 threads 32 * n blocks threads / 16 "
      "< load merge(threads, 128B) >");
  CHECK(number(e, e.measures[0].blocks, 3) == 8);
  CHECK(number(e, std::get<Access>(e.measures[0].body[0].node).pattern.args[0], 3) == 128);
  const Experiment swept = only("sweep threads 1..4 < load merge(threads, 128B) >");
  CHECK(number(swept, std::get<Access>(swept.measures[0].body[0].node).pattern.args[0], 2) == 3);
}

TEST_CASE("a word of an axis can be compared with") {
  const Experiment e =
      only("sweep state in [cold, warm] flush if state == cold < load broadcast >");
  const auto flushed = [&](std::uint64_t point) {
    const auto values = e.sweep.at(point);
    return std::get<bool>(*evaluate(*e.measures[0].flush->condition, e.scope(values)));
  };
  CHECK(flushed(0));
  CHECK_FALSE(flushed(1));
  CHECK(errors("sweep state in [cold, warm] flush if state == clod < load broadcast >") ==
        "unknown name 'clod'\n");
}

TEST_CASE("a sweep of 10^12 points is refused with the count") {
  CHECK(errors("sweep a 1..1000000, b 1..1000000 < load broadcast >") ==
        "this sweep has 1000000000000 points: at most 10000000 can be run\n");
  CHECK(errors("sweep a 1..1000000000000 < load broadcast >") ==
        "this range has 1000000000000 values: an axis may have at most 1000000\n");
  CHECK(only("sweep a 1..1000000 < load broadcast >").sweep.points() == 1000000);
}

TEST_CASE("a value is checked at every point of a sweep, and at its ends where there are many") {
  CHECK(errors("sweep n 1..10 threads 5 - abs(n - 5) < load broadcast >") ==
        "threads is 0 where n = 10: it must be a whole number, at least 1\n");
  CHECK(errors("sweep n 1..500, m 1..500 threads n - m < load broadcast >").find("threads is") ==
        0);
  CHECK(errors("sweep n 1..10 threads 8 / (n - 7) < load broadcast >").find("threads is") == 0);
}

TEST_CASE("a definition that is wrong is one error, not one for each use") {
  CHECK(errors("param a = 1 + 1B\nparam b = a + 1\nthreads b < load broadcast x a >") ==
        "cannot add a plain number and bytes\n");
  CHECK(errors("sweep n 3..1 threads n < load broadcast x n > plot latency over n") ==
        "the range is empty: 3 is above 1\n");
}

TEST_CASE("settings replace parameters and axes, the last of one name counts") {
  const std::string text = "param b = 64B\nsweep n 1..3 < load unique(b) x n >";
  const Experiment e = only(text, {{"b", "1KB"}, {"n", "1"}, {"n", "[2, 5]"}});
  CHECK(e.parameters.at("b") == Value(Quantity{1024, Unit::byte}));
  CHECK(e.sweep.points() == 2);
  CHECK(only(text, {{"n", "2..8 step x2"}}).sweep.points() == 3);
  CHECK(only(text, {{"n", "7"}}).sweep.points() == 1);
  CHECK(only(text, {{"threads", "n * 32"}}).measures[0].threads.kind == Expr::Kind::binary);
}

TEST_CASE("a setting that fits nothing is an error") {
  const std::string text = "param b = 64B\nsweep n 1..3 < load unique(b) x n >";
  CHECK(errors(text, {{"nn", "1"}}) ==
        "no experiment here has a parameter or an axis named 'nn'\n");
  CHECK(errors(text, {{"b", "64"}}) == "'b' is bytes, this is a plain number\n");
  CHECK(errors(text, {{"b", "1KB..2KB step 1KB"}}) == "'b' is a parameter: it takes one value\n");
  CHECK(errors(text, {{"n", "0..1"}}).find("the count is 0") == 0);
  CHECK(errors(text, {{"threads", "1..4"}}) ==
        "'threads' is not swept in 'line1': it takes one value\n");
  CHECK(errors(text, {{"n", ""}}) ==
        "expected a value, a range or a list, found the end of the text\n");
}

TEST_CASE("a scope gives parameters and the axes' values at a point") {
  const Experiment e = only("param p = 5\nsweep n 1..3 < load broadcast x n >");
  const auto point = e.sweep.at(1);
  const Scope scope = e.scope(point);
  REQUIRE(scope("n"));
  CHECK(*scope("n") == Value(Quantity{2, Unit::none}));
  CHECK(*scope("p") == Value(Quantity{5, Unit::none}));
  CHECK(scope("q") == nullptr);
}

TEST_CASE("a canonical finding has its keys as given, without spaces") {
  CHECK(canonical_finding("a.b", {}) == "a.b");
  CHECK(canonical_finding("a.b", {{"merge", Quantity{2}}, {"n", Quantity{1}}}) ==
        "a.b[merge=2,n=1]");
  CHECK(canonical_finding("a", {{"size", Quantity{1024, Unit::byte}},
                                {"op", std::string("add")}}) == "a[size=1KB,op=add]");
}
