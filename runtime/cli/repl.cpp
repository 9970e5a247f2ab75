#include "runtime/cli/repl.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/language.h"
#include "runtime/cli/files.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/run_options.h"
#include "runtime/cli/stored.h"
#include "runtime/report/report.h"

namespace gpx::cli {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// A block as one history entry, where it means the same on one line.
std::string on_one_line(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (line.find('#') != std::string::npos) return {};
    if (const std::string piece = trimmed(line); !piece.empty())
      text += (text.empty() ? "" : " ") + piece;
  }
  return completeness(text) == Completeness::complete ? text : std::string();
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace

Repl::Repl(const Console& console, Paths paths, RunOptions options, Options command)
    : console_(console),
      options_(std::move(options)),
      command_(std::move(command)),
      session_(std::move(paths)) {}

void Repl::say(const std::string& text) {
  print(console_.out, text);
  std::fflush(console_.out);
}

void Repl::fail_with(const Error& error) {
  const int status = print_error(console_, error);
  if (status_ == kSuccess) status_ = status;
}

int Repl::run(LineReader& reader) {
  const std::string prompt = console_.out_is_terminal ? "gpx> " : "";
  const std::string more = console_.out_is_terminal ? "...> " : "";
  while (const auto line = reader.read(pending() ? more : prompt)) {
    if (line->interrupted) {
      block_.clear();
      continue;
    }
    if (!take(line->text, reader)) break;
  }
  if (pending()) finish_block(reader);
  return console_.in_is_terminal ? kSuccess : status_;
}

bool Repl::take(const std::string& line, LineReader& reader) {
  if (!pending() && trimmed(line).empty()) return true;
  if (!pending() && trimmed(line)[0] == ':') {
    reader.remember(trimmed(line));
    return command(trimmed(line));
  }
  block_.push_back(line);
  if (completeness(joined(block_)) != Completeness::incomplete) finish_block(reader);
  return true;
}

void Repl::finish_block(LineReader& reader) {
  const std::vector<std::string> lines = std::exchange(block_, {});
  const std::string entry = on_one_line(lines);
  if (!entry.empty())
    reader.remember(entry);
  else
    for (const std::string& line : lines) reader.remember(line);
  answer(joined(lines));
}

void Repl::answer(const std::string& text) {
  run_source(Source("<repl>", text));
}

/// The settings that the text has a name for; the others are kept for later lines.
std::vector<Setting> Repl::fitting_settings(const Source& source) {
  const Result<Ast> ast = parse(source);
  if (!ast || !check(*ast, source)) return {};  // Running it reports what is wrong.
  std::vector<Setting> fitting;
  for (const Setting& setting : options_.settings) {
    const auto checked = check(*ast, source, {setting});
    if (checked)
      fitting.push_back(setting);
    else
      say(fmt::format("note: {}={} does not fit here: {}\n", setting.name, setting.text,
                      checked.error().diagnostics.front().message));
  }
  return fitting;
}

void Repl::run_source(const Source& source) {
  RunOptions options = options_;
  options.settings = fitting_settings(source);
  const InterruptGuard interrupt;
  ProgressBar bar(console_.err, console_.err_style, console_.err_is_terminal);
  options.stop = &interrupt.flag();
  options.observers = {&bar};
  Result<RunKeeper> keeper = RunKeeper::begin(command_, console_, {source}, options);
  if (!keeper) return fail_with(keeper.error());
  keeper->observe(options);
  Result<RunResult> result = session_.run(source, options);
  bar.clear();
  keeper->finish(
      console_, result && result->interrupted,
      !result || (!result->experiments.empty() && result->experiments.back().failure.has_value()));
  if (!result) return fail_with(result.error());
  if (result->experiments.empty()) return;
  last_ = std::move(*result);
  show(last_);
  if (const auto& failure = last_.experiments.back().failure) fail_with(*failure);
  if (status_ == kSuccess && last_.interrupted) status_ = kInterrupted;
  if (status_ == kSuccess && !report::expectations_hold(last_)) status_ = kExpectationFailed;
}

void Repl::show(const RunResult& result) {
  for (const ExperimentResult& experiment : result.experiments)
    say(report::plots(experiment, console_.out_style) +
        report::findings(experiment, console_.out_style) + '\n' +
        report::verdict_line(experiment, console_.out_style));
}

void Repl::show_parts(const std::function<std::string(const ExperimentResult&)>& part) {
  if (last_.experiments.empty()) return say("nothing has run yet\n");
  for (const ExperimentResult& experiment : last_.experiments) say(part(experiment));
}

}  // namespace gpx::cli
