// Completions and the manual page: every command and option is in each; bash, zsh and fish really
// run where they are installed.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <iterator>
#include <regex>
#include <sstream>

#include "captured.h"
#include "runtime/cli/completion/shells.h"

using namespace gpx;
using namespace gpx::cli;

namespace {

std::string printed(const std::vector<std::string>& arguments) {
  Captured captured;
  CHECK(gpx_main(arguments, captured.console) == 0);
  CHECK(captured.err() == "");
  return captured.out();
}

struct Ran {
  int status;
  std::string out;
};

Ran shell(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  std::string out;
  std::array<char, 4096> buffer;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    out.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

bool installed(const std::string& program) {
  return shell("command -v " + program).status == 0;
}

/// What bash would offer for these words, the last of which is being typed.
std::string offered(const TemporaryFolder& folder, const std::string& words, int at) {
  folder.write("try.sh", printed({"completions", "bash"}) + "COMP_WORDS=(" + words +
                             ")\nCOMP_CWORD=" + std::to_string(at) +
                             "\n_gpx \"${COMP_WORDS[0]}\"\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const Ran ran = shell("cd " + folder.path("") + " && bash try.sh");
  CHECK(ran.status == 0);
  return '\n' + ran.out;
}

/// {"fleet", "compare"}
std::vector<std::string> words_of(const std::string& name) {
  std::istringstream in(name);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

TEST_CASE("the table of commands is what --help says") {
  const std::vector<CommandInfo> table = command_table(command_rows());
  const std::string help = printed({"--help"});
  for (std::size_t i = 1; i < table.size(); ++i) {
    CHECK(contains(help, words_of(table[i].name).front()));
    std::vector<std::string> words = words_of(table[i].name);
    words.push_back("--help");
    const std::string own = printed(words);
    std::size_t options = 0;
    for (const OptionInfo& option : table[i].options)
      for (const std::string& name : option.names) {
        CHECK_MESSAGE(contains(own, name), table[i].name << ' ' << name);
        options += name.starts_with("--");
      }
    // No option of the help is missing from the table.
    const std::string list = own.substr(own.find("Options:"));
    const std::regex long_option("\n +(-[a-zA-Z],)?--[a-z]");
    const auto listed = static_cast<std::size_t>(std::distance(
        std::sregex_iterator(list.begin(), list.end(), long_option), std::sregex_iterator()));
    CHECK_MESSAGE(listed == options, own);
  }
}

TEST_CASE("every command and option is in the completions of each shell and in the manual") {
  const std::string bash = printed({"completions", "bash"}), zsh = printed({"completions", "zsh"}),
                    fish = printed({"completions", "fish"}), man = printed({"man"});
  for (const CommandInfo& command : command_table(command_rows())) {
    const std::string last = words_of(command.name).back();
    if (command.name != "gpx") {
      CHECK(contains(bash, "    '" + command.name + "')\n"));
      CHECK(contains(zsh, "    " + last + ")\n"));
      CHECK(contains(fish, " -a " + last + " "));
      CHECK(contains(man, ".B gpx " + command.name + "\n"));
    }
    for (const OptionInfo& option : command.options)
      for (const std::string& name : option.names) {
        INFO(command.name << ' ' << name);
        std::string roff;
        for (const char c : name) roff += c == '-' ? "\\-" : std::string(1, c);
        CHECK(contains(bash, name));
        CHECK(contains(zsh, "'*" + name));
        CHECK(contains(man, "\\fB" + roff + "\\fR"));
        const std::string within = "__fish_seen_subcommand_from " + last + "'";
        if (command.name != "gpx" && name.starts_with("--"))
          CHECK(std::regex_search(fish,
                                  std::regex(within + "[^\n]* -l " + name.substr(2) + "( |\n)")));
      }
  }
}

TEST_CASE("every command takes --quiet and --verbose") {
  for (const CommandInfo& command : command_table(command_rows())) {
    if (command.name == "gpx") continue;
    std::string names;
    for (const OptionInfo& option : command.options)
      for (const std::string& name : option.names) names += name + ' ';
    CHECK_MESSAGE(contains(names, "--quiet -q "), command.name);
    CHECK_MESSAGE(contains(names, "--verbose -v "), command.name);
  }
}

TEST_CASE("bash completes commands, options, devices, experiments and files") {
  const TemporaryFolder folder;
  const std::string gpx = GPX_PROGRAM;
  folder.write("mine.gpx", "");
  folder.write("mine.txt", "");
  CHECK(contains(offered(folder, gpx + " ch", 1), "\ncheck\n"));
  CHECK_FALSE(contains(offered(folder, gpx + " ch", 1), "\nrun\n"));
  CHECK(contains(offered(folder, gpx + " run --dev", 2), "\n--device\n"));
  CHECK(contains(offered(folder, gpx + " run --device k", 3), "\nk20\n"));
  CHECK(contains(offered(folder, gpx + " run --device = gtx", 4), "\ngtx280\n"));
  CHECK(contains(offered(folder, gpx + " run x --dump ex", 4), "\nexperiment\n"));
  const std::string files = offered(folder, gpx + " run mi", 2);
  CHECK(contains(files, "\nmine.gpx\n"));
  CHECK_FALSE(contains(files, "mine.txt"));
  CHECK(contains(offered(folder, gpx + " run kepler_p", 2), "/kepler_prt.gpx\n"));
  CHECK(contains(offered(folder, gpx + " completions f", 2), "\nfish\n"));
  CHECK(offered(folder, gpx + " nosuch --", 2) == "\n\n");
}

TEST_CASE("zsh and fish take their scripts, where they are installed") {
  const TemporaryFolder folder;
  const std::string zsh = folder.write("_gpx", printed({"completions", "zsh"}));
  const std::string fish = folder.write("gpx.fish", printed({"completions", "fish"}));
  if (installed("zsh")) CHECK(shell("zsh -n " + zsh).out == "");
  if (installed("fish"))
    CHECK(contains(shell("fish --no-config -c 'source " + fish + "; complete -C\"gpx ch\"'").out,
                   "check\t"));
}

TEST_CASE("the manual page prints without a warning, where groff is installed") {
  if (!installed("groff")) return;
  const TemporaryFolder folder;
  const Ran page =
      shell("groff -man -Tutf8 -ww -P-cbou " + folder.write("gpx.1", printed({"man"})));
  CHECK(page.status == 0);
  CHECK_FALSE(contains(page.out, "warning"));
  CHECK(contains(page.out, "gpx run [options] FILE…"));
  CHECK(contains(page.out, "--device NAME"));
  CHECK(contains(page.out, "EXIT STATUS"));
}

TEST_CASE("another shell is an error with the nearest name") {
  Captured captured;
  CHECK(gpx_main({"completions", "bsh"}, captured.console) == 2);
  CHECK(contains(captured.err(), "did you mean 'bash'?"));
}
