#include <doctest/doctest.h>

#include "captured.h"
#include "runtime/cli/output/filter.h"

using namespace gpx::cli;

namespace {

/// A run with two plots: latency over threads, time over threads.
std::string document_in(const TemporaryFolder& folder) {
  const std::string file =
      folder.write("a.gpx",
                   "experiment small {\n  sweep threads 32..128 step 32\n  < load unique(128B) >\n"
                   "  plot latency over threads\n  plot neighbour_variance over threads\n}\n");
  const std::string document = folder.path("a.json");
  CHECK(command({"run", file, "--device", "k20", "--quiet", "--json", document}).status == 0);
  std::filesystem::remove(file);
  return document;
}

/// PATH as it was, after a test that changes it.
class Path {
 public:
  explicit Path(const std::string& path) : old_(std::getenv("PATH")) {
    ::setenv("PATH", path.c_str(), 1);
  }
  ~Path() { ::setenv("PATH", old_.c_str(), 1); }

 private:
  std::string old_;
};

/// A gnuplot that prints what it is given, or does as `script` says.
std::string stub(const TemporaryFolder& folder, const std::string& script = "cat") {
  const std::string path = folder.write("bin/gnuplot", "#!/bin/sh\n" + script + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return folder.path("bin") + ":/usr/bin:/bin";
}

}  // namespace

TEST_CASE("a plot is a picture, a script of gnuplot or one of TikZ, by its ending") {
  const TemporaryFolder folder;
  const std::string document = document_in(folder);
  const Path path(folder.path("empty"));  // none of them needs gnuplot
  for (const char* name : {"a.svg", "a.gp", "a.tex"})
    CHECK(command({"plot", document, "-q", "-o", folder.path(name)}).status == 0);
  CHECK(folder.read("a.svg").starts_with("<svg "));
  CHECK(contains(folder.read("a.gp"), "set terminal svg"));
  CHECK(contains(folder.read("a.tex"), "begin{tikzpicture}"));
}

TEST_CASE("of characterizations the first plot is the memory hierarchy, of all on one scale") {
  const TemporaryFolder folder;
  for (const char* device : {"fig4", "gtx280"})
    CHECK(command({"characterize", "--device", device, "--only", "constant,units", "--quiet",
                   "--json", folder.path(std::string(device) + ".json")})
              .status == 0);
  const std::string a = folder.path("fig4.json"), b = folder.path("gtx280.json");
  const Ended both = command({"plot", a, b, "-o", folder.path("a.svg")});
  CHECK(both.status == 0);
  CHECK(contains(both.err, "1 memory hierarchy; 2 constant: "));
  CHECK(contains(folder.read("a.svg"), "gtx280 (virtual): a model, not a measurement"));
  CHECK(contains(folder.read("a.svg"), "8 sets of 4 ways"));
  for (const char* name : {"b.gp", "b.tex"})
    CHECK(command({"plot", b, "-q", "-o", folder.path(name)}).status == 0);
  CHECK(contains(folder.read("b.gp"), "set object rectangle"));
  CHECK(contains(folder.read("b.tex"), "begin{tikzpicture}"));
  CHECK(command({"plot", b, "-q", "--plot", "2", "-o", folder.path("c.svg")}).status == 0);
  CHECK(contains(folder.read("c.svg"), "gtx280 (virtual): a model"));
  CHECK(contains(folder.read("b.tex"), "8 sets of 4 ways"));
  CHECK(command({"report", a, b, "-o", folder.path("a.html")}).status == 0);
  CHECK(contains(folder.read("a.html"), "Characterization of fig4, gtx280"));
  CHECK(contains(folder.read("a.html"), "Memory hierarchy"));
}

TEST_CASE("a plot is what gnuplot makes of the chosen figure") {
  const TemporaryFolder folder;
  const std::string document = document_in(folder);
  const Path path(stub(folder));
  const Ended first = command({"plot", document, "-o", folder.path("a.pdf")});
  CHECK(first.status == 0);
  CHECK(first.out == "wrote " + folder.path("a.pdf") + ": small: latency over threads\n");
  CHECK(contains(first.err,
                 "plot 1 of 2 (--plot N for another): "
                 "1 small: latency over threads; 2 small: neighbour_variance over threads"));
  CHECK(contains(folder.read("a.pdf"), "set ylabel 'latency (clocks)'"));
  const Ended second = command({"plot", document, "-o", folder.path("b.png"), "--plot", "2"});
  CHECK(second.status == 0);
  CHECK(second.err == "");
  CHECK(contains(folder.read("b.png"), "set terminal pngcairo"));
  CHECK(contains(folder.read("b.png"), "set ylabel 'neighbour_variance'"));
}

TEST_CASE("gnuplot that is missing or fails is status 3 with what to do, and leaves nothing") {
  const TemporaryFolder folder;
  const std::string document = document_in(folder);
  {
    const Path path(folder.path("empty"));
    const Ended missing = command({"plot", document, "-o", folder.path("a.png")});
    CHECK(missing.status == 3);
    CHECK(contains(missing.err, "gnuplot is not installed"));
    CHECK(contains(missing.err, "apt-get install gnuplot-nox"));
  }
  const Path path(stub(folder, "echo half; echo '  line 3: no such terminal' >&2; exit 1"));
  const Ended failed = command({"plot", document, "-o", folder.path("a.png")});
  CHECK(failed.status == 3);
  CHECK(contains(failed.err, "gnuplot failed: line 3: no such terminal"));
  CHECK(folder.listing() == "a.json\nbin\n");
}

TEST_CASE("bad input of a plot is the user's error") {
  const TemporaryFolder folder;
  const std::string document = document_in(folder);
  const Ended ending = command({"plot", document, "-o", folder.path("a.jpg")});
  CHECK(ending.status == 2);
  CHECK(contains(ending.err, "its name ends in .svg, .png, .pdf, .gp"));
  const Ended number = command({"plot", document, "-o", folder.path("a.svg"), "--plot", "3"});
  CHECK(number.status == 2);
  CHECK(contains(number.err, "there is no plot 3: there are 2"));
  CHECK(contains(number.err, "2 small: neighbour_variance over threads"));
  CHECK(command({"plot", document, "-o", folder.path("a.svg"), "--plot", "0"}).status == 2);
  CHECK(command({"plot", document, "-o", folder.path("a.svg"), "--plot", "x"}).status == 2);
  CHECK(command({"plot", folder.path("none.json"), "-o", folder.path("a.svg")}).status == 2);
  CHECK(command({"plot", document}).status == 2);
  const std::string lone = folder.write("lone.gpx", "< load unique(128B) >\n");
  const std::string point = folder.path("point.json");
  CHECK(command({"run", lone, "--device", "k20", "--quiet", "--json", point}).status == 0);
  const Ended none = command({"plot", point, "-o", folder.path("a.svg")});
  CHECK(none.status == 2);
  CHECK(contains(none.err, "nothing to plot"));
  CHECK(command({"plot", document, "-o", folder.path("no/a.svg")}).status == 3);
  CHECK(folder.listing() == "a.json\nlone.gpx\npoint.json\n");
}

TEST_CASE("a filter gets all of a long text and gives all back") {
  const std::string text(3 << 20, 'x');
  const auto echoed = filter("cat", "coreutils", text);
  REQUIRE(echoed.has_value());
  CHECK(*echoed == text);
  CHECK(filter("false", "coreutils", "").error().fault == gpx::Fault::device);
}
