// What the tests of whole devices share: a shipped device, changed, and a launch of a PTX kernel.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/device/vgpu/virtual_gpu.h"
#include "tests/device_files.h"

namespace gpx::vgpu {

inline std::string device_text(const std::string& name) {
  std::ifstream file(test::device_file(name));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE_MESSAGE(at != std::string::npos, what);
  return text.replace(at, what.size(), with);
}

inline std::unique_ptr<Backend> open_text(const std::string& text, unsigned workers = 1) {
  static int number = 0;
  const auto path = std::filesystem::temp_directory_path() /
                    fmt::format("gpx-support-{}-{}.lua", getpid(), number++);
  std::ofstream(path) << text;
  auto backend = vgpu::open(path.string(), workers);
  std::filesystem::remove(path);
  if (!backend) FAIL(render(backend.error()));
  return std::move(*backend);
}

/// A kernel `probe(result, parameters...)` of 64-bit parameters p1, p2, ...; `%rd1` is the result,
/// `%r1` the thread, `%r2` the block. `before`: at module level.
inline std::string probe_ptx(const std::string& body, unsigned parameters = 0,
                             const std::string& directives = "", const std::string& before = "") {
  std::string list = ".param .u64 p0";
  for (unsigned i = 1; i <= parameters; ++i) list += fmt::format(", .param .u64 p{}", i);
  return ".version 7.0\n.target sm_75\n.address_size 64\n" + before + ".visible .entry probe(" +
         list + ") " + directives +
         "\n{\n  .reg .pred %p<64>;\n  .reg .b32 %r<64>;\n  .reg .b64 %rd<64>;\n"
         "  .reg .f32 %f<16>;\n  .reg .f64 %fd<16>;\n"
         "  ld.param.u64 %rd1, [p0];\n  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n" +
         body + "  ret;\n}\n";
}

/// One program of one launch.
struct Probe {
  codegen::Program program;

  Probe() {
    program.kernels.resize(1);
    program.launches.resize(1);
  }
  codegen::Launch& launch() { return program.launches[0]; }

  /// A row of one 64-bit value for each thread.
  void keep_row_each(std::uint32_t blocks, std::uint32_t threads) {
    program.records.keys = {{"block", {}}, {"thread", {}}};
    program.records.columns = {"value"};
    launch().blocks = blocks;
    launch().threads = threads;
    launch().record_extents = {blocks, threads};
  }

  Result<Repetition> run(Backend& gpu, const std::string& ptx) {
    codegen::Artifact artifact;
    artifact.entry = "probe";
    artifact.ptx = ptx;
    if (auto ok = gpu.load(program, std::span(&artifact, 1)); !ok)
      return tl::unexpected(ok.error());
    const Job job{&launch(), 1, 1};
    const std::atomic<bool> stop = false;
    auto results = gpu.run(std::span(&job, 1), stop);
    if (!results) return tl::unexpected(results.error());
    return results->at(0).repetitions.at(0);
  }
  Repetition run_or_fail(Backend& gpu, const std::string& ptx) {
    auto repetition = run(gpu, ptx);
    if (!repetition) FAIL(render(repetition.error()));
    return *repetition;
  }
};

/// Stores `%rd<value>` to the row of the thread (Probe::keep_row_each; there are no results).
inline std::string store_row(std::uint32_t threads, const std::string& value) {
  return fmt::format(
      "  mad.lo.u32 %r60, %r2, {}, %r1;\n  mul.wide.u32 %rd60, %r60, 8;\n"
      "  add.s64 %rd60, %rd1, %rd60;\n  st.global.u64 [%rd60], {};\n",
      threads, value);
}

}  // namespace gpx::vgpu
