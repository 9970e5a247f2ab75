// Groups from the standard library, run beside each other within a budget; then the papers' values.
// Interface: characterize.h.
#include "runtime/characterize.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "lang/read.h"
#include "runtime/analysis/expectation.h"
#include "runtime/files.h"

namespace gpx {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Parameters of an experiment that take a fact of the device, where a file has them.
struct DeviceParameter {
  const char* name;
  std::uint32_t DeviceInfo::*fact;
};
constexpr DeviceParameter kDeviceParameters[] = {{"full", &DeviceInfo::max_threads_per_block},
                                                 {"sms", &DeviceInfo::sm_count}};

Result<std::vector<Source>> sources_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".gpx") names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  std::vector<Source> sources;
  for (const std::string& name : names) {
    auto text = file_text(name);
    if (!text) return fail(Fault::device, fmt::format("cannot read '{}'", name));
    sources.emplace_back(name, std::move(*text));
  }
  return sources;
}

/// Blanks a part of a text but for its line ends.
void blank(std::string& text, Span part) {
  for (std::size_t i = part.begin; i < part.end; ++i)
    if (text[i] != '\n') text[i] = ' ';
}

/// The groups of one family's file.
Result<void> add_groups(const Source& source, std::vector<CharacterizeGroup>& groups) {
  const auto experiments = read_experiments(source);
  if (!experiments) return tl::unexpected(experiments.error());
  for (const Experiment& experiment : *experiments) {
    std::string text = source.text();
    for (const Experiment& other : *experiments)
      if (&other != &experiment) blank(text, other.span);
    groups.push_back({fs::path(source.name()).stem().string(),
                      experiment.name,
                      experiment.title,
                      Source(source.name(), std::move(text)),
                      {}});
    for (const DeviceParameter& parameter : kDeviceParameters)
      if (experiment.parameters.contains(parameter.name))
        groups.back().settings.push_back({parameter.name, {}});
  }
  return {};
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

/// Runs one group and files how it ended.
void run_group(Session& session, const CharacterizeOptions& options, const Budget& budget,
               GroupResult& result) {
  const auto not_run = [&] {
    result.state = GroupResult::State::not_run;
    result.reason = budget.interrupted() ? "interrupted" : "budget";
    result.run = {};
  };
  if (budget.over()) return not_run();
  const double begin = budget.elapsed();
  RunOptions run;
  run.device = options.device;
  run.seed = options.seed;
  run.settings = result.group.settings;
  run.stop = &budget.over();
  auto ran = session.run(result.group.source, run);
  result.seconds = budget.elapsed() - begin;
  if (ran) result.run = std::move(*ran);
  if (!ran) result.failure = ran.error();
  for (ExperimentResult& experiment : result.run.experiments)
    if (experiment.failure) result.failure = experiment.failure;
  // An analysis that the budget stops fails, as does one that asks a device in vain.
  if (result.run.interrupted || (result.failure && budget.over())) {
    result.failure.reset();
    return not_run();
  }
  result.state = result.failure ? GroupResult::State::failed : GroupResult::State::done;
  if (result.failure) result.reason = result.failure->diagnostics.front().message;
}

/// Groups in the table's order, as many at a time as there are sessions.
void run_all(const Paths& paths, Session& first, unsigned jobs, const CharacterizeOptions& options,
             const Budget& budget, std::vector<GroupResult>& results) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t ended = 0;
  const auto work = [&](Session& session) {
    for (std::size_t i = next++; i < results.size(); i = next++) {
      run_group(session, options, budget, results[i]);
      const std::lock_guard lock(mutex);
      ++ended;
      if (options.on_group) options.on_group(results[i], ended, results.size());
    }
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < std::min<std::size_t>(jobs, results.size()); ++i)
    others.emplace_back([&] {
      Session session(paths);
      work(session);
    });
  work(first);
}

/// What papers publish about a device, from the files whose `device` or title is its name.
Result<std::vector<Experiment>> papers_about(const Paths& paths, const DeviceInfo& device) {
  const auto sources = sources_in(paths.stdlib + "/papers");
  if (!sources) return tl::unexpected(sources.error());
  std::vector<Experiment> papers;
  for (const Source& source : *sources) {
    auto experiments = read_experiments(source);
    if (!experiments) return tl::unexpected(experiments.error());
    for (Experiment& experiment : *experiments)
      if (experiment.device == device.name || experiment.title == device.name)
        papers.push_back(std::move(experiment));
  }
  return papers;
}

Result<void> attach_papers(const Paths& paths, Characterization& all) {
  const auto papers = papers_about(paths, all.device);
  if (!papers) return tl::unexpected(papers.error());
  for (GroupResult& group : all.groups)
    for (ExperimentResult& experiment : group.run.experiments)
      for (const Experiment& paper : *papers) attach_paper_values(paper, experiment.findings);
  return {};
}

}  // namespace

Result<std::vector<CharacterizeGroup>> characterize_groups(const Paths& paths) {
  const auto sources = sources_in(paths.stdlib + "/characterize");
  if (!sources) return tl::unexpected(sources.error());
  std::vector<CharacterizeGroup> groups;
  for (const Source& source : *sources)
    if (auto added = add_groups(source, groups); !added) return tl::unexpected(added.error());
  return groups;
}

Result<std::vector<CharacterizeGroup>> select_groups(std::vector<CharacterizeGroup> groups,
                                                     const std::vector<std::string>& only) {
  std::vector<std::string> names;
  for (const CharacterizeGroup& group : groups) {
    names.push_back(group.name);
    if (std::ranges::find(names, group.family) == names.end()) names.push_back(group.family);
  }
  for (const std::string& name : only) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const auto near = nearest(name, names);
    return fail(Fault::input, fmt::format("there is no group '{}' to characterize", name),
                near ? fmt::format("did you mean '{}'?", *near)
                     : "gpx characterize --list shows the groups");
  }
  std::erase_if(groups, [&](const CharacterizeGroup& group) {
    const auto wanted = [&](const std::string& name) {
      return name == group.name || name == group.family;
    };
    return !only.empty() && std::ranges::none_of(only, wanted);
  });
  return groups;
}

Result<Characterization> characterize(const Paths& paths, const CharacterizeOptions& options) {
  auto groups = characterize_groups(paths).and_then(
      [&](auto all) { return select_groups(std::move(all), options.only); });
  if (!groups) return tl::unexpected(groups.error());
  Session session(paths);
  const auto backend = session.open(options.device);
  if (!backend) return tl::unexpected(backend.error());

  Characterization all;
  all.device = (*backend)->info();
  for (CharacterizeGroup& group : *groups) {
    for (Setting& setting : group.settings)
      for (const DeviceParameter& parameter : kDeviceParameters)
        if (setting.name == parameter.name)
          setting.text = fmt::format("{}", all.device.*parameter.fact);
    all.groups.push_back({std::move(group), {}, {}, 0, {}, {}});
  }
  const bool alone = all.device.measured;  // experiments side by side would disturb each other
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const Budget budget(options.budget_s, options.stop);
  run_all(paths, session,
          alone               ? 1
          : options.jobs != 0 ? options.jobs
                              : cores,
          options, budget, all.groups);
  all.seconds = budget.elapsed();
  all.interrupted = budget.interrupted();
  if (auto attached = attach_papers(paths, all); !attached) return tl::unexpected(attached.error());
  return all;
}

}  // namespace gpx
