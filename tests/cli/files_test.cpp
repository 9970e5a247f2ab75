#include "runtime/cli/output/files.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "captured.h"

using namespace gpx;
using namespace gpx::cli;

TEST_CASE("a file that is written replaces the old one whole") {
  const TemporaryFolder folder;
  folder.write("a.json", "old");
  ::chmod(folder.path("a.json").c_str(), 0640);
  Result<AtomicFile> file = AtomicFile::open(folder.path("a.json"));
  REQUIRE(file);
  CHECK(folder.read("a.json") == "old");
  REQUIRE(file->commit("new"));
  CHECK(folder.read("a.json") == "new");
  CHECK(folder.listing() == "a.json\n");
  struct stat status {};
  ::stat(folder.path("a.json").c_str(), &status);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("a file that is not committed leaves nothing behind") {
  const TemporaryFolder folder;
  { REQUIRE(AtomicFile::open(folder.path("a.json"))); }
  CHECK(folder.listing() == "");
}

TEST_CASE("a full disk is the device's fault") {
  const Result<void> written = write_file("/dev/full", "x");
  REQUIRE_FALSE(written);
  CHECK(written.error().fault == Fault::device);
  CHECK(contains(written.error().diagnostics[0].message, "No space left"));
}

TEST_CASE("a path that cannot be written is known before anything runs") {
  const TemporaryFolder folder;
  for (const std::string& path : {folder.path("none/a.json"), folder.path("")}) {
    const Result<AtomicFile> file = AtomicFile::open(path);
    REQUIRE_FALSE(file);
    CHECK(file.error().fault == Fault::device);
    CHECK(contains(file.error().diagnostics[0].message, path));
  }
}

TEST_CASE("a symbolic link stays one, its target is replaced") {
  const TemporaryFolder folder;
  folder.write("target", "old");
  REQUIRE(::symlink(folder.path("target").c_str(), folder.path("link").c_str()) == 0);
  REQUIRE(write_file(folder.path("link"), "new"));
  CHECK(std::filesystem::is_symlink(folder.path("link")));
  CHECK(folder.read("target") == "new");
}

TEST_CASE("reading says what is wrong with a path") {
  const TemporaryFolder folder;
  const struct {
    std::string path;
    const char* part;
  } rows[] = {{folder.path("none.gpx"), "No such file"},
              {folder.path(""), "Is a directory"},
              {"/dev/zero", "a device, not a file"}};
  for (const auto& row : rows) {
    const Result<Source> source = read_source(row.path);
    REQUIRE_FALSE(source);
    CHECK(source.error().fault == Fault::input);
    CHECK(contains(source.error().diagnostics[0].message, row.part));
  }
  for (const char* name : {"kepler_prt", "kepler_prt.gpx"}) {
    const auto known = read_source(name);
    REQUIRE_FALSE(known);
    CHECK(contains(known.error().diagnostics[0].hint, "comes with gpx: "));
    CHECK(contains(known.error().diagnostics[0].hint, "gpx run kepler_prt"));
  }
  CHECK(read_source("kepler_prr").error().diagnostics[0].hint.empty());
  REQUIRE(read_source(folder.write("a.gpx", "text")));
  CHECK(read_source(folder.path("a.gpx"))->text() == "text");
}

TEST_CASE("GPX_STDLIB names the standard library, with the experiments beside it") {
  const TemporaryFolder folder;
  folder.write("share/experiments/a.gpx", "");
  folder.write("share/stdlib/devices/k20.lua", "");
  ::setenv("GPX_STDLIB", folder.path("share/stdlib").c_str(), 1);
  const Paths paths = find_paths();
  ::unsetenv("GPX_STDLIB");
  CHECK(paths.stdlib == folder.path("share/stdlib"));
  CHECK(paths.experiments == folder.path("share/experiments"));
  CHECK(find_paths().stdlib == GPX_SOURCE_DIR "/stdlib");
}

TEST_CASE("charact_empty_stdlib: a program uses the library beside it, else its own") {
  const TemporaryFolder folder;
  CHECK(find_paths(folder.path("bin")).stdlib == "embedded:/stdlib");
  CHECK(find_paths(folder.path("bin")).experiments == "embedded:/experiments");
  CHECK(find_paths(GPX_SOURCE_DIR "-other/build").stdlib == "embedded:/stdlib");
  CHECK(find_paths(GPX_SOURCE_DIR "/build/x").stdlib == GPX_SOURCE_DIR "/stdlib");
  folder.write("share/gpx/stdlib/devices/k20.lua", "");
  CHECK(find_paths(folder.path("bin")).stdlib == folder.path("share/gpx/stdlib"));
  folder.write("bin/stdlib/devices/k20.lua", "");
  CHECK(find_paths(folder.path("bin")).stdlib == folder.path("bin/stdlib"));
}

TEST_CASE("paths are shown from the working directory where they lie beneath it") {
  const std::string here = std::filesystem::current_path().string();
  CHECK(display_path(here + "/a/b.gpx") == "a/b.gpx");
  CHECK(display_path("/somewhere/else.gpx") == "/somewhere/else.gpx");
  CHECK(display_path("a.gpx") == "a.gpx");
}
