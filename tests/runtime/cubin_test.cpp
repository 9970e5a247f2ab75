// Predictions of cubins: the same as those of the file that they were compiled from, and what is no
// cubin for the device is refused by name.
#include <doctest/doctest.h>

#include <fstream>

#include "codegen/user/cubin_file.h"
#include "runtime/device/vgpu/counts/counted_launch.h"
#include "runtime/device/vgpu/counts/touched_code.h"
#include "runtime/predict/predictor.h"
#include "tests/codegen/support.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

const Paths kLibrary{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

constexpr const char* kSource = R"(
struct Pair { float scale; int n; float* more; };
__device__ float table[64];
__constant__ float weights[4] = {1, 2, 3, 4};
__global__ void add(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void gather(float* y, const float* x, const int2* where, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[where[i].x & 1023];
}
__global__ void tile(float* y, const float* x, Pair p) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x] * p.scale + weights[threadIdx.x & 3];
  __syncthreads();
  table[threadIdx.x & 63] = s[255 - threadIdx.x];
  y[blockIdx.x * 256 + threadIdx.x] = p.more[threadIdx.x] + s[(threadIdx.x + p.n) & 255];
}
__global__ void last(float* y, const float* x, unsigned* count) {
  y[blockIdx.x] = x[blockIdx.x];
  if (atomicAdd(count, 1) == gridDim.x - 1)
    for (int i = 0; i < gridDim.x; ++i) y[0] += y[i];
}
extern "C" __global__ void plain(float* y, float a) { y[threadIdx.x] = a; }
)";

codegen::CompiledFile compiled_for(int sm) {
  const Source file("kernels.cu", kSource);
  const codegen::Target target{codegen::Target::Form::cubin, sm, {}, sm == 90};
  auto made =
      codegen::compile_file(file, target, {}, codegen::ArtifactCache::from_environment(), nullptr);
  if (!made) FAIL(render(made.error()));
  return std::move(*made);
}

struct CubinFolder {
  explicit CubinFolder(int sm = 90) {
    std::ofstream(source()) << kSource;
    const auto bytes = compiled_for(sm).artifact.cubin;
    write(std::string(bytes.begin(), bytes.end()));
  }
  void write(const std::string& bytes) const {
    std::ofstream(cubin(), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string text() const {
    std::ifstream in(cubin(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string source() const { return folder / "kernels.cu"; }
  std::string cubin() const { return folder / "kernels.cubin"; }
  codegen::test::Folder folder;
};

struct Case {
  const char* entry;
  std::vector<std::string> of_source, of_cubin, buffers;
};

PredictRequest request_of(const Case& each, const std::string& file, bool cubin) {
  PredictRequest request;
  request.file = file;
  request.entry = each.entry;
  request.device = "h100";
  request.grid = {"24"};
  request.block = {"256"};
  request.arguments = cubin ? each.of_cubin : each.of_source;
  request.buffers = each.buffers;
  return request;
}

std::string refusal_of(const PredictRequest& request) {
  Session session(kLibrary);
  const auto made = predict(session, request);
  REQUIRE_FALSE(made.has_value());
  return made.error().diagnostics.front().message;
}

}  // namespace

TEST_CASE("a cubin is predicted as the file that it was compiled from") {
  GPX_NEEDS_NVRTC();
  const CubinFolder folder;
  const Case kCases[] = {
      {"add",
       {"param_2=2", "param_3=6144"},
       {"param_2=2", "param_3=6144"},
       {"param_0=24KB:zero", "param_1=24KB:zero"}},
      {"gather",
       {"param_3=6144"},
       {"param_3=6144"},
       {"param_0=24KB:zero", "param_1=4KB:zero", "param_2=48KB:index"}},
      {"tile",
       {"param_2=struct(f32(2), i32(3), buffer(1KB, zero))"},
       {"param_2=struct(f32(2), i32(3), buffer(1KB, zero))"},
       {"param_0=24KB:zero", "param_1=1KB:zero"}},
      {"last", {}, {}, {"param_0=1KB:zero", "param_1=1KB:zero", "param_2=4B:zero"}},
      {"plain", {"param_1=2"}, {"param_1=struct(f32(2))"}, {"param_0=1KB:zero"}}};
  for (const Case& each : kCases) {
    CAPTURE(each.entry);
    Session session(kLibrary);
    const auto source = predict(session, request_of(each, folder.source(), false));
    if (!source) FAIL(render(source.error()));
    const auto cubin = predict(session, request_of(each, folder.cubin(), true));
    if (!cubin) FAIL(render(cubin.error()));
    REQUIRE(source->simulation->machine_code);
    CHECK(cubin->seconds == source->seconds);
    CHECK(cubin->bound == source->bound);
    CHECK(cubin->facts.registers == source->facts.registers);
    CHECK(cubin->facts.shared_bytes == source->facts.shared_bytes);
  }
}

TEST_CASE("which buffers machine code reads and writes is what its PTX says") {
  GPX_NEEDS_NVRTC();
  const codegen::CompiledFile file = compiled_for(90);
  for (const char* symbol : {"_Z3addPfPKffi", "_Z6gatherPfPKfPK4int2i", "_Z4lastPfPKfPj"}) {
    CAPTURE(symbol);
    codegen::Artifact artifact = file.artifact;
    artifact.entry = symbol;
    const auto ptx = vgpu::KernelCounter::make(artifact);
    artifact.code_alone = true;
    const auto code = vgpu::KernelCounter::make(artifact);
    REQUIRE(ptx.has_value());
    REQUIRE(code.has_value());
    codegen::Launch launch;
    for (std::size_t i = 0; i < ptx->impl().entry->parameters.size(); ++i) {
      const bool pointer = ptx->impl().entry->parameters[i].bytes == 8;
      codegen::Argument argument;
      argument.parts.push_back({pointer ? static_cast<std::int32_t>(i) : -1, 8, 0, 0});
      launch.arguments.push_back(std::move(argument));
    }
    const vgpu::Touched of_ptx = ptx->impl().touched(launch),
                        of_code = code->impl().touched(launch);
    CHECK(of_code.read == of_ptx.read);
    CHECK(of_code.written == of_ptx.written);
    CHECK((of_code.communicates != 0) == (of_ptx.communicates != 0));
  }
}

TEST_CASE("blocks of a cubin that do not depend on each other are sampled") {
  GPX_NEEDS_NVRTC();
  const CubinFolder folder;
  PredictRequest request = request_of(
      {"add", {}, {"param_2=2", "param_3=4194304"}, {"param_0=16MB:zero", "param_1=16MB:zero"}},
      folder.cubin(), true);
  request.grid = {"16384"};
  Session session(kLibrary);
  const auto made = predict(session, request);
  if (!made) FAIL(render(made.error()));
  CHECK(made->simulation->blocks_run < 16384);
  CHECK(made->facts.counts.independent);
}

TEST_CASE("what is no cubin for the device is refused by the name of its file") {
  GPX_NEEDS_NVRTC();
  const CubinFolder folder;
  const Case add{"add", {}, {"param_2=2", "param_3=6144"}, {"param_0=24KB", "param_1=24KB"}};
  PredictRequest request = request_of(add, folder.cubin(), true);
  const std::string quoted = "'" + folder.cubin() + "' ", whole = folder.text();
  CHECK(refusal_of(request_of({"none", {}, {}, {}}, folder.cubin(), true))
            .find("has no __global__ function 'none'") != std::string::npos);
  request.model = kMwpCwp;
  CHECK(refusal_of(request) == quoted + "is machine code: only --model simulation predicts it");
  request.model.clear();
  request.device = "k20";
  CHECK(refusal_of(request) == quoted + "is machine code, which 'k20' does not execute");
  request.device = "h100";
  request.registers = "32";
  CHECK(refusal_of(request) == quoted + "is compiled: its registers and macros are fixed");
  request.registers.clear();
  folder.write("__global__ void k() {}");
  CHECK(refusal_of(request) == quoted + "is no cubin: it does not begin as an ELF file");
  for (const std::size_t bytes : {std::size_t{20}, whole.size() / 3, whole.size() / 2}) {
    folder.write(whole.substr(0, bytes));
    CHECK(refusal_of(request).starts_with(quoted + "is truncated: "));
  }
  const CubinFolder older(80);
  CHECK(refusal_of(request_of(add, older.cubin(), true)) ==
        "'" + older.cubin() + "' is machine code of sm_80: this device executes that of sm_90a");
}
