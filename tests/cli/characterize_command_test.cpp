#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "captured.h"

using namespace gpx::cli;
using Json = nlohmann::json;

namespace {

Ended characterize(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "characterize");
  return command(arguments);
}

}  // namespace

TEST_CASE("bad options of characterize are status 2, with what was meant") {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"--only", "memroy"}, "did you mean 'memory'?"},
      {{"--only", "memory,clok"}, "did you mean 'clock'?"},
      {{"--only", "xyzzy"}, "gpx characterize --list"},
      {{"--only", ""}, "there is no group ''"},
      {{"--budget", "0"}, "'0' is not a number of seconds above 0"},
      {{"--budget", "-1"}, "'-1' is not a number of seconds above 0"},
      {{"--budget", "soon"}, "'soon' is not a number of seconds above 0"},
      {{"--budget", "nan"}, "'nan' is not a number of seconds above 0"},
      {{"--device", "gtx28"}, "did you mean 'gtx280'?"},
      {{"--device", "no.lua"}, "no.lua"},
      {{"--jsn", "-"}, "did you mean '--json'?"},
      {{"file.gpx"}, "'gpx characterize' takes no argument 'file.gpx'"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.message);
    const Ended outcome = characterize(each.arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.out == "");
    CHECK(contains(outcome.err, each.message));
  }
}

TEST_CASE("a document that cannot be written is status 3 and nothing runs") {
  const Ended outcome = characterize({"--device", "fig4", "--json", "/no/such/folder/a.json"});
  CHECK(outcome.status == 3);
  CHECK(outcome.out == "");
}

TEST_CASE("the groups are listed by family, and --only chooses among them") {
  const Ended all = characterize({"--list"});
  CHECK(all.status == 0);
  for (const char* name : {"memory", "texture", "clock", "outstanding", "register_file"})
    CHECK(contains(all.out, name));
  const Ended few = characterize({"--list", "--only", "requests"});
  CHECK(contains(few.out, "outstanding"));
  CHECK_FALSE(contains(few.out, "texture"));
}

TEST_CASE("one table and one document, with the papers' values") {
  const TemporaryFolder folder;
  const Ended outcome = characterize({"--device", "gtx280", "--only", "clock,scoreboard",
                                      "--verbose", "--json", folder.path("a.json")});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "virtual GPU gtx280: a model, not a measurement"));
  CHECK(contains(outcome.out, "28 clocks (WO1)"));
  CHECK(contains(outcome.out, "gtx280: 2 of 2 groups, "));
  CHECK(contains(outcome.out, "modelled"));
  CHECK_FALSE(contains(outcome.out, "  measured"));
  CHECK(contains(outcome.err, "2/2"));
  const Json json = Json::parse(folder.read("a.json"));
  CHECK(json["schema"] == 1);
  REQUIRE(json["experiments"].size() == 2);
  const Json& clock = json["experiments"][0];
  CHECK(clock["name"] == "clock");
  CHECK(clock["device"]["name"] == "gtx280");
  CHECK(clock["group"]["family"] == "control");
  CHECK(clock["group"]["reason"].is_null());
  CHECK(clock["findings"][0]["name"] == "clock.overhead");
  CHECK(clock["findings"][0]["paper"]["cite"] == "WO1");
  CHECK(clock["samples"]["rows"].size() > 0);
}

TEST_CASE("with a document on standard output the report goes to standard error") {
  const Ended outcome = characterize({"--device", "fig4", "--only", "divergence", "--json", "-"});
  CHECK(outcome.status == 0);
  CHECK(Json::parse(outcome.out)["experiments"].size() == 1);
  CHECK(contains(outcome.err, "divergence.order"));
  const Ended quiet =
      characterize({"--device", "fig4", "--only", "divergence", "--json", "-", "--quiet"});
  CHECK(quiet.err == "");
}

TEST_CASE("what does not fit into the budget is said, and the run succeeds") {
  const Ended outcome = characterize({"--device", "fig4", "--budget", "1e-9", "--json", "-"});
  CHECK(outcome.status == 0);
  const Json document = Json::parse(outcome.out);
  for (const Json& group : document["experiments"]) {
    CHECK(group["interrupted"] == true);
    CHECK(group["group"]["reason"] == "budget");
  }
  CHECK(contains(outcome.err, "not run: budget"));
}

TEST_CASE("a characterization is a run of the store, and goes on where it ended early") {
  const TemporaryFolder folder;
  const std::string store = folder.path("gpx.db"), json = folder.path("a.json");
  const auto stored = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--store", store});
    return command(arguments);
  };
  const std::vector<std::string> asked = {"characterize", "--device", "gtx280", "--only",
                                          "clock,divergence"};
  auto few = asked;
  few.insert(few.end(), {"--budget", "1e-9"});
  CHECK(stored(few).status == 0);
  CHECK(contains(stored({"runs"}).out, "interrupted"));
  CHECK(contains(stored({"show", "1"}).out, "not run: budget"));

  const Ended resumed = stored({"resume", "1", "--json", json});
  CHECK(resumed.status == 0);
  CHECK(contains(resumed.out, "gtx280: 2 of 2 groups, "));
  CHECK(contains(stored({"runs"}).out, "clock, divergence"));
  const Ended shown = stored({"show", "1"});
  CHECK(contains(shown.out, "complete"));
  const std::string line = "kept as run 1\n";
  REQUIRE(resumed.out.ends_with(line));
  const std::string report = resumed.out.substr(0, resumed.out.size() - line.size());
  CHECK(contains(shown.out, report));  // The papers' units, too.
  CHECK(stored({"show", "1", "--json"}).out == folder.read("a.json"));

  auto again = asked;
  again.insert(again.end(), {"--quiet", "--report", folder.path("a.html")});
  CHECK(stored(again).status == 0);
  CHECK(contains(folder.read("a.html"), "clock.overhead"));
  const Ended same = stored({"diff", "1", "2"});
  CHECK(same.status == 0);
  CHECK(contains(same.out, "clock.overhead"));
  CHECK(contains(same.out, " 0 different"));
  CHECK(stored({"rerun", "1", "--device", "k20", "--quiet"}).status == 0);
  CHECK(stored({"diff", json, "3"}).status == 1);

  CHECK(stored({"export", "1", "--output", folder.path("b.json")}).status == 0);
  const std::string other = folder.path("other.db");
  CHECK(command({"import", folder.path("b.json"), "--store", other}).status == 0);
  CHECK(contains(command({"show", "last", "--store", other}).out, report));
}

TEST_CASE("--no-store keeps nothing of a characterization") {
  const TemporaryFolder folder;
  const Ended both = characterize(
      {"--device", "fig4", "--only", "divergence", "--no-store", "--store", folder.path("gpx.db")});
  CHECK(both.status == 2);
  CHECK(characterize({"--device", "fig4", "--only", "divergence", "--no-store"}).status == 0);
}
