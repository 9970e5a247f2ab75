#include "runtime/report/style.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

using namespace gpx::report;

namespace {

/// Sets an environment variable for one test.
class WithVariable {
 public:
  WithVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, had_ = true;
    setenv(name, value, 1);
  }
  ~WithVariable() {
    if (had_)
      setenv(name_, old_.c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

}  // namespace

TEST_CASE("a file is no terminal: no colour, and COLUMNS gives the width") {
  std::FILE* file = std::tmpfile();
  const WithVariable columns("COLUMNS", "72");
  const Style style = style_of(fileno(file));
  CHECK_FALSE(style.colour);
  CHECK(style.width == 72);
  std::fclose(file);
}

TEST_CASE("the locale decides on UTF-8, LC_ALL first") {
  const WithVariable lang("LANG", "C.UTF-8");
  {
    const WithVariable all("LC_ALL", "C");
    CHECK_FALSE(style_of(1).unicode);
  }
  const WithVariable all("LC_ALL", "en_US.utf8");
  CHECK(style_of(1).unicode);
}

TEST_CASE("text is made fit for the device") {
  const Style utf8{false, true, 80}, ascii{false, false, 80};
  CHECK(fit(utf8, "2 µs ≥ 3") == "2 µs ≥ 3");
  CHECK(fit(ascii, "2 µs ≥ 3") == "2 us >= 3");
  CHECK(fit(ascii, "日本") == "??");
  CHECK(fit(utf8, "a\x1b[2Jb\a") == "a?[2Jb?");
  CHECK(fit(utf8, "a\tb\nc") == "a b c");
  CHECK(fit(utf8, "\xff\xc2") == "??");
}

TEST_CASE("widths count characters, not bytes and not escapes") {
  CHECK(display_width("µs") == 2);
  CHECK(display_width("\x1b[31mab\x1b[0m") == 2);
  CHECK(pad("µ", 3) == "µ  ");
  CHECK(pad("µ", 3, true) == "  µ");
}

TEST_CASE("wrapping breaks between words and lets a long word stand alone") {
  CHECK(wrap("aa bb  cc", 5) == std::vector<std::string>{"aa bb", "cc"});
  CHECK(wrap("a incomprehensible b", 6) == std::vector<std::string>{"a", "incomprehensible", "b"});
  CHECK(wrap("", 5).empty());
}

TEST_CASE("paint adds escapes only where there is colour") {
  CHECK(paint({true, true, 80}, Paint::red, "x") == "\x1b[31mx\x1b[0m");
  CHECK(paint({false, true, 80}, Paint::red, "x") == "x");
}
