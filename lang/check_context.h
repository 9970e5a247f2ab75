// What the parts of the checker share while they turn one block of the AST into an Experiment.
// Each part reports through `problems` and leaves defaults where something is wrong.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/language.h"
#include "lang/problems.h"
#include "lang/resolve.h"

namespace gpx {

/// One `--set`, read once, applied to every experiment that has the name.
struct Override {
  explicit Override(const Setting& setting);
  std::string name;
  Source source;
  Problems problems;
  ast::Axis value;  ///< A single value is a list of one.
  bool is_single = false;
  bool is_valid = false;
  bool is_used = false;
};

class Overrides {
 public:
  explicit Overrides(const std::vector<Setting>& settings);
  /// The setting of that name, marked as used; nullptr if there is none that can be read.
  Override* find(const std::string& name);
  /// Each setting that nothing used is an error; `names` are what it could have meant.
  void report(Problems& problems, const std::vector<std::string>& names);

 private:
  std::vector<std::unique_ptr<Override>> all_;
};

struct CheckContext {
  const ast::Block& block;
  Problems& problems;
  Overrides& overrides;
  Experiment& experiment;
  Names& names;

  /// The measure that is being checked: the last one so far.
  Measure& measure() const { return experiment.measures.back(); }
};

/// A number that an expression must give at every point of the sweep.
struct NumberRule {
  std::string what;  ///< "threads"
  Unit unit = Unit::none;
  double low = 0;
  double high = 0;
};

/// The expression with its names resolved, if it gives a whole number within the rule's limits at
/// every point.
std::optional<Expr> checked_number(CheckContext& context, const Expr& expr, const NumberRule& rule);

/// Statements of one kind, in order.
template <typename T>
std::vector<std::pair<const ast::Statement*, const T*>> statements_of(const ast::Block& block) {
  std::vector<std::pair<const ast::Statement*, const T*>> found;
  for (const ast::Statement& statement : block.statements)
    if (const T* node = std::get_if<T>(&statement.node)) found.emplace_back(&statement, node);
  return found;
}

/// The only statement of its kind; a second one is an error.
template <typename T>
const T* single(CheckContext& context, std::string_view what) {
  const auto found = statements_of<T>(context.block);
  for (std::size_t i = 1; i < found.size(); ++i) {
    const Location first = context.problems.source().locate(found[0].first->span);
    context.problems.add(
        found[i].first->span,
        "a second " + std::string(what) + "; the first is on line " + std::to_string(first.line));
  }
  return found.empty() ? nullptr : found[0].second;
}

/// What can be said of a file that has syntax errors.
void check_partial(const Ast& ast, Problems& problems);

void check_parameter(const ast::Statement& statement, Names& names, Overrides& overrides,
                     Problems& problems);
void check_sweep(CheckContext& context);
void check_launch(CheckContext& context);
void check_region(CheckContext& context);
void check_report(CheckContext& context);

}  // namespace gpx
