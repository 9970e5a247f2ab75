#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "runtime/report/report.h"

using namespace gpx;
using namespace gpx::report;

namespace {

Finding found(const std::string& name, double value, Verdict verdict, const std::string& note) {
  Finding finding;
  finding.name = name;
  if (verdict == Verdict::measured) finding.value = value;
  finding.low = value - 0.5;
  finding.high = value + 0.5;
  finding.verdict = verdict;
  finding.note = note;
  return finding;
}

OperationTable made() {
  OperationTable table;
  table.device.name = "mine <1>";
  OperationLine fma{"fma.rn.f32", "f32", "rn", "a b c", "alu", {}, {}, "FFMA", "verified", "", ""};
  fma.latency = found("op.fma.rn.f32.latency", 4.5, Verdict::measured, "");
  fma.throughput = found("op.fma.rn.f32.throughput", 127.5, Verdict::measured, "");
  OperationLine add{"add.u64", "u64", "",           "a b",          "alu", {},
                    {},        "",    "unverified", "it is folded", ""};
  add.latency = found("op.add.u64.latency", 8, Verdict::measured, "");
  add.throughput = found("op.add.u64.throughput", 1, Verdict::inconclusive, "no straight line");
  OperationLine mma;
  mma.name = "mma.m8n8k4.f64";
  mma.refused = "needs compute capability 8.0, \"this\" has 7.5";
  table.lines = {fma, add, mma};
  table.warnings = {"mine does not model A & B"};
  table.seconds = 1.25;
  return table;
}

}  // namespace

TEST_CASE("the table of operations says what was measured, and why what was not") {
  OperationTable real = made();
  real.device.measured = true;
  const std::string text = to_terminal(real, {false, true, 160});
  CAPTURE(text);
  for (const char* part :
       {"operation", "per clock and SM", "fma.rn.f32", "4.5", "127.5", "FFMA", "measured\n",
        "measured in part, unverified", "it is folded; throughput: no straight line",
        "needs compute capability 8.0", "warning: mine does not model A & B\n",
        "3 operations in 1.2 s · 1 measured, 1 in part, 0 inconclusive, 1 refused"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("for people a virtual GPU's values are modelled, for programs the verdict stays") {
  const std::string text = to_terminal(made(), {false, true, 160});
  CAPTURE(text);
  CHECK(text.find("modelled\n") != std::string::npos);
  CHECK(text.find("modelled in part, unverified") != std::string::npos);
  CHECK(text.find("1 modelled, 1 in part, 0 inconclusive") != std::string::npos);
  CHECK(to_html(made()).find("<td>measured") == std::string::npos);
  CHECK(to_json(made()).find("\"measured\"") != std::string::npos);
  CHECK(operations_csv(made()).find("modelled in part, unverified") != std::string::npos);
}

TEST_CASE("the table of operations as CSV, JSON and a page") {
  CHECK(to_html(made()).find("<p>mine does not model A &amp; B</p>") != std::string::npos);
  CHECK(nlohmann::json::parse(to_json(made()))["warnings"][0] == "mine does not model A & B");
  const std::string csv = operations_csv(made());
  CHECK(csv.find("fma.rn.f32,f32,rn,a b c,alu,4.5,4,5,127.5,127,128,FFMA,verified,modelled,,") !=
        std::string::npos);
  CHECK(
      csv.find("add.u64,u64,,a b,alu,8,7.5,8.5,,,,,unverified,\"modelled in part, unverified\",") !=
      std::string::npos);
  CHECK(csv.find("\"needs compute capability 8.0, \"\"this\"\" has 7.5\",") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(made()));
  CHECK(json["schema"] == 1);
  CHECK(json["operations"][0]["latency"]["value"] == 4.5);
  CHECK(json["operations"][0]["opcodes"] == "FFMA");
  CHECK(json["operations"][2]["latency"].is_null());
  CHECK(json["operations"][2]["verdict"] == "refused");
  const std::string page = to_html(made());
  CHECK(page.find("<h1>Operations of mine &lt;1&gt;</h1>") != std::string::npos);
  CHECK(page.find("<th>fma.rn.f32</th>") != std::string::npos);
  CHECK(page.find("<script") == std::string::npos);
}
