// Groups of fields, one after another. Interface: fit.h. Covered by tests/twin/fit_test.cpp.
#include "runtime/twin/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/twin/fit_search.h"
#include "runtime/twin/fit_table.h"
#include "runtime/twin/fit_trial.h"

namespace gpx::twin {
namespace {

/// Values of a draft for a group's fields, and the notes of those that changed.
class GroupFit {
 public:
  GroupFit(const FitRow& row, Trial& trial, Draft& draft, const std::atomic<bool>* stop)
      : fields_(row.fields), trial_(trial), draft_(draft), stop_(stop) {
    for (FitField& field : fields_) {
      begin_.push_back(value_in(draft.text, field.path).value_or(""));
      resolve(field);
    }
  }

  FitGroup run(const std::string& name) {
    FitSearch search(
        fields_, begin_,
        [&](const FitSearch::Values& values) { return trial_.run(text_of(values)); }, stop_);
    FitGroup group{name, 0, 0, 0, 0};
    group.before = group.after = search.first();
    if (group.before > kExact && group.before < std::numeric_limits<double>::infinity()) {
      search.search();
      group.after = search.error();
      write(search);
    }
    group.points = search.points();
    group.runs = search.runs();
    return group;
  }

 private:
  /// Tries that are other fields' values, and the bounds of its finding.
  void resolve(FitField& field) const {
    std::vector<std::string> tries;
    for (const std::string& text : field.tries) {
      const auto other = text.starts_with('=') ? value_in(draft_.text, text.substr(1)) : text;
      if (other) tries.push_back(*other);
    }
    field.tries = std::move(tries);
    if (!field.within) return;
    const auto bounds = interval_in(note_in(draft_.text, field.path).value_or(""));
    if (!bounds) {
      field.step = 0;
      field.tries.clear();
      return;
    }
    field.least = std::max(field.least, std::ceil(bounds->first / field.grain) * field.grain);
    field.most = std::min(field.most, std::floor(bounds->second / field.grain) * field.grain);
    if (field.most < field.least) field.step = 0;
  }

  std::string text_of(const FitSearch::Values& values) const {
    std::string text = draft_.text;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != begin_[i])
        text = with_value(text, fields_[i].path, values[i], "assumed = \"a step of a fit\"");
    return text;
  }

  void write(FitSearch& search) {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const std::string value = search.values()[i];
      if (value.empty() || value == begin_[i]) continue;
      std::string within;
      if (fields_[i].step > 0) {
        bool matters = false;
        const double low = search.end_of(i, -1, matters), high = search.end_of(i, 1, matters);
        if (!matters && !begin_[i].empty()) continue;  // the points do not depend on it
        within = fmt::format(" ({:.6g} to {:.6g})", low, high);
      }
      write(fields_[i].path, value, within, search);
    }
  }

  void write(const std::string& path, const std::string& value, const std::string& within,
             const FitSearch& search) {
    std::string shown = value;
    std::erase(shown, '"');
    const std::string note = fmt::format(
        "source = \"fitted: {}{}, with which the virtual GPU is {:.1f} % off at {} points of {}; "
        "{}\"",
        shown, within, 100 * search.error(), search.points(), trial_.experiments(), draft_.place);
    if (const auto was = note_in(draft_.text, path); !was || was->starts_with("assumed")) {
      ++draft_.measured;
      if (was) --draft_.assumed;
    }
    draft_.text = with_value(draft_.text, path, value, note);
  }

  std::vector<FitField> fields_;
  FitSearch::Values begin_;
  Trial& trial_;
  Draft& draft_;
  const std::atomic<bool>* stop_;
};

/// Points that a group asks for and that were not measured.
void tell_missing(const FitRow& row, const Trial& trial, const std::vector<Measured>& measured,
                  Draft& draft) {
  for (const auto& [why, experiments] : trial.missing(measured)) {
    Missing& one = draft.missing.emplace_back();
    one.finding = "fit of " + row.name;
    one.why = fmt::format("{}: {}{}", why, fmt::join(experiments, ", "),
                          trial.measured() ? "; fitted without" : "");
    for (const FitField& field : row.fields) one.fields.push_back(field.path);
  }
}

}  // namespace

Result<std::vector<FitGroup>> fit(const Paths& paths, const std::vector<Measured>& measured,
                                  Draft& draft, const FitOptions& options) {
  const auto rows = GPX_TRY(fit_rows(paths));
  std::vector<FitGroup> groups;
  for (const FitRow& row : rows) {
    if (options.stop && options.stop->load()) break;
    if (!options.only.empty() && !contains(options.only, row.name)) continue;
    Trial trial(paths, row, measured);
    tell_missing(row, trial, measured, draft);
    if (!trial.measured()) continue;
    GPX_TRY(trial.prepare(draft.text));
    groups.push_back(GroupFit(row, trial, draft, options.stop).run(row.name));
    if (options.on_group) options.on_group(groups.back());
  }
  return groups;
}

}  // namespace gpx::twin
