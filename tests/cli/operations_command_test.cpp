#include <doctest/doctest.h>

#include "captured.h"

using namespace gpx::cli;

TEST_CASE("gpx operations prints the table, and writes it where it is asked to") {
  const TemporaryFolder folder;
  const std::string page = folder.write("a.html", "");
  const Ended outcome = command(
      {"operations", "--device", "gtx780", "--only", "fma.rn.f32", "--csv", "-", "--html", page});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "operation,type,rounding,sources,unit,latency,"));
  CHECK(contains(outcome.out, "\nfma.rn.f32,f32,rn,a b c,alu,9,"));
  CHECK(contains(outcome.err, "1 operations in "));  // The table goes aside.
  CHECK(contains(outcome.err, "warning: gtx780 does not model costs of single operations: "));
}

TEST_CASE("bad options of operations are status 2, with what was meant") {
  const Ended word = command({"operations", "--only", "fma.rn.f33", "--device", "gtx780"});
  CHECK(word.status == 2);
  CHECK(contains(word.err, "did you mean 'fma.rn.f32'?"));
  CHECK(command({"operations", "--device", "gtx78"}).status == 2);
  CHECK(command({"operations", "--device", "gtx780", "--json", "/no/such/folder/a"}).status == 3);
}

TEST_CASE("two tables of operations are compared row by row, with the ratio") {
  const TemporaryFolder folder;
  const auto table = [&](const char* device, const char* only) {
    const std::string file = folder.write(std::string(device) + only + ".json", "");
    REQUIRE(command({"operations", "--device", device, "--only", only, "--json", file}).status ==
            0);
    return file;
  };
  const std::string one = table("gtx780", "fma.rn.f32"), other = table("gtx560ti", "fma.rn.f32");
  CHECK(command({"diff", one, one}).status == 0);
  const Ended both = command({"diff", one, other});
  CHECK(both.status == 1);
  CHECK(contains(both.out, "op.fma.rn.f32.latency"));
  CHECK(contains(both.out, "0.3732"));  // 47.76 of 128 executions a clock
  const Ended lone = command({"diff", one, table("gtx780", "add.u32")});
  CHECK(contains(lone.out, "only one run has this finding"));
  CHECK(contains(lone.out, "op.add.u32.latency"));
}
