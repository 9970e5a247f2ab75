// Expressions and values: lang/expr.h, lang/value.h.
#include "lang/expr.h"

#include <doctest/doctest.h>

#include <map>

#include "lang/language.h"

using namespace gpx;

namespace {

/// The value of an expression as the language writes it, or the error.
std::string value_of(const std::string& text) {
  const Source source(
      "test", "param n = 3\nparam size = 16KB\nparam word = \"warm\"\nparam result = " + text +
                  "\nthreads 32 < load broadcast >");
  const auto ast = parse(source);
  if (!ast) return "error: " + ast.error().diagnostics[0].message;
  const auto experiments = check(*ast, source);
  if (!experiments) return "error: " + experiments.error().diagnostics[0].message;
  return to_string(experiments->at(0).parameters.at("result"));
}

Expr expr_of(const std::string& text) {
  const Source line("test", "param result = " + text);
  const auto ast = parse(line);
  REQUIRE(ast.has_value());
  return std::get<ast::Param>(std::get<ast::Statement>(ast->items.at(0)).node).value;
}

}  // namespace

TEST_CASE("expressions have the value that arithmetic gives them") {
  const std::pair<std::string, std::string> table[] = {
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"10 - 4 - 3", "3"},
      {"100 / 10 / 5", "2"},
      {"7 / 2", "3.5"},
      {"7 % 4", "3"},
      {"-7 % 4", "1"},  // The remainder has the sign of the divisor.
      {"2 ^ 3 ^ 2", "512"},
      {"-2 ^ 2", "-4"},
      {"2 ^ -1", "0.5"},
      {"n * n", "9"},
      {"min(4, 2, 3)", "2"},
      {"max(n, 2)", "3"},
      {"ceil(7 / 2) + floor(7 / 2)", "7"},
      {"abs(-3)", "3"},
      {"log2(1024)", "10"},
      {"1e3", "1000"},
      {"1.5e-1", "0.15"},
      {"1 < 2", "true"},
      {"2 <= 1", "false"},
      {"3 within 1..3", "true"},
      {"3.1 within 1..3", "false"},
      {"not (1 > 2) and 2 == 2", "true"},
      {"1 == 2 or 2 != 2 or 3 >= 3", "true"},
      {"word == \"warm\"", "true"},
      {"word != \"warm\"", "false"},
      {"\"warm\"", "warm"},
      {"\"very warm\"", "\"very warm\""},
  };
  for (const auto& [text, expected] : table) {
    const auto& shown = text;
    INFO(shown);
    CHECK(value_of(text) == expected);
  }
}

TEST_CASE("units are part of numbers") {
  const std::pair<std::string, std::string> table[] = {
      {"5KiB", "5KB"},
      {"5120B", "5KB"},
      {"16KB", "16KB"},
      {"1536KB", "1536KB"},
      {"2 * 1GB", "2GB"},
      {"100B", "100B"},
      {"size / 128B", "128"},
      {"size + 1B", "16385B"},
      {"size % 5KB", "1KB"},
      {"10ms", "10ms"},
      {"0.01s", "10ms"},
      {"1500us + 0.5ms", "2ms"},
      {"20ns", "20ns"},
      {"1.5GHz", "1.5GHz"},
      {"706MHz", "706MHz"},
      {"500kHz", "500kHz"},
      {"1GHz * 1us", "1000clocks"},
      {"28clocks / 1GHz", "28ns"},
      {"28clocks / 28ns", "1GHz"},
      {"min(1KB, 1000B)", "1000B"},
      {"ceil(1.5KB / 1KB) * 1KB", "2KB"},
      {"1KB == 1024B", "true"},
      {"1KB within 1000B..2KB", "true"},
  };
  for (const auto& [text, expected] : table) {
    const auto& shown = text;
    INFO(shown);
    CHECK(value_of(text) == expected);
  }
}

TEST_CASE("units that do not fit are errors") {
  const std::pair<std::string, std::string> table[] = {
      {"1B + 1", "error: cannot add bytes and a plain number"},
      {"1s - 1B", "error: cannot subtract seconds and bytes"},
      {"1B * 1B", "error: cannot multiply bytes by bytes"},
      {"1 / 1B", "error: cannot divide a plain number by bytes"},
      {"2 ^ 1B", "error: cannot raise a plain number to a power of bytes"},
      {"1KB % 3", "error: cannot take the remainder of bytes by a plain number"},
      {"1B == 1", "error: cannot compare bytes with a plain number"},
      {"1B within 1..2", "error: cannot compare bytes with a plain number"},
      {"max(1B, 2)", "error: cannot compare bytes with a plain number"},
      {"log2(1KB)", "error: log2 needs a plain number, this is bytes"},
      {"\"a\" < \"b\"", "error: '<' needs a number, this is a word"},
      {"\"a\" == 1", "error: cannot compare a word with a plain number"},
      {"true + 1", "error: '+' needs a number, this is a condition"},
      {"not 1", "error: 'not' needs a condition, this is a plain number"},
      {"1 and true", "error: 'and' needs a condition, this is a plain number"},
  };
  for (const auto& [text, expected] : table) {
    const auto& shown = text;
    INFO(shown);
    CHECK(value_of(text) == expected);
  }
}

TEST_CASE("what cannot be computed is an error, never an infinity or a NaN") {
  CHECK(value_of("1 / 0") == "error: division by zero");
  CHECK(value_of("1 % 0") == "error: remainder by zero");
  CHECK(value_of("log2(0)") == "error: log2 needs a number above 0");
  CHECK(value_of("10 ^ 400") == "error: the result is not a finite number");
  CHECK(value_of("(-1) ^ 0.5") == "error: the result is not a finite number");
  CHECK(value_of("1e999") == "error: this number is too large or too small");
}

TEST_CASE("evaluate reports a name that its scope does not have") {
  const auto missing = [](std::string_view) -> const Value* { return nullptr; };
  const auto result = evaluate(expr_of("a + 1"), missing);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().message == "unknown name 'a'");
}

TEST_CASE("findings are looked up under their canonical names") {
  const std::map<std::string, Value> findings = {
      {"outstanding.saturation[merge=2,n=1]", Quantity{256, Unit::none}},
      {"l1.line[width=1KB]", Quantity{128, Unit::byte}},
      {"global.pattern[1]", Quantity{116, Unit::clock}}};
  const auto scope = [&](std::string_view name) -> const Value* {
    const auto found = findings.find(std::string(name));
    return found == findings.end() ? nullptr : &found->second;
  };
  const auto holds = [&](const char* text) {
    return std::get<bool>(*evaluate(expr_of(text), scope));
  };
  CHECK(holds("outstanding.saturation[ merge = 2, n = 1 ] == 256"));
  CHECK(holds("outstanding.saturation[merge=2,n=1] within 255..257"));
  CHECK(holds("l1.line[width=1024B] == 128B"));
  CHECK(holds("global.pattern[ 1 ] == 116clocks"));
  CHECK_FALSE(evaluate(expr_of("global.pattern[2] == 116clocks"), scope).has_value());
  CHECK_FALSE(evaluate(expr_of("outstanding.saturation[n=1,merge=2] == 256"), scope).has_value());
}

TEST_CASE("an expression prints with the parentheses that its structure needs, and no others") {
  const std::pair<std::string, std::string> table[] = {
      {"(a + b) + c", "a + b + c"},
      {"a + (b + c)", "a + (b + c)"},
      {"a - (b - c)", "a - (b - c)"},
      {"(a * b) / (c % d)", "a * b / (c % d)"},
      {"(a + b) * c", "(a + b) * c"},
      {"(a ^ b) ^ c", "(a ^ b) ^ c"},
      {"a ^ (b ^ c)", "a ^ b ^ c"},
      {"(-a) ^ 2", "(-a) ^ 2"},
      {"-(a ^ 2)", "-a ^ 2"},
      {"2 ^ (-a)", "2 ^ -a"},
      {"-(a + b)", "-(a + b)"},
      {"((a < b)) and (c or d)", "a < b and (c or d)"},
      {"not (a and b)", "not (a and b)"},
      {"(not a) and b", "not a and b"},
      {"(a < b) == (c < d)", "(a < b) == (c < d)"},
      {"(a + 1) within (b)..(c * 2)", "a + 1 within b..c * 2"},
      {"min( a,b )", "min(a, b)"},
      {"\"a \\\"quoted\\\" \\\\ word\"", "\"a \\\"quoted\\\" \\\\ word\""},
  };
  for (const auto& [text, expected] : table) {
    const auto& shown = text;
    INFO(shown);
    CHECK(to_string(expr_of(text)) == expected);
    CHECK(to_string(expr_of(expected)) == expected);
  }
}

TEST_CASE("a quantity prints as the shortest text that reads back as the same value") {
  std::uint64_t state = 1;
  const auto random = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  const Unit units[] = {Unit::none, Unit::byte, Unit::second, Unit::hertz, Unit::clock};
  for (int i = 0; i < 2000; ++i) {
    double value = static_cast<double>(random() >> (random() >> 58 & 63));
    for (int k = random() >> 60; k > 8; --k) value /= 10;
    const Quantity quantity{value, units[random() >> 32 & 3]};
    const Expr back = expr_of(to_string(quantity));
    INFO(to_string(quantity));
    REQUIRE(back.kind == Expr::Kind::quantity);
    REQUIRE(back.quantity == quantity);
  }
}

TEST_CASE("binary multiples in a rate are spelled as such, since others are decimal there") {
  const auto spelled = [](double bytes, const char* by) {
    Expr rate;
    rate.kind = Expr::Kind::binary;
    rate.op = Expr::Op::div;
    rate.args = {Expr::number(bytes, Unit::byte), Expr::name_of(by)};
    return to_string(rate);
  };
  constexpr double kGiga = 1024.0 * 1024 * 1024;
  CHECK(spelled(500 * kGiga, "s") == "500GiB/s");
  CHECK(spelled(2048, "us") == "2KiB/us");
  CHECK(spelled(64, "s") == "64B/s");
  CHECK(spelled(2048, "n") == "2KB / n");
  CHECK(spelled(2048, "clk") == "2KB / clk");
}
