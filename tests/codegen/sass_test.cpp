// The reader of machine code: codegen/sass/.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include "codegen/sass/instruction.h"
#include "codegen/sass/listing.h"

namespace gpx::codegen::sass::test {
namespace {

std::string without_end_blanks(std::string text) {
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

TEST_CASE("words read as nvdisasm prints them") {
  std::ifstream file(GPX_TESTS_DIR "/data/sass/words.txt");
  REQUIRE(file);
  int words = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    int sm = 0;
    Word word;
    std::uint64_t address = 0;
    fields >> sm >> std::hex >> word.lo >> word.hi >> address >> std::ws;
    std::string expected;
    std::getline(fields, expected);
    CAPTURE(line);
    CHECK(without_end_blanks(decode(word, sm, address).text()) == expected);
    ++words;
  }
  CHECK(words > 1000);
}

TEST_CASE("control bits are what the assembler tells the scheduler") {
  // "LDG.E R2, [R2.64]" sets scoreboard 2 and stalls one clock; "IMAD" after it waits for it.
  CHECK(Word{0x0000000402027981, 0x000ea2000c1e1900}.control() ==
        Control{.stall = 1, .yield = false, .writes = 2, .reads = 7, .waits = 0, .reuse = 0});
  CHECK(Word{0x0000000405057224, 0x004fe400078e0205}.control() ==
        Control{.stall = 2, .yield = false, .writes = 7, .reads = 7, .waits = 4, .reuse = 0});
  CHECK(Word{0x0000000e0e007e2a, 0x040fe4000bf46000}.control().reuse == 1);
}

TEST_CASE("an unknown word prints as its bits and stops nothing") {
  const Instruction unknown = decode({0xfff, 0}, 90, 0);
  CHECK_FALSE(unknown.known);
  CHECK(unknown.text() == "??? 0x0000000000000fff 0x0000000000000000");
  std::vector<std::uint8_t> code(32 + 7);
  code[0] = 0xff;
  code[1] = 0x0f;
  CHECK(decode_function(code, 90).size() == 2);
  CHECK(listing(code, 90).starts_with("/*0000*/ ??? 0x0000000000000fff"));
}

TEST_CASE("no word breaks the reader") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const Word word{random(), random()};
    const int sm = std::array{75, 86, 90, 120}[i % 4];
    if (decode(word, sm, random() & 0xfffff0).text().empty())
      FAIL(fmt::format("{:x} {:x}", word.lo, word.hi));
  }
}

}  // namespace
}  // namespace gpx::codegen::sass::test
