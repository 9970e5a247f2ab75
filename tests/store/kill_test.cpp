// Runs that are killed at random moments. GPX_KILLS=50 kills more of them.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <random>
#include <thread>

#include "runtime/characterize.h"
#include "support.h"

extern char** environ;

using namespace gpx;
using namespace gpx::store;
using gpx::cli::TemporaryFolder;
using Clock = std::chrono::steady_clock;

namespace {

/// Its points take 10 to 60 repetitions.
constexpr const char* kUntil =
    "experiment settled {\n  sweep threads 32..512 step 32\n  repeat until 0.2% at most 60\n"
    "  < load unique(128B) >\n}\n";

pid_t start(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), GPX_PROGRAM);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ) == 0);
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int kills() {
  const char* wanted = std::getenv("GPX_KILLS");
  return wanted ? std::atoi(wanted) : 8;
}

/// Its points are the first ones of the whole run, and what it says about them is right.
void check_prefix(const ExperimentResult& part, const ExperimentResult& whole) {
  CHECK(part.points <= whole.points);
  const std::string rows = to_csv(part.samples), all = to_csv(whole.samples);
  if (whole.experiment.until_percent == 0)
    CHECK(part.samples.rows() == part.points * whole.experiment.repeat);
  CHECK(all.compare(0, rows.size(), rows) == 0);
}

}  // namespace

TEST_CASE("a run killed at any moment keeps its points, and goes on to the same findings") {
  const TemporaryFolder folder;
  const std::string file = folder.write("two.gpx", std::string(kTwo) + kUntil);
  const std::string path = folder.path("gpx.db");
  const std::vector<std::string> run = {"run", file, "-q", "--store", path, "--device", "k20"};
  const auto begin = Clock::now();
  REQUIRE(status_of(start(run)) == 0);
  const std::chrono::duration<double> whole_time = Clock::now() - begin;
  const Store store = value(Store::open(path, false));
  const std::string whole = value(store.document(1));
  const StoredRun reference = value(store.load(1));

  std::mt19937 random(20260101);
  std::uniform_real_distribution<double> moment(0, 1.1);
  int killed = 0, resumed = 0, with_points = 0;
  while (killed < kills()) {
    const pid_t child = start(run);
    std::this_thread::sleep_for(whole_time * moment(random));
    kill(child, SIGKILL);
    killed += status_of(child) == -SIGKILL ? 1 : 0;
    const Database database = value(Database::open(path, false));
    auto check = value(database.prepare("PRAGMA integrity_check"));
    REQUIRE(value(check.step()));
    CHECK(check.text(0) == "ok");
    const StoredRun last = value(store.load(value(store.find("last"))));
    if (last.origin.status == "complete") continue;
    CHECK(last.origin.status == "interrupted");
    for (std::size_t i = 0; i < last.result.experiments.size(); ++i)
      check_prefix(last.result.experiments[i], reference.result.experiments[i]);
    // Killed early, a run has no experiment yet.
    with_points += !last.result.experiments.empty() && last.result.experiments[0].points > 0;
    CHECK(status_of(start({"resume", "last", "-q", "--store", path})) == 0);
    CHECK(value(store.document(last.number)) == whole);
    ++resumed;
  }
  MESSAGE(killed << " killed, " << resumed << " resumed, " << with_points
                 << " of them with points");
  CHECK(resumed > 0);
}

/// All findings of all groups, without what differs from run to run.
std::string findings_of(const StoredRun& run) {
  std::string text;
  for (const ExperimentResult& group : run.result.experiments) {
    text += group.experiment.name + '\n';
    for (const Finding& finding : group.findings) text += to_string(finding) + '\n';
  }
  return text;
}

TEST_CASE("a characterization killed at any moment goes on to the same findings") {
  const TemporaryFolder folder;
  const std::string path = folder.path("gpx.db");
  const std::vector<std::string> run = {
      "characterize", "-q",     "--store", path,
      "--device",     "gtx280", "--only",  "clock,divergence,barrier,warps,constant"};
  const auto begin = Clock::now();
  REQUIRE(status_of(start(run)) == 0);
  const std::chrono::duration<double> whole_time = Clock::now() - begin;
  const Store store = value(Store::open(path, false));
  const std::string whole = findings_of(value(store.load(1)));
  std::mt19937 random(20260102);
  std::uniform_real_distribution<double> moment(0.2, 1);
  int resumed = 0, with_findings = 0;
  for (int i = 0; i < kills(); ++i) {
    const pid_t child = start(run);
    std::this_thread::sleep_for(whole_time * moment(random));
    kill(child, SIGKILL);
    status_of(child);
    const StoredRun last = value(store.load(value(store.find("last"))));
    if (last.origin.status == "complete") continue;
    CHECK(is_characterization(last.result));
    CHECK(last.result.experiments.size() == 5);
    for (const ExperimentResult& group : last.result.experiments)
      with_findings += !group.findings.empty();
    CHECK(status_of(start({"resume", "last", "-q", "--store", path})) == 0);
    const StoredRun all = value(store.load(last.number));
    CHECK(all.origin.status == "complete");
    CHECK(findings_of(all) == whole);
    ++resumed;
  }
  MESSAGE(resumed << " resumed, with the findings of " << with_findings << " groups");
  CHECK(resumed > 0);
}

TEST_CASE("processes that write one store at once lose nothing") {
  const TemporaryFolder folder;
  const std::string file = folder.write("two.gpx", kTwo);
  const std::string path = folder.path("gpx.db");
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i)
    children.push_back(start({"run", file, "-q", "--store", path, "--device", "k20"}));
  for (const pid_t child : children) CHECK(status_of(child) == 0);
  const Store store = value(Store::open(path, false));
  CHECK(value(store.runs({})).size() == 3);
  CHECK(value(store.document(1)) == value(store.document(2)));
  CHECK(value(store.document(1)) == value(store.document(3)));
}
