// Groups of fields, one after another. Interface: fit.h. Covered by tests/twin/fit_test.cpp.
#include "runtime/twin/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/twin/fit_search.h"
#include "runtime/twin/fit_table.h"
#include "runtime/twin/fit_trial.h"

namespace gpx::twin {
namespace {

constexpr std::string_view kFitted = "source = \"fitted: ";

std::string shown(std::string value) {
  std::erase(value, '"');
  return value;
}

/// A value of the draft, which counts as measured unless it is assumed.
void put(Draft& draft, const std::string& path, const std::string& value, const std::string& note) {
  const auto was = note_in(draft.text, path);
  if (was) --(was->starts_with("assumed") ? draft.assumed : draft.measured);
  ++(note.starts_with("assumed") ? draft.assumed : draft.measured);
  draft.text = with_value(draft.text, path, value, note);
}

/// What a fit of a group lacks, by its fields.
void tell_missing(const FitRow& row, const std::string& why, Draft& draft) {
  Missing& one = draft.missing.emplace_back(Missing{"fit of " + row.name, why, {}});
  for (const FitField& field : row.fields) one.fields.push_back(field.path);
}

/// Values of a draft for a group's fields, and the notes of those that changed.
class GroupFit {
 public:
  /// `findings`: the text of the draft as findings gave it; they bound some fields.
  GroupFit(const FitRow& row, const std::string& findings, Trial& trial, Draft& draft,
           const FitOptions& options)
      : fields_(row.fields), trial_(trial), draft_(draft), options_(options) {
    for (FitField& field : fields_) {
      begin_.push_back(value_in(draft.text, field.path).value_or(""));
      resolve(field, findings);
    }
  }

  FitGroup run(const std::string& name) {
    FitSearch search(
        fields_, begin_, [&](const auto& drafts) { return residuals(drafts); }, options_.stop);
    FitGroup group{name, 0, 0, 0, 0};
    group.before = group.after = search.first();
    if (group.before > kExact && group.before < std::numeric_limits<double>::infinity()) {
      search.search();
      group.after = search.error();
      write(search, group);
    }
    group.points = search.points();
    group.runs = search.runs();
    return group;
  }

 private:
  /// Tries that are other fields' values, and the bounds of its finding.
  void resolve(FitField& field, const std::string& findings) const {
    std::vector<std::string> tries;
    for (const std::string& text : field.tries) {
      const auto other = text.starts_with('=') ? value_in(draft_.text, text.substr(1)) : text;
      if (other) tries.push_back(*other);
    }
    field.tries = std::move(tries);
    if (!field.within) return;
    const auto bounds = interval_in(note_in(findings, field.path).value_or(""));
    if (!bounds) {
      field.step = 0;
      field.tries.clear();
      return;
    }
    field.least = std::max(field.least, std::ceil(bounds->first / field.grain) * field.grain);
    field.most = std::min(field.most, std::floor(bounds->second / field.grain) * field.grain);
    if (field.most < field.least) field.step = 0;
  }

  std::vector<std::optional<Residuals>> residuals(const std::vector<FitSearch::Values>& all) {
    std::vector<std::string> drafts;
    for (const FitSearch::Values& values : all) drafts.push_back(text_of(values));
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    return trial_.run(drafts, options_.threads > 0 ? options_.threads : cores, options_.stop);
  }

  std::string text_of(const FitSearch::Values& values) const {
    std::string text = draft_.text;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != begin_[i])
        text = with_value(text, fields_[i].path, values[i], "assumed = \"a step of a fit\"");
    return text;
  }

  void write(FitSearch& search, FitGroup& group) {
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (!search.values()[i].empty() && search.values()[i] != begin_[i]) changed.push_back(i);
    search.look_beside(changed);
    for (const std::size_t i : changed) {
      std::string within = search.stopped() ? ", before it was stopped" : "";
      if (fields_[i].step > 0 && !search.stopped()) {
        bool matters = false;
        const double low = search.end_of(i, -1, matters), high = search.end_of(i, 1, matters);
        if (!matters && !begin_[i].empty()) continue;  // the points do not depend on it
        within = fmt::format(" ({:.6g} to {:.6g})", low, high);
      }
      const std::string value = search.values()[i];
      put(draft_, fields_[i].path, value,
          fmt::format("source = \"fitted: {}{}, with which the virtual GPU is {:.1f} % off at {} "
                      "points of {}; {}\"",
                      shown(value), within, 100 * search.error(), search.points(),
                      trial_.experiments(), draft_.place));
      group.changed.push_back(fmt::format("{}: {}, was {}", fields_[i].path, shown(value),
                                          begin_[i].empty() ? "absent" : shown(begin_[i])));
    }
  }

  std::vector<FitField> fields_;
  FitSearch::Values begin_;
  Trial& trial_;
  Draft& draft_;
  const FitOptions& options_;
};

/// Points that a group asks for and that were not measured.
void tell_missing(const FitRow& row, const Trial& trial, const std::vector<Measured>& measured,
                  Draft& draft) {
  for (const auto& [why, experiments] : trial.missing(measured))
    tell_missing(row,
                 fmt::format("{}: {}{}", why, fmt::join(experiments, ", "),
                             trial.measured() ? "; fitted without" : ""),
                 draft);
}

/// The groups of the table, of which the user may have chosen some.
Result<void> check_known(const std::vector<FitRow>& rows, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::ranges::find(rows, name, &FitRow::name) != rows.end()) continue;
    std::vector<std::string> known;
    for (const FitRow& row : rows) known.push_back(row.name);
    const auto near = nearest(name, known);
    return fail(Fault::input, fmt::format("there is no group '{}' of a fit", name),
                fmt::format("{}there are {}", near ? fmt::format("did you mean '{}'? ", *near) : "",
                            fmt::join(known, ", ")));
  }
  return {};
}

/// Whether the draft has the part that a field is of.
bool has_section(const Draft& draft, const std::string& path) {
  return draft.text.find("\n  " + path.substr(0, path.find('.')) + " = {\n") != std::string::npos;
}

/// Takes what an earlier fit found. What a finding says stays, unless the fit changed it. Parts
/// that the own runs do not show stay away, unless the group would add them.
Result<void> begin_from(const std::string& start, const std::vector<FitRow>& rows,
                        const Paths& paths, const std::vector<Measured>& measured, Draft& draft) {
  constexpr const char* kChip = "compute_capability";
  if (value_in(start, kChip) != value_in(draft.text, kChip))
    return fail(Fault::input, "the file to start from is no twin of this compute capability",
                "it is one that gpx twin made of the same model of GPU");
  bool any = false;
  for (const FitRow& row : rows) {
    const bool adds = Trial(paths, row, measured).measured();
    for (const FitField& field : row.fields) {
      if (!adds && !has_section(draft, field.path)) continue;
      const auto value = value_in(start, field.path);
      std::string note = note_in(start, field.path).value_or("");
      note.resize(std::min(note.rfind(" },"), note.size()));
      const bool fitted = note.starts_with(kFitted), assumed = note.starts_with("assumed");
      const bool found = note_in(draft.text, field.path).value_or("").starts_with("source");
      if (!value || !(fitted || (assumed && !found))) continue;
      put(draft, field.path, *value, note);
      any = any || fitted;
    }
  }
  if (any) return {};
  return fail(Fault::input, "the file to start from has no fitted value",
              "gpx twin writes one: a value whose source begins with 'fitted: '");
}

}  // namespace

Result<void> check_groups(const Paths& paths, const std::vector<std::string>& names) {
  return fit_rows(paths).and_then([&](const auto& rows) { return check_known(rows, names); });
}

Result<std::vector<FitGroup>> fit(const Paths& paths, const std::vector<Measured>& measured,
                                  Draft& draft, const FitOptions& options) {
  const auto rows = GPX_TRY(fit_rows(paths));
  GPX_TRY(check_known(rows, options.groups));
  const auto stopped = [&] { return options.stop && options.stop->load(); };
  const std::string findings = draft.text;
  if (!options.start.empty()) GPX_TRY(begin_from(options.start, rows, paths, measured, draft));
  std::vector<FitGroup> groups;
  for (const FitRow& row : rows) {
    const bool chosen = options.groups.empty() || contains(options.groups, row.name);
    if (!chosen && options.start.empty()) tell_missing(row, "not one of the chosen groups", draft);
    if (!chosen) continue;
    Trial trial(paths, row, measured);
    tell_missing(row, trial, measured, draft);
    if (!trial.measured()) continue;
    if (!stopped()) {
      GPX_TRY(trial.prepare(draft.text));
      groups.push_back(GroupFit(row, findings, trial, draft, options).run(row.name));
      if (options.on_group) options.on_group(groups.back());
    }
    if (stopped()) tell_missing(row, "stopped before its end", draft);
  }
  return groups;
}

}  // namespace gpx::twin
