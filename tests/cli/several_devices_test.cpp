#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "captured.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/several/device_list.h"

using namespace gpx::cli;
using Json = nlohmann::json;

namespace {

const char* kFourPoints = "sweep threads 32..128 step 32 < load unique(128B) x2 >\n";

/// As the program itself: each device is a process of it.
Ended on_several(const std::vector<std::string>& arguments) {
  Captured captured;
  captured.console.program = GPX_PROGRAM;
  const int status = gpx_main(arguments, captured.console);
  return {status, captured.out(), captured.err()};
}

}  // namespace

TEST_CASE("names of several devices: lists, numbers of one kind, and their mistakes") {
  const auto names = [](const char* text) { return several_devices(text, find_paths()); };
  CHECK(names("k20")->empty());
  CHECK(names("auto")->empty());
  CHECK(*names("k20,gtx780") == std::vector<std::string>{"k20", "gtx780"});
  const auto message = [&](const char* text) {
    const auto wrong = names(text);
    REQUIRE_FALSE(wrong);
    return gpx::render(wrong.error());
  };
  CHECK(contains(message("k20,gtx78"), "--device:1:5: error: no device is called 'gtx78'"));
  CHECK(contains(message("k20,gtx78"), "did you mean 'gtx780'?"));
  CHECK(contains(message("k20,k20"), "--device:1:5: error: 'k20' is named twice"));
  CHECK(contains(message("k20,"), "--device:1:5: error: a device's name is missing"));
  CHECK(contains(message("k20,cuda:x"), "'cuda:x' is not a device"));
  CHECK(contains(message("k20:*"), "'k20:*' names no device"));
}

TEST_CASE("two devices are one report, one document and one table") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kFourPoints);
  const Ended both = on_several({"run", file, "--device", "k20,gtx780", "--no-store", "--json",
                                 folder.path("a.json"), "--csv", folder.path("a.csv"), "--report",
                                 folder.path("a.html")});
  CHECK(both.status == 0);
  CHECK(both.err == "");
  CHECK(contains(both.out, "k20: "));
  CHECK(contains(both.out, "gtx780: "));
  const Json json = Json::parse(folder.read("a.json"));
  CHECK(json["schema"] == 1);
  REQUIRE(json["experiments"].size() == 2);
  CHECK(json["devices"][1]["name"] == "gtx780");
  CHECK(json["devices"][1]["reason"] == nullptr);
  CHECK(contains(folder.read("a.csv"), "device,experiment,threads,"));
  CHECK(contains(folder.read("a.csv"), "\ngtx780,"));
  CHECK(contains(folder.read("a.html"), "gtx780"));
  CHECK(folder.listing() == "a.csv\na.gpx\na.html\na.json\n");

  // Other commands read the document, and each device is what it is alone.
  CHECK(command({"report", folder.path("a.json"), "-o", folder.path("b.html")}).status == 0);
  for (const std::size_t i : {0, 1}) {
    const std::string device = i == 0 ? "k20" : "gtx780";
    const Ended alone = command({"run", file, "--device", device, "--no-store", "--json", "-"});
    CHECK(Json::parse(alone.out)["experiments"][0] == json["experiments"][i]);
  }
}

TEST_CASE("a second device that fails loses nothing of the first, and is named with its reason") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("a.gpx", "sweep threads in [32, 1024] < load unique(128B) x2 >\n");
  const Ended both = on_several(
      {"run", file, "--device", "k20,gtx280", "--no-store", "--json", folder.path("a.json")});
  const Ended alone = command({"run", file, "--device", "gtx280", "--no-store"});
  REQUIRE(alone.status > 1);
  CHECK(both.status == alone.status);
  CHECK(contains(both.out, "gtx280: not whole: "));
  CHECK(contains(both.err, "gtx280: "));
  const Json json = Json::parse(folder.read("a.json"));
  CHECK(json["experiments"][0]["samples"]["rows"].size() == 2);
  CHECK(json["devices"][0]["status"] == 0);
  CHECK(json["devices"][1]["status"] == both.status);
  CHECK(json["devices"][1]["reason"].is_string());
}

TEST_CASE("a device that takes longer than the time limit is stopped, and its points are kept") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("a.gpx", "sweep threads 1..1024 step 1 repeat 1000 < load unique(128B) x3 >\n");
  const Ended late =
      on_several({"run", file, "--device", "k20", "--no-store", "--time-limit", "1"});
  CHECK(late.status == 3);
  CHECK(contains(late.out, "interrupted: "));
  CHECK(contains(late.err, "error: k20: it was stopped at the time limit of 1 s"));
}

TEST_CASE("time_limit_alone: one device with a limit prints and writes what it does without") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kFourPoints);
  const auto ran = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words = {
        "run", file, "--device", "k20", "--json", folder.path(name), "--no-store"};
    words.insert(words.end(), more.begin(), more.end());
    return on_several(words);
  };
  const Ended free = ran("free.json", {}), limited = ran("limited.json", {"--time-limit", "60"});
  CHECK(limited.status == 0);
  CHECK(limited.err == "");
  CHECK(limited.out == free.out);
  CHECK(folder.read("limited.json") == folder.read("free.json"));
}

TEST_CASE("kept_runs: the runs' numbers are printed, with the command that makes one table") {
  const TemporaryFolder folder;
  const std::string store = folder.path("s.db"), lua =
                                                     "return function(input)\n  finding { name = "
                                                     "\"a.b\", value = 1 }\nend\n";
  folder.write("one.lua", lua);
  const std::string file = folder.write(
      "a.gpx", "experiment e { threads 32 < load unique(128B) > analyze \"one.lua\"() }\n");
  const Ended both = on_several({"run", file, "--device", "k20,gtx780", "--store", store});
  CHECK(both.status == 0);
  const bool first = contains(both.out, "\nkept as run 1 (k20), run 2 (gtx780)\n");
  CHECK(contains(both.out, first ? "gpx export 1 2 --findings tex -o table.tex --store " + store
                                 : "gpx export 2 1 --findings tex -o table.tex --store " + store));
  const Ended table = command({"export", "1", "2", "--findings", "tex", "--store", store});
  CHECK(contains(table.out, "k20 (virtual)"));
  CHECK(contains(table.out, "gtx780 (virtual)"));
  const Ended none = on_several({"run", file, "--device", "k20,gtx780", "--no-store"});
  CHECK_FALSE(contains(none.out, "kept as"));
}

TEST_CASE("a mistake in the text or a name starts nothing") {
  const TemporaryFolder folder;
  const std::string store = folder.path("s.db"), bad = folder.write("b.gpx", "< lod unique >\n");
  const std::string good = folder.write("a.gpx", kFourPoints);
  CHECK(on_several({"run", bad, "--device", "k20,gtx780", "--store", store}).status == 2);
  CHECK(on_several({"run", good, "--device", "k20,gtx78", "--store", store}).status == 2);
  const Ended traced =
      on_several({"run", good, "--device", "k20,gtx780", "--trace", folder.path("t.json")});
  CHECK(traced.status == 2);
  CHECK(contains(traced.err, "--trace needs one device"));
  CHECK(folder.listing() == "a.gpx\nb.gpx\n");
}

TEST_CASE("each device's run is kept in the store, with a line that repeats it") {
  const TemporaryFolder folder;
  const std::string store = folder.path("s.db");
  const Ended both = on_several({"run", folder.write("a.gpx", kFourPoints), "--device",
                                 "k20,gtx780", "--store", store, "-q"});
  CHECK(both.status == 0);
  CHECK(both.out + both.err == "");
  const Json runs = Json::parse(command({"runs", "--store", store, "--json"}).out);
  REQUIRE(runs.size() == 2);
  for (const Json& run : runs) {
    CHECK(run["status"] == "complete");
    CHECK_FALSE(contains(run["command"].get<std::string>(), "one-of-several"));
    CHECK_FALSE(contains(run["command"].get<std::string>(), ".json"));
  }
}

TEST_CASE("operations and characterizations of two devices stand side by side") {
  const TemporaryFolder folder;
  const Ended table = on_several({"operations", "--device", "gtx780,gtx560ti", "--only",
                                  "fma.rn.f32", "--csv", folder.path("o.csv")});
  CHECK(table.status == 0);
  CHECK(contains(table.out, "op.fma.rn.f32.latency"));
  const std::string csv = folder.read("o.csv");
  CHECK(csv.find("operation,type") == csv.rfind("operation,type"));
  CHECK(contains(csv, ",gtx780,"));
  CHECK(contains(csv, ",gtx560ti,"));
  const Ended groups =
      on_several({"characterize", "--device", "k20,gtx780", "--only", "clock", "--no-store"});
  CHECK(groups.status == 0);
  CHECK(contains(groups.out, "gtx780"));
}
