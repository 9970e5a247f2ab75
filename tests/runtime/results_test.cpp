// Results of kernels from files: compared with files, other kernels, numbers and checksums.
#include "runtime/results.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "codegen/user/npy.h"
#include "lang/lists.h"
#include "runtime/compare_buffers.h"
#include "runtime/pipeline.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

ExperimentResult run(const std::string& clauses, std::vector<SavedBuffer> saved = {}) {
  Session session(kPaths);
  RunOptions options;
  options.device = "k20";
  options.saved = std::move(saved);
  auto result = session.run(
      Source(GPX_TESTS_DIR "/kernels/test.gpx", "experiment e { " + clauses + " }"), options);
  if (!result) FAIL(render(result.error()));
  auto& first = result->experiments.front();
  if (first.failure) FAIL(render(*first.failure));
  return std::move(first);
}

std::string refused(const std::string& clauses) {
  const Source source("test.gpx", "experiment e { " + clauses + " }");
  const auto ast = parse(source);
  if (!ast) return render(ast.error());
  const auto experiments = check(*ast, source);
  return experiments ? "" : render(experiments.error());
}

/// The error of an experiment that is refused before it measures anything.
std::string not_run(const std::string& clauses) {
  Session session(kPaths);
  RunOptions options;
  options.device = "k20";
  const auto result = session.run(
      Source(GPX_TESTS_DIR "/kernels/test.gpx", "experiment e { " + clauses + " }"), options);
  return result ? "it ran" : render(result.error());
}

std::string kernel(const std::string& name, const std::string& entry) {
  return "kernel " + name + " from \"checked.cu\" entry " + entry +
         "(out = buffer(4KB, zero), in = buffer(4KB, index), by = 0.5, n = 1024)\n";
}

template <typename T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::string difference(codegen::Element element, std::vector<T> a, std::vector<T> b,
                       double within = 0, bool is_signed = true) {
  const auto found = compare_buffers(bytes_of(a), bytes_of(b), {element, is_signed}, within);
  return found ? to_string(*found) : "";
}

}  // namespace

TEST_CASE("buffers are compared element by element, by their type") {
  using codegen::Element;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(difference<float>(Element::f32, {1, nan, inf, -0.0f}, {1, nan, inf, 0}) == "");
  CHECK(difference<float>(Element::f32, {1, 2, 3}, {1, 2.5f, 7}) ==
        "element 1 is 2, not 2.5: 2 of 3 elements differ, by up to 4");
  CHECK(difference<float>(Element::f32, {100.0001f, 1}, {100, 1}, 1e-5) == "");
  CHECK(difference<float>(Element::f32, {100.01f, 1}, {100, 1}, 1e-5) != "");
  CHECK(difference<float>(Element::f32, {1e-6f}, {0}, 1e-5) == "");  // absolutely
  CHECK(contains(difference<float>(Element::f32, {inf}, {1}, 0.5), "by up to inf"));
  CHECK(contains(difference<float>(Element::f32, {1}, {inf}, 0.5), "by up to inf"));
  CHECK(difference<std::int32_t>(Element::i32, {-1}, {1}) ==
        "element 0 is -1, not 1: 1 of 1 elements differ, by up to 2");
  CHECK(difference<std::uint32_t>(Element::i32, {4294967295u}, {0}, 0, false) ==
        "element 0 is 4294967295, not 0: 1 of 1 elements differ, by up to 4.29497e+09");
  CHECK(
      difference<std::uint64_t>(Element::i64, {9007199254740993u}, {9007199254740992u}, 0, false) ==
      "element 0 is 9007199254740993, not 9007199254740992: 1 of 1 elements differ, by up to 1");
  CHECK(difference<std::uint16_t>(Element::f16, {0x3c00}, {0x4000}) ==
        "element 0 is 1, not 2: 1 of 1 elements differ, by up to 1");
}

TEST_CASE("results_are_checked: against another kernel on the same inputs") {
  GPX_NEEDS_NVRTC();
  const std::string grid = "threads 128 blocks 8\n";
  const auto judged = [&](const std::string& entry, const std::string& within) {
    return run(kernel("k", entry) + kernel("ref", "scale") + grid +
               "measure a { < run k > }\nmeasure b { < run ref > }\n" +
               "expect buffer(k.out) == buffer(ref.out)" + within);
  };
  const ExperimentResult right = judged("scale", "");
  REQUIRE(right.expectations.size() == 1);
  CHECK(right.expectations[0].pass);
  CHECK(right.values_digest.size() == 16);

  const ExperimentResult first = judged("only_first", "");
  CHECK(!first.expectations[0].pass);
  CHECK(first.expectations[0].reason ==
        "'out': element 1 is 0, not 0.5: 1023 of 1024 elements differ, by up to 511.5 at "
        "measure=a");
  CHECK(first.values_digest != right.values_digest);

  CHECK(!judged("nearly", "").expectations[0].pass);
  CHECK(!judged("nearly", " within 1e-5").expectations[0].pass);
  CHECK(judged("nearly", " within 1e-2").expectations[0].pass);
}

TEST_CASE("results_are_checked: against files, numbers and checksums, at every point") {
  GPX_NEEDS_NVRTC();
  const std::string folder = GPX_TESTS_DIR "/kernels/";
  const std::string one = kernel("k", "scale") + "threads 128 blocks 8 < run k >\n";
  const std::string path = (std::filesystem::temp_directory_path() / "gpx-results.npy").string();
  const ExperimentResult saved = run(one, {{"out", path}});
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto begin = codegen::npy_data(text, codegen::Element::f32);
  REQUIRE(begin.has_value());
  REQUIRE(text.size() - *begin == 4096);
  float value = 0;
  std::memcpy(&value, text.data() + *begin + 4 * 1023, 4);
  CHECK(value == 511.5f);

  CHECK(run(one + "expect buffer(out) == \"" + path + "\"").expectations[0].pass);
  const std::string swept =
      "sweep f in [0.5, 1]\nkernel k from \"checked.cu\" entry scale(out = "
      "buffer(4KB, zero), in = buffer(4KB, index), by = f, n = 1024)\n"
      "threads 128 blocks 8 < run k >\n";
  const auto half = run(swept + "expect buffer(out) == \"" + path + "\" within 1e-6");
  CHECK(!half.expectations[0].pass);
  CHECK(contains(half.expectations[0].reason, "at f=1"));
  const std::string missing = not_run(one + "expect buffer(out) == \"nowhere.npy\"");
  CHECK_MESSAGE(contains(missing, "'nowhere.npy' cannot be read: No such file"), missing);

  const auto sum = run(one + "expect checksum(out) == 1");
  REQUIRE(contains(sum.expectations[0].reason, "the checksum of 'out' is 0x"));
  const std::string actual =
      sum.expectations[0].reason.substr(sum.expectations[0].reason.find("0x"), 18);
  CHECK(run(one + "expect checksum(out) == " + actual).expectations[0].pass);

  CHECK(!run(one + "expect buffer(out) == 0").expectations[0].pass);
  CHECK(run(one + "expect buffer(in) == buffer(out)").expectations.size() == 1);
  std::filesystem::remove(path);
}

TEST_CASE("a kernel in place is checked after its first launch on fresh contents") {
  GPX_NEEDS_NVRTC();
  const auto result =
      run("kernel k from \"checked.cu\" entry increment(values = buffer(2KB, 41))\n"
          "threads 128 blocks 4 repeat 7 warmup 3 < run k >\nexpect buffer(values) == 42");
  CHECK_MESSAGE(result.expectations[0].pass, result.expectations[0].reason);
}

TEST_CASE("a grid of which a sample is timed is checked whole") {
  GPX_NEEDS_NVRTC();
  const auto result =
      run("kernel k from \"checked.cu\" entry scale(out = buffer(1MB, zero), in = buffer(1MB, 2), "
          "by = 0.5, n = 262144)\nthreads 64 blocks 4096 < run k >\nexpect buffer(out) == 1");
  CHECK_MESSAGE(result.expectations[0].pass, result.expectations[0].reason);
}

TEST_CASE("three-dimensional grids and blocks run every thread once, in a sweep too") {
  GPX_NEEDS_NVRTC();
  const auto result = run(
      "sweep z in [1, 3]\nkernel k from \"checked.cu\" entry place(out = buffer(384B * z, zero))\n"
      "threads (4, 2, 3) blocks (2, 2, z) < run k >\nexpect buffer(out) == buffer(out)");
  CHECK(result.samples.find("blocks")->numbers == std::vector<double>{4, 12});
}

TEST_CASE("int64_precision and scalar_arguments: a kernel gets what is written") {
  GPX_NEEDS_NVRTC();
  const std::string path = (std::filesystem::temp_directory_path() / "gpx-scalars.raw").string();
  run("kernel k from \"checked.cu\" entry take(o = buffer(64B, zero), h = 1.5, b = true, "
      "m = 18446744073709551615, mode = \"fast\", f = -inf, v = (1, 2, 3, 4), "
      "s = struct(i8(1), struct(f64(10), i16(100)), float4(0, 0, 0, 1000), buffer(16B, 10000)), "
      "none = null)\n< run k >",
      {{"o", path}});
  std::ifstream file(path, std::ios::binary);
  std::uint64_t o[8] = {};
  file.read(reinterpret_cast<char*>(o), sizeof o);
  CHECK(o[0] == 1500);
  CHECK(o[1] == 1);
  CHECK(o[2] == ~std::uint64_t{0});
  CHECK(o[3] == 7);
  CHECK(o[4] == 0xff800000u);
  CHECK(o[5] == 4321);
  CHECK(o[6] == 11111);
  CHECK(o[7] == 1);
  std::filesystem::remove(path);
}

TEST_CASE("results_are_checked: a bandwidth that stands for more bytes than the kernel moves") {
  GPX_NEEDS_NVRTC();
  const auto warned = [&](const std::string& entry) {
    const auto result = run("param moved = 8KB\n" + kernel("k", entry) +
                            "threads 128 blocks 8 < run k >\nderive bandwidth = moved / time");
    std::string all;
    for (const std::string& warning : result.warnings) all += warning + "\n";
    return all;
  };
  const std::string text = warned("only_first");
  CHECK_MESSAGE(contains(text, "bandwidth stands for 8KB a launch: the kernel's loads"), text);
  CHECK(!contains(warned("scale"), "stands for"));
}

TEST_CASE("an expectation of results says what cannot be compared") {
  const std::string one = kernel("k", "scale") + "< run k >\n";
  const std::pair<std::string, std::string> table[] = {
      {one + "expect buffer(ot) == 1", "no buffer is given to 'ot'"},
      {one + "expect buffer(q.out) == 1", "no kernel is named 'q'"},
      {one + "expect checksum(out) == \"a.npy\"", "a checksum is compared with a number"},
      {one + "expect checksum(out) == 1.5", "a whole number of 64 bits"},
      {one + "expect checksum(out) == 1 within 2", "it has no tolerance"},
      {one + "expect buffer(out) == 4KB", "compared with a number"},
      {one + "expect buffer(out) == 1 within -1", "at least 0"},
      {one + "expect buffer(out) < 1", "expected '=='"},
      {"< load broadcast >\nexpect buffer(out) == 1", "there is none here"},
      {kernel("k", "scale") + kernel("q", "scale") + "< run k >\nexpect buffer(out) == 1",
       "several kernels have a buffer 'out'"},
      {kernel("k", "scale") + kernel("q", "scale") +
           "< run k >\nexpect buffer(k.out) == buffer(q.out)",
       "nothing runs the kernel 'q'"},
  };
  for (const auto& [text, message] : table) {
    CAPTURE(text);
    CHECK_MESSAGE(contains(refused(text), message), refused(text));
  }
}
