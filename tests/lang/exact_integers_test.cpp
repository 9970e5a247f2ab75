// Integers of 64 bits through the language: literals, arithmetic, sweeps, text.
#include <doctest/doctest.h>

#include "lang/language.h"

using namespace gpx;

namespace {

Experiment checked(const std::string& clauses) {
  const Source source("test", "experiment e { " + clauses + " threads 32 < load broadcast > }");
  const auto ast = parse(source);
  if (!ast) FAIL(render(ast.error()));
  const auto experiments = check(*ast, source);
  if (!experiments) FAIL(render(experiments.error()));
  return experiments->front();
}

std::string value_of(const std::string& text) {
  return to_string(checked("param result = " + text + "\n").parameters.at("result"));
}

std::vector<std::string> values_of(const std::string& axis) {
  std::vector<std::string> texts;
  const Experiment experiment = checked("sweep s " + axis + "\n");
  for (const Value& value : experiment.sweep.groups.at(0).at(0).values)
    texts.push_back(to_string(value));
  // The text of the experiment has the same values.
  const Source again("again", to_string(experiment));
  const auto ast = parse(again);
  REQUIRE_MESSAGE(ast, to_string(experiment));
  const auto same = check(*ast, again);
  REQUIRE(same.has_value());
  CHECK(same->front().sweep.groups.at(0).at(0).values ==
        experiment.sweep.groups.at(0).at(0).values);
  return texts;
}

}  // namespace

TEST_CASE("int64_precision: the language keeps integers of 64 bits") {
  const std::pair<const char*, const char*> table[] = {
      {"9007199254740993", "9007199254740993"},
      {"-9007199254740993", "-9007199254740993"},
      {"18446744073709551615", "18446744073709551615"},
      {"-9223372036854775808", "-9.223372036854776e+18"},
      {"9223372036854775807", "9223372036854775807"},
      {"0xffffffffffffffff", "18446744073709551615"},
      {"0x20000000000001", "9007199254740993"},
      {"0X7f", "127"},
      {"0x10 + 1", "17"},
      {"0x1.8p1", "3"},
      {"9007199254740992 + 1", "9007199254740993"},
      {"2 ^ 53 + 1", "9007199254740993"},
      {"2 ^ 64 - 1", "18446744073709551615"},
      {"4294967297 * 4294967295", "18446744073709551615"},
      {"18446744073709551615 % 10", "5"},
      {"18446744073709551615 / 5", "3689348814741910323"},
      {"-(2 ^ 63 - 1)", "-9223372036854775807"},
      {"max(9007199254740993, 9007199254740992)", "9007199254740993"},
      {"9007199254740993 == 9007199254740992", "false"},
      {"9007199254740993 > 9007199254740992", "true"},
      {"9007199254740993 within 9007199254740992..9007199254740994", "true"},
      {"9007199254740991 + 0.5", "9007199254740992"},
  };
  for (const auto& [text, expected] : table) {
    CAPTURE(text);
    CHECK(value_of(text) == expected);
  }
  CHECK(values_of("in [9007199254740993, 18446744073709551615, 1]") ==
        std::vector<std::string>{"9007199254740993", "18446744073709551615", "1"});
  CHECK(values_of("9007199254740991..9007199254740995 step 2") ==
        std::vector<std::string>{"9007199254740991", "9007199254740993", "9007199254740995"});
}

TEST_CASE("a prefix of hexadecimal without digits, and digits of no number, are refused") {
  for (const char* text : {"0x", "0xg", "0x1p", "1x"}) {
    CAPTURE(text);
    const Source source("test",
                        std::string("param result = ") + text + "\nthreads 32 < load broadcast >");
    const auto ast = parse(source);
    CHECK(!ast);
  }
}
