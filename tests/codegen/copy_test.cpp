// Asynchronous copies: what they are lowered to, and its proof. The listings of
// golden/copies.sm_90.sass are `nvdisasm -c` of CUDA 13.0, of what gpx made of the texts below.
#include <algorithm>
#include <string>

#include "codegen/compile/compile.h"
#include "codegen/proof/timed_region.h"
#include "operation_support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

struct Row {
  const char* name;
  const char* clauses;
};
constexpr Row kRows[] = {
    {"chain_ca", "threads 1 rehearse 1 < async load unique(256B) width 4B x4 chain >"},
    {"chain_cg", "threads 1 rehearse 1 < async load unique(256B) width 16B cache cg x4 chain >"},
    {"together", "threads 128 rehearse 1 < async load unique(8B) width 8B x4; wait >"},
    {"bulk_chain", "threads 32 rehearse 1 < async load bulk(4KB) x3 chain >"},
    {"bulk", "threads 128 < async load bulk(1KB) x4; wait >"},
    {"store_chain", "threads 32 rehearse 1 < async store bulk(1KB) x3 chain >"},
    {"tensor_chain", "threads 32 rehearse 1 < async load tensor(64, 8) x3 chain >"},
    {"tensor_5d", "threads 128 < async load tensor(16, 2, 2, 2, 2) width 8B x4; wait >"},
    {"tensor_store", "threads 32 rehearse 1 < async store tensor(64, 4, 2) x3 chain >"},
    {"both", "threads 64 < async load bulk(1KB); async store bulk(2KB) x2; wait >"},
};

Program program(const Row& row) {
  return program_of(std::string("experiment e { ") + row.clauses + " }");
}

const Row& row_of(std::string_view name) {
  return *std::ranges::find(kRows, name, [](const Row& one) { return std::string_view(one.name); });
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  CAPTURE(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("a kernel of copies reads back as it was written") {
  for (const Row& row : kRows) {
    const Kernel kernel = program(row).kernels[0];
    const Source source("test.kernel", to_string(kernel));
    const auto read = parse_kernels(source);
    if (!read) FAIL(render(read.error()));
    CHECK(read->front() == kernel);
  }
}

TEST_CASE("copies have places of their own, those that are waited for one by one share one") {
  const auto places = [](const char* clauses) {
    std::vector<std::uint64_t> found;
    const Program made = program({"", clauses});
    for (const Instruction& i : made.kernels[0].timed)
      if (is_copy(i.op)) found.push_back(i.target);
    return found;
  };
  CHECK(places("threads 64 < async load unique(8B) width 8B x3; wait >") ==
        std::vector<std::uint64_t>{0, 1024, 2048});
  CHECK(places("threads 64 < async load unique(8B) width 8B x3 chain >") ==
        std::vector<std::uint64_t>{0, 0, 0});
  CHECK(places("< async load bulk(16B) x2; async load bulk(1KB); wait >") ==
        std::vector<std::uint64_t>{0, 128, 256});
}

TEST_CASE("boxes of a tensor lie one above the other, and its map says so") {
  const Program made =
      program({"", "blocks 3 threads 32 < async load tensor(8, 4, 2) width 4B x5; wait >"});
  REQUIRE(made.launches[0].tensors.size() == 1);
  const TensorMap& map = made.launches[0].tensors[0];
  CHECK(made.buffers[map.buffer].name == "data");
  CHECK(map.extents == std::vector<std::uint64_t>{8 * 4, 4, 2 * 5});
  CHECK(map.box == std::vector<std::uint32_t>{8, 4, 2});
  CHECK(map.stride(2) == 4 * 8 * 4 * 4);
  std::vector<std::uint64_t> last;
  for (const Instruction& i : made.kernels[0].timed)
    if (is_tensor(i.op)) last.push_back(i.immediate);
  CHECK(last == std::vector<std::uint64_t>{0, 2, 4, 6, 8});
  CHECK(made.buffers[map.buffer].bytes >= 4 * 8 * 4 * 4 * 2 * 5);
}

TEST_CASE("one phase announces the bytes of all loads that one 'wait' waits for") {
  std::vector<std::uint64_t> announced;
  const Row row{"",
                "< async load bulk(1KB) x3; async load bulk(16B); wait; async load bulk(32B) "
                "chain >"};
  const Program made = program(row);
  for (const Instruction& i : made.kernels[0].timed)
    if (i.op == Op::bulk_expect) announced.push_back(i.immediate);
  CHECK(announced == std::vector<std::uint64_t>{3 * 1024 + 16, 32});
}

TEST_CASE("lowering refuses copies that shared memory does not hold") {
  CHECK(complaint("threads 512 < async load unique(16B) width 16B x7; wait >")
            .find("bytes of shared memory: a block has 49152") != std::string::npos);
  CHECK(complaint("threads 512 < async load unique(16B) width 16B x7 chain >").empty());
}

TEST_CASE("the machine code of copies is proven") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const RegionReport report =
        check_sass(program(row).kernels[0], section("copies.sm_90.sass", row.name));
    CAPTURE(report.listing);
    INFO("reason: ", report.reason);
    CHECK(to_string(report.verdict) == "verified");
  }
}

TEST_CASE("machine code of other copies is no proof") {
  struct Change {
    const char *name, *from, *to;
  };
  const Change changes[] = {
      {"chain_ca", "LDGSTS.E ", "LDGSTS.E.64 "},            // another width
      {"chain_cg", "LDGSTS.E.BYPASS.128", "LDGSTS.E.128"},  // another cache
      {"chain_ca", "LDGDEPBAR", "NOP"},                     // nothing waits for a copy
      {"together", "DEPBAR.LE SB0, 0x0", "NOP"},
      {"bulk_chain", "UBLKCP.S.G", "UBLKCP.G.S"},
      {"store_chain", "UTMACMDFLUSH", "NOP"},
      {"tensor_chain", "UTMALDG.2D", "UTMALDG.3D"},
      {"tensor_chain", "@UP1 UTMALDG", "UTMALDG"},  // by every thread
      {"tensor_store", "UTMASTG.3D", "UTMALDG.3D"},
      {"store_chain", "@UP0 UBLKCP.G.S", "UBLKCP.G.S"},  // by every thread
  };
  for (const Change& change : changes) {
    CAPTURE(change.name);
    CAPTURE(change.from);
    const std::string listing = section("copies.sm_90.sass", change.name);
    const RegionReport report =
        check_sass(program(row_of(change.name)).kernels[0], with(listing, change.from, change.to));
    CHECK(to_string(report.verdict) == "refused");
  }
}

TEST_CASE("a phase that nothing asks for again is no proof") {
  const std::string listing = section("copies.sm_90.sass", "bulk");
  const std::size_t test = listing.find("SYNCS.PHASECHK");
  REQUIRE(test != std::string::npos);
  const std::size_t branch = listing.find("BRA", test);
  const std::string changed = listing.substr(0, branch) + "NOP" + listing.substr(branch + 3);
  CHECK(to_string(check_sass(program(row_of("bulk")).kernels[0], changed).verdict) == "refused");
}

TEST_CASE("what NVRTC makes of copies is proven") {
  GPX_NEEDS_NVRTC();
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Kernel kernel = program(row).kernels[0];
    check_proven(kernel);
  }
}

}  // namespace
}  // namespace gpx::codegen::test
