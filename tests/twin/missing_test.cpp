// What a twin did not get is said with its reason and with what stands in its place.
#include "runtime/twin/missing.h"

#include <doctest/doctest.h>

#include "runtime/twin/fit.h"
#include "runtime/twin/report.h"
#include "tests/twin/made.h"
#include "tests/twin/planted.h"

namespace gpx::test {
namespace {

Finding inconclusive(const std::string& name, const std::string& note) {
  Finding one = finding(name, 0, 0, 0);
  one.value = std::monostate{};
  one.low = one.high = std::nullopt;
  one.verdict = Verdict::inconclusive;
  one.note = note;
  return one;
}

Finding not_observed(const std::string& name) {
  Finding one = inconclusive(name, "no jump");
  one.verdict = Verdict::not_observed;
  return one;
}

const vgpu::FileMissing* missing_in(const std::vector<vgpu::FileMissing>& all,
                                    const std::string& finding) {
  const auto at = std::ranges::find(all, finding, &vgpu::FileMissing::finding);
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

// As a twin lost the units of its atomics once, and nobody was told.
TEST_CASE("findings that a twin lacks are in its file, with what stands in their place") {
  twin::Draft draft = drafted({made_of(
      {finding("rate.own_line", 300, 299, 301), finding("rate.one_word", 600, 599, 601),
       inconclusive("rate.unit_word", "too noisy: 3 \"clocks\",\n ±40 % where ±10 % is needed"),
       inconclusive("rate.all_on_one", "no straight line"),
       inconclusive("op.popc.b32.latency", "no straight line"),
       not_observed("scoreboard.loads_per_warp")})});
  draft.text = twin::with_missing(draft);
  const vgpu::FileContents file = file_of(draft);
  struct Row {
    const char *finding, *why;
    std::vector<std::string> fields;
  };
  for (const Row& row :
       {Row{"rate.unit_word",
            "inconclusive: too noisy: 3 \"clocks\", ±40 % where ±10 % is needed",
            {"atomics.unit_bits: not modelled"}},
        Row{"rate.unit_real", "not measured", {"atomics.real: not modelled"}},
        Row{"rate.row",
            "not measured",
            {"barrier.latency: 20 clocks, assumed", "barrier.per_warp: not modelled"}}}) {
    CAPTURE(row.finding);
    const vgpu::FileMissing* const one = missing_in(file.missing, row.finding);
    REQUIRE(one);
    CHECK(one->why == row.why);
    CHECK(one->fields == row.fields);
  }
  REQUIRE(missing_in(file.missing, "op.popc.b32.latency"));
  CHECK(missing_in(file.missing, "op.popc.b32.latency")->fields ==
        std::vector<std::string>{"op: as others of its unit"});
  REQUIRE(missing_in(file.missing, "rate.all_on_one"));
  CHECK(missing_in(file.missing, "rate.all_on_one")->fields.front().ends_with(" clocks, assumed"));
  CHECK_FALSE(missing_in(file.missing, "rate.own_line"));
  CHECK_FALSE(missing_in(file.missing, "scoreboard.loads_per_warp"));  // it was seen to lack one
  const std::string told = twin::draft_text(draft, "made.lua", report::Style{false, true, 400});
  CHECK(told.find("missing finding") != told.npos);
  CHECK(told.find("inconclusive: too noisy") != told.npos);
  CHECK(told.find("atomics.unit_bits: not modelled") != told.npos);
}

TEST_CASE("a finding that others replace is missing only if it was looked for in vain") {
  const auto missing = [](std::vector<Finding> findings) {
    return twin::missing_of(drafted({made_of(std::move(findings))}));
  };
  const Finding l2 = finding("l2.sector", 32, 32, 32);
  CHECK_FALSE(missing_in(missing({l2}), "l1.sector"));
  const auto vague = missing({l2, inconclusive("l1.sector", "two sizes fit")});
  REQUIRE(missing_in(vague, "l1.sector"));
  CHECK(missing_in(vague, "l1.sector")->fields ==
        std::vector<std::string>{"coalescer.line: 32 B, from other findings"});
}

TEST_CASE("a fit says which points it lacks") {
  const std::string text = device_with(7, "");
  const std::string device = planted_file(text);
  twin::Measured measured = measured_on(device, {"train_barriers"});
  std::filesystem::remove(device);
  ExperimentResult& failed = measured.run.experiments.emplace_back();
  failed.experiment.name = "train_pipes";
  failed.failure = make_error(Fault::device, "an instruction is unknown");
  twin::Draft draft{text, "planted", {}, 0, 1, {}};
  REQUIRE(twin::fit(source_paths(), {measured}, draft, {}));
  const auto all = twin::missing_of(draft);
  const auto* const barriers = missing_in(all, "fit of barriers");
  REQUIRE(barriers);
  CHECK(barriers->why == "not measured: twin_chain, twin_barriers; fitted without");
  CHECK(barriers->fields == std::vector<std::string>{"clock_register.cost: 7 clocks, assumed"});
  const auto* const pipes = missing_in(all, "fit of registers");
  REQUIRE(pipes);
  CHECK(pipes->why == "failed: an instruction is unknown: train_pipes");
}

}  // namespace gpx::test
