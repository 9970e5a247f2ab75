#include "runtime/lsp/library.h"

#include <algorithm>

#include "support.h"

using namespace gpx;
using namespace gpx::lsp;

TEST_CASE("a row of the findings stands for all names that it spells") {
  const auto findings = read_findings(
      "# a comment\n\ntlb  {,tex.}tlb.l{1,2}.page   bytes of a page\nclock clock.domain\n");
  std::string all;
  for (const LibraryFinding& one : findings) all += one.analysis + ":" + one.name + " ";
  CHECK(all ==
        "tlb:tlb.l1.page tlb:tlb.l2.page tlb:tex.tlb.l1.page tlb:tex.tlb.l2.page "
        "clock:clock.domain ");
  CHECK(findings[0].about == "bytes of a page");
  CHECK(findings[4].about == "");
  CHECK(read_findings("pipelines op.*.latency clocks").size() > 100);
  CHECK(read_findings("a b{c").size() == 1);  // Not closed: no crash.
}

TEST_CASE("every analysis and device of the standard library has something to say") {
  const Library library = load_library({GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"});
  REQUIRE(library.analyses.size() > 20);
  for (const LibraryAnalysis& one : library.analyses) {
    CAPTURE(one.name);
    CHECK(one.call.starts_with(one.name + "("));
    CHECK_FALSE(one.about.empty());
    CHECK(one.about.find("tests/") == std::string::npos);
  }
  REQUIRE(library.analysis("outstanding"));
  CHECK(library.analysis("outstanding")->parameters.size() == 3);
  REQUIRE(library.devices.size() > 5);
  for (const LibraryDevice& one : library.devices) {
    CAPTURE(one.name);
    CHECK(one.about.find("a model, not a measurement") != std::string::npos);
  }
}
