#include "runtime/cli/repl/repl.h"

#include <doctest/doctest.h>

#include "captured.h"

using namespace gpx::cli;

namespace {

Ended repl(const std::string& lines, const std::vector<std::string>& options = {"--no-store"}) {
  std::vector<std::string> arguments = {"repl", "--device", "k20"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return command(arguments, lines);
}

const std::string kLine = "sweep threads 32..128 step 32 < load unique(128B) x3 >\n";

}  // namespace

TEST_CASE("a line answers with a plot, a table and a verdict") {
  const Ended outcome = repl(kLine);
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(contains(outcome.out, "latency (clocks)"));
  CHECK(contains(outcome.out, "greatest"));
  CHECK(contains(outcome.out, "on k20 (virtual): latency "));
}

TEST_CASE("an error does not end the session, and its status is kept") {
  const Ended outcome = repl("sweep threads 2..8 < laod unique(128B) >\n" + kLine);
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "<stdin>:1:"));
  CHECK(contains(outcome.out, "latency (clocks)"));
}

TEST_CASE("a block may take several lines") {
  const Ended outcome = repl(
      "experiment e {\n  sweep threads 32..128 step 32\n\n"
      "  < load unique(128B) >\n}\n");
  CHECK(outcome.err == "");
  CHECK(contains(outcome.out, "e on k20 (virtual)"));
}

TEST_CASE("a block that the input leaves open is an error") {
  const Ended outcome = repl("experiment e {\n");
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "<stdin>:"));
}

TEST_CASE("device, settings and the last result are at hand") {
  const TemporaryFolder folder;
  const Ended outcome = repl(
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
  const Ended outcome = repl(":set nosuch=3\n" + kLine);
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
  CHECK(contains(repl(":device k2\n").err, "did you mean 'k20'?"));
  CHECK(contains(repl(kLine + ":run lin1\n").err, "did you mean 'line1'?"));
  CHECK(contains(repl(":findings it\n").err, "':findings' takes nothing after it"));
  CHECK(contains(repl(":set threads\n").err, "NAME=VALUE"));
  CHECK(contains(repl(":load /no/such.gpx\n").err, "No such file"));
  CHECK(contains(repl(":save\n").err, ":save needs a file"));
  CHECK(contains(repl(":diff 1\n").err, "two runs"));
  CHECK(contains(repl(":run /no/such.gpx\n").err, "No such file"));
  CHECK(contains(repl(":plot\n").out, "nothing has run yet"));
}

TEST_CASE("empty lines and comments ask for nothing") {
  const Ended outcome = repl("\n   \n# a comment\n");
  CHECK(outcome.status == 0);
  CHECK(outcome.out + outcome.err == "");
}

TEST_CASE("every command has a help, and its help says how it is written") {
  const std::string list = repl(":help\n").out;
  for (const std::string& name : repl_command_names()) {
    CHECK(contains(list, name));
    CHECK(contains(repl(":help " + name + "\n").out, "  " + name));
  }
}

TEST_CASE("'it' is the last run, and what Lua sets stays") {
  const Ended outcome = repl(":lua it\n" + kLine +
                             ":lua it.name, #it.samples, it.whole\n"
                             ":lua x = it.curves:column \"threads\"\n"
                             ":lua table.concat(x, ' ')\n"
                             ":lua for i = 1, 2 do\nprint(x[i])\nend\n"
                             ":lua\nlocal function twice(n)\n\n  return 2 * n\nend\n"
                             "print(twice(21))\n\n"
                             ":lua gpx.run('threads 32 < load unique(128B) >').device.name\n"
                             ":lua it.samples\n");
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "nil\n"));
  CHECK(contains(outcome.out, "line1\n4\ntrue\n"));
  CHECK(contains(outcome.out, "32.0 64.0 96.0 128.0\n32.0\n64.0\n42\nk20\n"));
  CHECK(contains(outcome.out, "samples of 4 rows: threads, repetition, latency"));
}

TEST_CASE("Lua is the sandbox of scripts, and its errors have a place") {
  const Ended outcome = repl(
      ":lua os\n:lua io.open('/etc/passwd')\n:lua it.a.b\n"
      ":lua 1 + 1\n");
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.out, "nil\n"));
  CHECK(contains(outcome.err, "<stdin>:2:1: error: attempt to index a nil value (global 'io')"));
  CHECK(contains(outcome.out, "2\n"));
}

TEST_CASE("a saved session is a file that check takes and :load reads back") {
  const TemporaryFolder folder;
  const std::string path = folder.path("s.gpx");
  const Ended first = repl(
      "param n = 2\n:set n=3\nsweep threads 32..64 step 32 < load unique(128B) x n "
      ">\n:device gtx280\nexperiment e { threads 32 < sync > }\n:save " +
      path + "\n");
  CHECK(first.err == "");
  Captured captured;
  CHECK(gpx_main({"check", path}, captured.console) == 0);
  CHECK(contains(folder.read("s.gpx"), "# :device gtx280\n"));
  const Ended second =
      repl(":load " + path +
           "\n:device\n:run line1\n:lua it.samples:rows()[1].latency\n:lua it.device.name\n");
  CHECK(second.err == "");
  CHECK(contains(second.out, "loaded line1, e (:run NAME)\ngtx280 (virtual GPU"));
  CHECK(contains(second.out, "line1 on gtx280 (virtual)"));
  CHECK(contains(repl(":save " + path + "\n").out, "nothing to save"));
  CHECK(contains(repl(kLine + ":save " + path + "\n").out, "wrote "));
  const std::string own = folder.write("own.gpx", "# mine\nthreads 32 < sync >\n");
  CHECK(contains(repl(":load " + own + "\n:save " + own + "\n").err, "no saved session"));
  CHECK(folder.read("own.gpx").starts_with("# mine\n"));
}

TEST_CASE("a parameter that another one needs stays") {
  const Ended outcome = repl("param n = 2\nparam m = n * 2\n:unset n\n:unset m\n:unset n\n:set\n");
  CHECK(contains(outcome.err, "'n' is used by param m = n * 2"));
  CHECK(contains(outcome.out, "nothing is set"));
}

TEST_CASE("runs are kept, listed, shown and compared") {
  const TemporaryFolder folder;
  const Ended outcome =
      repl(kLine + kLine + ":runs\n:show last\n:diff 1 2\n", {"--store", folder.path("a.db")});
  // Lines without a name have that of their number.
  CHECK(contains(outcome.err, "the two runs have no experiment in common"));
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.out, "complete  line2"));
  CHECK(contains(outcome.out, "complete  line1"));
  CHECK(contains(outcome.out, "run 2 "));
  CHECK(contains(outcome.out, " same, "));
}

TEST_CASE("a point is explained, of the last experiment or of a named one") {
  const Ended outcome =
      repl(kLine + "experiment e { threads 32 < sync > }\n:explain\n:explain line1 threads=64\n");
  CHECK(outcome.err == "");
  CHECK(contains(outcome.out, "e: point 0 of 1"));
  CHECK(contains(outcome.out, "line1: point 1 of 4: threads=64"));
  CHECK(contains(outcome.out, "==== PTX"));
}

TEST_CASE("a wrong block is one error, and what follows is read anew") {
  const Ended outcome =
      repl("experiment e {\n  sweep thraeds in\n  < load unique(128B) >\n  repeat 3\n}\n" + kLine);
  CHECK(contains(outcome.err, "<stdin>:2:"));
  CHECK_FALSE(contains(outcome.err, "<stdin>:1:"));
  CHECK(contains(outcome.out, "line1 on k20"));
}

TEST_CASE("a command ends a block that was left open") {
  const Ended outcome = repl("experiment e {\n:device\n");
  CHECK(contains(outcome.err, "<stdin>:"));
  CHECK(contains(outcome.out, "k20 (virtual GPU"));
}

TEST_CASE("help, quit and others that are no words of the language need no colon") {
  CHECK(contains(repl("set threads=2\nset\n").out, "threads=2"));
  CHECK(contains(repl("device k20\n").err, "<stdin>:1:"));
  CHECK(contains(repl("help\n").out, ":device"));
  CHECK(repl("quit\n" + kLine).out == "");
}

TEST_CASE("what is no text is an error, however long") {
  CHECK(repl("\x01\x02\xff\xfe\n:\xff\n").status == 2);
  CHECK(repl(std::string(10000, 'x') + "\n").status == 2);
  CHECK(repl(":" + std::string(10000, 'x') + "\n").status == 2);
  CHECK(
      contains(repl(kLine.substr(0, kLine.size() - 1) + "# " + std::string(100000, 'y') + '\n').out,
               "line1 on k20"));
}

TEST_CASE("quiet answers with the status alone") {
  const Ended outcome = repl(kLine, {"--no-store", "--quiet"});
  CHECK(outcome.out + outcome.err == "");
}

TEST_CASE(":plot draws another plot of the last result, or a file") {
  const TemporaryFolder folder;
  const std::string run = "sweep threads in [32, 128], n 1..4 < load unique(128B) x n >\n";
  const Ended drawn = repl(run + ":plot latency over n by threads logx\n");
  CHECK(contains(drawn.out, "threads=128"));
  CHECK(contains(repl(run + ":plot time over n\n").err, "has no column 'time'"));
  CHECK(contains(repl(run + ":plot latency ovr n\n").err, "expected ',' or 'over'"));
  CHECK(contains(repl(run + ":plot " + folder.path("a.svg") + "\n").out, "wrote "));
  CHECK(folder.read("a.svg").starts_with("<svg "));
  // The innermost axis takes two values only.
  const std::string two =
      ":device k20\nsweep threads 32..128 step 32, n in [1, 2] < load unique(128B) x n >\n";
  CHECK(contains(repl(two + ":plot " + folder.path("b.svg") + "\n").out, "wrote "));
  CHECK(contains(folder.read("b.svg"), "threads"));
  const Ended none = repl(":device k20\nsweep n in [1, 2] < load unique(128B) x n >\n:plot " +
                          folder.path("c.svg") + "\n");
  CHECK(contains(none.err, "no axis takes three values"));
}

TEST_CASE("pipe_lines: an error of a line from a pipe names that line") {
  const TemporaryFolder folder;
  const Ended outcome = repl(kLine +
                                 "\n:devcie gtx280\nexperiment e {\n  sweep thraeds in\n}\n"
                                 ":show 99\n:lua\nx = nil\nx.y = 1\n\n:set threads\n",
                             {"--store", folder.path("a.db")});
  CHECK(contains(outcome.err, "<stdin>:3:1: error: unknown command ':devcie'"));
  CHECK(contains(outcome.err, "<stdin>:5:"));
  CHECK(contains(outcome.err, "<stdin>:7:1: error: "));
  CHECK(contains(outcome.err, "<stdin>:10:"));
  CHECK(contains(outcome.err, "<stdin>:12:1: error: cannot set"));
  CHECK_FALSE(contains(outcome.err, "<repl>"));
}
