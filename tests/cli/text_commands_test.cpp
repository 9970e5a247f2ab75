#include <doctest/doctest.h>

#include "captured.h"

using namespace gpx::cli;

namespace {

const char* kGood =
    "experiment demo \"A title\" {\n"
    "  cite lashgar2015 LA8 LA9\n"
    "  device k20\n"
    "  sweep threads 2..64 step 2\n"
    "  < load unique(128B) >\n"
    "}\n";
const char* kUgly = "sweep   threads 2..64   step 2 <load unique( 128B )>\n";
const char* kBad = "sweep threads 2..64 step 2 < laod unique(128B) >\n";

}  // namespace

TEST_CASE("check is silent about good files and reports every bad one") {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.gpx", kGood), bad = folder.write("bad.gpx", kBad);
  const Ended fine = command({"check", good});
  CHECK(fine.status == 0);
  CHECK(fine.out + fine.err == "");
  const Ended wrong = command({"check", bad, good, folder.path("none.gpx")});
  CHECK(wrong.status == 2);
  CHECK(wrong.out == "");
  CHECK(contains(wrong.err, "bad.gpx:1:"));
  CHECK(contains(wrong.err, "none.gpx"));
  const Ended nothing = command({"check", folder.write("empty.gpx", "# to do\n")});
  CHECK(nothing.status == 2);
  CHECK(contains(nothing.err, "there is no experiment in "));
}

TEST_CASE("fmt changes a file in place, once") {
  const TemporaryFolder folder;
  const std::string file = folder.write("ugly.gpx", kUgly);
  CHECK(command({"fmt", "--check", file}).status == 1);
  CHECK(folder.read("ugly.gpx") == kUgly);
  const Ended shown = command({"fmt", "--stdout", file});
  CHECK(shown.status == 0);
  CHECK(folder.read("ugly.gpx") == kUgly);
  CHECK(command({"fmt", file}).status == 0);
  CHECK(folder.read("ugly.gpx") == shown.out);
  CHECK(shown.out != kUgly);
  CHECK(command({"fmt", "--check", file}).status == 0);
  CHECK(folder.listing() == "ugly.gpx\n");
}

TEST_CASE("fmt leaves a file that it cannot read as it is") {
  const TemporaryFolder folder;
  const std::string file = folder.write("bad.gpx", "experiment { { <");
  CHECK(command({"fmt", file}).status == 2);
  CHECK(folder.read("bad.gpx") == "experiment { { <");
}

TEST_CASE("list shows the experiments of a folder and of the folders in it") {
  const TemporaryFolder folder;
  folder.write("b.gpx", kGood);
  folder.write("sub/a.gpx", kUgly);
  folder.write("notes.txt", "no experiment");
  const Ended text = command({"list", folder.path("")});
  CHECK(text.status == 0);
  CHECK(contains(text.out, "demo"));
  CHECK(contains(text.out, "LA8 LA9"));
  CHECK(contains(text.out, "a.gpx"));
  CHECK_FALSE(contains(text.out, "notes"));
}

TEST_CASE("list --json is the contract's document, and a bad file does not hide a good one") {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.gpx", kGood), bad = folder.write("bad.gpx", kBad);
  const Ended outcome = command({"list", "--json", bad, good});
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "bad.gpx:1:"));
  CHECK(outcome.out ==
        "[\n"
        "  {\n"
        "    \"file\": \"" +
            good +
            "\",\n"
            "    \"name\": \"demo\",\n"
            "    \"title\": \"A title\",\n"
            "    \"device\": \"k20\",\n"
            "    \"cites\": [\"LA8\", \"LA9\"],\n    \"works\": [\"lashgar2015\"],\n"
            "    \"topics\": [\"other\"]\n"
            "  }\n"
            "]\n");
}
