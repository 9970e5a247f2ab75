// Exports: every option of a simulator is read back as the value of its fields.
#include "runtime/twin/export.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

vgpu::FileContents shipped(const std::string& name) {
  const auto file = vgpu::read_device_file(GPX_SOURCE_DIR "/stdlib/devices/" + name + ".lua");
  if (!file) FAIL(render(file.error()));
  return *file;
}

std::string text_of(const vgpu::FileContents& file, const std::string& format) {
  const auto text = twin::exported(file, format);
  REQUIRE(text);
  return *text;
}

/// As the simulators read them: a name, then its value to the end of the line; # begins a comment.
std::map<std::string, std::string> options_in(const std::string& text) {
  std::map<std::string, std::string> options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = line.find(' ');
    REQUIRE(space != std::string::npos);
    CHECK_FALSE(options.contains(line.substr(0, space)));
    options[line.substr(0, space)] = line.substr(space + 1);
  }
  return options;
}

double number(const vgpu::FileContents& file, const std::string& path) {
  const auto at = std::ranges::find(file.values, path, &vgpu::FileValue::path);
  REQUIRE_MESSAGE(at != file.values.end(), path);
  return at->number.value_or(-1);
}

}  // namespace

TEST_CASE("GPGPU-Sim's options are those of the device file, and each says what it is from") {
  const vgpu::FileContents file = shipped("h100");
  const std::string text = text_of(file, "gpgpusim");
  auto options = options_in(text);
  CHECK(options["-gpgpu_n_clusters"] == "132");
  CHECK(options["-gpgpu_shader_core_pipeline"] == "2048:32");
  CHECK(options["-gpgpu_shader_cta"] == "32");
  CHECK(options["-gpgpu_num_sched_per_core"] == "4");
  CHECK(options["-gpgpu_smem_latency"] == "23");
  CHECK(options["-gpgpu_l1_latency"] == "32");
  CHECK(options["-gpgpu_l2_rop_latency"] ==
        fmt::format("{:.0f}", number(file, "l2.latency") - number(file, "l1.latency")));
  CHECK(options["-dram_latency"] ==
        fmt::format("{:.0f}", number(file, "dram.latency") - number(file, "l2.latency")));
  CHECK(options["-ptx_opcode_latency_fp"] == "4,4,4,4,57");
  CHECK(options["-ptx_opcode_latency_dp"] == "8,25,8,8,124");
  CHECK(options["-gpgpu_kernel_launch_latency"] ==
        fmt::format("{:.0f}", number(file, "launch.overhead")));
  // 512 sets of 4 lines of 128 B are 256 KB.
  CHECK(options["-gpgpu_cache:dl1"].starts_with("S:512:128:4,"));
  // Sub-partitions of L2 hold together what the file has.
  unsigned sets = 0, line = 0, ways = 0;
  REQUIRE(std::sscanf(options["-gpgpu_cache:dl2"].c_str(), "S:%u:%u:%u", &sets, &line, &ways) == 3);
  const double parts = 2 * std::stod(options["-gpgpu_n_mem"]);
  CHECK(sets * line * ways * parts == doctest::Approx(number(file, "l2.capacity")).epsilon(0.01));
  CHECK(text.find("# shared.latency = 23 clocks (shared.latency 23 clocks") != std::string::npos);
  CHECK(text.find("# assumed: ") != std::string::npos);
}

TEST_CASE("Accel-Sim's options are latencies and initiations of the pipes") {
  auto options = options_in(text_of(shipped("h100"), "accelsim"));
  CHECK(options["-trace_opcode_latency_initiation_int"] == "4,2");
  CHECK(options["-trace_opcode_latency_initiation_sp"] == "4,2");
  CHECK(options["-trace_opcode_latency_initiation_dp"] == "8,2");
  CHECK(options["-trace_opcode_latency_initiation_sfu"] == "17,8");
  CHECK(options["-trace_opcode_latency_initiation_spec_op_3"] == "24,6");
}

TEST_CASE("what a device file lacks is no option, and the text says so") {
  const std::string text = text_of(shipped("fig4"), "gpgpusim");
  CHECK_FALSE(options_in(text).contains("-gpgpu_kernel_launch_latency"));
  CHECK(text.find("# -gpgpu_kernel_launch_latency: not known") != std::string::npos);
}

TEST_CASE("as JSON every value stands with its number and what it is from") {
  const vgpu::FileContents file = shipped("k20");
  const auto json = nlohmann::json::parse(text_of(file, "json"));
  CHECK(json["schema"] == 1);
  CHECK(json["device"] == "k20");
  REQUIRE(json["values"].size() == file.values.size());
  for (const auto& one : json["values"]) {
    if (one["field"] != "dram.latency") continue;
    CHECK(one["number"] == 371);
    CHECK(one["unit"] == "clocks");
    CHECK(one["from"] == "source");
    CHECK(one["why"] == "mei2014 Table 3, Kepler, pattern 4");
  }
  CHECK(json["records"].empty());
}

TEST_CASE("as Markdown each section is a table, and an unknown format is an error") {
  const std::string text = text_of(shipped("k20"), "markdown");
  CHECK(text.find("## l2\n\n| field | value | from |") != std::string::npos);
  CHECK(text.find("| ways | 16 | assumed: no paper measures it |") != std::string::npos);
  const auto wrong = twin::exported(shipped("k20"), "xml");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().diagnostics.front().hint == "there are json, markdown, accelsim, gpgpusim");
}

}  // namespace gpx::test
