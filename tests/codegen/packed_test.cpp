// Packing: what comes back, and what is refused.
#include "codegen/files/packed.h"

#include <doctest/doctest.h>

using namespace gpx;

namespace {

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("what was packed unpacks, at either level") {
  const std::string text(100'000, 'x');
  for (const int level : {kQuickPacking, kSmallPacking}) {
    const auto packed = pack(text, level);
    CHECK(packed.size() < 100);
    const auto bytes = unpack(packed, text.size());
    REQUIRE(bytes);
    CHECK(text_of(*bytes) == text);
  }
  CHECK(text_of(unpack(pack(std::string()), 0).value()).empty());
}

TEST_CASE("what is longer than allowed, cut off or changed is not unpacked") {
  auto packed = pack(std::string("to be kept as it is"));
  CHECK_FALSE(unpack(packed, 18));
  CHECK_FALSE(unpack(std::span(packed).first(packed.size() - 1), 100));
  packed[packed.size() / 2] ^= 1;
  CHECK_FALSE(unpack(packed, 100));
  CHECK_FALSE(unpack({}, 100));
}

TEST_CASE("a text is unpacked where it is packed, and else stays") {
  const std::string plain = "experiment e { }", packed = text_of(pack(plain));
  CHECK(unpacked_text(plain, 100) == plain);
  CHECK(unpacked_text(packed, 100) == plain);
  CHECK_FALSE(unpacked_text(packed.substr(0, packed.size() - 2), 100));
}
