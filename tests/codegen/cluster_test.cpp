// Clusters: accesses on a rank, barriers, and the proof of both. The listings of
// golden/clusters.sm_90.sass are `nvdisasm -c` of CUDA 13.0, of what gpx made of the texts below.
#include <algorithm>
#include <string>

#include "codegen/compile/compile.h"
#include "codegen/proof/timed_region.h"
#include "operation_support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

using Verdict = RegionReport::Verdict;

Limits clusters() {
  Limits limits;
  limits.blocks_per_cluster = 16;
  return limits;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  CAPTURE(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// Of two blocks in a cluster, with an array of links of 8 bytes.
Program program(const std::string& clauses) {
  return program_of(
      "experiment e { blocks 2 cluster 2 array a : shared[1KB] chase(stride 8B) width 8B\n" +
          clauses + "\n}",
      clusters());
}

struct Row {
  const char* name;
  const char* clauses;
};
constexpr Row kRows[] = {
    {"chase", "threads 1 < load a on rank (rank + 1) x64 chain >"},
    {"chase_of_first", "threads 1 < when rank == 0 { load a on rank 1 x64 chain } >"},
    {"loads", "threads 512 rehearse 1 < load shared stride(4B) on rank (rank + 1) x4 >"},
    {"loads_16B",
     "threads 512 rehearse 1 < load shared stride(16B) width 16B on rank (rank + 1) x4 >"},
    {"stores",
     "threads 512 rehearse 1 < store shared stride(4B) on rank (rank + 1) x4; sync cluster >"},
    {"stores_16B",
     "threads 512 rehearse 1 < store shared stride(16B) width 16B on rank (rank + 1) x4; sync "
     "cluster >"},
    {"only_stores", "threads 512 < store shared stride(4B) on rank (rank + 1) x4 >"},
    {"copies", "threads 512 < copy shared stride(4B) on rank (rank + 1) x4 >"},
    {"atomics", "threads 512 < atom.add.u32 shared stride(4B) on rank (rank + 1) x4 >"},
    {"atomic_chain", "threads 1 < atom.add.u32 shared same on rank (rank + 1) x4 chain >"},
    {"sync", "threads 64 rehearse 1 < sync cluster >"},
    {"time", "threads 64 observe time < load shared stride(4B) on rank (rank + 1) x4 >"},
    {"barrier", "threads 32 < barrier.cluster x8 chain >"},
    {"relaxed", "threads 32 < barrier.cluster.relaxed x8 chain >"},
};

TEST_CASE("the machine code of accesses on a rank and of barriers is proven") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Kernel kernel = program(row.clauses).kernels[0];
    const RegionReport report = check_sass(kernel, section("clusters.sm_90.sass", row.name));
    CAPTURE(report.listing);
    INFO("reason: ", report.reason);
    CHECK(to_string(report.verdict) == "verified");
  }
}

TEST_CASE("machine code that differs from what was asked for is no proof") {
  struct Change {
    const char *name, *from, *to;
    Verdict verdict;
  };
  const Change changes[] = {
      {"loads", "LD.E R", "LDG.E R", Verdict::refused},
      {"loads", "LD.E R", "LD.E.64 R", Verdict::refused},
      {"only_stores", "ST.E desc", "STG.E desc", Verdict::refused},
      {"relaxed", "UCGABAR_WAIT ;\n/*0210*/ CCTL.IVALL ;", "CCTL.IVALL ;", Verdict::refused},
  };
  for (const Change& change : changes) {
    CAPTURE(change.name);
    CAPTURE(change.to);
    const auto row = std::ranges::find(kRows, std::string_view(change.name),
                                       [](const Row& one) { return std::string_view(one.name); });
    const Kernel kernel = program(row->clauses).kernels[0];
    const std::string listing =
        with(section("clusters.sm_90.sass", change.name), change.from, change.to);
    CHECK(to_string(check_sass(kernel, listing).verdict) == to_string(change.verdict));
  }
}

TEST_CASE("lowering refuses clusters that the device or the grid does not have") {
  const std::string text =
      "experiment e { blocks 4 cluster 4 < load shared unique(4B) on rank 1 > }";
  CHECK(complaint(text).find("this device has no clusters of blocks") != std::string::npos);
  CHECK(complaint(text, clusters()).empty());
}

TEST_CASE("a kernel of a cluster reads back as it was written") {
  for (const Row& row : kRows) {
    const Kernel kernel = program(row.clauses).kernels[0];
    const Source source("test.kernel", to_string(kernel));
    const auto read = parse_kernels(source);
    if (!read) FAIL(render(read.error()));
    CHECK(read->front() == kernel);
  }
}

TEST_CASE("what NVRTC makes of it is proven") {
  GPX_NEEDS_NVRTC();
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Kernel kernel = program(row.clauses).kernels[0];
    check_proven(kernel);
  }
}

}  // namespace
}  // namespace gpx::codegen::test
