// Names of the standard library. Interface: library_names.h; covered by
// tests/runtime/library_names_test.cpp.
#include "runtime/library_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "codegen/files/files.h"
#include "codegen/user/user_kernel.h"
#include "lang/language.h"
#include "lang/lists.h"
#include "lang/problems.h"
#include "lang/try.h"
#include "runtime/analysis/analysis.h"
#include "runtime/analysis/analysis_head.h"
#include "runtime/device/select.h"
#include "runtime/measure/user_measure.h"

namespace gpx {
namespace {

namespace fs = std::filesystem;

AnalysisHead head_of(const std::string& name, const Paths& paths) {
  const std::string path = (fs::path(paths.stdlib) / "analysis" / (name + ".lua")).string();
  return read_head(name, path, file_text(path).value_or(""));
}

std::optional<Diagnostic> few_values(const Experiment& experiment, const Analyze& analyze,
                                     const AnalysisHead::Least& least, const Source& source) {
  const auto given = std::ranges::find(analyze.args, least.name, &AnalyzeArg::name);
  if (given == analyze.args.end() || !given->is_axis) return std::nullopt;
  for (const Axis* axis : experiment.sweep.axes()) {
    if (Value(axis->name) != given->value) continue;
    std::size_t values = 0;  // Of a zipped axis some may come again.
    for (auto at = axis->values.begin(); at != axis->values.end(); ++at)
      values += std::find(axis->values.begin(), at, *at) == at;
    if (values >= least.values) return std::nullopt;
    return Diagnostic{fmt::format("{} needs {} values of '{}', of {} it concludes nothing",
                                  analyze.method, least.values, axis->name, values),
                      source.locate(analyze.span), ""};
  }
  return std::nullopt;
}

class Checker {
 public:
  Checker(const Source& source, const Paths& paths, const std::optional<std::string>& run_on,
          std::span<const Source> kernel_files)
      : paths_(paths),
        run_on_(run_on),
        kernel_files_(kernel_files),
        problems_(source),
        analyses_(analysis_methods(paths.stdlib)) {}

  void block(const ast::Block& one) {
    measures_.clear();
    broken_ = one.broken || one.names_broken;
    for (const ast::Statement& each : one.statements)
      if (const auto* measure = std::get_if<ast::Measure>(&each.node))
        measures_.push_back(measure->name.text);
    for (const ast::Statement& each : one.statements) statement(each);
  }

  void statement(const ast::Statement& one) {
    if (const auto* device = std::get_if<ast::Device>(&one.node)) this->device(device->name);
    if (const auto* analyze = std::get_if<ast::Analyze>(&one.node))
      analyze->is_file ? script(analyze->method) : module(*analyze);
    if (const auto* kernel = std::get_if<ast::Kernel>(&one.node)) this->kernel(*kernel);
  }

  Result<void> result() const {
    if (problems_.empty()) return {};
    return tl::unexpected<Error>(problems_.error());
  }

 private:
  void device(const ast::Ident& name) {
    if (run_on_ != "auto") return;  // Another one is asked for, which has no place in the text.
    if (const auto resolved = resolve_device("auto", name.text, paths_); !resolved) {
      const Diagnostic& why = resolved.error().diagnostics.front();
      problems_.add(name.span, why.message, why.hint);
    }
  }

  bool has_folder() const { return is_file(problems_.source().name()); }

  void kernel(const ast::Kernel& one) {
    if (!has_folder()) return;
    const auto found = find_kernel_file(one.file.text, problems_.source(), paths_, kernel_files_);
    if (!found)
      return problems_.add(one.file.span, fmt::format("there is no file '{}'", one.file.text),
                           found.error());
    const Source* kept = kept_file(kernel_files_, *found);
    const auto text = kept ? std::optional(kept->text()) : file_text(*found, kMostKernelBytes);
    if (!text) return;  // A run says why.
    if (auto missing = codegen::plainly_no_entry(*text, one.entry.text, *found))
      problems_.add(one.entry.span, std::move(missing->message), std::move(missing->hint));
  }

  void script(const ast::Ident& path) {
    if (!has_folder()) return;
    const fs::path file = problems_.source().name();
    const auto parsed = parse_analysis((file.parent_path() / path.text).string());
    if (parsed) return;
    const Diagnostic& why = parsed.error().diagnostics.front();
    problems_.add(path.span, why.location ? fmt::format("{}:{}: {}", why.location->file,
                                                        why.location->line, why.message)
                                          : why.message);
  }

  void module(const ast::Analyze& analyze) {
    const std::string& name = analyze.method.text;
    // Where the folder cannot be listed the file may still be there: a run says what is wrong.
    if (!std::ranges::binary_search(analyses_, name) &&
        !is_file(paths_.stdlib + "/analysis/" + name + ".lua")) {
      problems_.add(analyze.method.span, fmt::format("no analysis is named '{}'", name),
                    suggest(name, analyses_, "analyses"));
      return;
    }
    const AnalysisHead head = head_of(name, paths_);
    measures(analyze, head);
    needed(analyze, head);
    if (head.takes_any) return;
    std::vector<std::string> known;
    for (const AnalysisHead::Parameter& one : head.parameters) known.push_back(one.name);
    for (const ast::Argument& argument : analyze.args)
      if (!contains(known, argument.name.text))
        problems_.add(argument.name.span,
                      fmt::format("{} has no argument '{}'", name, argument.name.text),
                      known.empty() ? fmt::format("it is called {}", head.call)
                                    : suggest(argument.name.text, known, "arguments"));
  }

  /// An analysis reads the samples of measures by their names.
  void measures(const ast::Analyze& analyze, const AnalysisHead& head) {
    for (const std::string& name : head.measures)
      need(name, analyze.method.span, fmt::format("{} needs a measure '{}'", head.name, name));
    for (const ast::Argument& argument : analyze.args) {
      const Expr& value = argument.value;
      const bool names_one = contains(head.of_measures, argument.name.text);
      if (names_one && value.kind == Expr::Kind::word)
        need(value.text, value.span, fmt::format("no measure is named '{}'", value.text));
    }
  }

  void needed(const ast::Analyze& analyze, const AnalysisHead& head) {
    if (broken_) return;
    for (const std::string& name : head.needed) {
      if (contains(analyze.args, name, [](const auto& one) { return one.name.text; })) continue;
      problems_.add(analyze.method.span, fmt::format("{} needs the argument '{}'", head.name, name),
                    fmt::format("it is called {}", head.call));
      return;
    }
  }

  void need(const std::string& measure, Span place, std::string message) {
    if (broken_ || contains(measures_, measure)) return;
    std::string hint = suggest(measure, measures_);
    if (hint.empty()) hint = fmt::format("such as measure {} {{ < ... > }}", measure);
    problems_.add(place, std::move(message), std::move(hint));
  }

  const Paths& paths_;
  const std::optional<std::string>& run_on_;
  std::span<const Source> kernel_files_;
  Problems problems_;
  std::vector<std::string> analyses_;
  std::vector<std::string> measures_;  ///< Of the experiment that is being checked.
  bool broken_ = false;                ///< Parts of it could not be read.
};

}  // namespace

Result<void> check_library_names(const Ast& ast, const Source& source, const Paths& paths,
                                 const std::optional<std::string>& run_on,
                                 std::span<const Source> kernel_files) {
  Checker checker(source, paths, run_on, kernel_files);
  for (const ast::Item& item : ast.items)
    if (const auto* block = std::get_if<ast::Block>(&item)) checker.block(*block);
  return checker.result();
}

void warn_of_library(std::vector<Experiment>& experiments, const Source& source,
                     const Paths& paths) {
  for (Experiment& experiment : experiments)
    for (const Analyze& analyze : experiment.analyses)
      if (!analyze.is_file)
        for (const AnalysisHead::Least& least : head_of(analyze.method, paths).least)
          if (auto warning = few_values(experiment, analyze, least, source))
            experiment.warnings.push_back(std::move(*warning));
}

Result<std::vector<Experiment>> check_whole(const Source& source, const Paths& paths) {
  const auto ast = GPX_TRY(parse(source));
  auto experiments = check(ast, source);
  if (!experiments) return experiments;
  GPX_TRY(check_library_names(ast, source, paths));
  warn_of_library(*experiments, source, paths);
  return experiments;
}

}  // namespace gpx
