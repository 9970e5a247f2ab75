#include "runtime/cli/options.h"

#include <doctest/doctest.h>

#include "captured.h"

using namespace gpx;
using namespace gpx::cli;

namespace {

Diagnostic error_of(const std::vector<std::string>& arguments) {
  const Result<ParsedLine> line = parse_line(command_rows(), arguments);
  REQUIRE_FALSE(line);
  CHECK(line.error().fault == Fault::input);
  REQUIRE(line.error().diagnostics.size() == 1);
  return line.error().diagnostics[0];
}

std::string command_of(const std::vector<std::string>& arguments) {
  const Result<ParsedLine> line = parse_line(command_rows(), arguments);
  REQUIRE(line);
  CHECK(line->run);
  return line->command;
}

/// A command with every group of options, and one of each kind of its own.
struct Everything : ReportOptions {
  std::vector<std::string> files, list;
  std::optional<std::string> word;
  std::optional<std::uint64_t> number;
  double real = 0;
  ExperimentOptions experiment;
  OutputOptions outputs;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("FILE", files, "").required();
    line.option("--list", list, "WORDS", "").comma_separated().one_each();
    line.option("--word", word, "WORD", "");
    line.option("--number", number, "N", "");
    line.option("--real", real, "X", "");
    experiment.take(line);
    outputs.take(line);
    store.take_writing(line);
    ReportOptions::take(line);
  }
  int run(const Console&) const {
    last() = *this;
    return 7;
  }
  static Everything& last() {
    static Everything all;
    return all;
  }
};

/// What of a line arrives at the command.
Everything parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "everything");
  const Result<ParsedLine> line =
      parse_line({command_row<Everything>(1, "everything", "")}, arguments);
  REQUIRE(line);
  CHECK(line->command == "everything");
  CHECK(line->run(Console()) == 7);
  return Everything::last();
}

}  // namespace

TEST_CASE("every option arrives at the command") {
  const Everything all =
      parsed({"a.gpx",      "--device", "k20",      "--set",   "n=3",     "--set=repeat=5",
              "--json",     "-",        "--csv",    "out.csv", "--seed",  "7",
              "--list=a,b", "--list",   "c",        "b.gpx",   "--word",  "w",
              "--real",     "2.5",      "--number", "3",       "--quiet", "--no-plot",
              "--store",    "s.db"});
  CHECK(all.files == std::vector<std::string>{"a.gpx", "b.gpx"});
  CHECK(all.experiment.device == "k20");
  CHECK(all.experiment.settings == std::vector<std::string>{"n=3", "repeat=5"});
  CHECK(all.experiment.seed == 7);
  CHECK(all.outputs.json == "-");
  CHECK(all.outputs.csv == "out.csv");
  CHECK(all.outputs.report.empty());
  CHECK(all.store.store == "s.db");
  CHECK(all.list == std::vector<std::string>{"a", "b", "c"});
  CHECK(all.word == "w");
  CHECK(all.number == 3);
  CHECK(all.real == 2.5);
  CHECK(all.quiet);
  CHECK_FALSE(all.plot);
}

TEST_CASE("options may stand before the file, and defaults are what the help says") {
  const Everything all = parsed({"--set", "n=3", "--list=ast", "-"});
  CHECK(all.files == std::vector<std::string>{"-"});
  CHECK(all.experiment.settings == std::vector<std::string>{"n=3"});
  CHECK(all.experiment.device == "auto");
  CHECK(all.experiment.seed == 1);
  CHECK(all.plot);
  CHECK_FALSE(all.quiet);
  CHECK_FALSE(all.verbose);
  CHECK_FALSE(all.store.no_store);
  CHECK_FALSE(all.word);
  CHECK_FALSE(all.number);
  CHECK(parsed({"--plot", "a.gpx"}).plot);
  CHECK(parsed({"--no-store", "-v", "a.gpx"}).store.no_store);
}

TEST_CASE("the rows stand in the order of their ranks, and no two have the same name or rank") {
  const std::vector<CommandRow> rows = command_rows();
  CHECK(rows.front().name == "new");
  CHECK(rows.back().name == "man");
  std::set<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK_MESSAGE((i == 0 || rows[i - 1].rank < rows[i].rank), rows[i].name);
    CHECK_MESSAGE(names.insert(rows[i].name).second, rows[i].name);
  }
}

TEST_CASE("no command is the REPL, and says that it was not asked for") {
  CHECK(command_of({}).empty());
  CHECK(command_of({"repl"}) == "repl");
}

TEST_CASE("a line's command is found") {
  CHECK(command_of({"--version"}) == "version");
  CHECK(command_of({"check", "a", "b"}) == "check");
  CHECK(command_of({"list"}) == "list");
  CHECK(command_of({"plot", "-", "--output", "x.pdf", "--plot", "2"}) == "plot");
  CHECK(command_of({"report", "a.json", "last", "-o", "x.html", "--store", "s.db"}) == "report");
  CHECK(command_of({"run", "--help"}) == "help");
}

TEST_CASE("help names the commands, and a command's help its options") {
  CHECK(contains(command({"--help"}).out, "doctor"));
  CHECK(contains(command({"run", "--help"}).out, "--device"));
}

TEST_CASE("help of a command is its --help, and help alone is that of gpx") {
  CHECK(command({"help", "new"}).out == command({"new", "--help"}).out);
  CHECK(command({"help"}).out == command({"--help"}).out);
  const Ended wrong = command({"help", "rum"});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "did you mean 'run'?"));
}

TEST_CASE("help of a word of the language is its line, of a kind of words all of them") {
  CHECK(contains(command({"help", "expect"}).out, "expect CONDITION"));
  CHECK(contains(command({"help", "operations"}).out, "fma.rn.f32"));
  CHECK(contains(command({"help", "exect"}).err, "did you mean 'expect'?"));
  for (const char* word : {"hash", "uniform", "permutation"})
    CHECK(contains(command({"help", word}).out, "contents"));
  CHECK(contains(command({"help", "rehearse"}).out, "and of data"));
}

TEST_CASE("help of a word that is a command too says both") {
  const std::string text = command({"help", "run"}).out;
  CHECK(text.starts_with(command({"run", "--help"}).out));
  CHECK(contains(text, "run NAME"));
}

TEST_CASE("an option without its value is told, and another option is no value") {
  const struct {
    std::vector<std::string> line;
    const char* error;
  } rows[] = {
      {{"run", "a.gpx", "--json"}, "error: '--json' needs PATH\n  hint: --json PATH: Write"},
      {{"run", "a.gpx", "--json", "--no-plot"},
       "error: '--json' needs PATH, and '--no-plot' is another option\n"},
      {{"run", "a.gpx", "--csv", "-q"}, "error: '--csv' needs PATH, and '-q' is another option\n"},
      {{"run", "--json", "a.gpx"},
       "error: 'gpx run' needs FILE\n  hint: --json took 'a.gpx' as its PATH\n"},
      {{"export", "last", "-o"}, "error: '-o' needs PATH\n"},
  };
  for (const auto& row : rows) {
    const Ended ended = command(row.line);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, row.error));
    CHECK(ended.out == "");
  }
  CHECK(command_of({"run", "a.gpx", "--json", "-", "--no-plot"}) == "run");
  CHECK(command_of({"runs", "--json"}) == "runs");
}

TEST_CASE("no form of a word squeezes what it does") {
  for (const char* topic : {"statement", "buffer", "sweep"}) {
    const std::string text = command({"help", topic}).out;
    CAPTURE(text);
    CHECK(contains(text, "what it does, and how it is written\n"));
  }
  CHECK(contains(command({"help", "unique"}).out, "written"));
}

TEST_CASE("a wrong line names what is wrong and the nearest known name") {
  const struct {
    std::vector<std::string> arguments;
    const char* message;
    const char* hint;
  } rows[] = {
      {{"rum", "a.gpx"}, "unknown command 'rum'", "did you mean 'run'?"},
      {{"ops"}, "unknown command 'ops'", "did you mean 'operations'?"},
      {{"r"}, "unknown command 'r'", "gpx --help lists the commands"},
      {{"experiments/a.gpx"}, "'experiments/a.gpx' is not a command", "gpx run experiments/a.gpx"},
      {{"run", "a.gpx", "--devcie", "k20"},
       "unknown option '--devcie'",
       "did you mean '--device'?"},
      {{"run", "a.gpx", "--jsno=x"}, "unknown option '--jsno'", "did you mean '--json'?"},
      {{"doctor", "now"}, "'gpx doctor' takes no argument 'now'", ""},
      {{"characterize", "a.gpx"}, "'gpx characterize' takes no argument 'a.gpx'", "gpx run a.gpx"},
      {{"plot", "a.gpx"},
       "RUN: 'a.gpx' is an experiment, not a run: after 'gpx run a.gpx' its run is called last",
       "gpx plot --help"},
      {{"rerun", "a.gpx"},
       "RUN: 'a.gpx' is an experiment, not a run: after 'gpx run a.gpx' its run is called last",
       "gpx rerun --help"},
      {{"plot", "last"},
       "'gpx plot' needs --output FILE",
       "The picture: .svg, .png, .pdf, .gp (a script of gnuplot) or .tex (TikZ)"},
      {{"run", "a.gpx", "--repeat", "3"},
       "unknown option '--repeat'",
       "'repeat' is a clause of the experiment; --set NAME=VALUE changes a parameter or an axis"},
      {{"completions"},
       "'gpx completions' needs SHELL",
       "bash, zsh or fish; devices, experiments or runs: those words alone"},
      {{"--verson"}, "unknown option '--verson'", "did you mean '--version'?"},
  };
  for (const auto& row : rows) {
    const Diagnostic diagnostic = error_of(row.arguments);
    CHECK(diagnostic.message == row.message);
    CHECK(diagnostic.hint == row.hint);
  }
}

TEST_CASE("a missing file and a seed that is no number are errors") {
  CHECK(error_of({"run"}).message.find("FILE") != std::string::npos);
  CHECK(error_of({"run", "a.gpx", "--seed", "x"}).message.find("seed") != std::string::npos);
  for (const char* seed : {"-4", "1e3", "18446744073709551616", ""})
    CHECK(error_of({"run", "a.gpx", "--seed", seed}).message.find("is not a seed") !=
          std::string::npos);
  CHECK(parsed({"a.gpx", "--seed", "18446744073709551615"}).experiment.seed == ~0ull);
  CHECK(error_of({"run", "a.gpx", "--json"}).message.find("json") != std::string::npos);
}

TEST_CASE("report and plot take runs, and where to write") {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"report", "a.json"},
                                             {"report", "-o", "x.html"},
                                             {"plot", "a.json"},
                                             {"plot", "a.json", "-o", "x.svg", "--plot", "two"}})
    error_of(wrong);
}

TEST_CASE("quiet and verbose exclude each other") {
  CHECK(parsed({"a.gpx", "-v", "--report", "a.html"}).verbose);
  error_of({"run", "a.gpx", "-v", "-q"});
}
