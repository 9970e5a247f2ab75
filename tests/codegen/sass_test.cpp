// The reader of machine code: codegen/sass/.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include "codegen/sass/instruction.h"
#include "codegen/sass/listing.h"
#include "codegen/sass/unshown.h"

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
  UnshownBits unshown;
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
    const Instruction made = decode(word, sm, address);
    CHECK(without_end_blanks(made.text()) == expected);
    if (sm == 90) CHECK_FALSE(unshown.find(made));
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

// Of NVRTC 13; nvdisasm's text of these was not at hand, but each modifier must show.
TEST_CASE("modifiers that the corpus has not") {
  struct Case {
    Word word;
    std::string_view text;
  };
  constexpr Case kCases[] = {
      {{0x4000000500057209, 0x0000000003840200}, "FMNMX.XORSIGN R5, |R0|, |R5|, PT"},
      {{0x4000000500057240, 0x0000000003840200}, "HMNMX2.XORSIGN R5, |R0|, |R5|, PT"},
      {{0x1000000000057308, 0x0000000000000a00}, "MUFU.EX2.BF16 R5, R0.H1"},
      {{0x0000050c08107237, 0x0000000000605510},
       "IMMA.SP.16864.S8.S8 R16, R8.ROW, R12.COL, R16, R5, 0x0"},
      {{0x00000017ff02723e, 0x00000000030006ff}, "F2FP.F16.E4M3.UNPACK_B R2, R23.H1"},
      {{0x00000005ff05723e, 0x00000000024058ff}, "F2FP.RELU.TF32.F32.PACK_B R5, R5"},
      {{0x00000000040079b9, 0x0001e40008040000}, "UTMACCTL.PF [UR4]"},
      {{0x00000000040079b9, 0x0001e40008000000}, "UTMACCTL.IV [UR4]"},
      {{0x00000000ff0079b0, 0x0000000008000a46}, "ARRIVES.LDGSTSBAR.64.NOINC [UR6]"},
      {{0x00000000ff0079b1, 0x0000000008000006}, "SYNCS.CCTL.IV [UR6]"},
      {{0x0000002804007385, 0x0000000000100b06}, "ST.E.64 [R4+0x28], R6"},
  };
  for (const Case& each : kCases) {
    const Instruction made = decode(each.word, 90, 0x1000);
    CHECK(made.text() == each.text);
    CHECK_FALSE(UnshownBits().find(made));
  }
}

TEST_CASE("a bit that the text does not show is found") {
  const Word plain{0x0000000500007221, 0x000fca0000000000};
  CHECK(decode(plain, 90, 0).text() == "FADD R0, R0, R5");
  UnshownBits bits;
  CHECK_FALSE(bits.find(decode(plain, 90, 0)));
  for (const unsigned bit : {82u, 86u, 100u}) {
    const Word word{plain.lo, plain.hi | 1ull << (bit - 64)};
    CHECK(bits.find(decode(word, 90, 0)) == bit);
  }
  CHECK(bits.find(decode({plain.lo | 1ull << 48, plain.hi}, 90, 0)) == 48u);
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
