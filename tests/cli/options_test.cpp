#include "runtime/cli/options.h"

#include <doctest/doctest.h>

using namespace gpx;
using namespace gpx::cli;

namespace {

Diagnostic error_of(const std::vector<std::string>& arguments) {
  const Result<Options> options = parse_options(arguments);
  REQUIRE_FALSE(options);
  CHECK(options.error().fault == Fault::input);
  REQUIRE(options.error().diagnostics.size() == 1);
  return options.error().diagnostics[0];
}

}  // namespace

TEST_CASE("every option of run arrives") {
  const Result<Options> options = parse_options(
      {"run", "a.gpx", "--device", "k20", "--set", "n=3", "--set=repeat=5", "--json", "-", "--csv",
       "out.csv", "--dump=ast,ptx", "--dump", "cuda", "--seed", "7", "--quiet", "--no-plot"});
  REQUIRE(options);
  CHECK(options->command == Command::run);
  CHECK(options->files == std::vector<std::string>{"a.gpx"});
  CHECK(options->device == "k20");
  CHECK(options->settings == std::vector<std::string>{"n=3", "repeat=5"});
  CHECK(options->json == "-");
  CHECK(options->csv == "out.csv");
  CHECK(options->dump == std::vector<std::string>{"ast", "ptx", "cuda"});
  CHECK(options->seed == 7);
  CHECK(options->quiet);
  CHECK_FALSE(options->plot);
}

TEST_CASE("options may stand before the file, and defaults are what the help says") {
  const Result<Options> options = parse_options({"run", "--set", "n=3", "--dump=ast", "-"});
  REQUIRE(options);
  CHECK(options->files == std::vector<std::string>{"-"});
  CHECK(options->settings == std::vector<std::string>{"n=3"});
  CHECK(options->device == "auto");
  CHECK(options->seed == 1);
  CHECK(options->plot);
  CHECK(parse_options({"run", "--plot", "a.gpx"})->plot);
}

TEST_CASE("no command is the REPL, and says that it was not asked for") {
  const Result<Options> options = parse_options({});
  REQUIRE(options);
  CHECK(options->command == Command::repl);
  CHECK_FALSE(options->command_given);
  CHECK(parse_options({"repl"})->command_given);
}

TEST_CASE("the other commands and their options arrive") {
  CHECK(parse_options({"--version"})->command == Command::version);
  CHECK(parse_options({"check", "a", "b"})->files.size() == 2);
  CHECK(parse_options({"fmt", "--check", "a"})->only_check);
  CHECK(parse_options({"fmt", "--stdout", "a"})->to_stdout);
  CHECK(parse_options({"list"})->files.empty());
  CHECK(parse_options({"list", "--json", "experiments"})->as_json);
  CHECK(parse_options({"list", "--json", "experiments"})->json.empty());
  CHECK(parse_options({"devices"})->command == Command::devices);
  CHECK(parse_options({"doctor"})->command == Command::doctor);
}

TEST_CASE("help names the commands, and a command's help its options") {
  CHECK(parse_options({"--help"})->text.find("doctor") != std::string::npos);
  const Result<Options> run = parse_options({"run", "--help"});
  REQUIRE(run);
  CHECK(run->command == Command::help);
  CHECK(run->text.find("--device") != std::string::npos);
}

TEST_CASE("a wrong line names what is wrong and the nearest known name") {
  const struct {
    std::vector<std::string> arguments;
    const char* message;
    const char* hint;
  } rows[] = {
      {{"rum", "a.gpx"}, "unknown command 'rum'", "did you mean 'run'?"},
      {{"experiments/a.gpx"}, "'experiments/a.gpx' is not a command", "gpx run experiments/a.gpx"},
      {{"run", "a.gpx", "--devcie", "k20"},
       "unknown option '--devcie'",
       "did you mean '--device'?"},
      {{"run", "a.gpx", "--jsno=x"}, "unknown option '--jsno'", "did you mean '--json'?"},
      {{"doctor", "now"}, "'gpx doctor' takes no argument 'now'", ""},
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
  CHECK(parse_options({"run", "a.gpx", "--seed", "18446744073709551615"})->seed == ~0ull);
  CHECK(error_of({"run", "a.gpx", "--json"}).message.find("json") != std::string::npos);
}

TEST_CASE("report and plot take runs, and where to write") {
  const auto report =
      parse_options({"report", "a.json", "last", "-o", "x.html", "--store", "s.db"});
  REQUIRE(report.has_value());
  CHECK(report->command == Command::report);
  CHECK(report->runs == std::vector<std::string>{"a.json", "last"});
  CHECK(report->output == "x.html");
  CHECK(report->store == "s.db");
  const auto plot = parse_options({"plot", "-", "--output", "x.pdf", "--plot", "2"});
  REQUIRE(plot.has_value());
  CHECK(plot->command == Command::plot);
  CHECK(plot->plot_number == 2);
  CHECK(plot->plot_given);
  CHECK_FALSE(parse_options({"plot", "-", "-o", "x.pdf"})->plot_given);
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"report", "a.json"},
                                             {"report", "-o", "x.html"},
                                             {"plot", "a.json"},
                                             {"plot", "a.json", "-o", "x.svg", "--plot", "two"}})
    CHECK_FALSE(parse_options(wrong).has_value());
}

TEST_CASE("quiet and verbose exclude each other") {
  CHECK(parse_options({"run", "a.gpx", "-v", "--report", "a.html"})->verbose);
  CHECK_FALSE(parse_options({"run", "a.gpx", "-v", "-q"}).has_value());
}
