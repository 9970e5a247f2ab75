// The REPL's :commands. Interface: repl.h.
#include "runtime/cli/repl/repl_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "lang/language.h"
#include "lang/lists.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/picture_file.h"
#include "runtime/cli/repl/session_words.h"
#include "runtime/measure/curves.h"
#include "runtime/report/overlay.h"
#include "runtime/report/report.h"

namespace gpx::cli {
namespace {

/// How a saved session says where it ran; a comment for everything but :load.
constexpr std::string_view kDeviceLine = "# :device ";
/// The first line of a saved session. A file that begins otherwise is somebody's own text.
constexpr std::string_view kFirstLine = "# A session of gpx ";

bool is_own_text(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const Result<std::string> text = read_text(path, std::size_t{16} << 20);
  return !text || (!text->empty() && !text->starts_with(kFirstLine));
}

bool is_device_file(const std::string& name) {
  return name.ends_with(".lua");
}

/// A name after :save, :load, …; "~/" is the home folder.
std::string path_of(const std::string& argument) {
  const char* home = std::getenv("HOME");
  return argument.starts_with("~/") && home ? home + argument.substr(1) : argument;
}

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().lexically_normal().string();
}

constexpr std::size_t kMostCurvesOfPicture = 24;

Plot as_plot(const ast::Plot& written) {
  Plot plot;
  for (const ast::Ident& y : written.y) plot.y.push_back(y.text);
  for (const ast::Ident& by : written.by) plot.by.push_back(by.text);
  plot.x = written.x.text;
  plot.log_x = written.log_x;
  plot.log_y = written.log_y;
  return plot;
}

std::optional<std::string> missing_column(const ExperimentResult& result, const Plot& plot) {
  std::vector<std::string> wanted = plot.by;
  wanted.push_back(plot.x);
  wanted.insert(wanted.end(), plot.y.begin(), plot.y.end());
  for (const std::string& name : wanted)
    if (name != kNeighbourVariance && !result.samples.find(name)) return name;
  return std::nullopt;
}

std::string column_names(const ExperimentResult& result) {
  std::string names;
  for (const Column& column : result.samples.columns)
    if (column.role != Column::Role::repetition) names += (names.empty() ? "" : ", ") + column.name;
  return names;
}

}  // namespace

const std::vector<Repl::Command>& Repl::commands() {
  using Text = const std::string&;
  const auto findings = [](Repl& r, Text) {
    r.show_parts(
        [&](const auto& e) { return report::findings(e, r.console_.out_style, r.talk_.verbose); });
  };
  static const std::vector<Command> table = {
      {":help", "[TOPIC]", "this list, or help on a command or a word of the language",
       ":help unique, :help patterns, :help :save.", [](Repl& r, Text a) { r.help(a); }},
      {":device", "[NAME]", "show the device, or run on another one",
       "A name that :devices lists, auto, cuda, cuda:1, or a device file (./mine.lua).",
       [](Repl& r, Text a) { r.device(a); }},
      {":devices", "", "list the devices", "",
       [](Repl& r, Text) { gpx_main({"devices"}, r.console_); }},
      {":set", "[NAME=VALUE]", "show the settings, or replace a parameter or an axis",
       "As --set: :set threads=64, :set n=1..4, :set size=[1KB, 4KB]. It holds for all lines that "
       "follow and have the name, until :unset. 'param n = 4' makes a parameter for the lines that "
       "follow.",
       [](Repl& r, Text a) { r.set(a); }},
      {":unset", "NAME", "forget a setting or a parameter", "",
       [](Repl& r, Text a) { r.unset(a); }},
      {":plot", "[FILE | Y over X ...]",
       "draw the last result again, another plot of it, or a file",
       "As wide as the window is now. :plot latency over n by threads logx draws that; :plot a.svg "
       "makes a picture (.svg, .png, .pdf, .gp, .tex) of the first plot.",
       [](Repl& r, Text a) { r.plot(a); }},
      {":findings", "", "the last result's findings and tables", "", findings},
      {":lua", "[TEXT]", "compute with the last result, 'it'",
       "An expression prints its value: :lua #it.samples. Incomplete text continues on the next "
       "line; :lua alone reads lines up to a blank one. Globals persist. 'it' is a run as "
       "docs/scripts.md describes it: it.findings, it.samples, it.curves, it.device. gpx.run, "
       "gpx.load, stats and fit_line are there too, in the sandbox of gpx lua.",
       [](Repl& r, Text a) { r.lua(a); }},
      {":explain", "[NAME] [POINT]", "kernel, CUDA and PTX of a point of the last experiment",
       "NAME is another experiment of this session; POINT a number from 0, or threads=64,n=2.",
       [](Repl& r, Text a) { r.explain(a); }},
      {":run", "[NAME|FILE]", "run an experiment again, all of them, or an experiment file",
       "NAME is an experiment of this session (line1, …): it runs with the current device and "
       "settings.",
       [](Repl& r, Text a) { r.run(path_of(a)); }},
      {":save", "FILE.gpx", "write this session as an experiment file",
       "What was typed and ran, with the settings and devices it ran with: gpx check and gpx run "
       "take it, and :load reads it back. It replaces a session that was saved there, and no other "
       "file.",
       [](Repl& r, Text a) { r.save_session(path_of(a)); }},
      {":load", "FILE.gpx", "take the experiments of a file into this session",
       "Nothing runs: :run does. The device of a saved session becomes the device.",
       [](Repl& r, Text a) { r.load_session(path_of(a)); }},
      {":json", "FILE", "write the last result as JSON", "",
       [](Repl& r, Text a) { r.write(path_of(a), report::to_json); }},
      {":csv", "FILE", "write the last samples as CSV", "",
       [](Repl& r, Text a) { r.write(path_of(a), report::to_csv); }},
      {":runs", "", "list the runs in the store, newest first",
       "docs/store.md describes the store.",
       [](Repl& r, Text) { r.store_command("runs", "", 0, ""); }},
      {":show", "RUN", "show a stored run", "RUN is a number, the beginning of an id, or last.",
       [](Repl& r, Text a) { r.store_command("show", a, 1, "a run: :show last"); }},
      {":diff", "RUN RUN", "compare two stored runs", "Which findings and curves differ, and why.",
       [](Repl& r, Text a) { r.store_command("diff", a, 2, "two runs: :diff 1 2"); }},
      {":quit", "", "leave (so does Ctrl-D)", "", nullptr},
  };
  return table;
}

std::vector<std::string> repl_command_names() {
  std::vector<std::string> names;
  for (const Repl::Command& command : Repl::commands()) names.emplace_back(command.name);
  return names;
}

bool Repl::command(const std::string& line) {
  const std::size_t space = line.find_first_of(" \t");
  const std::string name = line.substr(0, space);
  std::string argument = space == std::string::npos ? "" : line.substr(space);
  argument.erase(0, argument.find_first_not_of(" \t"));
  if (name == ":q" || name == ":quit" || name == ":exit") return false;
  for (const Command& command : commands()) {
    if (name != command.name) continue;
    if (*command.argument == '\0' && !argument.empty())
      fail_with(make_error(Fault::input, fmt::format("'{}' takes nothing after it", name)));
    else
      command.run(*this, argument);
    return true;
  }
  const auto near = nearest(name, repl_command_names());
  fail_with(make_error(Fault::input, "unknown command '" + name + "'",
                       near ? "did you mean '" + *near + "'?" : ":help lists the commands"));
  return true;
}

void Repl::device(const std::string& name) {
  const Result<Backend*> backend = session_.open(name.empty() ? options_.device : name);
  if (!backend) return fail_with(backend.error());
  if (!name.empty()) options_.device = name;
  const DeviceInfo& info = (*backend)->info();
  say(fmt::format("{}{}\n", info.name,
                  info.measured ? "" : " (virtual GPU: a model, not a measurement)"));
}

void Repl::set(const std::string& argument) {
  if (argument.empty()) {
    for (const SessionParameter& each : text_.parameters())
      say(fmt::format("param {} = {}\n", each.name, each.value));
    for (const Setting& setting : options_.settings)
      say(fmt::format("{}={}\n", setting.name, setting.text));
    if (text_.parameters().empty() && options_.settings.empty())
      say("nothing is set: :set NAME=VALUE\n");
    return;
  }
  Result<Setting> setting = parse_setting(argument);
  if (!setting)
    return fail_with(make_error(Fault::input, fmt::format("cannot set '{}'", argument),
                                "NAME=VALUE, such as :set threads=64"));
  noted_.erase(setting->name);
  std::erase_if(options_.settings, [&](const Setting& s) { return s.name == setting->name; });
  options_.settings.push_back(std::move(*setting));
}

void Repl::unset(const std::string& name) {
  const auto named = [&](const Setting& s) { return s.name == name; };
  if (std::erase_if(options_.settings, named) > 0) return;
  for (const SessionParameter& each : text_.parameters())
    if (std::ranges::count(words_of(each.value), name) > 0)
      return fail_with(make_error(
          Fault::input, fmt::format("'{}' is used by param {} = {}", name, each.name, each.value),
          fmt::format("first :unset {}", each.name)));
  if (text_.forget_parameter(name)) return;
  std::vector<std::string> known;
  for (const Setting& setting : options_.settings) known.push_back(setting.name);
  for (const SessionParameter& each : text_.parameters()) known.push_back(each.name);
  const auto near = nearest(name, known);
  fail_with(make_error(Fault::input, "'" + name + "' is not set",
                       near ? "did you mean '" + *near + "'?" : ""));
}

void Repl::save_session(const std::string& path) {
  if (path.empty()) return fail_with(make_error(Fault::input, ":save needs a file", "FILE.gpx"));
  if (text_.entries().empty()) return say("nothing to save: no experiment has run\n");
  if (is_own_text(path))
    return fail_with(make_error(Fault::input,
                                fmt::format("'{}' is there, and no saved session", path),
                                "another name: comments between experiments would be lost"));
  std::string heading = fmt::format("{}{}, as it was typed and set.\n", kFirstLine, GPX_VERSION);
  std::error_code error;
  if (options_.device != "auto")
    heading += fmt::format(
        "{}{}\n", kDeviceLine,
        is_device_file(options_.device)
            ? std::filesystem::absolute(options_.device, error).lexically_normal().string()
            : options_.device);
  const auto text = text_.file(heading + '\n', folder_of(path));
  if (!text) return fail_with(text.error());
  if (const Result<void> written = write_file(path, *text); !written)
    return fail_with(written.error());
  say("wrote " + path + '\n');
}

void Repl::load_session(const std::string& path) {
  if (path.empty()) return fail_with(make_error(Fault::input, ":load needs a file", "FILE.gpx"));
  const Result<Source> source = read_source(path);
  if (!source) return fail_with(source.error());
  const Result<TypedText> typed = text_.compose(*source);
  if (!typed) return fail_with(typed.error());
  const auto checked =
      parse(typed->source).and_then([&](const Ast& ast) { return check(ast, typed->source); });
  if (!checked) return fail_with(typed->as_typed(checked.error()));
  text_.keep_parameters(*typed);
  text_.keep_experiments(*typed, {}, "", *checked);
  const std::string names = joined(typed->pieces, ", ", &SessionPiece::name);
  say(names.empty() ? "no experiment in '" + path + "'\n" : "loaded " + names + " (:run NAME)\n");
  std::istringstream lines(source->text());
  for (std::string line; std::getline(lines, line) && line.starts_with('#');)
    if (line.starts_with(kDeviceLine)) device(line.substr(kDeviceLine.size()));
}

void Repl::write(const std::string& path, std::string (*text)(const RunResult&)) {
  if (last_.experiments.empty()) return say("nothing has run yet\n");
  if (path.empty()) return fail_with(make_error(Fault::input, "a file is needed"));
  if (const Result<void> written = write_file(path, text(last_)); !written)
    return fail_with(written.error());
  say("wrote " + path + '\n');
}

/// `plot ARGUMENTS` of an experiment with the columns and axes of the last one.
Result<Plot> Repl::read_plot(const std::string& arguments) {
  const Source source("<:plot>", "< load unique(4B) > plot " + arguments);
  const auto ast = gpx::parse(source);
  if (!ast)
    return fail(Fault::input, ast.error().diagnostics.front().message,
                "such as :plot latency over threads by n logx");
  for (const ast::Item& item : ast->items)
    if (const auto* block = std::get_if<ast::Block>(&item))
      for (const ast::Statement& one : block->statements)
        if (const auto* written = std::get_if<ast::Plot>(&one.node)) return as_plot(*written);
  return fail(Fault::input, "this is not a plot", "such as :plot latency over threads by n logx");
}

void Repl::plot(const std::string& argument) {
  if (last_.experiments.empty()) return say("nothing has run yet\n");
  const std::string path = path_of(argument);
  if (const auto format = report::picture_format(path)) {
    const std::vector<report::Run> runs = {{"this run", {last_, {}}}};
    const std::vector<report::Group> groups = report::overlay(runs, kMostCurvesOfPicture);
    if (groups.empty() || groups.front().figures.empty())
      return fail_with(
          make_error(Fault::input, "nothing to plot: no axis takes three values or more"));
    const auto text =
        draw_picture(report::picture_of(groups.front(), groups.front().figures.front()), *format);
    if (!text) return fail_with(text.error());
    if (const auto written = write_file(path, *text); !written) return fail_with(written.error());
    return say("wrote " + path + '\n');
  }
  std::optional<Plot> wanted;
  if (!argument.empty()) {
    const Result<Plot> read = read_plot(argument);
    if (!read) return fail_with(read.error());
    wanted = *read;
  }
  for (const ExperimentResult& result : last_.experiments)
    if (const auto unknown = wanted ? missing_column(result, *wanted) : std::nullopt)
      return fail_with(make_error(Fault::input, "the last result has no column '" + *unknown + "'",
                                  "it has " + column_names(result)));
  show_parts([&](const ExperimentResult& each) {
    if (!wanted) return report::plots(each, console_.out_style);
    ExperimentResult drawn = each;
    drawn.experiment.plots = {*wanted};
    drawn.curves = curves_of(drawn.experiment, drawn.samples);
    return report::plots(drawn, console_.out_style);
  });
}

void Repl::store_command(const char* name, const std::string& argument, std::size_t count,
                         const char* wants) {
  std::vector<std::string> runs;
  std::istringstream words(argument);
  for (std::string word; words >> word;) runs.push_back(word);
  if (runs.size() != count)
    return fail_with(make_error(Fault::input, fmt::format("this needs {}", wants)));
  std::vector<std::string> arguments = {name};
  if (!store_.store.empty()) arguments.insert(arguments.end(), {"--store", store_.store});
  if (talk_.verbose) arguments.emplace_back("--verbose");
  arguments.emplace_back("--");  // A run, even where it begins as an option does.
  arguments.insert(arguments.end(), runs.begin(), runs.end());
  const int status = gpx_main(arguments, console_);
  std::fflush(console_.out);
  if (status_ == kSuccess && status != kExpectationFailed) status_ = status;
}

}  // namespace gpx::cli
