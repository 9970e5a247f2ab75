// Arrays and chases: codegen/lower/array.h, codegen/ir/chase.h. Goldens: golden/chase_NAME.*
#include <algorithm>
#include <set>
#include <string>

#include "bodies.h"
#include "codegen/compile/compiler.h"
#include "codegen/emit/emit.h"
#include "support.h"

namespace gpx::codegen::test {
namespace {

using Kind = Array::Layout::Kind;
using Offsets = std::vector<std::uint64_t>;

Experiment chasing(Space space, Observe observe, double width = 4, double count = 20) {
  Experiment made = experiment_of({chase("a", count)}, observe, 1);
  made.arrays = {array_of("a", space, 1024, stride(64), width)};
  return made;
}

TEST_CASE("the visited offsets of every layout") {
  struct Row {
    ChaseContents contents;
    Offsets order;
  };
  const Row rows[] = {
      {{Kind::stride, 16, 4, {4}}, {0, 4, 8, 12}},
      {{Kind::stride, 15, 4, {4}}, {0, 4, 8}},
      {{Kind::stride, 128, 8, {64}}, {0, 64}},
      {{Kind::stride, 4, 4, {128}}, {0}},
      {{Kind::list, 64, 4, {8, 0, 32}}, {8, 0, 32}},
      {{Kind::steps, 64, 4, {2, 4, 1, 16}}, {0, 4, 8, 24}},
  };
  for (const Row& row : rows) CHECK(visit_order(row.contents) == row.order);
}

TEST_CASE("a random chase visits every element once, from the first, as its seed tells") {
  const Offsets straight = visit_order({Kind::stride, 4096, 4, {64}});
  const Offsets random = visit_order({Kind::random, 4096, 4, {64, 7}});
  CHECK(random.front() == 0);
  CHECK(random != straight);
  CHECK(std::set<std::uint64_t>(random.begin(), random.end()) ==
        std::set<std::uint64_t>(straight.begin(), straight.end()));
  CHECK(random == visit_order({Kind::random, 4096, 4, {64, 7}}));
  CHECK(random != visit_order({Kind::random, 4096, 4, {64, 8}}));
}

TEST_CASE("a chase's kernels and CUDA C++ are those of its goldens, and read back") {
  struct Row {
    const char* name;
    Experiment experiment;
  };
  const Row rows[] = {{"global", chasing(Space::global, Observe::average, 8)},
                      {"shared_each", chasing(Space::shared, Observe::each)},
                      {"texture_streamed", chasing(Space::texture, Observe::each, 4, 50000)}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Program program = lowered(row.experiment);
    const std::string text = to_string(program.kernels[0]);
    check_golden(std::string("chase_") + row.name + ".kernel", text);
    check_golden(std::string("chase_") + row.name + ".cu", emit_cuda(program.kernels[0], "x.gpx"));
    const auto read = parse_kernels(Source("k.kernel", text));
    if (!read) FAIL(render(read.error()));
    CHECK(read->front() == program.kernels[0]);
  }
}

TEST_CASE("chases of every space compile to PTX and to machine code") {
  for (const Space space :
       {Space::global, Space::shared, Space::constant, Space::texture, Space::local})
    for (const Observe observe : {Observe::average, Observe::each})
      for (const double width : {4, 8}) {
        const bool narrow = space == Space::constant || space == Space::texture;
        if (narrow && width == 8) continue;
        const std::string cuda = emit_cuda(lowered(chasing(space, observe, width)).kernels[0]);
        CAPTURE(cuda);
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

TEST_CASE("one kernel follows chains of any length through an array of any size") {
  Experiment experiment = chasing(Space::global, Observe::latency);
  experiment.arrays[0].bytes = named("size");
  std::get<Chase>(experiment.measures[0].body[0].node).count =
      binary(named("size"), Expr::Op::div, bytes(64));
  experiment.sweep.groups = {
      {{"size", {Quantity{4096, Unit::byte}, Quantity{65536, Unit::byte}}, Unit::byte, {}}}};
  const Program program = lowered(experiment);
  REQUIRE(program.kernels.size() == 1);
  REQUIRE(program.buffers.size() == 1);
  CHECK(program.buffers[0].name == "array_a");
  CHECK(program.buffers[0].bytes == 65536);
  CHECK(program.buffers[0].has_contents);
  CHECK(program.launches[0].contents == std::vector<ChaseContents>{{Kind::stride, 4096, 4, {64}}});
  CHECK(program.kernels[0].scalars() == std::vector<std::string>{"never", "first0", "accesses0"});
  CHECK(program.launches[1].scalars[2] == 1024);
}

TEST_CASE("each access is a row; rows that do not fit into shared memory are streamed") {
  const Program fits = lowered(chasing(Space::global, Observe::each, 4, 6144));
  CHECK(fits.records.columns == std::vector<std::string>{"latency", "index"});
  CHECK(fits.launches[0].record_extents == Offsets{6144});
  CHECK_FALSE(fits.kernels[0].each->streamed);
  CHECK(lowered(chasing(Space::global, Observe::each, 4, 6145)).kernels[0].each->streamed);
  CHECK(lowered(chasing(Space::shared, Observe::each, 4, 6144)).kernels[0].each->streamed);
}

TEST_CASE("an array that cannot be chased is refused with the reason") {
  const auto with = [](auto change) {
    Experiment made = chasing(Space::global, Observe::latency);
    change(made.arrays[0]);
    return complaint_of(made);
  };
  const auto says = [](const std::string& found, const char* part) {
    CAPTURE(found);
    CHECK(found.find(part) != std::string::npos);
  };
  says(with([](Array& a) { a.layout.args = {bytes(6)}; }), "6B is no multiple of the width 4B");
  says(with([](Array& a) { a.width = bytes(5); }), "a link has 4B or 8B");
  says(with([](Array& a) { a.bytes = bytes(5e9); }), "links of 4B reach less than 4GB");
  says(with([](Array& a) { a.space = Space::texture, a.width = bytes(8); }),
       "a link in constant or texture memory has 4B");
  says(with([](Array& a) { a.space = Space::constant, a.bytes = bytes(65540); }),
       "65540 bytes of constant memory: there are 65536");
  says(with([](Array& a) { a.space = Space::shared, a.bytes = bytes(49156); }),
       "49156 bytes of shared memory: there are 49152");
  says(with([](Array& a) {
         a.layout = {Kind::list, {bytes(0), bytes(1024)}};
       }),
       "the offset 1KB lies beyond the array's 1KB");
  says(with([](Array& a) { a.layout = {Kind::list, {bytes(4), bytes(4)}}; }), "visited twice");
  says(with([](Array& a) {
         a.layout = {Kind::steps, {number(20), bytes(64)}};
       }),
       "beyond the array's 1KB");
  Experiment two = chasing(Space::global, Observe::each);
  two.measures[0].threads = number(2);
  says(complaint_of(two), "is of one thread, not of 2");
  Experiment cached = chasing(Space::shared, Observe::latency);
  std::get<Chase>(cached.measures[0].body[0].node).cache = CacheOp::cg;
  says(complaint_of(cached), "a load from shared memory cannot have the cache operator cg");
  says(complaint("sweep op in [ca, cg] array a : shared[1KB] chase(stride 64B)"
                 " < load a cache op x4 chain >"),
       "a load from shared memory cannot have the cache operator ca");
}

TEST_CASE("each cache operator of an axis is a kernel of its own") {
  const Program program = program_of(
      "sweep op in [ca, cg, cv, cg] array a : global[1KB] chase(stride 64B)"
      " < load a cache op x4 chain >");
  REQUIRE(program.kernels.size() == 3);
  std::set<std::string> names;
  for (const Kernel& kernel : program.kernels) names.insert(kernel.name);
  CHECK(names.size() == 3);
  CHECK(program.launches[1].kernel == program.launches[3].kernel);
  const CacheOp expected[] = {CacheOp::ca, CacheOp::cg, CacheOp::cv};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& list = program.kernels[program.launches[i].kernel].timed;
    const auto chase = std::ranges::find(list, Op::chase_b32, &Instruction::op);
    REQUIRE(chase != list.end());
    CHECK(chase->cache == expected[i]);
  }
}

}  // namespace
}  // namespace gpx::codegen::test
