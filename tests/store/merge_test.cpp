#include "runtime/store/merge.h"

#include <random>

#include "support.h"

using namespace gpx;
using namespace gpx::store;
using gpx::cli::contains;
using gpx::cli::TemporaryFolder;

namespace {

/// Two measures, records, a `repeat until`, and one point: 3 x 2 + 4 + 6 + 1.
const char* kKinds =
    "experiment two { sweep threads 32..96 step 32\n"
    "  measure a { < load unique(128B) > }\n  measure b { < load unique(128B) x2 > } }\n"
    "experiment blocks { sweep blocks 1..4 repeat 2 observe timeline < stamp; load unique(128B); "
    "stamp > }\n"
    "experiment settled { sweep threads 32..192 step 32 repeat until 5% at most 20 < load "
    "unique(128B) > }\n"
    "experiment one { threads 32 repeat 3 < load unique(128B) > }\n";

/// The shard in a store of its own.
PlacedRun run_shard(const TemporaryFolder& folder, Session& session, const Source& source,
                    const Shard& shard, RunOptions options = on_k20()) {
  options.shard = shard;
  const std::string path =
      folder.path(std::to_string(shard.index) + "of" + std::to_string(shard.count) + ".db");
  const Store store = value(Store::open(path, true));
  keep(store, session, source, options);
  return {path, value(store.load(value(store.find("last"))))};
}

std::vector<PlacedRun> run_shards(const TemporaryFolder& folder, Session& session,
                                  const Source& source, std::uint64_t count) {
  std::vector<PlacedRun> runs;
  for (std::uint64_t index = 1; index <= count; ++index)
    runs.push_back(run_shard(folder, session, source, {index, count}));
  return runs;
}

/// The document of the run whose shards these are.
std::string merged(Session& session, const Source& source, std::vector<PlacedRun> runs) {
  const auto groups = group_shards(std::move(runs));
  REQUIRE(groups.size() == 1);
  const StoredRun joined = value(join_shards(groups.front(), groups));
  CHECK(joined.origin.status == "interrupted");
  RunOptions rest = on_k20();
  rest.before = &joined.result;
  return report::to_json(value(session.run(source, rest)));
}

std::string refusal(std::vector<PlacedRun> runs) {
  const auto groups = group_shards(std::move(runs));
  const auto joined = join_shards(groups.front(), groups);
  REQUIRE_FALSE(joined);
  return render(joined.error());
}

}  // namespace

TEST_CASE("shards of any number, joined in any order, are the run of one process to the byte") {
  Session session(kPaths);
  for (const char* text : {kTwo, kKinds}) {
    const Source source("a.gpx", text);
    const std::string whole = report::to_json(value(session.run(source, on_k20())));
    for (const std::uint64_t count : {2, 3, 5, 20}) {
      const TemporaryFolder folder;
      std::vector<PlacedRun> runs = run_shards(folder, session, source, count);
      std::mt19937 random(static_cast<unsigned>(count));
      std::ranges::shuffle(runs, random);
      INFO(count);
      CHECK(merged(session, source, std::move(runs)) == whole);
    }
  }
}

TEST_CASE("a shard has no findings, and says which part it is") {
  const TemporaryFolder folder;
  Session session(kPaths);
  const PlacedRun run = run_shard(folder, session, Source("two.gpx", kTwo), {2, 3});
  const ExperimentResult& prt = run.run.result.experiments.front();
  CHECK(run.run.origin.status == "complete");
  CHECK(prt.shard == Shard{2, 3});
  CHECK(prt.points_total == 171);
  CHECK(prt.points == 171);
  CHECK(prt.findings.empty());
  CHECK(prt.expectations.empty());
  CHECK(run.run.result.experiments.back().points_total == 0);  // One point, the first shard's.
  const report::TerminalOptions plain{{false, true, 100}, false};
  const std::string text = report::to_terminal(run.run.result, plain);
  CHECK(contains(text, "171 points (shard 2/3)"));
  CHECK(contains(text, "no findings from a part of the sweep"));
}

TEST_CASE("an interrupted shard goes on, and the joined run is the same") {
  const TemporaryFolder folder;
  Session session(kPaths);
  const Source source("two.gpx", kTwo);
  const std::string whole = report::to_json(value(session.run(source, on_k20())));
  StopAfter stopper(40);
  RunOptions options = on_k20();
  options.observers = {&stopper};
  options.stop = &stopper.stop;
  PlacedRun part = run_shard(folder, session, source, {1, 2}, options);
  PlacedRun other = run_shard(folder, session, source, {2, 2});
  CHECK(part.run.origin.status == "interrupted");
  CHECK(contains(refusal({part, other}),
                 "prt, shard 1/2 (run 1 of '" + part.store + "') is not complete"));
  const Store store = value(Store::open(part.store, false));
  RunOptions rest = on_k20();
  rest.before = &part.run.result;
  CHECK(contains(message(session.run(source, rest)), "--shard changed"));
  rest.shard = {1, 2};
  Recorder recorder = value(Recorder::resume(store, part.run));
  rest.observers = {&recorder};
  value(session.run(source, rest));
  recorder.finish(false, false);
  part.run = value(store.load(1));
  CHECK(merged(session, source, {part, other}) == whole);
}

TEST_CASE("shards that do not belong together are refused with their places") {
  const TemporaryFolder folder, other;
  Session session(kPaths);
  const Source source("a.gpx", "sweep threads 32..256 step 32 < load unique(128B) >\n");
  const std::vector<PlacedRun> runs = run_shards(folder, session, source, 3);
  CHECK(contains(refusal({runs[0], runs[2]}), "of 3 shards 1 is missing: 2"));
  CHECK(contains(refusal({runs[1]}), "of 3 shards 2 are missing: 1, 3"));

  // The missing one was measured otherwise: the hint names it.
  RunOptions options = on_k20();
  options.seed = 2;
  const PlacedRun seeded = run_shard(other, session, source, {2, 3}, options);
  CHECK(contains(refusal({runs[0], seeded, runs[2]}), "seed 2"));
  options = on_k20();
  options.device = "gtx780";
  const PlacedRun foreign = run_shard(other, session, source, {2, 3}, options);
  CHECK(contains(refusal({runs[0], foreign, runs[2]}), "device gtx780"));

  const Source longer("b.gpx", "sweep threads 32..256 step 32 < load unique(128B) x2 >\n");
  const PlacedRun textual = run_shard(other, session, longer, {2, 3}, on_k20());
  CHECK(contains(refusal({runs[0], textual, runs[2]}), "another run's text or settings"));

  // The same name, but another device, build, kernels, version.
  const auto changed = [&](auto&& change) {
    PlacedRun run = runs[1];
    change(run.run);
    return refusal({runs[0], run, runs[2]});
  };
  CHECK(contains(changed([](StoredRun& run) { run.result.experiments[0].device.uuid = "GPU-2"; }),
                 "another board"));
  CHECK(contains(changed([](StoredRun& run) { run.result.experiments[0].build = "0"; }),
                 "another build of gpx"));
  CHECK(contains(changed([](StoredRun& run) { run.result.experiments[0].device_file = "0"; }),
                 "another device file"));
  CHECK(contains(changed([](StoredRun& run) { run.result.experiments[0].artifacts = {"0"}; }),
                 "other kernels"));
  CHECK(
      contains(changed([](StoredRun& run) { run.result.gpx = "0.1"; }), "another version of gpx"));
  CHECK(contains(changed([](StoredRun& run) {
                   run.result.experiments[0].co_runner.controls = 9;
                   run.result.experiments[0].co_runner.processes = 1;
                 }),
                 "with another process"));
}

TEST_CASE("a shard that is there twice must have the same samples") {
  const TemporaryFolder folder, other;
  Session session(kPaths);
  const Source source("a.gpx", "sweep threads 32..256 step 32 < load unique(128B) >\n");
  const std::string whole = report::to_json(value(session.run(source, on_k20())));
  const std::vector<PlacedRun> runs = run_shards(folder, session, source, 2);
  PlacedRun again = run_shard(other, session, source, {2, 2});
  CHECK(merged(session, source, {runs[0], runs[1], again}) == whole);
  Column& latency = again.run.result.experiments[0].samples.columns.at(2);
  REQUIRE(latency.name == "latency");
  latency.numbers.front() += 1;
  CHECK(contains(refusal({runs[0], runs[1], again}), "with different samples"));
}

TEST_CASE("a damaged shard is an error, whatever is wrong in it") {
  const TemporaryFolder folder;
  Session session(kPaths);
  const Source source("a.gpx", "sweep threads 32..256 step 32 < load unique(128B) >\n");
  const std::vector<PlacedRun> runs = run_shards(folder, session, source, 2);
  const auto damaged = [&](auto&& change) {
    PlacedRun run = runs[1];
    change(run.run.result.experiments[0]);
    return refusal({runs[0], run});
  };
  const auto points = [](ExperimentResult& result) -> std::vector<double>& {
    for (Column& column : result.samples.columns)
      if (column.name == kShardPoint) return column.numbers;
    throw std::runtime_error("no column of points");
  };
  CHECK(contains(damaged([&](auto& result) { points(result)[0] = 0; }), "point 0 is not its own"));
  CHECK(contains(damaged([&](auto& result) { points(result)[0] = 5; }), "point 5 is not its own"));
  CHECK(contains(damaged([&](auto& result) { points(result)[0] = 3; }), "it lacks point 1"));
  CHECK(contains(damaged([&](auto& result) { points(result)[0] = 1e300; }), "it has a point"));
  CHECK(contains(damaged([&](auto& result) { points(result)[0] = -1; }), "it has a point"));
  CHECK(contains(damaged([&](auto& result) { points(result)[0] = 1.5; }), "it has a point"));
  CHECK(contains(damaged([&](auto& result) { result.points_total = ~std::uint64_t{0} / 2; }),
                 "rows"));
  CHECK(contains(damaged([&](auto& result) { result.points_total = 3; }), "is damaged"));
  CHECK(contains(damaged([&](auto& result) { result.samples.columns.pop_back(); }), "columns"));
  CHECK(contains(
      damaged([&](auto& result) { result.samples.columns.back().texts.front() = "not a value"; }),
      "is not a list of values"));
}

TEST_CASE("a run that is taken again replaces the one with fewer points") {
  const TemporaryFolder folder;
  Session session(kPaths);
  const Source source("two.gpx", kTwo);
  const Store target = value(Store::open(folder.path("all.db"), true));
  StopAfter stopper(40);
  RunOptions options = on_k20();
  options.observers = {&stopper};
  options.stop = &stopper.stop;
  const PlacedRun part = run_shard(folder, session, source, {1, 2}, options);
  CHECK(value(target.import_newer({part.run.result, part.run.origin})));
  CHECK_FALSE(value(target.import_newer({part.run.result, part.run.origin})));
  const Store store = value(Store::open(part.store, false));
  Recorder recorder = value(Recorder::resume(store, part.run));
  RunOptions rest = on_k20();
  rest.shard = {1, 2};
  rest.before = &part.run.result;
  rest.observers = {&recorder};
  value(session.run(source, rest));
  recorder.finish(false, false);
  const StoredRun whole = value(store.load(1));
  CHECK(value(target.import_newer({whole.result, whole.origin})));
  CHECK(value(target.runs({})).size() == 1);
  const std::int64_t number = value(target.number_of(whole.origin.id));
  CHECK(value(target.document(number)) == value(store.document(1)));
  // What is older by now changes nothing.
  CHECK_FALSE(value(target.import_newer({part.run.result, part.run.origin})));
  CHECK(value(target.document(number)) == value(store.document(1)));
  CHECK(value(target.number_of("a000")) == 0);
}
