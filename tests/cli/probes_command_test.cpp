// Logs of probes from the command line: written, compressed, replayed, and what findings rest on.
#include <doctest/doctest.h>

#include "captured.h"

using namespace gpx::cli;

namespace {

const char* kProbed =
    "experiment l1 {\n  device fig4\n  < load unique(128B) >\n"
    "  analyze cache(arithmetic = 0, level = \"l1\")\n}\n";

std::string findings_of(const std::string& dumped) {
  return dumped.substr(dumped.find("==== findings ===="));
}

}  // namespace

TEST_CASE("a log of probes is dumped, exported and replayed, and a finding is drawn from it") {
  const TemporaryFolder folder;
  const std::string store = folder.path("store.db"), log = folder.path("l1.probes"),
                    packed = folder.path("l1.probes.zst");
  const Ended ran = command({"run", folder.write("a.gpx", kProbed), "--device", "fig4", "--store",
                             store, "--dump=probes,findings", "-q"});
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(contains(ran.out, "\nprobes l1\nseed 1\n"));
  CHECK(contains(ran.out, "\nask 1 chase global "));

  REQUIRE(command({"export", "last", "--store", store, "--probes", "-o", log}).status == 0);
  REQUIRE(command({"export", "last", "--store", store, "--probes", "-o", packed}).status == 0);
  const std::string text = folder.read("l1.probes");
  CHECK(contains(ran.out, text));
  CHECK(folder.read("l1.probes.zst").size() * 4 < text.size());
  for (const std::string& file : {log, packed}) {
    const Ended again = command({"run", "--from=probes", file, "--dump=probes,findings", "-q"});
    CHECK(again.status == 0);
    CHECK(contains(again.out, text));
    CHECK(findings_of(again.out) == findings_of(ran.out));
  }

  const Ended told = command({"explain", "--finding", "l1.latency", "--store", store});
  CHECK_MESSAGE(contains(told.out, "mean latency of lists of growing size, each at rest"),
                told.out);
  CHECK(contains(told.out, "size"));
  CHECK(contains(command({"export", "last", "--store", store, "--probes", "--csv"}).err, "--csv"));
}

TEST_CASE("what is no log of probes is the user's error") {
  const TemporaryFolder folder;
  const Ended none = command({"run", "--from=probes", folder.write("a.probes", kProbed)});
  CHECK(none.status == 2);
  CHECK(contains(none.err, "0 recordings for 1 experiments"));
  const Ended damaged =
      command({"run", "--from=probes", folder.write("b.probes", "\x28\xb5\x2f\xfd nothing")});
  CHECK(damaged.status == 2);
  CHECK(contains(damaged.err, "cannot be unpacked"));
}
