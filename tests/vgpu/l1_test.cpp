// L1 whose data are fewer than its tags: what a list of lines hits, by its length.
#include "runtime/device/vgpu/memory/l1.h"

#include <doctest/doctest.h>

namespace gpx::vgpu::timing {
namespace {

/// 64 sets of four lines.
L1 cache(const std::string& policy = "lru") {
  Description::Cache l1;
  l1.capacity = 32 << 10;
  l1.line = 128;
  l1.ways = 4;
  l1.policy = policy;
  return L1(l1);
}

/// Of the third visit of so many lines in a row, those that hit; each arrives after the one before.
unsigned hits(L1& l1, unsigned lines) {
  unsigned found = 0;
  Clk clk = 0;
  for (unsigned pass = 0; pass < 3; ++pass)
    for (unsigned line = 0; line < lines; ++line) {
      const bool hit = l1.find(line) != nullptr;
      if (!hit) l1.insert(line).arrived = ++clk;
      found += pass == 2 && hit;
    }
  return found;
}

}  // namespace

TEST_CASE("l1_splits: L1 holds as many lines as it has data") {
  L1 l1 = cache();
  l1.start_launch(1, 200 * 128);
  CHECK(hits(l1, 200) == 200);
  l1.start_launch(1, 200 * 128);
  // The eight lines more replace lines of eight sets with three each: none of these hits.
  CHECK(hits(l1, 208) == 208 - 8 * 4);
  l1.start_launch(1, 0);
  CHECK(hits(l1, 256) == 256);
}

TEST_CASE("l1_splits: with less data than sets a line replaces one of another set") {
  L1 l1 = cache();
  l1.start_launch(1, 16 * 128);
  CHECK(hits(l1, 16) == 16);
  l1.start_launch(1, 16 * 128);
  CHECK(hits(l1, 64) == 0);
}

TEST_CASE("l1_splits: the policy says which line leaves, and a dropped line leaves room") {
  L1 l1 = cache("aged");
  l1.start_launch(1, 3 * 128);
  for (const unsigned line : {0u, 64u, 128u}) l1.insert(line);
  for (int k = 0; k < 4; ++k) l1.find(0);
  for (int k = 0; k < 2; ++k) l1.find(64);
  l1.insert(192);  // of the same set: the one that nobody used leaves
  CHECK(l1.peek(0) != nullptr);
  CHECK(l1.peek(64) != nullptr);
  CHECK(l1.peek(128) == nullptr);
  l1.drop(64);
  l1.insert(256);
  CHECK(l1.peek(0) != nullptr);
  CHECK(l1.peek(192) != nullptr);
}

}  // namespace gpx::vgpu::timing
