// What the numbers of an experiment may be: lang/rules.h.
#include "lang/rules.h"

#include <doctest/doctest.h>

#include "lang/language.h"

using namespace gpx;

TEST_CASE("a rule admits whole numbers within its limits, and any time") {
  const NumberRule width{"the width", Unit::byte, 1, 16};
  const NumberRule count{"threads", Unit::none, 1, max_count};
  const NumberRule watchdog{"the watchdog", Unit::second, 1e-6, 60};
  struct Row {
    const NumberRule& rule;
    double value;
    bool admitted;
  };
  const Row rows[] = {{width, 0, false},
                      {width, 1, true},
                      {width, 16, true},
                      {width, 17, false},
                      {width, 4.5, false},
                      {count, max_count, true},
                      {count, max_count + 1, false},
                      {watchdog, 0.01, true},
                      {watchdog, 61, false}};
  for (const Row& row : rows) {
    CAPTURE(row.value);
    CHECK(row.rule.admits(row.value) == row.admitted);
  }
  CHECK(width.limits(17) == "a whole number of bytes from 1B to 16B");
  CHECK(count.limits(0) == "a whole number, at least 1");
  CHECK(count.limits(max_count + 1) == "a whole number from 1 to 2147483647");
  CHECK(watchdog.limits(61).find("a time from") == 0);
}

TEST_CASE("every rule is applied where its number stands, and up to its limits") {
  struct Row {
    const NumberRule& rule;
    const char* text;          ///< @ stands for the number.
    double low = 0, high = 0;  ///< Accepted beside the other limits of the text; 0: the rule's.
  };
  const Row rows[] = {
      {rules::threads, "threads @ < load broadcast >"},
      {rules::blocks, "blocks @ < load broadcast >"},
      {rules::repeat, "repeat @ < load broadcast >"},
      {rules::warmup, "warmup @ < load broadcast >"},
      {rules::rehearse, "rehearse @ < load broadcast >"},
      {rules::flush, "flush @ < load broadcast >"},
      {rules::offset, "offset @ < load broadcast >"},
      {rules::registers, "registers @ < load broadcast >"},
      {rules::carveout, "carveout @ < load broadcast >"},
      {rules::carveout_percent, "carveout @ < load broadcast >"},
      {rules::bank_width, "bank_width @ < load broadcast >"},
      {rules::sm, "place sm @ < load broadcast >"},
      {rules::width, "< load unique(16B) width @ >"},
      {rules::count, "< load unique(16B) x @ >"},
      {rules::chase, "array a : global[1KB] chase(stride 64B) < load a x @ chain >"},
      {rules::executions, "< add.u32 x @ chain >"},
      {rules::streams, "< add.u32 x 64 streams @ >"},
      {rules::code, "< code @ >"},
      {rules::tested, "< diverge lane over [@] { sync } >"},
      {rules::word, "< keep total = @ >"},
      {rules::first_value, "shared s = @ < keep total = s >"},
      {rules::array_bytes, "array a : global[@] chase(stride 64B) width 8B < load a x4 chain >", 8,
       1 << 20},
  };
  const auto complaint = [](std::string text, const Quantity& number) {
    text.replace(text.find('@'), 1, "(" + to_string(number) + ")");
    const Source source("t", text);
    const auto checked = parse(source).and_then([&](const Ast& ast) { return check(ast, source); });
    return checked ? std::string() : render(checked.error());
  };
  for (const Row& row : rows) {
    const NumberRule& rule = row.rule;
    CAPTURE(row.text);
    const double low = row.low > 0 ? row.low : rule.low, high = row.high > 0 ? row.high : rule.high;
    CHECK(complaint(row.text, {low, rule.unit}) == "");
    CHECK(complaint(row.text, {high, rule.unit}) == "");
    for (const double outside : {rule.low - 1, rule.high * 2}) {
      const std::string found = complaint(row.text, {outside, rule.unit});
      CAPTURE(outside);
      CHECK(found.find(std::string(rule.what) + " is ") != std::string::npos);
      CHECK(found.find("it must be " + rule.limits(outside)) != std::string::npos);
    }
  }
}

TEST_CASE("what is wrong with the links of an array") {
  using Kind = Array::Layout::Kind;
  struct Row {
    Kind kind;
    Space space;
    double bytes, width;
    std::vector<double> args;
    const char* fault;
  };
  const Row rows[] = {
      {Kind::stride, Space::global, 1024, 4, {64}, ""},
      {Kind::none, Space::constant, 2, 8, {}, ""},
      {Kind::stride, Space::global, 1024, 5, {64}, "a link has 4B or 8B"},
      {Kind::stride, Space::texture, 1024, 8, {64}, "a link in constant or texture memory has 4B"},
      {Kind::stride, Space::global, 4, 8, {64}, "hold no link"},
      {Kind::stride, Space::global, 5e9, 4, {64}, "write 'width 8B'"},
      {Kind::stride, Space::global, 1024, 4, {6}, "no multiple of the width"},
      {Kind::random, Space::global, 1024, 8, {64, 3}, ""},
      {Kind::random, Space::global, 5e12, 8, {8, 3}, "at most 268435456 can be laid out"},
      {Kind::list, Space::global, 64, 4, {8, 0, 60}, ""},
      {Kind::list, Space::global, 64, 4, {64}, "the offset 64B lies beyond the array's 64B"},
      {Kind::list, Space::global, 64, 4, {8, 8}, "visited twice"},
      {Kind::steps, Space::global, 64, 4, {3, 20}, ""},
      {Kind::steps, Space::global, 64, 4, {4, 20}, "the steps end at 80B"},
  };
  for (const Row& row : rows) {
    const std::string found = array_fault(row.kind, row.space, row.bytes, row.width, row.args);
    CAPTURE(row.fault);
    CHECK((*row.fault ? found.find(row.fault) != std::string::npos : found.empty()));
  }
}

TEST_CASE("an access has a width of the machine, at multiples of it") {
  for (const double width : {1, 2, 4, 8, 16}) CHECK(width_fault(width).empty());
  for (const double width : {3, 5, 6, 12, 15})
    CHECK(width_fault(width).find("it must be 1B, 2B, 4B, 8B or 16B") != std::string::npos);
  CHECK(alignment_fault(128, 16).empty());
  CHECK(alignment_fault(6, 4) ==
        "6B is no multiple of the width 4B: the accesses would not be aligned");
}
