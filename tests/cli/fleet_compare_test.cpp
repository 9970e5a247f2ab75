// gpx fleet compare and gpx atlas with virtual boards: device files whose names differ in the
// serial, and one in what is planted.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "captured.h"
#include "codegen/files/files.h"

using namespace gpx::cli;
using Json = nlohmann::json;

namespace {

/// The text of k20.lua with a serial, and `from` replaced.
std::string board_file(const std::string& serial, const std::string& from = {},
                       const std::string& to = {}) {
  const auto read = gpx::file_text(GPX_SOURCE_DIR "/stdlib/devices/k20.lua");
  REQUIRE(read);
  std::string text = *read;
  const std::string name = "name = \"k20";
  text.insert(text.find(name) + name.size(), "#" + serial);
  if (!from.empty()) {
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
  }
  return text;
}

/// Boards that were measured into one store.
struct Boards {
  TemporaryFolder folder;
  std::string store = folder.path("fleet.db");

  void measure(const std::string& serial, const std::string& text, int runs = 2) const {
    const std::string device = folder.write(serial + ".lua", text);
    for (int run = 1; run <= runs; ++run) {
      const Ended ran =
          command({"characterize", "--device", device, "--only", "global_latency,barrier", "--seed",
                   std::to_string(serial.back() * 10 + run), "--store", store, "-q"});
      REQUIRE_MESSAGE(ran.status == 0, ran.err);
    }
  }
};

}  // namespace

TEST_CASE("a board whose DRAM is 3 % slower is found among virtual boards, with its cause") {
  const Boards boards;
  boards.measure("board-1", board_file("board-1"));
  boards.measure("board-2", board_file("board-2"));
  const Ended equal = command({"fleet", "compare", boards.store});
  CHECK_MESSAGE(equal.status == 0, equal.out);
  CHECK(contains(equal.out, "like its peers"));
  boards.measure("board-3", board_file("board-3", "\"371 clocks\"", "\"382 clocks\""));
  const Ended planted = command({"fleet", "compare", boards.store});
  CHECK_MESSAGE(planted.status == 1, planted.out);
  CHECK(contains(planted.out, "likely cause: memory clock"));
  const Json json = Json::parse(command({"fleet", "compare", boards.store, "--json"}).out);
  REQUIRE(json["boards"].size() == 3);
  CHECK(json["boards"][0]["verdict"] == "like its peers");
  CHECK(json["boards"][2]["verdict"] == "differs from its peers");
  const Json& first = json["boards"][2]["findings"][0];
  CHECK(first["finding"] == "global.latency");
  CHECK(first["verdict"] == "slower");
  CHECK(first["ratio"].get<double>() == doctest::Approx(1.03).epsilon(0.005));
}

TEST_CASE("a virtual board with fewer SMs has another structure") {
  const Boards boards;
  boards.measure("board-1", board_file("board-1"), 1);
  boards.measure("board-2", board_file("board-2", "count = { 13,", "count = { 12,"), 1);
  const Ended ran = command({"fleet", "compare", boards.store});
  CHECK(ran.status == 1);
  CHECK(contains(ran.out, "different structure"));
  CHECK(contains(ran.out, "number of SMs"));
}

TEST_CASE("bad input of many boards is an error with a place, and nothing is written") {
  const Boards boards;
  const std::string site = boards.folder.path("site");
  const auto fails = [&](const std::vector<std::string>& names, int status,
                         const std::string& message) {
    for (const bool atlas : {false, true}) {
      std::vector<std::string> line =
          atlas ? std::vector<std::string>{"atlas"} : std::vector<std::string>{"fleet", "compare"};
      line.insert(line.end(), names.begin(), names.end());
      if (atlas) line.insert(line.end(), {"-o", site});
      const Ended ran = command(line);
      CHECK(ran.status == status);
      CHECK_MESSAGE(contains(ran.err, message), ran.err);
      CHECK(ran.out.empty());
      CHECK_FALSE(std::filesystem::exists(site));
    }
  };
  fails({boards.folder.path("none.db")}, 2, "none.db");
  fails({boards.folder.write("text.db", "no store")}, 3, "text.db");
  boards.measure("board-1", board_file("board-1"), 1);
  std::filesystem::copy_file(boards.store, boards.folder.path("copy.db"));
  fails({boards.store, boards.folder.path("copy.db")}, 2, "are the same run");
  std::string newer = boards.folder.read("copy.db");
  newer[63] = 9;  // The last byte of SQLite's user_version.
  fails({boards.store, boards.folder.write("newer.db", newer)}, 3,
        "newer.db' has format 9, which a newer gpx made");
  boards.measure("k20", *gpx::file_text(GPX_SOURCE_DIR "/stdlib/devices/k20.lua"), 1);
  fails({boards.store}, 2, "run 2 of '" + boards.store + "', experiment 'barrier'");
}

TEST_CASE("one board has nothing to be compared with, but a page") {
  const Boards boards;
  boards.measure("board-1", board_file("board-1"), 1);
  const Ended compared = command({"fleet", "compare", boards.store});
  CHECK(compared.status == 2);
  CHECK(contains(compared.err, "nothing to compare"));
  const std::string site = boards.folder.path("site");
  const Ended made = command({"atlas", boards.store, "-o", site});
  CHECK(made.status == 0);
  CHECK(contains(made.out, "1 boards"));
  for (const char* file :
       {"index.html", "compare.html", "boards/board-1.html", "boards/board-1.json",
        "boards/board-1.csv", "findings/index.html", "devices/k20-virtual.html"})
    CHECK_MESSAGE(std::filesystem::exists(std::filesystem::path(site) / file), file);
}

TEST_CASE("fleet needs a word, and tells which there are") {
  const Ended ran = command({"fleet"});
  CHECK(ran.status == 2);
  CHECK(contains(ran.err, "'gpx fleet' needs one of"));
  CHECK(contains(ran.err, "compare"));
  const Ended wrong = command({"fleet", "compere"});
  CHECK(wrong.status == 2);
  CHECK_MESSAGE(contains(wrong.err, "did you mean 'fleet compare'?"), wrong.err);
  const Ended none = command({"fleet", "compare"});
  CHECK_MESSAGE(contains(none.err, "'gpx fleet compare' needs STORE|RUN"), none.err);
}
