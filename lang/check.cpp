// The checker: AST to experiments, with every error of the file in one run.
// Covered by tests/lang/check_test.cpp and the goldens in tests/lang/golden/.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/build.h"
#include "lang/check_context.h"
#include "lang/grammar.h"

namespace gpx {

Override::Override(const Setting& setting)
    : name(setting.name), source("--set " + setting.name, setting.text), problems(source) {
  const grammar::Parsed parsed = grammar::parse_value(source.text());
  for (const grammar::SyntaxError& error : parsed.errors) {
    const bool list = error.hint.empty() && setting.text.substr(error.span.begin, 1) == ",";
    problems.add(error.span, error.message,
                 list ? fmt::format("a list has brackets: [{}]", setting.text) : error.hint);
  }
  if (!parsed.errors.empty() || parsed.tree.children.empty()) return;
  const grammar::Tree& tree = parsed.tree.children[0];
  value = build_value(tree, problems);
  is_single = tree.node != grammar::Node::values && tree.node != grammar::Node::range;
  is_valid = problems.empty();
}

Overrides::Overrides(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    all_.erase(std::remove_if(all_.begin(), all_.end(),
                              [&](const auto& other) { return other->name == setting.name; }),
               all_.end());
    all_.push_back(std::make_unique<Override>(setting));
  }
}

Override* Overrides::find(const std::string& name) {
  for (const auto& one : all_)
    if (one->name == name) {
      one->is_used = true;
      return one->is_valid ? one.get() : nullptr;
    }
  return nullptr;
}

namespace {

/// A clause has no name that a setting could replace, but its number can be a parameter.
std::string setting_hint(const std::string& name, const std::string& value,
                         const std::vector<std::string>& names) {
  static const std::set<std::string> numbers = {
      "repeat",   "warmup",     "flush",    "offset",       "rehearse", "registers",
      "watchdog", "bank_width", "carveout", "shared_bytes", "cluster"};
  if (name == "device") return fmt::format("--device {}", value);
  if (!numbers.contains(name)) return suggest(name, names, "parameters and axes");
  return fmt::format(
      "'{0}' is a clause: with 'param N = {1}' and '{0} N' in the experiment, "
      "--set N=... changes it",
      name, value);
}

}  // namespace

void Overrides::report(Problems& problems, const std::vector<std::string>& names) {
  for (const auto& one : all_) {
    if (!one->problems.empty()) {
      for (Diagnostic& diagnostic : one->problems.error().diagnostics)
        problems.add(std::move(diagnostic));
    } else if (!one->is_used) {
      Location place{"--set " + one->name, 0, 0, 0, {}};
      problems.add(Diagnostic{
          fmt::format("no experiment here has a parameter or an axis named '{}'", one->name), place,
          setting_hint(one->name, one->source.text(), names)});
    }
  }
}

namespace {

/// Every clause of every measure is looked up among all: their squares should take no time.
constexpr std::size_t kMostClauses = 2000;

class FileChecker {
 public:
  FileChecker(const std::vector<Setting>& settings, Problems& problems)
      : overrides_(settings), problems_(problems) {}

  std::vector<Experiment> run(const Ast& ast) {
    std::vector<Experiment> experiments;
    std::size_t lines = 0;
    for (const ast::Item& item : ast.items) {
      if (const auto* parameter = std::get_if<ast::Statement>(&item)) {
        check_parameter(*parameter, file_names_, overrides_, problems_);
        continue;
      }
      const auto& block = std::get<ast::Block>(item);
      const std::string name = block.is_line ? fmt::format("line{}", ++lines) : block.name.text;
      check_name(block, name);
      experiments.push_back(check_block(block, name));
    }
    overrides_.report(problems_, {settable_.begin(), settable_.end()});
    return experiments;
  }

 private:
  void check_name(const ast::Block& block, const std::string& name) {
    if (name.empty() || names_.insert(name).second) return;
    problems_.add(block.is_line ? block.span : block.name.span,
                  fmt::format("a second experiment is named '{}'", name));
  }

  Experiment check_block(const ast::Block& block, const std::string& name) {
    Experiment experiment;
    experiment.name = name;
    experiment.title = block.title ? block.title->text : "";
    experiment.span = block.span;
    if (block.statements.size() > kMostClauses) {
      problems_.add(block.statements[kMostClauses].span,
                    fmt::format("an experiment has at most {} clauses, this one has {}",
                                kMostClauses, block.statements.size()));
      return experiment;
    }
    Names names = file_names_;
    if (block.names_broken) names.tolerate_unknown();
    for (const ast::Statement& statement : block.statements)
      if (std::holds_alternative<ast::Param>(statement.node))
        check_parameter(statement, names, overrides_, problems_);
    CheckContext context{block, problems_, overrides_, experiment, names};
    experiment.parameters = names.parameters();
    check_sweep(context);
    check_repeat(context);
    check_derived_names(context);
    check_measures(context);
    check_derived(context);
    check_report(context);
    warn_of_unused(context);
    warn_of_short_chases(context);
    warn_of_setup_time(context);
    warn_of_unseen_writes(context);
    settable_.insert({"threads", "blocks"});
    for (const std::string& known : names.known({true, false})) settable_.insert(known);
    return experiment;
  }

  Overrides overrides_;
  Problems& problems_;
  Names file_names_;                ///< Parameters of the file.
  std::set<std::string> names_;     ///< Of experiments.
  std::set<std::string> settable_;  ///< What a --set could name.
};

}  // namespace

Result<std::vector<Experiment>> check(const Ast& ast, const Source& source,
                                      const std::vector<Setting>& settings) {
  Problems problems(source);
  auto experiments = FileChecker(settings, problems).run(ast);
  if (problems.empty()) return experiments;
  return tl::unexpected<Error>(problems.error());
}

void check_partial(const Ast& ast, Problems& problems) {
  FileChecker({}, problems).run(ast);
}

}  // namespace gpx
