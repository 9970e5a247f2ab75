// What `gpx doctor` finds, says, and concludes, on machines that have and lack things.
#include "runtime/doctor.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tests/runtime/cuda_fake.h"

using namespace gpx;

namespace {

/// A machine that has everything but a GPU.
DoctorReport without_gpu() {
  DoctorReport report;
  report.version = "0.1.0";
  report.nvrtc = {true, "NVRTC 13.0 (/lib/libnvrtc.so.13), sm_75 to sm_121"};
  report.architectures = {75, 80, 90};
  report.driver = {false, "no CUDA driver: libcuda.so.1: not there"};
  report.no_gpu = report.driver.text;
  report.cache = {true, "/home/u/.cache/gpx"};
  report.stdlib = {true, "/usr/share/gpx/stdlib, devices: k20, m2070"};
  report.landlock = {true, "Landlock: files"};
  report.seccomp = {true, "seccomp: system calls"};
  return report;
}

DoctorReport with_gpu(int sm_major) {
  DoctorReport report = without_gpu();
  report.driver = {true, "CUDA 13.0, version 580.1 (libcuda.so.1)"};
  report.no_gpu.clear();
  DoctorGpu& gpu = report.gpus.emplace_back();
  gpu.info.name = "NVIDIA H100";
  gpu.info.sm_major = sm_major;
  gpu.info.architecture = fmt::format("sm_{}0", sm_major);
  gpu.info.sm_count = 132;
  gpu.info.memory_bytes = 80ull << 30;
  gpu.info.uuid = "GPU-1";
  gpu.now.sm_clock_mhz = 1980;
  return report;
}

bool says(const DoctorReport& report, const std::string& part) {
  const auto all = conclusions(report);
  return std::ranges::any_of(all, [&](auto& s) { return s.find(part) != std::string::npos; });
}

/// Sets an environment variable for one test.
struct Variable {
  Variable(const char* name_, const char* value) : name(name_) {
    if (const char* old = std::getenv(name)) before = old, was_set = true;
    setenv(name, value, 1);
  }
  ~Variable() { was_set ? setenv(name, before.c_str(), 1) : unsetenv(name); }
  const char* name;
  std::string before;
  bool was_set = false;
};

}  // namespace

TEST_CASE("without a GPU the report says that a model runs the experiments") {
  CHECK(to_string(without_gpu()) ==
        "gpx        0.1.0\n"
        "compiler   NVRTC 13.0 (/lib/libnvrtc.so.13), sm_75 to sm_121\n"
        "driver     none: no CUDA driver: libcuda.so.1: not there\n"
        "GPU        none\n"
        "cache      /home/u/.cache/gpx\n"
        "stdlib     /usr/share/gpx/stdlib, devices: k20, m2070\n"
        "walls      Landlock: files\n"
        "           seccomp: system calls\n"
        "\n"
        "-> no GPU: experiments run on the virtual GPU, a model and not a measurement\n");
}

TEST_CASE("with a GPU the report describes it, with what is known of its state") {
  const std::string text = to_string(with_gpu(9));
  CHECK(text.find(
            "cuda:0     NVIDIA H100, sm_90, 132 SMs, 80.0 GB, GPU-1, SM clock now 1980 MHz\n") !=
        std::string::npos);
  CHECK(text.find("-> experiments run on cuda:0") != std::string::npos);
  CHECK(conclusions(with_gpu(9)).size() == 1);
}

TEST_CASE("what is missing has a consequence that is said") {
  DoctorReport report = without_gpu();
  report.nvrtc = {false, "not found"};
  CHECK(says(report, "no compiler: no experiment can run"));
  CHECK(!says(report, "experiments run on"));
  report.clang = {true, "clang 14.0.6 (/usr/bin/clang-14)"};
  CHECK(says(report, "no GPU: experiments run on the virtual GPU"));
  CHECK(says(report, "no NVRTC: clang compiles, for virtual devices alone"));
  CHECK(to_string(report).find("compiler   clang 14.0.6 (/usr/bin/clang-14), for virtual devices "
                               "alone: not found\n") != std::string::npos);
  report = with_gpu(9);
  report.nvrtc = {false, "not found"};
  report.clang = {true, "clang 14.0.6"};
  CHECK(says(report, "a real GPU needs the CUDA toolkit"));

  report = without_gpu();
  report.stdlib = {false, "no devices"};
  CHECK(says(report, "no GPU and no virtual device: no experiment can run"));

  report = without_gpu();
  report.cache = {false, "/x: not writable"};
  CHECK(says(report, "compiled anew in each run"));
  report.cache_off = true;
  CHECK(!says(report, "compiled anew in each run"));

  report = without_gpu();
  report.landlock = {false, "this kernel has no Landlock"};
  CHECK(says(report, "behind fewer walls: no limit to the files they may read"));

  CHECK(says(with_gpu(6), "cuda:0 cannot be used: this NVRTC does not compile for sm_60"));

  report = with_gpu(9);
  report.gpus[0].error = "cuda:0 cannot be queried";
  CHECK(says(report, "no GPU: experiments run on the virtual GPU"));
}

TEST_CASE("a machine with nothing gives a whole report and no error") {
  const Variable nvrtc("GPX_NVRTC", "/no/such/folder");
  const Variable path("PATH", "/no/such/folder");
  const Variable cache("GPX_CACHE_DIR", "/proc/no/such/cache");
  const cuda::DriverState none{nullptr, "libcuda.so.1", 0, "no CUDA driver: libcuda.so.1"};
  const DoctorReport report = examine(Paths{"/no/such/stdlib", "/no/such"}, none);
  CHECK(report.version == GPX_VERSION);
  CHECK(!report.nvrtc.found);
  CHECK(report.nvrtc.text.find("/no/such/folder") != std::string::npos);
  CHECK(!report.driver.found);
  CHECK(report.gpus.empty());
  CHECK(report.no_gpu == "no CUDA driver: libcuda.so.1");
  CHECK(!report.cache.found);
  CHECK(!report.stdlib.found);
  CHECK(report.stdlib.text.find("/no/such/stdlib/devices") != std::string::npos);
  CHECK(!to_string(report).empty());
}

TEST_CASE("a cache folder that does not exist yet counts by the folder that would hold it") {
  const Variable cache("GPX_CACHE_DIR", "/tmp/gpx_doctor_test/not/yet");
  const cuda::DriverState none{nullptr, "libcuda.so.1", 0, "no CUDA driver"};
  const DoctorReport report = examine(Paths{}, none);
  CHECK(report.cache.found);
  CHECK(report.cache.text == "/tmp/gpx_doctor_test/not/yet");
}

TEST_CASE("each GPU of the driver is listed") {
  const cuda::DriverState driver = cuda::fake::reset();
  cuda::fake::gpu().count = 2;
  const DoctorReport report = examine(Paths{}, driver);
  REQUIRE(report.gpus.size() == 2);
  CHECK(report.gpus[1].index == 1);
  CHECK(report.gpus[1].info.name == "Fake H100");
  CHECK(report.driver.found);
  CHECK(report.driver.text.find("CUDA 13.0") == 0);
  CHECK(report.no_gpu.empty());
}
