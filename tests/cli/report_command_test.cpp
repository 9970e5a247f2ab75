#include <doctest/doctest.h>

#include "captured.h"
#include "runtime/cli/run_files.h"

using namespace gpx::cli;

namespace {

const char* kReported =
    R"({"schema": 1, "gpx": "0.1.0", "interrupted": false, "experiments": [{"name": "small",
        "title": null, "file": "a.gpx", "cites": [], "interrupted": false, "failure": null,
        "device": {"name": "k20", "kind": "virtual", "compute_capability": "3.5", "sm_count": 13,
                   "warp_size": 32, "max_threads_per_block": 1024, "max_threads_per_sm": 2048,
                   "memory_bytes": 1, "clock_hz": null, "driver": null, "uuid": null},
        "findings": [], "expectations": [], "claims": [], "printed": [], "warnings": [],
        "provenance": {"seed": 1, "compiler": null, "artifacts": [], "proof": null,
                       "values_digest": null},
        "samples": {"columns": [], "units": [], "rows": []},
        "curves": {"columns": ["threads", "latency"], "units": ["", "clocks"],
                   "roles": ["axis", "observed"], "rows": [[1, 5], [2, 7], [3, 9]]}}]})";

/// Without the rows of the command.
std::string without_command(std::string page) {
  const std::string row = "<tr><th scope=\"row\">command</th>", end = "</tr>\n";
  for (std::size_t at; (at = page.find(row)) != std::string::npos;)
    page.erase(at, page.find(end, at) + end.size() - at);
  return page;
}

}  // namespace

TEST_CASE("a run writes its report, and a report of its document is the same but for its name") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("a.gpx", "sweep threads 32..128 step 32 < load unique(128B) x2 >\n");
  const Ended ran = command({"run", file, "--device", "k20", "--quiet", "--report",
                             folder.path("a.html"), "--json", folder.path("a.json")});
  CHECK(ran.status == 0);
  CHECK(ran.out + ran.err == "");
  const std::string page = folder.read("a.html");
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(contains(page, "virtual GPU k20: a model, not a measurement"));
  CHECK(contains(page, "sweep threads 32..128"));
  CHECK(contains(page, "ld.global"));
  const Ended made = command({"report", folder.path("a.json"), "-o", folder.path("b.html")});
  CHECK(made.status == 0);
  CHECK(made.out == "wrote " + folder.path("b.html") + ": 1 run\n");
  CHECK(made.err == "");
  std::string again = folder.read("b.html");
  const std::string name = folder.path("a.json");
  again.replace(again.find(name), name.size(), "this run");
  CHECK(contains(page, "gpx run " + file + " --device k20"));
  CHECK(again == without_command(page));  // A document has no command.
}

TEST_CASE("the page goes to standard output, the report of a run then to standard error") {
  const TemporaryFolder folder;
  const std::string document = folder.write("a.json", kReported);
  const Ended page = command({"report", document, "-o", "-"});
  CHECK(page.status == 0);
  CHECK(page.out.starts_with("<!doctype html>"));
  CHECK(page.err == "");
  const std::string file =
      folder.write("a.gpx", "sweep threads 32..128 step 32 < load unique(128B) x2 >\n");
  const Ended ran = command({"run", file, "--device", "k20", "--report", "-"});
  CHECK(ran.out.starts_with("<!doctype html>"));
  CHECK(contains(ran.err, "a model, not a measurement"));
  CHECK(command({"run", file, "--report", "-", "--json", "-"}).status == 2);
}

TEST_CASE("several documents make one page") {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.json", kReported), b = folder.write("b.json", kReported);
  const Ended page = command({"report", a, b, "-o", "-"});
  CHECK(page.status == 0);
  CHECK(contains(page.out, "small: 2 runs"));
}

TEST_CASE("a run of the store is reported as its document is") {
  const TemporaryFolder folder;
  const std::string store = folder.path("runs.db");
  const std::string file =
      folder.write("a.gpx", "sweep threads 32..128 step 32 < load unique(128B) x2 >\n");
  CHECK(command({"run", file, "--device", "k20", "--quiet", "--store", store}).status == 0);
  const Ended page = command({"report", "last", "-o", "-", "--store", store});
  CHECK(page.status == 0);
  CHECK(contains(page.out, "sweep threads 32..128"));
  CHECK(contains(page.out, "<th scope=\"row\">run</th><td>run 1</td>"));
  CHECK(contains(page.out, "<th scope=\"row\">status</th><td>complete</td>"));
  const Ended none = command({"report", "7", "-o", "-", "--store", store});
  CHECK(none.status == 2);
  CHECK(contains(none.err, "there is no run '7'"));
}

TEST_CASE("bad input of a report is the user's error, and leaves the old page") {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.json", kReported);
  const std::string broken = folder.write("broken.json", "{\"schema\": 1,\n oops");
  const std::string other = folder.write("other.json", "{\"a\": 1}");
  folder.write("page.html", "old");
  const Ended wrong = command(
      {"report", good, folder.path("none.json"), broken, other, "-o", folder.path("page.html")});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "cannot read '" + folder.path("none.json") + "'"));
  CHECK(contains(wrong.err, "broken.json:2:1: error: this is not JSON"));
  CHECK(contains(wrong.err, "other.json' is no document of gpx: there is no field 'schema'"));
  CHECK(folder.read("page.html") == "old");
  CHECK(command({"report", folder.path(""), "-o", "-"}).status == 2);
  CHECK(command({"report", good}).status == 2);
  CHECK(command({"report", "-o", "a.html"}).status == 2);
}

TEST_CASE("a page that cannot be written is status 3") {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.json", kReported);
  const Ended outcome = command({"report", good, "-o", folder.path("no/a.html")});
  CHECK(outcome.status == 3);
  CHECK(contains(outcome.err, "no/a.html"));
  CHECK(command({"report", good, "-o", "/dev/full"}).status == 3);
}

TEST_CASE("documents may be larger than experiments") {
  const TemporaryFolder folder;
  std::string text = kReported;
  text.insert(1, std::string(20 << 20, ' '));
  PictureOptions options;
  options.runs = {folder.write("large.json", text)};
  CHECK(read_runs(options).has_value());
  const Ended experiment = command({"check", folder.path("large.json")});
  CHECK(experiment.status == 2);
  CHECK(contains(experiment.err, "larger than 16 MB"));
}
