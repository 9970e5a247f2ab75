// gpx try without its processes: kernels found in a text, arguments guessed, outcomes.
#include "runtime/trial/trial.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "runtime/trial/guess.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

const std::string kText =
    R"cu(// gpx: --entry scale --grid 2 --block 32 --buffer out=256B --arg 'by=2' expect out==2
// gpx: --entry made<4> --block 4 --buffer out=16B expect out==4
// __global__ void commented();
#define IGNORED __global__ void macro(int* out) {}
extern "C" __global__ void scale(int* out, int by) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = by;  // '"' is no text
}
template <int N>
static __global__ void __launch_bounds__(64) made(int* out) {
  out[threadIdx.x] = N;
}
template __global__ void made<4>(int*);
__global__ void declared(float* a);
namespace inner {
__global__ void plane(float* a, int width, int height) {
  a[(blockIdx.y * blockDim.y + threadIdx.y) * width + threadIdx.x] = height;
}
}
template <typename T> __global__ void no_instance(T* a) { *a = 0; }
extern "C" __global__ void wild(int* a) { a[1 << 28] = 1; }
extern "C" __global__ void wrong(int* ok) { ok[threadIdx.x] = threadIdx.x != 3; }
template <int N> __global__ void launched(int* out) { out[threadIdx.x] = N; }
void host(int* out) { launched<3><<<1, 32>>>(out); }
)cu";

std::vector<FoundKernel> found(const std::string& text) {
  const auto kernels = find_kernels(Source("a.cu", text));
  if (!kernels) FAIL(render(kernels.error()));
  return *kernels;
}

}  // namespace

TEST_CASE("kernels are found where they are defined, with what comments give them") {
  const auto kernels = found(kText);
  std::vector<std::string> names;
  for (const FoundKernel& each : kernels) names.push_back(each.name);
  CHECK(names == std::vector<std::string>{"scale", "plane", "no_instance", "wild", "wrong",
                                          "launched", "made<4>"});
  REQUIRE(kernels[0].given);
  CHECK(kernels[0].line == 5);
  CHECK(kernels[0].given->grid == std::vector<std::string>{"2"});
  CHECK(kernels[0].given->arguments == std::vector<std::string>{"by=2"});
  CHECK(kernels[0].given->expects == std::vector<std::string>{"buffer(out) == 2"});
  CHECK(kernels[1].extents == 2);
  CHECK(!kernels[1].given);
  CHECK(kernels[2].is_template);
  CHECK(!kernels[3].is_template);
}

TEST_CASE("a comment that cannot be read is an error at its line") {
  for (const char* text : {"// gpx: --grid 1\n", "// gpx: --entry\n", "// gpx: --speed 3\n"}) {
    CAPTURE(text);
    const auto kernels = find_kernels(Source("a.cu", text));
    REQUIRE(!kernels);
    CHECK(kernels.error().diagnostics.front().location->line == 1);
  }
}

TEST_CASE("guessed arguments: counts, small numbers, structs, vectors, shared memory") {
  codegen::KernelEntry entry{"_Z1k", "k", {}, "tile"};
  using Kind = codegen::KernelParameter::Kind;
  const auto add = [&](const char* name, const char* type, Kind kind, std::uint32_t bytes) {
    codegen::KernelParameter parameter{name, type, kind, bytes};
    if (kind == Kind::pointer)
      parameter.element = codegen::element_of(type);
    else
      parameter.value = codegen::value_type(type);
    entry.parameters.push_back(std::move(parameter));
  };
  add("a", "const float*", Kind::pointer, 8);
  add("rows", "int*", Kind::pointer, 8);
  add("n", "int", Kind::integer, 4);
  add("iterations", "unsigned", Kind::integer, 4);
  add("eps", "float", Kind::real, 4);
  add("v", "float2", Kind::other, 8);
  add("s", "Params", Kind::other, 2);
  const PredictRequest request = guess({"a.cu", "k", 1, false, 1}, entry, Counts::of_threads);
  CHECK(request.buffers ==
        std::vector<std::string>{"a=4194304B:uniform(0, 1)", "rows=4194304B:zero"});
  CHECK(request.arguments == std::vector<std::string>{"n=512", "iterations=1", "eps=0.5",
                                                      "v=(0.5, 0.5)", "s=struct(u8(0), u8(0))"});
  CHECK(request.shared_bytes == "16KB");
  CHECK(guess({"a.cu", "k", 1, false, 1}, entry, Counts::ones).arguments[0] == "n=1");
}

TEST_CASE("each outcome of a trial has its kind") {
  GPX_NEEDS_NVRTC();
  const std::string path = (std::filesystem::temp_directory_path() / "gpx-trial.cu").string();
  std::ofstream(path) << kText << "// gpx: --entry wrong --block 4 --buffer ok=16B expect ok==1\n";
  Session session({GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"});
  const Source text(path, kText + "// gpx: --entry wrong --block 4 --buffer ok=16B expect ok==1\n");
  const auto kernels = find_kernels(text);
  REQUIRE(kernels.has_value());
  const std::pair<const char*, Tried> expected[] = {{"scale", Tried::runs},
                                                    {"plane", Tried::runs},
                                                    {"no_instance", Tried::no_instance},
                                                    {"wild", Tried::wrong_arguments},
                                                    {"wrong", Tried::wrong_result},
                                                    {"launched", Tried::runs},
                                                    {"made<4>", Tried::runs}};
  REQUIRE(kernels->size() == std::size(expected));
  for (std::size_t i = 0; i < kernels->size(); ++i) {
    const Trial trial = try_kernel(session, "h100", text, (*kernels)[i]);
    CAPTURE(trial.kernel);
    CAPTURE(trial.why);
    CHECK(trial.kernel == expected[i].first);
    CHECK(to_string(trial.outcome) == to_string(expected[i].second));
  }
  const Source broken(path, "__global__ void k(int* a) {\n  *a = missing;\n}\n");
  const Trial trial = try_kernel(session, "h100", broken, find_kernels(broken)->front());
  CHECK(trial.outcome == Tried::compile_error);
  CHECK(trial.why_line == 2);
  std::filesystem::remove(path);
}
