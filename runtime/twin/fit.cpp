// Steps up and down, one field after another. Interface: fit.h. Covered by tests/twin/fit_test.cpp.
#include "runtime/twin/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <regex>

#include "codegen/files/files.h"
#include "runtime/scratch_folder.h"
#include "runtime/twin/exam.h"
#include "runtime/twin/fit_table.h"
#include "runtime/twin/gather.h"

namespace gpx::twin {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kBetter = 1e-4;  ///< By which an error must fall for a value to be taken.
constexpr int kWidest = 7;        ///< Doublings of the finest step on the way to an interval's end.

bool among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Experiments that were measured, each as it was measured last.
RunResult reference_of(const std::vector<Measured>& measured, const FitRow& row) {
  std::map<std::string, ExperimentResult> last;
  for (const Measured& each : measured)
    for (const ExperimentResult& result : each.run.experiments)
      for (const FitRuns& runs : row.runs)
        if (among(runs.experiments, result.experiment.name) && result.whole() &&
            result.samples.rows() > 0)
          last[result.experiment.name] = result;
  RunResult all;
  for (auto& [name, result] : last) all.experiments.push_back(std::move(result));
  return all;
}

/// One repetition: a draft has no noise.
std::string once(const std::string& text) {
  static const std::regex repeat("(\n *repeat +)[0-9]+");
  return std::regex_replace(text, repeat, "$011");
}

class Search {
 public:
  Search(const Paths& paths, const FitRow& row, RunResult reference, Draft& draft,
         const std::atomic<bool>* stop)
      : paths_(paths),
        row_(row),
        reference_(std::move(reference)),
        draft_(draft),
        scratch_("twin"),
        stop_(stop) {}

  Result<FitGroup> run() {
    FitGroup group{row_.name, 0, 0, 0, 0};
    if (auto ready = prepare(); !ready) return tl::unexpected(ready.error());
    if (sources_.empty()) return group;
    read_values();
    best_ = error_of(values_);
    group.before = group.after = best_;
    group.points = points_;
    if (best_ > kExact && best_ < kNever) {
      const std::vector<std::string> before = values_;
      choose();
      descend();
      write(before);
      group.after = best_;
    }
    group.runs = known_.size();
    return group;
  }

 private:
  bool stopped() const { return stop_ && stop_->load(); }

  /// The experiments that were measured, as sources for the draft.
  Result<void> prepare() {
    if (!scratch_.made()) return fail(Fault::input, "no folder for a draft can be made");
    const std::string file = write_draft(draft_.text);
    Session session(paths_);
    for (const FitRuns& runs : row_.runs) {
      auto all = experiments_of(session, file, runs.file);
      if (!all) return tl::unexpected(all.error());
      for (CharacterizeGroup& group : *all)
        if (among(runs.experiments, group.name) && measured(group.name))
          sources_.push_back(std::move(group.source));
    }
    return {};
  }

  static Result<std::vector<CharacterizeGroup>> experiments_of(Session& session,
                                                               const std::string& device,
                                                               const std::string& name) {
    const std::string path = session.paths().experiments + "/" + name;
    const auto text = file_text(path);
    if (!text) return fail(Fault::input, fmt::format("the library has no '{}'", path));
    auto task = characterize_task(session, device, {Source(path, once(*text))});
    if (!task) return tl::unexpected(task.error());
    return std::move(task->groups);
  }

  bool measured(const std::string& name) const {
    return std::ranges::any_of(reference_.experiments, [&](const ExperimentResult& each) {
      return each.experiment.name == name;
    });
  }

  /// The draft's own values; "" where it has none.
  void read_values() {
    for (const FitField& field : row_.fields)
      values_.push_back(value_in(draft_.text, field.path).value_or(""));
  }

  std::string write_draft(const std::string& text) {
    const std::string file = scratch_.file(fmt::format("draft{}.lua", ++files_));
    std::ofstream(file) << text;
    return file;
  }

  std::string text_with(const std::vector<std::string>& values) const {
    std::string text = draft_.text;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!values[i].empty())
        text = with_value(text, row_.fields[i].path, values[i], "assumed = \"a step of a fit\"");
    return text;
  }

  double error_of(const std::vector<std::string>& values) {
    std::string key;
    for (const std::string& value : values) key += value + "|";
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
    return known_[key] = measure(text_with(values));
  }

  double measure(const std::string& text) {
    const std::string file = write_draft(text);
    Session session(paths_);
    RunOptions options;
    options.device = file;
    RunResult model;
    for (const Source& source : sources_) {
      auto run = session.run(source, options);
      if (!run) return kNever;
      std::ranges::move(run->experiments, std::back_inserter(model.experiments));
    }
    const Exam exam = compare(reference_, model);
    points_ = std::max(points_, exam.points.size());
    if (exam.points.size() < points_ || points_ == 0) return kNever;
    double sum = 0;
    for (const ExamPoint& point : exam.points)
      sum += std::abs(std::log(point.modelled / point.measured));
    return sum / static_cast<double>(exam.points.size());
  }

  /// Takes values where they are better.
  bool take(std::size_t i, const std::string& value) {
    std::vector<std::string> other = values_;
    other[i] = value;
    return take_all(std::move(other));
  }

  bool take_all(std::vector<std::string> other) {
    if (stopped() || other == values_) return false;
    const double error = error_of(other);
    if (!(error < best_ - kBetter)) return false;
    values_ = std::move(other);
    best_ = error;
    return true;
  }

  /// Values far apart, before steps; and pairs of them where one is no number that steps reach.
  void choose() {
    for (std::size_t i = 0; i < row_.fields.size(); ++i)
      for (const std::string& text : row_.fields[i].tries) take(i, text);
    for (std::size_t i = 0; i < row_.fields.size(); ++i)
      for (std::size_t k = i + 1; k < row_.fields.size(); ++k)
        if (row_.fields[i].step <= 0 || row_.fields[k].step <= 0) choose_pair(i, k);
  }

  void choose_pair(std::size_t i, std::size_t k) {
    for (const std::string& one : row_.fields[i].tries)
      for (const std::string& two : row_.fields[k].tries) {
        std::vector<std::string> other = values_;
        other[i] = one;
        other[k] = two;
        take_all(std::move(other));
      }
  }

  std::optional<std::string> moved(std::size_t i, double by) const {
    const FitField& field = row_.fields[i];
    const auto now = number_of(values_[i]);
    if (!now || field.step <= 0) return std::nullopt;
    const double to = std::clamp(*now + by, field.least, field.most);
    return to == *now ? std::nullopt : std::optional(value_text(field.unit, to));
  }

  bool walk(std::size_t i, double step) {
    bool any = false;
    for (const double by : {step, -step})
      while (const auto next = moved(i, by)) {
        if (!take(i, *next)) break;
        any = true;
      }
    return any;
  }

  /// Each field's steps shrink to its grain; a size that still helps some field is tried again.
  void descend() {
    for (double part = 1; !stopped(); part /= 2) {
      bool left = false;
      for (int round = 0; round < 3; ++round) {
        bool any = false;
        for (std::size_t i = 0; i < row_.fields.size(); ++i) {
          const FitField& field = row_.fields[i];
          const double step = std::max(field.step * part, field.grain);
          any = walk(i, step) || any;
          left = left || field.step * part > field.grain;
        }
        if (!any) break;
      }
      if (!left) break;
    }
  }

  /// As far as the error stays within kSlack, on one side.
  double end_of(std::size_t i, double side, bool& matters) {
    const FitField& field = row_.fields[i];
    double end = number_of(values_[i]).value_or(0);
    double by = field.grain;
    for (int k = 0; k < kWidest && !stopped(); ++k, by *= 2) {
      const auto next = moved(i, side * by);
      if (!next) break;
      std::vector<std::string> other = values_;
      other[i] = *next;
      const double error = error_of(other);
      matters = matters || std::abs(error - best_) > 1e-6;
      if (error > best_ + kSlack) break;
      end = number_of(*next).value_or(end);
    }
    return end;
  }

  std::string experiments_text() const {
    std::string text;
    for (const ExperimentResult& each : reference_.experiments)
      text += (text.empty() ? "" : ", ") + each.experiment.name;
    return text;
  }

  void write(const std::vector<std::string>& before) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].empty() || values_[i] == before[i]) continue;
      const FitField& field = row_.fields[i];
      std::string within;
      if (field.step > 0) {
        bool matters = false;
        const double low = end_of(i, -1, matters), high = end_of(i, 1, matters);
        if (!matters && !before[i].empty()) continue;  // the points do not depend on it
        within = fmt::format(" ({:.6g} to {:.6g})", low, high);
      }
      std::string shown = values_[i];
      std::erase(shown, '"');
      const std::string note = fmt::format(
          "source = \"fitted: {}{}, with which the virtual GPU is {:.1f} % off at {} points of {}; "
          "{}\"",
          shown, within, 100 * best_, points_, experiments_text(), draft_.place);
      if (const auto was = note_in(draft_.text, field.path); !was || was->starts_with("assumed")) {
        ++draft_.measured;
        if (was) --draft_.assumed;
      }
      draft_.text = with_value(draft_.text, field.path, values_[i], note);
    }
  }

  const Paths& paths_;
  const FitRow& row_;
  RunResult reference_;
  Draft& draft_;
  ScratchFolder scratch_;
  const std::atomic<bool>* stop_;
  std::vector<Source> sources_;
  std::vector<std::string> values_;
  std::map<std::string, double> known_;
  double best_ = kNever;
  std::size_t points_ = 0;
  unsigned files_ = 0;
};

}  // namespace

Result<std::vector<FitGroup>> fit(const Paths& paths, const std::vector<Measured>& measured,
                                  Draft& draft, const FitOptions& options) {
  const auto rows = fit_rows(paths);
  if (!rows) return tl::unexpected(rows.error());
  std::vector<FitGroup> groups;
  for (const FitRow& row : *rows) {
    if (options.stop && options.stop->load()) break;
    if (!options.only.empty() && !among(options.only, row.name)) continue;
    RunResult reference = reference_of(measured, row);
    if (reference.experiments.empty()) continue;
    auto group = Search(paths, row, std::move(reference), draft, options.stop).run();
    if (!group) return tl::unexpected(group.error());
    if (options.on_group) options.on_group(*group);
    groups.push_back(std::move(*group));
  }
  return groups;
}

}  // namespace gpx::twin
