// A tool as a process: codegen/compile/child.h.
#include "codegen/compile/child.h"

#include <atomic>
#include <fstream>
#include <string>

#include "codegen/confined/confined.h"
#include "support.h"

namespace gpx::codegen::test {
namespace {

Ran shell(const std::string& script, const std::string& input = {}, const std::string& folder = {},
          double seconds = 10) {
  const auto ran = run_child({"/bin/sh", "-c", script}, input, folder, seconds);
  REQUIRE(ran.has_value());
  return *ran;
}

TEST_CASE("a program's input and both of its outputs are its own") {
  const Ran ran = shell("cat; echo said >&2", "given");
  CHECK(ran.ok);
  CHECK(ran.output == "given");
  CHECK(ran.errors == "said\n");
  CHECK(shell("cat").output.empty());
}

TEST_CASE("much of both outputs comes whole, and an input that is not read harms nothing") {
  const std::string much(1 << 20, 'x');
  const Ran ran = shell("head -c 500000 /dev/zero >&2; cat; head -c 500000 /dev/zero >&2", much);
  CHECK(ran.output == much);
  CHECK(ran.errors.size() == 1000000);
  CHECK(shell("exec true", much).ok);
}

TEST_CASE("it runs in the folder that is named") {
  const Folder folder;
  CHECK(shell("pwd -P", {}, folder.string()).output ==
        std::filesystem::canonical(folder.string()).string() + "\n");
}

TEST_CASE("one that fails, hangs or is not there is told apart") {
  CHECK_FALSE(shell("exit 3").ok);
  CHECK(shell("exit 3").in_time);
  CHECK_FALSE(shell("kill -9 $$").ok);
  CHECK_FALSE(shell("exec sleep 60", {}, {}, 0.1).in_time);
  CHECK_FALSE(run_child({"/no/such/program"}, {}, {}, 10).has_value());
}

TEST_CASE("walls hold for the program that it becomes") {
  const Folder folder;
  std::ofstream(folder.string() + "/mine") << "mine";
  confined::WallPlan walls;
  walls.memory_bytes = 1 << 30;
  walls.cpu_seconds = 10;
  walls.readable = {folder.string()};
  walls.runnable = {"/usr", "/bin", "/lib", "/lib64"};
  const auto said = [&](const std::string& script) {
    const auto ran = run_child({"/bin/sh", "-c", script}, {}, {}, 10, &walls);
    REQUIRE(ran.has_value());
    return ran->output;
  };
  CHECK(said("ulimit -c; ulimit -f; cat " + folder.string() + "/mine") == "0\n0\nmine");
  if (confined::landlock_missing().empty()) {
    CHECK(said("cat /etc/passwd || echo refused") == "refused\n");
    CHECK(said("echo > " + folder.string() + "/made || echo refused") == "refused\n");
  }
}

TEST_CASE("the user's wish to stop ends it") {
  std::atomic<bool> stop{true};
  confined::stop_by(&stop);
  const auto ran = run_child({"/bin/sleep", "60"}, {}, {}, 60);
  confined::stop_by(nullptr);
  REQUIRE(ran.has_value());
  CHECK(ran->stopped);
  CHECK_FALSE(ran->in_time);
}

}  // namespace
}  // namespace gpx::codegen::test
