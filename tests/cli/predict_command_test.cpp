// gpx predict on the command line: text, JSON, errors.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "captured.h"
#include "tests/left_out.h"

using namespace gpx::cli;
using Json = nlohmann::json;

namespace {

Ended predict(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"predict",   GPX_TESTS_DIR "/kernels/stencil.cu",
                                        "--entry",   "heat",
                                        "--grid",    "8,32",
                                        "--block",   "32,8",
                                        "--arg",     "width=256",
                                        "--arg",     "height=256",
                                        "--buffer",  "out=256KB:zero",
                                        "--buffer",  "in=256KB:uniform(0, 1)",
                                        "--machine", "Mem_LD=420",
                                        "--machine", "Departure_del_uncoal=10",
                                        "--machine", "Departure_del_coal=4",
                                        "--machine", "Issue_cycles=4",
                                        "--machine", "Mem_Bandwidth=76.8e9",
                                        "--device",  "fx5600"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return command(arguments);
}

}  // namespace

TEST_CASE("a prediction names the device as a model, the case, the bound and the changes") {
  const Ended outcome = predict({"--arg", "rate=0.2"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  for (const char* part :
       {"a model, not a measurement", "heat of", "8 x 32 blocks of 32 x 8 threads",
        "uncoalesced memory instructions", "limited by", "MWP", "CWP", "bound by",
        "all accesses coalesced", "threads a block"})
    CHECK_MESSAGE(contains(outcome.out, part), part);
}

TEST_CASE("as JSON it is the only thing on standard output") {
  const Ended outcome = predict({"--arg", "rate=0.2", "--measure", "--json", "-"});
  CHECK(outcome.status == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json["schema"] == 1);
  const Json& p = json["prediction"];
  CHECK(p["device"]["kind"] == "virtual");
  CHECK(p["kernel"]["grid"] == Json({8, 32}));
  CHECK(p["counts"]["executed"]["comp_insts"].is_number());
  CHECK(p["counts"]["static"]["comp_insts"].is_number());
  CHECK(p["occupancy"]["limiters"].is_array());
  CHECK(p["model"]["values"]["MWP"].is_number());
  CHECK(p["model"]["case"] == "memory");
  CHECK(p["measured"]["seconds"].is_number());
  const double predicted = p["model"]["seconds"], measured = p["measured"]["seconds"];
  CHECK(p["measured"]["error"].get<double>() == doctest::Approx(predicted / measured - 1));
  CHECK(p["what_if"].size() >= 2);
}

TEST_CASE("empty_kernel: no ratio to a launch that took no time") {
  const auto empty = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"predict",  GPX_TESTS_DIR "/kernels/dependent.cu",
                                          "--entry",  "empty",
                                          "--grid",   "1",
                                          "--block",  "1",
                                          "--device", "h100",
                                          "--measure"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    for (const char* machine : {"Mem_LD=420", "Departure_del_uncoal=10", "Departure_del_coal=4",
                                "Issue_cycles=4", "Mem_Bandwidth=76.8e9"})
      arguments.insert(arguments.end(), {"--machine", machine});
    return command(arguments);
  };
  const Ended text = empty({});
  CHECK(text.status == 0);
  CHECK_FALSE(contains(text.out, "inf"));
  CHECK_FALSE(contains(text.out, "nan"));
  const Ended outcome = empty({"--json", "-"});
  const Json measured = Json::parse(outcome.out)["prediction"]["measured"];
  if (measured["seconds"] == 0) {
    CHECK(contains(text.out, "took no time to compare the prediction with"));
    CHECK(measured["error"].is_null());
    CHECK(measured["error_reason"].is_string());
  } else {
    CHECK(measured["error"].is_number());
    CHECK(measured["error_reason"].is_null());
  }
}

TEST_CASE("last_block_of_a_sample: a prediction counts what the last block does") {
  const auto counts = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"predict",  GPX_TESTS_DIR "/kernels/dependent.cu",
                                          "--entry",  "last_block",
                                          "--grid",   "6000",
                                          "--block",  "32",
                                          "--buffer", "count=4B:zero",
                                          "--buffer", "out=768KB:zero",
                                          "--arg",    "rounds=4000",
                                          "--device", "k20",
                                          "--json",   "-"};
    for (const char* machine : {"Mem_LD=420", "Departure_del_uncoal=10", "Departure_del_coal=4",
                                "Issue_cycles=4", "Mem_Bandwidth=76.8e9"})
      arguments.insert(arguments.end(), {"--machine", machine});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Json::parse(command(arguments).out)["prediction"]["counts"];
  };
  const Json sampled = counts({}), whole = counts({"--whole"});
  CHECK(sampled["executed"] == whole["executed"]);
  CHECK(sampled["blocks_executed"] == 6000);
  CHECK(sampled["independent_blocks"] == false);
  CHECK(sampled["sample_error"] == 0);
  CHECK(sampled["unseen"] == 0);
}

TEST_CASE("a measured time says which launches it is of") {
  const Ended outcome = predict({"--arg", "rate=0.2", "--measure", "--whole"});
  CHECK(
      contains(outcome.out, "run on the virtual GPU, the median of 5 launches after 1 untimed\n"));
}

TEST_CASE("what is missing is said with what the kernel takes") {
  const Ended outcome = predict({});
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "'heat' takes 'float rate': no argument gives it"));
  CHECK(outcome.out == "");
}

TEST_CASE("a struct by value is given as a whole, and a member alone is told how") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("s.cu",
                   "struct Params { int n; float scale; float* out; };\n"
                   "extern \"C\" __global__ void axpy(Params p, const float* in) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "  if (i < p.n) p.out[i] = p.scale * in[i];\n}\n");
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"predict",  file,      "--entry",  "axpy",
                                          "--grid",   "64",      "--block",  "256",
                                          "--buffer", "in=64KB", "--device", "k20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return command(arguments);
  };
  const Ended whole = with({"--arg", "p=struct(i32(16384), f32(2), buffer(64KB))"});
  CHECK(whole.status == 0);
  CHECK(contains(whole.out, "64 of 64 warps"));
  for (const auto& member : {std::vector<std::string>{"--arg", "p.n=16384"},
                             std::vector<std::string>{"--buffer", "p.out=64KB"}}) {
    const Ended alone = with(member);
    CHECK(alone.status == 2);
    CHECK(contains(alone.err, "a struct is given as a whole"));
    CHECK(contains(alone.err, "--arg 'p=struct(i32(2000), f32(0.5), buffer(4MB))'"));
  }
}

TEST_CASE("address_initialisers, instructions_of_headers: what is not read needs no contents") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  folder.write("steps.cu",
               "__device__ int twice(int v) { return 2 * v; }\n"
               "__device__ int thrice(int v) { return 3 * v; }\n"
               "__device__ int (*steps[2])(int) = {twice, thrice};\n"
               "__global__ void k(int *o) { o[threadIdx.x] = steps[threadIdx.x & 1](threadIdx.x); "
               "}\n");
  folder.write("grid.cu",
               "#include <cooperative_groups.h>\n"
               "__global__ void k(int *o) { cooperative_groups::this_grid().sync(); "
               "o[threadIdx.x] = 1; }\n");
  folder.write("read.cu",
               "__global__ void k(int *o) { for (int i = 0; i < o[0]; ++i) o[i + 1] = i; }\n");
  const auto asked = [&](const std::string& file) {
    return command({"predict", folder.path(file), "--entry", "k", "--grid", "2", "--block", "32",
                    "--buffer", "o=4KB", "--device", "h100"});
  };
  for (const char* file : {"steps.cu", "grid.cu"})
    CHECK_MESSAGE(asked(file).status == 0, file, ": ", asked(file).err);
  const Ended read = asked("read.cu");
  CHECK(read.status == 2);
  CHECK(contains(read.err, "not yet given: o"));
}

TEST_CASE("registers_of_sm75") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  folder.write("a.cu",
               "__global__ void k(float *o) {\n  float v[96];\n#pragma unroll\n"
               "  for (int i = 0; i < 96; ++i) v[i] = o[threadIdx.x + 64 * i];\n"
               "  __syncthreads();\n#pragma unroll\n"
               "  for (int i = 0; i < 96; ++i) o[threadIdx.x + 64 * i] = v[95 - i] * v[i];\n}\n");
  const Ended outcome =
      command({"predict", folder.path("a.cu"), "--entry", "k", "--grid", "1", "--block", "64",
               "--buffer", "o=64KB:uniform", "--device", "gtx560ti", "--measure"});
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
  CHECK_MESSAGE(contains(outcome.out, "has 63: it is compiled for 63"), outcome.out);
}
