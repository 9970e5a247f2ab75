#include <doctest/doctest.h>
#include <fmt/format.h>

#include "captured.h"
#include "runtime/build_id.h"

using namespace gpx::cli;

TEST_CASE("the version and the help are printed and nothing else") {
  Captured version;
  CHECK(gpx_main({"--version"}, version.console) == 0);
  CHECK(gpx::build_id().size() == 12);
  CHECK(version.out() == fmt::format("gpx " GPX_VERSION " (build {})\n", gpx::build_id()));
  CHECK(version.err() == "");
  Captured help;
  CHECK(gpx_main({"--help"}, help.console) == 0);
  CHECK(contains(help.out(), "run"));
}

TEST_CASE("a wrong command is status 2 with a hint on standard error") {
  Captured captured;
  CHECK(gpx_main({"rum"}, captured.console) == 2);
  CHECK(captured.out() == "");
  CHECK(contains(captured.err(), "unknown command 'rum'"));
  CHECK(contains(captured.err(), "did you mean 'run'?"));
}

TEST_CASE("without a command a pipe is told what to do instead of waiting") {
  Captured captured("sweep threads 2..4 < load unique(128B) >\n");
  CHECK(gpx_main({}, captured.console) == 2);
  CHECK(contains(captured.err(), "gpx repl"));
}

TEST_CASE("output that cannot be written is status 3") {
  Captured captured;
  std::FILE* out = captured.console.out;
  captured.console.out = std::fopen("/dev/full", "w");
  CHECK(gpx_main({"--help"}, captured.console) == 3);
  std::fclose(captured.console.out);
  captured.console.out = out;
  CHECK(contains(captured.err(), "No space left"));
}

TEST_CASE("devices lists every virtual device of the library") {
  Captured captured;
  CHECK(gpx_main({"devices"}, captured.console) == 0);
  CHECK(contains(captured.out(), "k20"));
  CHECK(contains(captured.out(), "m2070"));
  CHECK(contains(captured.out(), "virtual"));
}

TEST_CASE("devices shows all that is reported of a device that is named") {
  Captured captured;
  CHECK(gpx_main({"devices", "k20", "fig4"}, captured.console) == 0);
  CHECK(contains(captured.out(), "l2_bytes"));
  CHECK(contains(captured.out(), "1536 KB"));
  CHECK(contains(captured.out(), "memory bandwidth"));
  CHECK(contains(captured.out(), "208.2 GB/s"));  // the 208 GB/s of the board's specification
  CHECK(contains(captured.out(), "sm_35"));
  CHECK(contains(captured.out(), "48 KB"));
  CHECK(contains(captured.out(), "what its file plants"));
  CHECK(contains(captured.out(), "a block every 2 clocks, over all SMs"));
}

TEST_CASE("devices shows a minor of 0") {
  Captured captured;
  CHECK(gpx_main({"devices", "h100"}, captured.console) == 0);
  CHECK(contains(captured.out(), "compute capability, minor   0 "));
  std::istringstream lines(captured.out());
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
}

TEST_CASE("devices says which name is none, after those that are") {
  Captured captured;
  CHECK(gpx_main({"devices", "k2O", "k20"}, captured.console) == 2);
  CHECK(contains(captured.err(), "did you mean 'k20'?"));
  CHECK(contains(captured.out(), "sm_35"));
}

TEST_CASE("doctor says what it found") {
  Captured captured;
  const int status = gpx_main({"doctor"}, captured.console);
  CHECK((status == 0 || status == 3));
  CHECK(contains(captured.out(), "NVRTC"));
}
