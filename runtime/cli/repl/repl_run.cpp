// What the REPL does with experiments: runs, shows, explains them. Interface: repl.h.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lang/language.h"
#include "lang/try.h"
#include "runtime/cli/commands/explain.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/progress.h"
#include "runtime/cli/repl/repl.h"
#include "runtime/cli/stored.h"
#include "runtime/report/report.h"

namespace gpx::cli {

void Repl::answer(const std::string& text) {
  const Result<TypedText> typed = text_.compose(Source("<repl>", text));
  if (!typed) return fail_with(typed.error());
  run_typed(*typed);
}

/// The settings that the text has a name for; the others are kept for later lines, and said once.
/// Errors: those of the text.
Result<std::vector<Setting>> Repl::fitting_settings(const Source& source) {
  const auto ast = GPX_TRY(parse(source));
  GPX_TRY(check(ast, source));
  std::vector<Setting> fitting;
  for (const Setting& setting : options_.settings) {
    const auto checked = check(ast, source, {setting});
    if (checked)
      fitting.push_back(setting);
    else if (noted_.insert(setting.name).second)
      say(fmt::format("note: {}={} does not fit here: {}\n", setting.name, setting.text,
                      checked.error().diagnostics.front().message));
  }
  return fitting;
}

void Repl::run_typed(const TypedText& text) {
  RunOptions options = options_;
  auto settings = fitting_settings(text.source);
  if (!settings) return fail_with(text.as_typed(settings.error()));
  text_.keep_parameters(text);
  if (text.pieces.empty()) return;
  options.settings = *settings;
  if (!run_source(text.source, options, &text)) return;
  std::vector<Experiment> ran;
  for (const ExperimentResult& each : last_.experiments) ran.push_back(each.experiment);
  text_.keep_experiments(text, *settings, options_.device == "auto" ? "" : options_.device, ran);
}

/// Runs and shows; false where it failed before it began. `typed`: whose text it is.
bool Repl::run_source(const Source& source, const RunOptions& wanted, const TypedText* typed) {
  const auto wrong = [&](const Error& error) {
    fail_with(typed ? typed->as_typed(error) : error);
    return false;
  };
  RunOptions options = wanted;
  const InterruptGuard interrupt;
  ProgressBar bar(console_.err, console_.err_style, console_.err_is_terminal && !talk_.quiet);
  options.stop = &interrupt.flag();
  options.observers = {&bar};
  Result<RunKeeper> keeper = RunKeeper::begin(store_, console_, {source}, options);
  if (!keeper) return wrong(keeper.error());
  keeper->observe(options);
  Result<RunResult> result = session_.run(source, options);
  bar.clear();
  const bool failed = !result || result->failure();
  const int kept = keeper->finish(console_, result && result->interrupted, failed);
  if (status_ == kSuccess) status_ = kept;
  if (!result) return wrong(result.error());
  if (result->experiments.empty()) return false;
  last_ = std::move(*result);
  it_is_old_ = true;
  show(last_);
  if (const Error* failure = last_.failure()) wrong(*failure);
  if (status_ == kSuccess && last_.interrupted) status_ = kInterrupted;
  if (status_ == kSuccess && !report::expectations_hold(last_)) status_ = kExpectationFailed;
  return true;
}

void Repl::show(const RunResult& result) {
  if (talk_.quiet) return;
  const report::Style& style = console_.out_style;
  for (const ExperimentResult& experiment : result.experiments)
    say(report::plots(experiment, style) + report::findings(experiment, style, talk_.verbose) +
        '\n' + report::verdict_line(experiment, style));
}

void Repl::show_parts(const std::function<std::string(const ExperimentResult&)>& part) {
  if (last_.experiments.empty()) return say("nothing has run yet\n");
  for (const ExperimentResult& experiment : last_.experiments) say(part(experiment));
}

/// The last experiment, or the one of that name.
const SessionText::Entry* Repl::entry(const std::string& name) const {
  const auto& all = text_.entries();
  if (all.empty()) return nullptr;
  if (name.empty()) return &all.back();
  const auto found =
      std::ranges::find(all, name, [](const SessionText::Entry& each) { return each.piece.name; });
  return found == all.end() ? nullptr : &*found;
}

namespace {

bool names_file(const std::string& name) {
  std::error_code error;
  return name.find('/') != std::string::npos || name.ends_with(".gpx") ||
         std::filesystem::is_regular_file(name, error);
}

}  // namespace

/// An experiment of the session, all of them, or a file.
void Repl::run(const std::string& what) {
  if (!what.empty() && !entry(what)) {
    const auto near = nearest(what, experiment_names());
    if (!names_file(what))
      return fail_with(
          make_error(Fault::input, "no experiment here is called '" + what + "'",
                     near ? "did you mean '" + *near + "'?" : ":run FILE.gpx runs a file"));
    const Result<Source> source = read_source(what);
    if (!source) return fail_with(source.error());
    RunOptions options = options_;
    auto settings = fitting_settings(*source);
    if (!settings) return fail_with(settings.error());
    options.settings = *settings;
    run_source(*source, options, nullptr);
    return;
  }
  if (text_.entries().empty()) return say("nothing to run: type an experiment, or :load FILE\n");
  std::vector<SessionText::Entry> wanted;
  if (what.empty()) wanted = text_.entries();
  if (!what.empty()) wanted.push_back(*entry(what));
  for (const SessionText::Entry& each : wanted) {
    Result<TypedText> typed = text_.compose(SessionText::standing_alone(each));
    if (!typed) return fail_with(typed.error());
    typed->parameters.clear();  // They are those of then: what is set now stays.
    run_typed(*typed);
    if (last_.interrupted) return;
  }
}

/// ":explain", ":explain NAME", ":explain POINT", ":explain NAME POINT"
void Repl::explain(const std::string& what) {
  const std::string first = what.substr(0, what.find(' '));
  const bool named = !first.empty() && entry(first);
  const SessionText::Entry* chosen = entry(named ? first : "");
  if (!chosen) return say("nothing to explain: type an experiment first\n");
  std::string point = named ? what.substr(first.size()) : what;
  std::erase(point, ' ');
  const bool is_point = point.empty() || std::isdigit(static_cast<unsigned char>(point[0])) ||
                        point.find('=') != std::string::npos;
  if (!is_point) {
    const auto near = nearest(first, experiment_names());
    return fail_with(make_error(
        Fault::input, "no experiment here is called '" + first + "'",
        near ? "did you mean '" + *near + "'?" : "a point is a number from 0, or threads=64,n=2"));
  }
  const Source source = SessionText::standing_alone(*chosen);
  RunOptions options = options_;
  auto settings = fitting_settings(source);
  if (!settings) return fail_with(settings.error());
  options.settings = *settings;
  if (const auto done = explain_source(source, point, options, session_, console_); !done)
    fail_with(done.error());
}

}  // namespace gpx::cli
