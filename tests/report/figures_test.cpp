#include "runtime/report/figures.h"

#include <doctest/doctest.h>

#include "made_results.h"

using namespace gpx;
using namespace gpx::report;

TEST_CASE("there is a panel for each y and a curve for each n") {
  const ExperimentResult result = made::kepler();
  const BuiltFigure built = build_figure(result, result.experiment.plots[0]);
  REQUIRE(built.figure.panels.size() == 2);
  REQUIRE(built.figure.panels[0].curves.size() == 3);
  const Curve& curve = built.figure.panels[0].curves[1];
  CHECK(curve.label == "n=2");
  REQUIRE(curve.x.size() == 32);
  CHECK(curve.x[21] == 704);
  CHECK(curve.y[21] == made::latency(704, 2));
  CHECK(built.left_out == 0);
}

TEST_CASE("without a plot line the innermost axis is x") {
  ExperimentResult result = made::kepler();
  result.experiment.plots.clear();
  const std::vector<Plot> plots = plots_of(result);
  REQUIRE(plots.size() == 1);
  CHECK(plots[0].x == "threads");
  CHECK(plots[0].y == std::vector<std::string>{"latency"});
}

TEST_CASE("an axis of two values is none to plot over where another takes three") {
  ExperimentResult result = made::kepler();
  result.experiment.plots.clear();
  result.experiment.sweep.groups = {{made::axis("threads", 32, 1024, 32)},
                                    {made::axis("n", 1, 2, 1)}};
  const std::vector<Plot> plots = plots_of(result);
  REQUIRE(plots.size() == 1);
  CHECK(plots[0].x == "threads");
  CHECK(build_figure(result, plots[0]).figure.panels[0].curves.size() > 1);
  result.experiment.sweep.groups = {{made::axis("threads", 32, 64, 32)},
                                    {made::axis("n", 1, 2, 1)}};
  CHECK(plots_of(result).empty());
}

TEST_CASE("one point makes no plot") {
  ExperimentResult result = made::kepler();
  result.experiment.plots.clear();
  result.experiment.sweep.groups.clear();
  CHECK(plots_of(result).empty());
}

TEST_CASE("an axis that is zipped with x does not split the curve") {
  ExperimentResult result = made::kepler();
  result.experiment.sweep.groups = {{made::axis("n", 1, 3, 1), made::axis("threads", 1, 3, 1)}};
  for (Column& column : result.curves.columns) column.numbers.resize(3);
  result.curves.columns[0].numbers = {1, 2, 3};
  result.curves.columns[1].numbers = {30, 20, 10};
  const BuiltFigure built = build_figure(result, result.experiment.plots[0]);
  REQUIRE(built.figure.panels[0].curves.size() == 1);
  CHECK(built.figure.panels[0].curves[0].x == std::vector<double>{10, 20, 30});
}

TEST_CASE("more than eight curves are counted, not drawn") {
  ExperimentResult result = made::kepler();
  result.experiment.sweep.groups[0] = {made::axis("n", 1, 12, 1)};
  Column& n = result.curves.columns[0];
  for (std::size_t row = 0; row < n.numbers.size(); ++row)
    n.numbers[row] = static_cast<double>(row / 8);
  const BuiltFigure built = build_figure(result, result.experiment.plots[0]);
  CHECK(built.figure.panels[0].curves.size() == 8);
  CHECK(built.left_out == 4);
}

TEST_CASE("words on x take the places in which they occur") {
  ExperimentResult result = made::kepler();
  Axis op;
  op.name = "op";
  op.values = {std::string("add"), std::string("mul"), std::string("div")};
  result.experiment.sweep.groups = {{op}};
  Column words = made::numbers("op", Column::Role::axis);
  words.is_text = true;
  words.texts = {"add", "mul", "div"};
  Column latency = made::numbers("latency", Column::Role::observed, Unit::clock);
  latency.numbers = {24, 96, 317};
  result.curves.columns = {words, latency};
  result.experiment.plots.clear();
  const BuiltFigure built = build_figure(result, plots_of(result).at(0));
  CHECK(built.figure.x_words == std::vector<std::string>{"add", "mul", "div"});
  CHECK(built.figure.panels[0].curves[0].x == std::vector<double>{0, 1, 2});
}

TEST_CASE("the small table tells the least and the greatest and where they lie") {
  const std::string text = summary_table(made::kepler()).render({false, true, 100});
  CHECK(text.find("n=3") != std::string::npos);
  CHECK(text.find("418 clocks at threads=32") != std::string::npos);
  CHECK(text.find("1326 clocks at threads=1024") != std::string::npos);
}

namespace {

/// 12 curves over `n` of an observed and a derived column.
ExperimentResult many_curves() {
  ExperimentResult result = made::kepler();
  result.experiment.plots.clear();
  result.experiment.sweep.groups = {{made::axis("size", 1, 12, 1)}, {made::axis("n", 1, 3, 1)}};
  result.experiment.derived = {{"rate", Unit::none, "latency / n"}};
  Column size = made::numbers("size", Column::Role::axis);
  Column n = made::numbers("n", Column::Role::axis);
  Column latency = made::numbers("latency", Column::Role::observed, Unit::clock);
  Column rate = made::numbers("rate", Column::Role::observed);
  for (int i = 0; i < 36; ++i) {
    size.numbers.push_back(1048576.0 * (1 + i / 3));
    n.numbers.push_back(1 + i % 3);
    latency.numbers.push_back(100 + i);
    rate.numbers.push_back(7000 + i);
  }
  result.curves = {};
  result.curves.columns = {size, n, latency, rate};
  return result;
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
  return count;
}

}  // namespace

TEST_CASE("where a table is cut, the derived columns stay, and all is there for the asking") {
  const ExperimentResult result = many_curves();
  const std::string cut = summary_table(result).render({false, true, 100});
  CHECK(count_of(cut, " rate ") == 12);
  CHECK(count_of(cut, " latency ") == 4);
  CHECK(count_of(cut, "and 8 more curves (--verbose shows them, --csv - each point)") == 1);
  CHECK(count_of(cut, "size=1048576 ") == 2);  // As its number is, not 1.049e+06.
  const std::string all = summary_table(result, {.all = true}).render({false, true, 100});
  CHECK(count_of(all, " latency ") == 12);
  CHECK(count_of(all, "more curve") == 0);
  const std::string derived =
      summary_table(result, {.derived_only = true}).render({false, true, 100});
  CHECK(count_of(derived, " rate ") == 12);
  CHECK(count_of(derived, " latency ") == 0);
  CHECK(derived.find("observed") == std::string::npos);
  CHECK(summary_table(made::kepler(), {.derived_only = true}).empty());
}

TEST_CASE("measures without an axis have a row each, records of one point do not") {
  struct Row {
    Column::Role role;
    std::vector<std::string> shown;
  };
  const Row rows[] = {
      {Column::Role::axis, {"measure=ca  latency        1  240 clocks", "measure=cg  latency"}},
      {Column::Role::record, {"latency        2  240 clocks  390 clocks"}},
  };
  for (const Row& row : rows) {
    ExperimentResult result = made::kepler();
    result.experiment.plots.clear();
    result.experiment.sweep.groups.clear();
    Column key = made::numbers("measure", row.role);
    key.is_text = true;
    key.texts = {"ca", "cg"};
    Column latency = made::numbers("latency", Column::Role::observed, Unit::clock);
    latency.numbers = {240, 390};
    result.curves = {};
    result.curves.columns = {key, latency};
    const std::string text = summary_table(result).render({false, true, 100});
    CAPTURE(text);
    for (const std::string& shown : row.shown) CHECK(text.find(shown) != std::string::npos);
    CHECK((text.find("measure=") != std::string::npos) == (row.role == Column::Role::axis));
  }
}

TEST_CASE("a curve whose extremes are no further apart than they are known is flat") {
  struct Row {
    std::vector<double> values, low, high;
    const char* least;
  };
  const Row rows[] = {
      {{5, 5, 5}, {}, {}, "5 clocks (flat)"},
      {{5, 6, 5}, {}, {}, "5 clocks at threads=1"},
      {{5, 6, 5}, {4, 5.5, 4}, {5.5, 7, 6}, "5 clocks (flat)"},
      {{5, 6, 5}, {4, 5.8, 4}, {5.5, 7, 6}, "5 clocks at threads=1"},
      {{5, 6, 5}, {4, 5, 4}, {INFINITY, INFINITY, INFINITY}, "5 clocks at threads=1"},
      {{5}, {}, {}, "5 clocks at threads=1"},
      {{5, 6, 6}, {}, {}, "6 clocks at threads=2"},
      {{5, 5, 6}, {}, {}, "5 clocks at threads=1"},
      {{5, 6, 6 + 1e-9}, {}, {}, "6 clocks at threads=2"},  // shown alike
      {{5 + 1e-9, 5}, {}, {}, "5 clocks (flat)"},
  };
  for (const Row& row : rows) {
    ExperimentResult result = made::kepler();
    result.experiment.sweep.groups = {{made::axis("threads", 1, 3, 1)}};
    result.curves = {};
    const auto add = [&](const char* name, Unit unit, Column::Role role,
                         const std::vector<double>& numbers) {
      if (!numbers.empty()) result.curves.columns.push_back({name, unit, role, false, numbers, {}});
    };
    const std::vector<double> threads = {1, 2, 3};
    add("threads", Unit::none, Column::Role::axis,
        {threads.begin(), threads.begin() + static_cast<std::ptrdiff_t>(row.values.size())});
    add("latency", Unit::clock, Column::Role::observed, row.values);
    add("latency_low", Unit::clock, Column::Role::interval, row.low);
    add("latency_high", Unit::clock, Column::Role::interval, row.high);
    const std::string text = summary_table(result).render({false, true, 100});
    CAPTURE(text);
    CHECK(text.find(row.least) != std::string::npos);
    CHECK((text.find("(flat)") == std::string::npos) ==
          (text.find(" at threads=") != std::string::npos));
  }
}
