// What a kernel from a file brings beside its own code: other kernels, headers, tables of
// addresses, printf; and where its faults are shown.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>

#include "lang/lists.h"
#include "runtime/measure/kernel_place.h"
#include "runtime/pipeline.h"
#include "runtime/predict/predict.h"
#include "tests/codegen/support.h"
#include "tests/device_files.h"
#include "tests/left_out.h"

using namespace gpx;
using codegen::test::Folder;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

/// Runs `entry` of a.cu, whose first parameter is the buffer o. "": it ran, and the warnings;
/// else the error.
struct Ran {
  std::string error;
  std::string warnings;
};
Ran run(const Folder& folder, const std::string& text, const std::string& entry,
        const std::string& device, const std::string& more = "",
        const std::string& contents = "zero") {
  std::ofstream(folder / "a.cu") << text;
  Session session(kPaths);
  RunOptions options;
  options.device = device;
  const std::string experiment = fmt::format(
      "experiment e {{ kernel k from \"a.cu\" entry {}(o = buffer(4KB, {}){}); threads 32; "
      "< run k > }}",
      entry, contents, more);
  const auto result = session.run(Source(folder / "e.gpx", experiment), options);
  if (!result) return {render(result.error()), ""};
  const ExperimentResult& one = result->experiments.front();
  if (one.failure) return {render(*one.failure), ""};
  return {"", fmt::format("{}", fmt::join(one.warnings, "\n"))};
}

}  // namespace

TEST_CASE("address_initialisers") {
  GPX_NEEDS_NVRTC();
  const std::string kFiles[] = {
      "__device__ const char* title = \"a table of nobody\";\n"
      "__global__ void k(int* o) { o[threadIdx.x] = 1; }\n",
      "__device__ int x = 5;\n__device__ int* p = &x;\n"
      "__global__ void k(int* o) { o[threadIdx.x] = *p; if (*p != 5) __trap(); }\n",
      "__device__ int twice(int v) { return 2 * v; }\n"
      "__device__ int thrice(int v) { return 3 * v; }\n"
      "__device__ int (*steps[2])(int) = {twice, thrice};\n"
      "__global__ void k(int* o) {\n"
      "  const int t = threadIdx.x, r = steps[t & 1](t);\n"
      "  o[t] = r; if (r != (2 + (t & 1)) * t) __trap();\n}\n"};
  for (const std::string& file : kFiles)
    for (const char* device : {"h100", "k20"}) {
      CAPTURE(file);
      const Folder folder;
      CHECK(run(folder, file, "k", device).error == "");
    }
}

TEST_CASE("printf_elsewhere") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  const std::string file =
      "#include <stdio.h>\n"
      "__global__ void loud(int* o) { if (threadIdx.x == 2) printf(\"hello %d\\n\", o[0] + 7); }\n"
      "__global__ void quiet(int* o) { o[threadIdx.x] = threadIdx.x; }\n"
      "__global__ void guarded(int* o, int v) { if (v) printf(\"v\"); o[threadIdx.x] = 1; }\n"
      "__global__ void sampled(float* o, cudaTextureObject_t x) {\n"
      "  o[threadIdx.x] = tex2D<float>(x, 0.5f, 0.5f);\n}\n"
      "__global__ void strict(int* o) {\n  assert(threadIdx.x < 20);\n  o[0] = 1;\n}\n";
  for (const char* device : {"h100", "k20"}) {
    CAPTURE(device);
    const Ran quiet = run(folder, file, "quiet", device);
    CHECK(quiet.error == "");
    CHECK_FALSE(contains(quiet.warnings, "printf"));
    const Ran guarded = run(folder, file, "guarded", device, ", v = 0");
    CHECK(guarded.error == "");
    CHECK_FALSE(contains(guarded.warnings, "printf"));
    const Ran loud = run(folder, file, "loud", device);
    CHECK(loud.error == "");
    CHECK(contains(loud.warnings, "printf 1 time,"));
    CHECK(contains(loud.warnings, "not modelled"));
    CHECK(contains(loud.warnings, "thread 2: hello 7"));
    const Ran strict = run(folder, file, "strict", device);
    CHECK(contains(strict.error, "a.cu:9:"));
    CHECK(contains(strict.error, "thread (20, 0, 0): assertion 'threadIdx.x < 20' failed"));
  }
}

TEST_CASE("texture_objects") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  const std::string file =
      "__global__ void one(float* o, cudaTextureObject_t x) {\n"
      "  o[threadIdx.x] = tex1Dfetch<float>(x, threadIdx.x);\n}\n"
      "__global__ void two(float* o, cudaTextureObject_t x) {\n"
      "  o[threadIdx.x] = tex2D<float>(x, 0.5f, 0.5f);\n}\n";
  for (const auto& [entry, line] : {std::pair{"one", "a.cu:2:"}, {"two", "a.cu:5:"}}) {
    const std::string error =
        run(folder, file, entry, test::device_file("hopper"), ", x = 1").error;
    CAPTURE(error);
    CHECK(contains(error, line));
    CHECK(contains(error, "a kernel from a file cannot use textures"));
  }
}

TEST_CASE("line_in_header") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  std::ofstream(folder / "own.h") << "// one\n// two\n// three\n// four\n"
                                     "__device__ inline int fetch(const int* p, int i) {\n"
                                     "  return p[i * 1000000];\n}\n"
                                     "__device__ __noinline__ int far(const int* p, int i) {\n"
                                     "  return i > 3 ? p[i << 20] : 0;\n}\n";
  const std::string file =
      "#include \"own.h\"\n__global__ void k(int* o) {\n"
      "  o[threadIdx.x] = fetch(o, threadIdx.x + 1);\n}\n";
  for (const std::string& device : {test::device_file("hopper"), std::string("k20")}) {
    const std::string error = run(folder, file, "k", device).error;
    CAPTURE(error);
    CHECK(contains(error, "own.h:6:3: error"));
    CHECK(contains(error, "  return p[i * 1000000];"));
    CHECK(contains(error, "inlined at " + (folder / "a.cu") + ":3"));
  }
  // A function that is called, not inlined.
  const std::string called =
      "#include \"own.h\"\n__global__ void k(int* o) {\n  o[threadIdx.x] = far(o, "
      "threadIdx.x);\n}\n";
  const std::string error = run(folder, called, "k", test::device_file("hopper")).error;
  CAPTURE(error);
  CHECK(contains(error, "own.h:9:3: error"));
  CHECK_FALSE(contains(error, "inlined"));
}

TEST_CASE("a prediction that cannot be made leaves the measurement that was asked for") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  // A loop whose trips depend on what a buffer holds, about which nothing was said.
  std::ofstream(folder / "a.cu")
      << "extern \"C\" __global__ void k(const unsigned* n, float* o) {\n  float s = 0;\n"
         "  for (unsigned i = 0; i < n[threadIdx.x] % 8; ++i) s += o[i];\n  o[threadIdx.x] = "
         "s;\n}\n";
  PredictRequest request;
  request.file = folder / "a.cu";
  request.entry = "k";
  request.grid = {"2"};
  request.block = {"64"};
  request.buffers = {"n=1KB", "o=1KB"};
  request.device = "k20";
  Session session(kPaths);
  REQUIRE_FALSE(predict(session, request));
  request.measure = true;
  const auto measured = predict(session, request);
  if (!measured) FAIL(render(measured.error()));
  CHECK(contains(measured->uncounted, "a.cu:3: 'k' cannot be analysed without its data"));
  CHECK(measured->measured_seconds.value_or(0) > 0);
}
