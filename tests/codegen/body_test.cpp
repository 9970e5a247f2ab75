// Bodies with structure, from statements to kernel text and CUDA C++: codegen/lower/body.h,
// codegen/lower/structure.h, codegen/emit/region.h. Goldens: golden/body_NAME.kernel, .cu.
#include <string>

#include "bodies.h"
#include "codegen/compile/compiler.h"
#include "codegen/emit/emit.h"
#include "support.h"

namespace gpx::codegen::test {
namespace {

// Wong 2010, Listing 3, with stamps in place of its clock().
Experiment listing3() {
  return experiment_of({diverge("lane", {2, 1, 0}, {stamp("begin"), add_u32(4), stamp("end")})},
                       Observe::timeline);
}

// Listing 6: one warp waits at the barrier, the other for what comes after it.
Experiment listing6() {
  Experiment made = experiment_of({when(is("warp", 0), {barrier(), assign("count", number(1))},
                                        {repeat_while(is("count", 0), {})}),
                                   keep("seen", named("count"))},
                                  Observe::latency, 64);
  made.measures[0].shared = {{"count", number(0), {}}};
  made.measures[0].watchdog = number(0.01, Unit::second);
  return made;
}

Experiment arithmetic() {
  Experiment made = experiment_of({add_u32(8, 4)});
  made.measures[0].rehearse = number(1);
  return made;
}

// Conditions and values of every kind, and a load that not every thread comes to.
Experiment conditions() {
  Access load;
  load.pattern = {"unique", {bytes(4)}};
  const Expr sum = binary(binary(named("count"), Expr::Op::mul, number(3)), Expr::Op::add,
                          binary(named("thread"), Expr::Op::mod, named("n")));
  const Expr both = binary(binary(named("lane"), Expr::Op::ge, named("n")), Expr::Op::and_,
                           binary(named("count"), Expr::Op::lt, named("block")));
  Experiment made = experiment_of({when(both, {statement(load)}), assign("count", sum), barrier(),
                                   keep("total", named("count"))});
  made.sweep.groups = {{{"n", {Quantity{3}, Quantity{5}}, Unit::none, {}}}};
  made.measures[0].shared = {{"count", named("n"), {}}};
  return made;
}

struct Named {
  const char* name;
  Experiment (*make)();
};
const Named kBodies[] = {{"listing3", listing3},
                         {"listing6", listing6},
                         {"arithmetic", arithmetic},
                         {"conditions", conditions}};

TEST_CASE("a body's kernels and CUDA C++ are those of its goldens") {
  for (const Named& row : kBodies) {
    CAPTURE(row.name);
    const Program program = lowered(row.make());
    REQUIRE(program.kernels.size() == 1);
    check_golden(std::string("body_") + row.name + ".kernel", to_string(program.kernels[0]));
    check_golden(std::string("body_") + row.name + ".cu", emit_cuda(program.kernels[0], "x.gpx"));
  }
}

TEST_CASE("a body's kernel reads back as it was") {
  for (const Named& row : kBodies) {
    CAPTURE(row.name);
    const Program program = lowered(row.make());
    const auto read = parse_kernels(Source("k.kernel", to_string(program.kernels[0])));
    if (!read) FAIL(render(read.error()));
    CHECK(read->front() == program.kernels[0]);
    CHECK(verify(read->front()).has_value());
  }
}

TEST_CASE("a body compiles to PTX and to machine code") {
  for (const Named& row : kBodies) {
    CAPTURE(row.name);
    const std::string cuda = emit_cuda(lowered(row.make()).kernels[0]);
    for (const Target& target : targets()) {
      const auto compiler = find_compiler(target);
      REQUIRE(compiler.has_value());
      const auto compiled = (*compiler)->compile(cuda, "k.cu", target);
      REQUIRE(compiled.has_value());
      CAPTURE(compiled->log);
      CHECK(compiled->ok);
    }
  }
}

TEST_CASE("what decides the code makes another kernel, what is an argument does not") {
  struct Row {
    const char* what;
    Body body;
    std::size_t kernels;
  };
  const Row rows[] = {
      {"executions", {statement(Operate{quoted("add.u32"), named("n"), number(1)})}, 2},
      {"streams", {statement(Operate{quoted("add.u32"), number(8), named("n")})}, 2},
      {"a value", {when(binary(named("lane"), Expr::Op::lt, named("n")), {barrier()})}, 1},
      {"cases", {statement(Diverge{named("lane"), {named("n"), number(9)}, {barrier()}})}, 2},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Experiment experiment = experiment_of(row.body);
    experiment.sweep.groups = {{{"n", {Quantity{2}, Quantity{4}}, Unit::none, {}}}};
    CHECK(lowered(experiment).kernels.size() == row.kernels);
  }
}

TEST_CASE("an operation may be a value of the sweep") {
  Experiment experiment = experiment_of({statement(Operate{named("op"), number(4), number(1)})});
  experiment.sweep.groups = {
      {{"op", {std::string("add.u32"), std::string("add.f32")}, Unit::none, {}}}};
  const Program program = lowered(experiment);
  REQUIRE(program.kernels.size() == 2);
  CHECK(program.kernels[program.launches[1].kernel].timed[0].name == "add.f32");
}

TEST_CASE("stamps are records, kept values are results that start as not kept") {
  const Program stamps = lowered(listing3());
  REQUIRE(stamps.records.keys.size() == 3);
  CHECK(stamps.records.keys[2].labels == std::vector<std::string>{"begin", "end"});
  CHECK(stamps.records.columns == std::vector<std::string>{"clock", "sm"});
  CHECK(stamps.launches[0].record_extents == std::vector<std::uint64_t>{1, 32, 2});
  CHECK_FALSE(stamps.may_hang);
  const Program kept = lowered(listing6());
  REQUIRE(kept.results.size() == 4);
  CHECK(kept.results[3].name == "seen");
  CHECK(kept.results[3].initial == kNotKept);
  CHECK(kept.may_hang);
  CHECK(kept.outcomes);
  CHECK(kept.launches[0].watchdog == 0.01);
  CHECK(kept.kernels[0].result_slots() == kept.results.size());
}

TEST_CASE("a barrier in divergent code waits for the threads that come, and may hang") {
  const Program uniform = lowered(experiment_of({barrier()}));
  CHECK(uniform.kernels[0].timed[0].op == Op::sync);
  CHECK_FALSE(uniform.may_hang);
  const Program divergent = lowered(experiment_of({when(is("lane", 0), {barrier()})}));
  CHECK(divergent.may_hang);
  CHECK(emit_cuda(divergent.kernels[0]).find("barrier.sync 0;") != std::string::npos);
}

TEST_CASE("rehearsals are an argument, and none for a grid that is timed whole") {
  Experiment experiment = arithmetic();
  CHECK(lowered(experiment).launches[0].scalars[1] == 1);
  CHECK(lowered(experiment).kernels[0].rehearses());
  experiment.measures[0].observe = Observe::time;
  CHECK_FALSE(lowered(experiment).kernels[0].rehearses());
}

TEST_CASE("a body that cannot be lowered is refused with the reason") {
  struct Row {
    Experiment experiment;
    const char* complaint;
  };
  const Row rows[] = {
      {experiment_of({add_u32(5, 2)}), "the count is 5: it must be a multiple of the 2 streams"},
      {experiment_of({keep("x", number(-1))}), "it must be a whole number from 0 to 4294967295"},
      {experiment_of({add_u32(64, 64)}, Observe::latency, 1024), "the body needs"},
  };
  for (const Row& row : rows) {
    const std::string found = complaint_of(row.experiment);
    CAPTURE(row.complaint);
    CAPTURE(found);
    CHECK(found.find(row.complaint) != std::string::npos);
    CHECK(found.find("built.gpx:1:") != std::string::npos);
  }
}

}  // namespace
}  // namespace gpx::codegen::test
