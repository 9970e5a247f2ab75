// Made findings of a device that no run has measured, and the file that a twin makes of them.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/device/vgpu/device_file.h"
#include "runtime/report/document.h"
#include "runtime/twin/draft.h"
#include "tests/experiments/support.h"

namespace gpx::test {

/// Reads a draft as a device file; its mistakes are failures.
inline vgpu::FileContents file_of(const twin::Draft& draft) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("gpx-twin-{}.lua", ::getpid());
  std::ofstream(path) << draft.text;
  const auto file = vgpu::read_device_file(path.string());
  std::filesystem::remove(path);
  if (!file) FAIL(render(file.error()));
  return *file;
}

inline const vgpu::FileValue& value(const vgpu::FileContents& file, const std::string& path) {
  const auto at = std::ranges::find(file.values, path, &vgpu::FileValue::path);
  REQUIRE_MESSAGE(at != file.values.end(), path);
  return *at;
}

inline twin::Measured record(const std::string& path) {
  auto run = report::read_document(
      std::string(read_source(GPX_SOURCE_DIR "/docs/results/" + path).text()), path);
  if (!run) FAIL(render(run.error()));
  return {std::move(run->result), run->origin ? run->origin->started.substr(0, 10) : ""};
}

inline twin::Draft drafted(const std::vector<twin::Measured>& runs,
                           const std::optional<twin::Like>& like = {}) {
  auto draft = twin::draft(source_paths(), runs, "made", like);
  if (!draft) FAIL(render(draft.error()));
  return *draft;
}

inline Finding finding(const std::string& name, double value, double low, double high) {
  Finding one;
  one.name = name;
  one.value = value;
  one.low = low;
  one.high = high;
  one.verdict = Verdict::measured;
  return one;
}

inline DeviceInfo kepler() {
  DeviceInfo device;
  device.name = "Some Kepler";
  device.measured = true;
  device.code = "SASS";
  device.sm_major = 3;
  device.sm_minor = 5;
  device.sm_count = 13;
  device.max_threads_per_block = 1024;
  device.max_threads_per_sm = 2048;
  device.memory_bytes = std::uint64_t{5} << 30;
  device.clock_hz = 706e6;
  return device;
}

inline twin::Measured made_of(std::vector<Finding> findings) {
  twin::Measured measured;
  measured.date = "2026-01-31";
  ExperimentResult& one = measured.run.experiments.emplace_back();
  one.experiment.name = "made";
  one.device = kepler();
  one.findings = std::move(findings);
  return measured;
}

}  // namespace gpx::test
