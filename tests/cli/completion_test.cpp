#include "runtime/cli/completion/completion.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "captured.h"

using namespace gpx;
using namespace gpx::cli;

namespace {

struct Library {
  TemporaryFolder folder;
  lsp::Library names;
  Library() {
    folder.write("stdlib/devices/k20.lua", "");
    folder.write("stdlib/devices/m2070.lua", "");
    folder.write("stdlib/analysis/outstanding.lua",
                 "-- outstanding(x = threads, loads = n): it.\n");
    folder.write("stdlib/findings.txt", "outstanding outstanding.{kind,entries} what limits\n");
    names = lsp::load_library({folder.path("stdlib"), folder.path("experiments")});
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
      {"analyze out", 3, {"outstanding("}},
      {"sweep n 1..2 analyze outstanding(lo", 2, {"loads"}},
      {"expect outstanding.", 12, {"outstanding.entries", "outstanding.kind"}},
      {"sweep n 1..",
       0,
       {"abs(", "blocks", "ceil(", "cluster", "floor(", "log2(", "max(", "min(", "step",
        "threads"}},
      {"experiment a { paper outstanding.k", 13, {"outstanding.kind"}},
      {"< load unique(4B) cache c", 1, {"ca", "cg", "cs", "cv"}},
      {"observe ti", 2, {"time", "timeline"}},
      {"param size = 16K", 3, {"16KB"}},
      {"# devi", 0, {}},
      {"sweep threads 2..64 < load uniq", 4, {"unique("}},
      {"threads 32 < mul.hi.u", 8, {"mul.hi.u32", "mul.hi.u64"}},
      {"sweep n 1..bloc", 4, {"blocks"}},
      {":help broad", 5, {"broadcast"}},
      {":quit x", 0, {}},
      {"nosuchword", 10, {}},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.before));
    const Completion completion = complete(row.before, library.names);
    CHECK(fmt::format("{}", fmt::join(completion.candidates, " ")) ==
          fmt::format("{}", fmt::join(row.candidates, " ")));
    if (!row.candidates.empty()) CHECK(completion.replaced == row.replaced);
  }
}

TEST_CASE("files complete in quotes and after :run, folders with a slash, hidden ones when asked") {
  const Library library;
  library.folder.write("experiments/a.gpx", "");
  library.folder.write("experiments/.hidden.gpx", "");
  const std::string start = library.folder.path("");
  CHECK(complete(":run " + start + "ex", library.names).candidates ==
        Names{start + "experiments/"});
  CHECK(complete("analyze \"" + start + "experiments/", library.names).candidates ==
        Names{start + "experiments/a.gpx"});
  CHECK(complete(":run " + start + "experiments/.h", library.names).candidates ==
        Names{start + "experiments/.hidden.gpx"});
  CHECK(complete(":run /no/such/folder/", library.names).candidates.empty());
}

TEST_CASE("Tab knows the session's names") {
  const Library library;
  const SessionNames names{{"line1", "line2"}, {"threads", "n"}};
  const auto offered = [&](const char* before) {
    return complete(before, library.names, names).candidates;
  };
  CHECK(offered(":run li") == Names{"line1", "line2"});
  CHECK(offered(":explain line2") == Names{"line2"});
  CHECK(offered(":set thr") == Names{"threads="});
  CHECK(offered(":unset n") == Names{"n"});
  CHECK(offered(":show l") == Names{"last"});
}

TEST_CASE("a line of an open block completes as a part of it, with the session's parameters") {
  const Library library;
  SessionNames names;
  names.before = "param loads_each = 3\nexperiment a {\n  sweep distance in [1, 2]\n";
  names.after = "\n}";
  const auto offered = [&](const char* line) {
    return complete(line, library.names, names).candidates;
  };
  CHECK(offered("  obs") == Names{"observe"});
  CHECK(offered("  < load unique(128B) x loa") == Names{"loads_each"});
  CHECK(offered("  plot latency over dista") == Names{"distance"});
  CHECK(offered("  experiment b {\n  loads_e") == Names{});
}

TEST_CASE("Lua completes field by field, and in the lines that go on with it") {
  const Library library;
  SessionNames names;
  std::string asked;
  names.lua = [&](const std::string& path) {
    asked = path;
    return path.empty() ? Names{"it", "stats"} : Names{"samples", "settle"};
  };
  const auto offered = [&](const char* line) { return complete(line, library.names, names); };
  CHECK(offered(":lua #it.sa").candidates == Names{"samples"});
  CHECK(asked == "it");
  CHECK(offered(":lua #it.sa").replaced == 2);
  CHECK(offered(":lua print(it.experiments:s").candidates == Names{"samples", "settle"});
  CHECK(asked == "it.experiments");
  CHECK(offered(":lua i").candidates == Names{"it"});
  CHECK(offered(":lua f():sa").candidates == Names{});
  names.in_lua = true;
  CHECK(offered("for _, x in ipairs(it.").candidates == Names{"samples", "settle"});
}

TEST_CASE("device files complete after :device, experiment files after :load") {
  const Library library;
  library.folder.write("mine/dev.lua", "");
  library.folder.write("mine/other.gpx", "");
  const std::string at = library.folder.path("mine/");
  CHECK(complete(":device " + at, library.names).candidates == Names{at + "dev.lua"});
  CHECK(complete(":load " + at, library.names).candidates == Names{at + "other.gpx"});
}

TEST_CASE("all candidates share their prefix") {
  CHECK(common_prefix({":device", ":devices"}) == ":device");
  CHECK(common_prefix({"load", "store"}) == "");
  CHECK(common_prefix({}) == "");
}
