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
}

TEST_CASE("bad options of operations are status 2, with what was meant") {
  const Ended word = command({"operations", "--only", "fma.rn.f33", "--device", "gtx780"});
  CHECK(word.status == 2);
  CHECK(contains(word.err, "did you mean 'fma.rn.f32'?"));
  CHECK(command({"operations", "--device", "gtx78"}).status == 2);
  CHECK(command({"operations", "--device", "gtx780", "--json", "/no/such/folder/a"}).status == 3);
}
