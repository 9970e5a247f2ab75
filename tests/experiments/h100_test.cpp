// The virtual H100: the records of a real one, and values planted in their place.

#include <cmath>

#include "runtime/report/report.h"
#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

/// One experiment of a file of the library, with what stands before its first experiment.
Source one_of(const std::string& file, const std::string& experiment) {
  const std::string text(read_source(GPX_SOURCE_DIR "/experiments/" + file).text());
  const std::size_t begin = text.find("experiment " + experiment + " ");
  REQUIRE_MESSAGE(begin != std::string::npos, experiment);
  const std::size_t end = text.find("\n}\n", begin) + 3;
  return Source(file,
                text.substr(0, text.find("\nexperiment ") + 1) + text.substr(begin, end - begin));
}

ExperimentResult on(const std::string& device, const Source& source,
                    const std::vector<Setting>& settings = {}) {
  Session session(source_paths());
  RunOptions options;
  options.device = device;
  options.settings = settings;
  return run(session, source, options).experiments.front();
}

/// Of a file in docs/results.
ExperimentResult recorded(const std::string& file, const std::string& experiment) {
  const std::string path = GPX_SOURCE_DIR "/docs/results/" + file;
  const auto record = report::from_json(std::string(read_source(path).text()), path);
  if (!record) FAIL(render(record.error()));
  for (const ExperimentResult& result : record->result.experiments)
    if (result.experiment.name == experiment) return result;
  FAIL(experiment);
  return {};
}

/// Clocks of one more access of each of `warps` warps.
double each(const std::string& device, const std::string& region, unsigned warps) {
  const std::string text = fmt::format(
      "experiment each {{\n  sweep n in [16, 32]\n  threads {}\n  rehearse 1\n  < {} x n >\n}}\n",
      32 * warps, region);
  const ExperimentResult result = on(device, Source("each.gpx", text));
  const std::vector<double>& clocks = result.samples.find("latency")->numbers;
  REQUIRE(clocks.size() == 2);
  return (clocks[1] - clocks[0]) / 16 / warps;
}

}  // namespace

TEST_CASE("planted conflicts, lookups, parts of a pipe and atomics take what was planted") {
  GPX_NEEDS_NVRTC();
  CHECK(each("h100", "load shared stride(16B)", 8) == doctest::Approx(4).epsilon(0.05));
  CHECK(each("h100", "load stride(128B)", 8) == doctest::Approx(32).epsilon(0.05));
  CHECK(each("h100", "xor.b32", 1) == doctest::Approx(2).epsilon(0.05));
  const PlantedDevice device("hopper", {{"busy = { \"1 clock\"", "busy = { \"3 clocks\""},
                                        {"lookup = { \"0.35 clocks\"", "lookup = { \"2 clocks\""},
                                        {"partitions = { 4,", "partitions = { 8,"},
                                        {"    request = \"1 clock\"", "    request = \"3 clocks\""},
                                        {"lane = \"1.948 clocks\"", "lane = \"5 clocks\""}});
  CHECK(each(device.path(), "load shared stride(16B)", 8) == doctest::Approx(12).epsilon(0.05));
  CHECK(each(device.path(), "load stride(128B)", 8) == doctest::Approx(64).epsilon(0.05));
  CHECK(each(device.path(), "xor.b32", 1) == doctest::Approx(4).epsilon(0.05));
  CHECK(each(device.path(), "atom.add.u32 global same", 8) ==
        doctest::Approx(3 + 31 * 5).epsilon(0.05));
}

TEST_CASE("a conflict of few ways shows in the loads of one warp: no chain of additions hides it") {
  GPX_NEEDS_NVRTC();
  for (const int ways : {4, 8, 16}) {
    CAPTURE(ways);
    CHECK(std::abs(each("h100", fmt::format("load shared stride({}B)", 4 * ways), 1) - 2 * ways) <
          1);
  }
}

TEST_CASE("the sum of twice the words takes no longer than their issue") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult result =
      on("gtx780", Source("wide.gpx",
                          "experiment wide {\n  threads 32\n  bank_width 8B\n"
                          "  measure narrow { < load shared stride(4B) x 64 > }\n"
                          "  measure wide { < load shared stride(8B) width 8B x 64 > }\n}\n"));
  const std::vector<double>& clocks = result.samples.find("latency")->numbers;
  REQUIRE(clocks.size() == 2);
  CHECK(clocks[1] - clocks[0] <= 64);
}

// One address within what the fit of an H200's atomics leaves, lines within a tenth.
TEST_CASE("atomics on one address and on others have the rates of a real H100") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult real = recorded("h100/hopper_atomics.json", "hopper_atomics");
  std::string once(one_of("hopper_atomics.gpx", "hopper_atomics").text());
  once.replace(once.find("repeat  100"), 11, "repeat  1");  // the h100 has no noise
  const ExperimentResult here = on("h100", Source("hopper_atomics.gpx", once));
  for (const char* space : {"global", "shared"})
    for (const char* op : {"atom.add.u32", "atom.exch.b32"})
      for (const auto& [at, within] : {std::pair{"same", 0.04}, std::pair{"line", 0.1}}) {
        const std::string name =
            fmt::format("atomic.throughput[op={},space={},at={}]", op, space, at);
        CAPTURE(name);
        CHECK(number(get(here, name)) == doctest::Approx(number(get(real, name))).epsilon(within));
      }
}

TEST_CASE("matrix products have the sums of a real H100, and cost what they cost there") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult real = recorded("h100/modern_operations.json", "modern_matrix");
  const ExperimentResult here = on("h100", one_of("modern_operations.gpx", "modern_matrix"));
  CHECK(here.values_digest == real.values_digest);
  unsigned compared = 0;
  for (const Finding& finding : real.findings) {
    const double value = number(get(here, finding.name));
    CAPTURE(finding.name);
    CHECK(value >= *finding.low);
    CHECK(value <= *finding.high);
    ++compared;
  }
  CHECK(compared == 13);
}

TEST_CASE("double precision and exchanges between lanes have the values of a real H100") {
  GPX_NEEDS_NVRTC();
  for (const char* name : {"modern_double", "modern_warp"}) {
    CAPTURE(name);
    const ExperimentResult real = recorded("h100/modern_operations.json", name);
    CHECK(on("h100", one_of("modern_operations.gpx", name)).values_digest == real.values_digest);
  }
}

TEST_CASE("copies of bytes and of a tensor's boxes bring what they brought on a real H200") {
  GPX_NEEDS_NVRTC();
  for (const char* name : {"hopper_tma", "hopper_tma_load", "hopper_tma_rate", "hopper_tensor",
                           "hopper_tensor_rate"}) {
    CAPTURE(name);
    const ExperimentResult real = recorded("h200/hopper_tma_values.json", name);
    CHECK(on("h100", one_of("hopper_tma.gpx", name), {{"places", "1"}, {"sm", "0..1"}})
              .values_digest == real.values_digest);
  }
}

TEST_CASE("L2's latency is the mean over SMs, memory's that of lines which L2 does not have") {
  GPX_NEEDS_NVRTC();
  const auto latency = [](const std::string& device, const char* analysis, const char* finding) {
    const ExperimentResult result = on(device, Source("l.gpx", fmt::format(R"(
experiment levels {{
  sweep   count in [16, 31, 45, 64, 96]
  measure address {{ < add.u32 x count chain > }}
  analyze {}
}})",
                                                                           analysis)));
    return number(get(result, finding));
  };
  const char* l2 = R"(cache(cache = "cg", level = "l2", address = "address", count = count))";
  const char* memory = R"(global_latency(address = "address", count = count))";
  const std::string hopper = device_file("hopper");
  CHECK(latency(hopper, memory, "global.latency") == doctest::Approx(680).epsilon(0.003));
  // TPCs are 0.6 clocks nearer than SM 0's on average; then eleven of 66 are 30 clocks farther.
  // A clock is the load's own issue.
  CHECK(latency(hopper, l2, "l2.latency") == doctest::Approx(271 + 1 - 0.6).epsilon(0.003));
  // The record's plateau of memory: docs/results/characterize/h100_memory.json.
  CHECK(latency("h100", memory, "global.latency") == doctest::Approx(675.1).epsilon(0.015));
  const PlantedDevice device("hopper", {{"0, -0.2, 0.6, 0.6, 0.1, 0.8, 3.7, -0.4, 2.7, 3, 3.8",
                                         "30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30"}});
  CHECK(latency(device.path(), l2, "l2.latency") ==
        doctest::Approx(271 + 1 - 0.6 + (330.0 - 18.6) / 66).epsilon(0.003));
}

TEST_CASE("who shares a constant cache that no working set fills, first visits of other SMs tell") {
  GPX_NEEDS_NVRTC();
  const auto scope_where = [](const std::string& scope) {
    const PlantedDevice device(
        "hopper", {{"scope = { \"gpc\", source = h200 .. \", const.l2.scope: 16 SMs\" },",
                    "scope = \"" + scope + "\","}});
    return on(device.path(), Source("sharing.gpx",
                                    "experiment sharing {\n  < load unique(128B) >\n"
                                    "  analyze constant_sharing(what = \"scope\")\n}\n"));
  };
  CHECK(text(get(scope_where("sm"), "const.l2.scope")) == "SM");
  CHECK(text(get(scope_where("tpc"), "const.l2.scope")) == "TPC");
  CHECK(text(get(scope_where("gpc"), "const.l2.scope")) == "18 SMs");
  CHECK(find(scope_where("gpu"), "const.l2.scope") == nullptr);  // it might be L2
}

TEST_CASE("who shares a cache of code, loops on two SMs tell") {
  GPX_NEEDS_NVRTC();
  for (const char* scope : {"tpc", "sm"}) {
    const PlantedDevice device("hopper",
                               {{"scope = { \"tpc\", source = tables .. \", code, first level\" },",
                                 fmt::format("scope = \"{}\",", scope)}});
    const ExperimentResult result =
        on(device.path(),
           Source("code.gpx",
                  "experiment sharing {\n  < code 512B >\n  analyze instruction_cache()\n}\n"));
    CHECK(text(get(result, "inst.l1.scope")) == (std::string(scope) == "sm" ? "SM" : "TPC"));
  }
}

TEST_CASE("planted costs of matrix products and a planted L1 come back") {
  GPX_NEEDS_NVRTC();
  const PlantedDevice device(
      "hopper",
      {{"[\"mma.m16n8k16.f32.f16\"] = op(24, 21.14)", "[\"mma.m16n8k16.f32.f16\"] = op(31, 12)"},
       {"{ \"256 KB\", source = h200", "{ \"128 KB\", source = h200"},
       {"ways = { 4, source = h200 .. \", l1.ways\" }", "ways = 2"},
       {"{ \"32 clocks\", source = tables", "{ \"45 clocks\", source = tables"}});
  const ExperimentResult matrix = on(device.path(), Source("m.gpx", R"(
experiment matrix {
  sweep   op in [mma.m16n8k16.f32.f16], count in [16, 28, 44, 64]
  measure latency { threads 32 < op x count chain > }
  measure throughput { threads 1024 < op x count streams 4 > }
  analyze pipelines(op = op, count = count, threads = 1024, streams = 4)
})"));
  CHECK(number(get(matrix, "op.mma.m16n8k16.f32.f16.latency")) ==
        doctest::Approx(31).epsilon(0.01));
  CHECK(number(get(matrix, "op.mma.m16n8k16.f32.f16.throughput")) ==
        doctest::Approx(12).epsilon(0.01));
  const ExperimentResult levels = on(device.path(), Source("l.gpx", R"(
experiment levels {
  sweep   count in [16, 31, 45, 64, 96]
  measure address { < add.u32 x count chain > }
  analyze reach(cache = "ca", most = 512KB, address = "address", count = count)
})"));
  // Noise adds 1.
  CHECK(number(get(levels, "global.ca.level1.latency")) == doctest::Approx(46).epsilon(0.01));
  const Finding& reach = get(levels, "global.ca.level1.reach");
  CHECK(number(reach) > 0.95 * 131072);
  CHECK(*reach.low <= 131072);
}

}  // namespace gpx::test
