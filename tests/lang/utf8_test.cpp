// Characters of UTF-8: their lengths and numbers, and which of them deceive who reads them.
#include "lang/utf8.h"

#include <doctest/doctest.h>

using namespace gpx;

TEST_CASE("a character's length and number") {
  struct Row {
    const char* text;
    std::size_t size;
    char32_t value;
  };
  for (const Row& row : {Row{"a", 1, 'a'}, Row{"é", 2, 0xe9}, Row{"…", 3, 0x2026},
                         Row{"\U0001f600", 4, 0x1f600}, Row{"\xff", 0, 0}, Row{"\xc0\x80", 0, 0}}) {
    CAPTURE(row.text);
    REQUIRE(utf8_length(row.text, 0) == row.size);
    if (row.size > 0) CHECK(utf8_value(row.text, 0, row.size) == row.value);
  }
}

TEST_CASE("what deceives is replaced, byte for byte") {
  struct Row {
    const char* text;
    const char* shown;
  };
  for (const Row& row :
       {Row{"plain é …", "plain é …"}, Row{"\x1b[2J\x1b]0;title\a", "?[2J?]0;title?"},
        Row{"a\u202eb", "a???b"}, Row{"\u2066x\u2069", "???x???"}, Row{"\u200b\ufeff", "??????"},
        Row{"\u009bA", "??A"}, Row{"\xff\xc3", "??"}, Row{"a\tb", "a\tb"}, Row{"a\nb", "a?b"},
        Row{"family \u200d joined", "family \u200d joined"}}) {
    CAPTURE(row.shown);
    CHECK(without_deceiving(row.text, "\t") == row.shown);
  }
  CHECK(without_deceiving(std::string_view("a\0b", 3), "") == "a?b");
}

TEST_CASE("names are shown as they are") {
  CHECK(is_name("l1.capacity[n=2]"));
  CHECK(is_name("größe"));
  CHECK_FALSE(is_name(""));
  CHECK_FALSE(is_name("a\tb"));
  CHECK_FALSE(is_name("a\nb"));
  CHECK_FALSE(is_name("a\u202eb"));
  CHECK_FALSE(is_name(std::string_view("a\0b", 3)));
}

TEST_CASE("a mark of byte order is no part of a text") {
  CHECK(without_mark("\xef\xbb\xbfreturn 1") == "return 1");
  CHECK(without_mark("return 1") == "return 1");
}
