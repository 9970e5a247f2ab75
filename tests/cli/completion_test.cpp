#include "runtime/cli/completion.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "captured.h"

using namespace gpx;
using namespace gpx::cli;

namespace {

struct Library {
  TemporaryFolder folder;
  Paths paths{folder.path("stdlib"), folder.path("experiments")};
  Library() {
    folder.write("stdlib/devices/k20.lua", "");
    folder.write("stdlib/devices/m2070.lua", "");
    folder.write("stdlib/analysis/outstanding.lua", "");
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Tab knows what may stand at the cursor") {
  const Library library;
  const struct {
    const char* before;
    std::size_t replaced;
    Names candidates;
  } rows[] = {
      {":dev", 4, {":device", ":devices"}},
      {":device k", 1, {"k20"}},
      {":device ", 0, {"auto", "cuda", "k20", "m2070"}},
      {"experiment a { device m", 1, {"m2070"}},
      {"analyze out", 3, {"outstanding"}},
      {"sweep threads 2..64 < load uniq", 4, {"unique("}},
      {"threads 32 < mul.hi.u", 8, {"mul.hi.u32"}},
      {"sweep n 1..bloc", 4, {"block", "blocks"}},
      {":help broad", 5, {"broadcast"}},
      {":quit x", 0, {}},
      {"nosuchword", 10, {}},
  };
  for (const auto& row : rows) {
    INFO(row.before);
    const Completion completion = complete(row.before, library.paths);
    CHECK(completion.candidates == row.candidates);
    if (!row.candidates.empty()) CHECK(completion.replaced == row.replaced);
  }
}

TEST_CASE("files complete in quotes and after :run, folders with a slash, hidden ones when asked") {
  const Library library;
  library.folder.write("experiments/a.gpx", "");
  library.folder.write("experiments/.hidden.gpx", "");
  const std::string start = library.folder.path("");
  CHECK(complete(":run " + start + "ex", library.paths).candidates ==
        Names{start + "experiments/"});
  CHECK(complete("analyze \"" + start + "experiments/", library.paths).candidates ==
        Names{start + "experiments/a.gpx"});
  CHECK(complete(":run " + start + "experiments/.h", library.paths).candidates ==
        Names{start + "experiments/.hidden.gpx"});
  CHECK(complete(":run /no/such/folder/", library.paths).candidates.empty());
}

TEST_CASE("Tab knows the session's names") {
  const Library library;
  const SessionNames names{{"line1", "line2"}, {"threads", "n"}};
  const auto offered = [&](const char* before) {
    return complete(before, library.paths, names).candidates;
  };
  CHECK(offered(":run li") == Names{"line1", "line2"});
  CHECK(offered(":explain line2") == Names{"line2"});
  CHECK(offered(":set thr") == Names{"threads="});
  CHECK(offered(":unset n") == Names{"n"});
  CHECK(offered(":show l") == Names{"last"});
  CHECK(offered(":lua #it.sa") == Names{"it.samples"});
}

TEST_CASE("device files complete after :device, experiment files after :load") {
  const Library library;
  library.folder.write("mine/dev.lua", "");
  library.folder.write("mine/other.gpx", "");
  const std::string at = library.folder.path("mine/");
  CHECK(complete(":device " + at, library.paths).candidates == Names{at + "dev.lua"});
  CHECK(complete(":load " + at, library.paths).candidates == Names{at + "other.gpx"});
}

TEST_CASE("all candidates share their prefix") {
  CHECK(common_prefix({":device", ":devices"}) == ":device");
  CHECK(common_prefix({"load", "store"}) == "");
  CHECK(common_prefix({}) == "");
}
