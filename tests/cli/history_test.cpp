#include <doctest/doctest.h>
#include <sys/stat.h>

#include "captured.h"
#include "runtime/cli/repl/line_reader.h"

using namespace gpx::cli;

TEST_CASE("history is appended, private, and read back in order") {
  const TemporaryFolder folder;
  const std::string path = folder.path("state/gpx/history");
  CHECK(load_history(path).empty());
  CHECK(append_history(path, "first"));
  CHECK(append_history(path, "second"));
  CHECK(load_history(path) == std::vector<std::string>{"first", "second"});
  struct stat status {};
  ::stat(path.c_str(), &status);
  CHECK((status.st_mode & 0077) == 0);
}

TEST_CASE("only the last thousand entries are read") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 1200; ++i) text += std::to_string(i) + '\n';
  const std::vector<std::string> entries = load_history(folder.write("history", text));
  REQUIRE(entries.size() == 1000);
  CHECK(entries.front() == "200");
  CHECK(entries.back() == "1199");
}

TEST_CASE("a history that cannot be written is no error for the session") {
  CHECK_FALSE(append_history("", "x"));
  CHECK_FALSE(append_history("/proc/none/history", "x"));
  CHECK_FALSE(append_history("/dev/full", "x"));
  CHECK(load_history("/dev/zero").empty());
}

TEST_CASE("the history lies where XDG says, else below the home folder") {
  ::setenv("XDG_STATE_HOME", "/state", 1);
  CHECK(history_path() == "/state/gpx/history");
  ::unsetenv("XDG_STATE_HOME");
  ::setenv("HOME", "/home/someone", 1);
  CHECK(history_path() == "/home/someone/.local/state/gpx/history");
}
