// Device files as texts: values with what they are from, records of exams.
#include "runtime/device/vgpu/device_file.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/golden.h"

using namespace gpx;
using From = vgpu::FileValue::From;

namespace {

namespace fs = std::filesystem;

Result<vgpu::FileContents> contents(const std::string& more) {
  std::string text = test::read_text(GPX_SOURCE_DIR "/stdlib/devices/fig4.lua");
  text.insert(text.rfind("\n}"), "\n" + more);
  const fs::path path = fs::temp_directory_path() / fmt::format("gpx-file-{}.lua", ::getpid());
  std::ofstream(path) << text;
  auto file = vgpu::read_device_file(path.string());
  fs::remove(path);
  return file;
}

const vgpu::FileValue& value(const vgpu::FileContents& file, const std::string& path) {
  const auto at = std::ranges::find(file.values, path, &vgpu::FileValue::path);
  REQUIRE_MESSAGE(at != file.values.end(), path);
  return *at;
}

}  // namespace

TEST_CASE("values stand in base units with what they are from, their own or their section's") {
  const auto file = vgpu::read_device_file(GPX_SOURCE_DIR "/stdlib/devices/k20.lua");
  REQUIRE(file);
  CHECK(file->name == "k20");
  CHECK(value(*file, "clock").number == 706e6);
  CHECK(value(*file, "clock").unit == "Hz");
  CHECK(value(*file, "sm.warp_slots").why == "NVIDIA Kepler GK110 white paper");
  CHECK(value(*file, "sm.count").why == "NVIDIA Tesla K20 board specification");
  CHECK(value(*file, "l2.capacity").number == 1536 * 1024);
  CHECK(value(*file, "l2.ways").from == From::assumed);
  CHECK(value(*file, "op.alu.interval").number == 0.2);
  CHECK(value(*file, "op.alu.interval").from == From::assumed);
  CHECK(value(*file, "compute_capability").from == From::none);
  CHECK(value(*file, "l2.insertion").text == "lru");
}

TEST_CASE("every value of the library's devices is listed, each once") {
  for (const auto& entry : fs::directory_iterator(GPX_SOURCE_DIR "/stdlib/devices")) {
    CAPTURE(entry.path().string());
    const auto file = vgpu::read_device_file(entry.path().string());
    REQUIRE(file);
    std::vector<std::string> paths;
    for (const vgpu::FileValue& each : file->values) paths.push_back(each.path);
    std::ranges::sort(paths);
    CHECK(std::ranges::adjacent_find(paths) == paths.end());
    CHECK(paths.size() > 20);
  }
}

TEST_CASE("a record is a list of tables, which describe no device") {
  const auto file = contents("  record = { { device = \"A\", points = 3, worst = { \"x\" } } },");
  REQUIRE(file);
  REQUIRE(file->records.size() == 1);
  CHECK(file->records[0].device == "A");
  CHECK(file->records[0].points == 3);
  CHECK(file->records[0].worst == std::vector<std::string>{"x"});
  const auto wrong = contents("  record = \"good\",");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().diagnostics.front().message ==
        "\"record\" is a list of tables, not \"good\"");
}

TEST_CASE("what a twin is missing is read, and describes no device") {
  const auto file = contents(
      "  missing = { { finding = \"rate.row\", why = \"not measured\", fields = { \"l1: 3\" } } "
      "},");
  REQUIRE(file);
  REQUIRE(file->missing.size() == 1);
  CHECK(file->missing[0].finding == "rate.row");
  CHECK(file->missing[0].why == "not measured");
  CHECK(file->missing[0].fields == std::vector<std::string>{"l1: 3"});
  CHECK_FALSE(contents("  missing = 3,"));
}
