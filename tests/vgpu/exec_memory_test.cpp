// Global memory: sparse, filled on first touch, bounded.
#include "exec_support.h"

using namespace gpx::vgpu::exec;

namespace {
void fill_with_offset(std::uint64_t offset, std::uint64_t bytes, std::uint8_t* out) {
  for (std::uint64_t i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>((offset + i) * 7);
}
}  // namespace

TEST_CASE("a buffer reads as its fill until it is written, and again after a reset") {
  GlobalMemory memory;
  std::uint64_t a = memory.allocate(200000, fill_with_offset);
  std::uint8_t v = 0;
  REQUIRE(memory.read(a + 150001, &v, 1));
  CHECK(v == static_cast<std::uint8_t>(150001 * 7));
  v = 99;
  REQUIRE(memory.write(a + 150001, &v, 1));
  v = 0;
  REQUIRE(memory.read(a + 150001, &v, 1));
  CHECK(v == 99);
  memory.reset(a);
  REQUIRE(memory.read(a + 150001, &v, 1));
  CHECK(v == static_cast<std::uint8_t>(150001 * 7));
}

std::uint32_t word(std::uint64_t i) {
  return static_cast<std::uint32_t>(i * 7 + 1);
}

TEST_CASE("a word that nobody has written is computed, where its page is not made") {
  constexpr std::uint64_t kPage = GlobalMemory::kPageBytes;
  GlobalMemory memory;
  const std::uint64_t a = memory.allocate_words<word>(8 * kPage + 8);
  const std::uint64_t filled = memory.allocate(kPage, fill_with_offset);
  std::uint32_t v[4] = {};
  auto* const out = reinterpret_cast<std::uint8_t*>(v);
  REQUIRE(memory.computed(a + kPage + 16, 16, out));
  for (std::uint64_t k = 0; k < 4; ++k) CHECK(v[k] == word((kPage + 16) / 4 + k));
  for (std::uint64_t k = 1; k < GlobalMemory::kNeighbours; ++k)
    CHECK(memory.computed(a + kPage + 64 * k, 4, out));
  CHECK_FALSE(memory.computed(a + kPage + 68, 4, out));  // one more: the page is made next
  CHECK(memory.computed(a + 2 * kPage, 4, out));         // of another page
  CHECK(memory.computed(a + 8 * kPage + 4, 4, out));     // the last word
  CHECK_FALSE(memory.computed(a + 8 * kPage, 16, out));  // beyond it
  CHECK_FALSE(memory.computed(a - 4, 4, out));           // unmapped
  CHECK_FALSE(memory.computed(filled, 4, out));          // its fill knows no words
  const std::uint32_t written = 5;
  REQUIRE(memory.write(a + 3 * kPage, &written, 4));
  CHECK_FALSE(memory.computed(a + 3 * kPage + 128, 4, out));
  std::uint32_t read = 0;
  REQUIRE(memory.read(a + 3 * kPage + 128, &read, 4));
  CHECK(read == word((3 * kPage + 128) / 4));
}

TEST_CASE("a buffer ends at its last byte, and a gap follows it") {
  GlobalMemory memory;
  std::uint64_t a = memory.allocate(100, nullptr), b = memory.allocate(4 << 20, nullptr);
  CHECK(a % (2 << 20) == 0);
  CHECK(b % (2 << 20) == 0);
  CHECK(b >= a + (4 << 20));
  std::uint32_t v = 0;
  CHECK(memory.read(a + 96, &v, 4));
  CHECK_FALSE(memory.read(a + 97, &v, 4));
  CHECK_FALSE(memory.read(a - 1, &v, 1));
  CHECK_FALSE(memory.write(b + (4 << 20) - 2, &v, 4));
  CHECK_FALSE(memory.read(0, &v, 4));
}

TEST_CASE("a buffer begins at a multiple of what is asked for, wherever the others are") {
  constexpr std::uint64_t kBytes = 3ull << 30, kAlignment = 4ull << 30;
  GlobalMemory memory, alone;
  const std::uint64_t a = memory.allocate(100, nullptr);
  const std::uint64_t b = memory.allocate(kBytes, nullptr, kAlignment);
  const std::uint64_t c = memory.allocate(100, nullptr);
  const std::uint64_t d = memory.allocate(kBytes, nullptr, kAlignment);
  CHECK(b % kAlignment == 0);
  CHECK(d % kAlignment == 0);
  CHECK(alone.allocate(kBytes, nullptr, kAlignment) == b);
  const std::uint8_t bytes[] = {1, 2, 3, 4};
  for (const auto& [i, at] : {std::pair{0, a}, {1, b + kBytes - 1}, {2, c}, {3, d}})
    REQUIRE(memory.write(at, &bytes[i], 1));
  for (const auto& [i, at] : {std::pair{0, a}, {1, b + kBytes - 1}, {2, c}, {3, d}}) {
    std::uint8_t v = 0;
    REQUIRE(memory.read(at, &v, 1));
    CHECK(v == bytes[i]);
  }
}

TEST_CASE("accesses may cross pages") {
  GlobalMemory memory;
  std::uint64_t a = memory.allocate(3 * GlobalMemory::kPageBytes, fill_with_offset);
  std::vector<std::uint8_t> bytes(GlobalMemory::kPageBytes + 2);
  REQUIRE(memory.read(a + GlobalMemory::kPageBytes - 1, bytes.data(),
                      static_cast<unsigned>(bytes.size())));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CHECK(bytes[i] == static_cast<std::uint8_t>((GlobalMemory::kPageBytes - 1 + i) * 7));
  }
}

TEST_CASE("a page that is not touched costs nothing: 64 GiB are allocated at once") {
  GlobalMemory memory;
  std::uint64_t a = memory.allocate(64ull << 30, fill_with_offset);
  std::uint8_t v = 0;
  REQUIRE(memory.read(a + (60ull << 30) + 5, &v, 1));
  CHECK(v == static_cast<std::uint8_t>(((60ull << 30) + 5) * 7));
}

TEST_CASE("an owner's variables are allocated once") {
  GlobalMemory memory;
  auto owner = std::make_shared<int>(1), other = std::make_shared<int>(2);
  std::uint64_t a = memory.attach(owner, 100, nullptr);
  CHECK(memory.attach(owner, 100, nullptr) == a);
  CHECK(memory.attach(other, 100, nullptr) != a);
}
