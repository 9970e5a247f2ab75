#include "runtime/cli/fleet/fleet.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "../golden.h"
#include "captured.h"
#include "runtime/cli/fleet/script.h"
#include "runtime/cli/fleet/slurm.h"
#include "runtime/cli/fleet/states.h"

using namespace gpx::cli;
namespace fs = std::filesystem;

namespace {

const char* kFourPoints = "sweep threads 32..128 step 32 < load unique(128B) x2 >\n";

/// A PATH with programs of the test's own; the environment's, again, at the end.
class Programs {
 public:
  Programs() : before_(std::getenv("PATH")) { ::setenv("PATH", folder_.path("").c_str(), 1); }
  ~Programs() { ::setenv("PATH", before_.c_str(), 1); }
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  void add(const std::string& name, const std::string& text) const {
    const std::string path = folder_.write(name, "#!/bin/bash\nPATH=" + before_ + "\n" + text);
    fs::permissions(path, fs::perms::owner_all);
  }
  void remove(const std::string& name) const { fs::remove(folder_.path(name)); }

 private:
  TemporaryFolder folder_;
  std::string before_;
};

/// As the program itself.
Ended typed(const std::vector<std::string>& words) {
  Captured captured;
  captured.console.program = GPX_PROGRAM;
  const int status = gpx_main(words, captured.console);
  return {status, captured.out(), captured.err()};
}

Fleet fleet_of(const std::string& folder) {
  const auto fleet = read_fleet(folder);
  REQUIRE(fleet);
  return *fleet;
}

}  // namespace

TEST_CASE("the job script is what a person reads and submits") {
  const std::string script =
      job_script({"/home/me/my fleets/first",
                  "/opt/gpx/bin/gpx",
                  {"/home/me/it's.gpx", "kepler_prt"},
                  {"--seed", "1", "--set", "title=a b"},
                  {"--partition=gpu", "-t", "1:00:00", "--comment=two words"},
                  64});
  gpx::test::check_golden(GPX_TESTS_DIR "/cli/golden/fleet.sh", script);
  // Without files the tasks characterize their device.
  const std::string other = job_script({"/fleet", "/gpx", {}, {"--seed", "1"}, {}, 8});
  CHECK(contains(other, "#SBATCH --job-name=gpx-characterize\n"));
  CHECK(contains(other,
                 "/gpx characterize --continue --quiet --store \"$folder/task/$task.db\" \\\n"
                 "  --device \"$device\" --seed 1 &\n"));
  const TemporaryFolder folder;
  const std::string path = folder.write("fleet.sh", script);
  CHECK(std::system(("bash -n " + path).c_str()) == 0);
}

TEST_CASE("words of options become lines of the script, numbers a list of tasks") {
  using Words = std::vector<std::string>;
  CHECK(option_lines({}) == Words{});
  CHECK(option_lines({"-p", "gpu", "--time=1"}) == Words{"-p gpu", "--time=1"});
  CHECK(option_lines({"--gres", "gpu:1", "-x", "a,b"}) == Words{"--gres gpu:1", "-x a,b"});
  CHECK(option_lines({"--comment=a b"}) == Words{"'--comment=a b'"});
  CHECK(array_text({}) == "");
  CHECK(array_text({3}) == "3");
  CHECK(array_text({1, 2, 3, 7, 9, 10}) == "1-3,7,9-10");
}

TEST_CASE("tasks are lines of a shard and a device") {
  const std::vector<FleetTask> tasks = {{"k20", {1, 2}}, {"cuda:*", {}}, {"/a b/my.lua", {2, 2}}};
  CHECK(tasks_text(tasks) == "1/2 k20\n1/1 cuda:*\n2/2 /a b/my.lua\n");
  const auto read = parse_tasks(tasks_text(tasks), "tasks.txt");
  REQUIRE(read);
  CHECK(tasks_text(*read) == tasks_text(tasks));
  for (const char* wrong : {"k20\n", "1/2\n", "1/2 \n", "3/2 k20\n", "\n"}) {
    const auto refused = parse_tasks(std::string("1/2 k20\n") + wrong, "tasks.txt");
    REQUIRE_FALSE(refused);
    CHECK(contains(gpx::render(refused.error()), "tasks.txt:2: "));
  }
  CHECK_FALSE(parse_tasks("", "tasks.txt"));
}

TEST_CASE("without Slurm a fleet is an error that leaves nothing, or a script for another host") {
  const Programs programs;
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kFourPoints), fleet = folder.path("fleet");
  const Ended ended = typed({"fleet", "submit", file, "--device", "k20", "-o", fleet});
  CHECK(ended.status == 3);
  CHECK(contains(ended.err, "Slurm is not installed here: no sbatch in PATH"));
  CHECK_FALSE(fs::exists(fleet));
  const Ended written =
      typed({"fleet", "submit", file, "--device", "k20,gtx780", "--no-submit", "-o", fleet});
  CHECK(written.status == 0);
  CHECK(contains(written.out, "2 tasks in "));
  CHECK(folder.read("fleet/tasks.txt") == "1/1 k20\n1/1 gtx780\n");
  const Ended status = typed({"fleet", "status", fleet});
  CHECK(status.status == 0);
  CHECK(contains(status.err, "warning: the queue is unknown: Slurm is not installed here"));
  CHECK(contains(status.out, "2 tasks: 2 ended early; 0 points"));
  CHECK(typed({"fleet", "retry", fleet}).status == 3);
  CHECK(contains(typed({"fleet", "cancel", fleet}).err, "no job of the fleet was submitted"));
}

TEST_CASE("what sbatch refuses is an error with a hint, and nothing is left") {
  const Programs programs;
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kFourPoints), fleet = folder.path("fleet");
  programs.add("sbatch",
               "echo 'sbatch: error: invalid partition specified: nope' >&2\n"
               "echo 'sbatch: error: Batch job submission failed' >&2\nexit 1\n");
  const Ended ended =
      typed({"fleet", "submit", file, "--device", "k20", "-o", fleet, "--", "--partition=nope"});
  CHECK(ended.status == 3);
  CHECK(contains(ended.err, "sbatch failed: invalid partition specified: nope"));
  CHECK(contains(ended.err, "sinfo lists the partitions"));
  CHECK_FALSE(fs::exists(fleet));
  programs.add("sbatch", "echo hello\n");
  const Ended odd = typed({"fleet", "submit", file, "--device", "k20", "-o", fleet});
  CHECK(contains(odd.err, "sbatch printed 'hello', which is no job's id"));
  CHECK_FALSE(fs::exists(fleet));
}

TEST_CASE("mistakes in what is submitted come before anything is queued") {
  const Programs programs;
  programs.add("sbatch", "echo 7\n");
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kFourPoints),
                    wrong = folder.write("b.gpx", "sweep threads 2..1 < load nothing >\n");
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), {"fleet", "submit", "-o", folder.path("fleet")});
    const Ended ended = typed(words);
    CHECK(ended.status >= 2);
    CHECK_MESSAGE(contains(ended.err, why), ended.err);
    CHECK_FALSE(fs::exists(folder.path("fleet")));
  };
  refused({}, "'gpx fleet submit' needs FILE, or --characterize");
  refused({"--", "--partition=x"}, "needs FILE");
  refused({"--characterize", file}, "--characterize takes no FILE");
  refused({"--characterize", "--per", "shard", "--tasks", "2"}, "has no shards");
  refused({wrong}, "b.gpx:1:");
  refused({folder.path("none.gpx")}, "none.gpx");
  refused({"-"}, "cannot read standard input");
  refused({file, "--device", "k2O"}, "did you mean 'k20'?");
  refused({file, "--device", "k20,k20"}, "'k20' is named twice");
  refused({file, "--per", "board"}, "a task per device or per shard, not per 'board'");
  refused({file, "--per", "shard"}, "--tasks N");
  refused({file, "--per", "shard", "--tasks", "4", "--device", "cuda:*"}, "on one device");
  refused({file, "--set", "x"}, "x");
  refused({file, "--", "partition"}, "'partition' is no option of sbatch");
  refused({file, "--", "--comment=a\nb"}, "line break");
  CHECK(contains(typed({"fleet", "status", folder.path("")}).err, "is not the folder of a fleet"));
  CHECK(contains(typed({"fleet", "submti"}).err, "submit"));
  CHECK(typed({"fleet", "submit", file, "--device", "k20", "-o", folder.path("f")}).status == 0);
  const Ended twice = typed({"fleet", "submit", file, "--device", "k20", "-o", folder.path("f")});
  CHECK(contains(twice.err, "f' already"));
  CHECK(contains(twice.err, "gpx fleet retry"));
}

TEST_CASE("a fleet's tasks, run by its script without Slurm, are gathered and joined") {
  const Programs programs;
  const TemporaryFolder folder;
  const std::string file = folder.write("a.gpx", kFourPoints), fleet = folder.path("fleet");
  // Two of the three tasks run, at once: those of shard 2 comes with the retry.
  programs.add("sbatch",
               "for word in \"$@\"; do script=$word; done\n"
               "tasks='1'; [[ $* == *--array=2* ]] && tasks=2\n"
               "for task in $tasks; do SLURM_JOB_ID=7 SLURM_ARRAY_TASK_ID=$task bash "
               "\"$script\" > " +
                   fleet + "/task/$task.log 2>&1; done\necho '7;cluster'\n");
  programs.add("squeue", "exit 0\n");
  const Ended submitted = typed({"fleet", "submit", file, "--device", "k20", "--per", "shard",
                                 "--tasks", "2", "-o", fleet, "--", "--time=1"});
  CHECK(submitted.err == "");
  REQUIRE(submitted.status == 0);
  CHECK(contains(submitted.out, "job 7: 2 tasks in "));
  CHECK(fleet_of(fleet).jobs == std::vector<std::string>{"7"});
  INFO(folder.read("fleet/task/1.log"));
  CHECK(contains(typed({"fleet", "status", fleet}).out,
                 "2 tasks: 1 complete, 1 ended early; 2 points"));

  const Ended part = typed({"fleet", "gather", fleet});
  CHECK(part.status == 0);
  CHECK(part.err == "");
  CHECK(contains(part.out,
                 "1 of 2 tasks are complete, 1 began; 1 runs, 1 of them new or longer; "
                 "2 of 2 points"));
  const Ended again = typed({"fleet", "retry", fleet});
  CHECK(contains(again.out, "job 7: 1 tasks (2)"));
  CHECK(contains(typed({"fleet", "retry", fleet}).out, "every task is complete"));
  const Ended all = typed({"fleet", "gather", fleet});
  CHECK(contains(all.out, "2 of 2 tasks are complete, 2 began; 2 runs, 1 of them new"));
  CHECK(contains(all.out, "run 3: "));
  CHECK(contains(all.out, "4 points, joined from 2 shards"));
  const std::string store = fleet + "/fleet.db";
  CHECK(typed({"show", "3", "--json", "--store", store}).out ==
        typed({"run", fs::absolute(file).string(), "--device", "k20", "-q", "--no-store", "--json",
               "-"})
            .out);
  CHECK_FALSE(contains(typed({"fleet", "gather", fleet}).out, "run 4"));
}

TEST_CASE("a task's state follows from its store, its last try and the queue") {
  const Programs programs;
  const TemporaryFolder folder;
  programs.add("sbatch", "echo 7\n");
  const std::string file = folder.write("a.gpx", kFourPoints), path = folder.path("fleet");
  REQUIRE(typed({"fleet", "submit", file, "--device", "k20", "--tasks", "5", "-o", path}).status ==
          0);
  programs.add("squeue", "echo '7 1 RUNNING n3'; echo '7 2 PENDING '; echo '8 3 RUNNING n4'\n");
  for (const char* task : {"3", "4"})
    REQUIRE(typed({"run", file, "--device", "k20", "-q", "--store", path + "/task/" + task + ".db"})
                .status == 0);
  folder.write("fleet/task/4.status", "3 n9 2026-01-31T12:00:00Z\n");
  folder.write("fleet/task/4.log", "error: the first\nerror: the device failed\n");
  const Fleet fleet = fleet_of(path);
  const auto queue = queued(fleet);
  REQUIRE(queue);
  const auto states = task_states(fleet, *queue);
  REQUIRE(states.size() == 5);
  CHECK(states[0].state == "running");
  CHECK(states[0].where == "n3");
  CHECK(states[1].state == "pending");
  CHECK(states[2].state == "complete");  // Job 8 is not the fleet's; no status is no failure.
  CHECK(states[2].points == 4);
  CHECK(states[3].state == "failed");
  CHECK(states[3].reason == "the device failed");
  CHECK(states[3].where == "n9");
  CHECK(states[4].state == "ended early");
  const Ended shown = typed({"fleet", "status", path});
  CHECK(contains(shown.out, "5 tasks: 1 complete, 1 ended early, 1 failed, 1 pending, 1 running"));
  CHECK(contains(shown.out, "the device failed"));

  // A store that is damaged is one task's reason, and the others are gathered.
  folder.write("fleet/task/5.db", "no database at all, but a text of some length, for the header");
  CHECK(contains(typed({"fleet", "status", path}).out, "is not a store of gpx"));
  const Ended gathered = typed({"fleet", "gather", path});
  CHECK(gathered.status == 3);
  CHECK(contains(gathered.err, "5.db' is not a store of gpx"));
  CHECK(contains(gathered.out, "2 of 5 tasks are complete"));
}

TEST_CASE("cancel names all jobs of the fleet") {
  const Programs programs;
  const TemporaryFolder folder;
  programs.add("sbatch", "echo 7\n");
  programs.add("scancel", "echo \"$@\" > " + folder.path("cancelled") + "\n");
  const std::string file = folder.write("a.gpx", kFourPoints), path = folder.path("fleet");
  REQUIRE(typed({"fleet", "submit", file, "--device", "k20", "-o", path}).status == 0);
  CHECK(typed({"fleet", "cancel", path}).status == 0);
  CHECK(folder.read("cancelled") == "--quiet 7\n");
  programs.add("scancel",
               "echo 'scancel: error: Unable to contact slurm controller' >&2; exit 1\n");
  const Ended failed = typed({"fleet", "cancel", path});
  CHECK(failed.status == 3);
  CHECK(contains(failed.err, "scontrol ping"));
}
