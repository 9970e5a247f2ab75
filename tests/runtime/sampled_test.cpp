// What tells sampled times from measured ones.
#include "runtime/measure/sampled.h"

#include <doctest/doctest.h>

#include <limits>

using namespace gpx;

namespace {

Column column(const char* name, std::vector<double> numbers) {
  return {name, Unit::none, Column::Role::observed, false, std::move(numbers), {}};
}

}  // namespace

TEST_CASE("times of samples are counted, with the worst error") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Samples samples{{column("time", {1, 2, 3, none}), column("blocks_run", {8, 100, 9, none}),
                         column("sample_error", {0.01, 0, 0.0421, none}),
                         column("blocks", {100, 100, 100, 100})}};
  const auto sampled = sampled_times(samples);
  REQUIRE(sampled.has_value());
  CHECK(sampled->rows == 2);
  CHECK(sampled->of_rows == 3);
  CHECK(to_string(*sampled) ==
        "2 of 3 times are of a sample of the grid's blocks, known to ±4.3 % or better (columns "
        "blocks_run and sample_error); --whole runs all");
  CHECK(shown_name(samples, samples.columns[0], {}) == "time (sampled)");
  CHECK(shown_name(samples, samples.columns[1], {}) == "blocks_run");
}

TEST_CASE("a sampled time says what blocks its sample may have missed") {
  const Samples samples{{column("time", {1, 2}), column("blocks_run", {8, 100}),
                         column("sample_error", {0.1, 0.1}), column("blocks", {1000, 1000}),
                         column("blocks_counted", {300, 1000})}};
  const auto sampled = sampled_times(samples);
  REQUIRE(sampled.has_value());
  CHECK(sampled->unseen == doctest::Approx(0.01));
  CHECK(to_string(*sampled).ends_with(
      "sample_error); what fewer than 1 block in 100 does may be missing; --whole runs all"));
}

TEST_CASE("what is derived of a sampled time is of a sample, too") {
  const Samples samples{{column("time", {1}), column("rate", {2}), column("share", {3}),
                         column("waves", {4}), column("blocks_run", {8}),
                         column("sample_error", {0.01}), column("blocks", {100})}};
  const auto name = [](const char* text) {
    Expr expr;
    expr.kind = Expr::Kind::name;
    expr.text = text;
    return expr;
  };
  const auto half = [](Expr of) {
    Expr expr;
    expr.kind = Expr::Kind::binary;
    expr.op = Expr::Op::div;
    expr.args = {std::move(of), Expr::number(2)};
    return expr;
  };
  Experiment experiment;
  experiment.derived = {
      {"rate", Unit::none, ""}, {"share", Unit::none, ""}, {"waves", Unit::none, ""}};
  experiment.measures[0].derived = {half(name("time")), half(name("rate")), half(name("blocks"))};
  CHECK(shown_name(samples, samples.columns[1], experiment) == "rate (sampled)");
  CHECK(shown_name(samples, samples.columns[2], experiment) == "share (sampled)");
  CHECK(shown_name(samples, samples.columns[3], experiment) == "waves");
}

TEST_CASE("where all blocks were run nothing is said") {
  const Samples whole{{column("time", {1}), column("blocks_run", {8}), column("sample_error", {0}),
                       column("blocks", {8})}};
  CHECK_FALSE(sampled_times(whole).has_value());
  CHECK_FALSE(sampled_times({{column("latency", {1})}}).has_value());
  CHECK(shown_name(whole, whole.columns[0], {}) == "time");
}
