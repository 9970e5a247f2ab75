// Derived columns, the bytes of a launch, and numbers of all points: lang/check_derive.cpp.
#include <doctest/doctest.h>

#include "lang/language.h"

using namespace gpx;

namespace {

Result<std::vector<Experiment>> run(const std::string& text) {
  const Source source("t", text);
  const auto ast = parse(source);
  if (!ast) return tl::unexpected<Error>(ast.error());
  return check(*ast, source);
}

Experiment only(const std::string& text) {
  auto result = run(text);
  if (!result) FAIL(render(result.error()));
  return std::move(result->at(0));
}

double bytes(const Experiment& e, std::size_t measure, std::uint64_t point) {
  const auto values = e.sweep.at(point);
  return std::get<Quantity>(*evaluate(*e.measures[measure].bytes, e.scope(values))).value;
}

}  // namespace

TEST_CASE("bytes are those of all accesses, threads and blocks; a copy reads and writes") {
  const struct {
    const char* region;
    double bytes;
  } cases[] = {
      {"load unique(128B)", 4},
      {"load unique(128B) width 16B x3", 48},
      {"store unique(128B) width 2B x5", 10},
      {"copy unique(16B) width 8B x2", 32},
      {"load unique(128B) x2; add.u32 x16; store unique(4B)", 12},
      {"load a x10 chain", 80},
      // A rate of memory: what goes through the shared memory of the block besides does not count.
      {"load unique(16B) width 16B x4; store shared unique(16B) width 16B x4", 64},
      {"load shared unique(16B) width 16B x4; store unique(16B) width 8B x4", 32},
      {"load shared unique(4B) x2; store shared unique(4B) x3", 20},
      {"copy shared unique(16B) width 8B x2", 32},
      {"load shared unique(4B) x2; load a x10 chain", 80},
  };
  for (const auto& one : cases) {
    CAPTURE(one.region);
    const Experiment e = only(
        "experiment e { sweep blocks in [1, 3]\n threads 64\n observe time\n"
        "array a : global[16KB] chase(stride 128B) width 8B\n < " +
        std::string(one.region) + " >\n plot bytes over blocks }");
    CHECK(bytes(e, 0, 0) == 64 * one.bytes);
    CHECK(bytes(e, 0, 1) == 3 * 64 * one.bytes);
  }
}

TEST_CASE("nothing names bytes: there is no such column; a parameter may have the name") {
  CHECK_FALSE(only("< load unique(128B) >").measures[0].bytes);
  const Experiment e = only(
      "experiment e { param bytes = 3\n < load unique(4B) >\n"
      "derive x = bytes * latency }");
  CHECK_FALSE(e.measures[0].bytes);
  CHECK(e.derived.at(0).unit == Unit::clock);
}

TEST_CASE("a derived column has the unit of its expression") {
  const struct {
    const char* expression;
    Unit unit;
  } cases[] = {
      {"bytes / latency", Unit::byte_per_clock},
      {"threads / latency", Unit::per_clock},
      {"bytes / 2s", Unit::byte_per_second},
      {"bytes / ms", Unit::byte_per_second},
      {"1 / 2s", Unit::per_second},
      {"bytes / (64B / clk)", Unit::clock},
      {"bytes / (3GB / s)", Unit::second},
      {"bytes / latency * 1GHz", Unit::byte_per_second},
      {"latency / 1GHz", Unit::second},
      {"bytes / bytes", Unit::none},
  };
  for (const auto& one : cases) {
    CAPTURE(one.expression);
    CHECK(only("experiment e { < load unique(4B) >\n derive x = " + std::string(one.expression) +
               " }")
              .derived.at(0)
              .unit == one.unit);
  }
  CHECK_FALSE(run("experiment e { < load unique(4B) >\n derive x = latency * latency }"));
  CHECK_FALSE(run("experiment e { < load unique(4B) >\n derive x = latency / bytes }"));
}

TEST_CASE("multiples of a rate are decimal, those of a size binary, and both read back") {
  const struct {
    const char *written, *text;
    double value;
  } cases[] = {
      {"100GB/s", "100GB/s", 100e9},
      {"1024MB / s", "1024MB/s", 1024e6},
      {"1.5GB/s", "1500MB/s", 1.5e9},
      {"100GiB/s", "100GiB/s", 100 * 1073741824.0},
      {"0.5 * 100GB/s", "0.5 * 100GB/s", 50e9},
      {"2KB/us", "2KB/us", 2e9},
      {"1GB / 1s", "1GiB / 1s", 1073741824},
      {"1GB / 2s", "1GiB / 2s", 536870912},
      {"64B/s", "64B/s", 64},
  };
  for (const auto& one : cases) {
    CAPTURE(one.written);
    const auto check = [&](const std::string& text) {
      const Experiment e =
          only("experiment e { < load unique(4B) >\n derive x = bytes * 0 / 1s + " + text + " }");
      const Expr& sum = e.measures[0].derived.at(0);
      CHECK(to_string(sum.args[1]) == one.text);
      const auto value = evaluate(sum.args[1], {});
      REQUIRE(value);
      CHECK(std::get<Quantity>(*value) == Quantity{one.value, Unit::byte_per_second});
      const Experiment again = only(to_string(e));
      CHECK(*evaluate(again.measures[0].derived.at(0).args[1], {}) == *value);
    };
    check(one.written);
    check(one.text);
  }
  const Experiment e =
      only("experiment e { sweep s in [2]\n < load unique(4B) x s >\n derive x = 1GB / s }");
  CHECK(to_string(e.measures[0].derived.at(0)) == "1GB/s");
}

TEST_CASE("a rate that is divided by a power of ten is still one, and warned of") {
  const auto told = [](const std::string& expression) {
    const auto all =
        only("experiment e { observe time < load unique(4B) >\n derive gbs = " + expression + " }")
            .warnings;
    return all.empty() ? std::string() : all.at(0).message;
  };
  CHECK(
      told("bytes / time / 1e9") ==
      "'gbs' is in B/s, and divided by 1000000000: a rate is shown in KB/s, MB/s or GB/s as it is");
  CHECK(told("bytes / 1e9 / time").starts_with("'gbs' is in B/s, and divided by 1000000000:"));
  CHECK(told("bytes / time / 1GB").starts_with("'gbs' is in /s, and divided by 1GB:"));
  CHECK(told("bytes / time") == "");
  CHECK(told("bytes / time / 2") == "");
  CHECK(told("bytes / time / (1GB/s)") == "");
  CHECK(told("bytes / 1B / (time / 1ns)") == "");
}

TEST_CASE("an axis of the name of a unit is the axis") {
  const Experiment e =
      only("experiment e { sweep s 1..4\n < load unique(4B * s) >\n derive x = bytes / s }");
  CHECK(e.derived.at(0).unit == Unit::byte);
}

TEST_CASE("threads and blocks of a derived column are those of its measure") {
  const Experiment e = only(
      "experiment e { measure a { threads 32 < load unique(4B) > }\n"
      "measure b { threads 64 < load unique(4B) > }\n derive rate = threads / latency }");
  const Scope scope = [](std::string_view name) -> const Value* {
    static const Value latency = Quantity{16, Unit::clock};
    return name == "latency" ? &latency : nullptr;
  };
  for (std::size_t m = 0; m < 2; ++m)
    CHECK(std::get<Quantity>(*evaluate(e.measures[m].derived.at(0), scope)) ==
          Quantity{m ? 4.0 : 2.0, Unit::per_clock});
}

TEST_CASE("a number of all points is told by its name, its column and its keys") {
  const Experiment e = only(
      "experiment e { sweep n 1..4, state in [cold, warm]\n < load unique(4B) x n >\n"
      "expect max(latency[n=2,state=warm]) < 2 * min(latency) and max(1, 2) == 2\n"
      "expect min(latency) > 3clocks }");
  REQUIRE(e.sample_values.size() == 2);
  const SampleValue& most = e.sample_values[0];
  CHECK(most.name == "max(latency[n=2,state=warm])");
  CHECK(most.how == SampleValue::How::max);
  CHECK(most.column == "latency");
  REQUIRE(most.keys.size() == 2);
  CHECK(most.keys[0] == std::pair<std::string, Value>("n", Quantity{2, Unit::none}));
  CHECK(most.keys[1] == std::pair<std::string, Value>("state", std::string("warm")));
  CHECK(e.sample_values[1].name == "min(latency)");
}
