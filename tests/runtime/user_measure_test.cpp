// Kernels from a file, whole: from an experiment's text to its samples, and its errors.
#include "runtime/measure/user_measure.h"

#include <doctest/doctest.h>

#include <cmath>

#include "lang/lists.h"
#include "runtime/pipeline.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

Result<RunResult> run(const std::string& text, const std::string& device = "k20") {
  Session session(kPaths);
  RunOptions options;
  options.device = device;
  return session.run(Source(GPX_TESTS_DIR "/kernels/test.gpx", text), options);
}

Samples samples_of(const std::string& text, const std::string& device = "k20") {
  auto result = run(text, device);
  if (!result) FAIL(render(result.error()));
  const auto& failure = result->experiments.front().failure;
  if (failure) FAIL(render(*failure));
  return result->experiments.front().samples;
}

double value(const Samples& samples, const std::string& column, std::size_t row = 0) {
  const Column* found = samples.find(column);
  REQUIRE_MESSAGE(found, column);
  return found->numbers.at(row);
}

std::string complaint(const std::string& text) {
  const auto result = run(text);
  return result ? std::string("no error") : render(result.error());
}

const std::string kHeat =
    "kernel heat from \"stencil.cu\" entry heat(out = buffer(64KB, zero), in = buffer(64KB, "
    "uniform(0, 1)), width = 128, height = 128, rate = 0.25); ";

}  // namespace

TEST_CASE("a kernel in two dimensions: its time, counts and occupancy") {
  GPX_NEEDS_NVRTC();
  const Samples samples =
      samples_of("experiment e { " + kHeat + "threads (32, 4); blocks (4, 32); < run heat > }");
  CHECK(value(samples, "time") > 0);
  CHECK(value(samples, "clocks") == doctest::Approx(value(samples, "time") * 706e6));
  CHECK(value(samples, "blocks") == 128);
  CHECK(value(samples, "warps_per_block") == 4);
  // Five loads and a store where no border is; a border's warps have fewer.
  const double memory = value(samples, "coal_mem_insts") + value(samples, "uncoal_mem_insts");
  CHECK(memory > 5);
  CHECK(memory <= 6);
  CHECK(value(samples, "uncoal_mem_insts") > 0);  // the neighbours to the left and right
  CHECK(value(samples, "sync_insts") == 0);
  CHECK(value(samples, "occupancy") == doctest::Approx(1));
  CHECK(value(samples, "active_sms") == 13);
  CHECK(value(samples, "registers") > 0);
  // Nothing depends on data, but the sampled warp of the grid's middle has no border.
  CHECK(value(samples, "static_coal_mem_insts") + value(samples, "static_uncoal_mem_insts") == 6);
}

// A program that stands alone has no such file.
TEST_CASE("a kernel of the library that the program carries is read") {
  GPX_NEEDS_NVRTC();
  Session session({"embedded:/stdlib", "embedded:/experiments"});
  RunOptions options;
  options.device = "k20";
  const auto result = session.run(
      Source("line",
             "experiment e { kernel sepia from \"sepia.cu\" entry sepia(out = buffer(3KB, zero), "
             "in = buffer(3KB, hash), width = 32, pixels = 1024); threads 256; blocks 4; "
             "< run sepia > }"),
      options);
  if (!result) FAIL(render(result.error()));
  CHECK(!result->experiments.front().failure);
}

TEST_CASE("dynamic shared memory, sweeps in arguments and extents, 64-bit numbers") {
  const Samples samples = samples_of(
      "experiment e { sweep t in [32, 64, 128]; kernel sum from \"reduce.cu\" entry "
      "block_sum(sums = buffer(64B * 8, zero), values = buffer(1KB * t, 1), count = 128 * t); "
      "threads t; blocks 8; shared_bytes 8B * t; < run sum > }");
  CHECK(samples.rows() == 3);
  for (std::size_t row = 0; row < 3; ++row) {
    const double threads = std::ldexp(32, static_cast<int>(row));
    CHECK(value(samples, "shared_bytes", row) == 8 * threads);
    // One barrier, then one for each halving; nothing here depends on data.
    CHECK(value(samples, "sync_insts", row) == 1 + std::log2(threads));
    CHECK(value(samples, "static_sync_insts", row) == value(samples, "sync_insts", row));
    // 16 passes of the sum over 8 blocks.
    CHECK(value(samples, "coal_mem_insts", row) >= 16);
  }
}

TEST_CASE("contents decide what a kernel does that asks its data") {
  const auto text = [](const char* row) {
    return std::string("experiment e { kernel s from \"spmv.cu\" entry spmv(row = buffer(1KB, ") +
           row +
           "), column = buffer(64KB, index), value = buffer(64KB, uniform(0, 1)), x = buffer(64KB, "
           "uniform(0, 1)), y = buffer(1KB, zero), rows = 128); threads 128; < run s > }";
  };
  // Rows of 4 and of 8: each pass reads a value, a column, an element of x, and the row's end.
  const Samples four = samples_of(text("index(4)")), eight = samples_of(text("index(8)"));
  const auto memory = [](const Samples& s) {
    return value(s, "coal_mem_insts") + value(s, "uncoal_mem_insts");
  };
  CHECK(memory(eight) > 1.5 * memory(four));
  CHECK(std::isnan(value(four, "static_comp_insts")));  // not without the data
}

TEST_CASE("registers that are asked for are those that a virtual device has to give") {
  const std::string end = "threads 256; blocks 26; < run heat > }";
  const std::string begin = "experiment e { " + kHeat;
  const Samples plain = samples_of(begin + end, "gtx280");
  const Samples more = samples_of(begin + "registers 40; " + end, "gtx280");
  CHECK(value(more, "registers") == 40);
  CHECK(value(more, "resident_blocks") == 1);  // 16384 / (256 * 40)
  CHECK(more.find("limiter")->texts.at(0) == "registers");
  CHECK(value(plain, "resident_blocks") > 1);
}

TEST_CASE("more registers than a kernel needs are a warning: a GPU's occupancy is not theirs") {
  GPX_NEEDS_NVRTC();
  const auto warnings = [](const std::string& registers) {
    const auto result = run("experiment e { sweep r in " + registers + "; " + kHeat +
                            "registers r; threads 256; blocks 26; < run heat > }");
    if (!result) FAIL(render(result.error()));
    std::string all;
    for (const std::string& one : result->experiments.front().warnings) all += one + '\n';
    return all;
  };
  const std::string more = warnings("[4, 96, 128]");
  CHECK(contains(more, "'heat' needs "));
  CHECK(contains(more, "with registers 96, 128 its occupancy and time are of the model alone"));
  CHECK(!contains(warnings("[4, 8]"), "its occupancy and time"));
}

TEST_CASE("a macro that is an axis is a kernel for each of its values, also in an included file") {
  GPX_NEEDS_NVRTC();
  const auto of = [](const std::string& file, const std::string& defines) {
    return "experiment e { sweep u in [1, 2, 8]; kernel f from \"" + file + "\" define " + defines +
           " entry total(out = buffer(4KB, zero), in = buffer(64KB, uniform(0, 1))); threads 64; "
           "blocks 2; < run f > }";
  };
  for (const char* file : {"unroll.cu", "unroll_by_include.cu"}) {
    CAPTURE(file);
    const Samples samples = samples_of(of(file, "UNROLL = u, T = \"float\""));
    REQUIRE(samples.rows() == 3);
    const double elements[] = {1, 2, 8};
    for (std::size_t row = 0; row < 3; ++row)  // A load for each, and a store.
      CHECK(value(samples, "coal_mem_insts", row) == elements[row] + 1);
  }
  CHECK(contains(complaint(of("unroll.cu", "T = \"float\"")), "UNROLL"));
  const std::string types =
      "experiment e { sweep t in [\"float\", \"int\"]; kernel f from \"unroll.cu\" define UNROLL = "
      "1, T = t entry total(out = buffer(4KB, zero), in = buffer(64KB, uniform(0, 1))); threads "
      "64; "
      "< run f > }";
  CHECK(contains(complaint(types), "with 'UNROLL 1, T int' the parameters of 'total' are others"));
}

namespace {

std::string trips(const std::string& type, const std::string& contents,
                  const std::string& scale = "64") {
  return "experiment e {\n kernel k from \"trips.cu\" define T = \"" + type +
         "\" entry trips(out = buffer(4KB, zero), in = buffer(8KB, " + contents +
         "), scale = " + scale + ")\n threads 256\n blocks 4\n < run k > }";
}

}  // namespace

TEST_CASE("numbers of half precision and bfloat16 are as those of single precision") {
  GPX_NEEDS_NVRTC();
  for (const char* contents : {"0.5", "uniform(0, 1)", "uniform", "index(1/1024)"}) {
    CAPTURE(contents);
    const auto instructions = [&](const std::string& type) {
      return value(samples_of(trips(type, contents)), "comp_insts");
    };
    const double single = instructions("float");
    CHECK(single > 50);
    for (const char* type : {"__half", "__nv_bfloat16"}) {
      CAPTURE(type);
      CHECK(instructions(type) == doctest::Approx(single).epsilon(0.05));
    }
  }
  const double single = value(samples_of(trips("float", "0.5")), "comp_insts");
  for (const char* type : {"__half2", "__nv_bfloat162"}) {
    CAPTURE(type);
    CHECK(value(samples_of(trips(type, "0.5")), "comp_insts") ==
          doctest::Approx(single).epsilon(0.05));
  }
}

TEST_CASE("fractions are refused where elements are integers or unknown, at the argument's place") {
  GPX_NEEDS_NVRTC();
  const struct {
    const char *type, *contents, *said;
  } rows[] = {
      {"Pair", "uniform(0, 1)", "'in' is const Pair*: its elements are of unknown type"},
      {"Pair", "uniform", "'in' is const Pair*: its elements are of unknown type"},
      {"Pair", "0.5", "'in' is const Pair*: its elements are of unknown type"},
      {"Pair", "index", "no error"},
      {"Pair", "hash", "no error"},
      {"real", "uniform(2, 8)", "no error"},
      {"int", "0.5", "'in' is const int*: its elements cannot be 0.5"},
      {"int", "uniform", "'in' is const int*: from 0 to 1 its elements are all 0"},
      {"int", "uniform(0, 1)", "'in' is const int*: from 0 to 1 its elements are all 0"},
      {"int", "uniform(0, 9)", "no error"},
      {"__half", "permutation", "its elements cannot hold the indices of 4096 elements"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.type);
    CAPTURE(row.contents);
    // No trips: those of a hash would be two thousand million.
    const std::string said = complaint(trips(row.type, row.contents, "0"));
    CHECK_MESSAGE(contains(said, row.said), said);
    CHECK((contains(said, "no error") || contains(said, "test.gpx:2:")));
  }
}

TEST_CASE("what the device says of resident blocks is what is calculated") {
  GPX_NEEDS_NVRTC();
  for (const char* device : {"gtx280", "k20", "gtx780"}) {
    CAPTURE(device);
    Session session(kPaths);
    auto backend = session.open(device);
    REQUIRE(backend.has_value());
    const Source source(GPX_TESTS_DIR "/kernels/test.gpx",
                        "experiment e { sweep t in [32, 96, 128, 256, 512]; " + kHeat +
                            "threads t; blocks 4; < run heat > }");
    const auto experiments = check(*parse(source), source);
    REQUIRE(experiments.has_value());
    std::vector<std::string> warnings;
    const auto lowered = lower_user_measure(experiments->front(), experiments->front().measures[0],
                                            source, **backend, kPaths, {}, {}, warnings);
    REQUIRE(lowered.has_value());
    const auto facts = launch_facts(*lowered, **backend, warnings);
    REQUIRE(facts.has_value());
    CHECK(warnings.empty());
    for (const LaunchFacts& each : *facts) CHECK(each.device_blocks == each.occupancy.blocks);
  }
}

TEST_CASE("a struct by value: each member is where the kernel looks for it") {
  const auto clocks = [](const std::string& members) {
    return value(samples_of("experiment e { kernel k from \"shape.cu\" entry by_value(out = "
                            "buffer(1KB), shape = struct(" +
                            members + ")); threads 64; < run k > }"),
                 "clocks");
  };
  const double plain = clocks("u8(1), i32(2), buffer(1KB, 3), f32(4), i16(5), i16(9), i16(6)");
  const double more = clocks("u8(51), i32(2), buffer(1KB, 3), f32(4), i16(5), i16(9), i16(6)");
  CHECK(more > plain + 50);
  for (const char* members : {"u8(1), i32(52), buffer(1KB, 3), f32(4), i16(5), i16(9), i16(6)",
                              "u8(1), i32(2), buffer(1KB, 53), f32(4), i16(5), i16(9), i16(6)",
                              "u8(1), i32(2), buffer(1KB, 3), f32(54), i16(5), i16(9), i16(6)",
                              "u8(1), i32(2), buffer(1KB, 3), f32(4), i16(55), i16(9), i16(6)",
                              "u8(1), i32(2), buffer(1KB, 3), f32(4), i16(5), i16(9), i16(56)"}) {
    CAPTURE(members);
    CHECK(clocks(members) == more);
  }
  CHECK(clocks("u8(1), i32(2), buffer(1KB, 3), f32(4), i16(5), i16(59), i16(6)") == plain);
}

TEST_CASE("what does not fit a struct is said where it is written") {
  const auto with = [](const std::string& shape) {
    return complaint(
        "experiment e {\n kernel k from \"shape.cu\" entry by_value(out = buffer(1KB), shape = " +
        shape + ")\n < run k > }");
  };
  const std::string rest = "i32(1), buffer(1KB, 1), f32(1), i16(0), i16(0), i16(0)";
  CHECK(contains(with("struct(u8(1), " + rest + ")"), "no error"));
  CHECK(contains(with("3"), "'shape' is a struct of 32 bytes (Shape)"));
  CHECK(contains(with("struct(f32(1))"), "(Shape), these members make 4"));
  CHECK(contains(with("struct(u8(1), wide(1))"), "types are i8, u8"));
  const std::string end = "i16(0), i16(0), i16(0))";
  CHECK(contains(with("struct(u8(1), f32(1), buffer(1KB, 1), i32(1), " + end),
                 "'shape.1' is given as f32 where the struct has 'int second'"));
  CHECK(contains(with("struct(u8(1), i32(1), i64(1), f32(1), " + end),
                 "where the struct has 'const int* third'"));
  CHECK(contains(with("struct(u8(1), u8(0), u8(0), u8(0), i32(1), buffer(1KB, 1), f32(1), " + end),
                 "no error"));
  CHECK(contains(with("struct()"), "a struct has 1 to 256 members"));
  CHECK(contains(with("struct(u8(256), " + rest + ")"), "'shape.0' is 256: that is no value of"));
  CHECK(contains(complaint("experiment e { kernel k from \"stencil.cu\" entry heat(out = "
                           "struct(i32(1)), in = buffer(1KB), width = 8, height = 8, rate = 1); "
                           "< run k > }"),
                 "'out' is no struct (float*)"));
}

TEST_CASE("what does not fit a kernel is said where it is written") {
  const auto with = [](const std::string& arguments) {
    return complaint("experiment e {\n kernel k from \"stencil.cu\" entry heat(" + arguments +
                     ")\n < run k > }");
  };
  const std::string rest = "in = buffer(1KB), width = 8, height = 8, rate = 0.5";
  CHECK(contains(with(rest), "'heat' takes 'float* out': no argument gives it"));
  CHECK(contains(with("out = 3, " + rest), "'out' is a pointer"));
  CHECK(contains(with("out = 3, " + rest), "test.gpx:2:40"));
  CHECK(contains(with("ouT = buffer(1KB), " + rest), "'heat' has no parameter 'ouT'"));
  CHECK(contains(with("ouT = buffer(1KB), " + rest), "did you mean 'out'?"));
  CHECK(contains(with("out = buffer(1KB), in = buffer(1KB), width = 8.5, height = 8, rate = 1"),
                 "'width' is 8.5: that is no value of its type int"));
  CHECK(contains(with("out = buffer(1KB), in = buffer(1KB), width = buffer(8B), height = 8, "
                      "rate = 1"),
                 "'width' is no pointer"));
  const std::string entry =
      complaint("experiment e { kernel k from \"stencil.cu\" entry heats(rate = 1); < run k > }");
  CHECK(contains(entry, "has no __global__ function 'heats'"));
  CHECK(contains(entry, "did you mean 'heat'?"));
  CHECK(contains(complaint("experiment e { kernel k from \"none.cu\" entry f(); < run k > }"),
                 "there is no file 'none.cu'"));
}

TEST_CASE("the compiler's errors point into the kernel's file, all of them") {
  const auto result =
      run("experiment e { kernel k from \"broken.cu\" entry broken(a = buffer(1KB)); < run k > }");
  REQUIRE(!result.has_value());
  CHECK(result.error().fault == Fault::input);
  REQUIRE(result.error().diagnostics.size() == 2);
  for (int i = 0; i < 2; ++i) {
    const auto& location = result.error().diagnostics[static_cast<std::size_t>(i)].location;
    REQUIRE(location.has_value());
    CHECK(contains(location->file, "broken.cu"));
    CHECK(location->line == 3 + i);
  }
}
