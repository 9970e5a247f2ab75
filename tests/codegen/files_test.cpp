// Reading files and the embedded library: codegen/files/.
#include "codegen/files/files.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "codegen/files/embedded.h"
#include "support.h"

namespace gpx::codegen::test {
namespace {

std::string why(const tl::expected<std::string, ReadFailure>& read) {
  return read ? "" : read.error().reason;
}

TEST_CASE("cache_entry_kinds: only regular files are read, without waiting, up to a size") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  REQUIRE(::symlink("/dev/zero", (folder / "zero").c_str()) == 0);
  REQUIRE(::symlink("pipe", (folder / "to_pipe").c_str()) == 0);
  REQUIRE(::symlink("loop", (folder / "loop").c_str()) == 0);
  REQUIRE(::mkdir((folder / "folder").c_str(), 0700) == 0);
  std::ofstream(folder / "text") << "12345";
  const struct {
    const char* name;
    const char* reason;
  } rows[] = {{"pipe", "a pipe"},           {"to_pipe", "a pipe"},      {"zero", "a device"},
              {"folder", "Is a directory"}, {"loop", "symbolic links"}, {"none", "No such file"}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(why(read_file_at(folder / row.name)).find(row.reason) != std::string::npos);
    CHECK(why(read_file_start(folder / row.name, 4)).find(row.reason) != std::string::npos);
    CHECK_FALSE(file_text(folder / row.name));
    CHECK_FALSE(is_file(folder / row.name));
  }
  CHECK(read_file_at(folder / "none").error().missing());
  CHECK_FALSE(read_file_at(folder / "pipe").error().missing());
  CHECK(file_text(folder / "text") == "12345");
  CHECK(file_text(folder / "text", 5) == "12345");
  CHECK(why(read_file_at(folder / "text", 4)) == "it is larger than 4 B");
  CHECK(read_file_start(folder / "text", 4) == "1234");
  CHECK(read_file_start(folder / "text", 9) == "12345");
}

TEST_CASE("files without a size are read to their end, or to the limit") {
  const auto status = file_text("/proc/self/status");
  REQUIRE(status);
  CHECK(status->find("Name:") != std::string::npos);
  CHECK_FALSE(file_text("/proc/self/status", 8));
}

TEST_CASE("a folder's files are listed in order, of one ending, with those below") {
  const Folder folder;
  std::filesystem::create_directories(folder / "below");
  for (const char* name : {"b.lua", "a.lua", "c.gpx", "below/d.lua"})
    std::ofstream(folder / name) << name;
  REQUIRE(::mkfifo((folder / "pipe.lua").c_str(), 0600) == 0);
  using Paths = std::vector<std::string>;
  CHECK(files_in(folder.string(), ".lua") == Paths{folder / "a.lua", folder / "b.lua"});
  CHECK(*list_files(folder.string(), ".lua", true) ==
        Paths{folder / "a.lua", folder / "b.lua", folder / "below/d.lua"});
  CHECK(list_files(folder / "none")->empty());
}

TEST_CASE("the embedded library is that of the tree, file by file") {
  for (const char* part : {"stdlib", "experiments"}) {
    const std::string tree = std::string(GPX_SOURCE_DIR) + "/", begin(kEmbedded);
    const auto there = *list_files(tree + part, {}, true);
    const auto here = *list_files(begin + part, {}, true);
    REQUIRE(here.size() == there.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      CHECK(here[i].substr(begin.size()) == there[i].substr(tree.size()));
      CHECK(file_text(here[i]) == file_text(there[i]));
    }
  }
  CHECK(is_folder("embedded:/stdlib/devices"));
  CHECK(is_file("embedded:/stdlib/devices/k20.lua"));
  CHECK_FALSE(is_file("embedded:/stdlib/devices"));
  CHECK_FALSE(is_folder("embedded:/stdlib/none"));
  CHECK(files_in("embedded:/stdlib", ".txt").size() ==
        files_in(std::string(GPX_SOURCE_DIR) + "/stdlib", ".txt").size());
}

}  // namespace
}  // namespace gpx::codegen::test
