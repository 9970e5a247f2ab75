#include <doctest/doctest.h>

#include "captured.h"

using namespace gpx::cli;

TEST_CASE("roofline_of_runs: findings of several runs make a table, a plot and a picture") {
  const TemporaryFolder folder;
  const auto document = [&](const std::string& name, const std::string& findings) {
    folder.write(name + ".lua", "return function(input)\n" + findings + "\nend\n");
    const std::string text =
        "experiment e { sweep threads 32..96 step 32 < load unique(128B) > "
        "analyze \"" +
        name + ".lua\"() }\n";
    REQUIRE(command({"run", folder.write(name + ".gpx", text), "--device", "k20", "--no-store",
                     "-q", "--json", folder.path(name + ".json")})
                .status == 0);
    return folder.path(name + ".json");
  };
  const std::string bytes =
      document("bytes", "finding { name = \"bandwidth.dram_read\", value = 2e11, unit = \"B/s\" }");
  const std::string operations = document(
      "ops", "finding { name = \"op.fma.rn.f32.throughput\", value = 192, unit = \"ops/clock\" }");
  const std::string picture = folder.path("roofs.svg");
  const Ended both = command({"roofline", bytes, operations, "-o", picture});
  CHECK(both.status == 0);
  CHECK(contains(both.out, "a model, not a measurement"));
  CHECK(contains(both.out, "DRAM, read"));
  CHECK(contains(both.out, "FP32"));
  CHECK(contains(both.out, "wrote " + picture));
  CHECK(contains(folder.read("roofs.svg"), "FLOP/B"));
  const Ended one = command({"roofline", bytes});
  CHECK(one.status == 2);
  CHECK(contains(one.err, "gpx characterize --only bandwidth,pipelines"));
}
