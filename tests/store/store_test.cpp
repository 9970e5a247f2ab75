#include "runtime/store/store.h"

#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>

#include "support.h"

using namespace gpx;
using namespace gpx::store;
using gpx::cli::contains;
using gpx::cli::TemporaryFolder;

namespace {

/// Looks into the store whenever a batch is complete.
struct Look : RunObserver {
  explicit Look(const Store& in) : store(in) {}
  const Store& store;
  int looks = 0;
  void measured(const ExperimentResult&, const PointsMeasured& points) override {
    const StoredRun run = value(store.load(1));
    const ExperimentResult& experiment = run.result.experiments.back();
    CHECK(run.origin.status == "running");
    CHECK(experiment.points == points.done);
    CHECK(experiment.values_digest == points.values_digest);
    CHECK(to_csv(experiment.samples) == to_csv(points.samples));
    ++looks;
  }
};

void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

}  // namespace

TEST_CASE("a stored run gives the very document that was printed, and every batch at once") {
  const TemporaryFolder folder;
  const Store store = value(Store::open(folder.path("deep/down/gpx.db"), true));
  Session session(kPaths);
  RunOptions options = on_k20();
  options.settings = {{"repeat", "2"}};
  CHECK_FALSE(session.run(Source("two.gpx", kTwo), options).has_value());  // No such parameter.
  options.settings = {{"threads", "64..1024 step 64"}};
  const Source source("two.gpx", "sweep threads 32..64 step 32 < load unique(128B) > repeat 2\n");
  const std::string set = keep(store, session, source, options);
  CHECK(value(store.document(1)) == set);

  const TemporaryFolder other;
  const Store second = value(Store::open(other.path("gpx.db"), true));
  Look look(second);
  options = on_k20();
  options.observers.clear();
  RunResult inputs;
  inputs.sources = {Source("two.gpx", kTwo)};
  Recorder recorder(second, origin_of_this_run("gpx run two.gpx", "k20", 1), inputs);
  options.observers = {&recorder, &look};
  const RunResult result = value(session.run(inputs.sources.front(), options));
  CHECK(value(second.load(1)).origin.status == "running");
  recorder.finish(false, false);
  CHECK(look.looks >= 3);
  CHECK(value(second.document(1)) == report::to_json(result));
  const StoredRun stored = value(second.load(1));
  CHECK(stored.origin.status == "complete");
  CHECK(stored.origin.ended >= stored.origin.started);
  // The report for people, too: units of the paper's values, plots, repetitions.
  const report::TerminalOptions plain{{false, true, 100}, true};
  CHECK(report::to_terminal(stored.result, plain) == report::to_terminal(result, plain));
}

TEST_CASE("a stopped run goes on to what it would have been, wherever it was stopped") {
  const TemporaryFolder folder;
  const Store store = value(Store::open(folder.path("gpx.db"), true));
  Session session(kPaths);
  const Source source("two.gpx", kTwo);
  const std::string whole = keep(store, session, source);
  for (const std::uint64_t points : {1, 150, 400, 512}) {
    StopAfter stopper(points);
    RunOptions options = on_k20();
    options.observers = {&stopper};
    options.stop = &stopper.stop;
    const std::string part = keep(store, session, source, options);
    const std::int64_t run = value(store.find("last"));
    CHECK(value(store.document(run)) == part);
    const StoredRun stored = value(store.load(run));
    CHECK(stored.origin.status == "interrupted");
    Recorder recorder = value(Recorder::resume(store, stored));
    RunOptions rest = on_k20();
    rest.before = &stored.result;
    rest.observers = {&recorder};
    const RunResult result = value(session.run(source, rest));
    recorder.finish(result.interrupted, false);
    CHECK_FALSE(recorder.problem().has_value());
    CHECK(report::to_json(result) == whole);
    CHECK(value(store.document(run)) == whole);
  }
}

TEST_CASE("a run does not go on where something else would be measured") {
  const TemporaryFolder folder;
  const Store store = value(Store::open(folder.path("gpx.db"), true));
  Session session(kPaths);
  std::ifstream k20(kPaths.stdlib + "/devices/k20.lua");
  std::string mine((std::istreambuf_iterator<char>(k20)), {});
  mine.replace(mine.find("\"k20\""), 5, "\"mine\"");
  const std::string device = folder.write("my.lua", mine);
  const std::string text = "sweep threads 2..1024 < load unique(128B) >";
  StopAfter stopper(1);
  RunOptions options;
  options.device = device;
  options.observers = {&stopper};
  options.stop = &stopper.stop;
  keep(store, session, Source("a.gpx", text), options);
  const StoredRun stored = value(store.load(1));
  const auto refusal = [&](const std::string& now, const std::string& on, Session& where) {
    RunOptions rest;
    rest.device = on;
    rest.before = &stored.result;
    const auto result = where.run(Source("a.gpx", now), rest);
    return message(result);
  };
  CHECK(contains(refusal(text + " repeat 2", device, session), "the experiment changed"));
  CHECK(contains(refusal(text, "m2070", session), "the device (mine then, m2070 now) changed"));
  std::ofstream(device, std::ios::app) << "-- a comment\n";
  Session fresh(kPaths);
  CHECK(contains(refusal(text, device, fresh), "the device's file changed"));
}

TEST_CASE("runs are found by number, by the beginning of their id, and as the last one") {
  const TemporaryFolder folder;
  const Store store = value(Store::open(folder.path("gpx.db"), true));
  CHECK(contains(message(store.find("last")), "there are no runs"));
  Session session(kPaths);
  keep(store, session, Source("a.gpx", "threads 32 < load unique(128B) >"));
  keep(store, session, Source("b.gpx", "experiment b { threads 32 < load unique(128B) > }"));
  const auto all = value(store.runs({}));
  REQUIRE(all.size() == 2);
  CHECK(all[0].number == 2);
  CHECK(all[0].experiments == std::vector<std::string>{"b"});
  CHECK(all[0].devices == std::vector<std::string>{"k20 (virtual)"});
  CHECK(all[0].points == 1);
  CHECK(value(store.find("1")) == 1);
  CHECK(value(store.find("last")) == 2);
  CHECK(value(store.find(all[0].origin.id)) == 2);
  CHECK(value(store.find(all[1].origin.id.substr(0, 8))) == 1);
  for (const char* wrong : {"", "3", "0", "-1", "nonsense", "99999999999999999999", "%", "_"})
    CHECK_MESSAGE(contains(message(store.find(wrong)), "there is no run"), std::string(wrong));
  CHECK(value(store.runs({1, "", ""})).size() == 1);
  CHECK(value(store.runs({0, "K2", ""})).size() == 2);
  CHECK(value(store.runs({0, "", "b"})).size() == 1);
  CHECK(value(store.runs({0, "h100", ""})).empty());
}

TEST_CASE("an exported run is the same in another store") {
  const TemporaryFolder folder;
  const Store one = value(Store::open(folder.path("one.db"), true));
  const Store two = value(Store::open(folder.path("two.db"), true));
  Session session(kPaths);
  StopAfter stopper(100);
  RunOptions options = on_k20();
  options.observers = {&stopper};
  options.stop = &stopper.stop;
  keep(one, session, Source("two.gpx", kTwo));
  keep(one, session, Source("two.gpx", kTwo), options);
  for (const std::int64_t run : {1, 2}) {
    const std::string text = value(one.export_document(run));
    const report::ReadRun read = value(report::from_json(text, "e.json"));
    CHECK(report::to_json(read.result, &*read.origin) == text);
    CHECK(value(two.import_run(read)) == run);
    CHECK(value(two.export_document(run)) == text);
    CHECK(contains(message(two.import_run(read)), "in the store already"));
  }
  // A run that was interrupted there goes on here.
  const StoredRun stored = value(two.load(2));
  RunOptions rest = on_k20();
  rest.before = &stored.result;
  const RunResult result = value(session.run(Source("two.gpx", kTwo), rest));
  CHECK(report::to_json(result) == value(one.document(1)));
}

TEST_CASE("what is no store of this gpx is refused with the reason, and stays as it is") {
  const TemporaryFolder folder;
  const std::string text = folder.write("text.db", "this is not a database, only a long text\n");
  CHECK(contains(message(Store::open(text, true)), "nor any SQLite file"));
  CHECK(folder.read("text.db") == "this is not a database, only a long text\n");

  execute(folder.path("foreign.db"), "CREATE TABLE mine (x)");
  CHECK(contains(message(Store::open(folder.path("foreign.db"), true)), "of another program"));

  value(Store::open(folder.path("newer.db"), true));
  execute(folder.path("newer.db"), "PRAGMA user_version = 99");
  const auto newer = Store::open(folder.path("newer.db"), true);
  CHECK(contains(message(newer), "which a newer gpx made"));
  CHECK(newer.error().fault == Fault::device);

  CHECK(contains(message(Store::open(folder.path("."), true)), "is a folder"));
  const TemporaryFolder closed;
  std::filesystem::permissions(closed.path("."), std::filesystem::perms::owner_exec);
  const bool is_root = ::geteuid() == 0;  // Who may write everywhere.
  if (is_root) REQUIRE(::seteuid(65534) == 0);
  const std::string said = message(Store::open(closed.path("a.db"), true));
  if (is_root) REQUIRE(::seteuid(0) == 0);
  std::filesystem::permissions(closed.path("."), std::filesystem::perms::owner_all);
  CHECK_MESSAGE(contains(said, "Permission denied"), said);
  CHECK(contains(message(Store::open(folder.path("none.db"), false)), "there is no store"));
  CHECK(contains(message(Store::open("/proc/no/gpx.db", true)), "cannot make the folder"));
}

TEST_CASE("a damaged store says so, whatever is broken in it") {
  const TemporaryFolder folder;
  Session session(kPaths);
  {
    const Store store = value(Store::open(folder.path("good.db"), true));
    keep(store, session, Source("two.gpx", kTwo));
  }
  const std::string good = folder.read("good.db");
  REQUIRE(good.size() > 8192);
  for (std::size_t at = 100; at < good.size(); at += good.size() / 60) {
    std::string bad = good;
    for (std::size_t i = at; i < std::min(at + 300, bad.size()); ++i) bad[i] ^= 0x5a;
    const std::string path = folder.write("bad.db", bad);
    const auto store = Store::open(path, false);
    if (!store) continue;  // An error is what is asked for; a crash is not.
    (void)store->runs({});
    (void)store->document(1);
  }
  const Store store = value(Store::open(folder.path("good.db"), false));
  execute(folder.path("good.db"), "UPDATE batch SET samples = x'00112233'");
  CHECK(contains(message(store.document(1)), "stored samples cannot be read"));
  execute(folder.path("good.db"), "UPDATE experiment SET result = '{}'");
  CHECK(contains(message(store.document(1)), "no document of gpx"));
}

TEST_CASE("the log of an experiment's probes is stored with the run and read back") {
  const TemporaryFolder folder;
  const Store store = value(Store::open(folder.path("gpx.db"), true));
  Session session(kPaths);
  keep(store, session, Source("two.gpx", kTwo));
  StoredRun stored = value(store.load(1));
  CHECK(stored.result.experiments[0].probes.findings.empty());
  REQUIRE(store.load_probes(stored));
  const ExperimentResult& first = stored.result.experiments[0];
  CHECK(first.probes.findings.size() == first.findings.size());
  CHECK(first.probes.memory_bytes == first.device.memory_bytes);
  execute(folder.path("gpx.db"), "UPDATE probes SET log = x'00112233'");
  CHECK(contains(message(store.load_probes(stored)), "a stored log of probes is damaged"));
}

TEST_CASE("a run that another store takes keeps its log of probes") {
  const TemporaryFolder folder;
  const Store from = value(Store::open(folder.path("from.db"), true));
  Session session(kPaths);
  keep(from, session, Source("two.gpx", kTwo));
  StoredRun run = value(from.load(1));
  REQUIRE(from.load_probes(run));
  const std::string log = to_string(run.result.experiments[0].probes);
  const Store to = value(Store::open(folder.path("to.db"), true));
  CHECK(value(to.import_newer({std::move(run.result), std::move(run.origin)})));
  StoredRun taken = value(to.load(1));
  REQUIRE(to.load_probes(taken));
  CHECK(to_string(taken.result.experiments[0].probes) == log);
}

TEST_CASE("a store of an earlier format gets the table that it lacks") {
  const TemporaryFolder folder;
  Session session(kPaths);
  keep(value(Store::open(folder.path("gpx.db"), true)), session, Source("two.gpx", kTwo));
  execute(folder.path("gpx.db"), "DROP TABLE probes; PRAGMA user_version = 1");
  const Store store = value(Store::open(folder.path("gpx.db"), false));
  StoredRun stored = value(store.load(1));
  REQUIRE(store.load_probes(stored));
  CHECK(stored.result.experiments[0].probes.records.empty());
  keep(store, session, Source("two.gpx", kTwo));
  stored = value(store.load(2));
  REQUIRE(store.load_probes(stored));
  CHECK_FALSE(stored.result.experiments[0].probes.findings.empty());
}

TEST_CASE("a store that another process is about to write is waited for, as two begin it at once") {
  const TemporaryFolder folder;
  const std::string path = folder.path("gpx.db");
  value(Store::open(path, true));
  const Database other = value(Database::open(path, true));
  REQUIRE(other.set_journal("DELETE"));  // A new store has it until its first process sets its own.
  REQUIRE(other.execute("BEGIN IMMEDIATE"));
  auto opened = std::async(std::launch::async, [&] { return Store::open(path, true); });
  opened.wait_for(std::chrono::milliseconds(200));  // It has asked; what is right may take longer.
  REQUIRE(other.execute("ROLLBACK"));
  value(opened.get());
}

TEST_CASE("findings and expectations are tables for SQL") {
  const TemporaryFolder folder;
  const Store store = value(Store::open(folder.path("gpx.db"), true));
  Session session(kPaths);
  keep(store, session, Source("two.gpx", kTwo));
  // As others open it: gpx itself runs no view.
  const Database database = value(Database::open_empty());
  CHECK(database.execute("ATTACH '" + folder.path("gpx.db") + "' AS s").has_value());
  CHECK(value(database.number("SELECT value FROM s.finding WHERE name = "
                              "'outstanding.saturation[n=2]'")) >= 672);
  CHECK(value(database.number("SELECT count(*) FROM s.expectation WHERE pass AND applies")) == 1);
  CHECK(value(database.number("SELECT sum(points) FROM s.batch")) == 513);
}

TEST_CASE("a run whose second experiment never began is kept and shown") {
  const cli::TemporaryFolder folder;
  const Store store = value(Store::open(folder.path("gpx.db"), true));
  Session session(kPaths);
  const Source source("two.gpx",
                      "experiment a { threads 32 < load broadcast > }\n"
                      "experiment b { threads 32 < fma.bf16x2 x4 chain > }\n");
  const std::string printed = keep(store, session, source);
  CHECK(value(store.document(1)) == printed);
  const StoredRun run = value(store.load(1));
  REQUIRE(run.result.experiments.size() == 2);
  CHECK(run.result.experiments[1].failure.has_value());
  CHECK(run.result.experiments[1].device.name == "k20");
  CHECK(value(store.runs({}))[0].devices == std::vector<std::string>{"k20 (virtual)"});
}

TEST_CASE("an experiment that a run lacks leaves those behind it with their text") {
  Session session(kPaths);
  const Source source("three.gpx",
                      "experiment a { threads 32 < load broadcast > }\n"
                      "experiment b { threads 64 < load broadcast > }\n"
                      "experiment c { sweep n 1..2 threads 32 < load unique(128B) x n > }\n");
  RunResult run = value(session.run(source, on_k20()));
  run.sources = {source};
  REQUIRE(run.experiments.size() == 3);
  const std::string text = to_string(run.experiments[2].experiment);
  run.experiments.erase(run.experiments.begin() + 1);
  for (ExperimentResult& each : run.experiments) {  // as documents have them
    Experiment named;
    named.name = each.experiment.name;
    each.experiment = std::move(named);
  }
  complete(run);
  CHECK(to_string(run.experiments[1].experiment) == text);
}
