// The table of access patterns: lang/patterns.h.
#include "lang/patterns.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>

#include "lang/language.h"

using namespace gpx;

namespace {

/// `load NAME(arguments)`, or an atomic or a copy where only those have the pattern, with an
/// acceptable value for each but the argument `odd`.
std::string load_of(const PatternRow& row, std::size_t count, std::size_t odd = 9,
                    const std::string& value = "") {
  std::string args;
  for (std::size_t i = 0; i < count; ++i) {
    const bool bytes = i < row.most() && row.arguments[i].rule.unit == Unit::byte;
    args += fmt::format("{}{}", i ? ", " : "", i == odd ? value : bytes ? "128B" : "4");
  }
  return fmt::format("< {} {}{}{} >",
                     row.only_atomics ? "atom.add.u32"
                     : row.only_bulk  ? "async load"
                                      : "load",
                     row.name, count ? "(" + args + ")" : "", row.only_bulk ? "; wait" : "");
}

std::string complaint(const std::string& text) {
  const Source source("t", text);
  const auto checked = parse(source).and_then([&](const Ast& ast) { return check(ast, source); });
  return checked ? std::string() : render(checked.error());
}

}  // namespace

TEST_CASE("the forms of a pattern, and its line of the reference") {
  CHECK(find_pattern("merge")->syntax() == "merge(K, BYTES)");
  CHECK(find_pattern("broadcast")->syntax() == "broadcast or broadcast(BYTES)");
  CHECK(find_pattern("random")->document() ==
        "| `random(BYTES, SEED = 1)` | by SEED, i and t | uniform over BYTES, fixed by SEED |");
  CHECK(find_pattern("chase") == nullptr);
}

TEST_CASE("every pattern takes as many arguments as its row has, and fills in the others") {
  for (const PatternRow& row : kPatterns)
    for (std::size_t count = 0; count <= kPatternArguments + 1; ++count) {
      CAPTURE(load_of(row, count));
      const std::string found = complaint(load_of(row, count));
      CAPTURE(found);
      if (count >= row.least() && count <= row.most())
        CHECK(found.empty());
      else
        CHECK(found.find("write " + row.syntax()) != std::string::npos);
    }
  const Source source("t", "< load broadcast >");
  const auto experiments = check(*parse(source), source);
  REQUIRE(experiments);
  const auto& load = std::get<Access>(experiments->front().measures[0].body[0].node);
  CHECK(load.pattern.args.at(0).quantity == Quantity{128, Unit::byte});
}

TEST_CASE("every argument of a pattern is refused below its limit, and unaligned") {
  for (const PatternRow& row : kPatterns)
    for (std::size_t i = 0; i < row.most(); ++i) {
      const PatternArgument& argument = row.arguments[i];
      const char* unit = argument.rule.unit == Unit::byte ? "B" : "";
      const std::string low = fmt::format("{}{}", argument.rule.low - 1, unit);
      CAPTURE(load_of(row, row.most(), i, low));
      const std::string below = complaint(load_of(row, row.most(), i, low));
      CHECK(below.find(fmt::format("{} is {}: it must be {}", argument.rule.what, low,
                                   argument.rule.limits(argument.rule.low - 1))) !=
            std::string::npos);
      const std::string odd = complaint(load_of(row, row.most(), i, fmt::format("6{}", unit)));
      const bool aligned = odd.find("6B is no multiple of the width 4B") == std::string::npos;
      CHECK(aligned != argument.aligned);
    }
}
