// Experiments in threads, a session and a device in each. Interface: fit_trial.h. Covered by
// tests/twin/fit_test.cpp.
#include "runtime/twin/fit_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <thread>

#include "codegen/files/files.h"
#include "lang/float_environment.h"
#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/characterize.h"
#include "runtime/twin/exam.h"

namespace gpx::twin {
namespace {

/// One repetition: a draft has no noise.
std::string once(const std::string& text) {
  static const std::regex repeat("(\n *repeat +)[0-9a-z_]+");
  return std::regex_replace(text, repeat, "$011");
}

/// Whether a point's place is of one of these measures; of none: all are.
bool is_of(const std::string& place, const std::vector<std::string>& measures) {
  return measures.empty() || std::ranges::any_of(measures, [&](const std::string& name) {
           return (", " + place + ", ").find(", measure=" + name + ", ") != std::string::npos;
         });
}

/// The text without measures that do not count: they take a model as long as the others.
std::string with_measures(const std::string& text, const std::vector<std::string>& measures) {
  static const std::regex line("\n *measure +([a-z_0-9]+) *\\{[^\n]*\\}");
  if (measures.empty()) return text;
  std::string kept;
  std::size_t from = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
    if (contains(measures, (*at)[1])) continue;
    kept += text.substr(from, static_cast<std::size_t>(at->position()) - from);
    from = static_cast<std::size_t>(at->position() + at->length());
  }
  return kept + text.substr(from);
}

}  // namespace

Trial::Trial(const Paths& paths, const FitRow& row, const std::vector<Measured>& measured)
    : paths_(paths), row_(row), scratch_("twin") {
  std::map<std::string, ExperimentResult> last;
  for (const Measured& each : measured)
    for (const ExperimentResult& result : each.run.experiments)
      for (const FitRuns& runs : row.runs)
        if (contains(runs.experiments, result.experiment.name) && result.whole() &&
            result.samples.rows() > 0)
          last[result.experiment.name] = result;
  for (auto& [name, result] : last) reference_.experiments.push_back(std::move(result));
}

std::string Trial::experiments() const {
  return joined(reference_.experiments, ", ",
                [](const ExperimentResult& each) { return each.experiment.name; });
}

std::map<std::string, std::vector<std::string>> Trial::missing(
    const std::vector<Measured>& measured) const {
  std::map<std::string, std::string> failed;
  for (const Measured& each : measured)
    for (const ExperimentResult& result : each.run.experiments)
      if (result.failure)
        failed[result.experiment.name] = "failed: " + result.failure->diagnostics.front().message;
  std::map<std::string, std::vector<std::string>> names;
  for (const FitRuns& runs : row_.runs)
    for (const std::string& name : runs.experiments) {
      if (is_measured(name)) continue;
      std::vector<std::string>& same = names[failed.contains(name) ? failed[name] : "not measured"];
      if (!contains(same, name)) same.push_back(name);
    }
  return names;
}

bool Trial::is_measured(const std::string& experiment) const {
  return std::ranges::any_of(reference_.experiments, [&](const ExperimentResult& each) {
    return each.experiment.name == experiment;
  });
}

std::string Trial::write(const std::string& draft) {
  const std::string file = scratch_.file(fmt::format("draft{}.lua", ++files_));
  std::ofstream(file) << draft;
  return file;
}

Result<void> Trial::prepare(const std::string& draft) {
  if (!scratch_.made()) return fail(Fault::input, "no folder for a draft can be made");
  const std::string file = write(draft);
  for (const FitRuns& runs : row_.runs) GPX_TRY(add(runs, file));
  return {};
}

Result<void> Trial::add(const FitRuns& runs, const std::string& device) {
  const std::string path = paths_.experiments + "/" + runs.file;
  const auto text = file_text(path);
  if (!text) return fail(Fault::input, fmt::format("the library has no '{}'", path));
  std::string shorter = once(*text);
  for (const std::string& part : runs.without) {
    const std::size_t at = shorter.find(part);
    if (at == shorter.npos)
      return fail(Fault::input, fmt::format("'{}' has no '{}' to leave out", path, part));
    shorter.erase(at, part.size());
  }
  Session session(paths_);
  auto task = GPX_TRY(characterize_task(session, device, {Source(path, std::move(shorter))}));
  for (CharacterizeGroup& group : task.groups) {
    if (is_measured(group.name) && contains(runs.experiments, group.name))
      listed_.push_back({Source(path, with_measures(group.source.text(), runs.measures)), &runs});
  }
  return {};
}

std::vector<std::optional<Residuals>> Trial::run(const std::vector<std::string>& drafts,
                                                 std::size_t threads,
                                                 const std::atomic<bool>* stop) {
  std::vector<std::string> files;
  for (const std::string& draft : drafts) files.push_back(write(draft));
  std::vector<std::vector<std::optional<RunResult>>> models(
      drafts.size(), std::vector<std::optional<RunResult>>(listed_.size()));
  std::atomic<std::size_t> next = 0;
  const std::size_t jobs = drafts.size() * listed_.size();
  const auto work = [&] {
    const FloatEnvironment plain_numbers;
    std::optional<Session> session;
    std::size_t of = drafts.size();
    for (std::size_t i = next++; i < jobs && !(stop && *stop); i = next++) {
      const std::size_t draft = i / listed_.size(), experiment = i % listed_.size();
      if (of != draft) session.emplace(paths_);  // A session keeps the devices that it opened.
      of = draft;
      RunOptions options;
      options.device = files[draft];
      if (auto run = session->run(listed_[experiment].source, options))
        models[draft][experiment] = std::move(*run);
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, jobs); ++i) others.emplace_back(work);
    work();
  }
  std::vector<std::optional<Residuals>> all;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    std::filesystem::remove(files[i]);
    all.push_back(residuals(models[i]));
  }
  return all;
}

std::optional<Residuals> Trial::residuals(const std::vector<std::optional<RunResult>>& models) {
  Residuals off;
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    if (!models[i]) return std::nullopt;
    for (const ExamPoint& point : compare(reference_, *models[i]).points)
      if (is_of(point.place, listed_[i].runs->measures))
        off.push_back(std::log(point.modelled / point.measured));
  }
  if (off.empty() || off.size() < points_) return std::nullopt;
  points_ = off.size();
  return off;
}

}  // namespace gpx::twin
