#include <doctest/doctest.h>
#include <sqlite3.h>

#include <filesystem>

#include "captured.h"

using namespace gpx::cli;

namespace {

const char* kEightPoints =
    "experiment eight { sweep threads 32..256 step 32 repeat 2 < load unique(128B) x2 > }\n";

/// The shards of one run, each in a store of its own, and the run itself.
struct Shards {
  TemporaryFolder folder;
  std::string file = folder.write("a.gpx", kEightPoints);

  std::string store(const std::string& name) const { return folder.path(name + ".db"); }
  Ended shard(const std::string& name, const std::string& shard,
              const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"run", file, "-q", "--shard", shard, "--store", store(name)};
    words.insert(words.end(), {"--device", "k20"});
    words.insert(words.end(), more.begin(), more.end());
    return command(words);
  }
  std::string whole() const {
    return command({"run", file, "--device", "k20", "-q", "--no-store", "--json", "-"}).out;
  }
  Ended merge(const std::vector<std::string>& names, const std::string& output) const {
    std::vector<std::string> words = {"merge", "-o", store(output)};
    for (const std::string& name : names) words.push_back(store(name));
    return command(words);
  }
  std::string shown(const std::string& name) const {
    return command({"show", "last", "--json", "--store", store(name)}).out;
  }
};

void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

}  // namespace

TEST_CASE("run --shard and merge give the document of the whole run") {
  const Shards shards;
  for (const char* part : {"1/3", "2/3", "3/3"})
    REQUIRE(shards.shard(std::string(1, part[0]), part).status == 0);
  const Ended merged = shards.merge({"2", "3", "1"}, "all");
  CHECK(merged.err == "");
  CHECK(merged.status == 0);
  CHECK(contains(merged.out, "run 1: eight on k20, 8 points, joined from 3 shards\n"));
  CHECK(shards.shown("all") == shards.whole());
  const Ended again = shards.merge({"1", "2", "3"}, "all");
  CHECK(again.status == 2);
  CHECK(contains(again.err, "are parts of is in the store"));
  CHECK(contains(again.err, "already, as run 1"));
}

TEST_CASE("shards of one store are merged into the same store, other runs are copied") {
  const Shards shards;
  REQUIRE(shards.shard("all", "1/2").status == 0);
  REQUIRE(shards.shard("all", "2/2").status == 0);
  CHECK(shards.merge({"all"}, "all").status == 0);
  CHECK(shards.shown("all") == shards.whole());
  REQUIRE(command({"run", shards.file, "--device", "gtx780", "-q", "--store", shards.store("b")})
              .status == 0);
  const Ended merged = shards.merge({"b"}, "all");
  CHECK(merged.status == 0);
  CHECK(contains(merged.out, "run 4: run 1 of '" + shards.store("b") + "'"));
  CHECK(shards.shown("all") == shards.shown("b"));
}

TEST_CASE("a merge that is refused changes nothing and names the place") {
  const Shards shards;
  REQUIRE(shards.shard("1", "1/3").status == 0);
  REQUIRE(shards.shard("3", "3/3").status == 0);
  const auto refused = [&](const std::vector<std::string>& names, const std::string& why) {
    const Ended merged = shards.merge(names, "out");
    CHECK(merged.status >= 2);
    CHECK_MESSAGE(contains(merged.err, why), merged.err);
    CHECK_FALSE(std::filesystem::exists(shards.store("out")));
  };
  refused({"1", "3"},
          "eight on k20 (run 1 of '" + shards.store("1") + "'): of 3 shards 1 is missing: 2");
  refused({"1", "1"}, "is named twice");
  refused({"1", "none"}, "none.db'");

  // Two stores with one run.
  std::filesystem::copy_file(shards.store("1"), shards.store("copy"));
  refused({"1", "copy", "3"}, "run 1 of '" + shards.store("1") + "' and run 1 of '" +
                                  shards.store("copy") + "' are the same run");
  // One shard measured twice, with the same samples; a damaged one.
  REQUIRE(shards.shard("2", "2/3").status == 0);
  REQUIRE(shards.shard("again", "2/3").status == 0);
  CHECK(shards.merge({"1", "2", "again", "3"}, "same").status == 0);
  REQUIRE(shards.shard("damaged", "2/3").status == 0);
  execute(shards.store("damaged"), "DELETE FROM batch WHERE first = 0");
  refused({"1", "damaged", "3"}, "shard 2/3 is damaged: it lacks point 1");

  // Another schema.
  REQUIRE(shards.shard("newer", "2/3").status == 0);
  execute(shards.store("newer"), "PRAGMA user_version = 9");
  refused({"1", "newer", "3"}, "newer.db' has format 9, which a newer gpx made");
  shards.folder.write("text.db", "no database at all, but a text of some length, for the header");
  refused({"1", "text", "3"}, "text.db' is not a store of gpx");

  // Another device or seed: the missing shard is found there.
  REQUIRE(shards.shard("seeded", "2/3", {"--seed", "7"}).status == 0);
  refused({"1", "seeded", "3"}, "shard 2/3 with another run's seed 7");
  // Another build.
  REQUIRE(shards.shard("built", "2/3").status == 0);
  execute(shards.store("built"),
          "UPDATE experiment SET result = json_set(result, '$.provenance.build', '0123')");
  refused({"1", "built", "3"}, "another build of gpx");
}

TEST_CASE("run --shard takes no other parts, and --save needs all points") {
  const Shards shards;
  CHECK(contains(shards.shard("a", "4/3").err, "there is no part 4 of 3"));
  CHECK(contains(shards.shard("a", "x").err, "'x' is not a part of a sweep"));
  CHECK(contains(shards.shard("a", "1/2", {"--save", "a=b.npy"}).err, "--save needs all points"));
  CHECK_FALSE(std::filesystem::exists(shards.store("a")));
}

TEST_CASE("run --continue begins, goes on, and has nothing left to do") {
  const Shards shards;
  const std::vector<std::string> line = {"run", shards.file, "--device",        "k20",
                                         "-q",  "--store",   shards.store("a"), "--json",
                                         "-",   "--continue"};
  const std::string whole = shards.whole();
  CHECK(command(line).out == whole);
  CHECK(command(line).out == whole);
  CHECK(contains(command({"runs", "--store", shards.store("a")}).out, "\n1 "));
  CHECK_FALSE(contains(command({"runs", "--store", shards.store("a")}).out, "\n2 "));
  // As a killed process leaves it: a batch is missing, and nobody holds the run.
  execute(shards.store("a"),
          "DELETE FROM batch; UPDATE experiment SET ended = 0, points = 0, values_digest = "
          "'0000000000000000'; UPDATE run SET status = 'running', ended = NULL");
  CHECK(command(line).out == whole);
  CHECK_FALSE(contains(command({"runs", "--store", shards.store("a")}).out, "\n2 "));
  // Another shard, seed or text is another run.
  CHECK(shards.shard("a", "1/2", {"--continue"}).status == 0);
  CHECK(shards.shard("a", "1/2", {"--continue", "--seed", "2"}).status == 0);
  CHECK(contains(command({"runs", "--store", shards.store("a")}).out, "\n3 "));
}
