#include <doctest/doctest.h>

#include "made_results.h"
#include "runtime/report/report.h"

using namespace gpx;

TEST_CASE("CSV has a header, the experiment's name and exact numbers") {
  ExperimentResult result = made::kepler();
  for (Column& column : result.samples.columns) column.numbers.resize(2);
  result.samples.columns[3].numbers = {406.25, NAN};
  CHECK(report::to_csv(made::run_of(result)) ==
        "experiment,n,threads,repetition,latency\n"
        "kepler_prt,1,32,0,406.25\n"
        "kepler_prt,1,32,1,\n");
}

TEST_CASE("two experiments with other columns share one table") {
  RunResult run = made::run_of(made::kepler());
  for (Column& column : run.experiments[0].samples.columns) column.numbers.resize(1);
  ExperimentResult other;
  other.experiment.name = "copy, \"warm\"";
  Column state = made::numbers("state", Column::Role::axis);
  state.is_text = true;
  state.texts = {"a,b"};
  Column latency = made::numbers("latency", Column::Role::observed, Unit::clock);
  latency.numbers = {12};
  other.samples.columns = {state, latency};
  run.experiments.push_back(other);
  CHECK(report::to_csv(run) ==
        "experiment,n,threads,repetition,latency,state\n"
        "kepler_prt,1,32,0,406,\n"
        "\"copy, \"\"warm\"\"\",,,,12,\"a,b\"\n");
}

TEST_CASE("a run without samples is a header alone") {
  CHECK(report::to_csv(RunResult{}) == "experiment\n");
}

TEST_CASE("of what describes launches a few columns are written unless all are asked for") {
  ExperimentResult result;
  result.experiment.name = "mul";
  result.experiment.measures.front().body.push_back({Run{"mul"}, {}});
  result.experiment.plots.push_back({{"resident_blocks"}, "n", {}, false, false, {}});
  for (const char* name : {"time", "clocks", "comp_insts", "resident_blocks", "occupancy"}) {
    Column column = made::numbers(name, Column::Role::observed);
    column.numbers = {1};
    result.samples.columns.push_back(column);
  }
  CHECK(report::to_csv(made::run_of(result)) ==
        "experiment,time,clocks,resident_blocks,occupancy\nmul,1,1,1,1\n");
  CHECK(report::to_whole_csv(made::run_of(result)) ==
        "experiment,time,clocks,comp_insts,resident_blocks,occupancy\nmul,1,1,1,1,1\n");
}
