// Lowered bodies on the virtual GPU: what a statement means, from the experiment's tree through
// a compiler's PTX to the numbers that come back.
#include <algorithm>
#include <map>
#include <numeric>

#include "../codegen/bodies.h"
#include "codegen/compile/compiler.h"
#include "codegen/emit/emit.h"
#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;
using namespace gpx::codegen::test;
using codegen::Program;

namespace {

codegen::Artifact compiled(const codegen::Kernel& kernel, const codegen::Target& target) {
  codegen::Artifact made;
  made.entry = kernel.name;
  made.cuda = codegen::emit_cuda(kernel);
  const auto compiler = codegen::find_compiler(target);
  if (!compiler) FAIL(render(compiler.error()));
  const auto result = (*compiler)->compile(made.cuda, "k.cu", target);
  if (!result) FAIL(render(result.error()));
  CAPTURE(result->log);
  REQUIRE(result->ok);
  made.ptx = result->ptx;
  made.target = target;
  made.registers = kernel.exact_registers;
  return made;
}

/// The one repetition of every point of an experiment.
struct Ran {
  Program program;
  std::vector<Repetition> points;

  std::uint64_t result(const std::string& name, std::size_t point = 0) const {
    REQUIRE(points[point].outcome == Outcome::completed);
    for (std::size_t i = 0; i < program.results.size(); ++i)
      if (program.results[i].name == name) return points[point].results[i];
    FAIL(name);
    return 0;
  }
  /// Column `column` of every record, kNotKept where there is none.
  std::vector<std::uint64_t> records(std::size_t column) const {
    std::vector<std::uint64_t> values;
    const std::size_t width = program.records.columns.size();
    const auto& words = points[0].results;
    for (std::size_t i = program.results.size() + column; i < words.size(); i += width)
      values.push_back(words[i]);
    return values;
  }
};

Ran ran_on(const std::string& device, const Experiment& experiment) {
  Ran made{lowered(experiment), {}};
  const auto gpu = open_text(device);
  std::vector<codegen::Artifact> artifacts;
  for (const codegen::Kernel& kernel : made.program.kernels)
    artifacts.push_back(compiled(kernel, {codegen::Target::Form::ptx, 75}));
  if (auto ok = gpu->load(made.program, artifacts); !ok) FAIL(render(ok.error()));
  std::vector<Job> jobs;
  for (const codegen::Launch& launch : made.program.launches) jobs.push_back({&launch, 1, 1});
  const std::atomic<bool> stop = false;
  auto results = gpu->run(jobs, stop);
  if (!results) FAIL(render(results.error()));
  for (JobResult& job : *results) made.points.push_back(std::move(job.repetitions.at(0)));
  return made;
}

Ran ran(const Experiment& experiment, const char* device = "gtx280") {
  return ran_on(device_text(device), experiment);
}

Experiment swept(Experiment experiment, const char* axis, std::vector<double> values) {
  Axis made;
  made.name = axis;
  for (double value : values) made.values.push_back(Quantity{value});
  experiment.sweep.groups = {{made}};
  return experiment;
}

/// Elements 0, 64, ... of 1 KB, `count` accesses by one thread.
Experiment chasing(Space space, Observe observe, double count, double width = 4) {
  Experiment made = experiment_of({chase("a", count)}, observe, 1);
  made.arrays = {array_of("a", space, 1024, stride(64), width)};
  return made;
}

}  // namespace

TEST_CASE("the latency of a chain grows by the operation's latency with every execution") {
  Experiment experiment =
      experiment_of({statement(Operate{quoted("add.u32"), named("n"), number(1)})});
  experiment.measures[0].rehearse = number(1);
  const Ran run = ran(swept(experiment, "n", {64, 128}));
  CHECK(run.result("latency", 1) - run.result("latency", 0) == 64 * 24);
}

TEST_CASE("permute reads on the k20 what unique reads, each element once") {
  const auto checksum = [](Pattern pattern) {
    Access load;
    load.pattern = std::move(pattern);
    Experiment experiment = experiment_of({statement(load)}, Observe::latency, 96);
    experiment.measures[0].blocks = number(3);
    return ran(experiment, "k20").result("checksum");
  };
  const std::uint64_t all = checksum({"unique", {bytes(4)}});
  for (const double seed : {1, 2, 3})
    CHECK(checksum({"permute", {bytes(1152), number(seed)}}) == all);
  CHECK(checksum({"permute", {bytes(1148), number(1)}}) != all);
}

TEST_CASE("an offset moves what is read, and its digest says so") {
  const auto run = [](Access load, std::vector<double> offsets) {
    Experiment experiment = experiment_of({statement(std::move(load))});
    experiment.measures[0].offset = binary(named("at"), Expr::Op::mul, bytes(4));
    return ran(swept(experiment, "at", std::move(offsets)), "k20");
  };
  const auto words = [](std::uint64_t first) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < 32; ++i) sum += codegen::initial_word(first + i);
    return sum;
  };
  Access load;
  load.pattern = {"unique", {bytes(4)}};
  const Ran moved = run(load, {0, 16, 16384, 3});
  CHECK(moved.result("checksum", 0) == words(0));
  CHECK(moved.result("checksum", 1) == words(16));
  CHECK(moved.result("checksum", 2) == words(16384));
  CHECK(moved.result("checksum", 3) == words(3));
  const Ran far = run(load, {1 << 18});
  CHECK(far.result("checksum") == words(1 << 18));
}

TEST_CASE("the map of a tensor begins at the offset, and so does a bulk copy") {
  for (const bool tensor : {false, true}) {
    CAPTURE(tensor);
    Access load;
    load.async = true;
    load.pattern =
        tensor ? Pattern{"tensor", {number(4), number(2)}} : Pattern{"bulk", {bytes(32)}};
    Experiment experiment = experiment_of({statement(load), statement(Wait{})});
    experiment.measures[0].offset = binary(named("at"), Expr::Op::mul, bytes(16));
    const Ran moved = ran(swept(experiment, "at", {0, 1, 1024}), "hopper");
    // Of the 64 words in shared memory the first 8 are copied; the rows of a box lie a box apart.
    const auto digest = [&](std::uint64_t first) {
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < 64; ++i) {
        const std::uint64_t from = first + i + (tensor && i >= 4 ? 4 : 0);
        const std::uint32_t filled = static_cast<std::uint32_t>(i) * 2654435761u;
        sum += (2 * i + 1) * (i < 8 ? codegen::initial_word(from) : filled);
      }
      return sum;
    };
    CHECK(moved.result("checksum", 0) == digest(0));
    CHECK(moved.result("checksum", 1) == digest(4));
    CHECK(moved.result("checksum", 2) == digest(4096));
  }
}

TEST_CASE("a warp that begins in the middle of a line touches one more") {
  Access load;
  load.pattern = {"unique", {bytes(4)}};
  load.count = number(4);
  Experiment experiment = experiment_of({statement(load)}, Observe::latency, 1024);
  experiment.measures[0].warmup = number(0);
  experiment.measures[0].offset = binary(named("at"), Expr::Op::mul, bytes(4));
  const Ran run = ran(swept(experiment, "at", {0, 16, 32}), "k20");
  // 128 warp loads of one line each, or of two.
  CHECK(run.result("latency", 1) > run.result("latency", 0) + 100);
  CHECK(run.result("latency", 2) < run.result("latency", 0) + 10);
}

TEST_CASE("a thread takes its own way, and a shared variable tells it to others") {
  Experiment experiment = experiment_of(
      {when(binary(named("thread"), Expr::Op::lt, named("n")), {assign("a", named("lane"))},
            {when(is("warp", 1), {assign("b", number(7))})}),
       barrier(),
       when(is("thread", 40), {keep("sum", binary(named("a"), Expr::Op::add, named("b")))},
            {when(is("thread", 99), {keep("never", number(1))})})},
      Observe::latency, 64);
  experiment.measures[0].shared = {{"a", number(100), {}}, {"b", number(1), {}}};
  const Ran run = ran(swept(experiment, "n", {0, 1}));
  CHECK(run.result("sum", 0) == 107);
  CHECK(run.result("sum", 1) == 7);
  CHECK(run.result("never") == codegen::kNotKept);
}

TEST_CASE("a loop goes on while its condition holds") {
  Experiment experiment =
      experiment_of({repeat_while(binary(named("i"), Expr::Op::lt, named("n")),
                                  {assign("i", binary(named("i"), Expr::Op::add, number(3)))}),
                     keep("i", named("i"))},
                    Observe::latency, 1);
  experiment.measures[0].shared = {{"i", number(1), {}}};
  experiment.measures[0].rehearse = number(2);
  const Ran run = ran(swept(experiment, "n", {1, 8}));
  CHECK(run.result("i", 0) == 1);
  CHECK(run.result("i", 1) == 10);
}

TEST_CASE("a thread stamps once where it comes, in the order of its way") {
  const Ran run = ran(experiment_of(
      {diverge("lane", {2, 0}, {stamp("begin"), add_u32(4)}), stamp()}, Observe::timeline, 4));
  const auto clocks = run.records(0);
  REQUIRE(clocks.size() == 8);
  CHECK(clocks[2] == codegen::kNotKept);  // lane 1 is in no case
  CHECK(clocks[6] == codegen::kNotKept);
  for (const std::size_t lane : {0, 2}) CHECK(clocks[2 * lane] < clocks[2 * lane + 1]);
  CHECK(clocks[0] < clocks[4]);  // the last case of the chain is the path taken first
  for (const std::size_t lane : {1, 2, 3}) CHECK(clocks[2 * lane + 1] == clocks[1]);
}

TEST_CASE("each access of a chase has its index and its latency, kept or streamed") {
  for (const Space space :
       {Space::global, Space::shared, Space::constant, Space::texture, Space::local})
    for (const double width : {4, 8})
      for (const bool streamed : {false, true}) {
        if (width == 8 && (space == Space::constant || space == Space::texture)) continue;
        CAPTURE(static_cast<int>(space));
        CAPTURE(width);
        CAPTURE(streamed);
        const Ran run = ran(chasing(space, Observe::each, streamed ? 6200 : 40, width));
        const auto latencies = run.records(0), indices = run.records(1);
        REQUIRE(indices.size() == (streamed ? 6200 : 40));
        REQUIRE(run.program.kernels[0].each->streamed == streamed);
        for (std::size_t k = 0; k < indices.size(); ++k) REQUIRE(indices[k] == k % 16 * 64);
        CHECK(*std::max_element(latencies.begin(), latencies.end()) < 10000);
        CHECK(*std::min_element(latencies.begin(), latencies.end()) > 0);
      }
}

TEST_CASE("a chase follows as many links as it is told, whatever the loops of its code") {
  for (const double count : {1, 15, 16, 17, 47, 160}) {
    const Ran run = ran(chasing(Space::global, Observe::average, count));
    CAPTURE(count);
    CHECK(run.result("checksum") == static_cast<std::uint64_t>(count) % 16 * 64);
  }
}

// Of 32 lanes s words apart 32 * gcd(s, banks) / banks want words of one bank.
TEST_CASE("a load of shared memory takes the passes of the banks that are planted") {
  for (const unsigned banks : {8u, 16u, 32u}) {
    CAPTURE(banks);
    Access load;
    load.space = Space::shared;
    load.pattern = {"stride", {binary(bytes(4), Expr::Op::mul, named("s"))}};
    const std::string device =
        replaced(replaced(device_text("gtx560ti"), "banks = { 32, source = \"mei2014 Table 1\" }",
                          fmt::format("banks = {}", banks)),
                 "pass = \"37.4 clocks\"", "pass = \"40 clocks\"");
    const std::vector<double> words = {1, 2, 3, 4, 6, 8, 16, 32};
    const Ran run =
        ran_on(device, swept(experiment_of({statement(load)}, Observe::latency, 32), "s", words));
    for (std::size_t i = 0; i < words.size(); ++i) {
      CAPTURE(words[i]);
      const unsigned more = (std::gcd(static_cast<unsigned>(words[i]), banks) - 1) * 32 / banks;
      CHECK(run.result("latency", i) - run.result("latency", 0) == 40 * more);
    }
  }
}

TEST_CASE("atomics on one address take longer than on several, and a chain longer than none") {
  const auto took = [](const char* operation, Space space, Pattern pattern, bool chained) {
    Access access;
    REQUIRE(set_kind(access, operation));
    access.space = space;
    access.pattern = std::move(pattern);
    access.count = number(8);
    access.chained = chained;
    return ran(experiment_of({statement(access)}, Observe::latency, 32), "gtx560ti")
        .result("latency");
  };
  for (const Space space : {Space::global, Space::shared})
    for (const char* operation : {"atom.add.u32", "atom.cas.b32", "atom.max.s32"}) {
      CAPTURE(operation);
      const std::uint64_t one = took(operation, space, {"same", {}}, false);
      CHECK(one > 0);
      CHECK(took(operation, space, {"same", {}}, true) > one);
    }
}

TEST_CASE("a warp that waits for what stands behind a barrier never ends") {
  Experiment experiment =
      experiment_of({when(is("warp", 0), {barrier(), assign("count", number(1))},
                          {repeat_while(is("count", 0), {})})},
                    Observe::latency, 64);
  experiment.measures[0].shared = {{"count", number(0), {}}};
  experiment.measures[0].watchdog = number(0.01, Unit::second);
  CHECK(ran(experiment).points[0].outcome == Outcome::deadlock);
}

TEST_CASE("a kernel of exactly so many registers says so") {
  Experiment experiment = experiment_of({add_u32(4)}, Observe::latency, 256);
  experiment.measures[0].registers = named("r");
  const Ran run = ran(swept(experiment, "r", {32, 88}));
  CHECK(run.points[0].outcome == Outcome::completed);
  CHECK(run.points[1].outcome == Outcome::launch_failure);  // 88 * 256 of 16384
}
