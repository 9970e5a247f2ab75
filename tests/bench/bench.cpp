// Speed of gpx itself, printed as absolute times and as ratios to a fixed integer loop that runs in
// the same process: compare ratios between machines and versions, not seconds.
// usage: gpx_bench PATH-OF-GPX
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "codegen/compile/compile.h"
#include "codegen/confined/confined.h"
#include "codegen/ir/kernel.h"
#include "lang/read.h"
#include "runtime/device/select.h"
#include "runtime/device/vgpu/estimate.h"
#include "runtime/device/vgpu/virtual_gpu.h"
#include "runtime/measure/prepare.h"
#include "runtime/pipeline.h"
#include "runtime/predict/request.h"
#include "runtime/store/recorder.h"

extern char** environ;

namespace gpx {
namespace {

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median_seconds(int runs, const std::function<void()>& work) {
  std::vector<double> all;
  for (int i = 0; i < runs; ++i) all.push_back(seconds_of(work));
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

/// 2^27 steps of a multiplicative generator, each dependent on the one before.
double yardstick() {
  volatile std::uint64_t sink = 0;
  return median_seconds(3, [&] {
    std::uint64_t x = 1;
    for (int i = 0; i < (1 << 27); ++i) x = x * 6364136223846793005ull + 1442695040888963407ull;
    sink = x;
  });
}

void spawn(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0)
    waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
}

Source read(const std::string& path) {
  std::ifstream file(path);
  return Source(path, std::string(std::istreambuf_iterator<char>(file), {}));
}

class Bench {
 public:
  Bench() : session_({GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"}) {}

  void row(const std::string& what, double seconds, const std::string& goal) const {
    fmt::print("{:<58} {:>10.4f} s {:>9.3f}  {}\n", what, seconds, seconds / unit_, goal);
  }

  int run(const std::string& gpx) {
    fmt::print("{:<58} {:>12} {:>9}  {}\n", "what", "median", "ratio", "goal");
    row("yardstick: 2^27 dependent multiply-adds", unit_, "");
    row("gpx --version, a process",
        median_seconds(21,
                       [&] {
                         spawn({gpx, "--version"});
                       }),
        "0.020 s");
    const Source prt = read(GPX_SOURCE_DIR "/experiments/kepler_prt.gpx");
    measure(prt, "k20");  // fills the artifact cache
    row("kepler_prt.gpx on the virtual k20, a process",
        median_seconds(3,
                       [&] {
                         spawn({gpx, "run", prt.name(), "--device", "k20"});
                       }),
        "2 s");
    const Source line("line", "sweep threads 2..1024 step 2 < load unique(128B) x3 >");
    measure(line, "k20");
    row("one line of the REPL, virtual k20", median_seconds(5, [&] { measure(line, "k20"); }),
        "0.150 s");
    // A run has two: its device's file, its analysis.
    row("a confined process that does nothing",
        median_seconds(101,
                       [&] { confined::run({}, [](confined::Asker&) { return wire::Bytes(); }); }),
        "0.0025 s");
    list_runs(gpx);
    compile_chains();
    instructions_per_second();
    PredictRequest request;
    request.file = "polynomial.cu", request.entry = "polynomial_single";
    request.grid = {"132"}, request.block = {"256"}, request.arguments = {"degree=2048"};
    request.buffers = {"out=132KB:zero", "in=132KB:zero"};
    machine_code_per_second("arithmetic", request);
    request.file = "gemm.cu", request.entry = "gemm_tiled";
    request.grid = request.block = {"16", "16"}, request.arguments = {"n=256"};
    request.buffers = {"a=256KB:zero", "b=256KB:zero", "c=256KB:zero"};
    machine_code_per_second("a tiled GEMM", request);
    gpu();
    return failed_ ? 3 : 0;
  }

 private:
  void measure(const Source& source, const std::string& device) {
    RunOptions options;
    options.device = device;
    auto result = session_.run(source, options);
    if (result && !result->experiments.back().failure) return;
    const Error& error = result ? *result->experiments.back().failure : result.error();
    fmt::print(stderr, "{}\n", render(error));
    failed_ = true;
  }

  /// gpx runs on a store of 10,000 runs of one point, as a process.
  void list_runs(const std::string& gpx) {
    const auto folder = std::filesystem::temp_directory_path() /
                        fmt::format("gpx-bench-{}", static_cast<long>(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "gpx.db").string();
    const Source source("line", "threads 32 < load unique(128B) > device k20");
    RunOptions options;
    options.device = "k20";
    const auto once = session_.run(source, options);
    auto opened = store::Store::open(path, true);
    if (!once || !opened) {
      failed_ = true;
      return;
    }
    ExperimentResult header = once->experiments.front();
    header.points = 0;
    RunResult inputs;
    inputs.sources = {source};
    for (int i = 0; i < 10'000; ++i) {
      store::Recorder recorder(*opened, store::origin_of_this_run("gpx run line", "k20", 1),
                               inputs);
      const ExperimentResult& result = once->experiments.front();
      recorder.begins(header);
      recorder.measured(result, {1, 1, result.samples, 0, result.values_digest});
      recorder.ends(result);
      recorder.finish(false, false);
      failed_ |= recorder.problem().has_value();
    }
    row("gpx runs, 10,000 runs in the store, a process",
        median_seconds(11,
                       [&] {
                         spawn({gpx, "runs", "--store", path});
                       }),
        "0.100 s");
    row("gpx runs --limit 0, the same store",
        median_seconds(3,
                       [&] {
                         spawn({gpx, "runs", "--limit", "0", "--store", path});
                       }),
        "");
    std::filesystem::remove_all(folder);
  }

  /// A chain of 4096 operations, and 60 shorter ones that are compiled together.
  void compile_chains() {
    const auto compile = [this](const std::string& operation, int count, int kernels) {
      std::string text;
      for (int i = 0; i < kernels; ++i)
        text += fmt::format(
            "kernel chain{} {{ threads 32 param never : u64 setup {{ ready }} timed {{ operate {} "
            "x {} streams 1 await }} observe latency }}\n",
            i, operation, count + i);
      const auto parsed = codegen::parse_kernels(Source("chain", text));
      codegen::CompileOptions options;
      options.cache = codegen::ArtifactCache("");
      const codegen::Target target{codegen::Target::Form::cubin, 90};
      if (!parsed || !codegen::compile(*parsed, target, options, nullptr)) failed_ = true;
    };
    compile("add.u32", 16, 1);  // opens NVRTC
    row("4096 dependent additions to a cubin",
        median_seconds(5, [&] { compile("add.u32", 4096, 1); }), "0.200 s");
    row("60 chains of 256 operations to cubins, all cores",
        median_seconds(3, [&] { compile("fma.rn.f32", 256, 60); }), "");
  }

  /// A kernel of 50 loads a thread with full warps: nearly all of its warp instructions are the
  /// address arithmetic, the loads and the fold of their values, counted from its PTX.
  void instructions_per_second() {
    const Source source("line",
                        "sweep i 1..200 < load broadcast x50 > threads 1024 blocks 13 device k20");
    measure(source, "k20");
    RunOptions options;
    options.device = "k20";
    std::string ptx;
    options.dump = {"ptx"};
    options.on_dump = [&](const std::string&, const std::string& text) { ptx = text; };
    const double seconds = seconds_of([&] { (void)session_.run(source, options); });
    const auto count = std::count(ptx.begin(), ptx.end(), 59);
    // 200 points, one warm-up and one repetition each, 13 blocks of 32 warps.
    const double warps = 200.0 * 2 * 13 * 32;
    fmt::print("{:<58} {:>10.2f} M\n", "warp instructions a second, virtual k20, all cores",
               warps * static_cast<double>(count) / seconds * 1e-6);
  }

  /// All blocks of two launches of a kernel of tests/kernels/predict, as `gpx predict` simulates
  /// them: without the values that decide nothing (exec/values.h), which are all of these kernels'
  /// data. Of this process' time: nothing else of it runs.
  void machine_code_per_second(const std::string& what, PredictRequest request) {
    request.file = std::string(GPX_SOURCE_DIR "/tests/kernels/predict/") + request.file;
    request.device = "h200";
    const auto path = resolve_device(request.device, "", session_.paths());
    const auto asked = experiment_of(request);
    const auto experiments = asked ? read_experiments(asked->source())
                                   : Result<std::vector<Experiment>>(tl::unexpected(asked.error()));
    auto device = path ? vgpu::open_machine_code(*path)
                       : Result<std::unique_ptr<Backend>>(tl::unexpected(path.error()));
    if (!experiments || !device || !*device) {
      fmt::print("no machine code of {}: it takes NVRTC\n", what);
      return;
    }
    const auto prepared =
        prepare(experiments->front(), asked->source(), **device, session_.paths());
    if (!prepared) {
      failed_ = true;
      return;
    }
    vgpu::EstimateRequest all;
    all.definition = (*device)->definition();
    all.whole = true;
    const LoweredMeasure& kernel = prepared->measures.front();
    const std::clock_t begin = std::clock();
    const auto estimate = vgpu::estimate(all, kernel.program, kernel.artifacts);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    failed_ |= !estimate || !estimate->machine_code;
    if (estimate)
      fmt::print("{:<58} {:>10.2f} M\n",
                 fmt::format("warp instructions of {} a second, virtual h200", what),
                 estimate->instructions / seconds * 1e-6);
  }

  void gpu() {
    RunOptions options;
    options.device = "cuda";
    if (!session_.open("cuda")) {
      fmt::print("no GPU: the thread-latency sweep on a real one is left out\n");
      return;
    }
    // 1024 points x (1 warm-up + 5 repetitions) = 6,144 launches.
    const Source sweep("line",
                       "sweep n 1..2, threads 2..1024 step 2 repeat 5 < load unique(128B) x n >");
    measure(sweep, "cuda");
    row("6,144 launches on cuda:0", median_seconds(5, [&] { measure(sweep, "cuda"); }), "0.3 s");
  }

  Session session_;
  double unit_ = yardstick();
  bool failed_ = false;
};

}  // namespace
}  // namespace gpx

int main(int argc, char** argv) {
  ::setenv("GPX_STORE", "", 1);
  if (argc < 2) {
    fmt::print(stderr, "usage: gpx_bench PATH-OF-GPX\n");
    return 2;
  }
  gpx::Bench bench;
  return bench.run(argv[1]);
}
