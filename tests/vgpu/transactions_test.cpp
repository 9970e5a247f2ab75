// Coalescing rules: accesses of a warp as a table of transactions by compute capability.
#include <doctest/doctest.h>

#include <functional>

#include "runtime/device/vgpu/exec/coalescing.h"

using namespace gpx::vgpu;

namespace {

constexpr exec::Mask kAll = 0xffffffff;

/// "C1": coalesced, 1 transaction; "U32": not, 32.
std::string of(int major, int minor, const std::function<std::uint64_t(unsigned)>& address,
               unsigned bytes = 4, exec::Mask active = kAll, bool past_l1 = false) {
  exec::Lanes lanes{};
  for (unsigned i = 0; i < exec::kWarpSize; ++i) lanes[i] = (1u << 20) + address(i);
  const Transactions made =
      transactions_of(coalescing_rule(major, minor), {active, bytes, past_l1}, lanes);
  return (made.coalesced ? "C" : "U") + std::to_string(made.count);
}

}  // namespace

TEST_CASE("what a warp's access becomes, by compute capability") {
  struct Row {
    const char* what;
    std::function<std::uint64_t(unsigned)> address;
    unsigned bytes;
    const char *cc10, *cc13, *cc20, *cc35;
  };
  const auto times = [](std::uint64_t n) { return [n](unsigned i) { return n * i; }; };
  const Row rows[] = {
      {"words in order", times(4), 4, "C1", "C1", "C1", "C1"},
      {"words in reverse order", [](unsigned i) { return 4ull * (31 - i); }, 4, "U32", "C1", "C1",
       "C1"},
      {"one word for all", times(0), 4, "U32", "C1", "C1", "C1"},
      {"off by one word", [](unsigned i) { return 4ull * i + 4; }, 4, "U32", "U3", "U2", "U5"},
      {"off by half a segment", [](unsigned i) { return 4ull * i + 64; }, 4, "C2", "C2", "U2",
       "C2"},
      {"every second word", times(8), 4, "U32", "C2", "U2", "U8"},
      {"words 128 B apart", times(128), 4, "U32", "U32", "U32", "U32"},
      {"pairs of words", times(8), 8, "C2", "C2", "C2", "C2"},
      {"four words a lane", times(16), 16, "C4", "C4", "C4", "C4"},
      {"bytes", times(1), 1, "U32", "C1", "C1", "C1"},
      {"halves of words", times(2), 2, "U32", "C1", "C1", "C1"},
      {"pairs of words, off by half a line", [](unsigned i) { return 8ull * i + 64; }, 8, "U32",
       "U4", "U4", "C3"},
      {"a word for two, apart", [](unsigned i) { return 8ull * (i / 2); }, 4, "U32", "C1", "C1",
       "U4"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(of(1, 0, row.address, row.bytes) == row.cc10);
    CHECK(of(1, 1, row.address, row.bytes) == row.cc10);
    CHECK(of(1, 3, row.address, row.bytes) == row.cc13);
    CHECK(of(2, 0, row.address, row.bytes) == row.cc20);
    CHECK(of(3, 5, row.address, row.bytes) == row.cc35);
    CHECK(of(9, 0, row.address, row.bytes) == row.cc35);
  }
}

TEST_CASE("lanes that do not access do not count") {
  const auto apart = [](unsigned i) { return 128ull * i; };
  const auto in_order = [](unsigned i) { return 4ull * i; };
  CHECK(of(1, 0, apart, 4, 0x0000000f) == "U4");
  CHECK(of(1, 3, apart, 4, 0x80000001) == "C2");  // one of each half-warp
  CHECK(of(9, 0, apart, 4, 0x00000003) == "U2");
  CHECK(of(1, 0, in_order, 4, 0xfffffffe) == "C1");
  CHECK(of(9, 0, in_order, 4, 0x000000ff) == "C1");
  // Every second lane of words of 16 bytes: both pieces of a half-warp's segment are needed.
  const auto quads = [](unsigned i) { return 16ull * i; };
  CHECK(of(1, 0, quads, 16, 0x55555555) == "C4");
}

TEST_CASE(
    "transactions of GPUs with caches move sectors and lines as wholes, others what is asked") {
  const auto bytes = [](int major, unsigned stride, exec::Mask active, bool past_l1) {
    exec::Lanes lanes{};
    for (unsigned i = 0; i < exec::kWarpSize; ++i) lanes[i] = std::uint64_t{stride} * i;
    return transactions_of(coalescing_rule(major, 0), {active, 4, past_l1}, lanes).bytes;
  };
  CHECK(bytes(9, 4, kAll, false) == 128);
  CHECK(bytes(9, 32, kAll, false) == 32 * 32);
  CHECK(bytes(3, 8, kAll, false) == 8 * 32);
  CHECK(bytes(9, 4, 1, false) == 32);
  CHECK(bytes(2, 128, kAll, false) == 32 * 128);
  CHECK(bytes(2, 128, kAll, true) == 32 * 32);
  CHECK(bytes(1, 128, kAll, false) == 128);
}

TEST_CASE("what passes L1 of a Fermi GPU by goes in sectors") {
  const auto every_second = [](unsigned i) { return 8ull * i; };
  CHECK(of(2, 0, every_second) == "U2");
  CHECK(of(2, 0, every_second, 4, kAll, true) == "U8");
}
