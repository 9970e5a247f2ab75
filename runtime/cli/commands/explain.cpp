// gpx explain: what one point of a sweep becomes, from the text to machine code, with what is timed
// marked. Covered by tests/cli/explain_command_test.cpp.
#include "runtime/cli/commands/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "codegen/compile/architecture.h"
#include "codegen/compile/compile.h"
#include "lang/lists.h"
#include "lang/read.h"
#include "lang/try.h"
#include "lang/words.h"
#include "runtime/cli/command.h"
#include "runtime/cli/explain/code_listings.h"
#include "runtime/cli/explain/explain_finding.h"
#include "runtime/cli/explain/marked_listing.h"
#include "runtime/cli/explain/side_by_side.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/output.h"
#include "runtime/cli/run_files.h"
#include "runtime/cli/run_options.h"
#include "runtime/measure/prepare.h"

namespace gpx::cli {
namespace {

/// "FILE", "FILE:12", "FILE:n=2,threads=64"
struct Place {
  std::string file, point;
};

Place split_place(const std::string& argument) {
  const std::size_t colon = argument.rfind(':');
  std::error_code ignored;
  if (colon == std::string::npos || std::filesystem::exists(argument, ignored))
    return {argument, {}};
  return {argument.substr(0, colon), argument.substr(colon + 1)};
}

bool is_measure(const Experiment& experiment, const std::string& name) {
  return !name.empty() && contains(experiment.measures, name, &Measure::name);
}

bool has_measures(const Experiment& experiment) {
  return std::ranges::any_of(experiment.measures,
                             [](const Measure& measure) { return !measure.name.empty(); });
}

/// A run has the points of the sweep for each measure, one measure after the other.
std::uint64_t points_of(const Experiment& experiment) {
  return experiment.sweep.points() * experiment.measures.size();
}

std::string describe(const Experiment& experiment, const Measure& measure, std::uint64_t point) {
  const std::string values = point_text(experiment.sweep, point);
  const auto index = static_cast<std::uint64_t>(&measure - experiment.measures.data());
  return fmt::format("point {} of {}{}{}", index * experiment.sweep.points() + point,
                     points_of(experiment), values.empty() ? "" : ": ", values);
}

/// What is shown of an experiment.
struct Shown {
  std::uint64_t point = 0;
  std::string measure;  ///< "": every one.
};

/// What may stand in a point of the experiment.
std::string point_hint(const Experiment& experiment) {
  std::vector<std::string> keys;
  for (const Axis* axis : experiment.sweep.axes()) keys.push_back(axis->name);
  if (has_measures(experiment)) {
    std::vector<std::string> names;
    for (const Measure& measure : experiment.measures) names.push_back(measure.name);
    keys.push_back(fmt::format("measure={}", fmt::join(names, " or ")));
  }
  std::string text = "a point is a number from 0, or axis=value, separated by commas";
  if (!keys.empty()) text += fmt::format("; {} has {}", experiment.name, fmt::join(keys, ", "));
  return text;
}

/// A number from 0, or values of axes and a measure: the first point that has them all.
Result<Shown> find_point(const Experiment& experiment, const std::string& text) {
  const std::uint64_t points = experiment.sweep.points();
  std::uint64_t number = 0;
  Shown shown;
  if (text.empty()) return shown;
  if (read_number(text, number)) {
    if (number < points_of(experiment))
      return Shown{number % points, experiment.measures[number / points].name};
    return fail(Fault::input,
                fmt::format("there is no point {}: {} has {}", number, experiment.name,
                            plural(static_cast<double>(points_of(experiment)), "point")),
                point_hint(experiment));
  }
  const auto axes = experiment.sweep.axes();
  std::vector<std::pair<std::size_t, std::string>> wanted;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t stop = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, stop - begin);
    const std::string name = part.substr(0, part.find('='));
    begin = stop + 1;
    if (name == "measure" && is_measure(experiment, part.substr(part.find('=') + 1))) {
      shown.measure = part.substr(part.find('=') + 1);
      continue;
    }
    const auto axis = std::find_if(axes.begin(), axes.end(),
                                   [&](const Axis* each) { return each->name == name; });
    if (axis == axes.end() || part.find('=') == std::string::npos)
      return fail(Fault::input,
                  fmt::format("'{}' is no axis and value of {}", part, experiment.name),
                  point_hint(experiment));
    wanted.emplace_back(axis - axes.begin(), part.substr(name.size() + 1));
  }
  for (std::uint64_t point = 0; point < points; ++point) {
    const std::vector<Value> values = experiment.sweep.at(point);
    if (std::all_of(wanted.begin(), wanted.end(),
                    [&](const auto& each) { return to_string(values[each.first]) == each.second; }))
      return Shown{point, shown.measure};
  }
  return fail(Fault::input, fmt::format("no point of {} has {}", experiment.name, text));
}

// ---- the page -----------------------------------------------------------------------------

class Page {
 public:
  explicit Page(const Console& console) : console_(console) {}

  void heading(const std::string& text) {
    put(report::paint(console_.out_style, report::Paint::bold, text) + "\n");
  }
  void text(const std::string& text) { put(text + "\n"); }

  void section(const std::string& title, const Listing& lines) {
    rule(title);
    for (const Line& line : lines) put(shown(line) + "\n");
  }

  /// Two listings beside each other where a terminal is wide enough, else one under the other.
  void pair(const std::string& left_title, const Listing& left, const std::string& right_title,
            const Listing& right) {
    const int half = (console_.out_style.width - 3) / 2;
    constexpr int kReadable = 70;
    if (!console_.out_is_terminal || half < kReadable || right.empty()) {
      section(left_title, left);
      if (!right.empty()) section(right_title, right);
      return;
    }
    rule(left_title + " | " + right_title);
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      const std::string first = i < left.size() ? shown(left[i], half) : "";
      const std::string second = i < right.size() ? shown(right[i], half) : "";
      put(report::pad(first, half) + " | " + second + "\n");
    }
  }

  void rule(const std::string& title) {
    put("\n");
    heading("==== " + title + " ====");
  }

 private:
  void put(const std::string& line) { print(console_.out, line); }

  /// The timed lines have a mark in the margin, so that they are told without colour too.
  std::string shown(const Line& line, int width = 0) const {
    std::string text;
    for (char c : line.text) text += c == '\t' ? std::string("  ") : std::string(1, c);
    text = (line.timed ? "> " : "  ") + report::fit(console_.out_style, text);
    if (width > 0 && report::display_width(text) > width)
      text.resize(static_cast<std::size_t>(width));
    return line.timed ? report::paint(console_.out_style, report::Paint::green, text) : text;
  }

  const Console& console_;
};

/// Machine code of a virtual GPU's kernel, which has none of its own: of the compiler's target.
std::string borrowed_sass(const codegen::Kernel& kernel, Page& page) {
  constexpr codegen::Target kTarget{codegen::Target::Form::cubin, 90};
  const auto made = codegen::compile(std::span(&kernel, 1), kTarget, {}, nullptr);
  if (!made || made->front().sass.empty()) return {};
  page.text(fmt::format("machine code: of sm_{}, as nothing here executes it", kTarget.sm));
  return made->front().sass;
}

/// What the device says of one launch; of a kernel from a file, its file is its text.
void explain(const LoweredMeasure& measure, const Source& source, Page& page) {
  const codegen::Artifact& artifact = measure.artifacts.front();
  const bool user = measure.program.user;
  if (artifact.cubin.empty()) page.text("machine code: none, a virtual GPU executes the PTX");
  const bool beside = !user && has_inline_ptx(measure.program.kernels.front());
  const std::string sass = beside && artifact.cubin.empty()
                               ? borrowed_sass(measure.program.kernels.front(), page)
                               : artifact.sass;
  page.section("source", source_lines(source, measure.measure->body_span));
  if (beside) {
    page.rule("statement, PTX, machine code");
    for (const std::string& line :
         side_by_side(measure.program.kernels.front(), artifact.ptx, sass))
      page.text("  " + line);
  }
  if (user) {
    page.section(measure.kernel_file, lines_of(artifact.cuda));
    return page.pair("PTX", lines_of(artifact.ptx), "SASS", sass_lines(artifact.sass));
  }
  page.section("kernel", kernel_lines(measure.program.kernels.front()));
  page.section("CUDA", marked(artifact.cuda, "%%clock64"));
  page.pair("PTX", marked(artifact.ptx, "%clock64"), "SASS", sass_lines(artifact.sass));
}

/// Facts of a launch.
std::vector<std::string> launch_facts(const LoweredMeasure& measure, const Backend& backend) {
  const codegen::Launch& launch = measure.program.launches.front();
  std::vector<std::string> facts = {fmt::format("device: {}; {} of {}", backend.info().name,
                                                plural(launch.all_blocks(), "block"),
                                                plural(launch.all_threads(), "thread"))};
  const codegen::Kernel& kernel = measure.program.kernels[launch.kernel];
  if (!measure.program.user && kernel.threads > launch.all_threads())
    facts.push_back(fmt::format("compiled for blocks of up to {} threads", kernel.threads));
  const codegen::Artifact& artifact = measure.artifacts.front();
  if (measure.program.user) {
    facts.emplace_back("proof: none: the whole grid of a kernel from a file is timed");
  } else {
    const codegen::RegionReport& region = measure.regions.front();
    facts.push_back(
        fmt::format("proof: {}: {}", codegen::to_string(region.verdict), region.reason));
  }
  if (artifact.registers > 0)
    facts.push_back(fmt::format("registers a thread: {}", artifact.registers));
  return facts;
}

/// Where the parts go: to the page, or to `collected` with machine code of `architecture`.
struct Shower {
  Page& page;
  std::vector<ExplainedMeasure>* collected = nullptr;
  codegen::Target architecture{codegen::Target::Form::cubin, 90};
};

Result<void> explain(const Experiment& experiment, const Source& source, const Shown& shown,
                     Backend& backend, const Paths& paths, const Shower& to) {
  const auto prepared =
      GPX_TRY(prepare(experiment, source, backend, paths,
                      {.point = shown.point, .facts = false, .keep_refused = true}));
  for (const LoweredMeasure& each : prepared.measures) {
    const std::string& measure = each.measure->name;
    if (!shown.measure.empty() && measure != shown.measure) continue;
    ExplainedMeasure explained{
        fmt::format("{}{}{}: {}", experiment.name, measure.empty() ? "" : ", ", measure,
                    describe(experiment, *each.measure, shown.point)),
        launch_facts(each, backend),
        {}};
    if (to.collected) {
      add_code(each, source, backend, to.architecture, explained);
      to.collected->push_back(std::move(explained));
      continue;
    }
    to.page.heading(explained.heading);
    for (const std::string& fact : explained.facts) to.page.text(fact);
    explain(each, source, to.page);
  }
  return {};
}

Result<void> explain_all(const Source& source, const std::string& point, const RunOptions& run,
                         Session& session, const Shower& to) {
  const auto experiments = GPX_TRY(read_experiments(source, run.settings));
  if (experiments.empty())
    return fail(Fault::input, fmt::format("there is no experiment in '{}'", source.name()));
  // Experiments that have the point; where none has it, what the first one lacks.
  std::vector<Result<Shown>> places;
  for (const Experiment& experiment : experiments) places.push_back(find_point(experiment, point));
  const auto has_point = [](const Result<Shown>& place) { return place.has_value(); };
  if (std::ranges::none_of(places, has_point)) return tl::unexpected<Error>(places.front().error());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) continue;
    const Experiment& experiment = experiments[i];
    auto backend = GPX_TRY(session.open(run.device, experiment.device));
    if (auto shown = explain(experiment, source, *places[i], *backend, session.paths(), to); !shown)
      return shown;
  }
  return {};
}

struct ExplainCommand : Talk {
  std::string file, finding, json, architecture;
  ExperimentOptions experiment;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("FILE[:POINT]|RUN", file,
                  "An experiment file; POINT is a number from 0, or axis=value,measure=NAME,... "
                  "With --finding a stored run (default: last), or a document of gpx run --json")
        .completes(Values::experiments);
    line.option("--finding", finding, "NAME",
                "How a finding of a run was found: --finding l2.ways");
    line.option(
        "--arch", architecture, "ARCH",
        "With --json: machine code of a virtual GPU's kernels is of it: sm_90 (the default), ...");
    take_json(line, json, "Write all stages as JSON with linked lines; - is standard output");
    experiment.take(line);
    store.take(line);
  }
  Result<int> run(const Console& console) const {
    GPX_TRY(explain(console));
    return kSuccess;
  }
  Result<void> explain(const Console& console) const;
};

/// A word that is no file may be meant as a finding or as a stored run.
Error not_read(const Error& error, const std::string& file) {
  if (file.find('/') != std::string::npos || file.ends_with(".gpx")) return error;
  return make_error(error.fault, error.diagnostics.front().message,
                    "a finding of a stored run: gpx explain --finding NAME [RUN]");
}

Result<void> ExplainCommand::explain(const Console& console) const {
  if (!finding.empty()) {
    const auto run = GPX_TRY(read_run(store, file.empty() ? "last" : file));
    return explain_finding(finding, run, console);
  }
  if (file.empty())
    return fail(Fault::input, "a file or a finding to explain is missing",
                "gpx explain FILE[:POINT], or gpx explain --finding NAME [RUN]");
  const auto run = GPX_TRY(run_options(experiment));
  const Place place = split_place(file);
  const auto source = read_source(place.file);
  if (!source) return tl::unexpected<Error>(not_read(source.error(), place.file));
  Session session(find_paths());
  if (json.empty()) return explain_source(*source, place.point, run, session, console);
  const auto target =
      GPX_TRY(codegen::read_architecture(architecture.empty() ? "sm_90" : architecture));
  auto output = GPX_TRY(Output::open(json));
  Page page(console);
  std::vector<ExplainedMeasure> all;
  if (auto shown = explain_all(*source, place.point, run, session, {page, &all, target}); !shown)
    return shown;
  return output.write(to_json(all), console.out);
}

}  // namespace

Result<void> explain_source(const Source& source, const std::string& point, const RunOptions& run,
                            Session& session, const Console& console) {
  Page page(console);
  return explain_all(source, point, run, session, {page});
}

CommandRow explain_command() {
  return command_row<ExplainCommand>(60, "explain",
                                     "Show what a point of a sweep becomes: kernel, CUDA, PTX, "
                                     "machine code; how a finding was found");
}

}  // namespace gpx::cli
