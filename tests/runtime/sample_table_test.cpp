#include "runtime/measure/sample_table.h"

#include <doctest/doctest.h>

#include <cmath>

namespace gpx {
namespace {

using Role = codegen::ResultSlot::Role;
constexpr std::uint64_t kNone = codegen::kNotKept;

/// An experiment over one axis `n` of two points, with a measure for each of `programs`.
struct Rig {
  Experiment experiment;
  std::vector<LoweredMeasure> measures;

  explicit Rig(std::vector<codegen::Program> programs) {
    Axis axis;
    axis.name = "n";
    axis.values = {Quantity{4, Unit::none}, Quantity{8, Unit::none}};
    experiment.sweep.groups = {{axis}};
    experiment.measures.resize(programs.size());
    for (std::size_t i = 0; i < programs.size(); ++i) {
      if (programs.size() > 1)
        experiment.measures[i].name = std::string(1, static_cast<char>('a' + i));
      programs[i].launches.resize(
          2, programs[i].launches.empty() ? codegen::Launch{} : programs[i].launches.front());
    }
    for (std::size_t i = 0; i < programs.size(); ++i)
      measures.push_back({&experiment.measures[i], std::move(programs[i]), {}});
  }
};

JobResult completed(std::vector<std::uint64_t> results) {
  return {{{Outcome::completed, std::move(results), 0.25}}};
}

codegen::Program timeline() {
  codegen::Program program;
  program.results = {{"seen", kNone, Role::sample}};
  program.records = {{{"block", {}}, {"stamp", {"before", "after"}}}, {"clock", "sm"}};
  program.launches.resize(1);
  program.launches[0].record_extents = {2, 2};
  return program;
}

std::vector<std::string> names(const Samples& samples) {
  std::vector<std::string> all;
  for (const Column& column : samples.columns) all.push_back(column.name);
  return all;
}

TEST_CASE("each record that was written is a row with its keys") {
  Rig rig({timeline()});
  SampleTable table(rig.experiment, rig.measures);
  table.append(0, 1, completed({7, 100, 3, kNone, kNone, 200, kNone, 201, 5}));
  const Samples samples = table.take();
  CHECK(names(samples) ==
        std::vector<std::string>{"n", "repetition", "block", "stamp", "seen", "clock", "sm"});
  REQUIRE(samples.rows() == 3);
  CHECK(samples.find("n")->numbers == std::vector<double>{8, 8, 8});
  CHECK(samples.find("block")->role == Column::Role::record);
  CHECK(samples.find("block")->numbers == std::vector<double>{0, 1, 1});
  CHECK(samples.find("stamp")->texts == std::vector<std::string>{"before", "before", "after"});
  CHECK(samples.find("seen")->numbers == std::vector<double>{7, 7, 7});
  CHECK(samples.find("clock")->numbers == std::vector<double>{100, 200, 201});
  CHECK(samples.find("clock")->unit == Unit::clock);
  CHECK(std::isnan(samples.find("sm")->numbers[1]));
}

TEST_CASE("derived columns come last, row by row; what is not there gives no number") {
  codegen::Program program;
  program.results = {{"latency", 0, Role::sample}};
  Rig rig({program, program});
  Expr twice;
  twice.kind = Expr::Kind::binary;
  twice.op = Expr::Op::mul;
  twice.args = {Expr::name_of("latency"), Expr::name_of("n")};
  Expr ratio = twice;
  ratio.op = Expr::Op::div;
  ratio.args = {Expr::name_of("bytes"), Expr::name_of("twice")};
  rig.experiment.derived = {{"twice", Unit::clock, ""}, {"rate", Unit::byte_per_clock, ""}};
  for (Measure& measure : rig.experiment.measures) measure.derived = {twice, ratio};
  rig.experiment.measures[0].bytes = Expr::number(640, Unit::byte);
  SampleTable table(rig.experiment, rig.measures);
  table.append(0, 1, completed({10}));
  table.append(1, 0, completed({10}));
  table.append(0, 0, completed({0}));
  const Samples samples = table.take();
  CHECK(names(samples) == std::vector<std::string>{"n", "measure", "repetition", "latency", "bytes",
                                                   "twice", "rate"});
  CHECK(samples.find("twice")->numbers == std::vector<double>{80, 40, 0});
  CHECK(samples.find("rate")->unit == Unit::byte_per_clock);
  CHECK(samples.find("rate")->numbers[0] == 8);
  CHECK(std::isnan(samples.find("rate")->numbers[1]));  // The measure has no bytes.
  CHECK(std::isnan(samples.find("rate")->numbers[2]));  // Divided by 0.
  CHECK(samples.find("bytes")->numbers[0] == 640);
}

TEST_CASE("a launch that wrote no record, or did not complete, is one row without keys") {
  codegen::Program program = timeline();
  program.outcomes = true;
  Rig rig({program});
  SampleTable table(rig.experiment, rig.measures);
  table.append(0, 0, completed(std::vector<std::uint64_t>(9, kNone)));
  table.append(0, 1, {{{Outcome::deadlock, {}, 0}}});
  const Samples samples = table.take();
  REQUIRE(samples.rows() == 2);
  CHECK(std::isnan(samples.find("block")->numbers[0]));
  CHECK(samples.find("stamp")->texts[1].empty());
  CHECK(std::isnan(samples.find("seen")->numbers[0]));
  CHECK(samples.find("outcome")->texts == std::vector<std::string>{"completed", "deadlock"});
}

TEST_CASE("the observed columns of two measures are united, and empty where one lacks them") {
  codegen::Program first, second;
  first.results = {{"latency", 0, Role::sample}, {"checksum", 0, Role::checksum}};
  second.results = {{"checksum", 0, Role::checksum}, {"value", kNone, Role::sample}};
  second.outcomes = true;
  Rig rig({first, second});
  rig.experiment.measures[1].observe = Observe::time;
  SampleTable table(rig.experiment, rig.measures);
  table.append(0, 0, completed({50, 1}));
  table.append(1, 0, completed({1, 9}));
  const Samples samples = table.take();
  CHECK(names(samples) == std::vector<std::string>{"n", "measure", "repetition", "latency", "value",
                                                   "time", "outcome"});
  CHECK(samples.find("measure")->texts == std::vector<std::string>{"a", "b"});
  CHECK(samples.find("latency")->numbers[0] == 50);
  CHECK(std::isnan(samples.find("latency")->numbers[1]));
  CHECK(std::isnan(samples.find("value")->numbers[0]));
  CHECK(std::isnan(samples.find("time")->numbers[0]));
  CHECK(samples.find("time")->numbers[1] == 0.25);
  CHECK(samples.find("outcome")->texts == std::vector<std::string>{"", "completed"});
}

TEST_CASE("an average is the region's clocks for each access of the chase at its point") {
  codegen::Program program;
  program.results = {{"latency", 0, Role::sample}};
  Rig rig({program});
  rig.experiment.measures[0].observe = Observe::average;
  rig.experiment.measures[0].body = {{Chase{"a", CacheOp::unspecified, Expr::name_of("n")}, {}}};
  SampleTable table(rig.experiment, rig.measures);
  table.append(0, 0, completed({100}));
  table.append(0, 1, completed({100}));
  CHECK(table.take().find("latency")->numbers == std::vector<double>{25, 12.5});
}

}  // namespace
}  // namespace gpx
