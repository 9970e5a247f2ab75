// The artifact cache: codegen/compile/cache.h.
#include "codegen/compile/cache.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "support.h"

namespace gpx::codegen::test {
namespace {

Artifact made(const std::string& seed = "x") {
  Artifact artifact;
  artifact.entry = "kernel_" + seed;
  artifact.ptx = "ptx of " + seed;
  artifact.cubin = {0, 1, 2, 255};
  artifact.log = "a warning";
  artifact.hash = content_hash({seed});
  return artifact;
}

std::string only_file(const Folder& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.string()))
    files.push_back(entry.path().string());
  REQUIRE(files.size() == 1);
  return files[0];
}

void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_CASE("what was stored is found again, and nothing else") {
  const Folder folder;
  const ArtifactCache cache(folder / "new/folders");
  std::vector<std::string> warnings;
  CHECK_FALSE(cache.find(made().hash, &warnings).has_value());
  cache.store(made(), &warnings);
  const auto found = cache.find(made().hash, &warnings);
  REQUIRE(found.has_value());
  CHECK(found->entry == made().entry);
  CHECK(found->ptx == made().ptx);
  CHECK(found->cubin == made().cubin);
  CHECK(found->log == made().log);
  CHECK(found->hash == made().hash);
  CHECK(found->from_cache);
  CHECK_FALSE(cache.find(made("y").hash, &warnings).has_value());
  CHECK(warnings.empty());
}

TEST_CASE("a damaged file is not found, warned about, and replaced") {
  const Folder folder;
  const ArtifactCache cache(folder.string());
  cache.store(made(), nullptr);
  const std::string path = only_file(folder);
  const std::string sound = read_text(path);
  std::vector<std::string> damaged = {"", "gpxart1\n", "something else",
                                      sound.substr(0, sound.size() - 1), sound + "x"};
  for (std::size_t at : {std::size_t{0}, std::size_t{9}, std::size_t{26}, sound.size() - 1}) {
    damaged.push_back(sound);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 1);
  }
  for (const std::string& bytes : damaged) {
    CAPTURE(bytes.size());
    overwrite(path, bytes);
    std::vector<std::string> warnings;
    CHECK_FALSE(cache.find(made().hash, &warnings).has_value());
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("is damaged") != std::string::npos);
    cache.store(made(), &warnings);
    CHECK(read_text(path) == sound);
  }
}

TEST_CASE("cache_entry_kinds: what is no file is no entry, and is not waited for") {
  const Folder folder;
  const ArtifactCache cache(folder.string());
  cache.store(made(), nullptr);
  const std::string path = only_file(folder);
  for (const char* kind : {"pipe", "device", "folder"}) {
    CAPTURE(kind);
    std::filesystem::remove_all(path);
    if (kind == std::string("pipe")) REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    if (kind == std::string("device")) REQUIRE(::symlink("/dev/zero", path.c_str()) == 0);
    if (kind == std::string("folder")) REQUIRE(::mkdir(path.c_str(), 0700) == 0);
    std::vector<std::string> warnings;
    CHECK_FALSE(cache.find(made().hash, &warnings).has_value());
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("is no entry") != std::string::npos);
    CHECK(is_cache_notice(warnings[0]));
    cache.store(made(), nullptr);
    CHECK(cache.find(made().hash, nullptr).has_value() == (kind != std::string("folder")));
  }
}

TEST_CASE("a folder that cannot be written gives one warning and no error") {
  const Folder folder;
  overwrite(folder / "file", "in the way");
  const ArtifactCache cache(folder / "file");
  std::vector<std::string> warnings;
  cache.store(made("a"), &warnings);
  cache.store(made("b"), &warnings);
  CHECK_FALSE(cache.find(made("a").hash, &warnings).has_value());
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("cannot write to") != std::string::npos);
}

TEST_CASE("a disk without space gives a warning and leaves no half-written file") {
  // In a process that may not write more than 16 bytes to a file.
  const Folder folder;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{16, 16};
    ::setrlimit(RLIMIT_FSIZE, &none);
    std::vector<std::string> warnings;
    ArtifactCache(folder.string()).store(made(), &warnings);
    ::_exit(warnings.size() == 1 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(std::filesystem::is_empty(folder.string()));
}

TEST_CASE("processes that write the same artifact at once leave one sound file") {
  const Folder folder;
  const ArtifactCache cache(folder.string());
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      std::vector<std::string> warnings;
      bool sound = true;
      for (int n = 0; n < 200; ++n) {
        cache.store(made(), &warnings);
        const auto found = cache.find(made().hash, &warnings);
        sound = sound && found && found->ptx == made().ptx;
      }
      ::_exit(sound && warnings.empty() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(cache.find(made().hash, nullptr).has_value());
  only_file(folder);
}

TEST_CASE("the environment decides where the cache is") {
  const Environment unset("GPX_CACHE", "");
  const Environment home("HOME", "/h");
  const Environment xdg("XDG_CACHE_HOME", "");
  const Environment dir("GPX_CACHE_DIR", "");
  CHECK(ArtifactCache::from_environment().folder() == "/h/.cache/gpx");
  {
    const Environment set("XDG_CACHE_HOME", "/x");
    CHECK(ArtifactCache::from_environment().folder() == "/x/gpx");
    const Environment given("GPX_CACHE_DIR", "/g");
    CHECK(ArtifactCache::from_environment().folder() == "/g");
    const Environment off("GPX_CACHE", "off");
    CHECK_FALSE(ArtifactCache::from_environment().enabled());
  }
  const ArtifactCache off("");
  std::vector<std::string> warnings;
  off.store(made(), &warnings);
  CHECK_FALSE(off.find(made().hash, &warnings).has_value());
  CHECK(warnings.empty());
}

TEST_CASE("a hash depends on where one part ends and the next begins") {
  CHECK(content_hash({"ab", "c"}) == content_hash({"ab", "c"}));
  CHECK(content_hash({"ab", "c"}) != content_hash({"a", "bc"}));
  CHECK(content_hash({"ab", ""}) != content_hash({"ab"}));
  CHECK(content_hash({"ab"}).size() == 32);
}

}  // namespace
}  // namespace gpx::codegen::test
