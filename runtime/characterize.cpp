// Groups from the standard library, run beside each other within a budget; then the papers' values.
// Interface: characterize.h.
#include "runtime/characterize.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>

#include "codegen/files/files.h"
#include "lang/float_environment.h"
#include "lang/lists.h"
#include "lang/read.h"
#include "lang/try.h"
#include "runtime/analysis/expectation.h"
#include "runtime/device_parameters.h"
#include "runtime/library.h"
#include "runtime/reconcile.h"

namespace gpx {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

Result<std::vector<Source>> sources_in(const std::string& folder) {
  const auto names = list_files(folder, ".gpx");
  if (!names)
    return fail(Fault::device, fmt::format("cannot read '{}': {}", folder, names.error().reason));
  std::vector<Source> sources;
  for (const std::string& name : *names) {
    auto text = read_file_at(name);
    if (!text)
      return fail(Fault::device, fmt::format("cannot read '{}': {}", name, text.error().reason));
    sources.emplace_back(name, std::move(*text));
  }
  return sources;
}

/// Removes a part of a text but for its line ends.
void blank(std::string& text, Span part) {
  const auto begin = text.begin() + part.begin, end = text.begin() + part.end;
  const auto lines = static_cast<std::size_t>(std::count(begin, end, '\n'));
  text.replace(begin, end, lines, '\n');
}

/// The groups of one family's file.
Result<std::vector<CharacterizeGroup>> groups_of(const Source& source) {
  const auto experiments = GPX_TRY(read_experiments(source));
  std::vector<CharacterizeGroup> groups;
  for (const Experiment& experiment : experiments) {
    std::string text = source.text();
    for (auto other = experiments.rbegin(); other != experiments.rend(); ++other)
      if (&*other != &experiment) blank(text, other->span);
    groups.push_back({fs::path(source.name()).stem().string(), experiment.name, experiment.title,
                      Source(source.name(), std::move(text))});
  }
  return groups;
}

/// The least compute capability of the devices that a group is for, 80 of 8.0: its parameter
/// `capability`, or 0.
Result<double> least_capability(const CharacterizeGroup& group) {
  const auto experiments = GPX_TRY(read_experiments(group.source));
  const auto& parameters = experiments.front().parameters;
  const auto least = parameters.find("capability");
  const auto* number = least == parameters.end() ? nullptr : std::get_if<Quantity>(&least->second);
  return number ? number->value : 0.0;
}

/// The family's file without the groups that `wanted` does not have.
Result<Source> only_wanted(const Source& source, const std::set<std::string>& wanted) {
  const auto experiments = GPX_TRY(read_experiments(source));
  std::string text = source.text();
  for (auto experiment = experiments.rbegin(); experiment != experiments.rend(); ++experiment)
    if (!wanted.contains(experiment->name)) blank(text, experiment->span);
  return Source(source.name(), std::move(text));
}

/// Sets a flag when the time is up or the user wants to stop, and says which it was.
class Budget {
 public:
  Budget(double seconds, const std::atomic<bool>* user)
      : begin_(Clock::now()), seconds_(seconds), user_(user), watch_([this](std::stop_token token) {
          std::unique_lock lock(mutex_);
          while (!token.stop_requested() && !over_) {
            ended_.wait_for(lock, token, kStep, [] { return false; });
            check();
          }
        }) {
    check();
  }

  const std::atomic<bool>& over() const { return over_; }
  bool interrupted() const { return user_ && *user_; }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  static constexpr std::chrono::milliseconds kStep{20};
  void check() {
    if (interrupted() || elapsed() >= seconds_) over_ = true;
  }

  Clock::time_point begin_;
  double seconds_;
  const std::atomic<bool>* user_;
  std::atomic<bool> over_ = false;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread watch_;
};

/// What is known of a group before it begins.
ExperimentResult not_begun(const CharacterizeTask& task, const CharacterizeGroup& group,
                           std::uint64_t seed) {
  ExperimentResult result;
  result.experiment.name = group.name;
  result.experiment.title = group.title;
  result.file = group.source.name();
  result.device = task.info;
  result.seed = seed;
  result.interrupted = true;
  result.group = GroupNote{group.family, 0, "interrupted"};
  return result;
}

/// The groups of one characterization, run beside each other within a budget.
class Groups {
 public:
  Groups(Session& session, const CharacterizeTask& task, const CharacterizeOptions& options)
      : session_(session), task_(task), options_(options), budget_(options.budget_s, options.stop) {
    for (std::size_t i = 0; i < task.groups.size(); ++i) {
      const bool known = options.before && i < options.before->experiments.size();
      results_.push_back(known ? options.before->experiments[i]
                               : not_begun(task, task.groups[i], options.seed));
      if (!results_.back().group) results_.back().group = GroupNote{task.groups[i].family, 0, {}};
      if (RunObserver* told = known ? nullptr : observer(i)) told->begins(results_.back());
    }
  }

  /// In the table's order, as many at a time as there are sessions.
  void run(unsigned jobs) {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < std::min<std::size_t>(jobs, results_.size()); ++i)
      others.emplace_back([&] {
        const FloatEnvironment plain_numbers;
        Session session(session_.paths());
        work(session);
      });
    work(session_);
  }

  RunObserver* observer(std::size_t i) const {
    return options_.observer ? options_.observer(i) : nullptr;
  }
  /// Only after run().
  std::vector<ExperimentResult>& results() { return results_; }

 private:
  void work(Session& session) {
    for (std::size_t i = next_++; i < results_.size(); i = next_++) {
      if (!results_[i].whole()) run_group(session, i);
      const std::lock_guard lock(mutex_);
      ++ended_;
      if (options_.on_group) options_.on_group(results_[i], ended_, results_.size());
    }
  }

  /// Runs one group and files how it ended.
  void run_group(Session& session, std::size_t i) {
    ExperimentResult& result = results_[i];
    GroupNote note{task_.groups[i].family, 0, budget_.interrupted() ? "interrupted" : "budget"};
    if (!budget_.over()) {
      const double begin = budget_.elapsed();
      measure(session, i);
      note.ended = budget_.elapsed();
      note.seconds = note.ended - begin;
      if (result.failure && result.co_runner.given_up > 0) {
        result.failure.reset();
        result.interrupted = true;
        note.reason = "another process";
      }
      // An analysis that the budget stops fails, as does one that asks a device in vain.
      if (result.failure && budget_.over()) {
        result.failure.reset();
        result.interrupted = true;
      }
    }
    if (!result.interrupted)
      note.reason.clear();
    else if (budget_.over())
      note.reason = budget_.interrupted() ? "interrupted" : "budget";
    result.group = std::move(note);
  }

  void measure(Session& session, std::size_t i) {
    RunResult before;
    before.experiments = {results_[i]};
    RunOptions run;
    run.device = task_.device;
    run.seed = options_.seed;
    run.stop = &budget_.over();
    run.no_wait = options_.no_wait;
    run.on_wait = options_.on_wait;
    run.group = GroupNote{task_.groups[i].family, 0, "interrupted"};
    if (options_.before) run.before = &before;
    if (RunObserver* told = observer(i)) run.observers = {told};
    auto ran = session.run(task_.groups[i].source, run);
    if (ran && ran->experiments.size() == 1) {
      results_[i] = std::move(ran->experiments.front());
      return;
    }
    ExperimentResult failed = not_begun(task_, task_.groups[i], options_.seed);
    failed.interrupted = false;
    failed.failure = ran ? make_error(Fault::input, "the file has no such group") : ran.error();
    results_[i] = std::move(failed);
  }

  Session& session_;
  const CharacterizeTask& task_;
  const CharacterizeOptions& options_;
  Budget budget_;
  std::vector<ExperimentResult> results_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t ended_ = 0;
};

/// What papers publish about a device, from the files whose `device` or title is its name.
Result<std::vector<Experiment>> papers_about(const Paths& paths, const DeviceInfo& device) {
  const auto sources = GPX_TRY(sources_in(paths.stdlib + "/papers"));
  std::vector<Experiment> papers;
  for (const Source& source : sources) {
    auto experiments = GPX_TRY(read_experiments(source));
    for (Experiment& experiment : experiments)
      if (experiment.device == device.name || experiment.title == device.name)
        papers.push_back(std::move(experiment));
  }
  return papers;
}

Result<void> attach_papers(const Paths& paths, const DeviceInfo& device,
                           std::vector<ExperimentResult>& results) {
  const auto papers = GPX_TRY(papers_about(paths, device));
  for (ExperimentResult& result : results)
    for (const Experiment& paper : papers) attach_paper_values(paper, result.findings);
  return {};
}

}  // namespace

Result<std::vector<CharacterizeGroup>> characterize_groups(const Paths& paths) {
  GPX_TRY(require_library(paths, LibraryPart::characterize));
  const auto sources = GPX_TRY(sources_in(paths.stdlib + "/characterize"));
  std::vector<CharacterizeGroup> groups;
  for (const Source& source : sources) {
    auto more = groups_of(source);
    if (!more) return more;
    std::ranges::move(*more, std::back_inserter(groups));
  }
  return groups;
}

namespace {

/// What people call a part of the GPU, and the groups that measure it.
struct PartName {
  std::string_view name;
  std::initializer_list<std::string_view> groups;
};
const PartName kPartNames[] = {
    {"l1", {"global", "patterns_around_l1", "texture", "near_bandwidth"}},
    {"l2", {"global", "reach", "l2_map", "l2_capacity", "l2_bandwidth"}},
    {"shared", {"shared_banks", "near_bandwidth"}},
    {"dram",
     {"global_latency", "latency_spread", "dram_read_bandwidth", "dram_write_bandwidth",
      "dram_copy_bandwidth"}},
};

bool is_part_of(const CharacterizeGroup& group, std::string_view name) {
  const auto part = std::ranges::find(kPartNames, name, &PartName::name);
  return part != std::end(kPartNames) && contains(part->groups, group.name);
}

}  // namespace

Result<std::vector<CharacterizeGroup>> select_groups(std::vector<CharacterizeGroup> groups,
                                                     const std::vector<std::string>& only) {
  std::vector<std::string> names;
  for (const CharacterizeGroup& group : groups) {
    names.push_back(group.name);
    add_once(names, group.family);
  }
  for (const std::string& name : only) {
    if (contains(names, name)) continue;
    if (std::ranges::any_of(groups, [&](const auto& each) { return is_part_of(each, name); }))
      continue;
    const auto near = nearest(name, names);
    return fail(Fault::input, fmt::format("there is no group '{}' to characterize", name),
                near ? fmt::format("did you mean '{}'?", *near)
                     : "gpx characterize --list shows the groups");
  }
  std::erase_if(groups, [&](const CharacterizeGroup& group) {
    const auto wanted = [&](const std::string& name) {
      return name == group.name || name == group.family || is_part_of(group, name);
    };
    return !only.empty() && std::ranges::none_of(only, wanted);
  });
  return groups;
}

Result<CharacterizeTask> characterize_task(Session& session, const std::string& device,
                                           const std::vector<std::string>& only) {
  const auto groups = GPX_TRY(characterize_groups(session.paths()).and_then([&](auto all) {
    return select_groups(std::move(all), only);
  }));
  std::set<std::string> wanted, families;
  for (const CharacterizeGroup& group : groups) {
    wanted.insert(group.name);
    families.insert(group.source.name());
  }
  const auto files = GPX_TRY(sources_in(session.paths().stdlib + "/characterize"));
  std::vector<Source> sources;
  for (const Source& file : files) {
    if (!families.contains(file.name())) continue;
    auto source = GPX_TRY(only_wanted(file, wanted));
    sources.push_back(std::move(source));
  }
  return characterize_task(session, device, std::move(sources));
}

Result<CharacterizeTask> characterize_task(Session& session, const std::string& device,
                                           std::vector<Source> sources) {
  const auto backend = GPX_TRY(session.open(device));
  CharacterizeTask task{device, backend->info(), {}, {}};
  for (const Source& source : sources) {
    auto given = GPX_TRY(with_facts(source, task.info));
    auto groups = GPX_TRY(groups_of(given));
    task.sources.push_back(std::move(given));
    for (CharacterizeGroup& group : groups) {
      const auto least = GPX_TRY(least_capability(group));
      if (least <= 10 * task.info.sm_major + task.info.sm_minor)
        task.groups.push_back(std::move(group));
    }
  }
  if (task.groups.empty())
    return fail(Fault::input, fmt::format("{} has a lower compute capability than the groups need",
                                          task.info.name));
  return task;
}

Result<RunResult> characterize(Session& session, const CharacterizeTask& task,
                               const CharacterizeOptions& options) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  Groups groups(session, task, options);
  // Beside each other, experiments would disturb each other on a real GPU.
  groups.run(task.info.measured ? 1 : options.jobs != 0 ? options.jobs : cores);

  std::vector<ExperimentResult>& results = groups.results();
  GPX_TRY(attach_papers(session.paths(), task.info, results));
  reconcile(results);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (RunObserver* told = groups.observer(i)) told->ends(results[i]);
  RunResult all;
  all.sources = task.sources;
  all.interrupted = std::ranges::any_of(results, &ExperimentResult::interrupted);
  all.experiments = std::move(results);
  return all;
}

bool is_characterization(const RunResult& run) {
  return !run.experiments.empty() &&
         std::ranges::all_of(run.experiments,
                             [](const ExperimentResult& each) { return each.group.has_value(); });
}

}  // namespace gpx
