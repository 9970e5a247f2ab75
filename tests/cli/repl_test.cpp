#include "runtime/cli/repl.h"

#include <doctest/doctest.h>

#include "captured.h"

using namespace gpx::cli;

namespace {

struct Outcome {
  int status;
  std::string out, err;
};

Outcome repl(const std::string& lines) {
  Captured captured(lines);
  const int status = gpx_main({"repl", "--device", "k20"}, captured.console);
  return {status, captured.out(), captured.err()};
}

const std::string kLine = "sweep threads 32..128 step 32 < load unique(128B) x3 >\n";

}  // namespace

TEST_CASE("a line answers with a plot, a table and a verdict") {
  const Outcome outcome = repl(kLine);
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(contains(outcome.out, "latency (clocks)"));
  CHECK(contains(outcome.out, "greatest"));
  CHECK(contains(outcome.out, "on k20 (virtual): latency "));
}

TEST_CASE("an error does not end the session, and its status is kept") {
  const Outcome outcome = repl("sweep threads 2..8 < laod unique(128B) >\n" + kLine);
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "<repl>:1:"));
  CHECK(contains(outcome.out, "latency (clocks)"));
}

TEST_CASE("a block may take several lines") {
  const Outcome outcome = repl(
      "experiment e {\n  sweep threads 32..128 step 32\n\n"
      "  < load unique(128B) >\n}\n");
  CHECK(outcome.err == "");
  CHECK(contains(outcome.out, "e on k20 (virtual)"));
}

TEST_CASE("a block that the input leaves open is an error") {
  const Outcome outcome = repl("experiment e {\n");
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "<repl>"));
}

TEST_CASE("device, settings and the last result are at hand") {
  const TemporaryFolder folder;
  const Outcome outcome = repl(
      ":device m2070\n" + kLine + ":set blocks=2\n:set\n:unset blocks\n:findings\n:plot\n:json " +
      folder.path("a.json") + "\n:csv " + folder.path("a.csv") + "\n:quit\n" + kLine);
  CHECK(outcome.err == "");
  CHECK(contains(outcome.out, "m2070 (virtual GPU: a model, not a measurement)"));
  CHECK(contains(outcome.out, "on m2070 (virtual)"));
  CHECK(contains(outcome.out, "blocks=2\n"));
  CHECK(folder.listing() == "a.csv\na.json\n");
  std::size_t plots = 0;
  for (std::size_t at = 0; (at = outcome.out.find("latency (clocks)", at)) != std::string::npos;
       ++at)
    ++plots;
  CHECK(plots == 2);  // The line and :plot; what follows :quit does not run.
}

TEST_CASE("a setting that a line does not have is a note, not an error") {
  const Outcome outcome = repl(":set nosuch=3\n" + kLine);
  CHECK(outcome.err == "");
  CHECK(contains(outcome.out, "note: nosuch=3 does not fit here"));
  CHECK(contains(outcome.out, "on k20 (virtual)"));
}

TEST_CASE("help knows the commands and the words of the language") {
  CHECK(contains(repl(":help\n").out, ":device"));
  CHECK(contains(repl(":help unique\n").out, "unique(BYTES)"));
  CHECK(contains(repl(":help patterns\n").out, "broadcast"));
  CHECK(contains(repl(":help device\n").out, ":device"));
}

TEST_CASE("wrong commands get the nearest name") {
  CHECK(contains(repl(":halp\n").err, "did you mean ':help'?"));
  CHECK(contains(repl(":help uniqe\n").err, "did you mean 'unique'?"));
  CHECK(contains(repl(":device nosuch\n").err, "nosuch"));
  CHECK(contains(repl(":unset n\n").err, "'n' is not set"));
  CHECK(contains(repl(":run /no/such.gpx\n").err, "No such file"));
  CHECK(contains(repl(":plot\n").out, "nothing has run yet"));
}

TEST_CASE("empty lines and comments ask for nothing") {
  const Outcome outcome = repl("\n   \n# a comment\n");
  CHECK(outcome.status == 0);
  CHECK(outcome.out + outcome.err == "");
}
